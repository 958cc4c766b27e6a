/* SPDX-License-Identifier: GPL-2.0-only */
/* The tests and schedulers that were linked into this program. */
#ifndef KTSTR_PROGRAM_ENTRIES_H
#define KTSTR_PROGRAM_ENTRIES_H

#include <ktstr/ktstr.h>

struct program_entries {
	const struct ktstr_test *const *tests;
	size_t test_count;
	const struct ktstr_sched *const *scheds;
	size_t sched_count;
};

/* From the linker's sections. */
void program_entries(struct program_entries *e);

/* By name, with or without "ktstr/" in front; NULL when there is none. */
const struct ktstr_test *program_find_test(const struct program_entries *e, const char *name);

/* Tests that do not run unless asked for: by attribute, or named demo_... */
bool test_is_ignored(const struct ktstr_test *t);

#endif
