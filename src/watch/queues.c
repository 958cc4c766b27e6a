// SPDX-License-Identifier: GPL-2.0-only
/* Lists of the guest may be corrupt and need not end: every walk has a limit. */
#include "watch/parts.h"

#define MAX_STEPS 100000 /* for all walks together */
#define MAX_QUEUES 65536
#define MAX_BUCKETS (1U << 20)
#define MAX_TABLES 4 /* rhashtable: old tables while it is resized */
#define MAX_NODES 64
#define CURSOR 1U	/* SCX_DSQ_LNODE_ITER_CURSOR: an iterator, not a task */
#define NULLS_MARK 1ULL /* ends a chain of a hash table; also the lock bit of a bucket */

struct walk {
	struct queues *out;
	struct space *space;
	const struct watch_layout *layout;
	uint64_t now_ns;
	unsigned int cpu_count;
	size_t steps; /* remaining budget */
	int rc;
	bool wants_all; /* sleeping tasks, too, and no queues */
};

/* Cycle detection by Brent: the mark moves whenever the length of the walk has doubled. */
struct cycle {
	uint64_t mark;
	size_t steps, limit;
};

static bool comes_again(struct cycle *c, uint64_t node)
{
	if (c->mark == node)
		return true;
	if (c->steps++ == c->limit) {
		c->mark = node;
		c->limit = c->limit * 2 + 1;
		c->steps = 0;
	}
	return false;
}

static bool can_step(struct walk *w)
{
	if (w->rc < 0)
		return false;
	if (!w->steps) {
		w->out->is_cut = true;
		return false;
	}
	w->steps--;
	return true;
}

/* A list that returns to anything but its head is a cycle. */
static bool can_follow(struct walk *w, struct cycle *c, uint64_t node)
{
	if (!comes_again(c, node))
		return can_step(w);
	w->out->is_cut = true;
	return false;
}

/* cpus_mask has room for as many CPUs as the kernel was built for; other members follow it. */
static bool read_task(struct walk *w, uint64_t address, struct task_view *t)
{
	if (!task_read(t, w->space, address, w->now_ns))
		return false;
	for (unsigned int i = w->cpu_count; i < QUEUES_MASK_WORDS * 64; i++)
		t->mask[i / 64] &= ~(1ULL << (i % 64));
	return true;
}

/* Iterators insert cursors between the tasks of a DSQ. */
static bool is_cursor(struct walk *w, uint64_t node)
{
	uint64_t task = node - w->layout->members[M_TASK_SCX_NODE];
	uint64_t flags;

	return space_read_member(w->space, task, M_TASK_SCX_NODE_FLAGS, &flags) && flags & CURSOR;
}

static void read_tasks(struct walk *w, struct queue_view *q, uint64_t head)
{
	struct cycle cycle = {};
	uint64_t node;

	q->first = w->out->queued.count;
	q->is_cut = !space_read_u64(w->space, head, &node);
	while (!q->is_cut && node != head) {
		struct task_view t;

		if (!can_follow(w, &cycle, node)) {
			q->is_cut = true;
			break;
		}
		if (!is_cursor(w, node)) {
			q->is_cut = !read_task(w, node - w->layout->members[M_TASK_SCX_NODE], &t);
			if (!q->is_cut)
				w->rc = vec_push(&w->out->queued, t);
		}
		if (!q->is_cut)
			q->is_cut = w->rc < 0 || !space_read_u64(w->space, node, &node);
	}
	q->count = w->out->queued.count - q->first;
}

static void read_queue(struct walk *w, uint64_t address, enum queue_kind kind, unsigned int number)
{
	static const enum watch_member needed[] = { M_DSQ_LIST, M_DSQ_NR, M_DSQ_ID,
						    M_TASK_SCX_NODE };
	struct queue_view q = { .kind = kind, .number = number };

	if (!layout_has_all(w->layout, needed, ARRAY_SIZE(needed)) || !can_step(w) ||
	    w->out->queues.count == MAX_QUEUES ||
	    !space_read_member(w->space, address, M_DSQ_ID, &q.id) ||
	    !space_read_member(w->space, address, M_DSQ_NR, &q.length))
		return;
	read_tasks(w, &q, address + w->layout->members[M_DSQ_LIST]);
	if (w->rc == 0)
		w->rc = vec_push(&w->out->queues, q);
}

static void read_chain(struct walk *w, uint64_t at)
{
	struct cycle cycle = {};

	/* The lowest bit of a bucket is its lock. */
	for (at &= ~NULLS_MARK; at && can_follow(w, &cycle, at);) {
		uint64_t next;

		read_queue(w, at - w->layout->members[M_DSQ_HASH_NODE], QUEUE_USER, 0);
		if (!space_read_u64(w->space, at, &next) || next & NULLS_MARK)
			break;
		at = next;
	}
}

