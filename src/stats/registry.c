// SPDX-License-Identifier: GPL-2.0-only
/* The table of metrics. */
#include "stats/registry.h"

#include "check/change.h"

/* clang-format off */
#define TOTAL(member) \
	.name = #member, .run = { SOURCE_TOTAL, .offset = offsetof(struct sidecar_stats, member) }
#define MONITOR(member) .name = #member, .run = { SOURCE_MONITOR }
/* For a monitor value with another name in the record. */
#define MONITOR_AS(metric, member) .name = #metric, .run = { SOURCE_MONITOR, .name = #member }
#define KIND(which) .kind = METRIC_##which
#define GATE(...) GATE_(__VA_ARGS__) /* the first may be a macro of two values */
#define GATE_(a, r, u) .default_abs = a, .default_rel = r, .unit = u
#define HIGHER .is_higher_better = true
#define NEITHER .is_neutral = true
#define THROUGHPUT .is_throughput = true

/* The phase counterpart of a total of the run. */
#define OF_CGROUP(member) \
	.phase = { SOURCE_CGROUP, .offset = offsetof(struct sidecar_cgroup, member) }
#define OF_LATENCY(member, figure) .phase = IN_LATENCY(member, figure)
#define OF_EVENTS(member) \
	.phase = { SOURCE_EVENTS, .offset = offsetof(struct sidecar_events, member) }
