/* SPDX-License-Identifier: GPL-2.0-only */
/* Payloads: external programs as workloads. Include <ktstr/ktstr.h>, not this header. */
#ifndef KTSTR_PAYLOAD_H
#define KTSTR_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- payloads: declaring external programs ---- */

/* How ktstr gets metrics from the output of a payload. */
enum ktstr_output {
	KTSTR_OUT_EXIT, /* no metrics: only the exit code can be checked */
	/* The numbers of the first JSON document on stdout, or on stderr if stdout has none. */
	KTSTR_OUT_JSON,
	/*
	 * As KTSTR_OUT_TEXT. If the format is unknown, a language model, the program that
	 * KTSTR_LLM_CMD names, reads the output on the host after the run. The body gets no metrics
	 * then.
	 */
	KTSTR_OUT_LLM,
	/* Text of schbench, hackbench, stress-ng, cyclictest, sysbench or perf bench, or JSON. */
	KTSTR_OUT_TEXT,
};
/* Which change of a metric is an improvement. */
enum ktstr_polarity {
	KTSTR_POLARITY_UNKNOWN, /* unknown */
	KTSTR_HIGHER_BETTER,	/* a larger value is better */
	KTSTR_LOWER_BETTER,	/* a smaller value is better */
	KTSTR_TARGET,		/* a value nearer to a target is better */
};

/* Properties of a metric of a payload, for reports and comparisons. */
struct ktstr_metric_hint {
	const char *name;	      /* name of the metric, such as "jobs.0.read.iops" */
	enum ktstr_polarity polarity; /* which change is an improvement */
	double target;		      /* KTSTR_TARGET: the target */
	const char *unit;	      /* unit, such as "us"; NULL = none */
};

/* A check of a payload. The macros below create it. A metric that does not exist fails it. */
struct ktstr_check {
	enum {
		KTSTR_CHECK_END,     /* ends a list */
		KTSTR_CHECK_MIN,     /* KTSTR_MIN() */
		KTSTR_CHECK_MAX,     /* KTSTR_MAX() */
		KTSTR_CHECK_RANGE,   /* KTSTR_BETWEEN() */
		KTSTR_CHECK_EXISTS,  /* KTSTR_EXISTS() */
		KTSTR_CHECK_EXIT_EQ, /* KTSTR_EXIT_EQ() */
	} kind;			     /* which check */
	const char *metric;	     /* name of the metric */
	double low, high;	     /* smallest and largest accepted value */
	int code;		     /* expected exit code */
};

/* Metric m is at least v. */
#define KTSTR_MIN(m, v)                                            \
	{                                                          \
		.kind = KTSTR_CHECK_MIN, .metric = (m), .low = (v) \
	}
/* Metric m is at most v. */
#define KTSTR_MAX(m, v)                                             \
	{                                                           \
		.kind = KTSTR_CHECK_MAX, .metric = (m), .high = (v) \
	}
/* Metric m is at least a and at most b. */
#define KTSTR_BETWEEN(m, a, b)                                                    \
	{                                                                         \
		.kind = KTSTR_CHECK_RANGE, .metric = (m), .low = (a), .high = (b) \
	}
/* The output of the payload has metric m. */
#define KTSTR_EXISTS(m)                                   \
	{                                                 \
		.kind = KTSTR_CHECK_EXISTS, .metric = (m) \
	}
/*
 * The payload exits with code c; a signal counts as 128 plus its number. If this check fails, the
 * metrics are not checked.
 */
#define KTSTR_EXIT_EQ(c)                                 \
	{                                                \
		.kind = KTSTR_CHECK_EXIT_EQ, .code = (c) \
	}
/* The value of .checks: a list of struct ktstr_check. */
#define KTSTR_CHECKS(...) ((const struct ktstr_check[]){ __VA_ARGS__, { .kind = KTSTR_CHECK_END } })
/* The value of .metrics: a list of struct ktstr_metric_hint. */
#define KTSTR_METRICS(...) ((const struct ktstr_metric_hint[]){ __VA_ARGS__, { .name = NULL } })
/* A list of strings that ends with NULL, such as arguments, file names or names of flags. */
#define KTSTR_ARGS(...) ((const char *const[]){ __VA_ARGS__ __VA_OPT__(, ) NULL })

/* Conditions under which the metrics that a language model finds are accepted. */
struct ktstr_metric_bounds {
	uint32_t min_count;	     /* smallest number of metrics */
	double value_min, value_max; /* bounds of each metric; both 0 = no bounds */
};

/* A program that is copied to the guest and run there. */
struct ktstr_payload {
	/* Program on the host: a name to look up in PATH, or a path. */
	const char *binary;
	/* Name in reports and operations; NULL = binary. */
	const char *name;
	enum ktstr_output output; /* how ktstr gets metrics from the output */
	/* KTSTR_OUT_LLM: what the model should look for; NULL = no hint. */
	const char *hint;
	const char *const *args; /* KTSTR_ARGS(): arguments; NULL = none */
	/*
	 * KTSTR_CHECKS(): checks of the exit code and of metrics; NULL = none: then exit code 0
	 * passes, and any other makes the result inconclusive.
	 */
	const struct ktstr_check *checks;
	const struct ktstr_metric_hint *metrics; /* KTSTR_METRICS(): properties; NULL = none */
	/*
	 * KTSTR_ARGS(): host files that the program needs in /include-files of the guest; NULL =
	 * none. A name without a slash is a program in PATH; write "./NAME" for a file in the
	 * current directory.
	 */
	const char *const *include_files;
	/* Run in the process group of the test, instead of a new one. */
	bool uses_parent_pgrp;
	/* KTSTR_ARGS(): long options that are allowed as extra arguments; NULL = all. */
	const char *const *known_flags;
	/* KTSTR_OUT_LLM: conditions for the metrics; NULL = none. */
	const struct ktstr_metric_bounds *metric_bounds;
};

#ifdef __cplusplus
}
#endif

#endif
