/* SPDX-License-Identifier: GPL-2.0-only */
/* The few types and functions of the kernel that scx_credit uses; libbpf finds them by name. */
#ifndef SCX_CREDIT_KERNEL_H
#define SCX_CREDIT_KERNEL_H

typedef unsigned char __u8;
typedef unsigned short __u16, __be16;
typedef unsigned int u32, __u32, __be32, __wsum;
typedef int s32, __s32;
typedef unsigned long long u64, __u64;
typedef long long s64, __s64;
typedef _Bool bool;
#define true 1
#define false 0
#define NULL ((void *)0)

#define FROM_KERNEL __attribute__((preserve_access_index))

enum bpf_map_type { BPF_MAP_TYPE_TASK_STORAGE = 29 };
enum { BPF_F_NO_PREALLOC = 1, BPF_LOCAL_STORAGE_GET_F_CREATE = 1 };

struct task_struct {
	u32 flags;
} FROM_KERNEL;
#define PF_KTHREAD 0x00200000

struct sched_ext_ops {
	s32 (*select_cpu)(struct task_struct *p, s32 prev_cpu, u64 wake_flags);
	void (*enqueue)(struct task_struct *p, u64 enq_flags);
	void (*dispatch)(s32 cpu, struct task_struct *prev);
	void (*running)(struct task_struct *p);
	void (*stopping)(struct task_struct *p, bool runnable);
	void (*enable)(struct task_struct *p);
	s32 (*init)(void);
	char name[128];
};

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define SCX_DSQ_LOCAL 0x8000000000000002ULL

extern s32 scx_bpf_create_dsq(u64 dsq_id, s32 node) __ksym;
extern s32 scx_bpf_select_cpu_dfl(struct task_struct *p, s32 prev_cpu, u64 wake_flags,
				  bool *is_idle) __ksym;
extern void scx_bpf_dsq_insert(struct task_struct *p, u64 dsq_id, u64 slice, u64 enq_flags) __ksym;
extern void scx_bpf_dsq_insert_vtime(struct task_struct *p, u64 dsq_id, u64 slice, u64 vtime,
				     u64 enq_flags) __ksym;
extern bool scx_bpf_dsq_move_to_local(u64 dsq_id) __ksym;

#define OP(name, ...) SEC("struct_ops/" #name) BPF_PROG(name, ##__VA_ARGS__)
#define SLEEPABLE_OP(name, ...) SEC("struct_ops.s/" #name) BPF_PROG(name, ##__VA_ARGS__)

#endif
