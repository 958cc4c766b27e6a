// SPDX-License-Identifier: GPL-2.0-only
/* Common parts of plans, and the plan for a number of CPUs. */
#include "host/plan.h"

struct plan_use plan_use_of(const struct plan_host *host, size_t llc)
{
	return host->llc_use ? host->llc_use[llc] : (struct plan_use){};
}

bool plan_cpu_allowed(const struct plan_host *host, unsigned int cpu)
{
	return cpulist_has(host->allowed, cpu);
}

bool plan_cpu_free(const struct plan_host *host, unsigned int cpu)
{
	return plan_cpu_allowed(host, cpu) &&
	       !(host->busy_cpus && cpulist_has(host->busy_cpus, cpu));
}

static size_t count_cpus(const struct plan_host *host, size_t llc,
			 bool (*counts)(const struct plan_host *host, unsigned int cpu))
{
	const struct topology_llc *l = &host->topology->llcs[llc];
	size_t count = 0;

	for (size_t i = 0; i < l->cpu_count; i++)
		count += counts(host, l->cpus[i]);
	return count;
}

size_t plan_llc_allowed(const struct plan_host *host, size_t llc)
{
	return count_cpus(host, llc, plan_cpu_allowed);
}

size_t plan_llc_free(const struct plan_host *host, size_t llc)
{
	return count_cpus(host, llc, plan_cpu_free);
}

size_t plan_allowed_count(const struct plan_host *host)
{
	size_t count = 0;

	for (size_t i = 0; i < host->topology->llc_count; i++)
		count += plan_llc_allowed(host, i);
	return count;
}

size_t plan_node_index(const struct topology *t, unsigned int node)
{
	for (size_t i = 0; i < t->node_count; i++) {
		if (t->nodes[i].id == node)
			return i;
	}
	return 0;
}

/* Without distances, all other nodes are equally far. */
static unsigned int distance(const struct topology *t, size_t from, size_t to)
{
	if (from == to)
		return 0;
	return t->distances ? t->distances[from * t->node_count + to] : 1;
}

