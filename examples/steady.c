// SPDX-License-Identifier: GPL-2.0-only
/* Ready-made bodies save even the five lines. */
#include <ktstr/ktstr.h>

KTSTR_TEST(steady, .cores = 2)
{
	return ktstr_scn_steady(ctx, res);
}

KTSTR_TEST(steady_llc, .llcs = 2, .cores = 2)
{
	return ktstr_scn_steady_llc(ctx, res);
}

KTSTR_TEST(task_moves, .cores = 2)
{
	return ktstr_scn_nested_task_move(ctx, res);
}
