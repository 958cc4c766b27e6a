/* How many CPUs a build may use. */
#ifndef KTSTR_KERNEL_RESERVE_H
#define KTSTR_KERNEL_RESERVE_H

#include <stddef.h>
#include <stdint.h>

/*
 * The cap from --cpu-cap (NULL: not given) or KTSTR_CPU_CAP; 0 = none. -EINVAL
 * with a message for 0, for what is no number, and together with
 * KTSTR_BYPASS_LLC_LOCKS.
 */
int reserve_parse_cap(const char *flag, uint64_t *cap);

/* Of this many allowed CPUs, the share of a build. -EINVAL when the cap is above it. */
int reserve_count(uint64_t cap, size_t allowed, size_t *cpus);

/*
 * The one place at which a build reserves its CPUs: everything that holds them
 * against other runs belongs in here.
 */
int reserve_build_cpus(uint64_t cap, size_t *cpus);

#endif
