/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPUs, last-level caches and NUMA nodes of a machine: this one, a recorded sysfs tree, or
 * a described one.
 *
 * A last-level cache (LLC) is the set of CPUs that share the highest unified cache,
 * according to shared_cpu_list and never to the cache's id. Without cache information,
 * there is one LLC per package, else one in all. LLCs are numbered in the order of their
 * first CPU.
 */
#ifndef KTSTR_HOST_TOPOLOGY_H
#define KTSTR_HOST_TOPOLOGY_H

#include "base/base.h"

struct topology_cpu {
	unsigned int id;
	size_t llc;	   /* index into llcs */
	unsigned int node; /* NUMA node id */
	unsigned int core; /* the lowest CPU of its core */
	int package;	   /* -1 = unknown */
};

struct topology_llc {
	unsigned int node; /* of its first CPU */
	unsigned int *cpus;
	size_t cpu_count;
	unsigned int level; /* of the cache; 0 = no cache information */
	uint64_t size_kib;  /* 0 = unknown */
};

struct topology_node {
	unsigned int id;
	size_t cpu_count; /* 0 = memory only */
	bool has_memory_kib;
	uint64_t memory_kib;
};

struct topology {
	struct topology_cpu *cpus; /* online, ascending */
	size_t cpu_count;
	struct topology_llc *llcs;
	size_t llc_count;
	struct topology_node *nodes; /* ascending by id */
	size_t node_count;
	unsigned int *distances; /* node_count x node_count, or NULL */
};

int topology_read(struct topology *t, const struct roots *roots);

/* Parses the notation 1n4l8c2t: nodes, total LLCs, cores per LLC, threads per core. */
int topology_from_notation(struct topology *t, const char *text);

/* Appends the notation; false, and nothing is appended, if the machine is not regular. */
bool topology_add_notation(const struct topology *t, struct str *out);

void topology_finish(struct topology *t);

#define _topology_ _cleanup_(topology_finish)

/*
 * topology_build.c: groups facts about CPUs into LLCs and nodes. Shared by the sysfs reader
 * and the notation.
 */

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

/* affinity.c: which CPUs threads may run on. */

/* The CPUs of a thread (0 = the caller). Returns a negative errno without a message. */
int affinity_get(pid_t tid, struct cpulist *cpus);
int affinity_set(pid_t tid, const unsigned int *cpus, size_t count);

/*
 * For every current thread of a process (0 = the caller's); a thread that ended meanwhile
 * is no error.
 */
int affinity_set_process(pid_t pid, const unsigned int *cpus, size_t count);

#endif
