// SPDX-License-Identifier: GPL-2.0-only
/* The types of arguments: how many values each has, and what they are called. */
#include <ktstr/work.h>

#include "fuzz/input.h"
#include "work/workers.h"

/* ---- work ---- */

/* A value is a kind of work and an amount: each parameter is scaled by this factor. */
static const struct {
	unsigned int times, by;
} amounts[FUZZ_AMOUNTS] = { { 1, 1 }, { 1, 8 }, { 4, 1 }, { 1, 64 } };

/*
 * Priority inversion is left out: how tasks wait for a lock by priority is not up to the
 * scheduler.
 */
static bool is_left_out(enum ktstr_work_kind kind)
{
	const struct work_type_info *info = work_type_info(kind);

	return !info || info->is_unnameable || kind == KTSTR_WORK_PRIORITY_INVERSION;
}

static unsigned int work_count(void)
{
	return FUZZ_WORK(KTSTR_WORK_COUNT, 0);
}

/* Team sizes are not scaled: the number of workers has to be a multiple of them. */
static bool is_scaled(const char *name)
{
	static const char *const units[] = { "_ms", "_us", "_usec", "_iters", "_kb" };

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		const char *at = strstr(name, units[i]);

		if (at && str_eq(at, units[i]))
			return true;
	}
	return false;
}

static uint64_t scale(uint64_t value, unsigned int amount)
{
	return MAX(value * amounts[amount].times / amounts[amount].by, UINT64_C(1));
}

/* RtStarvation's real-time member sleeps at least four times as long as it runs. */
static void leave_time(struct ktstr_work_type *type)
{
	if (type->kind == KTSTR_WORK_RT_STARVATION)
		type->args[2] = MAX(type->args[2], 4 * type->args[1]);
}

static void work_of(unsigned int value, struct ktstr_work_type *out)
{
	enum ktstr_work_kind kind = KTSTR_WORK_CPU_SPIN + value / FUZZ_AMOUNTS;
	const struct work_type_info *info;

	*out = (struct ktstr_work_type){ .kind = is_left_out(kind) ? KTSTR_WORK_CPU_SPIN : kind };
	info = work_type_info(out->kind);
	for (size_t i = 0; i < KTSTR_WORK_ARGS && info->parameters[i].name; i++)
		out->args[i] = is_scaled(info->parameters[i].name) ?
				       scale(info->parameters[i].value, value % FUZZ_AMOUNTS) :
				       info->parameters[i].value;
	leave_time(out);
}

unsigned int fuzz_work_group(unsigned int work)
{
	struct ktstr_work_type type;

	work_of(work, &type);
	return work_type_group(&type);
}

static void add_work_yaml(const struct ktstr_work_type *type, const struct work_type_info *info,
			  struct str *out)
{
	if (!info->parameters[0].name) {
		str_add(out, info->name);
		return;
	}
	str_addf(out, "{ %s: {", info->name);
	for (size_t i = 0; i < KTSTR_WORK_ARGS && info->parameters[i].name; i++)
		str_addf(out, "%s %s: %llu", i ? "," : "", info->parameters[i].name,
			 ULL(type->args[i]));
	str_add(out, " } }");
}

/* "FutexPingPong" becomes KTSTR_WORK_FUTEX_PING_PONG. */
static void add_work_c(const struct ktstr_work_type *type, const struct work_type_info *info,
		       struct str *out)
{
	str_add(out, "{ .kind = KTSTR_WORK");
	for (const char *c = info->name; *c; c++)
		str_addf(out, "%s%c", isupper((unsigned char)*c) ? "_" : "",
			 toupper((unsigned char)*c));
	for (size_t i = 0; i < KTSTR_WORK_ARGS && info->parameters[i].name; i++)
		str_addf(out, "%s%llu", i ? ", " : ", .args = { ", ULL(type->args[i]));
	str_add(out, info->parameters[0].name ? " } }" : " }");
}

