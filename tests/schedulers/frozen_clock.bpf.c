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
	char name[8] = {};

	/* cg_0 and cg_2 pay, all others do not. */
	bpf_probe_read_kernel_str(name, sizeof(name), cgrp->kn->name);
	bpf_cgroup_release(cgrp);
	return name[0] == 'c' && !(name[3] & 1) ? 100 : 100000;
}

VTIME_SCHEDULER(frozen_clock);
