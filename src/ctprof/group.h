/* SPDX-License-Identifier: GPL-2.0-only */
/* From the threads of two snapshots to groups: select, name, merge. For this room only. */
#ifndef KTSTR_CTPROF_GROUP_H
#define KTSTR_CTPROF_GROUP_H

#include "ctprof/name.h"
#include "ctprof/options.h"
#include "ctprof/snapshot.h"

/*
 * Dense numbers for strings and for 64-bit keys, by hashing. Grouping tens of
 * thousands of threads is then arithmetic on small integers.
 */

#define NO_ID UINT32_MAX

/* Equal keys have equal ids; pairs of ids make a key. */
struct id_map {
	uint64_t *keys; /* by id */
	uint32_t *slots;
	size_t count, cap, slot_count;
};

int id_map_add(struct id_map *m, uint64_t key, uint32_t *id);

/* NO_ID when the key was never added. */
uint32_t id_map_find(const struct id_map *m, uint64_t key);

void id_map_finish(struct id_map *m);

static inline uint64_t id_pair(uint32_t a, uint32_t b)
{
	return (uint64_t)a << 32 | b;
}

/* Equal texts have equal ids, counted from 0 in order of their first appearance. */
struct intern {
	VEC(const char *) texts; /* by id */
	struct id_map ids;	 /* by hash */
	struct arena arena;
};

/* The text's id; it must outlive the table. 0, or -ENOMEM with a message. */
int intern_add(struct intern *t, const char *text, uint32_t *id);

/* The same with a copy of the text when it is new. */
int intern_add_copy(struct intern *t, const char *text, uint32_t *id);

/* NO_ID when the text was never added. */
uint32_t intern_find(const struct intern *t, const char *text);

void intern_finish(struct intern *t);

/*
 * The names under which threads, processes and cgroups are joined, and how
 * cgroups are shown. Each distinct name is worked on once.
 */

/* raw name → key */
struct key_memo {
	struct intern raw;
	VEC(uint32_t) keys; /* by raw id */
};

struct naming {
	struct intern keys; /* texts of all keys */
	struct key_memo names, cgroups;
	VEC(struct name_tightener) tighteners; /* of cgroups, by key id */
	const struct glob_list *flatten;
	bool is_cgroup_literal;
};

void naming_init(struct naming *n, const struct report_options *o);
void naming_finish(struct naming *n);

/* Key ids. What could not be read is called "?". -ENOMEM with a message. */
int naming_literal(struct naming *n, const char *name, uint32_t *key);
int naming_skeleton(struct naming *n, const char *name, uint32_t *key);
int naming_cgroup(struct naming *n, const char *path, uint32_t *key);

static inline const char *naming_text(const struct naming *n, uint32_t key)
{
	return n->keys.texts.items[key];
}

/*
 * Appends what stands for a cgroup's key in tables: parts that all its paths
 * have in common are literal. Valid once all paths have been named.
 */
void naming_add_cgroup_display(const struct naming *n, uint32_t key, struct str *out);

/*
 * Which threads take part. By name, both sides bring all threads that pass the
 * filter. By thread, only those seen in both snapshots are compared; the ones
 * that were born or died in between are kept apart. Either way a thread that is
 * in both snapshots of one boot is known as the same.
 */

enum side { BASELINE, CANDIDATE, SIDES };

struct member {
	const struct thread_record *thread;
	const struct thread_record *named_by; /* a thread may be renamed: the later name counts */
	const struct thread_record *twin;     /* the same thread on the other side, or NULL */
};

struct selection {
	bool is_joined; /* one boot: who has no twin is not on the other side */
	bool is_paired; /* items of one index are the same thread, before and after */
	VEC(struct member) sides[SIDES];
};

void selection_finish(struct selection *s);

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

bool filter_passes_cgroup(const struct thread_filter *filter, const char *path);

/* The stretch of time between two snapshots, as far as they tell. */

