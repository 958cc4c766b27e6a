/* SPDX-License-Identifier: GPL-2.0-only */
/* Groups of workers for tests: spawned, started, awaited. */
#ifndef TESTS_UNIT_WORKERS_FIXTURE_H
#define TESTS_UNIT_WORKERS_FIXTURE_H

#include "work/workers.h"

/* Longer than any of this takes on a machine that is busy with other things. */
#define PATIENCE_S 60

/* Seen by workers and test alike, between the two calls. */
struct board {
	uint64_t values[64];
	char comm[16];
	int policy, nice, memory_mode;
	uint32_t clamps[2];
};
extern struct board *board;

int fixture_board_setup(void **state);
int fixture_board_teardown(void **state);

/* Spawned and started; NULL when that failed. */
struct workers *fixture_start(const struct ktstr_work *work, unsigned int count);

/* Until every worker has done so many iterations; false when one never did. */
bool fixture_await(const struct workers *w, uint64_t iterations);

/* Until a worker of the group has a latency sample. */
bool fixture_await_wake(const struct workers *w);

/* Until every worker has told of so many units; for types whose iterations never end. */
bool fixture_await_units(const struct workers *w, uint64_t units);

/* Gives up every right, for good; false when there are none to give up. */
bool fixture_become_nobody(void);

/* The exit status of the function's value in a process of its own; -1 = it was killed. */
int fixture_in_child(int (*run)(void));

#endif
