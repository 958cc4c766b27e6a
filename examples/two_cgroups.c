// SPDX-License-Identifier: GPL-2.0-only
/* The first test: two cgroups of two workers each, on two CPUs, under EEVDF. */
#include <ktstr/ktstr.h>

KTSTR_TEST(two_cgroups, .llcs = 1, .cores = 2, .threads = 1)
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS(
		{ .name = "cg_0", .workers = 2 },
		{ .name = "cg_1", .workers = 2 }));
}
