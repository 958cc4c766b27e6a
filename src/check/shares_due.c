// SPDX-License-Identifier: GPL-2.0-only
/*
 * What competitors are due: by task, and by cgroup first, level by level. A task can use at
 * most one CPU, and a sleeper no more than it used: the rest of its share goes to the
 * others.
 */
#include "check/parts.h"

#define DEFAULT_CPU_WEIGHT 100

/* Divides total by weight. An entry gets no more than its cap; the rest goes to the others. */
static void divide(const double *weights, const double *caps, size_t count, double total,
		   double *out)
{
	double left = total, weight = 0;
	bool has_changed = true;

	for (size_t i = 0; i < count; i++) {
		out[i] = -1;
		weight += weights[i];
	}
	while (has_changed && weight > 0) {
		has_changed = false;
		for (size_t i = 0; i < count; i++) {
			if (out[i] >= 0 || left * weights[i] / weight < caps[i])
				continue;
			out[i] = caps[i];
			left -= caps[i];
			weight -= weights[i];
			has_changed = true;
		}
	}
	for (size_t i = 0; i < count; i++)
		if (out[i] < 0)
			out[i] = weight > 0 ? MAX(left, 0) * weights[i] / weight : 0;
}

bool rivals_share_cgroup(const struct rival *a, const struct rival *b)
{
	const char *x = a->worker->cgroup, *y = b->worker->cgroup;

	return x && y ? str_eq(x, y) : x == y;
}

static double cap_of(const struct contest *c, const struct rival *r)
{
	return r->is_busy ? c->cap_ns : (double)r->task->run_ns;
}

static double weight_of_level(const struct known_worker *w, unsigned int level)
{
	uint32_t weight = level < KNOWN_LEVELS ? w->cpu_weights[level] : 0;

	return weight ? weight : DEFAULT_CPU_WEIGHT;
}

/* Length of the first components of a path. */
static size_t prefix_length(const char *path, unsigned int components)
{
	const char *at = path;

	while (*at && (*at != '/' || --components))
		at++;
	return (size_t)(at - path);
}

static bool share_prefix(const struct rival *a, const struct rival *b, unsigned int components)
{
	const char *x = a->worker->cgroup, *y = b->worker->cgroup;
	size_t length;

	if (!x || !y)
		return x == y;
	length = prefix_length(x, components);
	return prefix_length(y, components) == length && memcmp(x, y, length) == 0;
}

unsigned int rival_depth(const struct rival *r)
{
	const char *path = r->worker->cgroup;
	unsigned int depth = path ? 1 : 0;

	for (; path && *path; path++)
		depth += *path == '/';
	return depth;
}

/* Some of the competitors, with arrays for dividing CPU time among them or their cgroups. */
struct division {
	struct rival **rivals;
	size_t count;
	double *weights, *caps, *out;
};

static int division_init(struct division *d, size_t most)
{
	d->rivals = calloc(most, sizeof(*d->rivals));
	d->weights = calloc(most * 3, sizeof(*d->weights));
	d->caps = d->weights + most;
	d->out = d->caps + most;
	d->count = 0;
	return d->rivals && d->weights ? 0 : -1;
}

static void division_finish(struct division *d)
{
	free(d->rivals);
	free(d->weights);
}

static void division_add(struct division *d, struct rival *r, double weight, double cap)
{
	d->rivals[d->count] = r;
	d->weights[d->count] = weight;
	d->caps[d->count++] = cap;
}

static void expect_by_task(const struct contest *c, struct division *d)
{
	d->count = 0;
	for (size_t i = 0; i < c->count; i++)
		division_add(d, c->rivals[i], c->rivals[i]->weight, cap_of(c, c->rivals[i]));
	divide(d->weights, d->caps, d->count, c->total_ns, d->out);
	for (size_t i = 0; i < d->count; i++)
		d->rivals[i]->by_task = d->out[i];
}

/* On a single CPU, only part of a cgroup's weight counts: its other workers are elsewhere. */
static void expect_by_cgroup_here(const struct contest *c, struct division *d)
{
	d->count = 0;
	for (size_t i = 0; i < c->count; i++)
		division_add(d, c->rivals[i], c->rivals[i]->part_of_cgroup,
			     cap_of(c, c->rivals[i]));
	divide(d->weights, d->caps, d->count, c->total_ns, d->out);
	for (size_t i = 0; i < d->count; i++)
		d->rivals[i]->by_cgroup = d->out[i];
}

static void add_to_cgroup(const struct contest *c, struct division *d, struct rival *r,
			  unsigned int level)
{
	for (size_t i = 0; i < d->count; i++)
		if (share_prefix(d->rivals[i], r, level + 1)) {
			d->caps[i] += cap_of(c, r);
			return;
		}
	division_add(d, r, weight_of_level(r->worker, level), cap_of(c, r));
}

static int expect_below(const struct contest *c, const struct rival *inside, unsigned int level,
			double total);

/* Divides total among the cgroups of one level, then what each gets among its content. */
static int expect_cgroups(const struct contest *c, struct division *d, unsigned int level,
			  double total)
{
	int rc = 0;

	divide(d->weights, d->caps, d->count, total, d->out);
	for (size_t i = 0; rc == 0 && i < d->count; i++)
		rc = expect_below(c, d->rivals[i], level + 1, d->out[i]);
	return rc;
}

static bool is_inside(const struct rival *r, const struct rival *inside, unsigned int level)
{
	return !inside || share_prefix(r, inside, level);
}

/* True if there are only tasks, no cgroups, in the cgroup of inside. */
static bool is_bottom(const struct contest *c, const struct rival *inside, unsigned int level)
{
	for (size_t i = 0; i < c->count; i++)
		if (is_inside(c->rivals[i], inside, level) &&
		    !rivals_share_cgroup(c->rivals[i], inside))
			return false;
	return true;
}

/* Divides total among all rivals that share the first level components of inside's path. */
static int expect_below(const struct contest *c, const struct rival *inside, unsigned int level,
			double total)
{
	bool has_tasks_only = level > 0 && is_bottom(c, inside, level);
	struct division d;
	int rc = division_init(&d, c->count);

	for (size_t i = 0; rc == 0 && i < c->count; i++) {
		struct rival *r = c->rivals[i];

		if (!is_inside(r, inside, level))
			continue;
		if (has_tasks_only)
			division_add(&d, r, r->weight, cap_of(c, r));
		else
			add_to_cgroup(c, &d, r, level);
	}
	if (rc == 0 && !has_tasks_only)
		rc = expect_cgroups(c, &d, level, total);
	if (rc == 0 && has_tasks_only) {
		divide(d.weights, d.caps, d.count, total, d.out);
		for (size_t i = 0; i < d.count; i++)
			d.rivals[i]->by_cgroup = d.out[i];
	}
	division_finish(&d);
	return rc;
}

/* The weight of a cgroup is divided among its workers, wherever they run. */
void shares_set_parts(struct rival *all, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double sum = 0;

		for (size_t k = 0; k < count; k++)
			if (rivals_share_cgroup(&all[i], &all[k]))
				sum += all[k].weight;
		all[i].part_of_cgroup = weight_of_level(all[i].worker, 0) * all[i].weight / sum;
	}
}

int shares_expect(struct contest *c)
{
	struct division d;
	int rc = division_init(&d, c->count);

	if (rc == 0) {
		expect_by_task(c, &d);
		if (c->rivals[0]->cpu >= 0)
			expect_by_cgroup_here(c, &d);
		else
			rc = expect_below(c, NULL, 0, c->total_ns);
	}
	division_finish(&d);
	return rc;
}
