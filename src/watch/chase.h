/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pointers of values, followed in a guest that stands still: into the arena of the program, and
 * into the kernel. Every pointer is the guest's word. What a dump follows has limits of hops, of
 * pointers and of bytes, and within one value nothing is shown twice, so that rings and trees
 * with ways back end.
 */
#ifndef KTSTR_WATCH_CHASE_H
#define KTSTR_WATCH_CHASE_H

#include "watch/casts.h"
#include "watch/datum.h"
#include "watch/maps.h"
#include "watch/slots.h"

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

int chase_open(struct chase *c, struct space *space, const struct maps *maps,
	       const struct chase_types *types);
void chase_close(struct chase *c);

#define _chase_ _cleanup_(chase_close)

/* The next value is one of this map. */
void chase_begin(struct chase *c, const struct map_view *map);

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

void chase_follow(struct chase *c, const struct chase_from *from, struct chase_target *out);
void chase_leave(struct chase *c, struct chase_target *target);

/* The kernel's address of what the programs with these types call so in their arena. */
bool chase_find_in_arena(const struct chase *c, uint64_t types, uint64_t value, uint64_t *at);

/* What is known about a field; NULL = nothing. */
const struct cast *chase_cast(const struct chase *c, enum cast_owner kind, const char *owner,
			      uint64_t offset);

/* Whether the number is an address to which such a cast can lead. */
bool chase_is_address(struct chase *c, uint64_t value, enum cast_space space);

#endif
