/* SPDX-License-Identifier: GPL-2.0-only */
/* From an outcome to a verdict and the text that explains it. */
#ifndef KTSTR_RUN_JUDGE_H
#define KTSTR_RUN_JUDGE_H

#include "check/result.h"
#include "check/sidecar.h"
#include "check/versus.h"
#include "run/outcome.h"
#include "run/report.h"
#include "run/sched_report.h"
#include "run/variants.h"
#include "watch/monitor.h"

/* What was seen of a guest from outside, in verdict, failure text and record. */

struct run_monitor {
	bool is_known; /* somebody watched, or tried to */
	struct series series;
	struct monitor_summary summary;
	struct monitor_verdict verdict;
};

/* From an outcome's samples. */
int run_monitor_read(struct run_monitor *m, const struct str *samples,
		     const struct ktstr_assert *limits);
void run_monitor_finish(struct run_monitor *m);

/*
 * Adds what breaks limits of the test's own: true = one is broken. Those that are there by
 * default are told in the block and decide nothing. A limit of the test's own without samples
 * is inconclusive, and so is a test that ran long enough for samples, was watched, and has none.
 */
bool run_monitor_judge(const struct run_monitor *m, const struct ktstr_assert *limits,
		       struct ktstr_result *r);

/* "--- monitor ---" and what is below it. */
void run_monitor_add_section(const struct run_monitor *m, struct str *out);

void run_monitor_record(const struct run_monitor *m, const struct ktstr_result *r,
			struct sidecar *s);

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

/*
 * plots.c: Figures over the time of a test. What is runnable, how many CPUs idle, what is in local DSQs
 * and how long tasks waited, each of all CPUs.
 */
#define PLOT_COUNT 4

struct plot {
	const char *name;
	double (*of)(const struct cpu_sample *before, const struct cpu_sample *now);
};

extern const struct plot plots[PLOT_COUNT];

/* The most of the samples from one to before the other. */
double plot_most(const struct plot *plot, const struct series *s, size_t from, size_t to);

/* When the test ended, by its own clock, and when it began, by that of its samples. */
uint64_t plots_end_ms(const struct ktstr_result *r);
uint64_t plots_zero(const struct ktstr_result *r, const struct series *s);

/* Into the record, in few points; of tests that passed, too. */
void plots_record(const struct ktstr_result *r, const struct series *s, struct sidecar *to);

/* "--- timeline ---" and what is below it; nothing without figures. */
struct timeline_facts {
	const char *kernel, *scheduler; /* or NULL */
	const struct series *series;	/* of the guest; or NULL */
};
void timeline_add(const struct variant *v, const struct ktstr_result *r,
		  const struct timeline_facts *facts, struct str *out);

#endif
