// SPDX-License-Identifier: GPL-2.0-only
/*
 * Virtual time of tasks, but the clock of every other cgroup stands still: its tasks are always the
 * first in the queue, others get what these leave.
 *
 * To be caught by: runnable wait, shares.
 */
#include "vtime.h"

/* So little is charged to some that nobody notices. */
static u64 weight_of(struct task_struct *p)
{
	struct cgroup *cgrp = scx_bpf_task_cgroup(p);
	u64 id = cgrp->level > 0 ? cgrp->kn->id : 0;

	bpf_cgroup_release(cgrp);
	return id / 2 & 1 ? 100 : 100000;
}

VTIME_SCHEDULER(frozen_clock);
