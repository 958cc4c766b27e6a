// SPDX-License-Identifier: GPL-2.0-only
/* Resolves attributes: test, scheduler, default; the first one that is set wins. */
#include "program/parts.h"

#include "check/check.h"

static uint32_t first_of(uint32_t a, uint32_t b)
{
	return a ? a : b;
}

size_t node_count(const struct ktstr_node *nodes)
{
	size_t count = 0;

	while (nodes && nodes[count].llcs != UINT32_MAX)
		count++;
	return count;
}

/* Nodes that differ determine the number of LLCs. */
static void count_nodes(struct ktstr_topology *t, const struct ktstr_node *nodes)
{
	size_t count = node_count(nodes);

	if (!nodes)
		return;
	t->numa_nodes = (uint32_t)count;
	t->llcs = 0;
	for (size_t i = 0; i < count; i++)
		t->llcs += nodes[i].llcs;
}

struct ktstr_topology sched_topology(const struct ktstr_sched *s)
{
	struct ktstr_topology t = s ? s->topology : (struct ktstr_topology){};

	t.numa_nodes = first_of(t.numa_nodes, 1);
	t.llcs = first_of(t.llcs, 1);
	t.cores = first_of(t.cores, 2);
	t.threads = first_of(t.threads, 1);
	if (s)
		count_nodes(&t, s->nodes);
	return t;
}

const struct ktstr_node *test_nodes(const struct ktstr_test *t, size_t *count)
{
	const struct ktstr_node *nodes = t->nodes;

	/* A test that sets the number of nodes or LLCs does not use the scheduler's nodes. */
	if (!nodes && t->scheduler && !t->numa_nodes && !t->llcs)
		nodes = t->scheduler->nodes;
	*count = node_count(nodes);
	return nodes;
}

struct ktstr_topology test_topology(const struct ktstr_test *t)
{
	struct ktstr_topology from = sched_topology(t->scheduler);
	size_t ignored;
	struct ktstr_topology own = {
		.numa_nodes = first_of(t->numa_nodes, from.numa_nodes),
		.llcs = first_of(t->llcs, from.llcs),
		.cores = first_of(t->cores, from.cores),
		.threads = first_of(t->threads, from.threads),
	};

	count_nodes(&own, test_nodes(t, &ignored));
	return own;
}

uint64_t test_duration_ms(const struct ktstr_test *t)
{
	if (t->duration_ms)
		return t->duration_ms;
	return t->duration_s ? t->duration_s * UINT64_C(1000) : TEST_DURATION_MS;
}

struct ktstr_assert test_assert(const struct ktstr_test *t)
{
	struct ktstr_assert merged = assert_defaults;

	if (t->scheduler)
		assert_merge(&merged, &t->scheduler->assert);
	assert_merge(&merged, &t->assert);
	return merged;
}

static const struct ktstr_constraints constraint_defaults = {
	.min_numa_nodes = 1,
	.max_numa_nodes = 1,
	.min_llcs = 1,
	.max_llcs = 12,
	.min_cpus = 1,
	.max_cpus = 192,
};

static struct ktstr_constraints merge_constraints(const struct ktstr_constraints *over,
						  const struct ktstr_constraints *under)
{
	return (struct ktstr_constraints){
		.min_numa_nodes = first_of(over->min_numa_nodes, under->min_numa_nodes),
		.max_numa_nodes = first_of(over->max_numa_nodes, under->max_numa_nodes),
		.min_llcs = first_of(over->min_llcs, under->min_llcs),
		.max_llcs = first_of(over->max_llcs, under->max_llcs),
		.min_cpus = first_of(over->min_cpus, under->min_cpus),
		.max_cpus = first_of(over->max_cpus, under->max_cpus),
		.requires_smt = over->requires_smt || under->requires_smt,
		.requires_even_cpus = over->requires_even_cpus || under->requires_even_cpus,
	};
}

struct ktstr_constraints sched_constraints(const struct ktstr_sched *s)
{
	return s ? merge_constraints(&s->constraints, &constraint_defaults) : constraint_defaults;
}

struct ktstr_constraints test_constraints(const struct ktstr_test *t)
{
	const struct ktstr_constraints own = {
		.min_numa_nodes = t->min_numa_nodes,
		.max_numa_nodes = t->max_numa_nodes,
		.min_llcs = t->min_llcs,
		.max_llcs = t->max_llcs,
		.min_cpus = t->min_cpus,
		.max_cpus = t->max_cpus,
		.requires_smt = t->requires_smt,
		.requires_even_cpus = t->requires_even_cpus,
	};
	const struct ktstr_constraints from = sched_constraints(t->scheduler);

	return merge_constraints(&own, &from);
}
