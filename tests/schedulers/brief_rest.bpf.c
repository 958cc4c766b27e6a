// SPDX-License-Identifier: GPL-2.0-only
/*
 * No CPU takes anybody in the first 8 ms of each 64 ms. Slices that have begun go on, so that a tenth
 * of the time is lost, on all CPUs alike.
 *
 * To be caught by: work conservation, of all CPUs together.
 */
#include "clock.h"

#define QUEUE 0
#define SLICE (4 * MS)
#define PERIOD (64 * MS)
#define REST (8 * MS)

void OP(rest_enqueue, struct task_struct *p, u64 enq_flags)
{
	if (is_kernels(p) || is_loader(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	insert(p, QUEUE, SLICE, enq_flags);
	kick_idle(p);
}

void OP(rest_dispatch, s32 cpu, struct task_struct *prev)
{
	if (bpf_ktime_get_ns() % PERIOD >= REST)
		pull(QUEUE);
}

static int end_rest(void *map, u32 *key, struct clock *c)
{
	u32 cpu;

	for (cpu = 0; cpu < MAX_CPUS && cpu < machine.cpu_count; cpu++)
		scx_bpf_kick_cpu((s32)cpu, SCX_KICK_IDLE);
	bpf_timer_start(&c->timer, PERIOD - (bpf_ktime_get_ns() - REST) % PERIOD, 0);
	return 0;
}

s32 SLEEPABLE_OP(rest_init)
{
	s32 rc = scx_bpf_create_dsq(QUEUE, -1);

	return rc ? rc : clock_start(end_rest, MS);
}

/* Without the flag a task goes on when its slice ends and nobody else comes. */
SCHEDULER(brief_rest, .flags = SCX_OPS_ENQ_LAST, .enqueue = (void *)rest_enqueue,
	  .dispatch = (void *)rest_dispatch, .init = (void *)rest_init);
