/* SPDX-License-Identifier: GPL-2.0-only */
/* Two moments of a few threads, for tests of comparisons. */
#ifndef TESTS_UNIT_COMPARE_FIXTURE_H
#define TESTS_UNIT_COMPARE_FIXTURE_H

#include "report_fixture.h"

#define THREAD(tid, start, comm, rest)                                       \
	"{\"tid\":" tid ",\"tgid\":" tid ",\"pcomm\":\"p\",\"comm\":\"" comm \
	"\",\"cgroup\":\"/\",\"start_time_clock_ticks\":" start rest "}"

#define BOOT(id, ticks) ",\"boot_id\":\"" id "\",\"user_hz\":100,\"uptime_clock_ticks\":" ticks

static inline struct cell cell_of(const struct fixture *f, const char *leaf, const char *measure)
{
	return compare_cell(fixture_group(f, leaf), (unsigned int)measure_find(measure),
			    &f->options, &f->report.window);
}

static inline void load(struct fixture *f, const char *baseline, const char *candidate)
{
	fixture_init(f, false);
	f->options.axis = AXIS_COMM_EXACT;
	fixture_load(f, BASELINE, BOOT("one", "1000"), baseline);
	fixture_load(f, CANDIDATE, BOOT("one", "2000"), candidate);
}

#endif
