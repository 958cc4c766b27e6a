/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the program of a declared scheduler is. */
#ifndef KTSTR_RUN_SCHEDULERS_H
#define KTSTR_RUN_SCHEDULERS_H

#include "program/probe.h"

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
 * with a message for what is no file, cannot be executed or is for another machine.
 */
int scheduler_program(const char *name, char **path);

/*
 * Program and arguments as the guest gets them, each ended by a NUL: configuration
 * file, cgroup, the scheduler's own, the test's, those of the flags.
 */
int scheduler_add_args(const struct probe_sched *s, const struct probe_test *t, uint64_t flags,
		       struct str *out);

#endif