/* The same location for a run and its phases. */
#define BOTH(...) .run = __VA_ARGS__, .phase = __VA_ARGS__
#define IN_LATENCY(member, which) \
	{ SOURCE_LATENCY, .offset = offsetof(struct sidecar_cgroup, member), \
	  .figure = LATENCY_##which }
#define IN_CGROUP(member, factor) \
	{ SOURCE_CGROUP, .offset = offsetof(struct sidecar_cgroup, member), .scale = factor }
#define IN_CPU(member, factor) \
	{ SOURCE_CPU, .offset = offsetof(struct sidecar_cpu, member), .scale = factor }
#define RATIO(above, below, factor) \
	{ SOURCE_CGROUP, .offset = offsetof(struct sidecar_cgroup, above), \
	  .divisor = offsetof(struct sidecar_cgroup, below), .divisor_scale = factor }

const struct registry_metric registry_metrics[] = {
	{ TOTAL(worst_spread), KIND(GAUGE_MAX), GATE(GATES_SPREAD_PCT, "%"), .outlier = "spread",
	  OF_CGROUP(spread) },
	{ TOTAL(worst_gap_ms), KIND(PEAK), GATE(GATES_GAP_MS, "ms"), .outlier = "gap_ms",
	  OF_CGROUP(gap_ms) },
	{ TOTAL(total_migrations), KIND(DELTA_SUM), GATE(GATES_MIGRATIONS, ""),
	  .outlier = "migrations", OF_CGROUP(migrations) },
	{ TOTAL(worst_migration_ratio), KIND(GAUGE_MAX), GATE(0.05, 0.2, ""),
	  .outlier = "migration_ratio", OF_CGROUP(migration_ratio) },
	{ MONITOR(max_imbalance_ratio), KIND(PEAK), GATE(1, 0.25, "x"), .outlier = "imbalance" },
	{ MONITOR(max_dsq_depth), KIND(PEAK), GATE(10, 0.5, ""), .outlier = "dsq_depth" },
	{ MONITOR_AS(avg_imbalance_ratio, mean_imbalance_ratio), KIND(GAUGE_AVG), GATE(0.5, 0.25, "x") },
	{ MONITOR_AS(avg_dsq_depth, mean_dsq_depth), KIND(GAUGE_AVG), GATE(1, 0.5, "") },
	{ MONITOR(stall_count), KIND(COUNTER), GATE(1, 0.5, ""), .outlier = "stalls" },
	{ MONITOR(total_fallback), KIND(COUNTER), GATE(5, 0.3, ""), .outlier = "fallback" },
	{ MONITOR(total_keep_last), KIND(COUNTER), GATE(5, 0.3, ""), .outlier = "keep_last" },
	{ TOTAL(worst_p99_wake_latency_us), KIND(DISTRIBUTION), GATE(GATES_P99_WAKE_US, "µs"),
	  .outlier = "worst_p99_wake_latency_us", OF_LATENCY(wakes, P99) },
	{ TOTAL(worst_median_wake_latency_us), KIND(DISTRIBUTION),
	  GATE(GATES_MEDIAN_WAKE_US, "µs"), OF_LATENCY(wakes, P50) },
	{ TOTAL(worst_wake_latency_cv), KIND(DISTRIBUTION), GATE(0.10, 0.25, ""),
	  .outlier = "worst_wake_latency_cv", OF_LATENCY(wakes, CV) },
	{ TOTAL(total_iterations), KIND(DELTA_SUM), GATE(GATES_ITERATIONS, ""), HIGHER, THROUGHPUT,
	  OF_CGROUP(iterations) },
	{ TOTAL(worst_mean_run_delay_us), KIND(DISTRIBUTION), GATE(GATES_MEAN_RUN_DELAY_US, "µs"),
	  .outlier = "worst_mean_run_delay_us", OF_CGROUP(mean_run_delay_us) },
	{ TOTAL(worst_run_delay_us), KIND(DISTRIBUTION_WORST), GATE(GATES_WORST_DELAY_US, "µs"),
	  .outlier = "worst_run_delay_us", OF_CGROUP(worst_run_delay_us) },
	{ TOTAL(worst_wake_latency_tail_ratio), KIND(DISTRIBUTION), GATE(0.5, 0.25, "x"),
	  OF_LATENCY(wakes, TAIL) },
	{ TOTAL(worst_iterations_per_worker), KIND(WORST_LOWEST), GATE(10, 0.1, ""), HIGHER,
	  THROUGHPUT, OF_CGROUP(iterations_per_worker) },
	{ TOTAL(worst_page_locality), KIND(WORST_LOWEST), GATE(0.05, 0.1, ""), HIGHER,
	  OF_CGROUP(page_locality) },
	{ TOTAL(worst_cross_node_migration_ratio), KIND(GAUGE_MAX), GATE(0.05, 0.2, ""),
	  OF_CGROUP(cross_node_migration_ratio) },
	{ TOTAL(total_wait_ms), KIND(DELTA_SUM), GATE(100, 0.25, "ms"),
	  .phase = IN_CGROUP(wait_ns, 1e-6) },
	{ TOTAL(worst_wait_us), KIND(DISTRIBUTION_WORST), GATE(GATES_WORST_WAIT_US, "µs"),
	  .outlier = "worst_wait_us", OF_CGROUP(worst_wait_us) },
	/* Waits are in power-of-two buckets: one step is -50 % or +100 %. */
	{ TOTAL(worst_p99_wait_us), KIND(DISTRIBUTION), GATE(GATES_P99_WAIT_US, "µs"),
	  OF_LATENCY(waits, P99) },
	{ TOTAL(worst_p99_wakeup_wait_us), KIND(DISTRIBUTION), GATE(1000, 0.75, "µs"),
	  OF_LATENCY(wakeup_waits, P99) },
	{ TOTAL(worst_idle_wait_pct), KIND(GAUGE_MAX), GATE(GATES_IDLE_WAIT_PCT, "%"),
	  .outlier = "worst_idle_wait_pct", OF_EVENTS(idle_wait_pct) },
	{ TOTAL(worst_system_wait_us), KIND(PEAK), GATE(5000, 0.5, "µs"),
	  .outlier = "worst_system_wait_us", OF_EVENTS(system_wait_us) },
	{ TOTAL(worst_migrations_per_s), KIND(GAUGE_MAX), GATE(50, 0.3, "1/s"),
	  .outlier = "worst_migrations_per_s", OF_EVENTS(migrations_per_s) },
	{ TOTAL(worst_share_error_pct), KIND(GAUGE_MAX), GATE(10, 0.5, "%"),
	  .outlier = "worst_share_error_pct", OF_EVENTS(share_error_pct) },
	{ TOTAL(worst_single_share_error_pct), KIND(GAUGE_MAX), GATE(15, 0.5, "%"),
	  OF_EVENTS(single_share_error_pct) },
	/* Means use exact sums, independent of buckets. */
	{ .name = "mean_wake_latency_us", KIND(GAUGE_AVG), GATE(1, 0.1, "µs"),
	  BOTH(IN_LATENCY(wakes, MEAN)) },
	{ .name = "mean_wait_us", KIND(GAUGE_AVG), GATE(1, 0.1, "µs"),
	  BOTH(IN_LATENCY(waits, MEAN)) },
	{ .name = "worst_median_wait_us", KIND(DISTRIBUTION), GATE(500, 0.75, "µs"),
	  BOTH(IN_LATENCY(waits, P50)) },
	{ .name = "worst_p90_wait_us", KIND(DISTRIBUTION), GATE(1000, 0.75, "µs"),
	  BOTH(IN_LATENCY(waits, P90)) },
	{ .name = "worst_p999_wait_us", KIND(DISTRIBUTION), GATE(2000, 0.75, "µs"),
	  BOTH(IN_LATENCY(waits, P999)) },
	{ .name = "worst_median_timer_latency_us", KIND(DISTRIBUTION), GATE(20, 0.25, "µs"),
	  BOTH(IN_LATENCY(timers, P50)) },
	{ .name = "worst_p99_timer_latency_us", KIND(DISTRIBUTION), GATE(50, 0.25, "µs"),
	  BOTH(IN_LATENCY(timers, P99)) },
	{ .name = "worst_p999_timer_latency_us", KIND(DISTRIBUTION), GATE(100, 0.5, "µs"),
	  BOTH(IN_LATENCY(timers, P999)) },
	{ .name = "worst_timer_latency_us", KIND(DISTRIBUTION_WORST), GATE(500, 0.5, "µs"),
	  BOTH(IN_LATENCY(timers, MAX)) },
	{ .name = "total_idle_wait_ms", KIND(DELTA_SUM), GATE(50, 0.5, "ms"),
	  BOTH(IN_CPU(idle_wait_ns, 1e-6)) },
	{ .name = "longest_idle_wait_us", KIND(PEAK), GATE(5000, 0.5, "µs"),
	  BOTH(IN_CPU(longest_idle_wait_ns, 1e-3)) },
	/* A CPU without work is idle and picks nobody: which is better depends on the test. */
	{ .name = "longest_unpicked_us", KIND(PEAK), GATE(100000, 0.5, "µs"), NEITHER,
	  BOTH(IN_CPU(longest_unpicked_ns, 1e-3)) },
	{ .name = "total_busy_ms", KIND(DELTA_SUM), GATE(GATES_CPU_TIME_MS, "ms"), NEITHER,
	  THROUGHPUT, BOTH(IN_CPU(busy_ns, 1e-6)) },
	{ .name = "total_idle_ms", KIND(DELTA_SUM), GATE(GATES_CPU_TIME_MS, "ms"), NEITHER,
	  THROUGHPUT, BOTH(IN_CPU(idle_ns, 1e-6)) },
	{ .name = "total_cpu_time_ms", KIND(DELTA_SUM), GATE(GATES_CPU_TIME_MS, "ms"), NEITHER,
	  THROUGHPUT, BOTH(IN_CGROUP(cpu_time_ns, 1e-6)) },
	{ .name = "iteration_rate", KIND(RATE), GATE(1, 0.3, "iter/s"), HIGHER, THROUGHPUT,
	  BOTH(RATIO(iterations, wall_time_ns, 1e-9)) },
	{ .name = "iterations_per_cpu_sec", KIND(RATE), GATE(1, 0.1, "iter/s"), HIGHER, THROUGHPUT,
	  BOTH(RATIO(iterations, cpu_time_ns, 1e-9)) },
	{ .name = "bpf_ns_per_call", KIND(RATE), GATE(20, 0.1, "ns"), .run = { SOURCE_CALLBACKS } },
	{ .name = "total_verified_insns", KIND(GAUGE_LAST), GATE(500, 0.1, ""),
	  .run = { SOURCE_VERIFIED } },
	{}
};
/* clang-format on */

const size_t registry_count = ARRAY_SIZE(registry_metrics) - 1;

const char *registry_polarity(const struct registry_metric *m)
{
	return m->is_neutral ? "neither" : m->is_higher_better ? "higher" : "lower";
}

void registry_add_sim_note(struct str *out)
{
	const char *separator = "sim cannot judge";

	for (size_t i = 0; i < registry_count; i++) {
		if (!registry_metrics[i].is_throughput)
			continue;
		str_addf(out, "%s %s", separator, registry_metrics[i].name);
		separator = ",";
	}
	str_add(out, ": an idle CPU costs nothing there\n");
}

const struct registry_metric *registry_find(const char *name)
{
	return array_find(registry_metrics, registry_count, name, name);
}

int registry_require(const char *name)
{
	const char *names[ARRAY_SIZE(registry_metrics)];
	const char *closest;

	if (registry_find(name))
		return 0;
	for (size_t i = 0; i < registry_count; i++)
		names[i] = registry_metrics[i].name;
	closest = text_closest(name, names, registry_count);
	if (closest)
		return err_set(EINVAL, "unknown metric '%s'; did you mean '%s'?", name, closest);
	return err_set(EINVAL, "unknown metric '%s'; 'stats list-metrics' shows them", name);
}

bool registry_reading(const struct registry_metric *m, const struct sidecar *s,
		      struct metric_reading *to)
{
	return source_read_run(&m->run, m->kind, m->name, s, to);
}

bool registry_value(const struct registry_metric *m, const struct sidecar *s, double *value)
{
	struct metric_reading r;

	if (!registry_reading(m, s, &r))
		return false;
	*value = reading_value(m->kind, &r);
	return true;
}
