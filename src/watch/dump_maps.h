/* SPDX-License-Identifier: GPL-2.0-only */
/* Maps of a dump in lines. */
#ifndef KTSTR_WATCH_DUMP_MAPS_H
#define KTSTR_WATCH_DUMP_MAPS_H

#include "watch/dump_text.h"

/*
 * Who has maps and programs: a failure dump beside its snapshot, other snapshots each their own.
 * The first one is the dump itself; NULL = there is no other.
 */
const struct json_node *dump_next_holder(const struct json_node *dump,
					 const struct json_node *holder);

/* Without those of ktstr's own observer. */
void dump_add_maps(const struct json_node *dump, const struct dump_limits *limits, struct str *out);

/* What the storage of tasks has of this one. */
void dump_add_entries_of(const struct json_node *dump, uint64_t pid, struct str *out);

#endif
