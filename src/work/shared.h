/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory that a group of workers shares with its parent. One mapping holds
 *
 *	struct workers_shared	what the parent tells everybody
 *	struct worker_line[]	what each worker shows while it runs
 *	struct team_line[]	what the workers of one team (a pair, a fan) share
 *	struct worker_report[]	far apart and mostly never touched
 *
 * Everything that is written often has a cache line of its own.
 */
#ifndef KTSTR_WORK_SHARED_H
#define KTSTR_WORK_SHARED_H

#include <stdatomic.h>
#include <stdint.h>

#include "work/report.h"

#define CACHE_LINE 64

struct workers_shared {
	_Alignas(CACHE_LINE) _Atomic uint32_t start; /* a futex */
	_Atomic uint32_t stop, phase;
	uint64_t start_ns;			     /* when start was set; written before it */
	_Alignas(CACHE_LINE) _Atomic uint32_t ended; /* a futex: workers that left a report */
};

enum worker_state { WORKER_FORKED, WORKER_RUNNING, WORKER_DONE };

struct worker_line {
	_Alignas(CACHE_LINE) _Atomic uint64_t iterations;
	_Atomic uint32_t state;
	_Atomic uint32_t has_wakes, has_timers; /* there are samples in the report */
	_Atomic uint32_t is_placed;		/* the parent has set the affinity: leave it */
	/* For work types: what this worker waits for, since when, and who it is. */
	_Atomic uint32_t word;
	_Atomic uint64_t stamp_ns;
	_Atomic int pid;
};

/* FanOutCompute wants generation and stamp together: one line tells both. */
struct team_line {
	_Alignas(CACHE_LINE) _Atomic uint64_t generation; /* a futex on its low half */
	_Atomic uint64_t stamp_ns;
	_Alignas(CACHE_LINE) _Atomic uint32_t word; /* a futex */
	_Alignas(CACHE_LINE) _Atomic uint32_t arrived;
};

#endif
