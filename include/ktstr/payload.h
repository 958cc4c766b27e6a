/* SPDX-License-Identifier: GPL-2.0-only */
/* Payloads: external programs as workloads. Part of <ktstr/ktstr.h>: include that. */
#ifndef KTSTR_PAYLOAD_H
#define KTSTR_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- payloads: declaring external programs ---- */

/* Where the metrics of a payload come from. */
enum ktstr_output {
	KTSTR_OUT_EXIT, /* no metrics: only the exit code is checked */
	KTSTR_OUT_JSON, /* the first JSON document on stdout, else on stderr */
	KTSTR_OUT_LLM,	/* as KTSTR_OUT_TEXT, otherwise parsed by a language model */
	/* Text of schbench, hackbench, stress-ng, cyclictest, sysbench or perf bench; or JSON. */
	KTSTR_OUT_TEXT,
};
/* Which change of a metric is an improvement. */
enum ktstr_polarity {
	KTSTR_POLARITY_UNKNOWN, /* not known */
	KTSTR_HIGHER_BETTER,	/* more is better */
	KTSTR_LOWER_BETTER,	/* less is better */
	KTSTR_TARGET,		/* nearer to a target is better */
};

/* Properties of a metric of a payload. */
struct ktstr_metric_hint {
	const char *name;	      /* dotted path: "jobs.0.read.iops" */
	enum ktstr_polarity polarity; /* which change is an improvement */
	double target;		      /* KTSTR_TARGET: the target */
	const char *unit;	      /* such as "us"; NULL = none */
};

/* A check of a payload; made by the macros below. */
struct ktstr_check {
	enum {
		KTSTR_CHECK_END,     /* ends a list */
		KTSTR_CHECK_MIN,     /* KTSTR_MIN() */
		KTSTR_CHECK_MAX,     /* KTSTR_MAX() */
		KTSTR_CHECK_RANGE,   /* KTSTR_BETWEEN() */
		KTSTR_CHECK_EXISTS,  /* KTSTR_EXISTS() */
		KTSTR_CHECK_EXIT_EQ, /* KTSTR_EXIT_EQ() */
	} kind;			     /* which check */
	const char *metric;	     /* path of the metric */
	double low, high;	     /* inclusive bounds */
	int code;		     /* exit code */
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
/* The payload printed metric m. */
#define KTSTR_EXISTS(m)                                   \
	{                                                 \
		.kind = KTSTR_CHECK_EXISTS, .metric = (m) \
	}
/* The payload exits with code c. Otherwise metrics are not checked. */
#define KTSTR_EXIT_EQ(c)                                 \
	{                                                \
		.kind = KTSTR_CHECK_EXIT_EQ, .code = (c) \
	}
/* The value of .checks: a list of checks. */
#define KTSTR_CHECKS(...) ((const struct ktstr_check[]){ __VA_ARGS__, { .kind = KTSTR_CHECK_END } })
/* The value of .metrics: a list of hints. */
#define KTSTR_METRICS(...) ((const struct ktstr_metric_hint[]){ __VA_ARGS__, { .name = NULL } })
/* A list of strings, terminated by NULL: arguments, file names or names of flags. */
#define KTSTR_ARGS(...) ((const char *const[]){ __VA_ARGS__ __VA_OPT__(, ) NULL })

/* Conditions that metrics found by a language model must meet to be accepted. */
struct ktstr_metric_bounds {
	uint32_t min_count;	     /* minimum number of metrics */
	double value_min, value_max; /* bounds of each metric; both 0 = no bounds */
};

/* A program that is copied to the guest and run there. */
struct ktstr_payload {
	/* Name or path of the program on the host. */
	const char *binary;
	/* Name in reports; NULL = binary. */
	const char *name;
	enum ktstr_output output; /* where its metrics come from */
	/* KTSTR_OUT_LLM: what the model should look for. */
	const char *hint;
	const char *const *args; /* KTSTR_ARGS() */
	/* KTSTR_CHECKS(); NULL = the exit code has to be 0. */
	const struct ktstr_check *checks;
	const struct ktstr_metric_hint *metrics; /* KTSTR_METRICS(), or NULL */
	/* KTSTR_ARGS(): files that it needs. */
	const char *const *include_files;
	/* Run in the process group of the test. */
	bool uses_parent_pgrp;
	/* KTSTR_ARGS(): options allowed as extra arguments; NULL = all. */
	const char *const *known_flags;
	const struct ktstr_metric_bounds *metric_bounds; /* KTSTR_OUT_LLM: bounds, or NULL */
};

#ifdef __cplusplus
}
#endif

#endif
