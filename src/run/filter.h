/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Filter expressions: which tests are meant.
 *
 *	expression := term { ("or" | "|" | "+") term }
 *	term       := factor { ("and" | "&") factor | "-" factor }
 *	factor     := ("not" | "!") factor | "(" expression ")" | predicate
 *	predicate  := "test(" matcher ")" | "binary(" matcher ")" | "all()" | "none()"
 *	matcher    := TEXT (contains) | "~" TEXT (contains) | "=" TEXT (is)
 *		    | "/" REGEX "/" | "#" GLOB
 *
 * "a - b" is "a and not b". In a text, a backslash takes the next character as it is.
 */
#ifndef KTSTR_RUN_FILTER_H
#define KTSTR_RUN_FILTER_H

#include "base/base.h"

struct filter_node;

/* Several expressions: one of them has to match. A filter of zeroes matches everything. */
struct filter {
	struct filter_node *nodes;
	size_t count, cap;
	size_t *roots;
	size_t root_count, root_cap;
};

struct filter_subject {
	const char *test;      /* full name: "gauntlet/two_cgroups/tiny-1llc" */
	const char *binary;    /* "my_sched_tests" */
	const char *binary_id; /* "my_crate::my_sched_tests" */
};

/*
 * Adds an expression. -EINVAL with a message of three lines: what is wrong, the
 * expression, and a mark below the place.
 */
int filter_add(struct filter *f, const char *expression);
/* The test of exactly this name; of that program, where one is named. */
int filter_add_exact(struct filter *f, const char *test, const char *binary);
bool filter_matches(struct filter *f, const struct filter_subject *subject);
void filter_finish(struct filter *f);

#define _filter_ _cleanup_(filter_finish)

#endif
