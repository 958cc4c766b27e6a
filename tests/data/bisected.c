// SPDX-License-Identifier: GPL-2.0-only
/* Tests that fail from some kernel, or from some scheduler, on. */
#include <stdlib.h>
#include <sys/utsname.h>

#include <ktstr/ktstr.h>

/* A program of the test's own: one that misbehaves may start scx-ktstr with a fault. */
KTSTR_SCHEDULER(versioned, .name = "versioned", .binary = "scx-versioned",
		.topology = KTSTR_TOPO(1, 1, 2, 1));

KTSTR_TEST(kernel_is_older_than_7, .llcs = 1, .cores = 2, .threads = 1)
{
	struct utsname name;

	(void)ctx;
	uname(&name);
	if (atoi(name.release) >= 7)
		ktstr_result_fail(res, "this kernel is new");
	else
		ktstr_result_pass(res);
	return 0;
}

KTSTR_TEST(scheduler_lives, .scheduler = &versioned, .duration_ms = 50,
	   .extra_include_files = KTSTR_ARGS("scx-ktstr"))
{
	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS({ .name = "spin", .workers = 2 }));
}
