/* SPDX-License-Identifier: GPL-2.0-only */
/* By which strategy seeds are explored, and what theory promises of it. */
#ifndef KTSTR_EXPLORE_STRATEGY_H
#define KTSTR_EXPLORE_STRATEGY_H

#include "explore/lab.h"

#define STRATEGY_NONE "no strategy" /* --no-jitter */

struct strategy {
	const char *name;
	unsigned int depth;	/* 0 = it has none */
	uint64_t events, tasks; /* of a run, as measured or told; 0 = not known */
};

/*
 * The strategy of the lab's knobs. Of pct a first run, without change points, tells how many
 * events and tasks a run of the test has; unless the knobs tell it, they get that number.
 * It is always the run of the same seed, so that whoever measures again gets the same.
 */
int strategy_measure(struct lab *l, struct strategy *out);

/* At least so many of all runs show a failure of that depth, if the theory holds; 0 = no bound. */
double strategy_bound(const struct strategy *s);

void strategy_add_text(const struct strategy *s, struct str *out);
void strategy_put_json(const struct strategy *s, struct json *j);

#endif
