// SPDX-License-Identifier: GPL-2.0-only
/* The output of benchmarks, line by line. */
#include "payload/metrics.h"

/* schbench's names are those of its JSON, so that a check works for both. */
#define PERCENTILE "int.$_pct~"
#define RUNTIME "int.runtime"

/* Rows are easier to read packed than with one field per line. */
/* clang-format off */
const struct text_row text_rows[] = {
	{ "schbench", "Wakeup Latencies percentiles (usec) runtime % (s)", "wakeup_latency",
	  .names = { RUNTIME } },
	{ "schbench", "Request Latencies percentiles (usec) runtime % (s)", "request_latency",
	  .names = { RUNTIME } },
	{ "schbench", "RPS percentiles (requests) runtime % (s)", "rps", .names = { RUNTIME } },
	/* Until 2023 it measured one latency, and until 2020 without the time. */
	{ "schbench", "Latency percentiles (usec) runtime % (s)", "latency", .names = { RUNTIME } },
	{ "schbench", "Latency percentiles (usec)", "latency" },
	{ "schbench", "%th: %", .follows = true, .names = { NULL, PERCENTILE } },
	{ "schbench", "* %th: %", .follows = true, .names = { NULL, PERCENTILE } },
	{ "schbench", "min=%, max=%", .follows = true, .names = { "int.$_min", "int.$_max" } },
	{ "schbench", "sched delay: message % (usec) worker % (usec)", .follows = true,
	  .names = { "sched_delay_msg_us", "sched_delay_worker_us" } },
	{ "schbench", "avg worker transfer: % ops/sec", .names = { "transfers_per_s" } },
	/* The scheduling delay in the final report is that of threads that have ended: always 0. */
	{ "schbench", "average rps: %", .follows = true, .is_last = true,
	  .names = { "average_rps" } },
	{ "schbench", "final rps goal was %", .follows = true, .is_last = true,
	  .names = { "rps_goal" } },

	{ "hackbench", "Running in @ mode with % groups", "hackbench" },
	{ "hackbench", "Time: %", .follows = true, .names = { "time_s" } },

	{ "perf bench", "# Running 'sched/@' benchmark:", "perf" },
	{ "perf bench", "Total time: % [sec]", .follows = true, .names = { "time_s" } },
	{ "perf bench", "% usecs/op", .follows = true, .names = { "us_per_op" } },
	{ "perf bench", "% ops/sec", .follows = true, .names = { "ops_per_s" } },

	{ "stress-ng", "stress-ng: metrc: [%] @ % % % % % %",
	  .names = { NULL, "@.bogo_ops", "@.real_s", "@.user_s", "@.system_s",
		     "@.bogo_ops_per_s", "@.bogo_ops_per_cpu_s" } },

	{ "sysbench", "sysbench 1.", "sysbench" },
	{ "sysbench", "events per second: %", .follows = true, .names = { "events_per_s" } },
	{ "sysbench", "Total operations: % (% per second)", .follows = true,
	  .names = { NULL, "events_per_s" } },
	{ "sysbench", "% MiB transferred (% MiB/sec)", .follows = true,
	  .names = { NULL, "mib_per_s" } },
	{ "sysbench", "total time: %s", .follows = true, .names = { "time_s" } },
	{ "sysbench", "total number of events: %", .follows = true, .names = { "events" } },
	{ "sysbench", "min: %", .follows = true, .names = { "latency_ms.min" } },
	{ "sysbench", "avg: %", .follows = true, .names = { "latency_ms.avg" } },
	{ "sysbench", "max: %", .follows = true, .names = { "latency_ms.max" } },
	{ "sysbench", "%th percentile: %", .follows = true, .names = { NULL, "latency_ms.pct#" } },
	{ "sysbench", "events (avg/stddev): %/%", .follows = true,
	  .names = { "fairness.events.avg", "fairness.events.stddev" } },
	{ "sysbench", "execution time (avg/stddev): %/%", .follows = true,
	  .names = { "fairness.time_s.avg", "fairness.time_s.stddev" } },

	/* Names as in its JSON. The unit depends on its options. */
	{ "cyclictest", "T: % (%) P: % I: % C: % Min: % Act: % Avg: % Max: %",
	  .names = { [5] = "thread.#.min", [7] = "thread.#.avg", [8] = "thread.#.max" } },
	{}
};

/*
 * The figures that are commonly quoted. The others are reported, and compared only if a
 * payload says what is better.
 */
const struct ktstr_metric_hint text_quoted[] = {
	{ .name = "int.wakeup_latency_pct99.0", .polarity = KTSTR_LOWER_BETTER, .unit = "us" },
	{ .name = "int.request_latency_pct99.0", .polarity = KTSTR_LOWER_BETTER, .unit = "us" },
	{ .name = "int.latency_pct99.0", .polarity = KTSTR_LOWER_BETTER, .unit = "us" },
	{ .name = "int.rps_pct50.0", .polarity = KTSTR_HIGHER_BETTER, .unit = "req/s" },
	{ .name = "average_rps", .polarity = KTSTR_HIGHER_BETTER, .unit = "req/s" },
	{ .name = "transfers_per_s", .polarity = KTSTR_HIGHER_BETTER, .unit = "ops/s" },
	{ .name = "time_s", .polarity = KTSTR_LOWER_BETTER, .unit = "s" },
	{ .name = "us_per_op", .polarity = KTSTR_LOWER_BETTER, .unit = "us" },
	{ .name = "ops_per_s", .polarity = KTSTR_HIGHER_BETTER, .unit = "ops/s" },
	{ .name = "*.bogo_ops_per_s", .polarity = KTSTR_HIGHER_BETTER, .unit = "ops/s" },
	{ .name = "events_per_s", .polarity = KTSTR_HIGHER_BETTER, .unit = "events/s" },
	{ .name = "mib_per_s", .polarity = KTSTR_HIGHER_BETTER, .unit = "MiB/s" },
	{ .name = "latency_ms.avg", .polarity = KTSTR_LOWER_BETTER, .unit = "ms" },
	{ .name = "latency_ms.pct95", .polarity = KTSTR_LOWER_BETTER, .unit = "ms" },
	{ .name = "thread.*.avg", .polarity = KTSTR_LOWER_BETTER },
	{ .name = "thread.*.max", .polarity = KTSTR_LOWER_BETTER },
	{}
};
/* clang-format on */
