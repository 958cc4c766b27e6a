/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In which order rows, machines, kernels and seeds are gone through: first whether the
 * scheduler loads, on every machine and kernel; then one step after the other, each with
 * the next seed and every row on its next machine, on all kernels.
 */
#ifndef KTSTR_BATTERY_PLAN_H
#define KTSTR_BATTERY_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/* One run. */
struct battery_cell {
	size_t row, machine, kernel;
	uint64_t seed;
};

struct battery_cells {
	VEC(struct battery_cell) items;
};

struct battery_shape {
	size_t machines, kernels;
	uint64_t first_seed;
	/* Whether this row is to be run on this kernel at all, and on this machine of it. */
	bool (*is_wanted)(const void *ctx, size_t row, size_t kernel);
	bool (*is_loaded)(const void *ctx, size_t machine, size_t kernel);
	const void *ctx;
};

/* Appends the runs that tell where it loads. */
int battery_plan_loads(const struct battery_shape *s, struct battery_cells *out);

/* Appends those of a step, the first of which is 0. */
int battery_plan_step(const struct battery_shape *s, uint64_t step, struct battery_cells *out);

#endif
