/* SPDX-License-Identifier: GPL-2.0-only */
/* For commands that repeat a sim run: finds its record and reads it. */
#ifndef KTSTR_CLI_RECORDED_H
#define KTSTR_CLI_RECORDED_H

#include "cli/options.h"
#include "record/sidecar.h"
#include "stats/runs.h"

/* The record of a run, and the words that name its test. */
struct recorded {
	struct sidecar single;
	bool is_single;
	struct runs runs;
	struct select_option select;
	const struct sidecar *record; /* NULL = a test was named */
	char *dir, *name;
	struct repeat_programs programs;
};

/*
 * A single word may be a record or a run directory; anything else is a test, and r->record stays
 * NULL. request gets what the run depended on.
 */
int recorded_open(struct recorded *r, const struct cli_call *call, const struct lab_words *words,
		  struct lab_request *request);
void recorded_finish(struct recorded *r);

/* Opens exactly the record in that file. */
int recorded_open_file(struct recorded *r, const char *path);

#endif
