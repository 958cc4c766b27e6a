/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which schedulers and tests a change affects. A test is affected by its own file and by
 * what affects its scheduler; a scheduler by what dependency files list for it, or else by
 * the directory or the files of its name. A file that is in no dependency file may be part
 * of everything.
 */
#ifndef KTSTR_DELTA_AFFECTED_H
#define KTSTR_DELTA_AFFECTED_H

#include "run/discover.h"

/* From a dependency file: the name of what is built, and one file it is built from. */
struct dependency {
	char *target; /* last part of its path, up to the first dot */
	char *source; /* relative to the top, or absolute if it is elsewhere */
};

struct dependencies {
	VEC(struct dependency) items;
};
void dependencies_finish(struct dependencies *d);

/* Parses make rules, "target: source source"; relative names are relative to top. */
int dependencies_parse(struct dependencies *d, const char *text, const char *top);
/* Reads all *.d files below the top. */
int dependencies_find(struct dependencies *d, const char *top);

/* True for documentation, which is not built. */
bool affected_is_document(const char *path);

struct affected {
	VEC(const char *) schedulers; /* each once, in the order of declaration */
	VEC(const char *) tests;
	const char *doubt; /* the file because of which all are affected; or NULL */
};

/* changed: paths relative to the top. Names belong to the programs. */
int affected_find(struct affected *a, const struct texts *changed, const struct dependencies *d,
		  const struct test_programs *programs);
void affected_finish(struct affected *a);

#endif
