// SPDX-License-Identifier: GPL-2.0-only
/* Groups CPUs into LLCs and nodes; the short notation. */
#include "host/topology.h"

int topology_draft_add_cpu(struct topology_draft *d, const struct topology_draft_cpu *cpu)
{
	int rc = vec_grow((void **)&d->cpus, &d->cpu_cap, d->cpu_count + 1, sizeof(*d->cpus));

	if (rc == 0)
		d->cpus[d->cpu_count++] = *cpu;
	return rc;
}

int topology_draft_add_node(struct topology_draft *d, const struct topology_node *node)
{
	int rc = vec_grow((void **)&d->nodes, &d->node_cap, d->node_count + 1, sizeof(*d->nodes));

	if (rc == 0)
		d->nodes[d->node_count++] = *node;
	return rc;
}

void topology_draft_finish(struct topology_draft *d)
{
	free(d->cpus);
	free(d->nodes);
	*d = (struct topology_draft){};
}

static bool shares_llc(const struct topology_draft_cpu *a, const struct topology_draft_cpu *b)
{
	if (a->cache_level != b->cache_level)
		return false;
	return a->cache_level ? a->cache_first_cpu == b->cache_first_cpu : a->package == b->package;
}

static bool shares_core(const struct topology_draft_cpu *a, const struct topology_draft_cpu *b)
{
	if (a->core_first_cpu >= 0 && b->core_first_cpu >= 0)
		return a->core_first_cpu == b->core_first_cpu;
	return a->core_id >= 0 && a->core_id == b->core_id && a->package == b->package;
}

static int add_to_llc(struct topology *t, size_t llc, const struct topology_draft_cpu *cpu)
{
	struct topology_llc *l = &t->llcs[llc];
	unsigned int *grown;

	if (llc == t->llc_count) {
		*l = (struct topology_llc){ .node = cpu->node,
					    .level = cpu->cache_level,
					    .size_kib = cpu->cache_kib };
		t->llc_count++;
	}
	grown = reallocarray(l->cpus, l->cpu_count + 1, sizeof(*l->cpus));
	if (!grown)
		return err_no_memory();
	l->cpus = grown;
	l->cpus[l->cpu_count++] = cpu->id;
	return 0;
}

/* Quadratic in the worst case, but a CPU is compared with only one member of each group. */
static int group_cpus(struct topology *t, const struct topology_draft *d)
{
	_free_ size_t *llc_first = calloc(d->cpu_count, sizeof(*llc_first));

	if (!llc_first)
		return err_no_memory();
	for (size_t i = 0; i < d->cpu_count; i++) {
		const struct topology_draft_cpu *cpu = &d->cpus[i];
		size_t llc = 0, core = 0;
		int rc;

		while (llc < t->llc_count && !shares_llc(&d->cpus[llc_first[llc]], cpu))
			llc++;
		if (llc == t->llc_count)
			llc_first[llc] = i;
		while (core < i && !shares_core(&d->cpus[core], cpu))
			core++;
		rc = add_to_llc(t, llc, cpu);
		if (rc < 0)
			return rc;
		t->cpus[t->cpu_count++] = (struct topology_cpu){ .id = cpu->id,
								 .llc = llc,
								 .node = cpu->node,
								 .core = d->cpus[core].id,
								 .package = cpu->package };
	}
	return 0;
}

static int compare_nodes(const void *a, const void *b)
{
	const struct topology_node *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* Collects nodes that were added explicitly, and those that only CPUs refer to. */
static int collect_nodes(struct topology *t, struct topology_draft *d)
{
	for (size_t i = 0; i < t->cpu_count; i++) {
		size_t n = 0;

		while (n < d->node_count && d->nodes[n].id != t->cpus[i].node)
			n++;
		if (n == d->node_count) {
			int rc = topology_draft_add_node(
				d, &(struct topology_node){ .id = t->cpus[i].node });

			if (rc < 0)
				return rc;
		}
		d->nodes[n].cpu_count++;
	}
	if (d->node_count)
		qsort(d->nodes, d->node_count, sizeof(*d->nodes), compare_nodes);
	t->nodes = take_ptr(&d->nodes);
	t->node_count = d->node_count;
	d->node_count = d->node_cap = 0;
	return 0;
}

int topology_build(struct topology *t, struct topology_draft *d)
{
	int rc;

	*t = (struct topology){
		.cpus = calloc(d->cpu_count, sizeof(*t->cpus)),
		.llcs = calloc(d->cpu_count, sizeof(*t->llcs)),
	};
	if (!t->cpus || !t->llcs)
		rc = err_no_memory();
	else
		rc = group_cpus(t, d);
	rc = rc ?: collect_nodes(t, d);
	if (rc < 0)
		topology_finish(t);
	return rc;
}

struct shape {
	uint64_t nodes, llcs, cores, threads;
};

/* More than any kernel supports. */
#define MAX_CPUS CPULIST_MAX

static int parse_shape(const char *text, struct shape *s)
{
	struct {
		char unit;
		const char *name;
		uint64_t *value;
	} parts[] = {
		{ 'n', "NUMA nodes", &s->nodes },
		{ 'l', "LLCs", &s->llcs },
		{ 'c', "cores", &s->cores },
		{ 't', "threads", &s->threads },
	};
	const char *p = text;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (parse_digits(&p, parts[i].value) < 0 || *p++ != parts[i].unit)
			return err_set(EINVAL,
				       "invalid topology '%s': expected NODESnLLCSlCOREScTHREADSt, "
				       "such as 1n4l8c2t, or a directory",
				       text);
		if (*parts[i].value == 0 || *parts[i].value > MAX_CPUS)
			return err_set(EINVAL, "invalid topology '%s': %s must be 1 to %d", text,
				       parts[i].name, MAX_CPUS);
	}
	if (*p)
		return err_set(EINVAL, "invalid topology '%s': text after the threads", text);
	if (s->llcs % s->nodes)
		return err_set(EINVAL,
			       "invalid topology '%s': %llu LLCs cannot be spread evenly over %llu "
			       "NUMA nodes",
			       text, ULL(s->llcs), ULL(s->nodes));
	if (s->nodes > TOPOLOGY_MAX_NODES || s->llcs * s->cores > MAX_CPUS ||
	    s->llcs * s->cores * s->threads > MAX_CPUS)
		return err_set(EINVAL, "invalid topology '%s': more than %d CPUs", text, MAX_CPUS);
	return 0;
}

