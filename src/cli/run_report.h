/* SPDX-License-Identifier: GPL-2.0-only */
/* What `ktstr run` tells of its runs: lines as they end, or one JSON document, and JUnit. */
#ifndef KTSTR_CLI_RUN_REPORT_H
#define KTSTR_CLI_RUN_REPORT_H

#include "base/json.h"
#include "check/result.h"
#include "hostmode/plan.h"
#include "run/report.h"

struct run_report {
	bool is_json;
	const char *junit; /* path, or NULL */
	uint64_t seed;
	struct str document; /* of --json */
	struct json json;
	struct str cases; /* of --junit */
	struct run_totals totals;
};

void run_report_init(struct run_report *r);
int run_report_add(struct run_report *r, const struct host_run *run, const struct ktstr_result *res,
		   double seconds);
/* Prints what is left to be said and writes the JUnit file. */
int run_report_end(struct run_report *r);
void run_report_finish(struct run_report *r);

/* The exit status that the totals amount to. */
int run_report_status(const struct run_report *r);

#endif
