// SPDX-License-Identifier: GPL-2.0-only
/* Runs schbench for 10 s, and kills it after a minute. */
#include <ktstr/ktstr.h>

KTSTR_TEST(schbench_by_hand, .cores = 4, .duration_s = 20,
	.payload = &ktstr_schbench)
{
	const struct ktstr_payload_options options = {
		.clear_args = true,
		.extra_args = KTSTR_ARGS("--runtime", "10"),
		.timeout_ms = 60 * 1000,
	};
	struct ktstr_payload_run *run = NULL;
	struct ktstr_metrics m = {};
	int rc;

	rc = ktstr_payload_spawn(ctx, &ktstr_schbench, &options, &run);
	if (rc == 0)
		rc = ktstr_payload_wait(run, res, &m);
	ktstr_metrics_free(&m);
	return rc;
}
