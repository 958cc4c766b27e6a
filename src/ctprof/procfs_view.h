/* SPDX-License-Identifier: GPL-2.0-only */
/* What this kernel and its procfs let us see. */
#ifndef KTSTR_CTPROF_PROCFS_VIEW_H
#define KTSTR_CTPROF_PROCFS_VIEW_H

#include "base/base.h"
#include "host/need.h"

/* What a procfs lets us see, and whether its numbers are those of our system calls. */

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

#define PROCFS_HIDING "hidepid hides processes of other users: " LACK_CAPABILITY("SYS_PTRACE")

/* The options that the running kernel was built with, where they can be found. */

enum config_option { OPTION_UNKNOWN, OPTION_OFF, OPTION_ON };

struct running_config {
	struct str text;
	char *source; /* the file; NULL = none was found */
};

/*
 * Reads PROC/config.gz, or else BOOT/config-RELEASE with the release that PROC
 * tells. boot may be NULL. Only running out of memory is an error.
 */
int running_config_read(struct running_config *k, const char *proc, const char *boot);

/* name is "CONFIG_PSI". An option that a known configuration leaves out is off. */
enum config_option running_config_get(const struct running_config *k, const char *name);

/*
 * Whether interrupt time is charged to tasks: the kernel has a pressure file for
 * it then. Where it has no pressure files at all, its configuration tells; what
 * cannot be told counts as present.
 */
bool kernel_counts_irq_time(const char *proc, const char *boot);

void running_config_finish(struct running_config *k);

#define _running_config_ _cleanup_(running_config_finish)

#endif
