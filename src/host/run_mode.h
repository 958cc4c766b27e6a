/* SPDX-License-Identifier: GPL-2.0-only */
/* How a run shares this machine with others, and why it may have to be skipped. */
#ifndef KTSTR_HOST_RUN_MODE_H
#define KTSTR_HOST_RUN_MODE_H

#include <stdbool.h>

enum run_mode {
	RUN_PERFORMANCE, /* LLCs of its own, pinned, real-time */
	RUN_DEFAULT,	 /* CPUs of its own on shared LLCs */
	RUN_BUDGETED,	 /* so many CPUs of shared LLCs */
	RUN_FREE,	 /* no reservation at all */
};

struct run_mode_traits {
	const char *name;
	bool locks_llcs;
	bool is_llc_exclusive;
	bool locks_cpus;
	bool pins_vcpus;   /* 1:1; otherwise threads are masked to the plan's CPUs */
	int vcpu_priority; /* of SCHED_FIFO; 0 = ordinary */
	int service_priority;
	bool wants_hugepages; /* 2 MiB pages, bound to the plan's nodes */
	bool wants_sandbox;   /* a cpuset around the whole process */
};

const struct run_mode_traits *run_mode_traits(enum run_mode mode);

struct run_mode_wishes {
	bool wants_performance; /* performance_mode of the test */
	bool has_budget;	/* --cpu-cap, KTSTR_CPU_CAP or the test's cpu_budget */
	bool no_perf_mode;	/* --no-perf-mode or KTSTR_NO_PERF_MODE: beats performance */
};

enum run_mode run_mode_select(const struct run_mode_wishes *wishes);

/* Whether KTSTR_NO_PERF_MODE asks for it. */
bool run_mode_env_no_perf(void);

enum skip_reason {
	SKIP_NONE,
	SKIP_PERF_MODE_UNAVAILABLE, /* this machine can never do it */
	SKIP_RESOURCE_CONTENTION,   /* others hold what is needed */
	SKIP_CPU_BUDGET,	    /* the test's cpu_budget is larger than what we may use */
};

/* "PerfModeUnavailable"; "" for none. */
const char *skip_reason_name(enum skip_reason reason);

#endif
