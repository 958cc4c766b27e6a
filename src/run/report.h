/* SPDX-License-Identifier: GPL-2.0-only */
/* What is told of a run: reports, coverage, and files beside its records. */
#ifndef KTSTR_RUN_REPORT_H
#define KTSTR_RUN_REPORT_H

#include "watch/cover.h"

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

/* Of a test. */
enum report_moment {
	REPORT_STARTED,
	REPORT_SLOW,
	REPORT_RETRIED, /* an attempt failed */
	REPORT_ENDED,
	REPORT_UNRUN, /* it was selected and did not come to an end: skipped, and the text is why */
};

/* Members may be NULL. */
struct report_format {
	const char *name;
	void (*begin)(struct run_report *r, size_t selected);
	void (*tell)(struct run_report *r, enum report_moment m, const struct test_event *e);
	void (*finish)(struct run_report *r, const struct run_totals *t);
};

struct run_report {
	const struct report_format *format;
	struct run_report_options options;
	size_t ended; /* those that did not run are told as skipped, and count */
	struct str collected; /* of formats that write at the end */
	struct str failed;    /* lines about failed tests, for the end */
};

/* The names of all formats; ends with NULL. */
const char *const *run_report_format_names(void);
const struct report_format *run_report_format_by_name(const char *name);

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

/*
 * coverage.c: Which lines of test programs were executed, by clang's source-based coverage: a
 * program that was compiled for it writes a raw profile when it ends. On the host it
 * does so where LLVM_PROFILE_FILE says; in a guest into a directory that guest init
 * sends to the host. All of them end up in one directory, are merged by llvm-profdata
 * and made into a report by llvm-cov.
 *
 *	DIR/default-PID-*.profraw	from programs of the host
 *	DIR/ktstr-test-PID-N.profraw	out of guests
 *	DIR/objects			instrumented programs, a line each: llvm-cov asks
 *	DIR/merged.profdata
 */

#define COVERAGE_COMPILE_FLAG "-fprofile-instr-generate"
#define COVERAGE_MAPPING_FLAG "-fcoverage-mapping"

/*
 * The directory: LLVM_COV_TARGET_DIR, that of LLVM_PROFILE_FILE, or llvm-cov-target
 * beside this program; where that cannot be written, below CARGO_TARGET_DIR or target.
 * Absolute, to be freed; NULL with a message. Nothing is created.
 */
char *coverage_dir(void);

/* Sets LLVM_PROFILE_FILE where it is unset, so that no profile lands in ".". */
int coverage_set_environment(const char *dir);

/* A profile out of a guest: a file of its own, whose name ends so. */
#define COVERAGE_RAW_SUFFIX ".profraw"
int coverage_keep(const char *dir, const char *suffix, const void *data, size_t len);

enum coverage_clean {
	COVERAGE_CLEAN_PROFILES, /* raw profiles */
	COVERAGE_CLEAN_REPORTS,	 /* also what was made of them */
	COVERAGE_CLEAN_PROGRAMS, /* also the programs that were compiled from C files for it */
};
/* Removes what is ours and nothing else: the directory may be one with other files. */
int coverage_clean(const char *dir, enum coverage_clean what);

/* The clang that compiles for coverage, to be freed; NULL with a message. */
char *coverage_find_clang(void);

enum coverage_format {
	COVERAGE_TABLE, /* a line for each file */
	COVERAGE_TEXT,	/* the source with counts */
	COVERAGE_LCOV,
	COVERAGE_JSON,
	COVERAGE_HTML, /* a directory */
};

struct coverage_report {
	enum coverage_format format;
	const char *output; /* file, for HTML a directory; NULL = stdout, for HTML DIR/html */
	const char *ignore; /* regular expression of files that are left out, or NULL */
};

/* Whether a report can be made: llvm-profdata and llvm-cov are there. */
int coverage_check_tools(void);

/* Merges all profiles of the directory and writes a report. */
int coverage_write_report(const char *dir, const struct coverage_report *report);

/*
 * bpf_coverage.c: Coverage of BPF programs: each run in sim leaves a file in a directory, and they
 * add up.
 */

/* Where `ktstr coverage` has them: to be freed; NULL with a message. */
char *bpf_coverage_dir(void);

/* Where the parts of a run are that marks its parts (watch/mark.h): to be freed, or NULL. */
char *bpf_coverage_part(const char *dir, uint32_t part);

/* All that are in the directory. -ENOENT with a message when there is none. */
int bpf_coverage_load(const char *dir, struct bpf_cover *out);

/* Removes them and nothing else. */
int bpf_coverage_clean(const char *dir);

/* dump_files.c: Snapshots of the guest in files beside the record of a test. */

/* Where the failure dump of a record is, or would be; NULL when it is not the name of one. */
char *dump_files_path(const char *record);
/* The same of the page of its trace, which `ktstr trace` makes when somebody wants it. */
char *dump_files_trace_path(const char *record);

#endif
