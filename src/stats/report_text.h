/* SPDX-License-Identifier: GPL-2.0-only */
/* The report of one run that bare `stats` prints. */
#ifndef KTSTR_STATS_REPORT_TEXT_H
#define KTSTR_STATS_REPORT_TEXT_H

#include "base/str.h"
#include "stats/runs.h"

/* history: the runs that are kept, loaded or not. */
int report_text(const struct run *run, const struct runs *history, struct str *out);

/* The sections, each with an empty line before it and nothing where there is nothing. */
int report_outliers(const struct run *run, const struct runs *history, struct str *out);
int report_groups(const struct run *run, struct str *out);
int report_verifier(const struct run *run, struct str *out);
void report_callbacks(const struct run *run, struct str *out);
void report_machines(const struct run *run, struct str *out);

#endif
