/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Strategies that decide which task goes first. The scheduler under test is not touched: at
 * each scheduling event a CPU may be held, while the others continue. Everything is a
 * function of the seed.
 *
 * An event is a wakeup (of the woken task), a switch (to the task that is about to run), or
 * a call of a sched_ext scheduler into the kernel, before and after it (of the task that
 * runs there).
 *
 * - walk: at every event, a coin decides whether the CPU is held, for a random time.
 * - pct: every task has a random priority. At its events it is held while a task of a
 *   higher priority runs on another CPU. At depth - 1 random events, the task is held for a
 *   long time, and its priority becomes lower than all others.
 */
#ifndef KTSTR_GUEST_ORDER_H
#define KTSTR_GUEST_ORDER_H

#include "base/base.h"

#define ORDER_WALK "walk"
#define ORDER_PCT "pct"
#define ORDER_MAX_DEPTH 8
#define ORDER_SLICE_US 100 /* default slice of vCPUs: a hold lasts several of them */

struct order_options {
	const char *strategy; /* one of ORDER_* */
	unsigned int depth;   /* of pct: 1 to ORDER_MAX_DEPTH */
	uint64_t events;      /* of a run of the test; 0 = to be measured, without changes */
	uint64_t seed;
	bool has_scheduler; /* of sched_ext: its calls are events, too */
};

/* Starts now and lasts as long as this process. Returns -EINVAL for a bad strategy or depth. */
int order_start(const struct order_options *o);

/* Number of events and tasks so far; false without a strategy. Tasks are told apart by pid. */
bool order_count(uint64_t *events, uint64_t *tasks);

/* Chooses the events at which priorities change, from 1 on, all different; exported for tests. */
void order_choose_changes(uint64_t seed, uint64_t events, unsigned int count, uint64_t *out);

/*
 * jitter.c: varies simulator runs beyond their start: how often the vCPUs take turns, and
 * delays that hit whatever runs. Both depend on the seed alone.
 */

/*
 * All vCPUs share one thread, and divide the time until the machine's next timer among
 * them. This sets the otherwise unused legacy timer chip to fire often enough that no turn
 * is longer than slice_us, as far as the chip can count. 0 = leave it alone, as on a
 * machine with one CPU.
 */
int jitter_set_slice(uint32_t slice_us);

/* The start value of the chip's counter; 0 = leave the chip alone. */
uint32_t jitter_chip_count(uint32_t slice_us, unsigned int cpus);

/* The default: spinners on different CPUs get equal CPU time. */
#if defined(__x86_64__)
#define JITTER_SLICE_US 500
#else
#define JITTER_SLICE_US 0
#endif

/* A random slice from 100 us to 2 ms. */
uint32_t jitter_slice_us(uint64_t seed);

/*
 * Starts a process that repeatedly sleeps and then takes a CPU away for up to 500 us, as
 * long as the guest lives: per_second times a second on average.
 */
int jitter_start_delays(uint64_t seed, uint32_t per_second);

#define JITTER_DELAYS 100 /* default, per second */
#define JITTER_MAX_DELAYS 10000

struct jitter_delay {
	uint32_t sleep_us, burn_us;
	unsigned int cpu;
};

/* Returns the next delay and advances state. */
struct jitter_delay jitter_next_delay(uint64_t *state, unsigned int cpus, uint32_t per_second);

#endif
