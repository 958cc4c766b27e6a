/* SPDX-License-Identifier: GPL-2.0-only */
/* Builds a report from groups; the intermediate steps are internal. */
#ifndef KTSTR_CTPROF_REPORT_H
#define KTSTR_CTPROF_REPORT_H

#include "ctprof/group.h"

/* Converts groups to cells and ranked rows. */

/*
 * Everything about one measure of one group. If threads are matched individually, a ratio or
 * average of the candidate is that of the interval between the snapshots; that of the baseline is
 * of the time before.
 */
struct cell {
	struct value sides[SIDES];
	struct delta delta;
	uint32_t measured[SIDES]; /* number of threads in the value of the side */
	bool is_partial[SIDES];	  /* and these are not all threads of the group */
	double per_second;	  /* the delta as a rate; NaN unless requested */
	/* For sums: counted by survivors and new threads in between, by exited threads before. */
	struct value fates[FATES];
	struct value lifetime; /* for a ratio of the candidate: since its threads started */
	/* A counter that decreased: the delta is not activity. */
	bool has_fallen;
	/* More time than the threads had between the snapshots: there is no delta. */
	bool is_beyond_window;
};

static inline bool cell_is_partial(const struct cell *c)
{
	return c->is_partial[BASELINE] || c->is_partial[CANDIDATE];
}

struct cell compare_cell(const struct group *g, unsigned int measure,
			 const struct report_options *o, const struct window *w);

/*
 * Returns whether a difference is more time than the group's threads had between the snapshots: a
 * wait that began before, or a thread that the baseline did not see, can contribute more.
 */
bool is_beyond_window(const struct group *g, unsigned int measure, const struct delta *d,
		      const struct window *w);

/* Integer percentage of the window in which the group's candidate threads lived; NaN if unknown. */
double group_uptime(const struct group *g, const struct window *w);

/* If the interval is unknown: the group's age relative to all matched ones. */
struct ages {
	double newest_start, oldest; /* in ticks; oldest is the largest age */
};
struct ages group_ages(const struct grouping *g);
double group_relative_age(const struct group *g, const struct ages *ages);

/* Classes of rows in a group; the most noticeable first. */
enum row_class { ROW_NOTICED, ROW_CHANGED, ROW_UNCHANGED };

struct row {
	double key;
	uint32_t rank; /* of the group */
	uint32_t group;
	uint32_t measure;
	uint32_t class;
	double time_ns; /* difference, for a time */
	double bytes;	/* difference, for bytes that can be summed */
};

/* Rows per group in a brief table. */
#define ROWS_PER_GROUP 10

/* Thresholds below which a brief table omits a group: absolute, and relative to the first group. */
#define LITTLE_MS 1
#define LITTLE_SHARE 0.01

/* Rows in the order of the table; those beyond the limit are only counted. */
struct ranking {
	struct row *rows;
	size_t count, cap;
	size_t cut;
	size_t held_back;     /* omitted rows of groups with more rows than a brief table shows */
	size_t little_groups; /* groups omitted in a brief table */
};

/* Ranks rows of the primary metrics, or of the derived ones. -ENOMEM with a message. */
int rank_rows(struct ranking *r, const struct grouping *g, bool is_derived,
	      const struct report_options *o, const struct window *w);

/* Ranks non-zero counters of the threads of one side, largest groups first. */
int rank_population(struct ranking *r, const struct grouping *g, enum side side,
		    const struct report_options *o);
void ranking_finish(struct ranking *r);

/*
 * Noticeable time of a group between two snapshots: running, waiting, blocked, faulting. Used by
 * the default order and by the first sentences of a comparison.
 */

enum wait_kind {
	WAIT_CPU,
	WAIT_BLOCK_IO,
	WAIT_SWAP,
	WAIT_RECLAIM,
	WAIT_COMPACTION,
	WAIT_COPY,
	WAIT_INTERRUPT,
	WAIT_KINDS
};
extern const char *const wait_names[WAIT_KINDS]; /* "for a CPU" */

