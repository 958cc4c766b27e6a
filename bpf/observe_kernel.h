/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel types that the observer reads; libbpf resolves their members by name. */
#ifndef KTSTR_BPF_OBSERVE_KERNEL_H
#define KTSTR_BPF_OBSERVE_KERNEL_H

#include "types.h"

enum { BPF_F_MMAPABLE = 1 << 10 };

#include <bpf/bpf_helpers.h>

/* The only member, of any length: nothing to be resolved. */
struct cpumask {
	unsigned long bits[8];
};

struct thread_info {
	u32 cpu;
} FROM_KERNEL;

struct task_struct {
	struct thread_info thread_info;
	u32 flags;
	u32 policy;
	s32 prio;
	s32 static_prio;
	s32 pid;
	s32 tgid;
	s32 nr_cpus_allowed;
	const struct cpumask *cpus_ptr;
	struct cpumask cpus_mask;
	char comm[16];
} FROM_KERNEL;

#define PF_KTHREAD 0x00200000
#define TASK_DEAD 0x80

#endif
