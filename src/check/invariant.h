/* SPDX-License-Identifier: GPL-2.0-only */
/* Conditions on a scheduler's variables that must always hold: "VARIABLE OP VARIABLE|NUMBER". */
#ifndef KTSTR_CHECK_INVARIANT_H
#define KTSTR_CHECK_INVARIANT_H

#include <stdbool.h>

#define INVARIANT_MAX 32 /* per scheduler */
#define INVARIANT_SIDE 128

struct invariant_side {
	char path[INVARIANT_SIDE]; /* path of a variable; "" = the side is a number */
	long double number;	   /* exact for all 64-bit integers */
};

struct invariant {
	struct invariant_side left, right; /* left is a variable */
	unsigned int op;		   /* index into the table of operators */
};

/* Returns -EINVAL, with a message that explains the syntax, if text is not an invariant. */
int invariant_parse(const char *text, struct invariant *out);

bool invariant_holds(const struct invariant *i, long double left, long double right);

#endif
