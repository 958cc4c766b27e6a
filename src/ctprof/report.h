/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One comparison (or, for show, one snapshot) worked out: everything that the
 * renderers need and nothing that depends on the output format.
 */
#ifndef KTSTR_CTPROF_REPORT_H
#define KTSTR_CTPROF_REPORT_H

#include "ctprof/compare.h"
#include "ctprof/facts.h"
#include "ctprof/fudge.h"

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

/* The snapshots, paths and options must outlive the report. */
int report_build(struct report *r, const struct snapshot_pair *pair, const char *const paths[SIDES],
		 const struct report_options *o);
void ctprof_report_finish(struct report *r);

#define _report_ _cleanup_(ctprof_report_finish)

/* Percent of the window that a group lived, or its relative age; NaN when unknown. */
double report_uptime(const struct report *r, const struct group *g);

/* "%uptime", or "%uptime~" where it is only the relative age. */
const char *report_uptime_title(const struct report *r);

/* Appends "cgroup pcomm comm" as far as the axis has them, for messages. */
void group_add_name(struct str *out, const struct group *g);

/* Groups whose metric grew more than --threshold allows: appends a line for each. */
size_t report_violations(const struct report *r, struct str *out);

/* Whether some group has a difference that a threshold on the measure can judge. */
bool report_can_judge(const struct report *r, unsigned int measure);

#endif
