/* SPDX-License-Identifier: GPL-2.0-only */
/* Which commit is compared with HEAD. */
#ifndef KTSTR_DELTA_BASELINE_H
#define KTSTR_DELTA_BASELINE_H

#include "base/base.h"

struct baseline_request {
	const char *base;	    /* --base: this commit; or NULL */
	const char *base_ref;	    /* --base-ref: the merge base with it; or NULL */
	const char *default_branch; /* the merge base with it where nothing else is said */
};

struct baseline {
	char *base, *head; /* full hashes */
};

/*
 * Without base and base_ref, $GITHUB_BASE_REF of a pull request decides: the merge base with
 * origin/$GITHUB_BASE_REF. -EINVAL with a message when that is HEAD itself or no commit.
 */
int baseline_find(const struct baseline_request *r, struct baseline *to);
void baseline_finish(struct baseline *b);

#endif
