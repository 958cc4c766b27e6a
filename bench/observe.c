// SPDX-License-Identifier: GPL-2.0-only
/* For bench-observe: hackbench with and without the observer of scheduling events. */
#include <stdio.h>
#include <sys/resource.h>

#include <ktstr/ktstr.h>

KTSTR_PAYLOAD(hackbench, .binary = "hackbench", .args = KTSTR_ARGS("-p", "-g", "2", "-l", "400"),
	      .checks = KTSTR_CHECKS(KTSTR_EXIT_EQ(0)));

/* CPU time of the payload and all of its processes, which have ended by then. */
static int measure(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	int rc = ktstr_payload_run(ctx, &hackbench, NULL, res, NULL);
	struct rusage used;

	getrusage(RUSAGE_CHILDREN, &used);
	printf("cpu_s=%.6f\n", (double)used.ru_utime.tv_sec + (double)used.ru_utime.tv_usec / 1e6 +
				       (double)used.ru_stime.tv_sec +
				       (double)used.ru_stime.tv_usec / 1e6);
	return rc;
}

KTSTR_TEST(observed, .cores = 1, .payload = &hackbench)
{
	return measure(ctx, res);
}

KTSTR_TEST(unobserved, .cores = 1, .payload = &hackbench, .observe = KTSTR_OFF)
{
	return measure(ctx, res);
}
