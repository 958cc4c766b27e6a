// SPDX-License-Identifier: GPL-2.0-only
/* Sorts the leaves of a tree, and finds the headings between them. */
#include "ctprof/render_parts.h"

static int compare_leaves(const void *a, const void *b)
{
	const struct leaf *x = a, *y = b;

	if (x->cgroup_order != y->cgroup_order)
		return x->cgroup_order < y->cgroup_order ? -1 : 1;
	if (x->pcomm_order != y->pcomm_order)
		return x->pcomm_order < y->pcomm_order ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static const char *shown_cgroup(const struct group *g)
{
	return g->cgroup_shown ? g->cgroup_shown : "/";
}

int tree_order(struct leaf *leaves, size_t count)
{
	_cleanup_(intern_finish) struct intern cgroups = {}, names = {};
	_cleanup_(id_map_finish) struct id_map processes = {};

	array_each(struct leaf, leaf, leaves, count) {
		uint32_t name;
		int rc = intern_add(&cgroups, shown_cgroup(leaf->group), &leaf->cgroup_order);

		rc = rc ?: intern_add(&names, leaf->group->pcomm, &name);
		if (rc == 0)
			rc = id_map_add(&processes, id_pair(leaf->cgroup_order, name),
					&leaf->pcomm_order);
		if (rc < 0)
			return rc;
	}
	if (count)
		qsort(leaves, count, sizeof(*leaves), compare_leaves);
	return 0;
}

/* Length of the next segment, without its slash; *path moves past the segment. */
static size_t next_segment(const char **path)
{
	const char *start = *path + (**path == '/');
	size_t len = strcspn(start, "/");

	*path = start + len;
	return len;
}

static bool is_root(const char *path)
{
	return str_eq(path, "/") || !*path;
}

size_t tree_depth(const struct group *g)
{
	const char *path = shown_cgroup(g);
	size_t depth = 0;

	while (!is_root(path)) {
		next_segment(&path);
		depth++;
	}
	return depth;
}

/* The headings of segments in which the path differs from the one before it. */
static int cgroup_headings(const char *previous, const char *path, tree_heading_fn add,
			   void *context)
{
	bool is_shared = previous != NULL;

	for (size_t depth = 0; !is_root(path); depth++) {
		const char *start = path, *other = previous;
		size_t len, other_len = 0;
		int rc = 0;

		next_segment(&path);
		len = (size_t)(path - start);
		if (is_shared && !is_root(previous)) {
			next_segment(&previous);
			other_len = (size_t)(previous - other);
		}
		is_shared = is_shared && len == other_len && memcmp(start, other, len) == 0;
		if (!is_shared)
			rc = add(context, start, len, depth, true);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int tree_headings(const struct group *previous, const struct group *g, tree_heading_fn add,
		  void *context)
{
	bool is_same_cgroup = previous && str_eq(shown_cgroup(previous), shown_cgroup(g));
	int rc = 0;

	if (!is_same_cgroup)
		rc = cgroup_headings(previous ? shown_cgroup(previous) : NULL, shown_cgroup(g), add,
				     context);
	if (rc < 0 || (is_same_cgroup && str_eq(previous->pcomm, g->pcomm)))
		return rc;
	return add(context, g->pcomm, strlen(g->pcomm), tree_depth(g), false);
}
