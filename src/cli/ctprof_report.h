/* SPDX-License-Identifier: GPL-2.0-only */
/* What compare, show and watch share: options from the command line, printing a report. */
#ifndef KTSTR_CLI_CTPROF_REPORT_H
#define KTSTR_CLI_CTPROF_REPORT_H

#include "cli/cli.h"
#include "ctprof/report.h"

/* Some group is past a --threshold. */
#define EXIT_THRESHOLD 5

/* The output format that --format or --json asks for. */
const char *report_format(const struct cli_call *call);

/* Exit status of options that the format has no use for, which was told; else 0. */
int ctprof_check_format(const struct cli_call *call, bool is_show);

/* Reads and checks everything that does not need a snapshot. */
int ctprof_options_compare(const struct cli_call *call, struct report_options *o);
int ctprof_options_show(const struct cli_call *call, struct report_options *o);

/*
 * The report on stdout, notes on stderr. Exit status, or a negative errno with
 * a message.
 */
int ctprof_print(const struct report *r, struct report_options *o);

/* Its parts, for reports that are printed again and again. */
void ctprof_print_note(const struct note *note);
int ctprof_check_thresholds(const struct report *r, struct report_options *o); /* exit status */

/* A threshold that nothing was compared with must not pass for one that holds. */
int ctprof_check_judged(const struct report_options *o);

#endif
