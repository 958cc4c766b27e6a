/* SPDX-License-Identifier: GPL-2.0-only */
/* The fields of struct ktstr_assert as data, for those that go through all of them. */
#ifndef KTSTR_CHECK_ASSERT_H
#define KTSTR_CHECK_ASSERT_H

#include "check/check.h"

struct assert_field {
	const char *name;
	enum { ASSERT_SWITCH, ASSERT_INTEGER, ASSERT_NUMBER } kind;
	size_t offset;
	bool is_of_monitor;   /* it judges the scheduler's queues, and not workers */
	bool is_of_events;    /* it judges scheduling events, of workers and everybody else */
	bool is_of_scheduler; /* it judges the scheduler's own process: there has to be one */
};

#define ASSERT_FIELDS 35
extern const struct assert_field assert_fields[ASSERT_FIELDS];

/* As it stands in the struct, KTSTR_ZERO and KTSTR_OFF included. */
double assert_raw(const struct ktstr_assert *a, const struct assert_field *f);

/* Whether a raw value is a limit at all, and which: KTSTR_ZERO is 0. */
bool limit_of(double raw, double *limit);

#endif
