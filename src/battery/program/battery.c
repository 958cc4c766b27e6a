// SPDX-License-Identifier: GPL-2.0-only
/* The tests of `ktstr check`: one for each row of the table. */
#include "battery/program/workloads.h"

/*
 * Rows are short: the limits of a program that was compiled without optimisation, whatever
 * this one was compiled with.
 */
#undef KTSTR_IS_RELEASE_
#define KTSTR_IS_RELEASE_ false

/* `ktstr check` puts the program that it was given in its place. */
KTSTR_SCHEDULER(under_test, .name = "under_test", .binary = "scx_under_test");

#define MACHINE(id, what, nodes_, llcs_, cores_, threads_) \
	MACHINE_##id = nodes_ << 24 | llcs_ << 16 | cores_ << 8 | threads_,
enum {
#include "battery/machines.def"
};

#define ROW(row, machine, ms, what, ...)                                                         \
	KTSTR_TEST(row, .scheduler = &under_test, .numa_nodes = MACHINE_##machine >> 24,         \
		   .llcs = MACHINE_##machine >> 16 & 255, .cores = MACHINE_##machine >> 8 & 255, \
		   .threads = MACHINE_##machine & 255, .duration_ms = (ms))                      \
	{                                                                                        \
		return __VA_ARGS__;                                                              \
	}
#include "battery/rows.def"
