/* SPDX-License-Identifier: GPL-2.0-only */
/* The fields of struct ktstr_assert as a table, for code that visits all of them. */
#ifndef KTSTR_CHECK_ASSERT_H
#define KTSTR_CHECK_ASSERT_H

#include "check/check.h"

struct assert_field {
	const char *name;
	enum { ASSERT_SWITCH, ASSERT_INTEGER, ASSERT_NUMBER } kind;
	size_t offset;
	bool is_of_monitor;   /* judges the scheduler's queues, not workers */
	bool is_of_events;    /* judges scheduling events, of workers and of all other tasks */
	bool is_of_scheduler; /* judges the scheduler's own process, so there must be one */
};

#define ASSERT_FIELDS 35
extern const struct assert_field assert_fields[ASSERT_FIELDS];

/* The value as stored in the struct, including KTSTR_ZERO and KTSTR_OFF. */
double assert_raw(const struct ktstr_assert *a, const struct assert_field *f);

/* Returns true if the raw value sets a limit, and stores that limit (KTSTR_ZERO becomes 0). */
bool limit_of(double raw, double *limit);

#endif
