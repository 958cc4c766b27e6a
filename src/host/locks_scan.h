/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every lock file of ktstr on this machine and who holds it, without taking any
 * lock: what `ktstr locks` shows.
 */
#ifndef KTSTR_HOST_LOCKS_SCAN_H
#define KTSTR_HOST_LOCKS_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/roots.h"
#include "host/lock_holders.h"
#include "host/topology.h"

enum lock_kind {
	LOCK_LLC,
	LOCK_CPU,
	LOCK_CACHE,
	LOCK_RUN,
	LOCK_QUEUE, /* tickets of those who wait; the key is the ticket's number */
	LOCK_KINDS,
};

struct lock_row {
	char *key; /* the LLC's or CPU's number, or the key of the entry */
	uint64_t number;
	bool has_node;
	unsigned int node;
	char *lockfile;
	bool is_stale; /* deleted, but somebody still holds a lock on what it was */
	bool has_age;  /* held, and the time of the last acquisition is known */
	uint64_t age_ns;
	struct lock_holders holders;
};

struct lock_rows {
	struct lock_row *items;
	size_t count, cap;
};

struct locks_scan {
	struct lock_rows kinds[LOCK_KINDS];
};

/* Where the lock files are; a NULL directory is not looked at. */
struct lock_places {
	char *dirs[LOCK_KINDS];
};

int lock_places_from_env(struct lock_places *places);
void lock_places_finish(struct lock_places *places);

/* The topology, if known, tells the nodes. A missing directory has no lock files. */
int locks_scan(struct locks_scan *s, const struct lock_places *places, const struct roots *roots,
	       const struct topology *t);
void locks_scan_finish(struct locks_scan *s);

#define _lock_places_ _cleanup_(lock_places_finish)
#define _locks_scan_ _cleanup_(locks_scan_finish)

#endif
