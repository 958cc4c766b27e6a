/* SPDX-License-Identifier: GPL-2.0-only */
/* The machines of the gauntlet, and which of them a test accepts. */
#ifndef KTSTR_RUN_PRESETS_H
#define KTSTR_RUN_PRESETS_H

#include "host/topology.h"
#include "program/probe.h"
#include "vm/spec.h"

struct preset {
	const char *name;
	struct vm_topology topology;
	unsigned int memory_mib; /* 0 = as the test says */
};

/* Ends with a NULL name. Those with two threads per core exist on x86_64 only. */
extern const struct preset presets[];

const char *const *preset_names(void);
const struct preset *preset_by_name(const char *name);

/* This host, as far as it limits performance mode. */
struct preset_host {
	size_t cpus, llcs, largest_llc;
};
void preset_host_read(const struct topology *t, struct preset_host *host);

/*
 * Whether the machine is within the constraints (0 = the default of that field).
 * host is NULL but for performance mode: any other test overcommits if need be.
 */
bool preset_is_accepted(const struct preset *p, enum vm_arch arch,
			const struct probe_constraints *c, const struct preset_host *host);

#endif
