/* SPDX-License-Identifier: GPL-2.0-only */
/* Building blocks for the functions of the catalog. */
#ifndef KTSTR_SCENARIO_CATALOG_PARTS_H
#define KTSTR_SCENARIO_CATALOG_PARTS_H

#include "scenario/catalog.h"
#include "scenario/ctx.h"

/* A cgroup of CpuSpin workers, which --work-type may replace; count 0 = the run's default. */
#define SPIN(cg, count, ...)                                                       \
	{                                                                          \
		.name = (cg), .workers = (count), .swappable = true, ##__VA_ARGS__ \
	}
#define BURSTY(cg, count, burst, pause, ...)                                               \
	{                                                                                  \
		.name = (cg), .workers = (count), .work_type = KTSTR_BURSTY(burst, pause), \
		##__VA_ARGS__                                                              \
	}
#define YIELDING(cg, ...)                                                                 \
	{                                                                                 \
		.name = (cg), .workers = 1, .work_type = KTSTR_YIELD_HEAVY, ##__VA_ARGS__ \
	}

/* Works of a steady row. */
#define SPINS(count)               \
	{                          \
		.workers = (count) \
	}
#define BURSTS(count, burst, pause)                                         \
	{                                                                   \
		.workers = (count), .work_type = KTSTR_BURSTY(burst, pause) \
	}
#define YIELDS                                               \
	{                                                    \
		.workers = 1, .work_type = KTSTR_YIELD_HEAVY \
	}

#define HALF(i) .cpuset = KTSTR_DISJOINT(i, 2)

#define SETTLE(ctx) KTSTR_FIXED_MS((ctx)->settle_ms)

/* Runs a scenario from the given members of struct ktstr_scenario_run. */
#define parts_run(ctx, res, ...) \
	ktstr_run_scenario(ctx, res, &(struct ktstr_scenario_run){ __VA_ARGS__ })

/* "cg_7" in the arena; NULL if out of memory. */
const char *parts_name(struct arena *arena, const char *prefix, unsigned int index);

/* The usable CPUs [from, to) as a list in the arena; NULL if out of memory. */
const char *parts_usable(const struct ktstr_ctx *ctx, struct arena *arena, size_t from, size_t to);

/* Two cgroups for the whole run, with a single step: settling, then the full duration. */
int parts_run_pair(struct ktstr_ctx *ctx, struct ktstr_result *res,
		   const struct ktstr_cgroup *defs);

/*
 * Two cgroups, each on a half, whose cpusets are cleared midway. Used with and without the
 * cpu controller.
 */
int parts_run_clear_midrun(struct ktstr_ctx *ctx, struct ktstr_result *res);

/* Two cgroups under load, for a body that does something else by hand meanwhile. */
struct parts_load {
	struct ktstr_workers *groups[2];
};

int parts_load_start(struct parts_load *load, struct ktstr_ctx *ctx, const char *first,
		     const char *second);
int parts_load_collect(struct parts_load *load, struct ktstr_result *res);
void parts_load_finish(struct parts_load *load);

#endif
