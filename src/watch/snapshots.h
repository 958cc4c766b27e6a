/* SPDX-License-Identifier: GPL-2.0-only */
/* When periodic snapshots are due, and a guest that stands still for one. */
#ifndef KTSTR_WATCH_SNAPSHOTS_H
#define KTSTR_WATCH_SNAPSHOTS_H

#include "trace/format.h"
#include "vm/engine.h"

#define SNAPSHOTS_MAX 64 /* that a test asks for; the same of writes that are watched */
#define SNAPSHOTS_NEVER UINT64_MAX

/* What a test wants of them. */
struct snapshots_wish {
	uint32_t periodic;
	uint64_t duration_ns;			/* of what the test does */
	bool in_tcg;				/* requests are heard there, too */
	const char *watches[TRACE_MAX_WATCHES]; /* names, see watchpoints.h */
	size_t watch_count;
	const char *const *writes; /* see map_write.h */
	size_t write_count;
	const char *const *invariants; /* see check/invariant.h */
	size_t invariant_count;
};

/* Periodic ones of a run; times are of the clock that the watcher goes by. */
struct snapshots_plan {
	struct snapshots_wish wish;
	bool has_begun;
	uint64_t begin_ns;
	uint32_t taken;
};

/* A test begins, or its scenario after it: the last one counts, until there is a snapshot. */
void snapshots_begin(struct snapshots_plan *p, uint64_t now_ns);

/* Of the next one; SNAPSHOTS_NEVER = none is left, or nothing has begun. */
uint64_t snapshots_next(const struct snapshots_plan *p);

/* It is taken now; name: its own, "periodic_000" of the first. */
#define SNAPSHOTS_NAME 32
void snapshots_take(struct snapshots_plan *p, char name[SNAPSHOTS_NAME]);

/* The guest's clocks stood still for so long. */
void snapshots_delay(struct snapshots_plan *p, uint64_t ns);

/*
 * Stops all vCPUs until guest_thaw(); false = QEMU has ended, or does not stop. Guests of sim stand
 * still anyway while they are looked at.
 */
bool guest_freeze(struct vm *vm, bool by_monitor);
/* Returns whether the guest's clocks stood still meanwhile: only the monitor stops them. */
bool guest_thaw(struct vm *vm, bool by_monitor);

#endif
