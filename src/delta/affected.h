/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which schedulers and tests a change touches. A test is touched by its own file and by what touches
 * its scheduler; a scheduler by what dependency files name for it, or else by the directory or the
 * files of its name. A file that nobody is known to be built from may be part of everything.
 */
#ifndef KTSTR_DELTA_AFFECTED_H
#define KTSTR_DELTA_AFFECTED_H

#include "run/discover.h"

/* Pairs of what a dependency file tells: the name of what is built, and a file it is built from. */
struct dependency {
	char *target; /* last part of its path, up to the first dot */
	char *source; /* relative to the top, or absolute where it lies elsewhere */
};

struct dependencies {
	VEC(struct dependency) items;
};
void dependencies_finish(struct dependencies *d);

/* Rules of make, "target: source source"; top is the directory that names are relative to. */
int dependencies_parse(struct dependencies *d, const char *text, const char *top);
/* All *.d below the top. */
int dependencies_find(struct dependencies *d, const char *top);

/* Words for people: nothing that is built. */
bool affected_is_document(const char *path);

struct affected {
	VEC(const char *) schedulers; /* each once, in the order they are declared */
	VEC(const char *) tests;
	const char *doubt; /* the file that widened it to all; or NULL */
};

/* changed: paths relative to the top. Names are those of the programs. */
int affected_find(struct affected *a, const struct texts *changed, const struct dependencies *d,
		  const struct test_programs *programs);
void affected_finish(struct affected *a);

#endif
