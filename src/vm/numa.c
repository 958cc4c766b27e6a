// SPDX-License-Identifier: GPL-2.0-only
/* NUMA nodes of a VM: validation, and distribution of sockets and memory. */
#include "vm/machine.h"

#include "guest/protocol.h"

#define LARGEST_DISTANCE 255
#define LARGEST_SPEED 65534 /* 16 bits in the HMAT */

/* Values that QEMU supports, numbered as in the HMAT. */
#define LAST_INDEXING 2
#define LAST_POLICY 2
#define LARGEST_LINE 65535

static int check_cache(const struct vm_node *n, unsigned int index)
{
	const struct vm_memory_cache *c = &n->cache;

	if (!c->size_kib && (c->associativity || c->write_policy || c->line_size))
		return err_set(EINVAL, "nodes: the mem_side_cache of node %u has no size_kib",
			       index);
	if (!c->size_kib)
		return 0;
	if (!n->latency_ns || !n->bandwidth_mbs)
		return err_set(EINVAL,
			       "nodes: node %u has a mem_side_cache, so it needs latency_ns and "
			       "bandwidth_mbs",
			       index);
	if (c->associativity > LAST_INDEXING || c->write_policy > LAST_POLICY)
		return err_set(
			EINVAL,
			"nodes: the mem_side_cache of node %u has an associativity of %u and "
			"a write_policy of %u; 0 to 2 are possible",
			index, c->associativity, c->write_policy);
	if (c->line_size > LARGEST_LINE)
		return err_set(
			EINVAL,
			"nodes: the mem_side_cache of node %u has a line_size of %u, at most "
			"%d are possible",
			index, c->line_size, LARGEST_LINE);
	return 0;
}

static int check_node(const struct vm_node *n, unsigned int index)
{
	if (!n->memory_mib)
		return err_set(EINVAL, "nodes: node %u has no memory_mib", index);
	if (n->latency_ns > LARGEST_SPEED)
		return err_set(EINVAL,
			       "nodes: node %u has a latency_ns of %u, at most %d are possible",
			       index, n->latency_ns, LARGEST_SPEED);
	if (n->bandwidth_mbs > LARGEST_SPEED)
		return err_set(EINVAL,
			       "nodes: node %u has a bandwidth_mbs of %u, at most %d are possible",
			       index, n->bandwidth_mbs, LARGEST_SPEED);
	return check_cache(n, index);
}

/* The SRAT lists CPUs before memory, and the kernel numbers nodes in order of appearance. */
static int check_order(const struct vm_topology *t, const struct vm_numa *numa)
{
	for (unsigned int i = 1; i < t->nodes; i++)
		if (numa->nodes[i].llcs && !numa->nodes[i - 1].llcs)
			return err_set(EINVAL,
				       "nodes: node %u has LLCs, but node %u before it is memory "
				       "only; Linux numbers nodes with CPUs first, so give those "
				       "of memory only last",
				       i, i - 1);
	return 0;
}

static int check_nodes(const struct vm_topology *t, const struct vm_numa *numa)
{
	uint64_t llcs = 0;

	for (unsigned int i = 0; i < t->nodes; i++) {
		int rc = check_node(&numa->nodes[i], i);

		if (rc < 0)
			return rc;
		llcs += numa->nodes[i].llcs;
	}
	if (!llcs)
		return err_set(EINVAL, "nodes: none of them has an LLC");
	if (llcs != t->llcs)
		return err_set(EINVAL, "nodes: they have %llu LLCs together, the machine has %u",
			       ULL(llcs), t->llcs);
	return check_order(t, numa);
}

static int check_distance(const struct vm_numa *numa, unsigned int from, unsigned int to)
{
	unsigned int there = numa->distances[from][to], back = numa->distances[to][from];

	if (from == to && there != VM_NUMA_LOCAL)
		return err_set(EINVAL, "distances: node %u to itself is %u, not %d", from, there,
			       VM_NUMA_LOCAL);
	if (from != to && (there <= VM_NUMA_LOCAL || there > LARGEST_DISTANCE))
		return err_set(EINVAL, "distances: node %u to node %u is %u, not %d to %d", from,
			       to, there, VM_NUMA_LOCAL + 1, LARGEST_DISTANCE);
	if (there != back)
		return err_set(EINVAL, "distances: node %u to node %u is %u, but back %u", from, to,
			       there, back);
	return 0;
}

