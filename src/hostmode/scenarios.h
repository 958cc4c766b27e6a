/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What can run on the bare host: rows of the catalog, tests of a loaded library,
 * scenario files. They all look the same from here on.
 */
#ifndef KTSTR_HOSTMODE_SCENARIOS_H
#define KTSTR_HOSTMODE_SCENARIOS_H

#include <stddef.h>
#include <stdint.h>

#include <ktstr/ktstr.h>

#include "base/arena.h"
#include "base/vec.h"
#include "run/profiles.h"

struct host_scenario {
	const char *name, *category, *description;
	uint64_t required, excluded; /* flags */
	/* What it asks for itself; 0 and NULL = as the run says. */
	uint64_t duration_ms;
	unsigned int workers;
	const struct ktstr_assert *checks;
	bool expects_error;
	int (*run)(const void *what, struct ktstr_ctx *ctx, struct ktstr_result *res);
	const void *what;
};

struct host_scenarios {
	struct arena arena;
	VEC(struct host_scenario) list;
};

int host_scenarios_add_catalog(struct host_scenarios *s);
/* The tests of a shared object, which stays loaded. -EINVAL with what is wrong with it. */
int host_scenarios_add_library(struct host_scenarios *s, const char *path);
int host_scenarios_add_file(struct host_scenarios *s, const char *path);
/* What only all of them together tell: names that are there twice, flags that exclude each other. */
int host_scenarios_check(const struct host_scenarios *s);
void host_scenarios_finish(struct host_scenarios *s);

/* Names, categories and words of names: the nearest to what was typed, or NULL. */
const char *host_scenarios_closest(const struct host_scenarios *s, const char *word);

/* The six flags of the catalog. */
const struct profile_flags *host_flags(void);

/* -EINVAL with "unknown flag: 'X'. valid flags: ...". */
int host_flags_unknown(const char *name);

/* From "llc,borrow" in any order; "" is the empty set. -EINVAL with a message. */
int host_flags_parse(const char *text, uint64_t *mask);

#endif
