/* SPDX-License-Identifier: GPL-2.0-only */
/* `ktstr run`: scenarios, the plan of their runs, and running them on this host. */
#ifndef KTSTR_HOSTMODE_EXECUTE_H
#define KTSTR_HOSTMODE_EXECUTE_H

#include <ktstr/ktstr.h>

#include "check/result.h"
#include "host/topology.h"
#include "observe/observer.h"
#include "run/discover.h"

/*
 * scenarios.c: What can run on the bare host: rows of the catalog, tests of a loaded library,
 * scenario files. They all look the same from here on.
 */

struct host_scenario {
	const char *name, *category, *description;
	uint64_t required, excluded; /* flags */
	/* What it asks for itself; 0 and NULL = as the run says. */
	uint64_t duration_ms;
	unsigned int workers;
	const struct ktstr_assert *checks;
	bool expects_error;
	int (*run)(const void *what, struct ktstr_ctx *ctx, struct ktstr_result *res);
	const void *what;
};

struct host_scenarios {
	struct arena arena;
	VEC(struct host_scenario) list;
};

int host_scenarios_add_catalog(struct host_scenarios *s);
/* The tests of a shared object, which stays loaded. -EINVAL with what is wrong with it. */
int host_scenarios_add_library(struct host_scenarios *s, const char *path);
int host_scenarios_add_file(struct host_scenarios *s, const char *path);
/* What only all of them together tell: names that are there twice, flags that exclude each other. */
int host_scenarios_check(const struct host_scenarios *s);
void host_scenarios_finish(struct host_scenarios *s);

/* Names, categories and words of names: the nearest to what was typed, or NULL. */
const char *host_scenarios_closest(const struct host_scenarios *s, const char *word);

/* The six flags of the catalog. */
const struct profile_flags *host_flags(void);

/* -EINVAL with "unknown flag: 'X'. valid flags: ...". */
int host_flags_unknown(const char *name);

/* From "llc,borrow" in any order; "" is the empty set. -EINVAL with a message. */
int host_flags_parse(const char *text, uint64_t *mask);

/* plan.c: Which scenarios run with which profiles, in which order, and what that will cost. */

enum host_profiles {
	HOST_PROFILES_ALL,
	HOST_PROFILES_BASE,  /* only the flags that the scenario is about */
	HOST_PROFILES_EXACT, /* this one */
};

struct host_run {
	const struct host_scenario *scenario;
	uint64_t profile;
	const char *profile_name;
	const char *name; /* "cgroup_steady/default" */
	const char *skip; /* why it cannot run, or NULL */
};

struct host_plan_options {
	const char *filter; /* or NULL */
	enum host_profiles profiles;
	uint64_t exact;
	double budget_s; /* 0 = none */
	uint64_t duration_ms;
	unsigned int workers;
	/* Of this machine, for the budget. */
	unsigned int nodes, llcs, cpus;
	bool has_smt;
};

struct host_plan {
	struct arena arena;
	VEC(struct host_run) runs;
	double estimate_s;
	bool has_budget;
	struct selection_summary budget;
};

/* Refers to the scenarios. -ENOENT with a suggestion when the filter matches nothing. */
int host_plan_build(struct host_plan *plan, const struct host_scenarios *scenarios,
		    const struct host_plan_options *options);
void host_plan_finish(struct host_plan *plan);

/* The names of the profiles that suit a scenario, with ", " between them. */
int host_plan_add_profiles(const struct host_scenario *s, struct arena *arena,
			   const char *const **names, size_t *count);

/*
 * execute.c: Running scenarios on this machine. Each run has a process of its own: one that
 * crashes, hangs or is interrupted takes its workers with it and nothing else.
 */

struct host_options {
	const struct topology *topology;
	const char *cgroup_parent; /* of host_check() */
	/* Of scenarios that do not say themselves. */
	uint64_t duration_ms;
	unsigned int workers;
	const struct ktstr_work_type *work_type; /* or NULL */
	uint64_t seed;
	const char *observe_dir, *observe_problem; /* as of struct ctx_options */
	bool is_verbose;
};

/*
 * The directory of this process's cgroups (free()), or a sentence why scenarios cannot run
 * here: no cgroup v2, no controllers, no rights.
 */
int host_check(const struct roots *roots, char **cgroup_parent);

/*
 * One run with its verdict in an initialised result. -EINTR when interrupted; what the
 * run left behind is gone then too.
 */
int host_execute(const struct host_run *run, const struct host_options *options,
		 struct ktstr_result *res, double *seconds);

/*
 * observe.c: The observer of scheduling events for runs on this machine. Its maps are pinned in a
 * bpf file system that is mounted nowhere: it goes away with us, however we end.
 */

struct host_observer {
	int mount; /* a descriptor plus one; 0 = none */
	struct observe_links links;
	char dir[64];	    /* "" = events are not recorded */
	struct str problem; /* why not */
};

/* Never fails: where events cannot be recorded, results say so. */
void host_observer_start(struct host_observer *o);
void host_observer_finish(struct host_observer *o);

/* The program that loads BPF programs, as a file in memory; and what it complained about in said. */
int host_loader_open(int *fd);
int host_loader_explain(int said);

/* probes.c: BPF probes on the scheduler and the kernel while a run goes on. */

struct host_probes {
	struct child child;
	char dir[64]; /* "" = none */
	int said;     /* a descriptor plus one; 0 = none */
};

/* functions: of the kernel, with commas; NULL = none besides those that are always looked at. */
int host_probes_start(struct host_probes *p, const char *functions);

/*
 * Ends them and adds what they saw, with titles: the story of a scheduler that was thrown out, or of
 * the task that a failed result names. kernel_dir: of a vmlinux with debug information, or NULL.
 */
int host_probes_end(struct host_probes *p, const struct ktstr_result *res, const char *kernel_dir,
		    struct str *out);
void host_probes_finish(struct host_probes *p);

/* cleanup.c: Cgroups that runs left behind when they were killed. */

/* Told for each directory: rc 0 = gone, -EBUSY = in use by a live process, else why not. */
typedef void cleanup_report_fn(const char *path, int rc);

/*
 * Every ktstr and ktstr-PID below the root of the cgroups, and below KTSTR_HOST_CGROUP_PARENT;
 * the number of directories found.
 */
int cleanup_all(const struct roots *roots, cleanup_report_fn *report, size_t *found);

/* That directory with all below it, whoever uses it. */
int cleanup_path(const struct roots *roots, const char *path);

/* base_dir.c: The cgroup below which runs have theirs. */

#define HOST_BASE_VARIABLE "KTSTR_HOST_CGROUP_PARENT"

/*
 * The root of cgroup v2, or what the variable names: "a/b", "/a/b", or with the root before
 * it. That one must be there. A sentence where there is no cgroup v2.
 */
int host_base_dir(const struct roots *roots, struct str *dir);

/* library_api.c: What tests out of a shared object may call. */

/* Ends with NULL. */
extern void (*const library_api[])(void);

#endif
