// SPDX-License-Identifier: GPL-2.0-only
#include "check/parts.h"

const struct json_field perf_delta_fields[] = {
	JSON_FIELD(ktstr_perf_delta, metric, TEXT, .flags = FIELD_REQUIRED),
	JSON_FIELD(ktstr_perf_delta, phase, TEXT),
	JSON_FIELD(ktstr_perf_delta, max_regression_percent, DOUBLE),
	JSON_FIELD(ktstr_perf_delta, min_abs, DOUBLE),
	JSON_FIELD(ktstr_perf_delta, direction, WORD, .words = polarity_words),
	{}
};
