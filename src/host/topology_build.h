/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The step from loose facts about CPUs to a topology: grouping into LLCs and
 * nodes. Shared by the sysfs reader and the notation.
 */
#ifndef KTSTR_HOST_TOPOLOGY_BUILD_H
#define KTSTR_HOST_TOPOLOGY_BUILD_H

#include "base/vec.h"
#include "host/topology.h"

#define TOPOLOGY_MAX_NODES 1024

struct topology_draft_cpu {
	unsigned int id;
	unsigned int node;
	int package;		      /* -1 = unknown */
	int core_id;		      /* -1 = unknown */
	int core_first_cpu;	      /* -1 = unknown */
	unsigned int cache_level;     /* 0 = unknown */
	unsigned int cache_first_cpu; /* lowest CPU sharing that cache */
	uint64_t cache_kib;
};

#define TOPOLOGY_DRAFT_CPU(cpu)                                                 \
	{                                                                       \
		.id = (cpu), .package = -1, .core_id = -1, .core_first_cpu = -1 \
	}

struct topology_draft {
	struct topology_draft_cpu *cpus;
	size_t cpu_count, cpu_cap;
	struct topology_node *nodes;
	size_t node_count, node_cap;
};

int topology_draft_add_cpu(struct topology_draft *d, const struct topology_draft_cpu *cpu);
int topology_draft_add_node(struct topology_draft *d, const struct topology_node *node);
void topology_draft_finish(struct topology_draft *d);

int topology_build(struct topology *t, struct topology_draft *draft);

#endif
