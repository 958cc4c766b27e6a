/* SPDX-License-Identifier: GPL-2.0-only */
/* BPF maps of a guest, interpretation of their contents, and targets of pointers in them. */
#ifndef KTSTR_WATCH_MAPS_H
#define KTSTR_WATCH_MAPS_H

#include "kernel/btf.h"
#include "watch/guest.h"

/* datum.c: values of BPF variables, interpreted by their BTF types. */

struct datum {
	const struct btf *types; /* NULL = unknown */
	uint32_t type;
	const char *data;
	size_t len;
};

/*
 * Types and data come from the guest: members may overlap and repeat, so the cost of a value is not
 * known in advance. Each node and byte is charged to a budget shared by all values.
 */
struct datum_budget {
	size_t left;
};

static inline bool datum_pay(struct datum_budget *b, size_t cost)
{
	bool can_pay = b->left >= cost;

	b->left = can_pay ? b->left - cost : 0;
	return can_pay;
}

/* A component of a value: a member, a variable of a section, an element. */
struct datum_part {
	const char *name; /* of a member or variable, may be ""; NULL for an element */
	struct datum value;
	uint32_t bit_offset, bit_count; /* for a bit field; else bit_count is 0 */
};

/* guest_types.c: BTF of a BPF program, from the guest kernel's struct btf. */

struct guest_types {
	uint64_t address;
	void *data; /* NULL = unreadable */
	struct btf btf;
};

#define MAPS_NAME 16
#define MAPS_OBSERVER "ktstr_ob." /* name prefix of the sections of ktstr's own program */

struct map_value {
	bool has_cpu;
	uint32_t cpu;
	bool is_readable;  /* the value could be read (the key always could) */
	size_t key, value; /* offsets in maps.bytes */
};

struct map_view {
	uint64_t address, btf;
	char name[MAPS_NAME + 1];
	uint32_t type, id, flags, key_size, value_size, max_entries;
	uint32_t key_type, value_type; /* type IDs in its BTF; 0 = unknown */
	size_t types;		       /* index in maps.types; SIZE_MAX = none */
	bool has_contents;	       /* maps of this type can be read */
	size_t first, count;	       /* range in maps.values */
	uint64_t zero_count;	       /* all-zero elements of an array, which are left out */
	bool is_cut;		       /* incomplete, or partly unreadable */
	uint32_t value_len;	       /* bytes of each value here: for an arena a page */
	/*
	 * For an arena: user address of its first byte, kernel address that corresponds to user
	 * address 0, and the BTF of its programs.
	 */
	uint64_t user_start, arena_base, arena_types;
	bool is_live; /* belongs to the attached scheduler */
};

struct maps {
	VEC(struct map_view) maps;
	VEC(struct map_value) values;
	VEC(struct guest_types) types;
	struct str bytes;
	bool is_cut; /* incomplete: there are more maps, or one is unreadable */
};

/* -ENOMEM only; unreadable parts are missing or marked as unreadable. */
int maps_read(struct maps *m, struct space *space, unsigned int cpu_count);
void maps_finish(struct maps *m);

/*
 * casts.c: integers that are pointers, as far as the code of a scheduler reveals it. The table
 * comes from cast_analysis.c; it is queried by name, because the types in the guest are another
 * copy.
 */

/* Owner of a field: the innermost named struct, a variable, or a map's value. */
enum cast_owner { CAST_STRUCT, CAST_VARIABLE, CAST_MAP };

/* Address space of the target; ANY = only its type is known. */
enum cast_space { CAST_ANY, CAST_ARENA, CAST_KERNEL };

struct cast {
	enum cast_owner kind;
	char *owner;
	uint32_t offset; /* of the field in its owner, in bytes */
	char *target;	 /* name of a struct */
	enum cast_space space;
};

struct casts {
	VEC(struct cast) items; /* sorted by owner and offset */
	size_t candidates;	/* number of 64-bit fields that the code accesses */
	/* BTF of all objects, for structs that a program only declares. */
	VEC(struct btf) types;
};

