/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits that a test sets for its own figures: how much worse `ktstr perf-delta` may find them. */
#ifndef KTSTR_CHECK_PERF_DELTA_H
#define KTSTR_CHECK_PERF_DELTA_H

#include "base/json_fields.h"

/* Fields of struct ktstr_perf_delta. */
extern const struct json_field perf_delta_fields[];

#endif
