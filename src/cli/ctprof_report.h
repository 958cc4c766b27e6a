/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by compare, show and watch: options of the command line, printing a report. */
#ifndef KTSTR_CLI_CTPROF_REPORT_H
#define KTSTR_CLI_CTPROF_REPORT_H

#include "cli/cli.h"
#include "ctprof/report.h"

/* Some group exceeds a --threshold. */
#define EXIT_THRESHOLD 5

/* Output format selected by --format or --json. */
const char *report_format(const struct cli_call *call);

/* Returns the exit status if options do not fit the format, after printing the problem; else 0. */
int ctprof_check_format(const struct cli_call *call, bool is_show);

/* Reads and checks all options that need no snapshot. */
int ctprof_options_compare(const struct cli_call *call, struct report_options *o);
int ctprof_options_show(const struct cli_call *call, struct report_options *o);

/* Prints the report to stdout, notes to stderr. Exit status, or a negative errno with a message. */
int ctprof_print(const struct report *r, struct report_options *o);

/* Parts of ctprof_print(), for reports that are printed repeatedly. */
void ctprof_print_note(const struct note *note);
int ctprof_check_thresholds(const struct report *r, struct report_options *o); /* exit status */

/* A threshold that nothing was compared with must not count as satisfied. */
int ctprof_check_judged(const struct report_options *o);

#endif
