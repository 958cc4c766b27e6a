/* SPDX-License-Identifier: GPL-2.0-only */
/* What a scheduler says its variables are at all times: "VARIABLE OP VARIABLE|NUMBER". */
#ifndef KTSTR_CHECK_INVARIANT_H
#define KTSTR_CHECK_INVARIANT_H

#include <stdbool.h>

#define INVARIANT_MAX 32 /* of a scheduler */
#define INVARIANT_SIDE 128

struct invariant_side {
	char path[INVARIANT_SIDE]; /* of a variable; "" = it is a number */
	long double number;	   /* exact for all integers of 64 bits */
};

struct invariant {
	struct invariant_side left, right; /* left is a variable */
	unsigned int op;		   /* of a table */
};

/* -EINVAL with a message that says how one is written. */
int invariant_parse(const char *text, struct invariant *out);

bool invariant_holds(const struct invariant *i, long double left, long double right);

#endif
