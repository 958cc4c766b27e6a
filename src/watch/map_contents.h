/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading what a map holds, by its type. */
#ifndef KTSTR_WATCH_MAP_CONTENTS_H
#define KTSTR_WATCH_MAP_CONTENTS_H

#include "watch/maps.h"

struct map_walk {
	struct maps *out;
	struct space *space;
	const struct watch_layout *layout;
	unsigned int cpu_count;
	size_t steps; /* that are left, of all maps together */
	size_t types; /* bytes of BTF that may still be read */
	int rc;
};

/* Fills in what the map holds and how much of it was read. */
void map_contents_read(struct map_walk *w, struct map_view *m);

/* "percpu_hash"; NULL = a type that has no name here. */
const char *map_type_name(uint32_t type);

#endif
