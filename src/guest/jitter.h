/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What makes one sim run unlike another beyond where it begins: how often the
 * vCPUs take turns, and delays that hit whoever runs. Both are functions of the
 * seed alone.
 */
#ifndef KTSTR_GUEST_JITTER_H
#define KTSTR_GUEST_JITTER_H

#include <stdint.h>

/*
 * All vCPUs share one thread, and one runs until the next timer of the machine is
 * due. The old timer chip, which nobody listens to, is set to fire at least this
 * often. 0 = leave it alone. -EINVAL when the chip cannot count that far.
 */
int jitter_set_slice(uint32_t slice_us);

/* A slice between 100 us and 2 ms. */
uint32_t jitter_slice_us(uint64_t seed);

/*
 * Starts a process that sleeps, takes a CPU away from everybody for up to 500 us, and
 * begins again, for as long as the guest lives: on average so many times a second.
 */
int jitter_start_delays(uint64_t seed, uint32_t per_second);

#define JITTER_DELAYS 100 /* a second, where nothing else is said */
#define JITTER_MAX_DELAYS 10000

struct jitter_delay {
	uint32_t sleep_us, burn_us;
	unsigned int cpu;
};

/* The next one; state is moved on. */
struct jitter_delay jitter_next_delay(uint64_t *state, unsigned int cpus, uint32_t per_second);

#endif
