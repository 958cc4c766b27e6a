/* SPDX-License-Identifier: GPL-2.0-only */
/* Running a test's body in this process: in a guest, or on the host. */
#ifndef KTSTR_PROGRAM_BODY_H
#define KTSTR_PROGRAM_BODY_H

#include "program/entries.h"

/* What the runner asked for; 0 and NULL = as the test says. */
struct body_options {
	uint64_t seed, duration_ms;
	unsigned int workers;
	uint64_t steps; /* of scenarios, as bits */
	unsigned int hold_percent;
	uint64_t look_ms; /* so often those who wait for the end look at the clock */
	const char *work_type;
	const char *flags; /* "a+b" */
	bool is_versus, is_repro, is_release, is_sim;
	bool is_quiet;		 /* whoever reads the result tells of it */
	const char *result_path; /* NULL = nowhere */
};

/* The exit code of the test, or a negative errno when it could not even begin. */
int body_run(const struct ktstr_test *t, const struct body_options *options);

#endif
