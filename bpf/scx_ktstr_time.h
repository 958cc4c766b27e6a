/* SPDX-License-Identifier: GPL-2.0-only */
/* Virtual time: CPU time by weight, on a clock for each LLC. */
#ifndef KTSTR_BPF_SCX_KTSTR_TIME_H
#define KTSTR_BPF_SCX_KTSTR_TIME_H

#include "scx_ktstr_state.h"

static u64 *clock_of(u32 llc)
{
	asm volatile("" : "+r"(llc));
	return &state.vtime[llc < MAX_LLCS ? llc : 0];
}

/* A task that moves to another LLC keeps its distance from the LLC's clock. */
static void settle(struct task_context *t, u32 llc)
{
	if (t->llc == llc)
		return;
	t->vtime += *clock_of(llc) - *clock_of(t->llc);
	t->llc = llc;
}

static void charge(struct task_struct *p, struct task_context *t)
{
	u64 now = bpf_ktime_get_ns(), used = now - t->started_ns;
	u32 weight = has(FAULT_IGNORE_WEIGHTS) ? 100 : p->scx.weight;

	t->started_ns = now;
	t->total_ns += used;
	if (has(FAULT_UNFAIR_SLICES) && t->is_favoured)
		used /= UNFAIR_FACTOR;
	t->vtime += used * 100 / (weight ? weight : 1);
}

/* A task that sleeps, or has a CPU for itself, gets a credit of one slice at most. */
static void limit_credit(struct task_context *t)
{
	u64 oldest = *clock_of(t->llc) - config.slice_ns;

	if (is_before(t->vtime, oldest))
		t->vtime = oldest;
}

static void advance_clock(const struct task_context *t)
{
	u64 *clock = clock_of(t->llc);

	if (is_before(*clock, t->vtime))
		*clock = t->vtime;
}

/*
 * A task that runs while no other waits does not advance the clock: a task of low weight would
 * advance it far, and all others would be equally late. Nor is the task charged for it later.
 */
static void forgive(struct task_context *t)
{
	u64 latest = *clock_of(t->llc) + config.slice_ns;

	if (is_before(latest, t->vtime))
		t->vtime = latest;
}

#endif
