// SPDX-License-Identifier: GPL-2.0-only
/* The table of metrics. */
#include "stats/registry.h"

#include "base/util.h"
#include "check/change.h"

/* clang-format off */
#define STAT(member) .name = #member, .offset = offsetof(struct sidecar_stats, member)
#define MONITOR(member) .name = #member, .is_monitor = true
#define GATE(...) GATE_(__VA_ARGS__) /* the first may be of change.h, and is two */
#define GATE_(a, r, u) .default_abs = a, .default_rel = r, .unit = u

const struct registry_metric registry_metrics[] = {
	{ STAT(worst_spread), GATE(GATES_SPREAD_PCT, "%"), .outlier = "spread" },
	{ STAT(worst_gap_ms), GATE(GATES_GAP_MS, "ms"), .outlier = "gap_ms" },
	{ STAT(total_migrations), GATE(GATES_MIGRATIONS, ""), .outlier = "migrations" },
	{ STAT(worst_migration_ratio), GATE(0.05, 0.2, ""), .outlier = "migration_ratio" },
	{ MONITOR(max_imbalance_ratio), GATE(1, 0.25, "x"), .outlier = "imbalance" },
	{ MONITOR(max_dsq_depth), GATE(10, 0.5, ""), .outlier = "dsq_depth" },
	{ MONITOR(stall_count), GATE(1, 0.5, ""), .outlier = "stalls" },
	{ MONITOR(total_fallback), GATE(5, 0.3, ""), .outlier = "fallback" },
	{ MONITOR(total_keep_last), GATE(5, 0.3, ""), .outlier = "keep_last" },
	{ STAT(worst_p99_wake_latency_us), GATE(GATES_P99_WAKE_US, "µs"),
	  .outlier = "worst_p99_wake_latency_us" },
	{ STAT(worst_median_wake_latency_us), GATE(GATES_MEDIAN_WAKE_US, "µs") },
	{ STAT(worst_wake_latency_cv), GATE(0.10, 0.25, ""), .outlier = "worst_wake_latency_cv" },
	{ STAT(total_iterations), GATE(GATES_ITERATIONS, ""), .is_higher_better = true,
	  .is_throughput = true },
	{ STAT(worst_mean_run_delay_us), GATE(GATES_MEAN_RUN_DELAY_US, "µs"),
	  .outlier = "worst_mean_run_delay_us" },
	{ STAT(worst_run_delay_us), GATE(GATES_WORST_DELAY_US, "µs"), .outlier = "worst_run_delay_us" },
	{ STAT(worst_wake_latency_tail_ratio), GATE(0.5, 0.25, "x") },
	{ STAT(worst_iterations_per_worker), GATE(10, 0.1, ""), .is_higher_better = true,
	  .is_throughput = true },
	{ STAT(worst_page_locality), GATE(0.05, 0.1, ""), .is_higher_better = true },
	{ STAT(worst_cross_node_migration_ratio), GATE(0.05, 0.2, "") },
	{ STAT(total_wait_ms), GATE(100, 0.25, "ms") },
	{ STAT(worst_wait_us), GATE(GATES_WORST_WAIT_US, "µs"), .outlier = "worst_wait_us" },
	/* Waits are counted by powers of two: one step is -50 % or +100 %. */
	{ STAT(worst_p99_wait_us), GATE(GATES_P99_WAIT_US, "µs") },
	{ STAT(worst_p99_wakeup_wait_us), GATE(1000, 0.75, "µs") },
	{ STAT(worst_idle_wait_pct), GATE(GATES_IDLE_WAIT_PCT, "%"), .outlier = "worst_idle_wait_pct" },
	{ STAT(worst_system_wait_us), GATE(5000, 0.5, "µs"), .outlier = "worst_system_wait_us" },
	{ STAT(worst_migrations_per_s), GATE(50, 0.3, "1/s"),
	  .outlier = "worst_migrations_per_s" },
	{ STAT(worst_share_error_pct), GATE(10, 0.5, "%"), .outlier = "worst_share_error_pct" },
	{ STAT(worst_single_share_error_pct), GATE(15, 0.5, "%") },
	{}
};
/* clang-format on */

const size_t registry_count = ARRAY_SIZE(registry_metrics) - 1;

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
	for (size_t i = 0; i < registry_count; i++)
		if (str_eq(registry_metrics[i].name, name))
			return &registry_metrics[i];
	return NULL;
}

static bool monitor_value(const struct sidecar *s, const char *name, double *value)
{
	const struct sidecar_pairs *pairs = &s->monitor.numbers;

	for (size_t i = 0; s->monitor.is_known && i < pairs->count; i++) {
		if (!str_eq(pairs->items[i].name, name))
			continue;
		*value = pairs->items[i].value;
		return true;
	}
	return false;
}

bool registry_value(const struct registry_metric *m, const struct sidecar *s, double *value)
{
	const struct sidecar_number *n;

	if (m->is_monitor)
		return monitor_value(s, m->name, value);
	n = (const struct sidecar_number *)((const char *)&s->stats + m->offset);
	*value = n->value;
	return n->is_known;
}
