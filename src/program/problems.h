/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is wrong with the declarations of this program: one sentence for each, that
 * names the test or scheduler and the field. Nothing is booted for tests that
 * cannot be run.
 */
#ifndef KTSTR_PROGRAM_PROBLEMS_H
#define KTSTR_PROGRAM_PROBLEMS_H

#include "base/vec.h"
#include "program/entries.h"

struct problems {
	VEC(char *) sentences;
	const char *what, *name, *file; /* "test", whose they are, and where it stands */
	int line;
	bool failed_alloc;
};

void problems_find(struct problems *p, const struct program_entries *e);
void problems_finish(struct problems *p);

/* For the parts: "test 'NAME' (FILE:LINE): " and the sentence. */
void problem_add(struct problems *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void problems_of_sched(struct problems *p, const struct ktstr_sched *s);
void problems_of_test(struct problems *p, const struct ktstr_test *t);
void problems_of_flags(struct problems *p, const struct ktstr_test *t);
void problems_of_nodes(struct problems *p, const struct ktstr_node *nodes);
void problems_of_constraints(struct problems *p, const struct ktstr_constraints *c);

#endif
