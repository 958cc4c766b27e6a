// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel says about mounts and tasks, from a hostile tree. The input is cut at
 * zero bytes: self/mounts, self/mountinfo, cgroup.procs, numa_maps.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/util.h"
#include "cgroup/parts.h"
#include "ctprof/proc_parse.h"
#include "work/worker.h"

static const char *const files[] = { "self/mounts", "self/mountinfo", "cgroup.procs", "numa_maps" };

static char root[64];

static void remove_root(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		_free_ char *path = str_fmt("%s/%s", root, files[i]);

		unlink(path);
		*strrchr(path, '/') = '\0';
		rmdir(path);
	}
	rmdir(root);
}

static void make_root(void)
{
	_free_ char *self = NULL;

	if (root[0])
		return;
	snprintf(root, sizeof(root), "/dev/shm/ktstr-fuzz-XXXXXX");
	self = mkdtemp(root) ? str_fmt("%s/self", root) : NULL;
	if (!self || file_make_dirs(self, 0755) < 0)
		abort();
	atexit(remove_root);
}

/* One part of the input into its file; also returned, as text. */
static char *write_part(const char *name, const uint8_t **data, size_t *size)
{
	const uint8_t *end = memchr(*data, 0, *size);
	size_t len = end ? (size_t)(end - *data) : *size;
	_free_ char *path = str_fmt("%s/%s", root, name);
	char *text = strndup((const char *)*data, len);
	FILE *file = fopen(path, "w");

	if (!text || !file || fwrite(text, 1, len, file) != len || fclose(file) != 0)
		abort();
	*data += len + (end != NULL);
	*size -= len + (end != NULL);
	return text;
}

static void check_mounts(const struct roots *roots, const char *mounts, const char *mountinfo)
{
	_cleanup_(arena_finish) struct arena arena = {};
	_str_ struct str mount = {};
	const char *found;

	/* A directory is only found where the text names the file system. */
	if (cgroup_find_mount(roots, &mount) == 0 && !strstr(mounts, " cgroup2 "))
		abort();
	found = cgroup_find_root(roots, &arena);
	if (!str_eq(found, roots->cgroup) && !strstr(mountinfo, " - cgroup2 "))
		abort();
}

static void check_tasks(const char *text)
{
	pid_list pids = {};
	size_t lines = 1;

	for (const char *p = text; *p; p++)
		lines += *p == '\n';
	if (cgroup_tasks_of(root, &pids) == 0 && pids.count > lines)
		abort();
	for (size_t i = 0; i < pids.count; i++)
		if (pids.items[i] <= 0)
			abort();
	pid_list_finish(&pids);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct roots roots = { .proc = root, .sys = root, .cgroup = root };
	uint64_t pages[WORKER_MAX_NODES] = {};
	char *parts[ARRAY_SIZE(files)];

	make_root();
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		parts[i] = write_part(files[i], &data, &size);
	check_mounts(&roots, parts[0], parts[1]);
	check_tasks(parts[2]);
	numa_add_maps(parts[3], pages);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		free(parts[i]);
	return 0;
}
