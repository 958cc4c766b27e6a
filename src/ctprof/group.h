/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads to groups: one key per group, one merged side per snapshot. Groups
 * are sorted by key, so an index also is the order of keys.
 */
#ifndef KTSTR_CTPROF_GROUP_H
#define KTSTR_CTPROF_GROUP_H

#include "ctprof/aggregate.h"
#include "ctprof/naming.h"
#include "ctprof/select.h"
#include "ctprof/window.h"

#define NOT_FUDGED UINT32_MAX

/* What became of the threads of a group between the snapshots. */
enum fate { FATE_SURVIVED, FATE_BORN, FATE_DIED, FATES };
extern const char *const fate_names[FATES];

struct group {
	const char *cgroup, *pcomm, *comm; /* NULL where the axis has no such part */
	const char *cgroup_shown;
	uint32_t cgroup_key, pcomm_key, comm_key; /* ids in the naming */
	struct aggregate *sides[SIDES];		  /* NULL: not seen there */
	/*
	 * What they counted: survivors between the snapshots, the born since then, and
	 * what the dead had counted before. NULL: none, or not known (is_joined).
	 */
	struct aggregate *fates[FATES];
	bool is_joined;		  /* threads were told apart, so that fates are known */
	uint32_t unplaced;	  /* candidate threads that the baseline should have had */
	const char *cgroups_most; /* most frequent literal path, where asked for */
	uint32_t fudge_pair;	  /* or NOT_FUDGED */
	const char *fudged_from;  /* last segment of the baseline's cgroup */
};

struct grouping {
	struct arena arena;
	struct group *groups;
	size_t count;
};

/* Strings of the groups stay in the naming and in the snapshots. */
int group_members(struct grouping *g, struct naming *n, const struct selection *s,
		  const struct report_options *o, const struct window *w);
void grouping_finish(struct grouping *g);

#define _grouping_ _cleanup_(grouping_finish)

/* In both snapshots, so that it can be compared. */
static inline bool group_is_matched(const struct group *g)
{
	return g->sides[BASELINE] && g->sides[CANDIDATE];
}

/* Everything that it counted between the snapshots: survivors and born together. */
struct value group_window_value(const struct group *g, unsigned int measure);

/* The last part of the key: what the group column shows. */
const char *group_leaf(const struct group *g);

/* Byte order of keys. */
int group_compare(const struct group *a, const struct group *b);

#endif