int vm_numa_check(const struct vm_topology *t, const struct vm_numa *numa)
{
	int rc = 0;

	if (t->nodes == 0 || t->nodes > VM_MAX_NODES)
		return err_set(EINVAL, "nodes: %u of them; 1 to %d are possible in a VM", t->nodes,
			       VM_MAX_NODES);
	if (numa->has_nodes)
		rc = check_nodes(t, numa);
	else if (t->llcs == 0 || t->llcs % t->nodes)
		rc = err_set(EINVAL, "llcs: %u LLCs cannot be spread evenly over %u NUMA nodes",
			     t->llcs, t->nodes);
	for (unsigned int i = 0; i < t->nodes && numa->has_distances && rc == 0; i++)
		for (unsigned int k = 0; k < t->nodes && rc == 0; k++)
			rc = check_distance(numa, i, k);
	return rc;
}

bool vm_numa_has_speeds(const struct vm_spec *s)
{
	for (unsigned int i = 0; s->numa.has_nodes && i < s->topology.nodes; i++)
		if (s->numa.nodes[i].latency_ns || s->numa.nodes[i].bandwidth_mbs)
			return true;
	return false;
}

bool vm_numa_is_described(const struct vm_spec *s)
{
	return s->topology.nodes > 1 || vm_numa_has_speeds(s);
}

unsigned int vm_numa_llcs(const struct vm_spec *s, unsigned int node)
{
	return s->numa.has_nodes ? s->numa.nodes[node].llcs : s->topology.llcs / s->topology.nodes;
}

uint64_t vm_numa_memory_mib(const struct vm_spec *s, unsigned int node)
{
	uint64_t share = s->memory_mib / s->topology.nodes;

	if (s->numa.has_nodes)
		return s->numa.nodes[node].memory_mib;
	/* Distributed evenly; the last node gets the remainder. */
	return node + 1 < s->topology.nodes ? share :
					      s->memory_mib - share * (s->topology.nodes - 1);
}

unsigned int vm_numa_distance(const struct vm_spec *s, unsigned int from, unsigned int to)
{
	if (s->numa.has_distances)
		return s->numa.distances[from][to];
	return from == to ? VM_NUMA_LOCAL : VM_NUMA_REMOTE;
}

static unsigned int common_divisor(unsigned int a, unsigned int b)
{
	while (b) {
		unsigned int rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

unsigned int vm_numa_llcs_per_socket(const struct vm_spec *s)
{
	unsigned int common = 0;

	for (unsigned int i = 0; i < s->topology.nodes; i++)
		common = common_divisor(common, vm_numa_llcs(s, i));
	return common;
}

unsigned int vm_numa_initiator(const struct vm_spec *s, unsigned int node)
{
	unsigned int best = VM_MAX_NODES;

	for (unsigned int i = 0; i < s->topology.nodes; i++) {
		if (!vm_numa_llcs(s, i))
			continue;
		if (best == VM_MAX_NODES ||
		    vm_numa_distance(s, i, node) < vm_numa_distance(s, best, node))
			best = i;
	}
	return best;
}

void vm_numa_settings(const struct vm_spec *s, struct str *out)
{
	unsigned int nodes = s->topology.nodes;

	for (unsigned int i = 0; s->numa.has_nodes && i < nodes; i++)
		str_addf(out, "%s%u:%llu", i ? "," : " " GUEST_NODES "=", s->numa.nodes[i].llcs,
			 ULL(s->numa.nodes[i].memory_mib));
	for (unsigned int i = 0; s->numa.has_distances && i < nodes * nodes; i++)
		str_addf(out, "%s%u", i ? "," : " " GUEST_DISTANCES "=",
			 s->numa.distances[i / nodes][i % nodes]);
}
