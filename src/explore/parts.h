/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of this directory only. */
#ifndef KTSTR_EXPLORE_PARTS_H
#define KTSTR_EXPLORE_PARTS_H

#include "check/result.h"
#include "run/discover.h"

/*
 * The smallest form of a test that still fails in the same way: less time, fewer CPUs,
 * fewer steps, fewer workers. A shorter run is the beginning of the same run. Every other
 * change makes another run of the same seed, so the judge may have to try several seeds to
 * see the failure again.
 */

/* A form of the test; 0 = unknown. */
struct shrink_form {
	struct run_knobs knobs;
	uint64_t seed;	      /* which showed the failure */
	bool is_beginning;    /* of the failed run: no other seed has to be tried */
	unsigned int workers; /* actual number */
	size_t steps;	      /* actual number */
	uint64_t guest_ns;    /* guest clock at its end */
};

/*
 * Checks whether the form fails in the same way with some seed; sets the other members. A
 * negative return value ends the search.
 */
typedef int shrink_judge_fn(void *ctx, struct shrink_form *form, bool *is_same);

struct shrink_start {
	struct vm_topology topology;
	uint64_t duration_ms;
	unsigned int workers; /* per cgroup; 0 = unknown */
};

/* form is the failure that was found, and is replaced by the smallest one. */
int shrink_run(const struct shrink_start *start, shrink_judge_fn *judge, void *ctx,
	       struct shrink_form *form);

/*
 * Appends the kinds and sentences of all failures of the result, each once, sorted
 * alphabetically: which one came first is often chance. Appends nothing for a good result.
 */
int signature_add(struct str *out, const struct ktstr_result *r);
/* The first of them only. */
int signature_add_first(struct str *out, const struct ktstr_result *r);
/* Whether a sentence is one of a signature's. */
bool signature_has(const char *signature, const char *sentence);

#endif
