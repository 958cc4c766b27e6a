/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which threads take part. By name, both sides bring all threads that pass the
 * filter. By thread, only those seen in both snapshots are compared; the ones
 * that were born or died in between are kept apart. Either way a thread that is
 * in both snapshots of one boot is known as the same.
 */
#ifndef KTSTR_CTPROF_SELECT_H
#define KTSTR_CTPROF_SELECT_H

#include "ctprof/options.h"
#include "ctprof/snapshot.h"

enum side { BASELINE, CANDIDATE, SIDES };

struct member {
	const struct thread_record *thread;
	const struct thread_record *named_by; /* a thread may be renamed: the later name counts */
	const struct thread_record *twin;     /* the same thread on the other side, or NULL */
};

struct selection {
	bool is_joined; /* one boot: who has no twin is not on the other side */
	bool is_paired; /* items of one index are the same thread, before and after */
	struct {
		struct member *items;
		size_t count, cap;
	} sides[SIDES];
};

void selection_finish(struct selection *s);

#define _selection_ _cleanup_(selection_finish)

/* Snapshots may be NULL: show has a candidate only. */
struct snapshot_pair {
	const struct snapshot *sides[SIDES];
};

int select_all(struct selection *s, const struct snapshot_pair *pair,
	       const struct thread_filter *filter);

/* The same threads by number and start time; needs two snapshots of one boot. */
struct fates {
	struct selection survived, born, died;
};

/* Takes the selection apart. */
int select_by_fate(struct fates *f, const struct snapshot_pair *pair, const struct selection *all);
void fates_finish(struct fates *f);

#define _fates_ _cleanup_(fates_finish)

bool filter_passes_cgroup(const struct thread_filter *filter, const char *path);

#endif
