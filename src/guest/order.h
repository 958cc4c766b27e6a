/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Strategies that decide who goes first. The scheduler under test is not touched: at each
 * scheduling event a CPU may be held, and the others go on meanwhile. Everything is a
 * function of the seed.
 *
 * An event is a wakeup (of the task that is woken), a switch (to the task that is about to
 * run), or a call from a sched_ext scheduler into the kernel, before and after it (of the
 * task that runs there).
 *
 *   walk	At every event a coin decides whether the CPU is held, for a random time.
 *   pct	Every task has a random priority. At its events it is held while a task of a higher
 *		priority is on another CPU. At depth - 1 random ones of all events the task is held
 *		for a long time, and its priority becomes lower than all others.
 */
#ifndef KTSTR_GUEST_ORDER_H
#define KTSTR_GUEST_ORDER_H

#include "base/base.h"

#define ORDER_WALK "walk"
#define ORDER_PCT "pct"
#define ORDER_MAX_DEPTH 8
#define ORDER_SLICE_US 100 /* of vCPUs, where nothing else is said: holds are some of them */

struct order_options {
	const char *strategy; /* one of ORDER_* */
	unsigned int depth;   /* of pct: 1 to ORDER_MAX_DEPTH */
	uint64_t events;      /* that a run of the test has; 0 = to be measured, no change points */
	uint64_t seed;
	bool has_scheduler; /* of sched_ext: its calls are events, too */
};

/* From now on, for as long as this process lives. -EINVAL for what is not a strategy or depth. */
int order_start(const struct order_options *o);

/* What there was of them so far; false without a strategy. Tasks are told apart by their pid. */
bool order_count(uint64_t *events, uint64_t *tasks);

/* The events at which priorities change, from 1 on and none of them twice; for tests. */
void order_choose_changes(uint64_t seed, uint64_t events, unsigned int count, uint64_t *out);

/*
 * jitter.c: What makes one sim run unlike another beyond where it begins: how often the
 * vCPUs take turns, and delays that hit whoever runs. Both are functions of the
 * seed alone.
 */

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
