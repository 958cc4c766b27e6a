// SPDX-License-Identifier: GPL-2.0-only
/* Computes the host's CPU time minus that of the threads. */
#include "ctprof/report.h"

#include <math.h>

/* Thresholds: ticks are sampled, and threads are read one after the other. */
#define MIN_SECONDS 0.2
#define MIN_SHARE 0.05
#define MOST_SHARE 0.5
#define USEC_PER_SEC 1e6

static bool is_filtered(const struct thread_filter *f)
{
	return f->pids.count || f->cgroups.count || f->comms.count;
}

/* Sum over all CPUs, for threads. NaN if a snapshot lacks it, or has only selected threads. */
static double busy_seconds(const struct report *r)
{
	const struct opt_u64 *from = &r->pair.sides[BASELINE]->cpu_busy_ticks;
	const struct opt_u64 *to = &r->pair.sides[CANDIDATE]->cpu_busy_ticks;

	if (r->pair.sides[BASELINE]->parse.is_hiding || r->pair.sides[CANDIDATE]->parse.is_hiding)
		return NAN;
	if (!from->is_known || !to->is_known || to->value < from->value || !r->window.user_hz ||
	    !r->kept.is_joined || is_filtered(&r->options->filter))
		return NAN;
	return (double)(to->value - from->value) / r->window.user_hz;
}

static double seen_in(const struct grouping *groups)
{
	double ns = 0;

	for (size_t i = 0; i < groups->count; i++) {
		struct value v = group_window_value(&groups->groups[i], M_run_time_ns);

		if (v.kind != VALUE_ABSENT)
			ns += value_number(&v);
	}
	return ns / (double)NSEC_PER_SEC;
}

/* CPU time of children that the process has waited for, including their own children. */
static double children_seconds(const struct member *m, const struct window *w)
{
	const struct opt_u64 *now = &m->thread->children_ticks;
	uint64_t before = m->twin ? m->twin->children_ticks.value : 0;

	if (!now->is_known || now->value < before)
		return 0;
	if (!m->twin && !window_has_start(w, m->thread))
		return 0;
	return (double)(now->value - before) / w->user_hz;
}

static double lifetime_seconds(const struct thread_record *t, const struct window *w)
{
	double run = thread_has(t, M_run_time_ns) ? (double)t->values[M_run_time_ns].u : 0;
	double children = t->children_ticks.is_known ? (double)t->children_ticks.value : 0;

	return run / (double)NSEC_PER_SEC + children / w->user_hz;
}

/* Processes of the baseline, by the IDs of their tgids. */
struct ancestry {
	struct id_map tgids;
	const struct member **leaders; /* NULL: not seen */
	double *earlier;	       /* seconds before the baseline, of exited descendants */
};

static void ancestry_finish(struct ancestry *a)
{
	id_map_finish(&a->tgids);
	free(a->leaders);
	free(a->earlier);
}

static int find_leaders(struct ancestry *a, const struct report *r)
{
	size_t count = r->kept.sides[BASELINE].count;

	a->leaders = calloc(count + 1, sizeof(*a->leaders));
	a->earlier = calloc(count + 1, sizeof(*a->earlier));
	if (!a->leaders || !a->earlier)
		return err_no_memory();
	array_each(const struct member, m, r->kept.sides[BASELINE].items, count) {
		uint32_t id = NO_ID;
		int rc = id_map_add(&a->tgids, m->thread->tgid, &id);

		if (rc < 0)
			return rc;
		if (m->thread->tid == m->thread->tgid)
			a->leaders[id] = m;
	}
	return 0;
}

/* Limit of a chain: reused PIDs can form a cycle. */
#define MAX_ANCESTORS 64

/* Nearest surviving ancestor, to which the time is added; NO_ID = unknown. */
static uint32_t find_heir(const struct ancestry *a, uint32_t id)
{
	for (int i = 0; i < MAX_ANCESTORS; i++) {
		if (id == NO_ID || !a->leaders[id])
			return NO_ID;
		if (a->leaders[id]->twin)
			return id;
		id = id_map_find(&a->tgids, a->leaders[id]->thread->parent.value);
	}
	return NO_ID;
}