#define _casts_ _cleanup_(casts_finish)

/*
 * slots.c: slots of the allocator that many schedulers use in their arena: variables of type struct
 * scx_allocator, which lead to a tree of struct sdt_desc and struct sdt_chunk, whose leaves are
 * slots. A slot starts with a struct sdt_data, followed by a payload whose type the scheduler
 * defines.
 */

struct slot {
	uint64_t types;	       /* BTF of the program */
	uint64_t start;	       /* kernel address */
	uint32_t size, header; /* in bytes; size includes the header */
	uint32_t payload;      /* type ID in the program's BTF; 0 = unknown */
};

struct slots {
	VEC(struct slot) items; /* sorted by start */
};

/*
 * chase.c: follows pointers in values while the guest is stopped, into the arena of the program and
 * into the kernel. Pointers are not trusted. A dump has limits on hops, pointers and bytes, and
 * within one value nothing is shown twice, so that cyclic structures end.
 */

/* Types besides the maps and their own BTF; each may be NULL. */
struct chase_types {
	const struct btf *kernel;
	const struct casts *casts;
};

struct chase_arena {
	uint64_t types; /* BTF of the programs that use it */
	uint64_t user_start, bytes, base;
};

/* Cached definition of a struct that was looked up by name. */
struct chase_definition {
	const char *name;
	bool is_kernel, is_union;
	const struct btf *types; /* NULL = not found */
	uint32_t type;
};

struct chased {
	const struct btf *types;
	uint32_t type;
	uint64_t address;
	bool is_open; /* its target is being shown */
};

struct chase {
	struct space *space;
	const struct maps *maps;
	struct chase_types types;
	VEC(struct chase_arena) arenas;
	struct slots slots;
	size_t pointers, bytes; /* remaining budget */
	uint64_t home;		/* BTF of the program whose value is shown */
	const struct btf *home_types;
	bool has_casts;		   /* for these types */
	VEC(struct chased) chased; /* within this value */
	size_t hops;
	VEC(struct chase_definition) definitions;
};

#define _chase_ _cleanup_(chase_close)

/* A pointer: by its declared type, or an integer with evidence. */
struct chase_from {
	uint64_t value;
	const struct btf *types; /* NULL = type is given by the cast */
	uint32_t pointee;
	const struct cast *cast; /* or NULL */
};

struct chase_target {
	struct datum value;	/* .data is allocated, until chase_leave() */
	bool is_kernel;		/* a kernel struct: only a part of it is shown */
	const char *annotation; /* or NULL */
	const char *problem;	/* why it was not followed; NULL = it was */
	size_t number;		/* index in c->chased */
	size_t bytes;		/* size, if the type is unknown: .value.types is NULL */
};

/*
 * known_types.c: types from files on the host, for pointers in maps: BTF of the kernel, and
 * pointers that the scheduler's binary keeps in integers. Read for the first dump or snapshot.
 */

struct known_types {
	bool is_read;
	struct btf_file kernel;
	struct map_file scheduler;
	struct casts casts;
	struct chase_types types;
};

/* Both paths may be NULL; files that cannot be read are ignored. */
const struct chase_types *known_types_get(struct known_types *k, const char *vmlinux,
					  const char *scheduler);
void known_types_finish(struct known_types *k);

/*
 * watchpoints.c: places in a guest whose modification triggers a snapshot: kernel symbols and
 * variables of a scheduler.
 */

/* Name prefix: selects the kernel symbol even if a scheduler has a variable of this name. */
#define WATCHPOINT_KERNEL "kernel:"

/*
 * Finds address and length of a name: a global variable in a section of a BPF map, or a part of it
 * ("state.list[2]"), or a kernel symbol, of which four bytes are watched. If both exist, the
 * variable of the attached scheduler is used, with a note. -ENOENT or -EINVAL with a message that
 * lists the variables.
 */
int watchpoint_find(const char *name, const struct symbols *symbols, const struct maps *maps,
		    const struct space *space, struct trace_watch *out);

#endif
