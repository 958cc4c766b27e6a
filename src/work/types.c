// SPDX-License-Identifier: GPL-2.0-only
/* The table of work types, and finding one by name. */
#include "work/types.h"

#include "base/err.h"
#include "base/str.h"
#include "base/text.h"
#include "base/util.h"

/* clang-format off */
static const struct work_type_row rows[KTSTR_WORK_COUNT] = {
	[KTSTR_WORK_CPU_SPIN] = {
		.info = { .name = "CpuSpin", .stresses = "fairness, load balance",
			  .is_nameable = true },
		.iterate = cpu_spin_iterate,
	},
	[KTSTR_WORK_YIELD_HEAVY] = {
		.info = { .name = "YieldHeavy", .stresses = "wake/yield path", .is_nameable = true },
		.iterate = yield_heavy_iterate,
	},
	[KTSTR_WORK_MIXED] = {
		.info = { .name = "Mixed", .stresses = "CPU + voluntary preemption",
			  .is_nameable = true },
		.iterate = mixed_iterate,
	},
	[KTSTR_WORK_BURSTY] = {
		.info = { .name = "Bursty", .stresses = "CPU borrowing, idle balance",
			  .parameters = { { "burst_ms", 50 }, { "sleep_ms", 100 } },
			  .is_nameable = true },
		.iterate = bursty_iterate,
	},
	[KTSTR_WORK_CUSTOM] = {
		.info = { .name = "Custom", .stresses = "anything" },
	},
};
/* clang-format on */

const struct work_type_row *work_type_row(enum ktstr_work_kind kind)
{
	return &rows[kind == KTSTR_WORK_DEFAULT ? KTSTR_WORK_CPU_SPIN : kind];
}

const struct work_type_info *work_type_info(enum ktstr_work_kind kind)
{
	return &work_type_row(kind)->info;
}

uint64_t work_type_arg(const struct ktstr_work_type *type, unsigned int i)
{
	return type->args[i] ? type->args[i] : work_type_info(type->kind)->parameters[i].value;
}

unsigned int work_type_group(const struct ktstr_work_type *type)
{
	const struct work_type_info *info = work_type_info(type->kind);

	return info->group ? info->group(type) : 1;
}

static int unknown_type(const char *name)
{
	const char *names[KTSTR_WORK_COUNT], *near;
	_str_ struct str list = {};
	size_t count = 0;

	for (int kind = KTSTR_WORK_DEFAULT + 1; kind < KTSTR_WORK_COUNT; kind++) {
		if (!rows[kind].info.is_nameable)
			continue;
		str_addf(&list, "%s%s", count ? ", " : "", rows[kind].info.name);
		names[count++] = rows[kind].info.name;
	}
	near = text_closest(name, names, count);
	return err_set(EINVAL, "unknown work type: '%s'. valid types: %s%s%s%s", name,
		       str_get(&list), near ? ". Did you mean '" : "", near ? near : "",
		       near ? "'?" : "");
}

int work_type_by_name(const char *name, struct ktstr_work_type *out)
{
	const char *wanted = str_eq(name, "SpinWait") ? "CpuSpin" : name;

	for (int kind = KTSTR_WORK_DEFAULT + 1; kind < KTSTR_WORK_COUNT; kind++) {
		if (!rows[kind].info.is_nameable || !str_eq(rows[kind].info.name, wanted))
			continue;
		*out = (struct ktstr_work_type){ .kind = (enum ktstr_work_kind)kind };
		return 0;
	}
	return unknown_type(name);
}
