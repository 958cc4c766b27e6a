// SPDX-License-Identifier: GPL-2.0-only
/* Rejects memory policies that would fail, or be ignored, in a worker. */
#include "scenario/run.h"

#define KNOWN_FLAGS \
	(KTSTR_MPOL_STATIC_NODES | KTSTR_MPOL_RELATIVE_NODES | KTSTR_MPOL_NUMA_BALANCING)

struct nodes {
	bool has[WORKER_MAX_NODES];
};

static bool needs_nodes(const struct ktstr_mem_policy *p)
{
	return p->kind != KTSTR_MEM_DEFAULT && p->kind != KTSTR_MEM_LOCAL;
}

static int check_flags(int flags)
{
	if (flags & ~KNOWN_FLAGS)
		return err_set(EINVAL, "unknown flags 0x%x", (unsigned int)(flags & ~KNOWN_FLAGS));
	if ((flags & KTSTR_MPOL_STATIC_NODES) && (flags & KTSTR_MPOL_RELATIVE_NODES))
		return err_set(EINVAL, "static and relative nodes exclude each other");
	return 0;
}

static int parse_nodes(const struct ktstr_mem_policy *p, struct cpulist *list)
{
	if (p->nodes && cpulist_parse(p->nodes, list) < 0)
		return err_set(EINVAL, "'%s' is not a list of nodes: write \"0-1,3\"", p->nodes);
	if (list->count == 0)
		return err_set(EINVAL, "the set of nodes is empty");
	if (p->kind == KTSTR_MEM_PREFERRED && list->count > 1)
		return err_set(EINVAL, "one node can be preferred, not '%s' (many: preferred_many)",
			       p->nodes);
	return 0;
}

static void nodes_of_machine(const struct topology *t, struct nodes *out)
{
	for (size_t i = 0; i < t->node_count; i++)
		if (t->nodes[i].id < WORKER_MAX_NODES)
			out->has[t->nodes[i].id] = true;
}

static void nodes_of_cpus(const struct topology *t, const struct worker_cpus *cpus,
			  struct nodes *out)
{
	for (size_t i = 0; i < t->cpu_count; i++)
		if (worker_cpus_have(cpus, t->cpus[i].id) && t->cpus[i].node < WORKER_MAX_NODES)
			out->has[t->cpus[i].node] = true;
}

static void add_outside(const struct cpulist *list, const struct nodes *allowed, struct str *out)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->cpus[i] >= WORKER_MAX_NODES || !allowed->has[list->cpus[i]])
			str_addf(out, "%s%u", out->len ? "," : "", list->cpus[i]);
}

static void add_nodes(const struct nodes *nodes, struct str *out)
{
	unsigned int ids[WORKER_MAX_NODES];
	size_t count = 0;

	for (unsigned int i = 0; i < WORKER_MAX_NODES; i++)
		if (nodes->has[i])
			ids[count++] = i;
	cpulist_format(ids, count, out);
}

static int check_within_machine(const struct topology *t, const struct cpulist *list)
{
	_str_ struct str outside = {}, present = {};
	struct nodes nodes = {};

	nodes_of_machine(t, &nodes);
	add_outside(list, &nodes, &outside);
	if (!outside.len)
		return 0;
	add_nodes(&nodes, &present);
	return err_set(EINVAL, "node %s does not exist: the machine has %s", str_get(&outside),
		       str_get(&present));
}

static int check_within_cpuset(const struct topology *t, const struct cpulist *list,
			       const struct worker_cpus *cpuset)
{
	_str_ struct str outside = {}, covered = {};
	struct nodes nodes = {};

	nodes_of_cpus(t, cpuset, &nodes);
	add_outside(list, &nodes, &outside);
	if (!outside.len)
		return 0;
	add_nodes(&nodes, &covered);
	return err_set(
		EINVAL,
		"node %s is outside of the cpuset, which covers %s: widen the cpuset, or set "
		"KTSTR_MPOL_STATIC_NODES to mean it all the same",
		str_get(&outside), str_get(&covered));
}

static int check_nodes(const struct ktstr_ctx *ctx, const struct ktstr_work *work,
		       const struct worker_cpus *cpuset)
{
	_cleanup_(cpulist_finish) struct cpulist list = {};
	int rc = parse_nodes(&work->mem_policy, &list);

	if (rc < 0 || (work->mpol_flags & KTSTR_MPOL_RELATIVE_NODES))
		return rc;
	if (!cpuset || (work->mpol_flags & KTSTR_MPOL_STATIC_NODES))
		return check_within_machine(ctx->topology, &list);
	return check_within_cpuset(ctx->topology, &list, cpuset);
}

int mem_policy_validate(const struct ktstr_ctx *ctx, const char *cgroup,
			const struct ktstr_work *work, const struct worker_cpus *cpuset)
{
	int rc = check_flags(work->mpol_flags);

	if (rc == 0 && needs_nodes(&work->mem_policy))
		rc = check_nodes(ctx, work, cpuset);
	return err_wrap(rc, "cgroup '%s': memory policy", cgroup);
}
