/* SPDX-License-Identifier: GPL-2.0-only */
/* Invariants of a scheduler, checked against its variables in every sample of its guest. */
#ifndef KTSTR_WATCH_INVARIANTS_H
#define KTSTR_WATCH_INVARIANTS_H

#include "base/str.h"
#include "check/invariant.h"
#include "watch/maps.h"

struct invariants {
	const char *const *texts; /* the caller's */
	size_t count;		  /* INVARIANT_MAX at most */
	bool is_told[INVARIANT_MAX];
	size_t looks; /* at which there was a scheduler with maps */
	/* Lines: what was broken, when first; what could not be judged. */
	struct str broken, unknown;
};

/* Maps of a moment, at this time of the guest's clock. */
void invariants_look(struct invariants *v, const struct maps *maps, uint64_t clock_ns);

/* The run is over: tells of those that nobody could look at. */
void invariants_end(struct invariants *v, const char *problem);

void invariants_finish(struct invariants *v);

#endif
