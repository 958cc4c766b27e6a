/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF maps of a guest with what they hold, copied out of its memory: arrays and hash tables,
 * also per CPU, the storage of tasks, and the pages of arenas; of other types that they are there. The
 * program's own types come with them.
 */
#ifndef KTSTR_WATCH_MAPS_H
#define KTSTR_WATCH_MAPS_H

#include "watch/guest_types.h"

#define MAPS_NAME 16
#define MAPS_OBSERVER "ktstr_ob." /* what sections of our own program begin with */

struct map_value {
	bool has_cpu;
	uint32_t cpu;
	bool is_readable;  /* the value; its key was */
	size_t key, value; /* places in maps.bytes */
};

struct map_view {
	uint64_t address, btf;
	char name[MAPS_NAME + 1];
	uint32_t type, id, flags, key_size, value_size, max_entries;
	uint32_t key_type, value_type; /* numbers in its types; 0 = not known */
	size_t types;		       /* of maps.types; SIZE_MAX = it has none */
	bool has_contents;	       /* maps of this type can be read */
	size_t first, count;	       /* of maps.values */
	uint64_t zero_count;	       /* elements of an array that are left out: all zero */
	bool is_cut;		       /* there was more, or a part of it cannot be read */
	uint32_t value_len;	       /* bytes of each value here: of an arena a page */
	/* Of an arena: what its programs call its first byte, the address of what they call 0 in the
	 * kernel, and whose programs these are by their types. */
	uint64_t user_start, arena_base, arena_types;
	bool is_live; /* it is one of the scheduler that is attached */
};

struct maps {
	VEC(struct map_view) maps;
	VEC(struct map_value) values;
	VEC(struct guest_types) types;
	struct str bytes;
	bool is_cut; /* there are more maps, or one of them cannot be read */
};

/* -ENOMEM only; what cannot be read is not there, or said to be unreadable. */
int maps_read(struct maps *m, struct space *space, unsigned int cpu_count);
void maps_finish(struct maps *m);

struct chase;

/*
 * Members "maps", an array, and "maps_truncated" of the object that is being written. chase: NULL =
 * pointers are not followed.
 */
void maps_put_json(const struct maps *m, struct json *j, struct chase *chase);

#endif
