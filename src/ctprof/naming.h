/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names under which threads, processes and cgroups are joined, and how
 * cgroups are shown. Each distinct name is worked on once.
 */
#ifndef KTSTR_CTPROF_NAMING_H
#define KTSTR_CTPROF_NAMING_H

#include "ctprof/intern.h"
#include "ctprof/name.h"
#include "ctprof/options.h"

/* raw name → key */
struct key_memo {
	struct intern raw;
	struct {
		uint32_t *items;
		size_t count, cap;
	} keys; /* by raw id */
};

struct naming {
	struct intern keys; /* texts of all keys */
	struct key_memo names, cgroups;
	struct {
		struct name_tightener *items;
		size_t count, cap;
	} tighteners; /* of cgroups, by key id */
	const struct glob_list *flatten;
	bool is_cgroup_literal;
};

void naming_init(struct naming *n, const struct report_options *o);
void naming_finish(struct naming *n);

#define _naming_ _cleanup_(naming_finish)

/* Key ids. What could not be read is called "?". -ENOMEM with a message. */
int naming_literal(struct naming *n, const char *name, uint32_t *key);
int naming_skeleton(struct naming *n, const char *name, uint32_t *key);
int naming_cgroup(struct naming *n, const char *path, uint32_t *key);

static inline const char *naming_text(const struct naming *n, uint32_t key)
{
	return n->keys.texts[key];
}

/*
 * Appends what stands for a cgroup's key in tables: parts that all its paths
 * have in common are literal. Valid once all paths have been named.
 */
void naming_add_cgroup_display(const struct naming *n, uint32_t key, struct str *out);

#endif
