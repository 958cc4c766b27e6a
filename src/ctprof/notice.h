/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The time of a group between two snapshots that a person would notice: running,
 * waiting, blocked, faulting. The default order goes by it, and so do the first
 * sentences of a comparison.
 */
#ifndef KTSTR_CTPROF_NOTICE_H
#define KTSTR_CTPROF_NOTICE_H

#include "ctprof/group.h"

enum wait_kind {
	WAIT_CPU,
	WAIT_BLOCK_IO,
	WAIT_SWAP,
	WAIT_RECLAIM,
	WAIT_COMPACTION,
	WAIT_COPY,
	WAIT_INTERRUPT,
	WAIT_KINDS
};
extern const char *const wait_names[WAIT_KINDS]; /* "for a CPU" */

struct notice {
	double cpu_ns; /* NaN = not measured */
	double waits_ns[WAIT_KINDS];
	double waited_ns; /* all of them; NaN = none was measured */
};

/*
 * What the group counted in between; where threads cannot be told apart, by how
 * much its sum grew. NaN when that is not known, or more than there was time for.
 */
double group_activity(const struct group *g, unsigned int measure, const struct window *w);

struct notice group_notice(const struct group *g, const struct window *w);

/* Running and waiting, whichever way they changed; 0 when nothing is known. */
double notice_total(const struct notice *n);

#endif
