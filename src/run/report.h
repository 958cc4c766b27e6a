/* SPDX-License-Identifier: GPL-2.0-only */
/* Output of a run: report formats, coverage, and the files next to its records. */
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

/* One test, or one attempt at it. Strings may be NULL if unknown or not applicable. */
struct test_event {
	const char *binary_id; /* "suite::binary" */
	const char *name;      /* "ktstr/two_cgroups" */
	enum test_status status;
	double seconds;
	unsigned int attempt, attempts; /* this one, and how many are allowed */
	bool is_slow;			/* took longer than the profile's slow_s */
	const char *text;   /* failure text without trailing newline, or why it was skipped */
	const char *output; /* stdout and stderr of the test program */
	const char *note;   /* shown also if the test passed: the table of the scheduler against
			     * EEVDF */
	const struct versus *versus; /* the same table in machine-readable form, or NULL */
	const char *sidecar;	     /* path */
	const char *topology, *scheduler, *kernel, *accel, *digest;
	bool has_seed; /* the seed determines the whole run (sim) */
	uint64_t seed; /* seeds all random choices; 0 = unknown */
};

struct run_totals {
	size_t selected, filtered_out;
	size_t passed, failed, timed_out, inconclusive, skipped; /* of the tests that finished */
	size_t flaky;						 /* passed only after a retry */
	size_t slow;
	double seconds;
	bool is_interrupted;
};

/* Number of failed tests, timeouts included; and number of tests that finished. */
size_t run_totals_failed(const struct run_totals *t);
size_t run_totals_ended(const struct run_totals *t);
/* Tests that were selected but did not finish, because of fail-fast or an interrupt. */
size_t run_totals_not_run(const struct run_totals *t);
void run_totals_count(struct run_totals *t, const struct test_event *e);

struct run_report_options {
	FILE *out;		     /* stdout */
	const char *label;	     /* "ktstr" or "cargo ktstr" */
	const char *const *run_dirs; /* one for each kernel */
	size_t run_dir_count;
	bool has_colour;
	bool is_quiet;		  /* human: failures and the summary only */
	bool is_verbose;	  /* human: prints seed and digest of sim runs */
	bool shows_output;	  /* --no-capture: prints the output of passing tests, too */
	bool shows_failures_last; /* profile ci */
};

struct run_report;

/* Events in the life of a test, as reported to a report format. */
enum report_moment {
	REPORT_STARTED,
	REPORT_SLOW,
	REPORT_RETRIED, /* an attempt failed */
	REPORT_ENDED,
	REPORT_UNRUN, /* selected but not finished: reported as skipped, event text = why */
};

/* Callbacks of a report format; each may be NULL. */
struct report_format {
	const char *name;
	void (*begin)(struct run_report *r, size_t selected);
	void (*tell)(struct run_report *r, enum report_moment m, const struct test_event *e);
	void (*finish)(struct run_report *r, const struct run_totals *t);
};

struct run_report {
	const struct report_format *format;
	struct run_report_options options;
	size_t ended;	      /* including tests that did not run, which are reported as skipped */
	struct str collected; /* of formats that write at the end */
	struct str failed;    /* lines about failed tests, for the end */
};

/* The names of all formats; ends with NULL. */
const char *const *run_report_format_names(void);
const struct report_format *run_report_format_by_name(const char *name);

extern const struct report_format run_report_human, run_report_ktap, run_report_junit,
	run_report_json;

/* Builds a JUnit document from test cases; also used for junit.xml of the run directory. */
void junit_add_case(struct str *cases, const struct test_event *e);
void junit_add_document(struct str *out, const struct str *cases, const struct run_totals *t);

/* Markdown for GITHUB_STEP_SUMMARY: one row per test that did not pass, and the totals. */
void github_add_row(struct str *rows, const struct test_event *e);
void github_add_document(struct str *out, const struct str *rows, const struct run_totals *t);
/* Appends the text, escaped as a cell of a Markdown table. */
void github_add_cell(struct str *out, const char *raw);
/* Appends to the file named by $GITHUB_STEP_SUMMARY; prints a warning if that fails. */
void github_append(const struct str *document);

