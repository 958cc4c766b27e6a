// SPDX-License-Identifier: GPL-2.0-only
/* Work that moves between cgroups all the time. */

#include "work/types.h"

#define MAX_CGROUPS 64U

struct attach_storm {
	unsigned int count, next;
	int home_fd, fds[MAX_CGROUPS];
};

static void format_child(char *out, size_t size, const char *dir, pid_t pid, unsigned int i)
{
	snprintf(out, size, "%s/ktstr_attach_%d_%u", dir, pid, i);
}

static int open_procs(struct ktstr_worker *w, const char *dir)
{
	char path[4200];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd < 0 ? worker_problem(w, errno, "open %s", path) : fd;
}

int cgroup_attach_prepare(struct ktstr_worker *w)
{
	struct attach_storm *s = worker_state(w, sizeof(*s));
	const char *dir = w->spec->cgroup_dir;
	char child[4096];

	if (!s)
		return -ENOMEM;
	if (!dir)
		return worker_problem(w, 0,
				      "CgroupAttachStorm runs only inside a cgroup of the test");
	s->count = (unsigned int)MIN(w->args[0], MAX_CGROUPS);
	s->home_fd = open_procs(w, dir);
	if (s->home_fd < 0)
		return s->home_fd;
	for (unsigned int i = 0; i < s->count; i++) {
		format_child(child, sizeof(child), dir, getpid(), i);
		if (mkdir(child, 0755) < 0 && errno != EEXIST)
			return worker_problem(w, errno, "make cgroup %s", child);
		s->fds[i] = open_procs(w, child);
		if (s->fds[i] < 0)
			return s->fds[i];
	}
	return 0;
}

void cgroup_attach_iterate(struct ktstr_worker *w)
{
	struct attach_storm *s = w->state;
	uint64_t before_ns;

	worker_spin(w, w->args[1]);
	before_ns = clock_mono_ns();
	if (write(s->fds[s->next], "0", 1) < 0)
		worker_problem(w, errno, "move to another cgroup");
	else
		worker_woke(w, clock_mono_ns() - before_ns);
	s->next = (s->next + 1) % s->count;
}

void cgroup_attach_finish(struct ktstr_worker *w)
{
	struct attach_storm *s = w->state;

	if (write(s->home_fd, "0", 1) < 0)
		worker_problem(w, errno, "move back from another cgroup");
	cgroup_attach_remove(w->spec->cgroup_dir, getpid());
}

void cgroup_attach_remove(const char *dir, pid_t pid)
{
	char child[4096];

	for (unsigned int i = 0; i < MAX_CGROUPS; i++) {
		format_child(child, sizeof(child), dir, pid, i);
		if (rmdir(child) < 0 && errno == ENOENT)
			return;
	}
}
