// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes on kernel functions and on the programs of a scheduler. There is one program for each
 * kind of attachment. The loader attaches a copy to each function; the attach cookie identifies
 * the function and its arguments. See probe_layout.h for the recorded data.
 */
#include "probe_kernel.h"

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PROBE_RECORDS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, u32);
	__type(value, struct trace_record);
} records SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PROBE_NAMES);
	__type(key, u32);
	__type(value, struct probe_name);
} names SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, PROBE_CALLS);
	__type(key, struct probe_key);
	__type(value, struct probe_call);
} calls SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, u32);
	__type(value, struct probe_control);
} control SEC(".maps");

/* A copy of a program cannot contain subprograms. */
#define PART static __always_inline

PART struct probe_control *control_get(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&control, &zero);
}

PART u32 here(void)
{
	return bpf_get_smp_processor_id();
}

PART u32 current_pid(void)
{
	return (u32)bpf_get_current_pid_tgid();
}

PART void emit(struct probe_control *c, const struct trace_record *r)
{
	u32 slot = (u32)__sync_fetch_and_add(&c->head, 1) & (PROBE_RECORDS - 1);
	struct trace_record *to = bpf_map_lookup_elem(&records, &slot);

	if (to)
		*to = *r;
}

/* ---- tasks ---- */

PART u32 describe(const struct task_struct *p)
{
	u32 pid = (u32)BPF_CORE_READ(p, pid), slot = pid & (PROBE_NAMES - 1);
	struct probe_name *name = bpf_map_lookup_elem(&names, &slot);

	if (pid && name) {
		name->pid = pid;
		bpf_probe_read_kernel(name->text, sizeof(name->text), p->comm);
	}
	return pid;
}

PART void read_fields(const struct task_struct *p, u64 *to)
{
	const struct scx_dispatch_q *queue = BPF_CORE_READ(p, scx.dsq);

	to[0] = BPF_CORE_READ(p, cpus_ptr, bits[0]);
	to[1] = BPF_CORE_READ(p, scx.ddsp_dsq_id);
	to[2] = BPF_CORE_READ(p, scx.ddsp_enq_flags);
	to[3] = BPF_CORE_READ(p, scx.slice);
	to[4] = BPF_CORE_READ(p, scx.dsq_vtime);
	to[5] = BPF_CORE_READ(p, scx.weight);
	to[6] = (u32)BPF_CORE_READ(p, scx.sticky_cpu);
	to[7] = BPF_CORE_READ(p, scx.flags);
	to[8] = queue ? BPF_CORE_READ(queue, id) : ~0ULL;
}

/* ---- arguments ---- */

struct arguments {
	u64 values[TRACE_MAX_ARGUMENTS];
};

/* Value of an argument, from 1; 0 = none. */
PART u64 argument(const struct arguments *a, u32 number)
{
	u64 value = 0;

	for (u32 i = 0; i < TRACE_MAX_ARGUMENTS; i++)
		if (i + 1 == number)
			value = a->values[i];
	return value;
}

/* Reads the arguments of a traced function; missing ones are 0. */
PART void get_arguments(void *ctx, u64 cookie, struct arguments *a)
{
	u64 first = 0;

	__builtin_memset(a, 0, sizeof(*a));
	if (cookie & PROBE_IS_PROGRAM) {
		bpf_get_func_arg(ctx, 0, &first);
		bpf_probe_read_kernel(a->values, sizeof(a->values), (void *)first);
		return;
	}
	bpf_get_func_arg(ctx, 0, &a->values[0]);
	bpf_get_func_arg(ctx, 1, &a->values[1]);
	bpf_get_func_arg(ctx, 2, &a->values[2]);
	bpf_get_func_arg(ctx, 3, &a->values[3]);
	bpf_get_func_arg(ctx, 4, &a->values[4]);
	bpf_get_func_arg(ctx, 5, &a->values[5]);
}

/* ---- events ---- */

PART u64 number_of(const struct arguments *a, u64 cookie)
{
	u64 value = argument(a, PROBE_NUMBER(cookie));
	const struct scx_dispatch_q *queue = (const struct scx_dispatch_q *)value;

	if (!(cookie & PROBE_IS_QUEUE) || !value)
		return value;
	return BPF_CORE_READ(queue, id);
}

