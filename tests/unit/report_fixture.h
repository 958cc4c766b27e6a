/* SPDX-License-Identifier: GPL-2.0-only */
/* A whole comparison from JSON texts, for tests of its stages. */
#ifndef KTSTR_TESTS_REPORT_FIXTURE_H
#define KTSTR_TESTS_REPORT_FIXTURE_H

#include "ctprof/report.h"

struct fixture {
	struct snapshot sides[SIDES];
	struct report_options options;
	struct report report;
	struct str text; /* rendered */
};

/* Starts with default options; show has a candidate only. */
void fixture_init(struct fixture *f, bool is_show);

/* Parses {"schema_version":1 HEAD,"threads":[THREADS]}; fails the test when that fails. */
void fixture_load(struct fixture *f, enum side side, const char *head, const char *threads);

/* Builds and renders the report; fails the test when that fails. */
void fixture_build(struct fixture *f);

/* Returns the result of report_build() instead. */
int fixture_try(struct fixture *f);

/* The group with this last name, which must exist. */
const struct group *fixture_group(const struct fixture *f, const char *leaf);

/* The text of one measure of a group on one side. */
const char *fixture_value(struct fixture *f, const char *leaf, enum side side, const char *measure);

void fixture_finish(struct fixture *f);

#define _fixture_ _cleanup_(fixture_finish)

#endif
