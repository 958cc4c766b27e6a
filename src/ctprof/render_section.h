/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of a text report besides the tables of metrics. */
#ifndef KTSTR_CTPROF_RENDER_SECTION_H
#define KTSTR_CTPROF_RENDER_SECTION_H

#include "base/str.h"
#include "ctprof/report.h"

/* An empty line in front unless it is the first, then the heading. */
void render_heading(const struct report *r, struct str *out, const char *heading,
		    const char *colour);

/* The line that tells how much was cut, if anything was. */
void render_cut(struct str *out, size_t lines);

/* All tables of the section's facts. -ENOMEM with a message, as below. */
int render_facts(const struct report *r, enum section_id section, struct str *out);

/* Cgroups that were joined though their names differ. */
int render_fudge(const struct report *r, struct str *out);

/* Groups that only one of the snapshots has. */
int render_unmatched(const struct report *r, struct str *out);

#endif
