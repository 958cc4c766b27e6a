/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the schedulers of this directory share: the operations by name, kernel functions that
 * scx-ktstr has no use for, and the ending. How to schedule is in each of them alone.
 */
#ifndef KTSTR_TESTS_SCHEDULER_H
#define KTSTR_TESTS_SCHEDULER_H

/* None of them uses all of it. */
#pragma clang diagnostic ignored "-Wunused-function"

#include "../../bpf/kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "../../bpf/calls.h"
#include "machine.h"

char program_license[] SEC("license") = "GPL";
const volatile struct machine machine SEC(MACHINE_SECTION) = {};
struct ending ending SEC(ENDING_SECTION) = {};

#define MS 1000000ULL
#define ENOMEM 12

/* Of enum bpf_map_type. */
#define BPF_MAP_TYPE_HASH 1
#define BPF_MAP_TYPE_QUEUE 22
#define BPF_MAP_TYPE_STACK 23
#define BPF_MAP_TYPE_CGRP_STORAGE 32

#define SCX_OPS_ENQ_LAST (1ULL << 1)
/* Without it the kernel leaves an exiting task that is the last one on the local queue of an idle CPU. */
#define SCX_OPS_ENQ_EXITING (1ULL << 2)
#define SCX_OPS_SWITCH_PARTIAL (1ULL << 3)
#define SCX_ENQ_PREEMPT (1ULL << 32)
#define SCX_KICK_PREEMPT 2ULL
#define SCX_DSQ_ITER_REV (1ULL << 16)

struct kernfs_node {
	const char *name;
	u64 id;
} FROM_KERNEL;

struct cgroup {
	struct kernfs_node *kn;
	s32 level;
} FROM_KERNEL;

struct scx_cgroup_init_args {
	u32 weight;
} FROM_KERNEL;

/* Where an ordered queue keeps its order. */
struct sched_ext_entity___order {
	u64 dsq_vtime;
} FROM_KERNEL;

struct task_struct___order {
	struct sched_ext_entity___order scx;
} FROM_KERNEL;

struct task_struct___held {
	u16 migration_disabled;
} FROM_KERNEL;

/* libbpf looks members up by name: these are the ones that are used here. */
struct sched_ext_ops {
	s32 (*select_cpu)(struct task_struct *p, s32 prev_cpu, u64 wake_flags);
	void (*enqueue)(struct task_struct *p, u64 enq_flags);
	void (*dispatch)(s32 cpu, struct task_struct *prev);
	void (*tick)(struct task_struct *p);
	bool (*yield)(struct task_struct *from, struct task_struct *to);
	void (*runnable)(struct task_struct *p, u64 enq_flags);
	void (*running)(struct task_struct *p);
	void (*stopping)(struct task_struct *p, bool runnable);
	void (*quiescent)(struct task_struct *p, u64 deq_flags);
	void (*enable)(struct task_struct *p);
	s32 (*init_task)(struct task_struct *p, struct scx_init_task_args *args);
	s32 (*cgroup_init)(struct cgroup *cgrp, struct scx_cgroup_init_args *args);
	void (*cgroup_exit)(struct cgroup *cgrp);
	void (*cgroup_move)(struct task_struct *p, struct cgroup *from, struct cgroup *to);
	void (*cgroup_set_weight)(struct cgroup *cgrp, u32 weight);
	void (*cpu_online)(s32 cpu);
	void (*cpu_offline)(s32 cpu);
	s32 (*init)(void);
	void (*exit)(struct scx_exit_info *info);
	u64 flags;
	u32 timeout_ms;
	char name[128];
};

extern struct task_struct *bpf_task_from_pid(s32 pid) KERNEL_FUNCTION;
extern void bpf_task_release(struct task_struct *p) KERNEL_FUNCTION;
extern struct cgroup *scx_bpf_task_cgroup(struct task_struct *p) KERNEL_FUNCTION;
extern struct cgroup *bpf_cgroup_from_id(u64 cgid) KERNEL_FUNCTION;
extern void bpf_cgroup_release(struct cgroup *cgrp) KERNEL_FUNCTION;
extern bool scx_bpf_test_and_clear_cpu_idle(s32 cpu) KERNEL_FUNCTION;
extern u32 bpf_cpumask_first(const struct cpumask *mask) KERNEL_FUNCTION;

