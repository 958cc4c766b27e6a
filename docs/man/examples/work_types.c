// SPDX-License-Identifier: GPL-2.0-only
/* A custom work type beside two work types of the library. */
#include <ktstr/ktstr.h>

static void count_bits(struct ktstr_worker *w, void *arg)
{
	const unsigned int *times = arg;
	volatile int bits = 0;

	while (!ktstr_worker_should_stop(w)) {
		for (unsigned int i = 0; i < *times; i++)
			bits += ktstr_worker_random(w) & 1;
		ktstr_worker_did(w, *times);
	}
}

KTSTR_TEST(three_kinds, .cores = 4)
{
	static unsigned int times = 1000;

	return ktstr_run_defs(ctx, res, KTSTR_CGROUPS(
		{ .name = "bits",
		  .work_type = KTSTR_CUSTOM("bits", count_bits, &times) },
		{ .name = "pairs",
		  .work_type = KTSTR_FUTEX_PING_PONG(0) },
		{ .name = "phases",
		  .work_type = KTSTR_SEQUENCE({ KTSTR_PHASE_SPIN, 500 },
			{ KTSTR_PHASE_SLEEP, 1500 }) }));
}
