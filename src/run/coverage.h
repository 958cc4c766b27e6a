/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which lines of test programs were executed, by clang's source-based coverage: a
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
#ifndef KTSTR_RUN_COVERAGE_H
#define KTSTR_RUN_COVERAGE_H

#include "base/base.h"

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

/* Adds programs to those that reports are about. */
int coverage_add_objects(const char *dir, const char *const *programs, size_t count);

/* Whether the bytes begin as a raw profile of clang does. */
bool coverage_is_raw_profile(const void *data, size_t len);

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

#endif
