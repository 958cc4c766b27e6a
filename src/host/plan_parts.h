/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kinds of plans are made of; only for plan*.c. */
#ifndef KTSTR_HOST_PLAN_PARTS_H
#define KTSTR_HOST_PLAN_PARTS_H

#include "host/plan.h"

struct plan_use plan_use_of(const struct plan_host *host, size_t llc);
bool plan_cpu_allowed(const struct plan_host *host, unsigned int cpu);
bool plan_cpu_free(const struct plan_host *host, unsigned int cpu);

/* CPUs of an LLC that we may use, and those of them that nobody has locked. */
size_t plan_llc_allowed(const struct plan_host *host, size_t llc);
size_t plan_llc_free(const struct plan_host *host, size_t llc);

/* CPUs of the machine that we may use. */
size_t plan_allowed_count(const struct plan_host *host);

/* Indices of nodes, nearest to the one with index from first, itself at the head. */
void plan_node_order(const struct topology *t, size_t from, size_t *order);
size_t plan_node_index(const struct topology *t, unsigned int node);

int plan_init(struct plan *p, enum run_mode mode, const struct topology *t, size_t cpus);
bool plan_has_llc(const struct plan *p, size_t llc);
bool plan_has_cpu(const struct plan *p, unsigned int cpu);
void plan_add_llc(struct plan *p, size_t llc);

/* Sorts the LLCs and derives the nodes. */
void plan_settle(struct plan *p, const struct topology *t);

#endif