void plan_node_order(const struct topology *t, size_t from, size_t *order)
{
	for (size_t i = 0; i < t->node_count; i++) {
		size_t at = i;

		for (; at && distance(t, from, order[at - 1]) > distance(t, from, i); at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
}

int plan_init(struct plan *p, enum run_mode mode, const struct topology *t, size_t cpus)
{
	*p = (struct plan){
		.mode = mode,
		.llcs = calloc(t->llc_count, sizeof(*p->llcs)),
		.cpus = calloc(cpus, sizeof(*p->cpus)),
		.nodes = calloc(t->node_count, sizeof(*p->nodes)),
	};
	if (p->llcs && p->cpus && p->nodes)
		return 0;
	plan_finish(p);
	return err_no_memory();
}

bool plan_has_llc(const struct plan *p, size_t llc)
{
	for (size_t i = 0; i < p->llc_count; i++) {
		if (p->llcs[i] == llc)
			return true;
	}
	return false;
}

bool plan_has_cpu(const struct plan *p, unsigned int cpu)
{
	for (size_t i = 0; i < p->cpu_count; i++) {
		if (p->cpus[i] == cpu)
			return true;
	}
	return false;
}

void plan_add_llc(struct plan *p, size_t llc)
{
	if (!plan_has_llc(p, llc))
		p->llcs[p->llc_count++] = llc;
}

void plan_settle(struct plan *p, const struct topology *t)
{
	qsort(p->llcs, p->llc_count, sizeof(*p->llcs), order_u64);
	for (size_t i = 0; i < t->node_count; i++) {
		size_t llc = 0;

		while (llc < p->llc_count && t->llcs[p->llcs[llc]].node != t->nodes[i].id)
			llc++;
		if (llc < p->llc_count)
			p->nodes[p->node_count++] = t->nodes[i].id;
	}
}

/*
 * An LLC that is held exclusively would only be waited for, so it comes last, whatever the
 * preference.
 */
static bool ranks_before(const struct plan_host *host, size_t a, size_t b,
			 enum plan_preference preference)
{
	struct plan_use x = plan_use_of(host, a), y = plan_use_of(host, b);

	if (x.is_exclusive != y.is_exclusive)
		return y.is_exclusive;
	if (x.holders != y.holders)
		return (x.holders > y.holders) == (preference == PLAN_CONSOLIDATE);
	return a < b;
}

/* The best LLC that is not in the plan yet, on one node or (SIZE_MAX) on any; llc_count if none. */
static size_t best_llc(const struct plan *p, const struct plan_host *host, size_t node,
		       enum plan_preference preference)
{
	const struct topology *t = host->topology;
	size_t best = t->llc_count;

	for (size_t i = 0; i < t->llc_count; i++) {
		if (plan_has_llc(p, i) || !plan_llc_allowed(host, i))
			continue;
		if (node != SIZE_MAX && plan_node_index(t, t->llcs[i].node) != node)
			continue;
		if (best == t->llc_count || ranks_before(host, i, best, preference))
			best = i;
	}
	return best;
}

static void take_cpus(struct plan *p, const struct plan_host *host, size_t llc, size_t count)
{
	const struct topology_llc *l = &host->topology->llcs[llc];

	plan_add_llc(p, llc);
	for (size_t i = 0; i < l->cpu_count && p->cpu_count < count; i++) {
		if (plan_cpu_allowed(host, l->cpus[i]))
			p->cpus[p->cpu_count++] = l->cpus[i];
	}
}

/* Adds LLCs of the best LLC's node, then of the nearest nodes, until there are enough CPUs. */
static int fill_nodes(struct plan *p, const struct plan_host *host, size_t count,
		      enum plan_preference preference)
{
	const struct topology *t = host->topology;
	size_t seed = best_llc(p, host, SIZE_MAX, preference);
	_free_ size_t *order = calloc(t->node_count, sizeof(*order));

	if (!order)
		return err_no_memory();
	plan_node_order(t, plan_node_index(t, t->llcs[seed].node), order);
	for (size_t i = 0; i < t->node_count; i++) {
		size_t llc;

		while (p->cpu_count < count &&
		       (llc = best_llc(p, host, order[i], preference)) < t->llc_count)
			take_cpus(p, host, llc, count);
	}
	return 0;
}

int plan_budget(struct plan *p, const struct plan_host *host, size_t count,
		enum plan_preference preference)
{
	size_t usable = plan_allowed_count(host);
	int rc;

	if (!count)
		return err_set(EINVAL, "a CPU budget is at least one CPU");
	if (count > usable)
		return err_set(ERANGE,
			       "the CPU budget of %zu is more than the %zu that may be used", count,
			       usable);
	rc = plan_init(p, RUN_BUDGETED, host->topology, count);
	rc = rc ?: fill_nodes(p, host, count, preference);
	if (rc < 0) {
		plan_finish(p);
		return rc;
	}
	qsort(p->cpus, p->cpu_count, sizeof(*p->cpus), order_u32);
	plan_settle(p, host->topology);
	return 0;
}

static void add_node_warning(const struct plan *p, const struct topology *t, struct str *out)
{
	str_add(out, "reserving LLCs [");
	for (size_t i = 0; i < p->llc_count; i++)
		str_addf(out, "%s%zu (node %u)", i ? ", " : "", p->llcs[i],
			 t->llcs[p->llcs[i]].node);
	str_addf(out, "] across %zu NUMA nodes\n", p->node_count);
}

void plan_add_warnings(const struct plan *p, const struct topology *t, size_t vcpus,
		       struct str *out)
{
	if (p->node_count > 1)
		add_node_warning(p, t, out);
	if (p->is_overcommitted)
		str_addf(out, "overcommitted: %zu vCPUs on %zu host CPUs (%.1f to 1)\n", vcpus,
			 p->cpu_count, (double)vcpus / (double)p->cpu_count);
}

void plan_finish(struct plan *p)
{
	free(p->llcs);
	free(p->cpus);
	free(p->nodes);
	*p = (struct plan){};
}
