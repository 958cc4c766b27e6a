// SPDX-License-Identifier: GPL-2.0-only
/* Registers out of QEMU's text, and all of it as JSON. */
#include "watch/vcpu.h"

#include "watch/names.h"

static const struct {
	const char *spelled, *name;
} rows[VCPU_REGISTER_COUNT] = {
#define X(spelled, name) [REG_##spelled] = { #spelled, #name },
	VCPU_REGISTERS(X)
#undef X
};

/* "RIP=ffff..." or "R8 =...", as a word of its own before end. */
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

int vcpus_parse(struct vcpus *v, const char *text)
{
	int rc = 0;

	for (const char *at = strstr(text, "CPU#"); at && rc == 0;) {
		const char *next = strstr(at + 1, "CPU#"), *end = next ? next : at + strlen(at);
		struct vcpu c = { .number = (unsigned int)strtoul(at + 4, NULL, 10) };
		bool is_whole = true;
		uint64_t halted;

		for (size_t i = 0; i < VCPU_REGISTER_COUNT && is_whole; i++)
			is_whole = read_register(at, end, rows[i].spelled, &c.registers[i]);
		c.is_halted = read_register(at, end, "HLT", &halted) && halted;
		if (is_whole)
			rc = vec_push(&v->items, c);
		at = next;
	}
	return rc;
}

void vcpus_finish(struct vcpus *v)
{
	free(v->items.items);
	*v = (struct vcpus){};
}

static void put_vcpu(const struct vcpu *c, const struct names *names, struct json *j)
{
	json_object(j);
	json_put_u64(j, "cpu", c->number);
	json_put_bool(j, "is_halted", c->is_halted);
	json_put_object(j, "registers");
	for (size_t i = 0; i < VCPU_REGISTER_COUNT; i++)
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
		   const struct programs *programs, struct json *j)
{
	_cleanup_(names_finish) struct names names = {};
	int rc = names_read(&names, symbols, slide, programs);

	json_put_array(j, "vcpus");
	for (size_t i = 0; i < v->items.count && rc == 0; i++)
		put_vcpu(&v->items.items[i], &names, j);
	json_array_end(j);
	return rc;
}
