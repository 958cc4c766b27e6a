/* SPDX-License-Identifier: GPL-2.0-only */
/* BPF maps of a guest, what the bytes in them mean, and where pointers in them lead. */
#ifndef KTSTR_WATCH_MAPS_H
#define KTSTR_WATCH_MAPS_H

#include "kernel/btf.h"
#include "watch/guest.h"

/* datum.c: Bytes of a BPF program's variables by their types. */

struct datum {
	const struct btf *types; /* NULL = not known */
	uint32_t type;
	const char *data;
	size_t len;
};

/*
 * Types and bytes are the guest's word: parts may overlap and repeat, so that what a value costs
 * is not known before. Each node and byte is paid out of a budget that all values share.
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

/* A part of a value that has parts: a member, a variable of a section, an element. */
struct datum_part {
	const char *name; /* of a member or variable, may be ""; NULL for an element */
	struct datum value;
	uint32_t bit_offset, bit_count; /* of a bit field; else bit_count is 0 */
};

/* guest_types.c: Types that came with a BPF program: the guest kernel's struct btf. */

struct guest_types {
	uint64_t address;
	void *data; /* NULL = they could not be read */
	struct btf btf;
};

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

/*
 * casts.c: Numbers that are pointers: what the code of a scheduler tells about its fields of 64
 * bits. The table comes from cast_analysis.c; who shows values asks it by names, as the types in
 * the guest are another copy.
 */

/* What a field belongs to: the innermost struct that has a name, a variable, or a map's value. */
enum cast_owner { CAST_STRUCT, CAST_VARIABLE, CAST_MAP };

/* Where its target lies; ANY = evidence of the type alone. */
enum cast_space { CAST_ANY, CAST_ARENA, CAST_KERNEL };

struct cast {
	enum cast_owner kind;
	char *owner;
	uint32_t offset; /* of the field in its owner, in bytes */
	char *target;	 /* the name of a struct */
	enum cast_space space;
};

struct casts {
	VEC(struct cast) items; /* sorted by owner and offset */
	size_t candidates;	/* fields of 64 bits that the code has touched */
	/* Types of all objects, for structs that a program only declares. */
	VEC(struct btf) types;
};

#define _casts_ _cleanup_(casts_finish)

/*
 * slots.c: Slots of the allocator that many schedulers keep in their arena: variables of the type
 * struct scx_allocator, which lead to a tree of structs sdt_desc and sdt_chunk, whose leaves are
 * slots. A slot begins with a struct sdt_data; the payload behind it has the type of the scheduler.
 */

struct slot {
	uint64_t types;	       /* of the program */
	uint64_t start;	       /* in the kernel's addresses */
	uint32_t size, header; /* bytes; the header's are a part of the size */
	uint32_t payload;      /* a number in the program's types; 0 = not known */
};

struct slots {
	VEC(struct slot) items; /* sorted by start */
};

/*
 * chase.c: Pointers of values, followed in a guest that stands still: into the arena of the
 * program, and into the kernel. Every pointer is the guest's word. What a dump follows has limits
 * of hops, of pointers and of bytes, and within one value nothing is shown twice, so that rings and
 * trees with ways back end.
 */

/* What is known besides the maps and their own types; each may be NULL. */
struct chase_types {
	const struct btf *kernel;
	const struct casts *casts;
};

struct chase_arena {
	uint64_t types; /* of the programs that use it */
	uint64_t user_start, bytes, base;
};

/* Where the definition of a struct is that was looked for by its name. */
struct chase_definition {
	const char *name;
	bool is_kernel, is_union;
	const struct btf *types; /* NULL = there is none */
	uint32_t type;
};

struct chased {
	const struct btf *types;
	uint32_t type;
	uint64_t address;
	bool is_open; /* what it leads to is being shown */
};

struct chase {
	struct space *space;
	const struct maps *maps;
	struct chase_types types;
	VEC(struct chase_arena) arenas;
	struct slots slots;
	size_t pointers, bytes; /* that may still be followed and read */
	uint64_t home;		/* types of the program whose value is shown */
	const struct btf *home_types;
	bool has_casts;		   /* about these types */
	VEC(struct chased) chased; /* from this value */
	size_t hops;
	VEC(struct chase_definition) definitions;
};

#define _chase_ _cleanup_(chase_close)

/* A pointer: of its declared type, or a number with evidence. */
struct chase_from {
	uint64_t value;
	const struct btf *types; /* NULL = the cast tells */
	uint32_t pointee;
	const struct cast *cast; /* or NULL */
};

struct chase_target {
	struct datum value;	/* .data is the target's own, until chase_leave() */
	bool is_kernel;		/* the kernel's own struct: only a part of it is shown */
	const char *annotation; /* or NULL */
	const char *problem;	/* why it was not followed; NULL = it was */
	size_t number;		/* of c->chased */
	size_t bytes;		/* of something whose type is not known: .value.types is NULL */
};

/*
 * known_types.c: What files of the host tell about types in a guest, for pointers of its maps: the
 * kernel's own, and what the scheduler's binary keeps in numbers. They are read when the first dump
 * or snapshot is taken.
 */

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

/*
 * watchpoints.c: Places in a guest whose writes take snapshots: symbols of its kernel, variables of
 * a scheduler.
 */

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

#endif
