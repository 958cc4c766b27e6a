/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A cgroup v2 file system played on a directory of plain files. mkdir(), rmdir()
 * and write() of the program under test come here (--wrap): a new directory
 * gets its control files, a task is in one cgroup only, controllers are passed on
 * to those below, and errors are raised where the kernel would, or on demand.
 */
#ifndef KTSTR_TESTS_FAKE_CGROUP_H
#define KTSTR_TESTS_FAKE_CGROUP_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/roots.h"

int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_rmdir(const char *path);
ssize_t __wrap_write(int fd, const void *data, size_t len);

/* The Makefile wraps what the object of a test mentions, see `wraps` there. */
static void *const fake_cgroup_wraps[]
	__attribute__((used)) = { (void *)__wrap_mkdir, (void *)__wrap_rmdir,
				  (void *)__wrap_write };

struct fake_cgroup {
	char *dir; /* temporary; its "cgroup" is the mount */
	char proc[256], sys[256], mount[256];
	struct roots roots;
};

/* controllers: of the root, "cpuset cpu memory pids". */
void fake_cgroup_start(struct fake_cgroup *f, const char *controllers);
void fake_cgroup_stop(struct fake_cgroup *f);

/* The next writes to files of that name fail, or take that long. */
void fake_cgroup_fail(const char *file, int errnum, int times);
void fake_cgroup_delay(const char *file, unsigned int ms);
/* Writes so far, as "cg_0/cpuset.cpus=0-1;..." without the mount and the parent's name. */
const char *fake_cgroup_log(void);
void fake_cgroup_clear_log(void);
/* The content without the line end; "" for a file that is not there. Valid until the next call. */
const char *fake_cgroup_read(struct fake_cgroup *f, const char *path);
bool fake_cgroup_has(struct fake_cgroup *f, const char *path);

#endif
