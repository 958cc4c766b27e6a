/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Control groups (v2) below one parent directory that is ours.
 *
 * Names are relative to the parent: "cg_0", "cg_0/sub". Every write has a time
 * limit: the kernel may hold its cgroup lock for as long as a scheduler under test
 * misbehaves. All functions return 0 or a negative errno with a sentence.
 */
#ifndef KTSTR_CGROUP_CGROUP_H
#define KTSTR_CGROUP_CGROUP_H

#include "base/base.h"

#define CGROUP_LIMIT_MS 2000 /* of a write; then it is -ETIMEDOUT */

struct cgroup_manager {
	char *mount;	  /* of the cgroup2 file system */
	char *parent;	  /* our directory, below the mount */
	bool without_cpu; /* the run leaves the cpu controller off (flag no-ctrl) */
	bool made_parent; /* so it goes at the end */
};

struct cgroup_manager_options {
	const struct roots *roots; /* proc: where the mounts are listed; NULL = this machine */
	const char *parent;	   /* "ktstr-123", or an absolute path below the mount */
	bool without_cpu;
};

/* Where cgroup v2 is mounted; a sentence where it is not. */
int cgroup_find_mount(const struct roots *roots, struct str *mount);

int cgroup_manager_init(struct cgroup_manager *m, const struct cgroup_manager_options *options);
/* Only memory; see cgroup_cleanup_all() and cgroup_remove_parent(). */
void cgroup_manager_finish(struct cgroup_manager *m);

/* Makes the parent and enables the controllers from the mount down to it. */
int cgroup_setup(struct cgroup_manager *m);

/* "", ".", "..", absolute and double-slashed names are refused. */
int cgroup_check_name(const char *name);
/* The directory of a cgroup (free()); NULL when out of memory. "" = the parent. */
char *cgroup_path(const struct cgroup_manager *m, const char *name);
bool cgroup_exists(const struct cgroup_manager *m, const char *name);

/* Also the levels above it, with controllers; one that is there already is fine. */
int cgroup_create(struct cgroup_manager *m, const char *name);
/* With all below it; tasks go to the root. One that is not there is fine. */
int cgroup_remove(struct cgroup_manager *m, const char *name);

/* Enables a controller ("memory") for a cgroup, from the root down. */
int cgroup_enable(struct cgroup_manager *m, const char *name, const char *controller);

/* One write to, and one read (without trailing blanks) of a file of the cgroup. */
int cgroup_write(struct cgroup_manager *m, const char *name, const char *file, const char *value);
int cgroup_read(struct cgroup_manager *m, const char *name, const char *file, struct str *out);

int cgroup_set_cpuset(struct cgroup_manager *m, const char *name, const char *cpus);
int cgroup_clear_cpuset(struct cgroup_manager *m, const char *name);
int cgroup_set_mems(struct cgroup_manager *m, const char *name, const char *nodes);
int cgroup_set_cpu_max(struct cgroup_manager *m, const char *name, const char *text);
int cgroup_set_cpu_weight(struct cgroup_manager *m, const char *name, int64_t weight);
/* Percents; a maximum of 0 is left alone. */
int cgroup_set_uclamp(struct cgroup_manager *m, const char *name, int64_t min, int64_t max);
/* file is "memory.max", "memory.high", ... */
int cgroup_set_memory(struct cgroup_manager *m, const char *name, const char *file,
		      const char *value);
int cgroup_set_pids_max(struct cgroup_manager *m, const char *name, uint32_t max);

/* Returns when the kernel says that it is so. */
int cgroup_freeze(struct cgroup_manager *m, const char *name);
int cgroup_unfreeze(struct cgroup_manager *m, const char *name);

int cgroup_move_task(struct cgroup_manager *m, const char *name, pid_t pid);
/* A task that has gone is a warning; a busy cgroup is tried three times more. */
int cgroup_move_tasks(struct cgroup_manager *m, const char *name, const pid_t *pids, size_t count);

typedef VEC(pid_t) pid_list;
void pid_list_finish(pid_list *pids);
int cgroup_tasks(struct cgroup_manager *m, const char *name, pid_list *pids);

/* All tasks of this cgroup, not of those below it, to the root. */
int cgroup_drain(struct cgroup_manager *m, const char *name);
/* So that the cgroup may have tasks of its own; also of the levels below it. */
int cgroup_clear_subtree_control(struct cgroup_manager *m, const char *name);

/* Removes everything below the parent, deepest first. Goes on after a failure, tells the first. */
int cgroup_cleanup_all(struct cgroup_manager *m);
int cgroup_remove_parent(struct cgroup_manager *m);

/* The same for a directory found by other means: `ktstr cleanup`. */
int cgroup_remove_tree(const char *mount, const char *dir);

/*
 * A list of cgroups that go away together, the last one made first. One that has
 * gone already is fine, another failure is logged with what may help.
 */
struct cgroup_group {
	struct cgroup_manager *manager;
	VEC(char *) names;
};

int cgroup_group_create(struct cgroup_group *g, const char *name);
int cgroup_group_add(struct cgroup_group *g, const char *name); /* made elsewhere */
void cgroup_group_finish(struct cgroup_group *g);

#endif
