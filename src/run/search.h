/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where tests lie: in programs with a section of tests, which is how they are told from
 * others without being run, and in C files that use KTSTR_TEST, which are compiled here.
 */
#ifndef KTSTR_RUN_SEARCH_H
#define KTSTR_RUN_SEARCH_H

#include <stdbool.h>

#include "base/str.h"
#include "base/vec.h"
#include "run/source.h"

/* A test program, absolute, and the C file that it was made from or NULL. */
struct test_file {
	char *path, *source;
	bool is_given; /* by name; else found in a directory */
};

/* Files of one kind that a search passed over. */
struct search_left_out {
	size_t count;
	char *first;
};

/* Starts with the first two members alone. */
struct test_search {
	struct source_options how;
	bool skips_broken; /* C files that do not compile are no error */
	bool is_build;	   /* now in a build directory */
	VEC(struct test_file) items;
	VEC(char *) sources; /* C files of directories, before they are compiled */
	struct search_left_out plain, foreign, unreadable, broken;
};

/*
 * A program, a C file, or a directory with both. What is given and has no tests is an
 * error; in directories it is passed over, and so are caches and hidden files.
 */
int test_search_given(struct test_search *s, const char *path);

/*
 * KTSTR_TEST_DIR, else `tests` and `build` of the current project: of this directory, or
 * where it has neither, of the nearest directory above with a repository.
 */
int test_search_project(struct test_search *s);

/*
 * Compiles the C files of directories, and tells once what was passed over. Of a C file and
 * a program of the same name the newer one is taken: one is made from the other.
 */
int test_search_end(struct test_search *s);

void test_search_finish(struct test_search *s);

/* Whether the file is an executable with tests in it. Damaged files are not. */
bool is_test_program(const char *path);

#endif