struct noticed_times {
	double cpu_ns; /* NaN = not measured */
	double waits_ns[WAIT_KINDS];
	double waited_ns; /* sum of all waits; NaN = none was measured */
};

/*
 * What the group counted in between; if threads are not matched individually, the increase of its
 * sum. NaN if unknown, or more than the available time.
 */
double group_activity(const struct group *g, unsigned int measure, const struct window *w);

struct noticed_times group_notice(const struct group *g, const struct window *w);

/* Running and waiting, increase or decrease; 0 if unknown. */
double notice_total(const struct noticed_times *n);

/* Waits for memory and interrupts; NaN = none was measured. */
double notice_other(const struct noticed_times *n);

/* Total lifetime of the group's threads in between, in ns. NaN if unknown. */
double group_alive_ns(const struct group *g, const struct window *w);

/*
 * The rest of that after running and waiting for a CPU or a disk. For the kernel waiting for a lock
 * is sleep, and by default it does not account sleep.
 */
double group_asleep_ns(const struct group *g, const struct window *w);

/* Number of sleeps, except for disk I/O. NaN if unknown. */
double group_sleeps(const struct group *g, const struct window *w);

/*
 * Cgroups that were renamed between two snapshots. A service restarted under a generated name has
 * no partner by name, but is recognized by its threads. Groups of such cgroups are joined as if the
 * name had not changed.
 */

/* A cgroup needs at least this many types of threads (process, thread name) to be recognized ... */
#define FUDGE_MIN_TYPES 10
/* ... and this percentage of the union of both populations must be in both. */
#define FUDGE_MIN_JACCARD_PERCENT 90

struct thread_type {
	const char *pcomm, *comm;
};

struct fudge_pair {
	const char *cgroups[SIDES];		 /* as displayed */
	const char *roots[SIDES];		 /* without trailing components that both share */
	bool has_own_roots;			 /* they differ from the paths */
	uint32_t overlap;			 /* types in both */
	uint32_t in_all;			 /* types in either */
	uint32_t cascaded;			 /* groups joined elsewhere below the roots */
	VEC(struct thread_type) residual[SIDES]; /* types without a partner in the other cgroup */
};

struct fudge {
	struct arena arena;
	struct fudge_pair *pairs;
	size_t count;
};

/* Joins one-sided groups of renamed cgroups in place. -ENOMEM with a message. */
int fudge_join(struct fudge *f, struct grouping *g);
void fudge_finish(struct fudge *f);

/* Cgroup records of both snapshots, merged under their common key. */

struct cgroup_pair {
	uint32_t key_id; /* in the naming */
	const char *key, *shown;
	struct cgroup_record *sides[SIDES]; /* NULL: not in that snapshot */
};

struct cgroup_table {
	struct arena arena;
	struct cgroup_pair *pairs; /* sorted by key */
	size_t count, cap;
};

int cgroups_join(struct cgroup_table *t, struct naming *n, const struct snapshot_pair *pair,
		 const struct selection *kept, const struct thread_filter *filter);
void cgroup_table_finish(struct cgroup_table *t);

/* Returns whether the memory.stat key is a current size, not a count of events. */
bool memory_stat_is_gauge(const char *key);

/*
 * Sections that are not about groups of threads: cgroups, pressure, memory maps, sched_ext. Each is
 * a list of facts, one value of one subject on both sides; tables show several facts of a subject
 * on one line.
 */

struct fact {
	const char *subject; /* cgroup or process; NULL for the host */
	const char *row;     /* some or full; NULL elsewhere */
	const char *metric;
	enum metric_ladder ladder;
	struct cell cell;  /* sides are given, the difference is computed when all are collected */
	bool has_no_delta; /* the difference would be meaningless */
	bool is_counter;   /* only grows, so its difference gives a rate */
};

/* How the facts of a section form a table: leading columns, then the facts of a line. */
enum lead { LEAD_NONE, LEAD_SUBJECT, LEAD_ROW, LEAD_METRIC };

#define MAX_LEADS 2
#define MAX_FACT_COLUMNS 8

