// SPDX-License-Identifier: GPL-2.0-only
/* Work that sleeps most of the time, and work that is disturbed on purpose. */
#include "work/types.h"

#include <sched.h>

#define NSEC_PER_USEC 1000ULL
#define SPIN_UNITS 1024
#define TICK_UNITS 64

void idle_churn_iterate(struct ktstr_worker *w)
{
	worker_spin_until(w, clock_mono_ns() + w->args[0] * NSEC_PER_USEC);
	worker_sleep_ns(w, w->args[1] * NSEC_PER_USEC);
}

/* ---- a periodic timer ---- */

struct ticks {
	uint64_t next_ns;
};

int timer_latency_prepare(struct ktstr_worker *w)
{
	return worker_state(w, sizeof(struct ticks)) ? 0 : -ENOMEM;
}

/* Missed ticks are skipped: each wakeup is late for its own tick only. */
void timer_latency_iterate(struct ktstr_worker *w)
{
	uint64_t period_ns = w->args[0] * NSEC_PER_USEC, now_ns;
	struct ticks *t = w->state;

	if (t->next_ns == 0)
		t->next_ns = w->start_ns + period_ns;
	worker_blocks(w);
	now_ns = worker_rest_until(w, t->next_ns);
	if (now_ns < t->next_ns)
		return; /* has to stop */
	worker_ticked(w, now_ns - t->next_ns);
	t->next_ns += ((now_ns - t->next_ns) / period_ns + 1) * period_ns;
	worker_spin(w, TICK_UNITS);
}

/* ---- disturbed work ---- */

/* The first member of a team is real-time and takes the CPU in bursts; the others want it, too. */
int rt_starvation_prepare(struct ktstr_worker *w)
{
	const struct sched_param param = { .sched_priority = 1 };

	if (w->member == 0 && sched_setscheduler(0, SCHED_FIFO, &param) < 0)
		worker_problem(w, errno, "policy SCHED_FIFO 1");
	return 0;
}

void rt_starvation_iterate(struct ktstr_worker *w)
{
	if (w->member != 0) {
		worker_spin(w, SPIN_UNITS);
		return;
	}
	worker_spin_until(w, clock_mono_ns() + w->args[1] * NSEC_PER_MSEC);
	worker_sleep_ns(w, w->args[2] * NSEC_PER_MSEC);
}

/* The first member of a team only spins; the others wake up beside it again and again. */
void preempt_storm_iterate(struct ktstr_worker *w)
{
	if (w->member == 0) {
		worker_spin(w, SPIN_UNITS);
		return;
	}
	worker_sleep_ns(w, w->args[1] * NSEC_PER_USEC);
	worker_spin(w, w->args[2]);
}
