/* SPDX-License-Identifier: GPL-2.0-only */
/* Test programs and what they declare, which they are asked for with --ktstr-probe. */
#ifndef KTSTR_RUN_DISCOVER_H
#define KTSTR_RUN_DISCOVER_H

#include "program/probe.h"

/* A test that is one C file: compiled when it is first seen, kept by its content. */

/* Whether the name ends in .c. */
bool source_is_one(const char *path);

struct source_options {
	bool is_release;      /* with optimisation */
	bool is_instrumented; /* counts what is executed, by clang */
};

/*
 * The program that the file makes, to be freed. The compiler's own words are on
 * stderr; -EINVAL "FILE does not compile".
 */
int source_compile(const char *path, const struct source_options *how, char **program);

/*
 * A test that is one scenario file: how long the end of such a name is, ".yaml" for instance, or 0;
 * and the program that it makes, to be freed. -EINVAL "FILE:LINE: why" for what is not a scenario.
 */
size_t scenario_ending(const char *path);
int scenario_program(const char *path, char **program);

/* Whether C files can be compiled here at all: for who will write one later. */
int source_check(void);

/* A program that exists as bytes already, kept beside the compiled ones; to be freed. */
int source_keep(const char *name, const void *bytes, size_t len, char **program);

/* Programs that were compiled or kept so far are not needed any more: the cache may drop them. */
void source_release(void);

/* A program on a loaded machine may be slow to start, but not this slow. */
#define DISCOVER_PROBE_LIMIT_NS (20 * 1000000000ULL)

struct test_program {
	char *path;	      /* absolute */
	char *name;	      /* the last part of it, or as many as tell it from others */
	char *source;	      /* C or scenario file that it was made from here, absolute; or NULL */
	bool is_instrumented; /* counts what is executed: has a section of coverage */
	struct probe probe;
};

struct test_programs {
	VEC(struct test_program) items; /* in the order of their paths */
};

struct discover_options {
	struct source_options how; /* C files are compiled */
	/*
	 * A C file of a directory that does not compile and a program that does not answer
	 * are passed over with a note: for who looks for one test by its name.
	 */
	bool skips_broken;
};

/*
 * The programs at these paths: files, C files that are compiled, scenario files, or directories
 * that are searched for the first two; with none given those of the current project, see run/parts.h.
 * A file that is given and has no tests is an error, one that is found is passed over with
 * a note. No program at all is not an error here.
 */
int discover_programs(const char *const *paths, size_t count, const struct discover_options *o,
		      struct test_programs *out);
void test_programs_finish(struct test_programs *p);

/* What a person would name: the C file, or else the program. */
const char *test_program_origin(const struct test_program *p);

/* Whether it was compiled to tell which of its lines are executed. */
bool program_is_instrumented(const char *path);

/*
 * The first error of all programs' declarations as one message, or 0: to be called
 * by who is going to run tests.
 */
int test_programs_check(const struct test_programs *p);
int test_program_check(const struct test_program *p);

/*
 * The test of that name; -ENOENT with a sentence and a suggestion. -EINVAL where several
 * programs have it: then it is PROGRAM::NAME.
 */
int test_programs_find(const struct test_programs *p, const char *name,
		       const struct test_program **program, const struct probe_test **test);

/* Where the program of a declared scheduler is. */

struct scheduler_search {
	const char *program; /* path of the test program */
	const char *profile; /* build profile whose directory is looked into first; or NULL */
	const char *given;   /* the program to take instead of looking for one; or NULL */
};

/*
 * The path, to be freed, and in *source which of the places it was. NULL in *path
 * for schedulers of the kernel. -ENOENT "scheduler 'X' not found" naming the places.
 */
int scheduler_find(const struct probe_sched *s, const struct scheduler_search *search, char **path,
		   const char **source);

/*
 * A program that was named on a command line, as an absolute path to be freed. An error
 * with a message for what is not a file, cannot be executed or is for another machine.
 */
int scheduler_program(const char *name, char **path);

/* -EINVAL with a message for what no record could tell: a line end in one of them. */
int scheduler_args_check(const char *const *args, size_t count);

/*
 * Program and arguments as the guest gets them, each ended by a NUL: configuration
 * file, cgroup, the scheduler's own, the test's, those of the flags.
 */
int scheduler_add_args(const struct probe_sched *s, const struct probe_test *t, uint64_t flags,
		       struct str *out);

#endif
