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
 * scenarios.c: what can run on the host: rows of the catalog, tests of a loaded library,
 * scenario files. All are represented alike.
 */

struct host_scenario {
	const char *name, *category, *description;
	uint64_t required, excluded; /* flags */
	/* The scenario's own settings; 0 and NULL = those of the run. */
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
/* Adds the tests of a shared object, which stays loaded. Returns -EINVAL with the problem. */
int host_scenarios_add_library(struct host_scenarios *s, const char *path);
int host_scenarios_add_file(struct host_scenarios *s, const char *path);
/* Checks all of them together: duplicate names, flags that exclude each other. */
int host_scenarios_check(const struct host_scenarios *s);
void host_scenarios_finish(struct host_scenarios *s);

/* The nearest name, category or word of a name to what was typed, or NULL. */
const char *host_scenarios_closest(const struct host_scenarios *s, const char *word);

/* The six flags of the catalog. */
const struct profile_flags *host_flags(void);

/* Returns -EINVAL with "unknown flag: 'X'. valid flags: ...". */
int host_flags_unknown(const char *name);

/* Parses "llc,borrow" in any order; "" is the empty set. Returns -EINVAL with a message. */
int host_flags_parse(const char *text, uint64_t *mask);

/* plan.c: which scenarios run with which profiles, in which order, and how long that takes. */

enum host_profiles {
	HOST_PROFILES_ALL,
	HOST_PROFILES_BASE,  /* only the flags that the scenario requires */
	HOST_PROFILES_EXACT, /* a given one */
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
	/* This machine, for the budget. */
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

/* Refers to the scenarios. Returns -ENOENT with a suggestion if the filter matches nothing. */
int host_plan_build(struct host_plan *plan, const struct host_scenarios *scenarios,
		    const struct host_plan_options *options);
void host_plan_finish(struct host_plan *plan);

/* The names of the profiles that fit a scenario. */
int host_plan_add_profiles(const struct host_scenario *s, struct arena *arena,
			   const char *const **names, size_t *count);

/*
 * execute.c: runs scenarios on this machine. Each run has a process of its own: if it
 * crashes, hangs or is interrupted, only its workers end with it.
 */

struct host_options {
	const struct topology *topology;
	const char *cgroup_parent; /* from host_check() */
	/* Defaults for scenarios that do not set them. */
	uint64_t duration_ms;
	unsigned int workers;
	const struct ktstr_work_type *work_type; /* or NULL */
	uint64_t seed;
	const char *observe_dir, *observe_problem; /* as in struct ctx_options */
	bool is_verbose;
};

/*
 * Returns the directory of this process's cgroups (free()), or an error with the reason why
 * scenarios cannot run here: no cgroup v2, no controllers, no rights.
 */
int host_check(const struct roots *roots, char **cgroup_parent);

/*
 * Executes one run, with its verdict in an initialised result. Returns -EINTR if
 * interrupted; then, too, all that the run left behind is removed.
 */
int host_execute(const struct host_run *run, const struct host_options *options,
		 struct ktstr_result *res, double *seconds);

/*
 * observe.c: the observer of scheduling events for runs on this machine. Its maps are
 * pinned in a bpf file system that is not attached to any mount point: it disappears with
 * this process, however that ends.
 */

struct host_observer {
	int mount; /* a descriptor plus one; 0 = none */
	struct observe_links links;
	char dir[64];	    /* "" = events are not recorded */
	struct str problem; /* reason why not */
};

/* Never fails: if events cannot be recorded, results say so. */
void host_observer_start(struct host_observer *o);
void host_observer_finish(struct host_observer *o);

/* Opens the loader of BPF programs as a memory file; said: descriptor of its error messages. */
int host_loader_open(int *fd);
int host_loader_explain(int said);

/* probes.c: BPF probes on the scheduler and the kernel during a run. */

struct host_probes {
	struct child child;
	char dir[64]; /* "" = none */
	int said;     /* a descriptor plus one; 0 = none */
};

/* functions: further kernel functions, comma-separated; NULL = only the default ones. */
int host_probes_start(struct host_probes *p, const char *functions);

/*
 * Ends the probes and adds their findings, with titles: the history of an ejected
 * scheduler, or of the task that a failed result names. kernel_dir: of a vmlinux with debug
 * information, or NULL.
 */
int host_probes_end(struct host_probes *p, const struct ktstr_result *res, const char *kernel_dir,
		    struct str *out);
void host_probes_finish(struct host_probes *p);

/* cleanup.c: removes cgroups that killed runs left behind. */

/* Called for each directory: rc 0 = removed, -EBUSY = in use by a live process, else the error. */
typedef void cleanup_report_fn(const char *path, int rc);

/*
 * Removes every ktstr and ktstr-PID below the root of the cgroups, and below
 * KTSTR_HOST_CGROUP_PARENT. Stores the number of directories found.
 */
int cleanup_all(const struct roots *roots, cleanup_report_fn *report, size_t *found);

/* Removes that directory with all below it, even if it is in use. */
int cleanup_path(const struct roots *roots, const char *path);

/* base_dir.c: the parent of the cgroups of runs. */

#define HOST_BASE_VARIABLE "KTSTR_HOST_CGROUP_PARENT"

/*
 * The root of cgroup v2, or what the variable names: "a/b", "/a/b", or the same with the
 * root as prefix. That directory must exist. An error with a message if there is no cgroup
 * v2.
 */
int host_base_dir(const struct roots *roots, struct str *dir);

/* library_api.c: functions that tests of a shared object may call. */

/* Ends with NULL. */
extern void (*const library_api[])(void);

#endif
