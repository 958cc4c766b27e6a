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
 * All vCPUs share one thread, and the time until the next timer of the machine is due is
 * divided among them. The old timer chip, which nobody listens to, is set to fire often
 * enough that no turn is longer than this, or as long as the chip can count. 0 = leave it
 * alone, as on a machine of one CPU.
 */
int jitter_set_slice(uint32_t slice_us);

/* What the chip has to count to; 0 = nothing. */
uint32_t jitter_chip_count(uint32_t slice_us, unsigned int cpus);

/* Where nothing else is said: a spinner gets as much as another one on the next CPU. */
#if defined(__x86_64__)
#define JITTER_SLICE_US 500
#else
#define JITTER_SLICE_US 0
#endif

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
