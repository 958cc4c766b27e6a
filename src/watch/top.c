// SPDX-License-Identifier: GPL-2.0-only
/* Reads a guest run by another process. Its presentation is in top_text.c. */
#include "watch/parts.h"

const char *const top_sort_names[TOP_SORTS] = {
	[TOP_BY_WAIT] = "wait",	  [TOP_BY_CPU] = "cpu", [TOP_BY_DSQ] = "dsq",
	[TOP_BY_VTIME] = "vtime", [TOP_BY_PID] = "pid",
};

int top_open(struct top *t, const struct notice *notice)
{
	size_t cpus = notice->cpu_count;

	*t = (struct top){ .notice = *notice,
			   .now = { .cpu_count = cpus },
			   .before = { .cpu_count = cpus } };
	t->now.cpus = calloc(cpus, sizeof(*t->now.cpus));
	t->before.cpus = calloc(cpus, sizeof(*t->before.cpus));
	t->moved_ns = calloc(cpus, sizeof(*t->moved_ns));
	if (!t->now.cpus || !t->before.cpus || !t->moved_ns)
		return err_no_memory();
	return notice->has_layout ? 0 :
				    layout_read(&t->notice.layout, notice->kernel, notice->vmlinux);
}

void top_close(struct top *t)
{
	for (size_t i = 0; i < TOP_SECTIONS; i++)
		free(t->rows[i].items.items);
	moment_parts_finish(&t->parts);
	programs_finish(&t->old_programs);
	free(t->now.cpus);
	free(t->before.cpus);
	free(t->moved_ns);
	*t = (struct top){};
}

/* In a booting guest the kernel appears only after some time. */
static int find_kernel(struct top *t)
{
	const struct vm_memory *m = &t->notice.memory;
	char byte;
	int rc = vm_memory_read(m, m->extents[0].guest, &byte, sizeof(byte));

	if (rc == -ESRCH)
		return err_set(ESRCH, "the guest has ended");
	if (rc == -EPERM)
		return err_set(EPERM,
			       "the memory of QEMU (pid %d) may not be read: its owner "
			       "or root can, in a container with the capability to ptrace",
			       (int)m->pid);
	if (t->has_space)
		return 0;
	rc = space_open(&t->space, m, &t->notice.layout);
	t->has_space = rc == 0;
	return rc < 0 ? err_set(EAGAIN, "the guest's kernel has not begun yet") : 0;
}

static int fill(struct top_rows *rows, size_t count)
{
	int rc = 0;

	rows->items.count = 0;
	for (size_t i = 0; i < count && rc == 0; i++)
		rc = vec_push(&rows->items, i);
	return rc;
}

/* A scheduler may have a DSQ per CPU: non-empty ones come first. */
static int by_queue(const void *a, const void *b, void *ctx)
{
	const struct queue_view *all = ctx;
	const struct queue_view *x = &all[*(const size_t *)a], *y = &all[*(const size_t *)b];

	if (!x->length != !y->length)
		return x->length ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind == QUEUE_USER ? -1 :
		       y->kind == QUEUE_USER ? 1 :
					       ORDER(x->kind, y->kind);
	return x->id != y->id ? ORDER(x->id, y->id) : ORDER(x->number, y->number);
}

/* Leaves out empty local DSQs: every CPU has one. */
static int list_queues(struct top *t)
{
	const struct queues *q = &t->parts.queues;
	struct top_rows *rows = &t->rows[TOP_QUEUES];
	int rc = 0;

	rows->items.count = 0;
	for (size_t i = 0; i < q->queues.count && rc == 0; i++)
		if (q->queues.items[i].kind == QUEUE_USER || q->queues.items[i].length)
			rc = vec_push(&rows->items, i);
	if (rows->items.count)
		qsort_r(rows->items.items, rows->items.count, sizeof(*rows->items.items), by_queue,
			q->queues.items);
	return rc;
}

static int list_events(struct top *t)
{
	struct top_rows *rows = &t->rows[TOP_EVENTS];
	int rc = 0;

	rows->items.count = 0;
	for (size_t i = 0; i < SCX_COUNTERS && rc == 0; i++)
		if (t->now.cpus[0].known_events >> i & 1)
			rc = vec_push(&rows->items, i);
	return rc;
}

static int list_all(struct top *t)
{
	int rc = fill(&t->rows[TOP_CPUS], t->now.cpu_count);

	rc = rc ?: list_queues(t);
	rc = rc ?: fill(&t->rows[TOP_TASKS], t->parts.queues.runnable.count);
	rc = rc ?: list_events(t);
	rc = rc ?: fill(&t->rows[TOP_PROGRAMS], t->parts.programs.items.count);
	if (rc == 0)
		top_set_sort(t, t->sort);
	return rc;
}

/* Key for sorting: longest wait and last to run come first; all others ascend. */
static uint64_t rank(const struct task_view *t, enum top_sort sort)
{
	switch (sort) {
	case TOP_BY_WAIT:
		return UINT64_MAX - (t->is_waiting ? t->wait_ns : 0);
	case TOP_BY_CPU:
		return t->cpu;
	case TOP_BY_DSQ:
		return t->has_dsq ? t->dsq_id : UINT64_MAX;
	case TOP_BY_VTIME:
		return t->vtime;
	default:
		return t->pid;
	}
}

static int by_rank(const void *a, const void *b, void *ctx)
{
	const struct top *top = ctx;
	const struct task_view *all = top->parts.queues.runnable.items;
	const struct task_view *x = &all[*(const size_t *)a], *y = &all[*(const size_t *)b];
	uint64_t rx = rank(x, top->sort), ry = rank(y, top->sort);

	if (rx != ry)
		return rx < ry ? -1 : 1;
	return ORDER(x->pid, y->pid);
}

void top_set_sort(struct top *t, enum top_sort sort)
{
	struct top_rows *rows = &t->rows[TOP_TASKS];

	t->sort = sort;
	if (rows->items.count)
		qsort_r(rows->items.items, rows->items.count, sizeof(*rows->items.items), by_rank,
			t);
}

static void note_clocks(struct top *t)
{
	for (size_t i = 0; i < t->now.cpu_count; i++) {
		const struct cpu_sample *a = &t->before.cpus[i], *b = &t->now.cpus[i];

		if (!a->is_known || !b->is_known || a->clock_ns != b->clock_ns || !b->nr_running)
			t->moved_ns[i] = t->host_ns;
	}
}

static int read_moment(struct top *t, bool has_maps)
{
	struct cpu_sample *spare = t->before.cpus;
	int rc;

	t->before.cpus = t->now.cpus;
	t->now.cpus = spare;
	programs_finish(&t->old_programs);
	t->old_programs = t->parts.programs;
	t->parts.programs = (struct programs){};
	moment_parts_finish(&t->parts);
	rc = moment_read(&t->moment, &t->parts, &t->now, &t->space, has_maps);
	return rc == -ENODATA ? -EAGAIN : rc;
}

static int read_all(struct top *t, uint64_t host_ns, bool has_maps)
{
	int rc = find_kernel(t);

	t->host_ns = host_ns;
	rc = rc ?: read_moment(t, has_maps);
	rc = rc ?: list_all(t);
	if (rc == 0)
		note_clocks(t);
	return rc;
}

int top_read(struct top *t, uint64_t host_ns)
{
	return read_all(t, host_ns, false);
}

int top_dump(struct top *t, struct str *out)
{
	int rc = read_all(t, t->host_ns, true);

	t->moment.trigger = "request";
	return rc < 0 ? rc : moment_add_to_file(&t->moment, out);
}
