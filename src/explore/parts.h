/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of this room share and nobody else uses. */
#ifndef KTSTR_EXPLORE_PARTS_H
#define KTSTR_EXPLORE_PARTS_H

#include "check/result.h"
#include "run/discover.h"

/*
 * The smallest form of a test that still fails in the same way: less time, fewer CPUs, fewer
 * steps, fewer workers. Less time is the beginning of the same run; every other change makes
 * another run of the same seed, so whoever judges may have to look at more than one seed to
 * see the failure again.
 */

/* A form of the test; what is not known is 0. */
struct shrink_form {
	struct run_knobs knobs;
	uint64_t seed;	      /* that showed the failure */
	bool is_beginning;    /* of the run that failed: no other seed has to be tried */
	unsigned int workers; /* that there really were */
	size_t steps;	      /* likewise */
	uint64_t guest_ns;    /* the guest's clock when it was over */
};

/*
 * Whether the form fails in the same way with some seed; it sets what it saw of the rest.
 * A negative return ends the search.
 */
typedef int shrink_judge_fn(void *ctx, struct shrink_form *form, bool *is_same);

struct shrink_start {
	struct vm_topology topology;
	uint64_t duration_ms;
	unsigned int workers; /* of a cgroup; 0 = not known */
};

/* form goes in as the failure that was found and comes out as the smallest one. */
int shrink_run(const struct shrink_start *start, shrink_judge_fn *judge, void *ctx,
	       struct shrink_form *form);

/*
 * Appends the kinds and sentences of all that made the result bad, each once, in the
 * order of the alphabet: which one came first is often chance. Nothing for a good one.
 */
int signature_add(struct str *out, const struct ktstr_result *r);
/* The first of them only. */
int signature_add_first(struct str *out, const struct ktstr_result *r);
/* Whether a sentence is one of a signature's. */
bool signature_has(const char *signature, const char *sentence);

#endif
