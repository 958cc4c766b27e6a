/* SPDX-License-Identifier: GPL-2.0-only */
/* What a procfs lets us see, and whether its numbers are those of our system calls. */
#ifndef KTSTR_CTPROF_PROCFS_VIEW_H
#define KTSTR_CTPROF_PROCFS_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct procfs_view {
	bool is_hiding;	       /* mounted with hidepid: processes of others do not show */
	uint64_t capabilities; /* CapEff of who asks */
	bool is_root;	       /* by the user id, which may lack capabilities */
};

/* process is who asks, as "self". */
struct procfs_view procfs_view_read(const char *proc, const char *process);

static inline bool procfs_view_can(const struct procfs_view *v, int capability)
{
	return v->capabilities >> capability & 1;
}

/* Appends where the first cgroup2 that the process sees is mounted; false when it sees none. */
bool procfs_find_cgroup2(const char *proc, const char *process, struct str *point);

/* Of ourselves. Root of a container may be left without. */
bool lacks_capability(int capability);

/* Others' processes are hidden from whoever may not trace them. */
bool procfs_view_is_partial(const struct procfs_view *v);

/*
 * Whether it shows us under another number than we have: then it is of another
 * pid namespace, and its numbers are of other threads to our system calls.
 */
bool procfs_is_foreign(const char *proc);

#define PROCFS_FOREIGN \
	"the procfs is of another pid namespace, whose thread numbers are those of others here"

#endif
