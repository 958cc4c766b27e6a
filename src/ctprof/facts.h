/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sections that are not about groups of threads: cgroups, pressure, memory
 * maps, sched_ext. Each is a list of facts, one value of one subject on both
 * sides; tables put several facts of a subject on one line.
 */
#ifndef KTSTR_CTPROF_FACTS_H
#define KTSTR_CTPROF_FACTS_H

#include "ctprof/cgroup_merge.h"
#include "ctprof/compare.h"

struct fact {
	const char *subject; /* cgroup or process; NULL for the host */
	const char *row;     /* some or full; NULL elsewhere */
	const char *metric;
	enum metric_ladder ladder;
	struct cell cell;  /* the sides are given, the difference is found when all are collected */
	bool has_no_delta; /* the difference would mean nothing */
	bool is_counter;   /* only grows, so that its difference makes a rate */
};

/* How a section's facts make a table: the leading columns, then facts of one line. */
enum lead { LEAD_NONE, LEAD_SUBJECT, LEAD_ROW, LEAD_METRIC };

#define MAX_LEADS 2
#define MAX_FACT_COLUMNS 8

struct fact_layout {
	enum section_id section;
	enum lead leads[MAX_LEADS];
	size_t lead_count;
	size_t facts_per_line;
	bool is_equal_once; /* equal sides are printed once */
	const char *columns[MAX_FACT_COLUMNS + 1];
};

struct fact_table {
	const struct fact_layout *layout;
	const char *heading;
	const char *resource; /* of pressure: cpu, memory, io, irq; else NULL */
	struct fact *facts;
	size_t count, cap;
};

struct fact_tables {
	struct arena arena;
	struct fact_table *items;
	size_t count, cap;
	bool failed; /* out of memory: some are missing */
};

struct fact_sources {
	const struct report_options *options;
	const struct snapshot_pair *pair;
	const struct selection *kept;
	const struct cgroup_table *cgroups;
	struct naming *naming;
	const struct window *window;
};

/* All wanted sections that have something to tell, in no particular order. */
int facts_collect(struct fact_tables *t, const struct fact_sources *from);
void fact_tables_finish(struct fact_tables *t);

/* The parts of facts_collect(), each in a file of its own. */
void facts_collect_cgroups(struct fact_tables *t, const struct fact_sources *from);
void facts_collect_pressure(struct fact_tables *t, const struct fact_sources *from);
void facts_collect_smaps(struct fact_tables *t, const struct fact_sources *from);
void facts_collect_sched_ext(struct fact_tables *t, const struct fact_sources *from);

/*
 * Starts a table, of one resource of pressure or of none: fact_add() adds to it.
 * False when nobody wants its section.
 */
bool fact_table_start(struct fact_tables *t, const struct fact_sources *from,
		      const struct fact_layout *layout, const char *resource);
void fact_add(struct fact_tables *t, const struct fact *fact);

static inline struct value value_known(const struct opt_u64 *v)
{
	return v->is_known ? value_unsigned(v->value) : (struct value){};
}

/* How many of the facts --limit leaves: whole lines. */
size_t fact_table_shown(const struct fact_table *t, const struct report_options *o);

bool fact_is_changed(const struct fact *f);
bool fact_is_zero(const struct fact *f); /* zero or absent on both sides */

/* "us", "bytes", "percent", ...: the unit of the raw numbers. */
const char *fact_unit(const struct fact *f);

#endif
