/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Control groups (v2) below one parent directory.
 *
 * Names are relative to the parent: "cg_0", "cg_0/sub". Every write has a timeout: the
 * kernel may hold its cgroup lock for as long as a scheduler under test misbehaves. All
 * functions return 0 or a negative errno with a message.
 */
#ifndef KTSTR_CGROUP_CGROUP_H
#define KTSTR_CGROUP_CGROUP_H

#include "base/base.h"

#define CGROUP_LIMIT_MS 2000 /* timeout of a write, then -ETIMEDOUT */

struct cgroup_manager {
	char *mount;	  /* of the cgroup2 file system */
	char *parent;	  /* the test's directory below the mount */
	bool without_cpu; /* the run disables the cpu controller (flag no-ctrl) */
	bool made_parent; /* created here, so it is removed at the end */
};

struct cgroup_manager_options {
	const struct roots *roots; /* proc: has the list of mounts; NULL = this machine */
	const char *parent;	   /* "ktstr-123", or an absolute path below the mount */
	bool without_cpu;
};

/* Finds the mount point of cgroup v2; an error with a message if there is none. */
int cgroup_find_mount(const struct roots *roots, struct str *mount);

int cgroup_manager_init(struct cgroup_manager *m, const struct cgroup_manager_options *options);
/* Frees memory only; see cgroup_cleanup_all() and cgroup_remove_parent(). */
void cgroup_manager_finish(struct cgroup_manager *m);

/* Creates the parent and enables the controllers from the mount down to it. */
int cgroup_setup(struct cgroup_manager *m);

/* Rejects "", ".", "..", absolute names and names with double slashes. */
int cgroup_check_name(const char *name);
/* The directory of a cgroup (free()); NULL if out of memory. "" = the parent. */
char *cgroup_path(const struct cgroup_manager *m, const char *name);
bool cgroup_exists(const struct cgroup_manager *m, const char *name);

/* Also creates its parents, with controllers. Existing cgroups are fine. */
int cgroup_create(struct cgroup_manager *m, const char *name);
/* Also removes all below it; tasks move to the root. A missing cgroup is fine. */
int cgroup_remove(struct cgroup_manager *m, const char *name);

/* Enables a controller ("memory") for a cgroup, from the root down. */
int cgroup_enable(struct cgroup_manager *m, const char *name, const char *controller);

/* Writes a file of the cgroup, or reads it without trailing blanks. */
int cgroup_write(struct cgroup_manager *m, const char *name, const char *file, const char *value);
int cgroup_read(struct cgroup_manager *m, const char *name, const char *file, struct str *out);

int cgroup_set_cpuset(struct cgroup_manager *m, const char *name, const char *cpus);
int cgroup_clear_cpuset(struct cgroup_manager *m, const char *name);
int cgroup_set_mems(struct cgroup_manager *m, const char *name, const char *nodes);
int cgroup_set_cpu_max(struct cgroup_manager *m, const char *name, const char *text);
int cgroup_set_cpu_weight(struct cgroup_manager *m, const char *name, int64_t weight);
/* In percent; a maximum of 0 is left alone. */
int cgroup_set_uclamp(struct cgroup_manager *m, const char *name, int64_t min, int64_t max);
/* file is "memory.max", "memory.high", ... */
int cgroup_set_memory(struct cgroup_manager *m, const char *name, const char *file,
		      const char *value);
int cgroup_set_pids_max(struct cgroup_manager *m, const char *name, uint32_t max);

/* These return when the kernel reports the new state. */
int cgroup_freeze(struct cgroup_manager *m, const char *name);
int cgroup_unfreeze(struct cgroup_manager *m, const char *name);

int cgroup_move_task(struct cgroup_manager *m, const char *name, pid_t pid);
/* A task that has ended causes a warning only; a busy cgroup is retried three times. */
int cgroup_move_tasks(struct cgroup_manager *m, const char *name, const pid_t *pids, size_t count);

typedef VEC(pid_t) pid_list;
void pid_list_finish(pid_list *pids);
int cgroup_tasks(struct cgroup_manager *m, const char *name, pid_list *pids);

/* Moves all tasks of this cgroup, but not of those below it, to the root. */
int cgroup_drain(struct cgroup_manager *m, const char *name);
/*
 * Disables controllers for children, also at the levels below, so that the cgroup may have
 * tasks.
 */
int cgroup_clear_subtree_control(struct cgroup_manager *m, const char *name);

/* Removes everything below the parent, deepest first. Continues after errors, returns the first. */
int cgroup_cleanup_all(struct cgroup_manager *m);
int cgroup_remove_parent(struct cgroup_manager *m);

/* The same for a directory found by other means, for `ktstr cleanup`. */
int cgroup_remove_tree(const char *mount, const char *dir);

/*
 * A list of cgroups that are removed together, last one first. A missing one is fine; other
 * errors are logged with advice.
 */
struct cgroup_group {
	struct cgroup_manager *manager;
	VEC(char *) names;
};

int cgroup_group_create(struct cgroup_group *g, const char *name);
int cgroup_group_add(struct cgroup_group *g, const char *name); /* created elsewhere */
void cgroup_group_finish(struct cgroup_group *g);

#endif
