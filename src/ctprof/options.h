/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options of a report, checked before any snapshot is opened. The setters parse the text of an
 * option and fail with a message that names the invalid token.
 */
#ifndef KTSTR_CTPROF_OPTIONS_H
#define KTSTR_CTPROF_OPTIONS_H

#include "ctprof/metric.h"

/* A measured or merged value, on its way from a group to a cell. */

enum value_kind {
	VALUE_ABSENT,
	VALUE_UNSIGNED,
	VALUE_REAL,
	VALUE_RANGE,
	VALUE_MODE,
	VALUE_AFFINITY,
	VALUE_TEXT,	  /* printed as it is */
	VALUE_HUNDREDTHS, /* of a percent, as pressure averages are stored */
};

/* The most frequent word of a group's threads. */
struct mode {
	const char *word;
	uint32_t hits, total;
};

/* CPU sets: all the same one, or sets of min to max CPUs. */
struct affinity {
	const char *set; /* NULL if they differ */
	uint32_t min, max;
};

struct value {
	enum value_kind kind;
	union {
		uint64_t u;
		double real;
		struct {
			int64_t min, max;
		} range;
		struct mode mode;
		struct affinity affinity;
		const char *text;
		uint32_t hundredths;
	};
};

struct value value_unsigned(uint64_t u);
struct value value_real(double real);	   /* NaN is absent */
struct value value_text(const char *text); /* NULL is absent */
struct value value_hundredths(uint32_t hundredths);

/* For ranges and sets their middle; NaN for absent values and words. */
double value_number(const struct value *v);

/* Appends the cell: "8.697K", "-5..10", "SCHED_OTHER (9/10)", "-". */
void value_add_text(struct str *out, const struct value *v, enum metric_ladder ladder);

/* Writes a number, a word, {"min","max"} or null. */
void value_to_json(struct json *j, const struct value *v);

/* Result of comparing two values. */
enum delta_kind { DELTA_NONE, DELTA_NUMBER, DELTA_SAME, DELTA_DIFFERS };

struct delta {
	enum delta_kind kind;
	double number;
	double percent; /* of the baseline; NaN if there is none */
};

/* For values that cannot be subtracted. */
struct delta value_no_delta(void);
struct delta value_delta(const struct value *baseline, const struct value *candidate);

/* For machine-readable output: false if it is not a number that fits an integer exactly. */
bool value_exact_delta(const struct value sides[2], const struct delta *d, int64_t *out);

/*
 * Appends "+92.457K" (exact if both are integers or there was no baseline), "same", "differs" or
 * "-".
 */
void value_add_delta(struct str *out, const struct value *baseline, const struct value *candidate,
		     const struct delta *d, enum metric_ladder ladder);

enum axis {
	AXIS_ALL,   /* cgroup, process and thread, as a tree */
	AXIS_NAMES, /* literal process and thread name, as a tree */
	AXIS_PCOMM,
	AXIS_CGROUP,
	AXIS_COMM,
	AXIS_COMM_EXACT, /* literal thread names; smaps keys stay normalised */
	AXIS_COUNT
};
extern const char *const axis_names[AXIS_COUNT];

enum column {
	COLUMN_GROUP,
	COLUMN_THREADS,
	COLUMN_METRIC,
	COLUMN_VALUE, /* of show */
	COLUMN_BASELINE,
	COLUMN_CANDIDATE,
	COLUMN_DELTA,
	COLUMN_PERCENT,
	COLUMN_ARROW,
	COLUMN_TAGS,
	COLUMN_UPTIME,
	COLUMN_CGROUP,
	COLUMN_SURVIVED, /* counted by threads in both snapshots in between, ... */
	COLUMN_BORN,	 /* ... by new threads, ... */
	COLUMN_DIED,	 /* ... and by threads that have exited, before */
	COLUMN_LIFETIME, /* for ratios whose candidate value is of the window */
	COLUMN_TIME,	 /* that the group ran and waited: the default order */
	COLUMN_COUNT
};

enum output_format { FORMAT_TABLE, FORMAT_JSON, FORMAT_CSV, FORMAT_HTML };

struct sort_key {
	unsigned int measure;
	bool is_ascending;
};

struct threshold {
	unsigned int measure;
	double percent;
	bool was_judged; /* by some comparison so far */
};

struct glob_list {
	const char **items;
	size_t count, cap;
};

struct thread_filter {
	VEC(uint32_t) pids;
	struct glob_list cgroups, comms;
};

struct report_options {
	bool is_show; /* one snapshot, no differences */
	enum axis axis;
	bool is_thread_literal, is_cgroup_literal;
	struct glob_list flatten;
	struct thread_filter filter;

	bool measures[MEASURE_COUNT]; /* those to print */
	bool sections[SECTION_COUNT];
	/* Named by the user; else every section and row that has data. */
	bool are_metrics_named, are_sections_named;
	VEC(struct sort_key) sort;
	enum column columns[COLUMN_COUNT];
	size_t column_count;
	bool are_columns_named; /* named by the user; else the default of the format */
	uint64_t limit;		/* lines per section, 0 = all */

	bool is_matched_by_tid;
	bool is_per_second, is_per_thread;
	bool is_changed_only;
	bool is_brief;		       /* only changed rows, and at most a screen per group */
	double min_percent, min_delta; /* 0 = any */
	VEC(struct threshold) thresholds;

	enum output_format format;
	bool is_smaps_unasked;	 /* so their absence is not reported */
	bool is_continued;	 /* continues a document that already has its header */
	unsigned int wrap_width; /* of tables; 0 = no wrapping */
	unsigned int line_width; /* of sentences and the first table; 0 = no limit */
	bool has_colour;
};

/* Everything on, columns of the arrow format (or of show), no limit. */
void options_init(struct report_options *o, bool is_show);
void options_finish(struct report_options *o);

#define _report_options_ _cleanup_(options_finish)

int options_set_axis(struct report_options *o, const char *name);
int options_set_display_format(struct report_options *o, const char *name);
void options_show_cgroups(struct report_options *o); /* a column more, at the end */
int options_set_columns(struct report_options *o, const char *list);
int options_set_sections(struct report_options *o, const char *list);
int options_set_metrics(struct report_options *o, const char *list);
int options_set_sort(struct report_options *o, const char *spec);
int options_set_format(struct report_options *o, const char *name);
int options_set_min_percent(struct report_options *o, const char *text);
int options_set_min_delta(struct report_options *o, const char *text);
int options_add_threshold(struct report_options *o, const char *spec);
int options_add_flatten(struct report_options *o, const char *glob);
int options_add_pid(struct report_options *o, const char *text);
int options_add_cgroup(struct report_options *o, const char *glob);
int options_add_comm(struct report_options *o, const char *glob);

/* Returns whether a section that needs cgroups can be shown on this axis. */
bool axis_has_cgroups(enum axis axis);

/* Returns whether a difference passes --min-pct and --min-delta. */
bool options_pass_change(const struct report_options *o, const struct value *baseline,
			 const struct delta *d);

bool options_want(const struct report_options *o, enum section_id section);

/* Group lists are useless next to sections about other things. */
bool options_want_groups(const struct report_options *o);

/* Name of a column, as in --columns. */
const char *column_name(enum column column);

#endif
