/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples of a guest with two CPUs. */
#ifndef KTSTR_TESTS_SERIES_FIXTURE_H
#define KTSTR_TESTS_SERIES_FIXTURE_H

#include "unit.h"
#include "watch/parts.h"

/* One at that time, with so many runnable tasks on each. */
static void add_sample(struct series *s, uint64_t ms, uint32_t first, uint32_t second)
{
	struct cpu_sample cpus[] = {
		{ .is_known = true, .has_scx = true, .nr_running = first, .clock_ns = ms + 1 },
		{ .is_known = true,
		  .has_scx = true,
		  .nr_running = second,
		  .local_dsq_depth = 4,
		  .clock_ns = ms + 2,
		  .known_events = UINT32_MAX,
		  .events[SCX_EV_FALLBACK] = (int64_t)ms * 2 / 100 },
	};
	struct guest_sample sample = {
		.time_ns = ms * 1000000, .has_scheduler = true, .cpu_count = 2, .cpus = cpus
	};

	assert_int_equal(series_add(s, &sample), 0);
}

#endif
