// SPDX-License-Identifier: GPL-2.0-only
/* The tests of `ktstr check`: one per row of the table. */
#include "battery/program/workloads.h"

/*
 * Rows are short, so the limits are those of a program that was compiled without
 * optimisation, however this one was compiled.
 */
#undef KTSTR_IS_RELEASE_
#define KTSTR_IS_RELEASE_ false

/* `ktstr check` replaces it with the scheduler under test. */
KTSTR_SCHEDULER(under_test, .name = "under_test", .binary = "scx_under_test");

#define MACHINE(id, what, nodes_, llcs_, cores_, threads_) \
	MACHINE_##id = nodes_ << 24 | llcs_ << 16 | cores_ << 8 | threads_,
enum {
#include "battery/machines.def"
};

#define TEST(row, machine, ms, ...)                                                              \
	KTSTR_TEST(row, .scheduler = &under_test, .numa_nodes = MACHINE_##machine >> 24,         \
		   .llcs = MACHINE_##machine >> 16 & 255, .cores = MACHINE_##machine >> 8 & 255, \
		   .threads = MACHINE_##machine & 255, .duration_ms = (ms), ##__VA_ARGS__)       \
	{                                                                                        \
		return run_##row(ctx, res);                                                      \
	}
#define BODY_OF(row, ...)                                                      \
	static int run_##row(__attribute__((unused)) struct ktstr_ctx *ctx,    \
			     __attribute__((unused)) struct ktstr_result *res) \
	{                                                                      \
		return __VA_ARGS__;                                            \
	}

#define ROW(row, machine, ms, what, ...) \
	BODY_OF(row, __VA_ARGS__)        \
	TEST(row, machine, ms)
#define ROW_OPTIONAL ROW
#define ROW_UNEQUAL(row, machine, ms, what, ...)           \
	BODY_OF(row, __VA_ARGS__)                          \
	TEST(row, machine, ms,                             \
	     .assert = { .max_spread_pct = KTSTR_OFF,      \
			 .max_share_error_pct = KTSTR_OFF, \
			 .max_wakeup_wait_ratio = KTSTR_OFF })
#define ROW_UNEVEN(row, machine, ms, what, ...) \
	BODY_OF(row, __VA_ARGS__)               \
	TEST(row, machine, ms, .assert = { .max_spread_pct = KTSTR_OFF })
#define ROW_COARSE(row, machine, ms, what, ...) \
	BODY_OF(row, __VA_ARGS__)               \
	TEST(row, machine, ms, .assert = { .max_spread_pct = KTSTR_OFF, .max_share_error_pct = 30 })
#include "battery/rows.def"
