/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which of a row of candidates was the first bad one. Candidates that cannot be
 * tested are stepped around; where they hide the answer, it is a range.
 */
#ifndef KTSTR_EXPLORE_BISECT_H
#define KTSTR_EXPLORE_BISECT_H

#include <stdbool.h>
#include <stddef.h>

enum bisect_verdict { BISECT_GOOD, BISECT_BAD, BISECT_UNTESTABLE };

/* A negative return ends the search. */
typedef int bisect_judge_fn(void *ctx, size_t index, enum bisect_verdict *verdict);

struct bisect_result {
	size_t last_good, first_bad; /* apart by more than 1: what is between is untestable */
	size_t steps;
};

/*
 * Candidates 0 to count - 1, of which the first has to be good and the last bad: both
 * are tried first. -EINVAL with a message when they are not.
 */
int bisect_run(size_t count, bisect_judge_fn *judge, void *ctx, struct bisect_result *out);

#endif
