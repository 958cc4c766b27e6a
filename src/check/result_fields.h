/* SPDX-License-Identifier: GPL-2.0-only */
/* The members of a result as tables of JSON fields, for records and for whoever frees them. */
#ifndef KTSTR_CHECK_RESULT_FIELDS_H
#define KTSTR_CHECK_RESULT_FIELDS_H

#include "base/json_fields.h"
#include "check/latency.h"

/* clang-format off */
/* A stimulus, in which results and records have different names for the step. */
#define STIMULUS_FIELDS(step_name) \
	JSON_FIELD(stimulus, elapsed_ms, U32), \
	JSON_NAMED(step_name, stimulus, step, U16, .from = "step"), \
	JSON_FIELD(stimulus, op_count, U16), \
	JSON_FIELD(stimulus, op_kinds, U32), \
	JSON_FIELD(stimulus, cgroup_count, U16), \
	JSON_FIELD(stimulus, worker_count, U16), \
	JSON_FIELD(stimulus, total_iterations, U64)
/* clang-format on */

extern const struct json_field result_fields[];
extern const struct json_field result_cgroup_fields[];
extern const struct json_field result_phase_fields[];
extern const struct json_field result_metric_fields[];

extern const char *const detail_kind_words[];
extern const char *const polarity_words[];

extern const struct json_own verdict_own;   /* enum ktstr_verdict */
extern const struct json_own cpus_own;	    /* struct worker_cpus, as "0-3,7" */
extern const struct json_own histogram_own; /* struct histogram */
extern const struct json_own nice_own;	    /* uint64_t by nice value */
extern const struct json_own work_own;	    /* bits by enum ktstr_work_kind */

void result_put_percentiles(struct json *j, const struct latency *l);

#endif
