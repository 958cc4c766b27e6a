/* SPDX-License-Identifier: GPL-2.0-only */
/* What a test says of its own figures: by how much `ktstr perf-delta` may find them worse. */
#ifndef KTSTR_CHECK_PERF_DELTA_H
#define KTSTR_CHECK_PERF_DELTA_H

#include "base/json_fields.h"
#include "ktstr/payload.h"

struct perf_delta {
	const char *metric, *phase; /* phase: NULL = of the whole run */
	double max_regression_percent;
	double min_abs;		       /* 0 = as the metric has it */
	enum ktstr_polarity direction; /* that is better; unknown = as the metric has it */
};

extern const struct json_field perf_delta_fields[];

#endif