#define OP(name, ...) SEC("struct_ops/" #name) BPF_PROG(name, ##__VA_ARGS__)
#define SLEEPABLE_OP(name, ...) SEC("struct_ops.s/" #name) BPF_PROG(name, ##__VA_ARGS__)

/* Not every task is enqueued by a wakeup that has looked for an idle CPU. */
static void kick_idle(const struct task_struct *p)
{
	s32 cpu = scx_bpf_pick_idle_cpu(p->cpus_ptr, 0);

	if (cpu >= 0)
		scx_bpf_kick_cpu(cpu, SCX_KICK_IDLE);
}

static bool is_kernels(const struct task_struct *p)
{
	return p->flags & PF_KTHREAD;
}

static bool is_loader(const struct task_struct *p)
{
	return (u32)p->tgid == machine.loader;
}

static bool is_before(u64 a, u64 b)
{
	return (s64)(a - b) < 0;
}

/*
 * The order of the first one in a queue that may run on this CPU; false = there is none. Behind many that
 * may not somebody may be who may: who comes next has the order of the last of them at least.
 */
#define LOOKS 32
static bool first_order(u64 dsq, s32 cpu, u64 *order)
{
	struct bpf_iter_scx_dsq it;
	struct task_struct *p;
	bool found = false;
	u32 looks = 0;

	bpf_iter_scx_dsq_new(&it, dsq, 0);
	while (!found && (p = bpf_iter_scx_dsq_next(&it))) {
		*order = ((struct task_struct___order *)p)->scx.dsq_vtime;
		found = bpf_cpumask_test_cpu((u32)cpu, p->cpus_ptr) || ++looks == LOOKS;
	}
	bpf_iter_scx_dsq_destroy(&it);
	return found;
}

/* In dispatch(): who ran until now and would go on is in no queue, and has to be compared with the first. */
static bool is_still_runnable(const struct task_struct *prev)
{
	return prev && prev->scx.flags & SCX_TASK_QUEUED;
}

/*
 * In stopping(): who could go on makes way for a real-time task. With a slice the kernel would have it wait for
 * that CPU; without, it comes to enqueue(), and any idle CPU takes it.
 */
static void make_way(struct task_struct *p, bool is_runnable)
{
	if (is_runnable)
		set_slice(p, 0);
}

/* Who may not migrate for a moment has the mask of all its CPUs until it is switched out. */
static bool may_run_on(struct task_struct *p, s32 cpu)
{
	return bpf_cpumask_test_cpu((u32)cpu, p->cpus_ptr) &&
	       (scx_bpf_task_cpu(p) == cpu ||
		!((struct task_struct___held *)p)->migration_disabled);
}

/* The task that was popped as a number, if it still lives, onto this CPU or any that it may use. */
static bool run_pid(s32 pid, s32 cpu, u64 slice)
{
	struct task_struct *p = bpf_task_from_pid(pid);

	if (!p)
		return false;
	if (may_run_on(p, cpu))
		insert(p, SCX_DSQ_LOCAL, slice, 0);
	else
		insert(p, SCX_DSQ_GLOBAL, slice, 0);
	bpf_task_release(p);
	return true;
}

void OP(scheduler_exit, struct scx_exit_info *info)
{
	bpf_probe_read_kernel_str(ending.reason, sizeof(ending.reason),
				  BPF_CORE_READ(info, reason));
	bpf_probe_read_kernel_str(ending.message, sizeof(ending.message), BPF_CORE_READ(info, msg));
	asm volatile("" ::: "memory");
	ending.kind = (u32)BPF_CORE_READ(info, kind);
}

#define SCHEDULER(title, ...)                                               \
	SEC(".struct_ops.link")                                             \
	struct sched_ext_ops operations = { .exit = (void *)scheduler_exit, \
					    .name = #title,                 \
					    __VA_ARGS__ }

#endif
