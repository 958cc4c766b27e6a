/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares phases under the scheduler with the same phases under EEVDF. */
#ifndef KTSTR_CHECK_VERSUS_H
#define KTSTR_CHECK_VERSUS_H

#include "check/result.h"

/* How the scheduler differs from EEVDF, if by more than the gates of the figure. */
enum versus_mark { VERSUS_ALIKE, VERSUS_WORSE, VERSUS_BETTER, VERSUS_OTHER };

struct versus_row {
	const char *phase; /* string of the result */
	const char *metric;
	double ours, eevdf; /* NAN = no measurement */
	enum versus_mark mark;
};

struct versus {
	char *scheduler;
	struct arena arena; /* for names of rows */
	VEC(struct versus_row) rows;
};

/* Yields no rows if there is no pair of phases. */
int versus_collect(const struct ktstr_result *r, struct versus *out);
void versus_finish(struct versus *v);

#define _versus_ _cleanup_(versus_finish)

/* Adds nothing if there are no rows. */
int versus_add_table(const struct versus *v, struct str *out);

/* Writes the member "versus_eevdf"; null if there are no rows. */
void versus_put_json(const struct versus *v, struct json *j);

#endif
