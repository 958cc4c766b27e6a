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

/* How to get the controllers of cgroup v2, where v1 has them. */
#define FIX_CGROUP2 "boot with systemd.unified_cgroup_hierarchy=1"

/* Adds a way to fix it. */
void finding_fix(struct finding *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Fills a finding for each row of an array of checks, which have a name and a function that judges
 * the facts. 0, or -ENOMEM with a message.
 */
#define findings_judge(out, checks, facts)                                         \
	({                                                                         \
		for (size_t i_ = 0; i_ < ARRAY_SIZE(checks); i_++) {               \
			(out)[i_] = (struct finding){ .name = (checks)[i_].name }; \
			(checks)[i_].judge(facts, &(out)[i_]);                     \
		}                                                                  \
		findings_check(out, ARRAY_SIZE(checks));                           \
	})

/* 0, or -ENOMEM with a message if a text is incomplete; then all are released. */
int findings_check(struct finding *list, size_t count);
void findings_finish(struct finding *list, size_t count);

#endif
