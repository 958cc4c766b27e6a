/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel types that the observer looks into, by name: libbpf finds where they are. */
#ifndef KTSTR_BPF_OBSERVE_KERNEL_H
#define KTSTR_BPF_OBSERVE_KERNEL_H

#define KTSTR_BPF_KERNEL_H /* the layout takes its types from here */

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;
typedef _Bool bool;

typedef u8 __u8;
typedef u16 __u16;
typedef u32 __u32;
typedef u64 __u64;
typedef s32 __s32;
typedef s64 __s64;
typedef u16 __be16;
typedef u32 __be32;
typedef u32 __wsum;

#define true 1
#define false 0
#define NULL ((void *)0)

enum bpf_map_type { BPF_MAP_TYPE_ARRAY = 2 };
enum { BPF_F_MMAPABLE = 1 << 10 };

#include <bpf/bpf_helpers.h>

#define FROM_KERNEL __attribute__((preserve_access_index))

/* Nothing else is in it, however long it is: no field to be found. */
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
