// SPDX-License-Identifier: GPL-2.0-only
/* Compares sysfs with the requested topology. */
#include "guest/parts.h"

#define LOCAL_DISTANCE 10
#define REMOTE_DISTANCE 20

int topology_shape_parse(const char *text, struct topology_shape *out)
{
	unsigned int *const fields[] = { &out->nodes, &out->llcs, &out->cores, &out->threads };
	const char *p = text;

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		uint64_t value;

		if ((i && *p++ != ',') || parse_digits(&p, &value) < 0 || value == 0 ||
		    value > 65536)
			return err_set(EINVAL, "'%s' is not a topology of the form n,l,c,t", text);
		*fields[i] = (unsigned int)value;
	}
	return *p ? err_set(EINVAL, "'%s' is not a topology of the form n,l,c,t", text) : 0;
}

static int differs(const char *what, size_t have, size_t want)
{
	return err_set(EPROTO, "the guest has %zu %s, %zu were asked for", have, what, want);
}

static size_t count_threads(const struct topology *t, unsigned int core)
{
	size_t count = 0;

	for (size_t i = 0; i < t->cpu_count; i++)
		count += t->cpus[i].core == core;
	return count;
}

static int check_cpus(const struct topology *t, const struct topology_shape *want)
{
	size_t cpus = (size_t)want->llcs * want->cores * want->threads;

	if (t->cpu_count != cpus)
		return differs("CPUs", t->cpu_count, cpus);
	for (size_t i = 0; i < t->cpu_count; i++) {
		size_t threads = count_threads(t, t->cpus[i].core);

		if (threads != want->threads)
			return err_set(
				EPROTO,
				"CPU %u is one of %zu threads of its core, %u were asked for",
				t->cpus[i].id, threads, want->threads);
	}
	return 0;
}

/* Without a description of caches, kernels report up to level 2, shared by all CPUs. */
#define LAST_LEVEL 3

bool topology_lacks_caches(const struct topology *t)
{
	return t->llc_count && t->llcs[0].level < LAST_LEVEL;
}

/*
 * Where caches are never shown, there is nothing to compare; elsewhere their absence is an
 * error.
 */
static bool has_nothing_to_compare(const struct topology *t _unused_)
{
#if defined(__aarch64__)
	return topology_lacks_caches(t);
#else
	return false;
#endif
}

static int check_llcs(const struct topology *t, const struct topology_shape *want)
{
	if (has_nothing_to_compare(t))
		return 0;
	if (t->llc_count != want->llcs)
		return differs("last-level caches", t->llc_count, want->llcs);
	for (size_t i = 0; i < t->llc_count; i++)
		if (t->llcs[i].cpu_count != (size_t)want->cores * want->threads)
			return err_set(EPROTO,
				       "last-level cache %zu has %zu CPUs, %u were asked for", i,
				       t->llcs[i].cpu_count, want->cores * want->threads);
	return 0;
}

static int check_nodes(const struct topology *t, const struct topology_shape *want)
{
	size_t nodes = 0, cpus = t->cpu_count / want->nodes;

	for (size_t i = 0; i < t->node_count; i++) {
		if (t->nodes[i].cpu_count == 0)
			continue;
		nodes++;
		if (t->nodes[i].cpu_count != cpus && nodes <= want->nodes)
			return err_set(EPROTO, "NUMA node %u has %zu CPUs, %zu were asked for",
				       t->nodes[i].id, t->nodes[i].cpu_count, cpus);
	}
	return nodes == want->nodes ? 0 : differs("NUMA nodes with CPUs", nodes, want->nodes);
}

static int next_node(const char **p, uint64_t *llcs, uint64_t *mib)
{
	*p += **p == ',';
	if (parse_digits(p, llcs) < 0 || *(*p)++ != ':' || parse_digits(p, mib) < 0)
		return err_set(EINVAL, "the list of NUMA nodes is too short");
	return 0;
}

