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
static const char *lacking;		      /* what is not pinned, or NULL */
static int (*open_program)(const char *path); /* instead of the default */
static int fail_link_at;		      /* which call, from 1 on; 0 = none */
static long configured_cpus;

#define MAPPINGS 8

/* What the observer has mapped. */
static struct mapping {
	char *at;
	size_t size;
} mapped[MAPPINGS];
static int fail_map_at; /* which mapping, from 1 on; 0 = none */

uint64_t __wrap_clock_mono_ns(void);
void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset);
void *__real_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset);
int __wrap_munmap(void *at, size_t size);
int __real_munmap(void *at, size_t size);
int __wrap_bpf_open_pinned(const char *path);
int __wrap_bpf_call(enum bpf_cmd command, union bpf_attr *attr);
long __wrap_sysconf(int name);
long __real_sysconf(int name);

uint64_t __wrap_clock_mono_ns(void)
{
	return now_ns;
}

#define PAGE 4096UL

static inline size_t count_mapped(void)
{
	size_t count = 0;

	array_each(const struct mapping, m, mapped, MAPPINGS)
		count += m->at != NULL;
	return count;
}

static inline size_t whole_pages(size_t size)
{
	return (size + PAGE - 1) / PAGE * PAGE;
}

/*
 * Maps the end of the file at the end of a page, between two pages that cannot be read: an access
 * beyond the first or the last element of a map fails.
 */
static inline char *map_guarded(int fd, size_t size)
{
	size_t whole = whole_pages(size);
	char *at =
		__real_mmap(NULL, whole + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(at, MAP_FAILED);
	assert_ptr_equal(__real_mmap(at + PAGE, whole, PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_FIXED, fd, 0),
			 at + PAGE);
	return at + PAGE + whole - size;
}

static inline void unmap_guarded(char *at, size_t size)
{
	size_t whole = whole_pages(size);

	assert_int_equal(__real_munmap(at + size - whole - PAGE, whole + 2 * PAGE), 0);
}

void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	struct mapping *m = mapped;

	if (flags != MAP_SHARED)
		return __real_mmap(at, size, prot, flags, fd, offset);
	if (fail_map_at && count_mapped() + 1 == (size_t)fail_map_at) {
		errno = EPERM;
		return MAP_FAILED;
	}
	assert_int_equal(prot, PROT_READ | PROT_WRITE);
	assert_int_equal(offset, 0);
	while (m->at)
		m++;
	*m = (struct mapping){ map_guarded(fd, size), size };
	return m->at;
}

int __wrap_munmap(void *at, size_t size)
{
	for (size_t i = 0; i < MAPPINGS; i++) {
		if (mapped[i].at != at)
			continue;
		assert_int_equal(size, mapped[i].size);
		unmap_guarded(at, size);
		mapped[i] = (struct mapping){};
		return 0;
	}
	return __real_munmap(at, size);
}

long __wrap_sysconf(int name)
{
	return name == _SC_NPROCESSORS_CONF ? configured_cpus : __real_sysconf(name);
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
	return open_program ? open_program(path) : memfd_create(name, MFD_CLOEXEC);
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
	if (attached == fail_link_at)
		return -EBUSY;
	return memfd_create("link", MFD_CLOEXEC);
}

static int start(void **state)
{
	struct observer *o = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(maps); i++) {
		maps[i].fd = memfd_create(maps[i].name, MFD_CLOEXEC);
		assert_int_equal(ftruncate(maps[i].fd, (off_t)whole_pages(maps[i].size)), 0);
		*maps[i].at = map_guarded(maps[i].fd, maps[i].size);
	}
	now_ns = 1000 * MS;
	lacking = NULL;
	configured_cpus = CPUS;
	assert_int_equal(observer_open(&o, "/pins"), 0);
	assert_int_equal(count_mapped(), ARRAY_SIZE(maps));
	*state = o;
	return 0;
}

static int stop(void **state)
{
	observer_close(*state);
	assert_int_equal(count_mapped(), 0);
	for (size_t i = 0; i < ARRAY_SIZE(maps); i++) {
		unmap_guarded(*maps[i].at, maps[i].size);
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
