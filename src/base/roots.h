/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the machine is read from.
 *
 * Every reader of /proc, /sys and the cgroup tree goes through a struct roots,
 * so that it can be pointed at a recorded tree. Reads return a negative errno
 * without a message: a missing file is an answer here, not an event.
 */
#ifndef KTSTR_BASE_ROOTS_H
#define KTSTR_BASE_ROOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct roots {
	const char *proc;   /* "/proc" */
	const char *sys;    /* "/sys" */
	const char *cgroup; /* "/sys/fs/cgroup" */
};

/* This machine. */
extern const struct roots roots_live;

/* Whether proc is the machine's own: system calls on its pids make sense. */
bool roots_is_live(const struct roots *r);

/* Reads base/relative; the formatted name is cut at PATH_MAX (-ENAMETOOLONG). */
int root_read(const char *base, struct str *out, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with trailing white space removed; -ENODATA for an empty file. */
int root_read_line(const char *base, struct str *out, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

int root_read_u64(const char *base, uint64_t *value, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
