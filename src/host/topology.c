// SPDX-License-Identifier: GPL-2.0-only
/* Reads the topology of the machine from sysfs. */
#include "host/topology.h"

#define MAX_CACHE_INDEX 16

static int read_cpulist(const struct roots *roots, struct cpulist *out, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int read_cpulist(const struct roots *roots, struct cpulist *out, const char *fmt, ...)
{
	_str_ struct str text = {};
	char name[256];
	va_list ap;
	int rc;

	va_start(ap, fmt);
	vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	*out = (struct cpulist){};
	rc = root_read_line(roots->sys, &text, "%s", name);
	if (rc == -ENODATA) /* a memory-only node has an empty list */
		return 0;
	return rc ?: cpulist_parse(str_get(&text), out);
}

/* "32768K", "32M" or bytes. */
static uint64_t size_to_kib(const char *text)
{
	uint64_t value;

	if (parse_digits(&text, &value) < 0)
		return 0;
	if (*text == 'K')
		return value;
	return *text == 'M' ? value * 1024 : (value + 1023) / 1024;
}

/* Reads the highest unified cache of a CPU; the level stays 0 if sysfs does not have it. */
static void read_llc(const struct roots *roots, unsigned int cpu, struct topology_draft_cpu *draft)
{
	for (int i = 0; i < MAX_CACHE_INDEX; i++) {
		_str_ struct str type = {}, size = {};
		_cleanup_(cpulist_finish) struct cpulist shared = {};
		uint64_t level;

		if (root_read_u64(roots->sys, &level,
				  "devices/system/cpu/cpu%u/cache/index%d/level", cpu, i) < 0)
			continue;
		root_read_line(roots->sys, &type, "devices/system/cpu/cpu%u/cache/index%d/type",
			       cpu, i);
		if (level <= draft->cache_level || level > 16 || !str_eq(str_get(&type), "Unified"))
			continue;
		if (read_cpulist(roots, &shared,
				 "devices/system/cpu/cpu%u/cache/index%d/shared_cpu_list", cpu,
				 i) < 0 ||
		    !cpulist_has(&shared, cpu))
			continue;
		root_read_line(roots->sys, &size, "devices/system/cpu/cpu%u/cache/index%d/size",
			       cpu, i);
		draft->cache_level = (unsigned int)level;
		draft->cache_first_cpu = shared.cpus[0];
		draft->cache_kib = size_to_kib(str_get(&size));
	}
}

/*
 * Cores are identified by their lowest CPU. core_id alone repeats between packages and, on
 * some machines, between dies.
 */
static void read_core(const struct roots *roots, unsigned int cpu, struct topology_draft_cpu *draft)
{
	static const char *const files[] = { "core_cpus_list", "thread_siblings_list" };
	uint64_t value;

	if (root_read_u64(roots->sys, &value,
			  "devices/system/cpu/cpu%u/topology/physical_package_id", cpu) == 0 &&
	    value <= INT_MAX)
		draft->package = (int)value;
	if (root_read_u64(roots->sys, &value, "devices/system/cpu/cpu%u/topology/core_id", cpu) ==
		    0 &&
	    value <= INT_MAX)
		draft->core_id = (int)value;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		_cleanup_(cpulist_finish) struct cpulist siblings = {};

		if (read_cpulist(roots, &siblings, "devices/system/cpu/cpu%u/topology/%s", cpu,
				 files[i]) == 0 &&
		    cpulist_has(&siblings, cpu)) {
			draft->core_first_cpu = (int)siblings.cpus[0];
			return;
		}
	}
}

/* Node membership from the CPU's own directory, for trees without devices/system/node. */
static void read_node_link(const struct roots *roots, struct topology_draft_cpu *draft)
{
	_closedir_ DIR *dir = NULL;
	char path[PATH_MAX];
	struct dirent *entry;
	uint64_t node;

	snprintf(path, sizeof(path), "%s/devices/system/cpu/cpu%u", roots->sys, draft->id);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (str_starts(entry->d_name, "node") && parse_u64(entry->d_name + 4, &node) == 0 &&
		    node < TOPOLOGY_MAX_NODES)
			draft->node = (unsigned int)node;
}

