/* SPDX-License-Identifier: GPL-2.0-only */
/* Places in a guest whose writes take snapshots: symbols of its kernel, variables of a scheduler. */
#ifndef KTSTR_WATCH_WATCHPOINTS_H
#define KTSTR_WATCH_WATCHPOINTS_H

#include "trace/format.h"
#include "watch/datum.h"
#include "watch/maps.h"
#include "watch/space.h"

/* In front of a name: the kernel's symbol, whatever variables a scheduler has. */
#define WATCHPOINT_KERNEL "kernel:"

/*
 * The address and length of a name: a global variable in a section of a BPF map, or a part of it
 * ("state.list[2]"), or exactly that of a kernel's symbol, of which four bytes are watched. Of both, the
 * variable of the attached scheduler is meant, and a note says so. -ENOENT or -EINVAL with a message
 * that tells which variables there are.
 */
int watchpoint_find(const char *name, const struct symbols *symbols, const struct maps *maps,
		    const struct space *space, struct trace_watch *out);

/* The section of variables that a map is, as one value; false = it is another map. */
bool variables_of(const struct maps *all, const struct map_view *m, struct datum *out);

/* What a global variable, or a part of it, holds. -ENOENT with the same message. */
int variable_find(const char *name, const struct maps *maps, struct datum_part *out);
/* Where it is. */
int variable_place(const char *name, const struct maps *maps, const struct space *space,
		   struct trace_watch *out);

#endif