struct window {
	bool is_one_boot;      /* both say so: ticks of both can be subtracted */
	bool is_other_boot;    /* both say so: counters started anew */
	bool has_other_ticks;  /* both say so: clock ticks have different lengths */
	double now_ticks;      /* of the candidate */
	double interval_ticks; /* 0 when unknown */
	double seconds;	       /* 0 when unknown */
	double user_hz;	       /* of both; 0 when unknown or different */
};

struct window window_between(const struct snapshot_pair *pair);

/* What a thread can have spent in it at most, as clocks go; INFINITY when unknown. */
double window_longest_seconds(const struct window *w);

/* Whether a thread of the candidate began after the baseline was taken. */
bool window_has_start(const struct window *w, const struct thread_record *t);

/* The share of the window that a thread of the candidate was alive. */
double window_alive(const struct window *w, uint64_t start_ticks);

/*
 * The threads of one group on one side, merged metric by metric. A metric that
 * no member measured stays absent; a mixed group merges the members that did.
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
	double start_sum; /* ticks, over the threads whose start is known */
	double alive_sum; /* shares of the interval, over the same threads */
	double newest_start;
	uint32_t without_time_for_io;	 /* threads whose wait for it does not fit in the window */
	double queued_ns;		 /* of what they counted: see thread_queued_ns() */
	uint32_t queued_threads;	 /* that it is made of */
	uint32_t measured[METRIC_COUNT]; /* threads that the merged value is made of */
	union merged merged[METRIC_COUNT];
};

/* One bit per metric. */
struct metric_set {
	uint64_t bits[MEASURED_WORDS];
};

/* What the thread measured, of the families that the kernel kept at all. */
struct metric_set thread_metrics(const struct thread_record *t);

/*
 * Adds the metrics of the set, which must be some that the thread measured.
 * Cells that need more room take it from the arena. -ENOMEM with a message.
 */
int aggregate_add_thread(struct aggregate *a, const struct thread_record *t,
			 const struct metric_set *set, struct arena *arena);
int aggregate_merge(struct aggregate *into, const struct aggregate *from, struct arena *arena);

/*
 * Adds what the thread counted since the earlier record of it, or NULL: since it
 * was born. Sums only; what fell, or was not measured in both, is left out, and
 * so is a wait for I/O that the thread had no time for.
 */
void aggregate_add_counted(struct aggregate *a, const struct thread_record *now,
			   const struct thread_record *before, const struct window *w);

/* How much a counter grew since the earlier record, or NULL: since birth. NaN = not known. */
double thread_growth(const struct thread_record *now, const struct thread_record *before,
		     enum metric_id m);

/*
 * How long the thread was ready to run in the window and did not, or NaN: what the
 * kernel counted, where that is all of it.
 */
double thread_queued_ns(const struct thread_record *now, const struct thread_record *before,
			const struct window *w);

/* A sum over both, or what is derived from sums. Either may be NULL. */
struct value aggregate_value_of_both(const struct aggregate *a, const struct aggregate *b,
				     unsigned int measure);

/* NULL is a side without threads: everything is absent. */
struct value aggregate_value(const struct aggregate *a, unsigned int measure);

/* How many threads the value is made of; of derived measures the scarcest input's. */
uint32_t aggregate_measured(const struct aggregate *a, unsigned int measure);

/* A value that leaves out threads of its group, which should have had one. */
bool aggregate_is_partial(const struct aggregate *a, unsigned int measure);

/* Whether the thread measured it and the kernel kept the family at all. */
bool thread_measured(const struct thread_record *t, enum metric_id m);

/*
 * Threads to groups: one key per group, one merged side per snapshot. Groups
 * are sorted by key, so an index also is the order of keys.
 */

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

/* In both snapshots, so that it can be compared. */
static inline bool group_is_matched(const struct group *g)
{
	return g->sides[BASELINE] && g->sides[CANDIDATE];
}

static inline bool group_is_only_in(const struct group *g, enum side side)
{
	return g->sides[side] && !g->sides[!side];
}

/* Everything that it counted between the snapshots: survivors and born together. */
struct value group_window_value(const struct group *g, unsigned int measure);

/* The last part of the key: what the group column shows. */
const char *group_leaf(const struct group *g);

#endif