static void work_add(unsigned int value, enum fuzz_language language, struct str *out)
{
	struct ktstr_work_type type;
	const struct work_type_info *info;

	work_of(value, &type);
	info = work_type_info(type.kind);
	if (type.kind == KTSTR_WORK_CPU_SPIN)
		return;
	if (language == FUZZ_YAML)
		add_work_yaml(&type, info, out);
	else
		add_work_c(&type, info, out);
}

/* ---- the table ---- */

struct parameter_value {
	const char *yaml, *c;
};

struct type_row {
	const char *before[FUZZ_LANGUAGES];
	const struct parameter_value *values; /* NULL = numbers, or given by the functions */
	size_t value_count;
	unsigned int from, to;
	unsigned int (*count)(void);
	void (*add)(unsigned int value, enum fuzz_language language, struct str *out);
};

#define NONE           \
	{              \
		"", "" \
	}
#define VALUES(...)                                                              \
	.values = (const struct parameter_value[]){ __VA_ARGS__ },               \
	.value_count = sizeof((const struct parameter_value[]){ __VA_ARGS__ }) / \
		       sizeof(struct parameter_value)
#define NUMBERS(from_, to_) .from = (from_), .to = (to_)
#define OTHER(name) .count = name##_count, .add = name##_add
#define TYPE(id, yaml, c, ...) [FUZZ_TYPE_##id] = { .before = { yaml, c }, __VA_ARGS__ },
static const struct type_row types[FUZZ_TYPE_COUNT] = {
#include "fuzz/types.def"
};
#undef TYPE

unsigned int fuzz_type_count(enum fuzz_type type)
{
	const struct type_row *t = &types[type];

	if (t->count)
		return t->count();
	return t->values ? (unsigned int)t->value_count : t->to - t->from + 1;
}

void fuzz_type_add(enum fuzz_type type, unsigned int value, enum fuzz_language language,
		   struct str *out)
{
	const struct type_row *t = &types[type];
	_str_ struct str text = {};

	if (t->add)
		t->add(value, language, &text);
	else if (t->values)
		str_add(&text, language == FUZZ_YAML ? t->values[value].yaml : t->values[value].c);
	else
		str_addf(&text, "%u", t->from + value);
	if (text.len)
		str_addf(out, "%s%s", t->before[language], text.s);
	out->failed |= text.failed;
}

static int read_number(const struct type_row *t, const char **text, unsigned int *value)
{
	uint64_t number;

	if (parse_digits(text, &number) < 0 || number < t->from || number > t->to)
		return -EINVAL;
	*value = (unsigned int)number - t->from;
	return 0;
}

int fuzz_type_read(enum fuzz_type type, const char **text, unsigned int *value)
{
	const struct type_row *t = &types[type];
	unsigned int count = fuzz_type_count(type);
	/* If not, it is a value that is not written. */
	bool is_written = str_starts(*text, t->before[FUZZ_YAML]), is_found = false;
	_str_ struct str spelled = {};
	size_t longest = 0;

	if (!t->values && !t->add)
		return read_number(t, text, value);
	for (unsigned int i = 0; i < count && (is_written || !is_found); i++) {
		str_reset(&spelled);
		fuzz_type_add(type, i, FUZZ_YAML, &spelled);
		if (str_starts(*text, str_get(&spelled)) && (!is_found || spelled.len > longest)) {
			is_found = true;
			longest = spelled.len;
			*value = i;
		}
	}
	*text += longest;
	return is_found ? 0 : -EINVAL;
}

const char *fuzz_strategy(unsigned int strategy)
{
	const char *name = types[FUZZ_TYPE_STRATEGY].values[strategy].yaml;

	return *name ? name : NULL;
}

int fuzz_machine(unsigned int machine, struct vm_topology *out)
{
	_str_ struct str text = {};

	fuzz_type_add(FUZZ_TYPE_MACHINE, machine, FUZZ_YAML, &text);
	for (size_t i = 0; i < text.len; i++)
		if (strchr("nlc", text.s[i]))
			text.s[i] = ',';
	if (text.len)
		text.s[text.len - 1] = '\0';
	return vm_topology_parse(str_get(&text), out);
}
