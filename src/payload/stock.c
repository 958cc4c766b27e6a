// SPDX-License-Identifier: GPL-2.0-only
/* Declarations of well-known benchmarks, so that a test needs one word for each. */
#include <ktstr/ktstr.h>

static const struct ktstr_check exit_zero[] = { KTSTR_EXIT_EQ(0), {} };

/* clang-format off */
static const char *const schbench_args[] = { "--runtime", "5", "--message-threads", "2", NULL };
static const char *const schbench_json_args[] = { "--runtime", "5", "--message-threads", "2",
						  "--json", "-", NULL };
static const struct ktstr_metric_hint schbench_metrics[] = {
	{ .name = "int.rps_pct50.0", .polarity = KTSTR_HIGHER_BETTER, .unit = "req/s" },
	{ .name = "int.wakeup_latency_pct99.0", .polarity = KTSTR_LOWER_BETTER, .unit = "us" },
	{ .name = "int.request_latency_pct99.0", .polarity = KTSTR_LOWER_BETTER, .unit = "us" },
	{ .name = "average_rps", .polarity = KTSTR_HIGHER_BETTER, .unit = "req/s" },
	{}
};

static const char *const fio_json_args[] = { "--output-format=json", NULL };
static const struct ktstr_metric_hint fio_metrics[] = {
	{ .name = "jobs.0.read.iops", .polarity = KTSTR_HIGHER_BETTER, .unit = "iops" },
	{ .name = "jobs.0.write.iops", .polarity = KTSTR_HIGHER_BETTER, .unit = "iops" },
	{ .name = "jobs.0.read.lat_ns.mean", .polarity = KTSTR_LOWER_BETTER, .unit = "ns" },
	{ .name = "jobs.0.write.lat_ns.mean", .polarity = KTSTR_LOWER_BETTER, .unit = "ns" },
	{}
};

const struct ktstr_payload ktstr_schbench = {
	.binary = "schbench", .output = KTSTR_OUT_TEXT, .args = schbench_args, .checks = exit_zero,
	.metrics = schbench_metrics,
};

const struct ktstr_payload ktstr_schbench_hinted = {
	.binary = "schbench", .name = "schbench_hinted", .output = KTSTR_OUT_LLM,
	.hint = "the percentiles of the wakeup latency", .args = schbench_args, .checks = exit_zero,
	.metrics = schbench_metrics,
};

const struct ktstr_payload ktstr_schbench_json = {
	.binary = "schbench", .name = "schbench_json", .output = KTSTR_OUT_JSON,
	.args = schbench_json_args, .checks = exit_zero, .metrics = schbench_metrics,
};

const struct ktstr_payload ktstr_fio = {
	.binary = "fio", .output = KTSTR_OUT_JSON, .checks = exit_zero, .metrics = fio_metrics,
};

const struct ktstr_payload ktstr_fio_json = {
	.binary = "fio", .name = "fio_json", .output = KTSTR_OUT_JSON, .args = fio_json_args,
	.checks = exit_zero, .metrics = fio_metrics,
};

const struct ktstr_payload ktstr_stress_ng = {
	.binary = "stress-ng", .output = KTSTR_OUT_TEXT, .checks = exit_zero,
};

static const char *const sysbench_args[] = { "--time=5", "cpu", "run", NULL };
static const struct ktstr_metric_hint sysbench_metrics[] = {
	{ .name = "events_per_s", .polarity = KTSTR_HIGHER_BETTER, .unit = "events/s" },
	{ .name = "latency_ms.avg", .polarity = KTSTR_LOWER_BETTER, .unit = "ms" },
	{ .name = "latency_ms.pct95", .polarity = KTSTR_LOWER_BETTER, .unit = "ms" },
	{ .name = "fairness.events.stddev", .polarity = KTSTR_LOWER_BETTER, .unit = "events" },
	{}
};

const struct ktstr_payload ktstr_sysbench = {
	.binary = "sysbench", .output = KTSTR_OUT_TEXT, .args = sysbench_args, .checks = exit_zero,
	.metrics = sysbench_metrics,
};
/* clang-format on */