/*
 * The kernel reserves some memory for itself; more memory than requested belongs to another
 * node.
 */
static int check_node(const struct topology_node *n, uint64_t cpus, uint64_t mib)
{
	if (n->cpu_count != cpus)
		return err_set(EPROTO, "NUMA node %u has %zu CPUs, %llu were asked for", n->id,
			       n->cpu_count, ULL(cpus));
	if (!n->has_memory_kib || !n->memory_kib || n->memory_kib > mib * 1024)
		return err_set(EPROTO,
			       "NUMA node %u has %llu KiB of memory, %llu MiB were asked for",
			       n->id, ULL(n->memory_kib), ULL(mib));
	return 0;
}

static int check_own_nodes(const struct topology *t, const struct topology_shape *want,
			   const char *nodes)
{
	if (t->node_count != want->nodes)
		return differs("NUMA nodes", t->node_count, want->nodes);
	for (size_t i = 0; i < t->node_count; i++) {
		uint64_t llcs = 0, mib = 0;
		int rc = next_node(&nodes, &llcs, &mib);

		rc = rc ?: check_node(&t->nodes[i], llcs * want->cores * want->threads, mib);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int next_distance(const char **p, bool is_local, uint64_t *value)
{
	if (!*p) {
		*value = is_local ? LOCAL_DISTANCE : REMOTE_DISTANCE;
		return 0;
	}
	*p += **p == ',';
	if (parse_digits(p, value) < 0)
		return err_set(EINVAL, "the list of NUMA distances is too short");
	return 0;
}

static int check_distances(const struct topology *t, const char *distances)
{
	if (t->node_count < 2)
		return 0;
	if (!t->distances)
		return err_set(EPROTO, "the guest's kernel shows no NUMA distances");
	for (size_t i = 0; i < t->node_count * t->node_count; i++) {
		size_t from = i / t->node_count, to = i % t->node_count;
		uint64_t want;
		int rc = next_distance(&distances, from == to, &want);

		if (rc < 0)
			return rc;
		if (t->distances[i] != want)
			return err_set(
				EPROTO,
				"the NUMA distance from node %u to %u is %u, %u was asked for",
				t->nodes[from].id, t->nodes[to].id, t->distances[i],
				(unsigned int)want);
	}
	return 0;
}

int topology_check(const struct topology *t, const struct topology_shape *want, const char *nodes,
		   const char *distances)
{
	int rc = check_cpus(t, want) ?: check_llcs(t, want);

	if (rc == 0)
		rc = nodes ? check_own_nodes(t, want, nodes) : check_nodes(t, want);
	return rc ?: check_distances(t, distances);
}

/* A kernel without support for clusters has no such file, or an empty one. */
static int read_cluster(const struct roots *roots, unsigned int cpu, struct cpulist *out)
{
	_str_ struct str text = {};
	int rc = root_read_line(roots->sys, &text,
				"devices/system/cpu/cpu%u/topology/cluster_cpus_list", cpu);

	*out = (struct cpulist){};
	if (rc < 0)
		return err_set(ENODATA, "the guest's kernel shows no clusters");
	return cpulist_parse(str_get(&text), out);
}

int topology_check_clusters(const struct topology *t, const struct topology_shape *want,
			    const struct roots *roots)
{
	size_t clusters = 0, cpus = (size_t)want->cores * want->threads;

	for (size_t i = 0; i < t->cpu_count; i++) {
		_cleanup_(cpulist_finish) struct cpulist cluster = {};
		int rc = read_cluster(roots, t->cpus[i].id, &cluster);

		if (rc < 0)
			return rc;
		if (!cluster.cpus || cluster.count != cpus)
			return err_set(EPROTO,
				       "the cluster of CPU %u has %zu CPUs, %zu were asked for",
				       t->cpus[i].id, cluster.count, cpus);
		clusters += cluster.cpus[0] == t->cpus[i].id;
	}
	return clusters == want->llcs ? 0 : differs("clusters", clusters, want->llcs);
}