struct fact_layout {
	enum section_id section;
	enum lead leads[MAX_LEADS + 1];
	const char *columns[MAX_FACT_COLUMNS + 1]; /* titles of leads and facts */
	bool is_equal_once;			   /* print equal sides once */
};

static inline size_t fact_leads(const struct fact_layout *l)
{
	size_t count = 0;

	while (l->leads[count])
		count++;
	return count;
}

/* At least one. */
static inline size_t facts_per_line(const struct fact_layout *l)
{
	size_t leads = fact_leads(l), count = 1;

	while (l->columns[leads + count])
		count++;
	return count;
}

struct fact_table {
	const struct fact_layout *layout;
	const char *heading;
	const char *resource; /* for pressure: cpu, memory, io, irq; else NULL */
	struct fact *facts;
	size_t count, cap;
};

struct fact_tables {
	struct arena arena;
	struct fact_table *items;
	size_t count, cap;
	bool failed; /* out of memory: incomplete */
};

struct fact_sources {
	const struct report_options *options;
	const struct snapshot_pair *pair;
	const struct selection *kept;
	const struct cgroup_table *cgroups;
	struct naming *naming;
	const struct window *window;
};

/* Collects all requested sections that have data, in no particular order. */
int facts_collect(struct fact_tables *t, const struct fact_sources *from);
void fact_tables_finish(struct fact_tables *t);

/* Parts of facts_collect(), in separate files. */
void facts_collect_cgroups(struct fact_tables *t, const struct fact_sources *from);
void facts_collect_pressure(struct fact_tables *t, const struct fact_sources *from);
void facts_collect_smaps(struct fact_tables *t, const struct fact_sources *from);
void facts_collect_sched_ext(struct fact_tables *t, const struct fact_sources *from);

/*
 * Starts a table, for one pressure resource or for none: fact_add() adds to it. False if its
 * section was not requested.
 */
bool fact_table_start(struct fact_tables *t, const struct fact_sources *from,
		      const struct fact_layout *layout, const char *resource);
void fact_add(struct fact_tables *t, const struct fact *fact);

static inline struct value value_known(const struct opt_u64 *v)
{
	return v->is_known ? value_unsigned(v->value) : (struct value){};
}

/* Number of facts within --limit: whole lines. */
size_t fact_table_shown(const struct fact_table *t, const struct report_options *o);

bool fact_is_changed(const struct fact *f);
bool fact_is_zero(const struct fact *f); /* zero or absent on both sides */

/* "us", "bytes", "percent", ...: the unit of the raw numbers. */
const char *fact_unit(const struct fact *f);

/*
 * A complete comparison (or, for show, one snapshot): everything that the renderers need and
 * nothing that depends on the output format.
 */

struct report {
	const struct report_options *options;
	struct snapshot_pair pair; /* show has a candidate only */
	const char *paths[SIDES];
	struct window window;
	struct naming naming;
	struct selection kept; /* threads that pass the filter */
	struct fates fates;    /* only with --match tid */
	struct grouping groups, born, died;
	struct ages ages;
	struct fudge fudge;
	struct ranking primary, derived, born_rows, died_rows;
	struct cgroup_table cgroups;
	struct fact_tables facts;
};

/* Snapshots, paths and options must outlive the report. */
int report_build(struct report *r, const struct snapshot_pair *pair, const char *const paths[SIDES],
		 const struct report_options *o);
void ctprof_report_finish(struct report *r);

#define _report_ _cleanup_(ctprof_report_finish)

/* Percentage of the window that a group lived, or its relative age; NaN if unknown. */
double report_uptime(const struct report *r, const struct group *g);

/* "%uptime", or "%uptime~" if it is only the relative age. */
const char *report_uptime_title(const struct report *r);

/* Appends "comm of pcomm in cgroup" as far as they say more than the name. */
void group_add_in_words(struct str *out, const struct group *g);

/* Appends "cgroup pcomm comm" as far as the axis has them, for messages. */
void group_add_name(struct str *out, const struct group *g);

/* Groups whose metric grew more than --threshold allows: appends a line for each. */
size_t report_violations(const struct report *r, struct str *out);

