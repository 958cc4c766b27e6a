/* SPDX-License-Identifier: GPL-2.0-only */
/* Output of `ktstr run`: a line per run as it ends, or one JSON document, and JUnit. */
#ifndef KTSTR_CLI_HOST_REPORT_H
#define KTSTR_CLI_HOST_REPORT_H

#include "check/result.h"
#include "hostmode/execute.h"
#include "run/report.h"

struct host_report {
	bool is_json;
	const char *junit; /* path, or NULL */
	uint64_t seed;
	struct str document; /* for --json */
	struct json json;
	struct str cases; /* for --junit */
	struct run_totals totals;
};

void host_report_init(struct host_report *r);
/* story: report of the probes, or "". */
int host_report_add(struct host_report *r, const struct host_run *run,
		    const struct ktstr_result *res, double seconds, const char *story);
/* Adds a planned run that was not started; only to the JUnit file and JSON. */
void host_report_add_unrun(struct host_report *r, const struct host_run *run, const char *why);
/* Prints the rest and writes the JUnit file. */
int host_report_end(struct host_report *r);
void host_report_finish(struct host_report *r);

/* Exit status that corresponds to the totals. */
int host_report_status(const struct host_report *r);

#endif
