// SPDX-License-Identifier: GPL-2.0-only
/*
 * Well behaved, first come, first served. It keeps a note on every task in an arena, and all pointers
 * but one in numbers: tests/vm/watch-pointers reads in the dump what they lead to.
 */
#include "scheduler.h"

#define QUEUE 0
#define SLICE (5 * MS)
#define PAGE 4096
#define PAGES 8

#define BPF_MAP_TYPE_ARENA 33
#define BPF_F_MMAPABLE (1U << 10)
#define __arena __attribute__((address_space(1)))
/* The verifier looks for the arena of a program among the maps that its instructions name. */
#define USES_ARENA() asm volatile("" : : "r"(&notes))

struct {
	__uint(type, BPF_MAP_TYPE_ARENA);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 64);
	__ulong(map_extra, 1ULL << 44); /* where user space has it */
} notes SEC(".maps");

struct note {
	u64 older; /* a note */
	u32 pid;
	u32 runs;
	u64 task; /* a task_struct */
	u64 made_ns;
	double load;
};

/* A task's own. */
struct context {
	u64 note;
	u64 ran_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, s32);
	__type(value, struct context);
} contexts SEC(".maps");

/* Who ran last, by CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 64);
	__type(key, u32);
	__type(value, u64);
} last_ran SEC(".maps");

u64 newest;			 /* a note */
u64 switches, oddities;		 /* numbers */
struct note __arena *first_note; /* the only one with its type */
static char __arena *pages;
static u64 note_count;

extern void __arena *bpf_arena_alloc_pages(void *map, void __arena *addr, u32 count, s32 node,
					   u64 flags) KERNEL_FUNCTION;

static struct context *context_of(struct task_struct *p)
{
	return bpf_task_storage_get(&contexts, p, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

s32 OP(notes_init_task, struct task_struct *p, struct scx_init_task_args *args)
{
	struct context *c = context_of(p);
	u64 number = __sync_fetch_and_add(&note_count, 1);
	struct note __arena *n;

	USES_ARENA();
	if (!c || !pages || number >= PAGES * PAGE / sizeof(*n))
		return 0;
	n = (struct note __arena *)pages + number;
	n->pid = (u32)p->pid;
	n->made_ns = bpf_ktime_get_ns();
	n->older = newest;
	newest = (u64)n;
	c->note = (u64)n;
	if (!first_note)
		first_note = n;
	return 0;
}

s32 OP(notes_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool is_idle = false;
	s32 cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);

	if (is_idle)
		insert(p, SCX_DSQ_LOCAL, SLICE, 0);
	return cpu;
}

void OP(notes_enqueue, struct task_struct *p, u64 enq_flags)
{
	if (is_kernels(p) && p->nr_cpus_allowed == 1) {
		insert(p, SCX_DSQ_LOCAL, SLICE, enq_flags);
		return;
	}
	insert(p, QUEUE, SLICE, enq_flags);
	kick_idle(p);
}

void OP(notes_dispatch, s32 cpu, struct task_struct *prev)
{
	pull(QUEUE);
}

void OP(notes_running, struct task_struct *p)
{
	struct context *c = context_of(p);
	u32 cpu = (u32)scx_bpf_task_cpu(p);
	u64 *last = bpf_map_lookup_elem(&last_ran, &cpu);
	struct note __arena *n, *older;

	USES_ARENA();
	__sync_fetch_and_add(&switches, 1);
	if (last)
		*last = (u64)p;
	if (!c || !c->note)
		return;
	n = (struct note __arena *)c->note;
	n->runs++;
	n->task = (u64)p;
	n->load = n->pid & 1 ? 0.5 : 2.25;
	older = (struct note __arena *)n->older;
	if (older && older->pid == n->pid && older->made_ns > n->made_ns)
		__sync_fetch_and_add(&oddities, 1);
	c->ran_ns = bpf_ktime_get_ns() - n->made_ns;
}

void OP(notes_quiescent, struct task_struct *p, u64 deq_flags)
{
	struct note __arena *n = (struct note __arena *)newest;

	USES_ARENA();
	if (n && n->pid == (u32)p->pid && n->made_ns > bpf_ktime_get_ns())
		__sync_fetch_and_add(&oddities, 1);
}

s32 SLEEPABLE_OP(notes_init)
{
	pages = bpf_arena_alloc_pages(&notes, NULL, PAGES, -1, 0);
	if (!pages)
		return -ENOMEM;
	return scx_bpf_create_dsq(QUEUE, -1);
}

SCHEDULER(arena_notes, .select_cpu = (void *)notes_select_cpu, .enqueue = (void *)notes_enqueue,
	  .dispatch = (void *)notes_dispatch, .running = (void *)notes_running,
	  .quiescent = (void *)notes_quiescent, .init_task = (void *)notes_init_task,
	  .init = (void *)notes_init);