/* Returns whether a group has a difference of this measure to compare with a threshold. */
bool report_can_judge(const struct report *r, unsigned int measure);

/* The items with the largest weights, in descending order. */
#define MAX_TOP 9
#define TOLD 3 /* in a sentence */

struct top_few {
	const void *items[MAX_TOP];
	double weights[MAX_TOP];
	size_t count;
	bool is_measured; /* at least one has a weight, possibly 0 */
};

void top_add(struct top_few *t, const void *item, double weight);

static inline size_t top_told(const struct top_few *t)
{
	return MIN(t->count, (size_t)TOLD);
}

/* Groups of the candidate with the largest weights; NaN = not measured. */
typedef double (*weigh_group)(const struct group *g, const struct report *r);
struct top_few find_top(const struct report *r, weigh_group weigh);

/*
 * Groups that probably sleep because they wait for others: their threads wake up and sleep again
 * all the time, unlike those of idle services. The group with most sleeps is among the reported
 * ones.
 */
struct top_few find_sleepers(const struct report *r);

/* Returns whether to print a summary: not if the user selected sections or metrics. */
bool has_summary(const struct report *r);

/* The groups with most running and waiting time in the window, then those that mostly slept. */

enum time_kind { TIME_RAN, TIME_CPU, TIME_BLOCK_IO, TIME_OTHER, TIME_ASLEEP, TIME_KINDS };

/* Title in tables, and key for programs. */
struct time_column {
	const char *title, *key;
};
extern const struct time_column time_columns[TIME_KINDS];

struct time_row {
	const struct group *group;
	double ns[TIME_KINDS];	     /* NaN = not measured */
	bool is_partial[TIME_KINDS]; /* some threads of the group are not included */
};

#define MAX_TIME_ROWS (MAX_TOP + TOLD)

struct time_table {
	struct time_row rows[MAX_TIME_ROWS];
	size_t count;
};

/* Empty unless has_summary() and threads are matched individually. */
struct time_table find_times(const struct report *r);

/*
 * CPU time of threads that are not in the candidate: those that started and exited in between, and
 * those that exited after the baseline. The total is known from the kernel's counters; the parents
 * are the processes that waited for such children.
 */

struct unseen {
	double busy_s, unseen_s; /* CPU time of all threads, and of unseen ones */
	struct top_few parents;	 /* threads, by seconds of children waited for */
	const char *cgroup;	 /* innermost cgroup with most of the unseen time, or NULL */
};

/* Returns 1; 0 if it is unknown, or too small to be significant; -ENOMEM with a message. */
int unseen_find(struct unseen *u, const struct report *r);

/* The first sentences of a comparison. None unless has_summary(). */

struct summary {
	struct str *items; /* sentences */
	size_t count, cap;
	bool failed; /* out of memory: incomplete */
};

int summary_collect(struct summary *s, const struct report *r);
void summary_finish(struct summary *s);

#define _summary_ _cleanup_(summary_finish)

/* Notes on the reliability of a report's figures, one line each. */

enum note_level { NOTE_WARNING, NOTE_PLAIN };

struct note {
	enum note_level level;
	char *text;
};

struct notes {
	struct note *items;
	size_t count, cap;
	bool failed; /* out of memory: incomplete */
};

/* Adds warnings, differences of the hosts, and at the end incomplete data families. */
int notes_collect(struct notes *n, const struct report *r);
void notes_finish(struct notes *n);

#define _notes_ _cleanup_(notes_finish)

void notes_add(struct notes *n, enum note_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds notes about families that not all threads have. */
void notes_add_coverage(struct notes *n, const struct report *r);

/* A report as text for people (tables, HTML) and for programs (JSON, CSV). */

/* Appends the report in the format of its options. -ENOMEM with a message. */
int render_report(const struct report *r, struct str *out);

int render_table(const struct report *r, struct str *out);
int render_json(const struct report *r, struct str *out);
int render_csv(const struct report *r, struct str *out);
int render_html(const struct report *r, struct str *out);

#endif
