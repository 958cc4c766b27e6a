/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel types and functions that scx_ktstr uses. libbpf resolves them by name
 * in the running kernel, so one object works with all kernels. Functions that a kernel
 * may lack are weak; check them with bpf_ksym_exists().
 */
#ifndef KTSTR_BPF_KERNEL_H
#define KTSTR_BPF_KERNEL_H

#include "types.h"

enum { BPF_F_NO_PREALLOC = 1 };
enum { BPF_LOCAL_STORAGE_GET_F_CREATE = 1 };
#define CLOCK_MONOTONIC 1

/* No member is accessed, but libbpf requires a complete type if the kernel has one. */
struct cpumask {
	unsigned long bits[1];
} FROM_KERNEL;

struct sched_ext_entity {
	u32 flags;
	u32 weight;
	u64 slice;
} FROM_KERNEL;
#define SCX_TASK_QUEUED 1

struct task_struct {
	u32 flags;
	s32 pid;
	s32 tgid;
	s32 nr_cpus_allowed;
	const struct cpumask *cpus_ptr;
	struct sched_ext_entity scx;
} FROM_KERNEL;
#define PF_KTHREAD 0x00200000

/* An enumeration in the kernel as well: libbpf compares the kind of type. */
enum scx_exit_kind { SCX_EXIT_NONE };

struct scx_exit_info {
	enum scx_exit_kind kind;
	s64 exit_code;
	const char *reason;
	char *msg;
	char *dump;
} FROM_KERNEL;

struct scx_init_task_args;

struct bpf_timer {
	u64 opaque[2];
} __attribute__((aligned(8)));

struct bpf_iter_num {
	u64 opaque[1];
} __attribute__((aligned(8)));

struct bpf_iter_scx_dsq {
	u64 opaque[6];
} __attribute__((aligned(8)));

#define SCX_DSQ_GLOBAL 0x8000000000000001ULL
#define SCX_DSQ_LOCAL 0x8000000000000002ULL
#define SCX_DSQ_LOCAL_ON 0xc000000000000000ULL
#define SCX_SLICE_INF (~0ULL)
#define SCX_WAKE_SYNC 16ULL
#define SCX_ENQ_WAKEUP 1ULL
#define SCX_ENQ_LAST (1ULL << 41)
#define SCX_KICK_IDLE 1ULL

/* Only 7.0 and newer take the arguments of an insertion in a struct. */
struct scx_bpf_dsq_insert_vtime_args {
	u64 dsq_id;
	u64 slice;
	u64 vtime;
	u64 enq_flags;
};

#define KERNEL_FUNCTION __attribute__((section(".ksyms")))
#define OPTIONAL_FUNCTION __attribute__((section(".ksyms"))) __attribute__((weak))

extern s32 scx_bpf_create_dsq(u64 dsq_id, s32 node) KERNEL_FUNCTION;
extern s32 scx_bpf_select_cpu_dfl(struct task_struct *p, s32 prev_cpu, u64 wake_flags,
				  bool *is_idle) KERNEL_FUNCTION;
extern s32 scx_bpf_pick_idle_cpu(const struct cpumask *allowed, u64 flags) KERNEL_FUNCTION;
extern s32 scx_bpf_task_cpu(const struct task_struct *p) KERNEL_FUNCTION;
extern s32 scx_bpf_dsq_nr_queued(u64 dsq_id) KERNEL_FUNCTION;
extern void scx_bpf_kick_cpu(s32 cpu, u64 flags) KERNEL_FUNCTION;
extern void scx_bpf_error_bstr(char *fmt, unsigned long long *data, u32 data__sz) KERNEL_FUNCTION;
extern void scx_bpf_exit_bstr(s64 code, char *fmt, unsigned long long *data,
			      u32 data__sz) KERNEL_FUNCTION;
extern const struct cpumask *scx_bpf_get_online_cpumask(void) KERNEL_FUNCTION;
extern void scx_bpf_put_cpumask(const struct cpumask *mask) KERNEL_FUNCTION;
extern bool bpf_cpumask_test_cpu(u32 cpu, const struct cpumask *mask) KERNEL_FUNCTION;

/* Renamed in 6.13; newer kernels lack the old names. */
extern void scx_bpf_dsq_insert(struct task_struct *p, u64 dsq_id, u64 slice,
			       u64 enq_flags) OPTIONAL_FUNCTION;
extern void scx_bpf_dispatch(struct task_struct *p, u64 dsq_id, u64 slice,
			     u64 enq_flags) OPTIONAL_FUNCTION;
extern bool scx_bpf_dsq_move_to_local(u64 dsq_id) OPTIONAL_FUNCTION;
extern bool scx_bpf_consume(u64 dsq_id) OPTIONAL_FUNCTION;
extern bool
__scx_bpf_dsq_insert_vtime(struct task_struct *p,
			   struct scx_bpf_dsq_insert_vtime_args *args) OPTIONAL_FUNCTION;
extern void scx_bpf_dsq_insert_vtime(struct task_struct *p, u64 dsq_id, u64 slice, u64 vtime,
				     u64 enq_flags) OPTIONAL_FUNCTION;
extern void scx_bpf_dispatch_vtime(struct task_struct *p, u64 dsq_id, u64 slice, u64 vtime,
				   u64 enq_flags) OPTIONAL_FUNCTION;
extern bool scx_bpf_task_set_slice(struct task_struct *p, u64 slice) OPTIONAL_FUNCTION;

extern int bpf_iter_scx_dsq_new(struct bpf_iter_scx_dsq *it, u64 dsq_id, u64 flags) KERNEL_FUNCTION;
extern struct task_struct *bpf_iter_scx_dsq_next(struct bpf_iter_scx_dsq *it) KERNEL_FUNCTION;
extern void bpf_iter_scx_dsq_destroy(struct bpf_iter_scx_dsq *it) KERNEL_FUNCTION;
extern bool scx_bpf_dsq_move(struct bpf_iter_scx_dsq *it__iter, struct task_struct *p, u64 dsq_id,
			     u64 enq_flags) OPTIONAL_FUNCTION;
extern bool scx_bpf_dispatch_from_dsq(struct bpf_iter_scx_dsq *it__iter, struct task_struct *p,
				      u64 dsq_id, u64 enq_flags) OPTIONAL_FUNCTION;

#endif
