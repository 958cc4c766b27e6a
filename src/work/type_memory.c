// SPDX-License-Identifier: GPL-2.0-only
/* Work that faults pages in, and a working set that moves between NUMA nodes. */
#include "work/types.h"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define TOUCHED_PAGE 4096
#define SWEEP_TOUCHES 1024
#define SWEEP_STRIDE 64

struct region {
	unsigned char *bytes;
	size_t size, at;
	/* NumaWorkingSetSweep */
	unsigned int nodes[WORKER_MAX_NODES], node_count, node;
	uint64_t passes;
};

static int map_region(struct ktstr_worker *w, struct region *r, uint64_t kib)
{
	if (kib > SIZE_MAX / 1024)
		return worker_problem(w, ENOMEM, "map %llu KiB", ULL(kib));
	r->size = MAX(kib * 1024, (size_t)TOUCHED_PAGE);
	r->bytes = mmap(NULL, r->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (r->bytes == MAP_FAILED)
		return worker_problem(w, errno, "map %llu KiB", ULL(kib));
	madvise(r->bytes, r->size, MADV_NOHUGEPAGE);
	return 0;
}

int page_fault_churn_prepare(struct ktstr_worker *w)
{
	struct region *r = worker_state(w, sizeof(*r));

	return r ? map_region(w, r, w->args[0]) : -ENOMEM;
}

void page_fault_churn_iterate(struct ktstr_worker *w)
{
	struct region *r = w->state;
	size_t pages = r->size / TOUCHED_PAGE;

	for (uint64_t i = 0; i < w->args[1] && !worker_should_stop(w); i++) {
		r->bytes[worker_random(w) % pages * TOUCHED_PAGE] = 1;
		worker_progress(w, 1);
	}
	madvise(r->bytes, r->size, MADV_DONTNEED);
	worker_spin(w, w->args[2]);
}

/* ---- a moving working set ---- */

static void read_nodes(struct region *r)
{
	unsigned long mask[MEMORY_NODES_MAX / (8 * sizeof(unsigned long))] = {};
	const size_t bits = 8 * sizeof(mask[0]);

	if (syscall(SYS_get_mempolicy, NULL, mask, MEMORY_NODES_MAX, NULL, MPOL_F_MEMS_ALLOWED) < 0)
		return;
	for (unsigned int node = 0; node < WORKER_MAX_NODES; node++)
		if (mask[node / bits] >> node % bits & 1)
			r->nodes[r->node_count++] = node;
}

int numa_sweep_prepare(struct ktstr_worker *w)
{
	struct region *r = worker_state(w, sizeof(*r));

	if (!r)
		return -ENOMEM;
	read_nodes(r);
	return map_region(w, r, w->args[0]);
}

/* On a machine with one node, it sweeps but moves nothing. */
static void move_to_next_node(struct ktstr_worker *w, struct region *r)
{
	unsigned long mask;

	if (r->node_count < 2)
		return;
	r->node = (r->node + 1) % r->node_count;
	mask = 1UL << r->nodes[r->node];
	if (syscall(SYS_mbind, r->bytes, r->size, MPOL_BIND, &mask, WORKER_MAX_NODES + 1UL,
		    MPOL_MF_MOVE) < 0)
		worker_problem(w, errno, "move the working set to node %u", r->nodes[r->node]);
}

__attribute__((noinline, aligned(64))) static size_t sweep(unsigned char *bytes, size_t at,
							   size_t size)
{
	for (int i = 0; i < SWEEP_TOUCHES && at < size; i++, at += SWEEP_STRIDE)
		bytes[at]++;
	return at;
}

void numa_sweep_iterate(struct ktstr_worker *w)
{
	struct region *r = w->state;
	size_t before = r->at;

	r->at = sweep(r->bytes, r->at, r->size);
	w->work_units += (r->at - before) / SWEEP_STRIDE;
	if (r->at < r->size)
		return;
	r->at = 0;
	if (++r->passes % w->args[1] == 0)
		move_to_next_node(w, r);
}
