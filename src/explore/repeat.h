/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds what is needed to repeat a recorded run. */
#ifndef KTSTR_EXPLORE_REPEAT_H
#define KTSTR_EXPLORE_REPEAT_H

#include "record/sidecar.h"

struct repeat_programs {
	struct str text;
	VEC(const char *) paths; /* point into text */
};

/* Reads the programs and C files of the run in this directory. */
int repeat_programs_read(struct repeat_programs *p, const char *dir);
void repeat_programs_finish(struct repeat_programs *p);

/* The name of a test without the kernel, which is only added if there are several. To be freed. */
char *repeat_test_name(const char *name);

/* The kernel of a record for --kernel; NULL if it has none. */
const char *repeat_kernel(const struct sidecar *s);

/*
 * The scheduler binary for repeating a record's run: the given one, or the recorded one if
 * it is unchanged. NULL = the record has none. Without is_exact, a changed binary is
 * accepted, and a missing one is searched for as usual.
 */
int repeat_scheduler(const struct sidecar *s, const char *given, bool is_exact, const char **path);

/* As sidecar_read(), with the file's name also where its content is what is wrong. */
int repeat_record_read(struct sidecar *s, const char *path);

#endif
