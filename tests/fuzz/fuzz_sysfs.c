// SPDX-License-Identifier: GPL-2.0-only
/*
 * Topology and host context from a hostile tree: the input is cut into files of a
 * sysfs and procfs tree in memory-backed storage.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/util.h"
#include "host/context.h"
#include "host/topology.h"

static const char *const files[] = {
	"devices/system/cpu/online",
	"devices/system/cpu/cpu0/cache/index0/level",
	"devices/system/cpu/cpu0/cache/index0/type",
	"devices/system/cpu/cpu0/cache/index0/shared_cpu_list",
	"devices/system/cpu/cpu0/cache/index0/size",
	"devices/system/cpu/cpu0/topology/core_cpus_list",
	"devices/system/cpu/cpu0/topology/physical_package_id",
	"devices/system/cpu/cpu0/topology/core_id",
	"devices/system/cpu/cpu1/cache/index0/level",
	"devices/system/cpu/cpu1/cache/index0/shared_cpu_list",
	"devices/system/node/online",
	"devices/system/node/node0/cpulist",
	"devices/system/node/node0/distance",
	"devices/system/node/node0/meminfo",
	"devices/system/node/node1/cpulist",
	"devices/system/node/node1/distance",
	"cpuinfo",
	"meminfo",
	"cmdline",
	"kernel/mm/transparent_hugepage/enabled",
};

static char root[64];

static void remove_root(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	if (system(command) != 0)
		fprintf(stderr, "cannot remove %s\n", root);
}

static void make_root(void)
{
	snprintf(root, sizeof(root), "/dev/shm/ktstr-fuzz-%d", (int)getpid());
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char path[256];

		snprintf(path, sizeof(path), "%s/%s", root, files[i]);
		*strrchr(path, '/') = '\0';
		if (file_make_dirs(path, 0755) < 0)
			abort();
	}
	atexit(remove_root);
}

/* Files are separated by zero bytes; the type file is always right, or nothing would be read. */
static void write_files(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		const uint8_t *end = memchr(data, 0, size);
		size_t len = end ? (size_t)(end - data) : size;
		char path[256];
		int fd;

		snprintf(path, sizeof(path), "%s/%s", root, files[i]);
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
		if (strstr(files[i], "type") ? fd_write_all(fd, "Unified\n", 8) :
					       fd_write_all(fd, data, len))
			abort();
		close(fd);
		data += len + (end != NULL);
		size -= len + (end != NULL);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct roots roots = { .proc = root, .sys = root, .cgroup = root };
	_host_context_ struct host_context h = {};
	_topology_ struct topology t = {};
	_str_ struct str out = {};
	char notation[32];

	if (!root[0])
		make_root();
	write_files(data, size);
	if (topology_read(&t, &roots) == 0)
		topology_add_notation(&t, &out);
	if (host_context_read(&h, &roots) == 0)
		host_context_to_text(&h, &out);
	topology_finish(&t);
	if (size < sizeof(notation)) {
		memcpy(notation, data, size);
		notation[size] = '\0';
		if (topology_from_notation(&t, notation) == 0)
			topology_add_notation(&t, &out);
	}
	return 0;
}
