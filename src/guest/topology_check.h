/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether the guest's kernel sees the machine that was asked for. */
#ifndef KTSTR_GUEST_TOPOLOGY_CHECK_H
#define KTSTR_GUEST_TOPOLOGY_CHECK_H

#include "base/str.h"
#include "host/topology.h"

struct topology_shape {
	unsigned int nodes, llcs, cores, threads; /* LLCs in total, cores per LLC */
};

/* "n,l,c,t"; -EINVAL with a message. */
int topology_shape_parse(const char *text, struct topology_shape *out);

/*
 * 0, or -EPROTO with the first difference as the message. nodes is a list of
 * LLCS:MIB separated by commas; NULL = all nodes are alike. distances is a
 * matrix by rows, numbers separated by commas; NULL = 10 within a node, 20 between.
 */
int topology_check(const struct topology *t, const struct topology_shape *want, const char *nodes,
		   const char *distances);

/* Whether sysfs shows no caches, as in aarch64 guests under emulation: clusters stand in for them. */
bool topology_lacks_caches(const struct topology *t);

/*
 * LLCs by their clusters. 0, -EPROTO with the first difference, or -ENODATA when sysfs
 * shows no clusters either.
 */
int topology_check_clusters(const struct topology *t, const struct topology_shape *want,
			    const struct roots *roots);

#endif
