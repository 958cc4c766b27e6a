// SPDX-License-Identifier: GPL-2.0-only
/* Work that needs nothing but a CPU: spinning, yielding, sleeping in between. */
#include "work/types.h"

#include <sched.h>

#define SPIN_UNITS 1024

void cpu_spin_iterate(struct ktstr_worker *w)
{
	worker_spin(w, SPIN_UNITS);
}

void yield_heavy_iterate(struct ktstr_worker *w)
{
	w->work_units++;
	sched_yield();
}

void mixed_iterate(struct ktstr_worker *w)
{
	worker_spin(w, SPIN_UNITS);
	sched_yield();
}

void bursty_iterate(struct ktstr_worker *w)
{
	uint64_t burst_ns = w->args[0] * NSEC_PER_MSEC, sleep_ns = w->args[1] * NSEC_PER_MSEC;

	worker_spin_until(w, clock_mono_ns() + burst_ns);
	worker_sleep_ns(w, sleep_ns);
}
