/* SPDX-License-Identifier: GPL-2.0-only */
/* From an outcome to a verdict and the text that explains it. */
#ifndef KTSTR_RUN_JUDGE_H
#define KTSTR_RUN_JUDGE_H

#include "check/result.h"
#include "check/versus.h"
#include "run/monitor.h"
#include "run/outcome.h"
#include "run/report.h"
#include "run/sched_report.h"
#include "run/variants.h"

struct judge_options {
	bool fails_on_skip; /* --no-skip-mode */
	bool is_verbose;    /* diagnostics also where they are not needed */
};

struct judgement {
	enum test_status status;
	bool has_result; /* the body sent one; what the host found was added to it */
	struct ktstr_result result;
	bool has_sched_report;
	struct sched_report sched_report;
	struct run_monitor monitor;
	struct str text; /* why it failed, was inconclusive or skipped */
	struct versus versus;
	struct str note; /* the table of scheduler and EEVDF, or "" */
};

int judge(const struct variant *v, struct outcome *o, const struct judge_options *options,
	  struct judgement *out);
void judgement_finish(struct judgement *j);

/* The name by which failure texts call the scheduler; NULL = the kernel's own. */
const char *scheduler_label(const struct variant *v);

/* "--- timeline ---" and what is below it; nothing without figures. */
struct timeline_facts {
	const char *kernel, *scheduler; /* or NULL */
};
void timeline_add(const struct variant *v, const struct ktstr_result *r,
		  const struct timeline_facts *facts, struct str *out);

#endif
