// SPDX-License-Identifier: GPL-2.0-only
/* Disables one check and sets one limit to zero. */
#include <ktstr/ktstr.h>

KTSTR_TEST(never_migrates, .cores = 2,
	.assert = {
		.max_spread_pct = KTSTR_OFF,
		.max_migration_ratio = KTSTR_ZERO,
	})
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS({
		.name = "one",
		.workers = 1,
		.affinity = KTSTR_PIN_SINGLE_CPU,
	}));
}