/*
 * A parent that waits for a child gets all CPU time of the child and of the child's own children.
 * The part before the baseline does not belong to the window.
 */
static void find_earlier(struct ancestry *a, const struct report *r)
{
	for (size_t i = 0; i < r->kept.sides[BASELINE].count; i++) {
		const struct thread_record *t = r->kept.sides[BASELINE].items[i].thread;
		uint32_t id = id_map_find(&a->tgids, t->tgid), heir;

		if (!a->leaders[id] || a->leaders[id]->twin)
			continue;
		heir = find_heir(a, id);
		if (heir != NO_ID)
			a->earlier[heir] += lifetime_seconds(t, &r->window);
	}
}

static double earlier_seconds(const struct ancestry *a, const struct thread_record *parent)
{
	uint32_t id = id_map_find(&a->tgids, parent->tgid);

	return id == NO_ID ? 0 : a->earlier[id];
}

static int find_parents(struct unseen *u, const struct report *r)
{
	_cleanup_(ancestry_finish) struct ancestry a = {};
	int rc = find_leaders(&a, r);

	if (rc < 0)
		return rc;
	find_earlier(&a, r);
	vec_each(const struct member, m, &r->kept.sides[CANDIDATE]) {
		double seconds = children_seconds(m, &r->window);

		if (m->twin)
			seconds -= earlier_seconds(&a, m->thread);
		if (seconds >= u->unseen_s * MIN_SHARE)
			top_add(&u->parents, m->thread, seconds);
	}
	return 0;
}

static const struct cgroup_record *find_cgroup(const struct snapshot *s, const char *path)
{
	return array_find(s->cgroups, s->cgroup_count, path, path);
}

static bool is_within(const char *path, const char *cgroup, size_t len)
{
	return path && strncmp(path, cgroup, len) == 0 && (!path[len] || path[len] == '/');
}

static double run_seconds(const struct member *m, const struct window *w)
{
	double ns = thread_growth(m->thread, m->twin, M_run_time_ns);

	if (isnan(ns) || (!m->twin && !window_has_start(w, m->thread)))
		return 0;
	return ns / (double)NSEC_PER_SEC;
}

/* Time that the kernel counted for a cgroup and those below it, minus that of their threads. */
static double cgroup_unseen(const struct report *r, const struct cgroup_record *now)
{
	const struct cgroup_record *before = find_cgroup(r->pair.sides[BASELINE], now->path);
	size_t len = strlen(now->path);
	double seconds;

	if (!before || !before->usage_usec.is_known || !now->usage_usec.is_known ||
	    now->usage_usec.value < before->usage_usec.value)
		return 0;
	seconds = (double)(now->usage_usec.value - before->usage_usec.value) / USEC_PER_SEC;
	vec_each(const struct member, m, &r->kept.sides[CANDIDATE]) {
		if (is_within(m->thread->cgroup, now->path, len))
			seconds -= run_seconds(m, &r->window);
	}
	return seconds;
}

/* Paths are sorted, so a descendant comes after its ancestor. */
static void find_innermost(struct unseen *u, const struct report *r)
{
	const struct snapshot *s = r->pair.sides[CANDIDATE];

	for (size_t i = 0; i < s->cgroup_count; i++) {
		const char *path = s->cgroups[i].path;

		if (!str_eq(path, "/") &&
		    cgroup_unseen(r, &s->cgroups[i]) >= u->unseen_s * MOST_SHARE)
			u->cgroup = path;
	}
}

int unseen_find(struct unseen *u, const struct report *r)
{
	int rc;

	*u = (struct unseen){ .busy_s = busy_seconds(r) };
	u->unseen_s = u->busy_s - seen_in(&r->groups) - seen_in(&r->born);
	if (!(u->unseen_s >= MIN_SECONDS) || u->unseen_s < u->busy_s * MIN_SHARE)
		return 0;
	rc = find_parents(u, r);
	if (rc < 0)
		return rc;
	find_innermost(u, r);
	return 1;
}
