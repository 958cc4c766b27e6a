/* SPDX-License-Identifier: GPL-2.0-only */
/* Phases under the scheduler beside the same ones under EEVDF. */
#ifndef KTSTR_CHECK_VERSUS_H
#define KTSTR_CHECK_VERSUS_H

#include "check/result.h"

/* How ours differs from EEVDF, where that is more than the gates of the figure. */
enum versus_mark { VERSUS_ALIKE, VERSUS_WORSE, VERSUS_BETTER, VERSUS_OTHER };

struct versus_row {
	const char *phase; /* of the result that it came from */
	const char *metric;
	double ours, eevdf; /* NAN = no reading */
	enum versus_mark mark;
};

struct versus {
	char *scheduler;
	struct arena arena; /* of names of rows */
	VEC(struct versus_row) rows;
};

/* No rows where there is no pair of phases. */
int versus_collect(const struct ktstr_result *r, struct versus *out);
void versus_finish(struct versus *v);

#define _versus_ _cleanup_(versus_finish)

/* Nothing for no rows. */
int versus_add_table(const struct versus *v, struct str *out);

/* The member "versus_eevdf"; null for no rows. */
void versus_put_json(const struct versus *v, struct json *j);

#endif
