/* SPDX-License-Identifier: GPL-2.0-only */
/* Result of a check of `doctor`: a state, the reason, and how to fix it. */
#ifndef KTSTR_BASE_FINDING_H
#define KTSTR_BASE_FINDING_H

#include "base/str.h"

struct finding {
	const char *name;
	unsigned int state; /* defined by the check, from good to bad */
	struct str why;
	struct str fix; /* how to fix it, one per line; empty if nothing is to be done */
};

/* Sets the state and adds to the reason. */
void finding_set(struct finding *d, unsigned int state, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds a way to fix it. */
void finding_fix(struct finding *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* 0, or -ENOMEM with a message if a text is incomplete. */
int findings_check(const struct finding *list, size_t count);
void findings_finish(struct finding *list, size_t count);

#endif
