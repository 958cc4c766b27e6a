/* SPDX-License-Identifier: GPL-2.0-only */
/* Phases under the scheduler beside the same ones under EEVDF. */
#ifndef KTSTR_RUN_VERSUS_H
#define KTSTR_RUN_VERSUS_H

#include "base/json.h"
#include "base/vec.h"
#include "check/result.h"

struct versus_row {
	const char *phase; /* of the result that it came from */
	const char *metric;
	double ours, eevdf;
};

struct versus_rows {
	VEC(struct versus_row) items;
};

/* None where there is no pair of phases. */
int versus_collect(const struct ktstr_result *r, struct versus_rows *out);
void versus_rows_finish(struct versus_rows *rows);

/* Nothing for no rows. */
int versus_add_table(const struct versus_rows *rows, struct str *out);

/* The member "versus_eevdf"; null for no rows. */
void versus_put_json(const struct versus_rows *rows, struct json *j);

#endif
