/* SPDX-License-Identifier: GPL-2.0-only */
/* The code that a process has mapped from files. */
#ifndef KTSTR_CTPROF_JEMALLOC_MAPS_H
#define KTSTR_CTPROF_JEMALLOC_MAPS_H

#include "base/base.h"

/* A file in use by a process: its executable (no addresses), or a mapping of code. */
struct mapped_file {
	pid_t tgid;
	const char *path; /* as the process names it */
	dev_t device;
	ino_t inode;
	uint64_t start, end, offset; /* 0, 0, 0: the executable */
	bool is_libc;		     /* the GNU C library, by its name */
};

/* One line of /proc/PID/maps, cut in place. False for what is no mapped code of a file. */
bool maps_parse_line(char *line, struct mapped_file *out);

/* Visits them until visit() is true. 0, or a negative errno when they cannot be read. */
int maps_each_code(pid_t tgid, bool (*visit)(const struct mapped_file *f, void *context),
		   void *context);

/* Opens the very file, also one that was deleted or is inside of a container. Or -errno. */
int maps_open(const struct mapped_file *f);

#endif
