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
			const struct ktstr_constraints *c, const struct preset_host *host);

/* Profiles: the valid sets of a scheduler's flags that a test can run with. */

#define PROFILE_MAX_FLAGS 64

struct profile_flag {
	const char *name;
	uint64_t needs; /* bit i = flag i must be there too */
};

/* Flags in the order of their declaration. */
struct profile_flags {
	struct profile_flag items[PROFILE_MAX_FLAGS];
	size_t count;
};

/* Bit of the flag of that name, or 0. */
uint64_t profile_bit(const struct profile_flags *flags, const char *name);

/*
 * Every set that has the required and none of the excluded flags, and for each flag
 * those it needs; in the order of counting through the optional ones. Stored in
 * *masks (arena) and *count. -EINVAL when there is no such set or there are too many.
 */
int profiles_list(const struct profile_flags *flags, uint64_t required, uint64_t excluded,
		  struct arena *arena, uint64_t **masks, size_t *count);

/* "llc+steal" in the order of declaration, or "default". */
const char *profile_name(const struct profile_flags *flags, uint64_t mask, struct arena *arena);

/* The topology and the NUMA nodes that a test declares, as a VM has them. */

struct vm_topology run_topology_of(const struct probe_test *test);

/* -EINVAL with a message when no machine can be like that. */
int run_numa_of(const struct probe_test *test, struct vm_numa *out);

/* Of all declared nodes together; 0 = none are declared. */
uint64_t run_numa_memory_mib(const struct probe_test *test);

#endif
