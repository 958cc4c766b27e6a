/* SPDX-License-Identifier: GPL-2.0-only */
/* From a record to what is needed to run it again. */
#ifndef KTSTR_EXPLORE_REPEAT_H
#define KTSTR_EXPLORE_REPEAT_H

#include "check/sidecar.h"

struct repeat_programs {
	struct str text;
	VEC(const char *) paths; /* into text */
};

/* The programs and C files of the run in this directory. */
int repeat_programs_read(struct repeat_programs *p, const char *dir);
void repeat_programs_finish(struct repeat_programs *p);

/* The name of a test without that of a kernel, which it only has among several. To be freed. */
char *repeat_test_name(const char *name);

/* The kernel of a record for --kernel; NULL where it tells none. */
const char *repeat_kernel(const struct sidecar *s);

/*
 * The program that is to be the scheduler of a record's run: the one given, or the one that
 * the record names, as long as it is what it was. NULL = the record names none. Without
 * is_exact another one in its place is taken, and one that is gone is looked for as usual.
 */
int repeat_scheduler(const struct sidecar *s, const char *given, bool is_exact, const char **path);

/* As sidecar_read(), with the file's name also where its content is what is wrong. */
int repeat_record_read(struct sidecar *s, const char *path);

#endif
