// SPDX-License-Identifier: GPL-2.0-only
/* Reads and sets affinity masks of any width. */
#include "host/topology.h"

#include <sched.h>

int affinity_get(pid_t tid, struct cpulist *cpus)
{
	size_t size = CPU_ALLOC_SIZE(CPULIST_MAX);
	_free_ cpu_set_t *set = calloc(1, size);

	*cpus = (struct cpulist){};
	if (!set)
		return -ENOMEM;
	if (sched_getaffinity(tid, size, set) < 0)
		return -errno;
	cpus->cpus = calloc((size_t)CPU_COUNT_S(size, set) + 1, sizeof(*cpus->cpus));
	if (!cpus->cpus)
		return -ENOMEM;
	for (unsigned int cpu = 0; cpu < CPULIST_MAX; cpu++) {
		if (CPU_ISSET_S(cpu, size, set))
			cpus->cpus[cpus->count++] = cpu;
	}
	return 0;
}

int affinity_set(pid_t tid, const unsigned int *cpus, size_t count)
{
	size_t size = CPU_ALLOC_SIZE(CPULIST_MAX);
	_free_ cpu_set_t *set = calloc(1, size);

	if (!set)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (cpus[i] >= CPULIST_MAX)
			return -EINVAL;
		CPU_SET_S(cpus[i], size, set);
	}
	return sched_setaffinity(tid, size, set) < 0 ? -errno : 0;
}

int affinity_set_process(pid_t pid, const unsigned int *cpus, size_t count)
{
	_closedir_ DIR *dir = NULL;
	struct dirent *entry;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", pid ? pid : getpid());
	dir = opendir(path);
	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		uint64_t tid;
		int rc;

		if (parse_u64(entry->d_name, &tid) < 0)
			continue;
		rc = affinity_set((pid_t)tid, cpus, count);
		if (rc < 0 && rc != -ESRCH)
			return rc;
	}
	return 0;
}
