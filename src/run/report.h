/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the user sees of a run: events come in as they happen, each format writes
 * what it makes of them. Nothing here knows how tests are run.
 */
#ifndef KTSTR_RUN_REPORT_H
#define KTSTR_RUN_REPORT_H

#include "base/base.h"

enum test_status {
	TEST_PASSED,
	TEST_FAILED,
	TEST_TIMED_OUT, /* a kind of failure */
	TEST_INCONCLUSIVE,
	TEST_SKIPPED,
};

/* "pass", "fail", "timeout", "inconclusive", "skip". */
const char *test_status_name(enum test_status status);

struct versus;

/* One test, or one attempt at it. Strings may be NULL where there is nothing to tell. */
struct test_event {
	const char *binary_id; /* "suite::binary" */
	const char *name;      /* "ktstr/two_cgroups" */
	enum test_status status;
	double seconds;
	unsigned int attempt, attempts; /* this one, and how many are allowed */
	bool is_slow;			/* took longer than the profile likes */
	const char *text;   /* failure text without trailing newline, or why it was skipped */
	const char *output; /* what the program printed */
	const char *note;   /* to be shown also when it passed: the versus table */
	const struct versus *versus; /* the same for programs, or NULL */
	const char *sidecar;	     /* path */
	const char *topology, *scheduler, *kernel, *accel, *digest;
	bool has_seed; /* it decides the whole run: sim */
	uint64_t seed; /* of all random choices; 0 = not known */
};

struct run_totals {
	size_t selected, filtered_out;
	size_t passed, failed, timed_out, inconclusive, skipped; /* of those that came to an end */
	size_t flaky;						 /* passed, but not at once */
	size_t slow;
	double seconds;
	bool is_interrupted;
};

/* Failed and timed out ones, and all that came to an end. */
size_t run_totals_failed(const struct run_totals *t);
size_t run_totals_ended(const struct run_totals *t);
/* Selected, but not come to an end: after a failure, or an interrupt. */
size_t run_totals_not_run(const struct run_totals *t);
void run_totals_count(struct run_totals *t, const struct test_event *e);

struct run_report_options {
	FILE *out;		     /* stdout */
	const char *label;	     /* "ktstr" or "cargo ktstr" */
	const char *const *run_dirs; /* one for each kernel */
	size_t run_dir_count;
	bool has_colour;
	bool is_quiet;		  /* human: failures and the summary only */
	bool is_verbose;	  /* human: also which run of sim it was */
	bool shows_output;	  /* --no-capture: also what passing tests printed */
	bool shows_failures_last; /* profile ci */
};

struct run_report;

/* Members may be NULL. */
struct report_format {
	const char *name;
	void (*begin)(struct run_report *r, size_t selected);
	void (*start)(struct run_report *r, const struct test_event *e);
	void (*slow)(struct run_report *r, const struct test_event *e);
	void (*retry)(struct run_report *r, const struct test_event *e); /* an attempt failed */
	void (*end)(struct run_report *r, const struct test_event *e);
	void (*unrun)(struct run_report *r, const struct test_event *e); /* text tells why */
	void (*finish)(struct run_report *r, const struct run_totals *t);
};

struct run_report {
	const struct report_format *format;
	struct run_report_options options;
	size_t ended;
	struct str collected; /* of formats that write at the end */
	struct str failed;    /* lines about failed tests, for the end */
};

/* The names of all formats; ends with NULL. */
const char *const *run_report_format_names(void);
const struct report_format *run_report_format_by_name(const char *name);

void run_report_begin(struct run_report *r, const struct report_format *format,
		      const struct run_report_options *options, size_t selected);
void run_report_start(struct run_report *r, const struct test_event *e);
void run_report_slow(struct run_report *r, const struct test_event *e);
void run_report_retry(struct run_report *r, const struct test_event *e);
void run_report_end(struct run_report *r, const struct test_event *e);
/* One that was selected and did not come to an end: its status is TEST_SKIPPED, its text why. */
void run_report_unrun(struct run_report *r, const struct test_event *e);
/* -ENOMEM with a message when something could not be told. */
int run_report_finish(struct run_report *r, const struct run_totals *t);

extern const struct report_format run_report_human, run_report_ktap, run_report_junit,
	run_report_json;

/* A JUnit document of collected test cases; the one of the run directory is the same. */
void junit_add_case(struct str *cases, const struct test_event *e);
void junit_add_document(struct str *out, const struct str *cases, const struct run_totals *t);

/* Markdown for GITHUB_STEP_SUMMARY: a line for each test that did not pass, and the totals. */
void github_add_row(struct str *rows, const struct test_event *e);
void github_add_document(struct str *out, const struct str *rows, const struct run_totals *t);
/* Text as the cell of a table of Markdown. */
void github_add_cell(struct str *out, const char *raw);
/* Appends to the file of $GITHUB_STEP_SUMMARY; a warning where that cannot be written. */
void github_append(const struct str *document);

#endif
