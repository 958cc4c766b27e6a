/* SPDX-License-Identifier: GPL-2.0-only */
/* Groups the threads of two snapshots: select, name, merge. Internal. */
#ifndef KTSTR_CTPROF_GROUP_H
#define KTSTR_CTPROF_GROUP_H

#include "ctprof/name.h"
#include "ctprof/options.h"
#include "ctprof/snapshot.h"

/*
 * Dense IDs for strings and for 64-bit keys, by hashing. Grouping tens of thousands of threads then
 * works on small integers.
 */

#define NO_ID UINT32_MAX

/* Equal keys have equal IDs; a pair of IDs makes a key. */
struct id_map {
	uint64_t *keys; /* by id */
	uint32_t *slots;
	size_t count, cap, slot_count;
};

int id_map_add(struct id_map *m, uint64_t key, uint32_t *id);

/* NO_ID if the key was never added. */
uint32_t id_map_find(const struct id_map *m, uint64_t key);

void id_map_finish(struct id_map *m);

static inline uint64_t id_pair(uint32_t a, uint32_t b)
{
	return (uint64_t)a << 32 | b;
}

/* Equal strings have equal IDs, from 0 in order of first appearance. */
struct intern {
	VEC(const char *) texts; /* by id */
	struct id_map ids;	 /* by hash */
	struct arena arena;
};

/* ID of the string, which must outlive the table. 0, or -ENOMEM with a message. */
int intern_add(struct intern *t, const char *text, uint32_t *id);

/* The same; copies a new string. */
int intern_add_copy(struct intern *t, const char *text, uint32_t *id);

/* NO_ID if the string was never added. */
uint32_t intern_find(const struct intern *t, const char *text);

void intern_finish(struct intern *t);

/*
 * Names by which threads, processes and cgroups are joined, and display names of cgroups. Each
 * distinct name is processed once.
 */

/* raw name → key */
struct key_memo {
	struct intern raw;
	VEC(uint32_t) keys; /* by raw id */
};

struct naming {
	struct intern keys; /* strings of all keys */
	struct key_memo names, cgroups;
	VEC(struct name_tightener) tighteners; /* of cgroups, by key ID */
	const struct glob_list *flatten;
	bool is_cgroup_literal;
};

void naming_init(struct naming *n, const struct report_options *o);
void naming_finish(struct naming *n);

/* Returns key IDs. Unreadable names become "?". -ENOMEM with a message. */
int naming_literal(struct naming *n, const char *name, uint32_t *key);
int naming_skeleton(struct naming *n, const char *name, uint32_t *key);
int naming_cgroup(struct naming *n, const char *path, uint32_t *key);

static inline const char *naming_text(const struct naming *n, uint32_t key)
{
	return n->keys.texts.items[key];
}

/*
 * Appends the display name of a cgroup key: parts that all its paths have in common are literal.
 * Valid after all paths were named.
 */
void naming_add_cgroup_display(const struct naming *n, uint32_t key, struct str *out);

/*
 * Selects the threads. Matching by name, both sides contribute all threads that pass the filter. By
 * thread, only those in both snapshots are compared; threads that started or exited in between are
 * kept separately. In both cases a thread in both snapshots of one boot is recognized.
 */

enum side { BASELINE, CANDIDATE, SIDES };

struct member {
	const struct thread_record *thread;
	const struct thread_record *named_by; /* a thread may be renamed: the later name is used */
	const struct thread_record *twin;     /* the same thread on the other side, or NULL */
};

struct selection {
	bool is_joined; /* one boot: a thread without a twin is not on the other side */
	bool is_paired; /* items with the same index are the same thread */
	VEC(struct member) sides[SIDES];
};

void selection_finish(struct selection *s);

/* Snapshots may be NULL: show has only a candidate. */
struct snapshot_pair {
	const struct snapshot *sides[SIDES];
};

int select_all(struct selection *s, const struct snapshot_pair *pair,
	       const struct thread_filter *filter);

/* The same threads by ID and start time; needs two snapshots of one boot. */
struct fates {
	struct selection survived, born, died;
};

/* Splits the selection. */
int select_by_fate(struct fates *f, const struct snapshot_pair *pair, const struct selection *all);
void fates_finish(struct fates *f);

bool filter_passes_cgroup(const struct thread_filter *filter, const char *path);

/* The interval between two snapshots, as far as known. */

struct window {
	bool is_one_boot;      /* both say so: ticks can be subtracted */
	bool is_other_boot;    /* both say so: counters were reset */
	bool has_other_ticks;  /* both say so: tick lengths differ */
	double now_ticks;      /* of the candidate */
	double interval_ticks; /* 0 when unknown */
	double seconds;	       /* 0 when unknown */
	double user_hz;	       /* of both; 0 when unknown or different */
};

struct window window_between(const struct snapshot_pair *pair);

/*
 * Maximum time that a thread can have spent in it, considering clock accuracy; INFINITY if unknown.
 */
double window_longest_seconds(const struct window *w);

/* Returns whether a thread of the candidate started after the baseline was taken. */
bool window_has_start(const struct window *w, const struct thread_record *t);

