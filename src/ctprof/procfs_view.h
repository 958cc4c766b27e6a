/* SPDX-License-Identifier: GPL-2.0-only */
/* What is visible in a procfs, and the configuration of the running kernel. */
#ifndef KTSTR_CTPROF_PROCFS_VIEW_H
#define KTSTR_CTPROF_PROCFS_VIEW_H

#include "base/base.h"
#include "host/need.h"

/* What is visible in a procfs, and whether system calls accept its thread IDs. */

struct procfs_view {
	bool is_hiding;	       /* mounted with hidepid: processes of other users are hidden */
	uint64_t capabilities; /* CapEff of the reading process */
	bool is_root;	       /* by user ID; it may lack capabilities */
};

/* process: the reading process, usually "self". */
struct procfs_view procfs_view_read(const char *proc, const char *process);

static inline bool procfs_view_can(const struct procfs_view *v, int capability)
{
	return v->capabilities >> capability & 1;
}

/* Appends the mount point of the first cgroup2 visible to the process; false = none. */
bool procfs_find_cgroup2(const char *proc, const char *process, struct str *point);

/* Of this process. Root in a container may lack it. */
bool lacks_capability(int capability);

/* With hidepid, processes are hidden from readers that may not trace them. */
bool procfs_view_is_partial(const struct procfs_view *v);

/*
 * Returns whether our PID in the procfs differs from getpid(): then it is of another pid namespace,
 * and with its thread IDs our system calls would reach other threads.
 */
bool procfs_is_foreign(const char *proc);

#define PROCFS_FOREIGN \
	"the procfs is of another pid namespace, whose thread numbers are those of others here"

#define PROCFS_HIDING "hidepid hides processes of other users: " LACK_CAPABILITY("SYS_PTRACE")

/* Configuration of the running kernel, if available. */

enum config_option { OPTION_UNKNOWN, OPTION_OFF, OPTION_ON };

struct running_config {
	struct str text;
	char *source; /* the file; NULL = none was found */
};

/*
 * Reads PROC/config.gz or BOOT/config-RELEASE, with the release from PROC. boot may be NULL. Only
 * -ENOMEM is an error.
 */
int running_config_read(struct running_config *k, const char *proc, const char *boot);

/* name: such as "CONFIG_PSI". An option that a known configuration omits is off. */
enum config_option running_config_get(const struct running_config *k, const char *name);

/*
 * Returns whether the kernel accounts interrupt time per task: then it has a pressure file for irq.
 * Without any pressure files the configuration decides; if unknown, true.
 */
bool kernel_counts_irq_time(const char *proc, const char *boot);

void running_config_finish(struct running_config *k);

#define _running_config_ _cleanup_(running_config_finish)

#endif
