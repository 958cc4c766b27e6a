/* SPDX-License-Identifier: GPL-2.0-only */
/* What there is: runs, metrics, values of dimensions. */
#ifndef KTSTR_STATS_LISTS_H
#define KTSTR_STATS_LISTS_H

#include "base/json.h"
#include "stats/runs.h"

/* RUN, TESTS, DATE, ARCH of loaded runs. */
int lists_runs(const struct runs *runs, struct str *out);
void lists_runs_json(const struct runs *runs, struct json *j);

int lists_metrics(struct str *out);
void lists_metrics_json(struct json *j);

/* Per dimension the values that occur, sorted; unknown last. */
int lists_values(const struct runs *runs, struct str *out);
int lists_values_json(const struct runs *runs, struct json *j);

#endif
