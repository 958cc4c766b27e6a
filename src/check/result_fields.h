/* SPDX-License-Identifier: GPL-2.0-only */
/* The members of the JSON form of a result as data: what writes them also reads them. */
#ifndef KTSTR_CHECK_RESULT_FIELDS_H
#define KTSTR_CHECK_RESULT_FIELDS_H

#include <stddef.h>

#define RESULT_SCHEMA 1

enum result_field_kind {
	RESULT_TEXT,   /* char *, owned; null when NULL */
	RESULT_U16,    /* uint16_t */
	RESULT_U32,    /* uint32_t, unsigned int */
	RESULT_INT,    /* int */
	RESULT_BOOL,   /* bool */
	RESULT_U64,    /* uint64_t */
	RESULT_DOUBLE, /* double */
	RESULT_POLARITY,
	RESULT_CPUS, /* struct worker_cpus, as "0-3,7" */
};

#define RESULT_ALWAYS ((size_t)-1)

/* Lists end with a NULL name. */
struct result_field {
	const char *name;
	enum result_field_kind kind;
	size_t offset;
	size_t has; /* the bool that tells whether there is a reading: null without */
};

extern const struct result_field result_stats_fields[];
extern const struct result_field result_events_fields[];
extern const struct result_field result_cpu_fields[];
extern const struct result_field result_task_fields[];
extern const struct result_field result_stimulus_fields[];
extern const struct result_field result_metric_fields[];
extern const char *const result_polarities[4];

#endif
