// SPDX-License-Identifier: GPL-2.0-only
/* Two tests with ready-made bodies. */
#include <ktstr/ktstr.h>

KTSTR_TEST(steady_llc, .llcs = 2, .cores = 2)
{
	return ktstr_scn_steady_llc(ctx, res);
}

KTSTR_TEST(cpusets_resized, .cores = 8)
{
	return ktstr_scn_cpuset_resize(ctx, res);
}
