/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finding test programs: executables with a section of tests. Which files are some
 * is told by their section, so that nothing foreign is ever run; what they declare
 * is asked of them with --ktstr-probe.
 */
#ifndef KTSTR_RUN_DISCOVER_H
#define KTSTR_RUN_DISCOVER_H

#include "base/vec.h"
#include "program/probe.h"
#include "run/source.h"

/* A program on a loaded machine may be slow to start, but not this slow. */
#define DISCOVER_PROBE_LIMIT_NS (20 * 1000000000ULL)

struct test_program {
	char *path;	      /* absolute */
	char *name;	      /* the last part of it */
	char *source;	      /* the C file that it was made from here, absolute; or NULL */
	bool is_instrumented; /* counts what is executed: has a section of coverage */
	struct probe probe;
};

struct test_programs {
	VEC(struct test_program) items; /* in the order of their paths */
};

/*
 * The programs at these paths: files, C files that are compiled, or directories that
 * are searched; with none given those below KTSTR_TEST_DIR, else below `examples` and
 * `tests` beside this executable and below ./build. A file that is given and is no test
 * program is an error, one that is found is passed over, and so are caches. No program
 * at all is no error here. how = of C files; NULL = as usual.
 */
int discover_programs(const char *const *paths, size_t count, const struct source_options *how,
		      struct test_programs *out);
void test_programs_finish(struct test_programs *p);

/* What a person would name: the C file, or else the program. */
const char *test_program_origin(const struct test_program *p);

/* Whether it was compiled to tell which of its lines are executed. */
bool program_is_instrumented(const char *path);

/* Whether the file is an executable with tests in it. Damaged files are not. */
bool is_test_program(const char *path);

/* Runs PATH --ktstr-probe. Wrong attributes are in probe->problems, not an error here. */
int program_probe(const char *path, uint64_t limit_ns, struct probe *out);

/*
 * The first error of all programs' declarations as one message, or 0: to be called
 * by who is going to run tests.
 */
int test_programs_check(const struct test_programs *p);
int test_program_check(const struct test_program *p);

/* The test of that name; -ENOENT with a sentence and a suggestion. */
int test_programs_find(const struct test_programs *p, const char *name,
		       const struct test_program **program, const struct probe_test **test);

#endif
