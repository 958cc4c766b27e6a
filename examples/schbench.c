// SPDX-License-Identifier: GPL-2.0-only
/* A program that is not ours as the workload: its numbers become metrics. */
#include <ktstr/ktstr.h>

KTSTR_SCHEDULER(my_sched,
	.name = "my_sched",
	.binary = "scx_my_sched",
	.topology = KTSTR_TOPO(1, 2, 4, 1));

KTSTR_PAYLOAD(schbench,
	.binary = "schbench",
	.args = KTSTR_ARGS("--runtime", "5", "--message-threads", "2"),
	.output = KTSTR_OUT_TEXT,
	.checks = KTSTR_CHECKS(KTSTR_EXIT_EQ(0)));

KTSTR_TEST(schbench_under_my_sched, .scheduler = &my_sched, .payload = &schbench)
{
	struct ktstr_metrics m = {};
	int rc = ktstr_payload_run(ctx, &schbench, NULL, res, &m);

	ktstr_metrics_free(&m);
	return rc;
}

/* The same without a scheduler of ours and with a program that every perf has. */
KTSTR_PAYLOAD(messaging,
	.binary = "perf",
	.name = "hackbench",
	.args = KTSTR_ARGS("bench", "sched", "messaging", "-g", "2"),
	.output = KTSTR_OUT_TEXT,
	.metrics = KTSTR_METRICS({ .name = "time_s", .polarity = KTSTR_LOWER_BETTER, .unit = "s" }),
	.checks = KTSTR_CHECKS(KTSTR_EXIT_EQ(0)));

KTSTR_TEST(messaging_under_eevdf, .cores = 4, .payload = &messaging)
{
	return ktstr_payload_run(ctx, &messaging, NULL, res, NULL);
}
