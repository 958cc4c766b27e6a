// SPDX-License-Identifier: GPL-2.0-only
/* Work that the library does not have: any loop that tells of its progress. */
#include <ktstr/ktstr.h>

static void collatz(struct ktstr_worker *w, void *arg)
{
	uint64_t limit = *(const uint64_t *)arg;

	while (!ktstr_worker_should_stop(w)) {
		uint64_t n = ktstr_worker_random(w) % limit + 1, steps = 0;

		for (; n != 1; steps++)
			n = n % 2 ? 3 * n + 1 : n / 2;
		ktstr_worker_did(w, steps + 1);
	}
}

KTSTR_TEST(custom_work, .cores = 2)
{
	static uint64_t limit = 1000000;

	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS(
		{ .name = "collatz", .workers = 2,
		  .work_type = KTSTR_CUSTOM("collatz", collatz, &limit) }));
}
