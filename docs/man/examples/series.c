// SPDX-License-Identifier: GPL-2.0-only
/* Checks in ten snapshots that a counter of the scheduler only grows. */
#include <ktstr/ktstr.h>

KTSTR_SCHEDULER(mine, .name = "mine", .binary = "scx_mine");

static int look(const struct ktstr_snapshots *all,
		struct ktstr_result *res)
{
	struct ktstr_series *s = NULL;
	int rc = ktstr_series_var(all, KTSTR_PERIODIC, "queued", &s);

	if (rc < 0)
		return rc;
	ktstr_series_nondecreasing(s, res);
	ktstr_series_rate_within(s, 1, 1e6, res);
	ktstr_series_free(s);
	return 0;
}

KTSTR_TEST(counts_on, .scheduler = &mine, .num_snapshots = 10,
	   .post_vm = look)
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS(
		{ .name = "cg_0", .workers = 4 }));
}
