/* SPDX-License-Identifier: GPL-2.0-only */
/* A queue of its own for some tasks, which a timer opens every PERIOD for those that are in it. */
#ifndef KTSTR_TESTS_SCHEDULERS_LANE_H
#define KTSTR_TESTS_SCHEDULERS_LANE_H

#include "clock.h"

#define SLICE (5 * MS)
#define OTHERS 0
#define HELD 1

u32 due; /* of those that wait for the timer */

s32 OP(lane_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	return prev_cpu;
}

static int open_lane(void *map, u32 *key, struct clock *c)
{
	u32 cpu;

	due = (u32)scx_bpf_dsq_nr_queued(HELD);
	for (cpu = 0; due && cpu < MAX_CPUS && cpu < machine.cpu_count; cpu++)
		scx_bpf_kick_cpu((s32)cpu, SCX_KICK_IDLE);
	bpf_timer_start(&c->timer, PERIOD, 0);
	return 0;
}

s32 SLEEPABLE_OP(lane_init)
{
	s32 rc = scx_bpf_create_dsq(OTHERS, -1);

	if (!rc)
		rc = scx_bpf_create_dsq(HELD, -1);
	return rc ? rc : clock_start(open_lane, PERIOD);
}

#endif
