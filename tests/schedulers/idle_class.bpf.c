// SPDX-License-Identifier: GPL-2.0-only
/*
 * Virtual time of tasks by their nice values, but SCHED_IDLE is not looked at: such a task weighs as
 * much as its nice value says.
 *
 * To be caught by: shares, beside tasks of SCHED_IDLE.
 */
#include "vtime.h"

#define POLICY_IDLE 5

struct task_struct___class {
	u32 policy;
} FROM_KERNEL;

static u64 weight_of(struct task_struct *p)
{
	u32 policy = BPF_CORE_READ((struct task_struct___class *)p, policy);

	return policy == POLICY_IDLE ? 100 : p->scx.weight;
}

VTIME_SCHEDULER(idle_class);
