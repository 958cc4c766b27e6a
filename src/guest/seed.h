/* SPDX-License-Identifier: GPL-2.0-only */
/* What a seed changes in a run: the guest's random numbers and where in time it begins. */
#ifndef KTSTR_GUEST_SEED_H
#define KTSTR_GUEST_SEED_H

#include <stdint.h>

/* The next word of a sequence that looks random; state is moved on. */
uint64_t seed_next(uint64_t *state);

/* Feeds the kernel's random pool and waits a short, seed-given time. */
void seed_apply(uint64_t seed);

/* How long the run's beginning is put off: 0 to 8 ms, two ticks of the slowest clock. */
uint64_t seed_delay_ns(uint64_t seed);

#endif
