// SPDX-License-Identifier: GPL-2.0-only
/* Checks a counter of the scheduler on the host. */
#include <ktstr/ktstr.h>

KTSTR_SCHEDULER(mine, .name = "mine", .binary = "scx_mine");

static int look(const struct ktstr_snapshots *all,
		struct ktstr_result *res)
{
	const struct ktstr_snapshot *s = ktstr_snapshot_named(all, "end");
	const struct ktstr_value *stats = ktstr_snapshot_var(s, "stats");
	uint64_t lost;
	int rc = ktstr_value_u64(stats, "lost", &lost);

	if (rc < 0)
		return rc;
	if (lost)
		ktstr_result_fail(res, "tasks were lost");
	return KTSTR_PASSED;
}

KTSTR_TEST(loses_nobody, .scheduler = &mine, .post_vm = look)
{
	return ktstr_run_steps(ctx, res, KTSTR_STEPS(
		{ .defs = KTSTR_CGROUPS({ .name = "cg_0" }),
		  .hold = KTSTR_FRAC(0.9) },
		{ .ops = KTSTR_OPS(KTSTR_CAPTURE_SNAPSHOT("end")),
		  .hold = KTSTR_FRAC(0.1) }));
}
