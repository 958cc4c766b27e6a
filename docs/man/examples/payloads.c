// SPDX-License-Identifier: GPL-2.0-only
/* Copies a fio job to the guest and checks a metric of its output. */
#include <ktstr/ktstr.h>

KTSTR_PAYLOAD(fio,
	.binary = "fio",
	.output = KTSTR_OUT_JSON,
	.args = KTSTR_ARGS("--output-format=json", "/include-files/job.fio"),
	.include_files = KTSTR_ARGS("./job.fio"),
	.metrics = KTSTR_METRICS({
		.name = "jobs.0.read.iops",
		.polarity = KTSTR_HIGHER_BETTER,
		.unit = "iops",
	}),
	.checks = KTSTR_CHECKS(
		KTSTR_EXIT_EQ(0),
		KTSTR_MIN("jobs.0.read.iops", 1000)));

KTSTR_TEST(fio_reads, .cores = 2, .payload = &fio)
{
	return ktstr_payload_run(ctx, &fio, NULL, res, NULL);
}
