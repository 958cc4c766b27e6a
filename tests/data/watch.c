// SPDX-License-Identifier: GPL-2.0-only
/* Queues of known length, and the guest's own count of switches beside them. */
#include <stdio.h>

#include <ktstr/ktstr.h>

KTSTR_SCHEDULER(scx_ktstr, .name = "scx_ktstr", .binary = "scx-ktstr",
		.topology = KTSTR_TOPO(1, 1, 2, 1));

static double switches(void)
{
	unsigned long long count = 0;
	char line[4096];
	FILE *f = fopen("/proc/stat", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "ctxt %llu", &count) == 1)
			break;
	if (f)
		fclose(f);
	return (double)count;
}

static int run_queues(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	double before = switches();
	int rc = ktstr_run_defs(
		ctx, res,
		KTSTR_CGROUPS({ .name = "long", .workers = 3, .cpuset = KTSTR_EXACT("0") },
			      { .name = "short", .workers = 1, .cpuset = KTSTR_EXACT("1") }));

	ktstr_result_metric(res, "switches", switches() - before, KTSTR_LOWER_BETTER, NULL);
	return rc;
}

KTSTR_TEST(thrown_out, .scheduler = &scx_ktstr, .duration_ms = 2000,
	   .extra_sched_args = KTSTR_ARGS("--error-after", "1"))
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS({ .name = "busy", .workers = 5 }));
}

KTSTR_TEST(stalls, .scheduler = &scx_ktstr, .duration_ms = 4000, .watchdog_timeout_s = 2,
	   .auto_repro = KTSTR_OFF, .extra_sched_args = KTSTR_ARGS("--drop-task"))
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS({ .name = "busy", .workers = 3 }));
}

KTSTR_TEST(queues, .scheduler = &scx_ktstr, .duration_ms = 1500)
{
	return run_queues(ctx, res);
}

KTSTR_TEST(strict, .scheduler = &scx_ktstr, .duration_ms = 1500,
	   .assert = { .max_imbalance_ratio = 1.5, .sustained_samples = 1 })
{
	return run_queues(ctx, res);
}
