/* SPDX-License-Identifier: GPL-2.0-only */
/* Payloads: programs that are not ours, as workloads. Part of <ktstr/ktstr.h>: include that. */
#ifndef KTSTR_PAYLOAD_H
#define KTSTR_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- payloads: programs that are not ours ---- */

enum ktstr_output {
	KTSTR_OUT_EXIT,
	KTSTR_OUT_JSON,
	KTSTR_OUT_LLM, /* text of a known format as KTSTR_OUT_TEXT, else by a language model */
	KTSTR_OUT_TEXT, /* of schbench, hackbench, stress-ng, cyclictest, sysbench, perf bench; or JSON */
};
enum ktstr_polarity {
	KTSTR_POLARITY_UNKNOWN,
	KTSTR_HIGHER_BETTER,
	KTSTR_LOWER_BETTER,
	KTSTR_TARGET,
};

struct ktstr_metric_hint {
	const char *name; /* dotted path: "jobs.0.read.iops" */
	enum ktstr_polarity polarity;
	double target; /* KTSTR_TARGET */
	const char *unit;
};

struct ktstr_check {
	enum {
		KTSTR_CHECK_END,
		KTSTR_CHECK_MIN,
		KTSTR_CHECK_MAX,
		KTSTR_CHECK_RANGE,
		KTSTR_CHECK_EXISTS,
		KTSTR_CHECK_EXIT_EQ,
	} kind;
	const char *metric;
	double low, high;
	int code;
};

#define KTSTR_MIN(m, v)                                            \
	{                                                          \
		.kind = KTSTR_CHECK_MIN, .metric = (m), .low = (v) \
	}
#define KTSTR_MAX(m, v)                                             \
	{                                                           \
		.kind = KTSTR_CHECK_MAX, .metric = (m), .high = (v) \
	}
#define KTSTR_BETWEEN(m, a, b)                                                    \
	{                                                                         \
		.kind = KTSTR_CHECK_RANGE, .metric = (m), .low = (a), .high = (b) \
	}
#define KTSTR_EXISTS(m)                                   \
	{                                                 \
		.kind = KTSTR_CHECK_EXISTS, .metric = (m) \
	}
#define KTSTR_EXIT_EQ(c)                                 \
	{                                                \
		.kind = KTSTR_CHECK_EXIT_EQ, .code = (c) \
	}
#define KTSTR_CHECKS(...) ((const struct ktstr_check[]){ __VA_ARGS__, { .kind = KTSTR_CHECK_END } })
#define KTSTR_METRICS(...) ((const struct ktstr_metric_hint[]){ __VA_ARGS__, { .name = NULL } })
#define KTSTR_ARGS(...) ((const char *const[]){ __VA_ARGS__ __VA_OPT__(, ) NULL })

struct ktstr_metric_bounds {
	uint32_t min_count;
	double value_min, value_max; /* both 0 = unbounded */
};

struct ktstr_payload {
	const char *binary;
	const char *name; /* NULL = binary */
	enum ktstr_output output;
	const char *hint; /* KTSTR_OUT_LLM: what to look for */
	const char *const *args;
	const struct ktstr_check *checks;
	const struct ktstr_metric_hint *metrics;
	const char *const *include_files;
	bool uses_parent_pgrp;
	const char *const *known_flags;
	const struct ktstr_metric_bounds *metric_bounds;
};

#ifdef __cplusplus
}
#endif

#endif