/* Records enqueue_task(rq, p, flags), try_to_wake_up(p, ...), set_task_cpu(p, cpu) and calls. */
PART void note_event(struct probe_control *c, u64 cookie, const struct arguments *a, u32 pid,
		     const struct task_struct *p)
{
	struct trace_record r = { .time_ns = bpf_ktime_get_ns(),
				  .type = (u16)PROBE_TYPE(cookie),
				  .cpu = (u16)here(),
				  .pid = pid };
	const struct rq *rq = (const struct rq *)a->values[0];

	switch (PROBE_TYPE(cookie)) {
	case TRACE_ENQUEUE:
	case TRACE_DEQUEUE:
		r.arg = r.cpu;
		r.cpu = (u16)BPF_CORE_READ(rq, cpu);
		r.value = (u32)a->values[2];
		break;
	case TRACE_WAKEUP:
		r.arg = current_pid();
		break;
	case TRACE_MIGRATE:
		r.cpu = (u16)BPF_CORE_READ(p, thread_info.cpu);
		r.arg = (u32)a->values[1];
		if (r.cpu == r.arg)
			return;
		break;
	default:
		r.value = PROBE_INDEX(cookie);
		r.number = number_of(a, cookie);
		break;
	}
	emit(c, &r);
	if ((cookie & PROBE_IS_EXIT) && r.number != 64) { /* 64 is SCX_EXIT_UNREG: a normal end */
		c->exit_kind = r.number;
		c->exit_ns = r.time_ns;
		c->is_over = 1;
	}
}

/* ---- functions ---- */

PART void note_call(struct probe_control *c, u64 cookie, const struct arguments *a, u32 pid,
		    const struct task_struct *p, bool is_over)
{
	struct probe_key key = { PROBE_INDEX(cookie), pid };
	struct probe_call call = {};

	call.time_ns = bpf_ktime_get_ns();
	call.cpu = here();
	__builtin_memcpy(call.arguments, a->values, sizeof(call.arguments));
	if (p) {
		read_fields(p, call.before);
		__builtin_memcpy(call.after, call.before, sizeof(call.after));
	}
	if (is_over) {
		call.is_over = 1;
		call.ended_ns = call.time_ns;
	}
	if (bpf_map_update_elem(&calls, &key, &call, BPF_ANY) < 0)
		__sync_fetch_and_add(&c->lost_calls, 1);
}

PART int entered(u64 cookie, const struct arguments *a, bool is_over)
{
	struct probe_control *c = control_get();
	const struct task_struct *p = (const struct task_struct *)argument(a, PROBE_TASK(cookie));
	u32 pid = 0;

	if (!c || c->is_over)
		return 0;
	if (p)
		pid = describe(p);
	else if (PROBE_TYPE(cookie) != TRACE_ENTER)
		pid = current_pid();
	if (PROBE_TYPE(cookie) == TRACE_ENTER)
		note_call(c, cookie, a, pid, p, is_over);
	else
		note_event(c, cookie, a, pid, p);
	return 0;
}

SEC("fentry/try_to_wake_up")
int probe_enter(u64 *ctx)
{
	u64 cookie = bpf_get_attach_cookie(ctx);
	struct arguments a;

	get_arguments(ctx, cookie, &a);
	return entered(cookie, &a, false);
}

SEC("fexit/try_to_wake_up")
int probe_leave(u64 *ctx)
{
	u64 cookie = bpf_get_attach_cookie(ctx);
	struct probe_control *c = control_get();
	const struct task_struct *p;
	struct probe_key key;
	struct probe_call *call;
	struct arguments a;

	if (!c || c->is_over)
		return 0;
	get_arguments(ctx, cookie, &a);
	p = (const struct task_struct *)argument(&a, PROBE_TASK(cookie));
	key.function = PROBE_INDEX(cookie);
	key.pid = p ? (u32)BPF_CORE_READ(p, pid) : 0;
	call = bpf_map_lookup_elem(&calls, &key);
	if (!call || call->is_over)
		return 0;
	bpf_get_func_ret(ctx, &call->result);
	call->ended_ns = bpf_ktime_get_ns();
	if (p)
		read_fields(p, call->after);
	call->is_over = 1;
	return 0;
}

/* For functions without a trampoline: their return is not recorded. */
SEC("kprobe")
int probe_address(struct pt_regs *ctx)
{
	struct arguments a = { { ctx->di, ctx->si, ctx->dx, ctx->cx, ctx->r8, ctx->r9 } };

	return entered(bpf_get_attach_cookie(ctx), &a, true);
}

/* sched_switch(preempt, prev, next, prev_state) */
SEC("tp_btf/sched_switch")
int probe_switch(u64 *ctx)
{
	const struct task_struct *prev = (const struct task_struct *)ctx[1];
	struct probe_control *c = control_get();
	struct trace_record r = { .type = TRACE_SWITCH };

	if (!c || c->is_over)
		return 0;
	r.time_ns = bpf_ktime_get_ns();
	r.cpu = (u16)here();
	r.pid = describe((const struct task_struct *)ctx[2]);
	r.arg = (u32)BPF_CORE_READ(prev, pid);
	r.value = (u32)ctx[3];
	emit(c, &r);
	return 0;
}
