/* SPDX-License-Identifier: GPL-2.0-only */
/* What is done with tests and schedulers besides running them: the verifier sweep, and exporting a test. */
#ifndef KTSTR_RUN_SWEEP_H
#define KTSTR_RUN_SWEEP_H

#include "probe/verifier_log.h"
#include "run/campaign.h"

struct sweep_options {
	const char *label; /* "ktstr" or "cargo ktstr" */
	const char *const *kernels;
	size_t kernel_count;
	const char *const *presets; /* none = those that this host boots quickly */
	size_t preset_count;
	const char *scheduler;	   /* only the one of this name; or NULL */
	const char *scheduler_bin; /* instead of declared ones: this program; or NULL */
	const char *profiles;	   /* "default,llc,llc+steal"; NULL = without flags */
	bool has_all_profiles;
	bool include_eol, is_raw, is_quiet, is_verbose;
	const char *accel;
	bool has_seed; /* it was asked for */
	uint64_t seed; /* of sim */
	size_t jobs;
};

/* A program to try, however it became known. */
struct sweep_scheduler {
	const char *name;
	struct probe_sched sched; /* texts belong to its test program or to the sweep's arena */
	char *path;
	struct profile_flags flags;
	uint64_t *masks; /* of the profiles, at least one */
	size_t mask_count;
};

struct sweep_cell {
	const struct sweep_scheduler *scheduler;
	const char *profile; /* NULL = the sweep has none */
	const char *kernel;  /* its label */
	const char *name;    /* "verifier/SCHED/KERNEL/PRESET" */
	struct variant variant;
	bool has_ended;
	bool is_rejected, is_attached, has_run; /* the three gates; rejected is known to be */
	struct str problem;			/* "" = a good cell, if it has ended */
	bool has_report;
	struct sched_report report;
	struct verifier_figures figures;
	struct str log;	 /* of the verifier, else of the scheduler */
	struct str dump; /* of the kernel, when it took the scheduler down */
};

struct sweep {
	const struct sweep_options *options;
	struct arena arena;
	struct test_programs programs;
	VEC(struct sweep_scheduler) schedulers;
	VEC(const char *) left_out; /* names of declared ones that have no program */
	struct run_kernels kernels;
	struct run_machine machine;
	struct run_world world;
	struct run_knobs knobs;
	VEC(const struct preset *) presets;
	struct probe_test test; /* the workload of all cells */
	VEC(struct sweep_cell) cells;
	struct live_line line;
	size_t ended;
};

/*
 * Runs it. 0 with a verdict in every cell, or a negative errno. *s must be zeroed.
 * There are no cells where all that is declared was left out: that is not a success.
 */
int sweep_run(struct sweep *s, const struct sweep_options *options);
void sweep_finish(struct sweep *s);

/* Parts of it. Without schedulers there are some that were left out. */
int sweep_find_schedulers(struct sweep *s);
bool sweep_wants_kernel(const struct probe_sched *sched, const struct run_kernel *kernel);
void sweep_cell_judge(struct sweep_cell *c, struct outcome *o, bool is_raw);
static inline bool sweep_cell_is_good(const struct sweep_cell *c)
{
	return c->has_ended && c->problem.len == 0;
}
size_t sweep_bad_count(const struct sweep *s);

int sweep_add_text(const struct sweep *s, struct str *out);
void sweep_put_json(const struct sweep *s, struct json *j);

/*
 * export.c: A test as one file that runs on a machine without ktstr and without a VM: a shell
 * script (export/preamble.sh) with an archive of the test program, its scheduler and
 * its include files behind it.
 */

struct export_request {
	const struct test_programs *programs;
	const char *test;	       /* name, also with "ktstr/" before it */
	const char *scheduler_profile; /* build profile that is looked into first; or NULL */
	const char *output;	       /* file; NULL = TEST.run */
};

struct export_summary {
	char *path; /* to be freed */
	size_t archive_bytes, include_count;
};

/* Writes the file. Tests that only make sense in a VM or here are refused with a sentence. */
int export_test(const struct export_request *r, struct export_summary *out);

#endif
