/* SPDX-License-Identifier: GPL-2.0-only */
/* What a doctor finds: a state, why, and ways to change it. */
#ifndef KTSTR_BASE_FINDING_H
#define KTSTR_BASE_FINDING_H

#include "base/str.h"

struct finding {
	const char *name;
	unsigned int state; /* one of the doctor's, from good to bad */
	struct str why;
	struct str fix; /* ways to get it, one per line; empty where nothing is to be done */
};

/* Sets the state and adds to the reason. */
void finding_set(struct finding *d, unsigned int state, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds a way to get it. */
void finding_fix(struct finding *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* 0, or -ENOMEM with a message where a text did not fit into memory. */
int findings_check(const struct finding *list, size_t count);
void findings_finish(struct finding *list, size_t count);

#endif
