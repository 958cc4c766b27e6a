/* SPDX-License-Identifier: GPL-2.0-only */
/* The verifier sweep, and the export of a test. */
#ifndef KTSTR_RUN_SWEEP_H
#define KTSTR_RUN_SWEEP_H

#include "run/campaign.h"
#include "verifier/verifier.h"

struct sweep_options {
	const char *label; /* "ktstr" or "cargo ktstr" */
	const char *const *kernels;
	size_t kernel_count;
	const char *const *presets; /* none = those that boot quickly on this host */
	size_t preset_count;
	const char *scheduler;	   /* only the scheduler of this name; or NULL */
	const char *scheduler_bin; /* program to use instead of declared schedulers; or NULL */
	const char *profiles;	   /* "default,llc,llc+steal"; NULL = without flags */
	bool has_all_profiles;
	bool include_eol, is_raw, is_quiet, is_verbose;
	const char *accel;
	bool has_seed; /* --seed was given */
	uint64_t seed; /* of sim */
	size_t jobs;
};

/* A scheduler program to load, declared or given on the command line. */
struct sweep_scheduler {
	const char *name;
	struct probe_sched sched; /* strings belong to its test program or to the sweep's arena */
	char *path;
	struct profile_flags flags;
	uint64_t *masks; /* one per profile, at least one */
	size_t mask_count;
};

struct sweep_cell {
	const struct sweep_scheduler *scheduler;
	const char *profile; /* NULL = the sweep has no profiles */
	const char *kernel;  /* its label */
	const char *name;    /* "verifier/SCHED/KERNEL/PRESET" */
	struct variant variant;
	bool has_ended;
	bool is_rejected, is_attached, has_run; /* the three gates; is_rejected: by the verifier */
	struct str problem;			/* "" = good, if the cell has ended */
	bool has_report;
	struct sched_report report;
	struct verifier_figures figures;
	struct str log;	 /* of the verifier, else of the scheduler */
	struct str dump; /* of the kernel, if it ejected the scheduler */
};

struct sweep {
	const struct sweep_options *options;
	struct arena arena;
	struct test_programs programs;
	VEC(struct sweep_scheduler) schedulers;
	VEC(const char *) left_out; /* names of declared schedulers without a program */
	struct run_kernels kernels;
	struct run_machine machine;
	struct run_world world;
	struct run_knobs knobs;
	VEC(const struct preset *) presets;
	struct probe_test test; /* workload of all cells */
	VEC(struct sweep_cell) cells;
	struct live_line line;
	size_t ended;
};

/*
 * Runs the sweep. Returns 0 with a verdict in every cell, or a negative errno. *s must be zeroed.
 * There are no cells if all declared schedulers were left out; callers must not treat that as
 * success.
 */
int sweep_run(struct sweep *s, const struct sweep_options *options);
void sweep_finish(struct sweep *s);

/* Parts of sweep_run(). After sweep_find_schedulers() without schedulers, left_out is not empty. */
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
 * export.c: packs a test into one file that runs on a machine without ktstr and without a VM: a
 * shell script (export/preamble.sh) followed by an archive of the test program, its scheduler and
 * its include files.
 */

struct export_request {
	const struct test_programs *programs;
	const char *test;	       /* name, with or without the prefix "ktstr/" */
	const char *scheduler_profile; /* build profile whose directory comes first; or NULL */
	const char *output;	       /* file; NULL = TEST.run */
};

struct export_summary {
	char *path; /* to be freed */
	size_t archive_bytes, include_count;
};

/* Writes the file. Refuses tests that only work in a VM or on this host, with a message. */
int export_test(const struct export_request *r, struct export_summary *out);

#endif
