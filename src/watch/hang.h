/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A guest in which no CPU takes interrupts any more cannot end by itself, and its kernel's own watchdogs
 * do not run. From outside it is told by jiffies that stand still while vCPUs are busy, and by their
 * registers: those that are busy have interrupts disabled. One whose jiffies stand still because all of
 * it is idle uses no CPU, and one that the host starves uses none, either.
 */
#ifndef KTSTR_WATCH_HANG_H
#define KTSTR_WATCH_HANG_H

#include "vm/spec.h"
#include "watch/vcpu.h"

struct hang {
	uint64_t jiffies;
	unsigned int
		changes; /* of them that were seen: before the second the kernel may still boot */
	uint64_t since_ns, since_used_ns; /* both clocks at the last one */
};

/* How long jiffies may stand still, of the guest's clock in sim and of both clocks elsewhere. */
uint64_t hang_limit_ns(enum vm_accel accel);

/*
 * Whether they have stood still for that long. now_ns: of the guest's clock in sim, else of ours; used_ns:
 * what the vCPUs have used of a CPU, in sim again the guest's clock. Who is suspected is looked at, and
 * is suspected again after as long.
 */
bool hang_suspect(struct hang *h, uint64_t jiffies, uint64_t now_ns, uint64_t used_ns,
		  uint64_t limit_ns);

/* Whether some vCPUs are busy, and all of those with interrupts disabled. */
bool hang_is_certain(const struct vcpus *v);

/* A sentence about it, with where the vCPUs are. */
void hang_describe(const struct vcpus *v, const struct symbols *symbols, struct space *space,
		   uint64_t limit_ns, struct str *out);

#endif
