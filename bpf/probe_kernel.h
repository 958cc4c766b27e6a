/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel types that the probes read; libbpf resolves their members by name. */
#ifndef KTSTR_BPF_PROBE_KERNEL_H
#define KTSTR_BPF_PROBE_KERNEL_H

#include "types.h"

typedef u8 uint8_t;
typedef u16 uint16_t;
typedef u32 uint32_t;
typedef u64 uint64_t;

enum { BPF_MAP_TYPE_LRU_HASH = 9 };
enum { BPF_F_MMAPABLE = 1 << 10 };
enum { BPF_ANY = 0 };

#include <bpf/bpf_helpers.h>

#include <bpf/bpf_core_read.h>

#include "probe_layout.h"

struct cpumask {
	unsigned long bits[1];
} FROM_KERNEL;

struct scx_dispatch_q {
	u64 id;
} FROM_KERNEL;

struct sched_ext_entity {
	struct scx_dispatch_q *dsq;
	u32 flags;
	u32 weight;
	s32 sticky_cpu;
	u64 ddsp_dsq_id;
	u64 ddsp_enq_flags;
	u64 slice;
	u64 dsq_vtime;
} FROM_KERNEL;

struct thread_info {
	u32 cpu;
} FROM_KERNEL;

struct task_struct {
	struct thread_info thread_info;
	s32 pid;
	const struct cpumask *cpus_ptr;
	struct sched_ext_entity scx;
	char comm[16];
} FROM_KERNEL;

struct rq {
	s32 cpu;
} FROM_KERNEL;

/* Arguments of a kernel function that is attached by its address. */
struct pt_regs {
	unsigned long di, si, dx, cx, r8, r9;
} FROM_KERNEL;

#endif
