// SPDX-License-Identifier: GPL-2.0-only
/* From .nodes and .distances of a test to a VM's. */
#include "run/presets.h"

#include "vm/machine.h"

#define LARGEST_NODE_MIB (UINT64_C(1) << 32) /* sums of them cannot overflow */

/* The document comes from a program: numbers that do not fit stay too large, to be refused. */
static unsigned int narrow(uint64_t value)
{
	return (unsigned int)MIN(value, (uint64_t)UINT_MAX);
}

static int check_counts(const struct probe_test *t)
{
	uint64_t nodes = t->topology.numa_nodes;

	if (nodes == 0 || nodes > VM_MAX_NODES)
		return err_set(EINVAL, "nodes: %llu of them; 1 to %d are possible in a VM",
			       (unsigned long long)nodes, VM_MAX_NODES);
	if (t->nodes.count && t->nodes.count != nodes)
		return err_set(EINVAL, "nodes: %zu are described, the machine has %llu",
			       t->nodes.count, (unsigned long long)nodes);
	if (t->distances.count && t->distances.count != nodes * nodes)
		return err_set(EINVAL, "distances: %zu of them, %llu nodes need %llu",
			       t->distances.count, (unsigned long long)nodes,
			       (unsigned long long)(nodes * nodes));
	return 0;
}

static struct vm_memory_cache cache_of(const struct probe_cache *c)
{
	return (struct vm_memory_cache){ .size_kib = narrow(c->size_kib),
					 .associativity = narrow(c->associativity),
					 .write_policy = narrow(c->write_policy),
					 .line_size = narrow(c->line_size) };
}

static int take_nodes(const struct probe_nodes *from, struct vm_numa *out)
{
	out->has_nodes = from->count > 0;
	for (size_t i = 0; i < from->count; i++) {
		const struct probe_node *n = &from->items[i];

		if (n->memory_mib > LARGEST_NODE_MIB)
			return err_set(EINVAL, "nodes: node %zu has more memory than any machine",
				       i);
		out->nodes[i] = (struct vm_node){ .llcs = narrow(n->llcs),
						  .memory_mib = n->memory_mib,
						  .latency_ns = narrow(n->latency_ns),
						  .bandwidth_mbs = narrow(n->bandwidth_mbs),
						  .cache = cache_of(&n->mem_side_cache) };
	}
	return 0;
}

int run_numa_of(const struct probe_test *test, struct vm_numa *out)
{
	struct vm_topology t = { .nodes = narrow(test->topology.numa_nodes),
				 .llcs = narrow(test->topology.llcs) };
	int rc;

	*out = (struct vm_numa){};
	rc = check_counts(test) ?: take_nodes(&test->nodes, out);
	if (rc < 0)
		return rc;
	out->has_distances = test->distances.count > 0;
	for (size_t i = 0; i < test->distances.count; i++)
		out->distances[i / t.nodes][i % t.nodes] = narrow(test->distances.items[i]);
	return vm_numa_check(&t, out);
}

uint64_t run_numa_memory_mib(const struct probe_test *test)
{
	uint64_t mib = 0;

	for (size_t i = 0; i < test->nodes.count; i++)
		mib += MIN(test->nodes.items[i].memory_mib, LARGEST_NODE_MIB);
	return mib;
}
