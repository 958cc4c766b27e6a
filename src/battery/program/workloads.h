/* SPDX-License-Identifier: GPL-2.0-only */
/* Macros in which the rows of the battery are written, and the bodies that are functions. */
#ifndef KTSTR_BATTERY_PROGRAM_WORKLOADS_H
#define KTSTR_BATTERY_PROGRAM_WORKLOADS_H

#include <ktstr/ktstr.h>

#include "battery/program/kinds.h"

#define GROUPS(...) ktstr_run_defs(ctx, res, KTSTR_CGROUPS(__VA_ARGS__))
#define BACKDROP(...) KTSTR_CGROUPS(__VA_ARGS__)
#define SCENARIO(cgroups, ...)                                        \
	ktstr_run_scenario(ctx, res,                                  \
			   &(struct ktstr_scenario_run){              \
				   .backdrop = { .defs = cgroups },   \
				   .steps = KTSTR_STEPS(__VA_ARGS__), \
			   })
/* Members of a cgroup: tasks that sleep at times, their number in percent of the cgroup's CPUs. */
#define BUSY(percent) .workers_pct = (percent), .work_type = KTSTR_BURSTY(6, 3)
/* Two CPUs that share a cache on every machine of the battery. */
#define SAME_LLC .cpuset = KTSTR_LLC(0)
/* A step: gives the tasks of the cgroup "moved" other CPUs. */
#define MOVED(part)                                                                     \
	{                                                                               \
		.ops = KTSTR_OPS(KTSTR_SET_AFFINITY("moved", KTSTR_PIN_RANDOM_SUBSET)), \
		.hold = KTSTR_FRAC(part),                                               \
	}
#define BODY(name) body_##name(ctx, res)

ktstr_test_fn body_loads, body_exits_while_queued, body_migration_disabled,
	body_cgroups_come_and_go, body_many_cgroups;

#endif