static bool read_table(struct walk *w, uint64_t table, uint64_t *next)
{
	uint64_t size, nest;

	if (!space_read_member(w->space, table, M_BUCKETS_SIZE, &size) ||
	    !space_read_member(w->space, table, M_BUCKETS_NEST, &nest) ||
	    !space_read_member(w->space, table, M_BUCKETS_FUTURE, next))
		return false;
	/* Nested tables occur if memory was short when the table grew. */
	w->out->is_cut |= nest || size > MAX_BUCKETS;
	for (uint64_t i = 0; !nest && i < MIN(size, MAX_BUCKETS) && can_step(w); i++) {
		uint64_t bucket, at = table + w->layout->members[M_BUCKETS_FIRST] + 8 * i;

		if (!space_read_u64(w->space, at, &bucket))
			break;
		read_chain(w, bucket);
	}
	return true;
}

static void read_hash(struct walk *w, uint64_t hash)
{
	static const enum watch_member needed[] = { M_BUCKETS_FIRST, M_DSQ_HASH_NODE };
	uint64_t table = 0;

	if (!hash || !layout_has_all(w->layout, needed, ARRAY_SIZE(needed)) ||
	    !space_read_member(w->space, hash, M_RHT_TABLE, &table))
		return;
	for (int i = 0; table && i < MAX_TABLES; i++)
		if (!read_table(w, table, &table))
			break;
}

static unsigned int count_nodes(struct walk *w)
{
	uint64_t at = space_symbol(w->space, SYM_NODES);
	uint32_t count = 1;

	if (!at || !space_read_u32(w->space, at, &count))
		return 1;
	return MIN(count, MAX_NODES);
}

/* One per node, see scx_global_dsqs(); a node without memory may have none. */
static void read_globals(struct walk *w, uint64_t instance)
{
	uint64_t inside = layout_has(w->layout, M_PNODE_GLOBAL_DSQ) ?
				  w->layout->members[M_PNODE_GLOBAL_DSQ] :
				  0;
	uint64_t list = scx_global_dsqs(w->space, instance), queue;
	unsigned int nodes = list ? count_nodes(w) : 0;

	for (unsigned int node = 0; node < nodes; node++)
		if (space_read_u64(w->space, list + 8ULL * node, &queue) && queue)
			read_queue(w, queue + inside, QUEUE_GLOBAL, node);
}

static void read_scheduler(struct walk *w)
{
	uint64_t instance = scx_instance(w->space), rq;

	for (unsigned int i = 0; i < w->cpu_count && layout_has(w->layout, M_RQ_LOCAL_DSQ); i++)
		if (space_of_cpu(w->space, space_symbol(w->space, SYM_RUNQUEUES), i, &rq))
			read_queue(w, rq + w->layout->members[M_RQ_LOCAL_DSQ], QUEUE_LOCAL, i);
	if (!instance)
		return;
	read_globals(w, instance);
	read_hash(w, scx_dsq_hash(w->space, instance));
}

static void take_runnable(struct walk *w, uint64_t task)
{
	struct task_view t;

	if (w->rc == 0 && read_task(w, task, &t) && (t.is_queued || w->wants_all))
		w->rc = vec_push(&w->out->runnable, t);
}

/* Reads all threads of a process; the list head is in the shared signal_struct. */
static void read_threads(struct walk *w, uint64_t process)
{
	struct cycle cycle = {};
	uint64_t signal, head, node;

	if (!space_read_member(w->space, process, M_TASK_SIGNAL, &signal) ||
	    !space_read_member(w->space, signal, M_SIGNAL_THREADS, &node))
		return;
	head = signal + w->layout->members[M_SIGNAL_THREADS];
	while (node != head && can_follow(w, &cycle, node)) {
		take_runnable(w, node - w->layout->members[M_TASK_THREAD_NODE]);
		if (!space_read_u64(w->space, node, &node))
			break;
	}
}

static void read_processes(struct walk *w)
{
	static const enum watch_member needed[] = { M_TASK_TASKS, M_TASK_SIGNAL, M_SIGNAL_THREADS,
						    M_TASK_THREAD_NODE, M_TASK_ON_RQ };
	uint64_t init = space_symbol(w->space, SYM_INIT_TASK), head, node;
	struct cycle cycle = {};

	if (!init || !layout_has_all(w->layout, needed, ARRAY_SIZE(needed)))
		return;
	head = init + w->layout->members[M_TASK_TASKS];
	if (!space_read_u64(w->space, head, &node))
		return;
	while (node != head && can_follow(w, &cycle, node)) {
		read_threads(w, node - w->layout->members[M_TASK_TASKS]);
		if (!space_read_u64(w->space, node, &node))
			break;
	}
}

static int read_all(struct walk *w)
{
	w->layout = w->space->layout;
	w->steps = MAX_STEPS;
	*w->out = (struct queues){};
	if (!w->wants_all)
		read_scheduler(w);
	read_processes(w);
	if (w->rc < 0)
		queues_finish(w->out);
	return w->rc;
}

int queues_read(struct queues *q, struct space *space, unsigned int cpu_count, uint64_t now_ns)
{
	return read_all(&(struct walk){
		.out = q, .space = space, .now_ns = now_ns, .cpu_count = cpu_count });
}

int queues_read_tasks(struct queues *q, struct space *space, uint64_t now_ns)
{
	return read_all(
		&(struct walk){ .out = q, .space = space, .now_ns = now_ns, .wants_all = true });
}

void queues_finish(struct queues *q)
{
	free(q->queues.items);
	free(q->queued.items);
	free(q->runnable.items);
	*q = (struct queues){};
}
