// SPDX-License-Identifier: GPL-2.0-only
/* Reads CPUs and LLCs of the machine from sysfs. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "loader.h"

#define CPU_DIR "/sys/devices/system/cpu"
#define MAX_CACHES 8
#define NO_CPU 4095 /* larger than any CPU number */

/* Reads the first, or the last, number of a file such as "0-3,8". */
static int read_number(const char *path, bool last, unsigned int *out)
{
	char text[4096];
	FILE *file = fopen(path, "re");
	bool is_read = file && fgets(text, sizeof(text), file);
	const char *number = text;

	if (file)
		fclose(file);
	if (!is_read)
		return -ENOENT;
	for (const char *p = text; last && *p; p++)
		if (*p == '-' || *p == ',')
			number = p + 1;
	return sscanf(number, "%u", out) == 1 ? 0 : -EINVAL;
}

/* Returns the lowest CPU that shares the last-level cache: cache ids are not unique. */
static unsigned int llc_name(unsigned int cpu)
{
	unsigned int level, highest = 0, name = 0;
	char path[128];

	for (unsigned int i = 0; i < MAX_CACHES; i++) {
		snprintf(path, sizeof(path), CPU_DIR "/cpu%u/cache/index%u/level", cpu, i);
		if (read_number(path, false, &level) < 0 || level < highest)
			continue;
		snprintf(path, sizeof(path), CPU_DIR "/cpu%u/cache/index%u/shared_cpu_list", cpu,
			 i);
		if (read_number(path, false, &name) == 0)
			highest = level;
	}
	if (highest)
		return name;
	snprintf(path, sizeof(path), CPU_DIR "/cpu%u/topology/physical_package_id", cpu);
	return read_number(path, false, &name) == 0 ? name : 0;
}

int loader_read_cpus(struct scx_ktstr_config *config, bool has_llcs)
{
	unsigned int names[MAX_LLCS], count = 0, highest, i;
	int rc = read_number(CPU_DIR "/possible", true, &highest);

	if (rc < 0 || highest >= MAX_CPUS) {
		fprintf(stderr, "scx-ktstr: %s\n",
			rc < 0 ? "cannot read which CPUs there are" : "there are too many CPUs");
		return rc < 0 ? rc : -E2BIG;
	}
	config->cpu_count = highest + 1;
	for (unsigned int cpu = 0; cpu <= highest; cpu++) {
		unsigned int name = has_llcs ? llc_name(cpu) : 0;

		for (i = 0; i < count && names[i] != name; i++)
			;
		if (i == MAX_LLCS)
			i = 0;
		else if (i == count)
			names[count++] = name;
		config->cpu_llc[cpu] = i;
	}
	config->llc_count = count;
	if (read_number(CPU_DIR "/offline", false, &config->offline_cpu) < 0 ||
	    config->offline_cpu > highest)
		config->offline_cpu = NO_CPU;
	return 0;
}
