/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Thresholds that a test gave and that need a reading to be compared with. One that
 * never met a reading must not look like one that was kept.
 */
#ifndef KTSTR_CHECK_GATES_H
#define KTSTR_CHECK_GATES_H

#include "check/result.h"

/* clang-format off */
#define GATES(X) \
	X(RUN_DELAY_SPREAD, "max_run_delay_spread_pct", "no two workers with run delays") \
	X(THROUGHPUT_CV, "max_throughput_cv", "no two workers of a cgroup had CPU time") \
	X(WORK_RATE, "min_work_rate", "no worker had CPU time") \
	X(P99_WAKE, "max_p99_wake_latency_ns", "no worker measured a wake latency") \
	X(WAKE_CV, "max_wake_latency_cv", "no cgroup measured two wake latencies") \
	X(ITERATION_RATE, "min_iteration_rate", "no worker came to its end") \
	X(MIGRATION_RATIO, "max_migration_ratio", "no iterations") \
	X(PAGE_LOCALITY, "min_page_locality", "no cgroup with a cpuset of its own had pages") \
	X(CROSS_NODE, "max_cross_node_migration_ratio", "no cgroup with a cpuset of its own had pages") \
	X(SLOW_TIER, "max_slow_tier_ratio", "no cgroup with a cpuset of its own had pages")
/* clang-format on */

enum gate {
#define X(id, field, why) GATE_##id,
	GATES(X)
#undef X
		GATE_COUNT,
};

/* A limit was given; is_measured: there was something to hold against it. */
void gate_note(struct ktstr_result *r, enum gate gate, bool is_measured);

/* Adds a detail for every gate that was asked for and never measured. */
void gates_close(struct ktstr_result *r);

#endif
