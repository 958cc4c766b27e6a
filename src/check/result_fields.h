/* SPDX-License-Identifier: GPL-2.0-only */
/* The members of a result as tables of JSON fields: for records, and for freeing results. */
#ifndef KTSTR_CHECK_RESULT_FIELDS_H
#define KTSTR_CHECK_RESULT_FIELDS_H

#include "base/json_fields.h"
#include "check/result.h"

/* clang-format off */
/*
 * Figures of results that records have too, in the order of records: member and kind, IF() with the
 * bool that says whether there is a value, AS() after its other name in records. Records contain
 * each as a number that may be unknown.
 */
#define CGROUP_FIGURES(X, IF, AS) \
	X(workers, U32) X(cpus, U32) \
	IF(min_off_cpu_pct, DOUBLE, has_off_cpu) IF(max_off_cpu_pct, DOUBLE, has_off_cpu) \
	IF(mean_off_cpu_pct, DOUBLE, has_off_cpu) AS(spread, spread_pct, DOUBLE, has_off_cpu) \
	X(gap_ms, U64) X(gap_cpu, INT) X(migrations, U64) X(migration_ratio, DOUBLE) \
	X(iterations, U64) X(work_units, U64) X(iterations_per_worker, DOUBLE) \
	IF(mean_run_delay_us, DOUBLE, has_run_delay) IF(worst_run_delay_us, DOUBLE, has_run_delay) \
	AS(run_delay_spread, run_delay_spread_pct, DOUBLE, has_run_delay) \
	IF(page_locality, DOUBLE, has_page_locality) \
	IF(cross_node_migration_ratio, DOUBLE, has_page_locality) \
	X(cpu_time_ns, U64) X(wall_time_ns, U64) \
	IF(wait_ns, U64, has_events) IF(worst_wait_us, DOUBLE, has_events) \
	IF(worst_wait_at_ms, U64, has_events) IF(worst_wait_cpu, INT, has_events) \
	IF(worst_wait_tid, INT, has_events)
/* Histograms in results, latencies in records. */
#define CGROUP_LATENCIES(X, IF) \
	X(wakes) X(timers) IF(waits, has_events) IF(wakeup_waits, has_events)

#define CPU_FIGURES(X, IF) \
	X(cpu, U32) X(busy_ns, U64) X(idle_ns, U64) IF(idle_wait_ns, U64, has_idle_wait) \
	IF(longest_idle_wait_ns, U64, has_idle_wait) X(picks, U64) \
	IF(longest_unpicked_ns, U64, has_idle_wait)

#define TASK_FIGURES(X, IF) \
	X(tid, INT) IF(run_ns, U64, has_counts) IF(wait_ns, U64, has_counts) \
	IF(runs, U64, has_counts) IF(wakeups, U64, has_counts) IF(migrations, U64, has_counts) \
	IF(wakeup_waits, U64, has_counts) IF(wakeup_wait_ns, U64, has_counts) \
	IF(worst_wakeup_wait_ns, U64, has_counts) \
	IF(worst_wait_ns, U64, has_wait) IF(worst_wait_at_ms, U64, has_wait) \
	IF(worst_wait_cpu, INT, has_wait) IF(worst_wait_by_tid, INT, has_wait_by) \
	IF(worst_wait_rt_ns, U64, has_wait_by) \
	IF(idle_waits, U64, has_counts) IF(idle_wait_ns, U64, has_counts) \
	IF(longest_idle_wait_ns, U64, has_idle_wait) IF(longest_idle_wait_at_ms, U64, has_idle_wait) \
	IF(longest_idle_wait_cpu, INT, has_idle_wait)

#define TASK_HISTOGRAMS(X) X(wait_histogram) X(wakeup_wait_histogram)

#define EVENTS_FIGURES(X, IF) \
	X(observed_ns, U64) X(lost_events, U64) X(migrations_per_s, DOUBLE) \
	IF(share_error_pct, DOUBLE, has_shares) IF(single_share_error_pct, DOUBLE, has_shares)

/* A stimulus, in which results and records have different names for the step. */
#define STIMULUS_FIELDS(step_name) \
	JSON_FIELD(stimulus, elapsed_ms, U32), \
	JSON_NAMED(step_name, stimulus, step, U16, .from = "step"), \
	JSON_FIELD(stimulus, op_count, U16), \
	JSON_FIELD(stimulus, op_kinds, U32), \
	JSON_FIELD(stimulus, cgroup_count, U16), \
	JSON_FIELD(stimulus, worker_count, U16), \
	JSON_FIELD(stimulus, total_iterations, U64)
/* clang-format on */

extern const struct json_field result_fields[];
extern const struct json_field result_phase_fields[];
extern const struct json_field result_metric_fields[];
/* Of struct ktstr_perf_delta: how much worse a test's own figures may become. */
extern const struct json_field perf_delta_fields[];

extern const char *const detail_kind_words[];
extern const char *const polarity_words[];

extern const struct json_own verdict_own;   /* enum ktstr_verdict */
extern const struct json_own cpus_own;	    /* struct worker_cpus, as "0-3,7" */
extern const struct json_own histogram_own; /* struct histogram */
extern const struct json_own nice_own;	    /* uint64_t by nice value */
extern const struct json_own wait_buckets_own;
extern const struct json_own work_own; /* bits by enum ktstr_work_kind */

void result_put_percentiles(struct json *j, const struct latency *l);

#endif
