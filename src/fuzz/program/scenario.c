// SPDX-License-Identifier: GPL-2.0-only
/* The test that `ktstr fuzz` runs again and again: the scenario is a file that comes with the run. */
#include <ktstr/ktstr.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "fuzz/input.h"
#include "fuzz/program/scenario.h"
#include "scenfile/scenfile.h"

/* The limits of a program that was compiled without optimisation, as reproducers are. */
#undef KTSTR_IS_RELEASE_
#define KTSTR_IS_RELEASE_ false

/* `ktstr fuzz` puts the program that it was given in its place. */
KTSTR_SCHEDULER(under_test, .name = "under_test", .binary = "scx_under_test");

KTSTR_TEST(scenario, .scheduler = &under_test, .llcs = 1, .cores = 2, .threads = 1,
	   .duration_ms = 1000, .watchdog_timeout_s = FUZZ_WATCHDOG_S,
	   .assert = { .max_spread_pct = KTSTR_OFF })
{
	_cleanup_(arena_finish) struct arena arena = {};
	struct scenfile file;
	int rc = scenfile_load(FUZZ_GUEST_SCENARIO, &arena, &file);

	return rc < 0 ? ktstr_fail(ctx, "%s", err_text(rc)) : scenfile_run(&file, ctx, res);
}
