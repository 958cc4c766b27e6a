/* SPDX-License-Identifier: GPL-2.0-only */
/* What `ktstr run` tells of its runs: lines as they end, or one JSON document, and JUnit. */
#ifndef KTSTR_CLI_HOST_REPORT_H
#define KTSTR_CLI_HOST_REPORT_H

#include "check/result.h"
#include "hostmode/execute.h"
#include "run/report.h"

struct host_report {
	bool is_json;
	const char *junit; /* path, or NULL */
	uint64_t seed;
	struct str document; /* of --json */
	struct json json;
	struct str cases; /* of --junit */
	struct run_totals totals;
};

void host_report_init(struct host_report *r);
/* story: what probes saw, or "". */
int host_report_add(struct host_report *r, const struct host_run *run,
		    const struct ktstr_result *res, double seconds, const char *story);
/* One of the plan that did not come to its turn; only the JUnit file and JSON tell. */
void host_report_add_unrun(struct host_report *r, const struct host_run *run, const char *why);
/* Prints what is left to be said and writes the JUnit file. */
int host_report_end(struct host_report *r);
void host_report_finish(struct host_report *r);

/* The exit status that the totals amount to. */
int host_report_status(const struct host_report *r);

#endif
