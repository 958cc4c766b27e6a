/* SPDX-License-Identifier: GPL-2.0-only */
/* Profiles: the valid sets of a scheduler's flags that a test can run with. */
#ifndef KTSTR_RUN_PROFILES_H
#define KTSTR_RUN_PROFILES_H

#include "base/base.h"

#define PROFILE_MAX_FLAGS 64

struct profile_flag {
	const char *name;
	uint64_t needs; /* bit i = flag i must be there too */
};

/* Flags in the order of their declaration. */
struct profile_flags {
	struct profile_flag items[PROFILE_MAX_FLAGS];
	size_t count;
};

/* Bit of the flag of that name, or 0. */
uint64_t profile_bit(const struct profile_flags *flags, const char *name);

/*
 * Every set that has the required and none of the excluded flags, and for each flag
 * those it needs; in the order of counting through the optional ones. Stored in
 * *masks (arena) and *count. -EINVAL when there is no such set or there are too many.
 */
int profiles_list(const struct profile_flags *flags, uint64_t required, uint64_t excluded,
		  struct arena *arena, uint64_t **masks, size_t *count);

/* "llc+steal" in the order of declaration, or "default". */
const char *profile_name(const struct profile_flags *flags, uint64_t mask, struct arena *arena);

#endif
