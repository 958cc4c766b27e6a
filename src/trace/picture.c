// SPDX-License-Identifier: GPL-2.0-only
/* Converts records to spans. */
#include "trace/parts.h"

#define EXIT_CALL "scx_vexit"

struct collector {
	struct picture *picture;
	struct task_states states;
	VEC(uint32_t) index; /* by PID: index of its task + 1 */
	size_t max_spans;
};

/* Spans arrive in order of their ends: dropped ones ended before all that are kept. */
static int keep(struct collector *c, const struct picture_span *span)
{
	struct picture *p = c->picture;

	if (p->spans.count == c->max_spans) {
		size_t cut = (c->max_spans + 1) / 2;

		p->from_ns = p->spans.items[cut - 1].to_ns;
		p->cut_spans += cut;
		p->spans.count -= cut;
		memmove(p->spans.items, p->spans.items + cut, p->spans.count * sizeof(*span));
	}
	return vec_push(&p->spans, *span);
}

static int find_task(struct collector *c, uint32_t pid, uint32_t *index)
{
	int rc = 0;

	while (rc == 0 && c->index.count <= pid)
		rc = vec_push(&c->index, 0);
	if (rc == 0 && !c->index.items[pid]) {
		rc = vec_push(&c->picture->tasks,
			      (struct picture_task){ .pid = pid, .cgroup = TRACE_NO_CGROUP });
		c->index.items[pid] = (uint32_t)c->picture->tasks.count;
	}
	*index = rc == 0 ? c->index.items[pid] - 1 : 0;
	return rc;
}

static int end_state(struct collector *c, uint32_t pid, uint64_t time_ns)
{
	struct task_now now = states_get(&c->states, pid);
	struct picture_span span = { now.since_ns, time_ns, 0, now.cpu, now.state };
	int rc;

	if (now.state == TASK_ABSENT || time_ns == now.since_ns)
		return 0;
	rc = find_task(c, pid, &span.task);
	return rc ?: keep(c, &span);
}

/* Uses the last name and the last cgroup of a task. */
static int know(struct collector *c, const struct trace_reader *r, uint32_t pid)
{
	const struct trace_task *known = trace_task(r, pid);
	struct picture_task *t;
	uint32_t index;
	int rc = find_task(c, pid, &index);

	if (rc < 0)
		return rc;
	t = &c->picture->tasks.items[index];
	memcpy(t->name, known->name, sizeof(t->name));
	t->cgroup = known->cgroup;
	while (rc == 0 && known->cgroup != TRACE_NO_CGROUP &&
	       c->picture->cgroups.count <= known->cgroup) {
		const char *name = trace_cgroup_name(r, (uint32_t)c->picture->cgroups.count);

		rc = texts_add(&c->picture->cgroups, name ? name : "");
	}
	return rc;
}

static void note_exit(struct picture *p, const struct trace_record *e)
{
	const char *call = e->type == TRACE_CALL ? run_tracer_call_name(e->value) : NULL;

	if (p->has_exit || !call || !str_eq(call, EXIT_CALL))
		return;
	p->has_exit = true;
	p->exit_ns = e->time_ns;
}

static int collect(void *ctx, const struct trace_reader *r, const struct trace_record *e)
{
	struct collector *c = ctx;
	struct picture *p = c->picture;
	struct task_change changes[STATES_MAX_CHANGES];
	size_t count = states_changes(&c->states, e, changes);
	int rc = 0;

	if (!p->cpu_count)
		p->trace_from_ns = p->from_ns = e->time_ns;
	p->cpu_count = MAX(p->cpu_count, e->cpu + 1U);
	p->to_ns = e->time_ns;
	note_exit(p, e);
	for (size_t i = 0; i < count && rc == 0; i++) {
		rc = end_state(c, changes[i].pid, e->time_ns);
		rc = rc ?: states_set(&c->states, &changes[i]);
	}
	return rc ?: know(c, r, e->pid);
}

static int end_all(struct collector *c)
{
	int rc = 0;

	for (size_t pid = 0; pid < c->states.tasks.count && rc == 0; pid++)
		rc = end_state(c, (uint32_t)pid, c->picture->to_ns);
	return rc;
}

/* ---- sorting ---- */

static int compare_spans(const void *a, const void *b)
{
	const struct picture_span *x = a, *y = b;

	if (x->from_ns != y->from_ns)
		return x->from_ns < y->from_ns ? -1 : 1;
	return ORDER(x->task, y->task);
}

static int compare_places(const void *a, const void *b)
{
	const struct picture_task *x = a, *y = b;

	if (x->is_in_root != y->is_in_root)
		return x->is_in_root ? 1 : -1;
	if (x->cgroup != y->cgroup)
		return x->cgroup < y->cgroup ? -1 : 1;
	return ORDER(x->pid, y->pid);
}

