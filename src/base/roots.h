/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Root directories of machine data.
 *
 * Every reader of /proc, /sys and the cgroup hierarchy uses a struct roots, so that it can read a
 * recorded tree instead. Reads return a negative errno without a message: a missing file is normal
 * here.
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

/* Returns whether proc is that of this machine, so that system calls on its PIDs make sense. */
bool roots_is_live(const struct roots *r);

/* Reads base/relative; -ENAMETOOLONG if the formatted name exceeds PATH_MAX. */
int root_read(const char *base, struct str *out, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with trailing white space removed; -ENODATA for an empty file. */
int root_read_line(const char *base, struct str *out, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

int root_read_u64(const char *base, uint64_t *value, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