/*
 * coverage.c: which lines of test programs were executed, by clang's source-based coverage. An
 * instrumented program writes a raw profile when it exits: on the host to the path in
 * LLVM_PROFILE_FILE, in a guest into a directory whose files guest init sends to the host. All
 * profiles end up in one directory; llvm-profdata merges them and llvm-cov makes a report.
 *
 *         DIR/default-PID-*.profraw       from programs on the host
 *         DIR/ktstr-test-PID-N.profraw    from guests
 *         DIR/objects                     paths of instrumented programs, one per line, for
 * llvm-cov
 *         DIR/merged.profdata
 */

#define COVERAGE_COMPILE_FLAG "-fprofile-instr-generate"
#define COVERAGE_MAPPING_FLAG "-fcoverage-mapping"

/*
 * Returns the coverage directory, absolute, to be freed: LLVM_COV_TARGET_DIR, the directory of
 * LLVM_PROFILE_FILE, or llvm-cov-target next to this program; if that is not writable, below
 * CARGO_TARGET_DIR or target. Creates nothing. NULL with a message on error.
 */
char *coverage_dir(void);

/* Sets LLVM_PROFILE_FILE if unset, so that no profile is written to the current directory. */
int coverage_set_environment(const char *dir);

/* Stores a profile from a guest as a new file with this suffix. */
#define COVERAGE_RAW_SUFFIX ".profraw"
int coverage_keep(const char *dir, const char *suffix, const void *data, size_t len);

enum coverage_clean {
	COVERAGE_CLEAN_PROFILES, /* raw profiles */
	COVERAGE_CLEAN_REPORTS,	 /* also merged profiles and reports */
	COVERAGE_CLEAN_PROGRAMS, /* also programs compiled from C files for coverage */
};
/* Removes only files that ktstr made: the directory may contain others. */
int coverage_clean(const char *dir, enum coverage_clean what);

/* Path of the clang that compiles for coverage, to be freed; NULL with a message. */
char *coverage_find_clang(void);

enum coverage_format {
	COVERAGE_TABLE, /* one line per source file */
	COVERAGE_TEXT,	/* the source with execution counts */
	COVERAGE_LCOV,
	COVERAGE_JSON,
	COVERAGE_HTML, /* a directory */
};

struct coverage_report {
	enum coverage_format format;
	const char *output; /* file, for HTML a directory; NULL = stdout, for HTML DIR/html */
	const char *ignore; /* regular expression of source files to leave out, or NULL */
};

/* Returns 0 if llvm-profdata and llvm-cov are installed, else an error with a message. */
int coverage_check_tools(void);

/* Merges all profiles of the directory and writes a report. */
int coverage_write_report(const char *dir, const struct coverage_report *report);

/*
 * bpf_coverage.c: coverage of BPF programs. Each sim run writes one file into a directory; the
 * report is the sum of all files.
 */

/* Directory used by `ktstr coverage`, to be freed; NULL with a message. */
char *bpf_coverage_dir(void);

/* Directory for one part of a run that is divided by marks (watch/mark.h); to be freed, or NULL. */
char *bpf_coverage_part(const char *dir, uint32_t part);

/* Adds up all files in the directory. -ENOENT with a message if there is none. */
int bpf_coverage_load(const char *dir, struct bpf_cover *out);

/* Removes the coverage files and nothing else. */
int bpf_coverage_clean(const char *dir);

/* dump_files.c: snapshots of the guest, in files next to the record of a test. */

/*
 * Path of the failure dump that belongs to a record, whether it exists or not; NULL if `record` is
 * not the name of a record.
 */
char *dump_files_path(const char *record);
/* Likewise the path of the trace page, which `ktstr trace` makes on request. */
char *dump_files_trace_path(const char *record);

#endif
