/* SPDX-License-Identifier: GPL-2.0-only */
/* Groups as a tree of cgroups and processes, with headings where a branch starts. */
#ifndef KTSTR_CTPROF_RENDER_TREE_H
#define KTSTR_CTPROF_RENDER_TREE_H

#include "base/str.h"
#include "ctprof/group.h"

/* A leaf: what it is about, and the caller's own number for it. */
struct leaf {
	const struct group *group;
	size_t index;
	uint32_t cgroup_order, pcomm_order;
};

/*
 * Puts leaves that come in order of rank together by cgroup and process:
 * branches are ordered by their best leaf. -ENOMEM with a message.
 */
int tree_order(struct leaf *leaves, size_t count);

/* Depth of a group: the number of its cgroup's segments. */
size_t tree_depth(const struct group *g);

/* Calls add() with every heading that a leaf needs after the previous one (or NULL). */
typedef int (*tree_heading_fn)(void *context, const char *text, size_t len, size_t depth,
			       bool is_cgroup);
int tree_headings(const struct group *previous, const struct group *g, tree_heading_fn add,
		  void *context);

#endif