/* "Node 0 MemTotal:       16302048 kB" */
static void read_memory(const struct roots *roots, struct topology_node *node)
{
	_str_ struct str text = {};
	const char *p;

	if (root_read(roots->sys, &text, "devices/system/node/node%u/meminfo", node->id) < 0)
		return;
	p = strstr(str_get(&text), "MemTotal:");
	if (!p)
		return;
	p += strlen("MemTotal:");
	p += strspn(p, " \t");
	node->has_memory_kib = parse_digits(&p, &node->memory_kib) == 0;
}

static int read_nodes(const struct roots *roots, struct topology_draft *draft)
{
	_cleanup_(cpulist_finish) struct cpulist online = {};
	int rc;

	if (read_cpulist(roots, &online, "devices/system/node/online") < 0) {
		for (size_t i = 0; i < draft->cpu_count; i++)
			read_node_link(roots, &draft->cpus[i]);
		return 0;
	}
	for (size_t i = 0; i < online.count; i++) {
		_cleanup_(cpulist_finish) struct cpulist members = {};
		struct topology_node node = { .id = online.cpus[i] };

		if (node.id >= TOPOLOGY_MAX_NODES)
			continue;
		read_memory(roots, &node);
		rc = topology_draft_add_node(draft, &node);
		if (rc < 0)
			return rc;
		if (read_cpulist(roots, &members, "devices/system/node/node%u/cpulist", node.id) <
		    0)
			continue;
		for (size_t k = 0; k < draft->cpu_count; k++)
			if (cpulist_has(&members, draft->cpus[k].id))
				draft->cpus[k].node = node.id;
	}
	return 0;
}

/* Reads a node's row of the matrix. Returns false if it is missing, short or not numeric. */
static bool read_distance_row(const struct roots *roots, unsigned int node, unsigned int *row,
			      size_t count)
{
	_str_ struct str text = {};
	const char *p;

	root_read_line(roots->sys, &text, "devices/system/node/node%u/distance", node);
	p = str_get(&text);
	for (size_t i = 0; i < count; i++) {
		uint64_t value;

		p += strspn(p, " \t");
		if (parse_digits(&p, &value) < 0 || value > UINT_MAX)
			return false;
		row[i] = (unsigned int)value;
	}
	return true;
}

/* Reads all rows or none: half a matrix is useless. */
static int read_distances(const struct roots *roots, struct topology *t)
{
	size_t n = t->node_count;

	t->distances = calloc(n * n, sizeof(*t->distances));
	if (!t->distances)
		return err_no_memory();
	for (size_t i = 0; i < n; i++) {
		if (!read_distance_row(roots, t->nodes[i].id, &t->distances[i * n], n)) {
			free(take_ptr(&t->distances));
			return 0;
		}
	}
	return 0;
}

int topology_read(struct topology *t, const struct roots *roots)
{
	_cleanup_(topology_draft_finish) struct topology_draft draft = {};
	_cleanup_(cpulist_finish) struct cpulist online = {};
	int rc = read_cpulist(roots, &online, "devices/system/cpu/online");

	*t = (struct topology){};
	if (rc < 0)
		return err_sys(-rc, "read %s/devices/system/cpu/online", roots->sys);
	if (online.count == 0)
		return err_set(EINVAL, "%s/devices/system/cpu/online names no CPU", roots->sys);
	for (size_t i = 0; i < online.count; i++) {
		struct topology_draft_cpu cpu = TOPOLOGY_DRAFT_CPU(online.cpus[i]);

		read_llc(roots, cpu.id, &cpu);
		read_core(roots, cpu.id, &cpu);
		rc = topology_draft_add_cpu(&draft, &cpu);
		if (rc < 0)
			return rc;
	}
	rc = read_nodes(roots, &draft) ?: topology_build(t, &draft) ?: read_distances(roots, t);
	if (rc < 0)
		topology_finish(t);
	return rc;
}
