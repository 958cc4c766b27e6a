/* SPDX-License-Identifier: GPL-2.0-only */
/* Which records of a run are meant: --select of commands that take records. */
#ifndef KTSTR_CLI_SELECT_OPTION_H
#define KTSTR_CLI_SELECT_OPTION_H

#include <stdbool.h>

#include "run/filter.h"

struct cli_call;
struct sidecar;

struct select_option {
	const char *part; /* of a name; NULL = the filter, which may match everything */
	struct filter filter;
};

/* 0, a negative errno, or EXIT_USAGE after the mistake was shown. */
int select_option_read(struct select_option *o, const struct cli_call *call);
bool select_option_has(struct select_option *o, const struct sidecar *s);
void select_option_finish(struct select_option *o);

/* Adds an expression of the command line: as filter_add(), with mistakes as above. */
int filter_option_add(struct filter *f, const char *expression);

#endif
