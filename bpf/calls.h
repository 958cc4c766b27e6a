/* SPDX-License-Identifier: GPL-2.0-only */
/* Wrappers of functions whose names differ between kernel versions. */
#ifndef KTSTR_BPF_CALLS_H
#define KTSTR_BPF_CALLS_H

#include "kernel.h"

#include <bpf/bpf_helpers.h>

static void insert(struct task_struct *p, u64 dsq, u64 slice, u64 enq_flags)
{
	if (bpf_ksym_exists(scx_bpf_dsq_insert))
		scx_bpf_dsq_insert(p, dsq, slice, enq_flags);
	else
		scx_bpf_dispatch(p, dsq, slice, enq_flags);
}

static void insert_ordered(struct task_struct *p, u64 dsq, u64 slice, u64 vtime, u64 enq_flags)
{
	struct scx_bpf_dsq_insert_vtime_args args = {
		.dsq_id = dsq, .slice = slice, .vtime = vtime, .enq_flags = enq_flags
	};

	if (bpf_ksym_exists(__scx_bpf_dsq_insert_vtime))
		__scx_bpf_dsq_insert_vtime(p, &args);
	else if (bpf_ksym_exists(scx_bpf_dsq_insert_vtime))
		scx_bpf_dsq_insert_vtime(p, dsq, slice, vtime, enq_flags);
	else
		scx_bpf_dispatch_vtime(p, dsq, slice, vtime, enq_flags);
}

static bool pull(u64 dsq)
{
	if (bpf_ksym_exists(scx_bpf_dsq_move_to_local))
		return scx_bpf_dsq_move_to_local(dsq);
	return scx_bpf_consume(dsq);
}

/* Moves the task at the position of the iterator to the local DSQ of the CPU that dispatches. */
static void take_here(struct bpf_iter_scx_dsq *it, struct task_struct *p)
{
	if (bpf_ksym_exists(scx_bpf_dsq_move))
		scx_bpf_dsq_move(it, p, SCX_DSQ_LOCAL, 0);
	else
		scx_bpf_dispatch_from_dsq(it, p, SCX_DSQ_LOCAL, 0);
}

static void set_slice(struct task_struct *p, u64 slice)
{
	if (bpf_ksym_exists(scx_bpf_task_set_slice))
		scx_bpf_task_set_slice(p, slice);
	else
		p->scx.slice = slice;
}

#endif
