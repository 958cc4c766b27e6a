/* SPDX-License-Identifier: GPL-2.0-only */
/* Maps as the BPF programs of the observer fill them, and time that a test sets. */
#ifndef KTSTR_OBSERVER_FIXTURE_H
#define KTSTR_OBSERVER_FIXTURE_H

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/bpf_call.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "observe/observer.h"

#define MS NSEC_PER_MSEC
#define CPUS 3

/* What the kernel would hold: the maps as they are mapped here. */
static struct {
	struct observe_task *tasks;
	struct observe_cpu *cpus;
	struct observe_set *sets;
	struct observe_control *control;
} kernel;

static struct {
	const char *name;
	void **at;
	size_t size;
	int fd;
} maps[] = {
	{ "tasks", (void **)&kernel.tasks, OBSERVE_TASKS * sizeof(*kernel.tasks), -1 },
	{ "cpus", (void **)&kernel.cpus, OBSERVE_MAX_CPUS * sizeof(*kernel.cpus), -1 },
	{ "sets", (void **)&kernel.sets, OBSERVE_SETS * sizeof(*kernel.sets), -1 },
	{ "control", (void **)&kernel.control, sizeof(*kernel.control), -1 },
};

static uint64_t now_ns;
static const char *lacking; /* what is not pinned, or NULL */

uint64_t __wrap_clock_mono_ns(void);
int __wrap_bpf_open_pinned(const char *path);
int __wrap_bpf_call(enum bpf_cmd command, union bpf_attr *attr);
long __wrap_sysconf(int name);
long __real_sysconf(int name);

uint64_t __wrap_clock_mono_ns(void)
{
	return now_ns;
}

long __wrap_sysconf(int name)
{
	return name == _SC_NPROCESSORS_CONF ? CPUS : __real_sysconf(name);
}

int __wrap_bpf_open_pinned(const char *path)
{
	const char *name = strrchr(path, '/') + 1;

	assert_true(str_starts(path, "/pins/"));
	if (lacking && strcmp(name, lacking) == 0)
		return -ENOENT;
	for (size_t i = 0; i < ARRAY_SIZE(maps); i++)
		if (strcmp(name, maps[i].name) == 0)
			return dup(maps[i].fd);
	return memfd_create(name, MFD_CLOEXEC); /* a program */
}

static int attached;

int __wrap_bpf_call(enum bpf_cmd command, union bpf_attr *attr)
{
	char link[64], name[64] = "";

	assert_int_equal(command, BPF_RAW_TRACEPOINT_OPEN);
	snprintf(link, sizeof(link), "/proc/self/fd/%u", attr->raw_tracepoint.prog_fd);
	assert_true(readlink(link, name, sizeof(name) - 1) > 0);
	assert_true(str_starts(name, "/memfd:observe_"));
	attached++;
	return memfd_create("link", MFD_CLOEXEC);
}

static int start(void **state)
{
	struct observer *o = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(maps); i++) {
		maps[i].fd = memfd_create(maps[i].name, MFD_CLOEXEC);
		assert_int_equal(ftruncate(maps[i].fd, (off_t)maps[i].size), 0);
		*maps[i].at =
			mmap(NULL, maps[i].size, PROT_READ | PROT_WRITE, MAP_SHARED, maps[i].fd, 0);
		assert_ptr_not_equal(*maps[i].at, MAP_FAILED);
	}
	now_ns = 1000 * MS;
	lacking = NULL;
	assert_int_equal(observer_open(&o, "/pins"), 0);
	*state = o;
	return 0;
}

static int stop(void **state)
{
	observer_close(*state);
	for (size_t i = 0; i < ARRAY_SIZE(maps); i++) {
		munmap(*maps[i].at, maps[i].size);
		close(maps[i].fd);
	}
	return 0;
}

static inline struct observe_task *put(uint32_t pid, uint32_t probe, struct observe_task t)
{
	struct observe_task *slot = &kernel.tasks[OBSERVE_SLOT(pid, probe)];

	t.pid = pid;
	t.first_ns = t.first_ns ? t.first_ns : 1;
	*slot = t;
	return slot;
}

static void end_at(struct observer *o, uint64_t ns, struct observed *seen)
{
	now_ns = ns;
	assert_int_equal(observer_end(o, seen), 0);
	assert_true(seen->is_known);
	assert_int_equal(seen->end_ns, ns);
}

#define OBSERVED(test) cmocka_unit_test_setup_teardown(test, start, stop)

#endif
