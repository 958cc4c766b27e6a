/* SPDX-License-Identifier: GPL-2.0-only */
/* What a test says of its own figures: by how much `ktstr perf-delta` may find them worse. */
#ifndef KTSTR_CHECK_PERF_DELTA_H
#define KTSTR_CHECK_PERF_DELTA_H

#include "base/json_fields.h"

/* Of struct ktstr_perf_delta. */
extern const struct json_field perf_delta_fields[];

#endif
