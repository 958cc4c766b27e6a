// SPDX-License-Identifier: GPL-2.0-only
/* From .nodes and .distances of a test to a VM's. */
#include "run/parts.h"

#include "vm/machine.h"

static int check_counts(const struct probe_test *t)
{
	uint32_t nodes = t->topology.numa_nodes;

	if (nodes == 0 || nodes > VM_MAX_NODES)
		return err_set(EINVAL, "nodes: %u of them; 1 to %d are possible in a VM", nodes,
			       VM_MAX_NODES);
	if (t->nodes.count && t->nodes.count != nodes)
		return err_set(EINVAL, "nodes: %zu are described, the machine has %u",
			       t->nodes.count, nodes);
	if (t->distances.count && t->distances.count != (size_t)nodes * nodes)
		return err_set(EINVAL, "distances: %zu of them, %u nodes need %u",
			       t->distances.count, nodes, nodes * nodes);
	return 0;
}

static struct vm_node node_of(const struct ktstr_node *n)
{
	const struct ktstr_mem_side_cache *c = &n->mem_side_cache;

	return (struct vm_node){
		.llcs = n->llcs,
		.memory_mib = n->memory_mib,
		.latency_ns = n->latency_ns,
		.bandwidth_mbs = n->bandwidth_mbs,
		.cache = { c->size_kib, c->associativity, c->write_policy, c->line_size },
	};
}

struct vm_topology run_topology_of(const struct probe_test *test)
{
	const struct ktstr_topology *t = &test->topology;

	return (struct vm_topology){ t->numa_nodes, t->llcs, t->cores, t->threads };
}

int run_numa_of(const struct probe_test *test, struct vm_numa *out)
{
	struct vm_topology t = run_topology_of(test);
	int rc = check_counts(test);

	*out = (struct vm_numa){ .has_nodes = rc == 0 && test->nodes.count };
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < test->nodes.count; i++)
		out->nodes[i] = node_of(&test->nodes.items[i]);
	out->has_distances = test->distances.count > 0;
	for (size_t i = 0; i < test->distances.count; i++)
		out->distances[i / t.nodes][i % t.nodes] = test->distances.items[i];
	return vm_numa_check(&t, out);
}

uint64_t run_numa_memory_mib(const struct probe_test *test)
{
	uint64_t mib = 0;

	for (size_t i = 0; i < test->nodes.count; i++)
		mib += test->nodes.items[i].memory_mib;
	return mib;
}
