// SPDX-License-Identifier: GPL-2.0-only
/* Parses registers from QEMU's text, and writes vCPUs as JSON. */
#include "watch/parts.h"

#define ASK_LIMIT_NS (5 * NSEC_PER_SEC)
#define RFLAGS_IF (1U << 9)
#define PSTATE_I (1U << 7)

struct register_row {
	const char *spelled, *name;
};

#define X(spelled, name) [VCPU_##spelled] = { #spelled, #name },
static const struct register_row x86_rows[VCPU_REGISTER_COUNT] = { VCPU_REGISTERS(X) };
static const struct register_row arm64_rows[VCPU_ARM_REGISTER_COUNT] = { VCPU_ARM_REGISTERS(X) };
#undef X

static const struct register_row *rows_of(const struct vcpu *c, size_t *count)
{
	*count = c->is_arm64 ? (size_t)VCPU_ARM_REGISTER_COUNT : (size_t)VCPU_REGISTER_COUNT;
	return c->is_arm64 ? arm64_rows : x86_rows;
}

/* Finds "RIP=ffff..." or "R8 =..." as a separate word before end. */
static bool read_register(const char *text, const char *end, const char *name, uint64_t *value)
{
	size_t len = strlen(name);

	for (const char *p = text; p + len < end; p++) {
		const char *at = p + len;
		char *rest;

		if (strncmp(p, name, len) != 0 || (p > text && p[-1] != ' ' && p[-1] != '\n'))
			continue;
		at += *at == ' ';
		if (*at != '=')
			continue;
		*value = strtoull(at + 1, &rest, 16);
		return rest > at + 1 && rest <= end;
	}
	return false;
}

static bool read_registers(const char *text, const char *end, struct vcpu *c)
{
	size_t count;
	const struct register_row *rows = rows_of(c, &count);

	for (size_t i = 0; i < count; i++)
		if (!read_register(text, end, rows[i].spelled, &c->registers[i]))
			return false;
	return true;
}

int vcpus_parse(struct vcpus *v, const char *text)
{
	int rc = 0;

	for (const char *at = strstr(text, "CPU#"); at && rc == 0;) {
		const char *next = strstr(at + 1, "CPU#"), *end = next ? next : at + strlen(at);
		struct vcpu c = { .number = (unsigned int)strtoul(at + 4, NULL, 10) };
		uint64_t value;

		c.is_arm64 = read_register(at, end, "PSTATE", &value);
		c.is_halted = read_register(at, end, "HLT", &value) && value;
		if (read_registers(at, end, &c))
			rc = vec_push(&v->items, c);
		at = next;
	}
	return rc;
}

bool vcpus_ask(struct vcpus *v, struct vm *vm)
{
	_str_ struct str text = {};
	int rc = vm_ask(vm, "info registers -a", ASK_LIMIT_NS, &text);

	rc = rc ?: vcpus_parse(v, str_get(&text));
	if (rc < 0)
		log_debug("watch", "registers: %s", err_text(rc));
	err_clear();
	return rc == 0;
}

void vcpus_finish(struct vcpus *v)
{
	free(v->items.items);
	*v = (struct vcpus){};
}

bool vcpu_takes_interrupts(const struct vcpu *v)
{
	return v->is_arm64 ? !(v->registers[VCPU_PSTATE] & PSTATE_I) :
			     v->registers[VCPU_RFL] & RFLAGS_IF;
}

bool vcpu_read_sleeper(struct vcpu *v, struct space *space, uint64_t task)
{
	*v = (struct vcpu){ .is_arm64 = space->machine == &space_arm64 };
	return v->is_arm64 ? arm64_read_sleeper(v, space, task) : orc_read_sleeper(v, space, task);
}

void vcpu_unwind(struct vcpu *v, struct space *space)
{
	v->frame_count = 0;
	if (v->is_arm64)
		arm64_unwind(v, space);
	else
		orc_unwind(v, space);
}

static void put_vcpu(const struct vcpu *c, const struct guest_names *names, struct json *j)
{
	size_t count;
	const struct register_row *rows = rows_of(c, &count);

	json_object(j);
	json_put_u64(j, "cpu", c->number);
	if (!c->is_arm64)
		json_put_bool(j, "is_halted", c->is_halted);
	json_put_object(j, "registers");
	for (size_t i = 0; i < count; i++)
		json_put_u64(j, rows[i].name, c->registers[i]);
	json_object_end(j);
	json_put_array(j, "backtrace");
	for (size_t i = 0; i < c->frame_count; i++) {
		_str_ struct str name = {};

		names_add(names, c->frames[i], i == 0, &name);
		json_string(j, str_get(&name));
	}
	json_array_end(j);
	json_object_end(j);
}

int vcpus_put_json(const struct vcpus *v, const struct symbols *symbols, uint64_t slide,
		   const struct prog_lines *programs, struct json *j)
{
	_cleanup_(names_finish) struct guest_names names = {};
	int rc = names_read(&names, symbols, slide, programs);

	json_put_array(j, "vcpus");
	for (size_t i = 0; i < v->items.count && rc == 0; i++)
		put_vcpu(&v->items.items[i], &names, j);
	json_array_end(j);
	return rc;
}