/* Fraction of the window in which a thread of the candidate was alive. */
double window_alive(const struct window *w, uint64_t start_ticks);

/*
 * Threads of one group on one side, merged metric by metric. A metric that no member measured stays
 * absent; otherwise the members that did are merged.
 */

struct word_tally {
	struct word_tally *next;
	const char *word;
	uint32_t count;
};

union merged {
	uint64_t u;
	struct {
		int32_t min, max; /* priorities, nice values and CPU numbers */
	} range;
	struct word_tally *words;
	struct affinity *affinity;
};

struct aggregate {
	uint32_t threads;
	uint32_t kernel_threads;
	uint32_t known_starts;
	double start_sum; /* ticks, over threads with known start */
	double alive_sum; /* fractions of the interval, over the same threads */
	double newest_start;
	uint32_t without_time_for_io;	 /* threads whose I/O wait does not fit into the window */
	double queued_ns;		 /* sum of thread_queued_ns() */
	uint32_t queued_threads;	 /* threads in that sum */
	uint32_t measured[METRIC_COUNT]; /* threads in the merged value */
	union merged merged[METRIC_COUNT];
};

/* One bit per metric. */
struct metric_set {
	uint64_t bits[MEASURED_WORDS];
};

/* Metrics that the thread measured, of families that the kernel maintains. */
struct metric_set thread_metrics(const struct thread_record *t);

/*
 * Adds the metrics of the set, which the thread must have measured. Larger cells are allocated from
 * the arena. -ENOMEM with a message.
 */
int aggregate_add_thread(struct aggregate *a, const struct thread_record *t,
			 const struct metric_set *set, struct arena *arena);
int aggregate_merge(struct aggregate *into, const struct aggregate *from, struct arena *arena);

/*
 * Adds what the thread counted since its earlier record, or since its start if NULL. Sums only;
 * omits values that decreased or were not measured in both, and an I/O wait that exceeds the
 * thread's time.
 */
void aggregate_add_counted(struct aggregate *a, const struct thread_record *now,
			   const struct thread_record *before, const struct window *w);

/* Increase of a counter since the earlier record, or since the start if NULL. NaN = unknown. */
double thread_growth(const struct thread_record *now, const struct thread_record *before,
		     enum metric_id m);

/*
 * Time in the window in which the thread was runnable but did not run, as counted by the kernel;
 * NaN if that is incomplete.
 */
double thread_queued_ns(const struct thread_record *now, const struct thread_record *before,
			const struct window *w);

/* A sum over both, or a measure derived from sums. Either may be NULL. */
struct value aggregate_value_of_both(const struct aggregate *a, const struct aggregate *b,
				     unsigned int measure);

/* NULL is a side without threads: all values are absent. */
struct value aggregate_value(const struct aggregate *a, unsigned int measure);

/* Number of threads in the value; for derived measures of the input with the fewest. */
uint32_t aggregate_measured(const struct aggregate *a, unsigned int measure);

/* Returns whether the value omits threads of its group that should have had one. */
bool aggregate_is_partial(const struct aggregate *a, unsigned int measure);

/* Returns whether the thread measured it and the kernel maintains the family. */
bool thread_measured(const struct thread_record *t, enum metric_id m);

/*
 * Groups threads: one key per group, one merged side per snapshot. Groups are sorted by key, so the
 * index is also the order of keys.
 */

#define NOT_FUDGED UINT32_MAX

/* What happened to the threads of a group between the snapshots. */
enum fate { FATE_SURVIVED, FATE_BORN, FATE_DIED, FATES };

struct group {
	const char *cgroup, *pcomm, *comm; /* NULL if the axis has no such part */
	const char *cgroup_shown;
	uint32_t cgroup_key, pcomm_key, comm_key; /* ids in the naming */
	struct aggregate *sides[SIDES];		  /* NULL: not in that snapshot */
	/*
	 * Counts of survivors between the snapshots, of new threads since then, and of exited
	 * threads before. NULL: none, or unknown (see is_joined).
	 */
	struct aggregate *fates[FATES];
	bool is_joined;		  /* threads were matched individually, so fates are known */
	uint32_t unplaced;	  /* candidate threads that the baseline should have, but lacks */
	const char *cgroups_most; /* most frequent literal path, if requested */
	uint32_t fudge_pair;	  /* or NOT_FUDGED */
	const char *fudged_from;  /* last component of the baseline's cgroup */
};

struct grouping {
	struct arena arena;
	struct group *groups;
	size_t count;
};

/* Strings of the groups are owned by the naming and the snapshots. */
int group_members(struct grouping *g, struct naming *n, const struct selection *s,
		  const struct report_options *o, const struct window *w);
void grouping_finish(struct grouping *g);

/* In both snapshots, so it can be compared. */
static inline bool group_is_matched(const struct group *g)
{
	return g->sides[BASELINE] && g->sides[CANDIDATE];
}

static inline bool group_is_only_in(const struct group *g, enum side side)
{
	return g->sides[side] && !g->sides[!side];
}

/* Everything counted between the snapshots: survivors and new threads together. */
struct value group_window_value(const struct group *g, unsigned int measure);

/* Last part of the key, shown in the group column. */
const char *group_leaf(const struct group *g);

#endif
