// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time is cut into frames of 10 ms by a BPF timer. CPUs with an even number serve the queue in
 * one frame, the others in the next one: each idles for half of the time, whoever waits.
 *
 * To be caught by: work conservation.
 */
#include "clock.h"

#define QUEUE 0
#define SLICE (20 * MS)
#define FRAME (10 * MS)

u32 frame;

static bool is_closed(s32 cpu)
{
	return ((u32)cpu ^ frame) & 1;
}

s32 OP(frames_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	return prev_cpu;
}

void OP(frames_enqueue, struct task_struct *p, u64 enq_flags)
{
	if (is_kernels(p)) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	insert(p, QUEUE, SLICE, enq_flags);
	kick_idle(p);
}

void OP(frames_dispatch, s32 cpu, struct task_struct *prev)
{
	if (!is_closed(cpu))
		pull(QUEUE);
}

void OP(frames_tick, struct task_struct *p)
{
	if (!is_kernels(p) && is_closed(scx_bpf_task_cpu(p)))
		set_slice(p, 0);
}

static int next_frame(void *map, u32 *key, struct clock *clock)
{
	u32 cpu;

	frame++;
	for (cpu = 0; cpu < MAX_CPUS && cpu < machine.cpu_count; cpu++)
		scx_bpf_kick_cpu((s32)cpu, is_closed((s32)cpu) ? SCX_KICK_PREEMPT : SCX_KICK_IDLE);
	bpf_timer_start(&clock->timer, FRAME, 0);
	return 0;
}

s32 SLEEPABLE_OP(frames_init)
{
	s32 rc = scx_bpf_create_dsq(QUEUE, -1);

	return rc ? rc : clock_start(next_frame, FRAME);
}

SCHEDULER(half_frames, .select_cpu = (void *)frames_select_cpu, .enqueue = (void *)frames_enqueue,
	  .dispatch = (void *)frames_dispatch, .tick = (void *)frames_tick,
	  .init = (void *)frames_init, .flags = SCX_OPS_ENQ_LAST);
