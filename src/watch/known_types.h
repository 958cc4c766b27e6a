/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What files of the host tell about types in a guest, for pointers of its maps: the kernel's own, and what
 * the scheduler's binary keeps in numbers. They are read when the first dump or snapshot is taken.
 */
#ifndef KTSTR_WATCH_KNOWN_TYPES_H
#define KTSTR_WATCH_KNOWN_TYPES_H

#include "kernel/btf.h"
#include "watch/chase.h"

struct known_types {
	bool is_read;
	struct btf_file kernel;
	struct map_file scheduler;
	struct casts casts;
	struct chase_types types;
};

/* Both paths may be NULL; what cannot be read is not known. */
const struct chase_types *known_types_get(struct known_types *k, const char *vmlinux,
					  const char *scheduler);
void known_types_finish(struct known_types *k);

#endif
