/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by all parts of scx_ktstr: configuration, state, and data of each task. */
#ifndef KTSTR_BPF_SCX_KTSTR_STATE_H
#define KTSTR_BPF_SCX_KTSTR_STATE_H

#include "kernel.h"

#include <bpf/bpf_helpers.h>

#include "scx_ktstr.h"

#define UNFAIR_FACTOR 20
#define LOCKSTEP_NS 20000000ULL

const volatile struct scx_ktstr_config config SEC(SCX_KTSTR_CONFIG) = {};
struct scx_ktstr_state state SEC(SCX_KTSTR_STATE) = {};

struct task_context {
	u64 vtime; /* CPU time by weight, on the clock of its LLC */
	u64 started_ns;
	u64 total_ns;
	u64 release_ns; /* of FAULT_DELAY_WAKEUPS */
	u32 llc;
	bool is_favoured; /* by FAULT_UNFAIR_SLICES */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_context);
} contexts SEC(".maps");

static bool has(enum fault fault)
{
	return config.faults & FAULT_BIT(fault);
}

static struct task_context *context_of(struct task_struct *p)
{
	return bpf_task_storage_get(&contexts, p, NULL, 0);
}

static u32 llc_of(s32 cpu)
{
	u32 index = (u32)cpu, llc;

	/* The verifier requires that the checked and the used register are the same. */
	asm volatile("" : "+r"(index));
	if (index >= MAX_CPUS)
		return 0;
	llc = config.cpu_llc[index];
	return llc < MAX_LLCS ? llc : 0;
}

static u32 *llc_cpus_of(u32 llc)
{
	asm volatile("" : "+r"(llc));
	return &state.llc_cpus[llc < MAX_LLCS ? llc : 0];
}

static bool is_before(u64 a, u64 b)
{
	return (s64)(a - b) < 0;
}

/* Faults spare kernel threads, init, and the loader, which has to report the end. */
static bool is_fair_game(const struct task_struct *p)
{
	return !(p->flags & PF_KTHREAD) && p->tgid != 1 && (u32)p->tgid != config.loader;
}

static u64 slice_of(const struct task_context *t)
{
	if (has(FAULT_ENDLESS_SLICE))
		return SCX_SLICE_INF;
	if (has(FAULT_UNFAIR_SLICES) && t->is_favoured)
		return config.slice_ns * UNFAIR_FACTOR;
	if (has(FAULT_LOCKSTEP))
		return LOCKSTEP_NS;
	return config.slice_ns;
}

#endif