static int compare_times(const void *a, const void *b)
{
	const struct picture_task *x = *(struct picture_task *const *)a;
	const struct picture_task *y = *(struct picture_task *const *)b;
	uint64_t p = x->ran_ns + x->waited_ns, q = y->ran_ns + y->waited_ns;

	if (p != q)
		return p > q ? -1 : 1;
	return ORDER(x->pid, y->pid);
}

static void add_up(struct picture *p)
{
	vec_each(struct picture_span, s, &p->spans) {
		struct picture_task *t = &p->tasks.items[s->task];
		uint64_t ns;

		s->from_ns = MAX(s->from_ns, p->from_ns);
		ns = s->to_ns - s->from_ns;
		if (s->state == TASK_RUNNING) {
			t->ran_ns += ns;
		} else {
			t->waited_ns += ns;
			t->longest_wait_ns = MAX(t->longest_wait_ns, ns);
		}
	}
}

/* Renumbers tasks: drops those without a span, orders the others by row. */
static int order_tasks(struct picture *p)
{
	uint32_t *moved = calloc(p->tasks.count + 1, sizeof(*moved));
	size_t count = 0;

	if (!moved)
		return err_no_memory();
	for (size_t i = 0; i < p->tasks.count; i++) {
		struct picture_task *t = &p->tasks.items[i];

		t->rank = (uint32_t)i; /* temporarily: the old index */
		t->is_in_root = t->cgroup >= p->cgroups.count ||
				str_eq(p->cgroups.items[t->cgroup], "/");
		if (t->ran_ns + t->waited_ns)
			p->tasks.items[count++] = *t;
	}
	p->tasks.count = count;
	vec_sort(&p->tasks, compare_places);
	for (size_t i = 0; i < count; i++)
		moved[p->tasks.items[i].rank] = (uint32_t)i;
	for (size_t i = 0; i < p->spans.count; i++)
		p->spans.items[i].task = moved[p->spans.items[i].task];
	free(moved);
	return 0;
}

static int rank_tasks(struct picture *p)
{
	VEC(struct picture_task *) order = {};
	int rc = 0;

	for (size_t i = 0; i < p->tasks.count && rc == 0; i++)
		rc = vec_push(&order, &p->tasks.items[i]);
	vec_sort(&order, compare_times);
	for (size_t i = 0; i < order.count; i++)
		order.items[i]->rank = (uint32_t)i;
	free(order.items);
	return rc;
}

int picture_read(struct picture *p, const void *records, size_t len, size_t max_spans)
{
	struct collector c = { .picture = p, .max_spans = max_spans };
	int rc;

	*p = (struct picture){};
	rc = trace_walk(records, len, collect, &c);
	rc = rc ?: end_all(&c);
	states_finish(&c.states);
	free(c.index.items);
	if (rc == 0) {
		add_up(p);
		rc = order_tasks(p);
	}
	if (rc == 0) {
		vec_sort(&p->spans, compare_spans);
		rc = rank_tasks(p);
	}
	if (rc < 0)
		picture_finish(p);
	return rc;
}

void picture_finish(struct picture *p)
{
	texts_finish(&p->cgroups);
	free(p->spans.items);
	free(p->tasks.items);
	*p = (struct picture){};
}

/* ---- text ---- */

void picture_add_name(struct str *out, const struct picture_task *t)
{
	str_addf(out, "%s %u", *t->name ? t->name : "task", t->pid);
}

void picture_add_time(struct str *out, uint64_t ns)
{
	if (ns >= NSEC_PER_SEC)
		str_addf(out, "%.3f s", (double)ns / (double)NSEC_PER_SEC);
	else if (ns >= NSEC_PER_MSEC)
		str_addf(out, "%.3f ms", (double)ns / (double)NSEC_PER_MSEC);
	else
		str_addf(out, "%.3f µs", (double)ns / 1000.0);
}

void picture_add_cut(struct str *out, const struct picture *p, size_t max_rows)
{
	if (p->cut_spans) {
		str_addf(out, "%zu older spans, the first ", p->cut_spans);
		picture_add_time(out, p->from_ns - p->trace_from_ns);
		str_add(out, ", are left out. ");
	}
	if (p->tasks.count > max_rows)
		str_addf(out, "%zu tasks that ran and waited least have no row. ",
			 p->tasks.count - max_rows);
	if (p->cpu_count > max_rows)
		str_addf(out, "%zu CPUs have no row. ", p->cpu_count - max_rows);
	str_trim_end(out);
}