/* CPUs are numbered thread by thread: a core's threads are neighbours. */
static int draft_shape(const struct shape *s, struct topology_draft *d)
{
	uint64_t llc_cpus = s->cores * s->threads;
	int rc = 0;

	for (uint64_t cpu = 0; cpu < s->llcs * llc_cpus && rc == 0; cpu++) {
		struct topology_draft_cpu c = TOPOLOGY_DRAFT_CPU((unsigned int)cpu);
		uint64_t llc = cpu / llc_cpus;

		c.node = (unsigned int)(llc / (s->llcs / s->nodes));
		c.package = (int)c.node;
		c.core_first_cpu = (int)(cpu - cpu % s->threads);
		c.cache_level = 3;
		c.cache_first_cpu = (unsigned int)(llc * llc_cpus);
		rc = topology_draft_add_cpu(d, &c);
	}
	return rc;
}

static int default_distances(struct topology *t)
{
	t->distances = calloc(t->node_count * t->node_count, sizeof(*t->distances));
	if (!t->distances)
		return err_no_memory();
	for (size_t i = 0; i < t->node_count; i++)
		for (size_t k = 0; k < t->node_count; k++)
			t->distances[i * t->node_count + k] = i == k ? 10 : 20;
	return 0;
}

int topology_from_notation(struct topology *t, const char *text)
{
	_cleanup_(topology_draft_finish) struct topology_draft draft = {};
	struct shape shape;
	int rc = parse_shape(text, &shape);

	*t = (struct topology){};
	rc = rc ?: draft_shape(&shape, &draft);
	rc = rc ?: topology_build(t, &draft);
	rc = rc ?: default_distances(t);
	if (rc < 0)
		topology_finish(t);
	return rc;
}

/* Number of cores of an LLC; 0 if they do not all have the same number of threads. */
static size_t regular_cores(const struct topology *t, size_t llc, size_t *threads)
{
	size_t cores = 0, most = 0;

	for (size_t i = 0; i < t->cpu_count; i++) {
		size_t members = 0;

		if (t->cpus[i].llc != llc || t->cpus[i].core != t->cpus[i].id)
			continue;
		cores++;
		for (size_t k = i; k < t->cpu_count; k++)
			members += t->cpus[k].llc == llc && t->cpus[k].core == t->cpus[i].id;
		if (most && members != most)
			return 0;
		most = members;
	}
	*threads = most;
	return cores * most == t->llcs[llc].cpu_count ? cores : 0;
}

bool topology_add_notation(const struct topology *t, struct str *out)
{
	size_t threads = 0, cores;

	if (t->llc_count == 0 || t->node_count == 0)
		return false;
	cores = regular_cores(t, 0, &threads);
	for (size_t llc = 0; llc < t->llc_count; llc++) {
		size_t other_threads = 0, other = regular_cores(t, llc, &other_threads);

		if (other == 0 || other != cores || other_threads != threads)
			return false;
	}
	for (size_t n = 0; n < t->node_count; n++)
		if (t->nodes[n].cpu_count != t->cpu_count / t->node_count)
			return false;
	if (t->llc_count % t->node_count)
		return false;
	str_addf(out, "%zun%zul%zuc%zut", t->node_count, t->llc_count, cores, threads);
	return true;
}

void topology_finish(struct topology *t)
{
	for (size_t i = 0; i < t->llc_count; i++)
		free(t->llcs[i].cpus);
	free(t->llcs);
	free(t->cpus);
	free(t->nodes);
	free(t->distances);
	*t = (struct topology){};
}
