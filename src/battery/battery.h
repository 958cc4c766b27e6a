/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `ktstr check`: a scheduler that nobody wrote a test for, on kernels and machines, through
 * the rows of a table, for as long as there is time. Runs are the runner's, in sim, with a
 * record of each; failures are grouped as `ktstr explore` does.
 */
#ifndef KTSTR_BATTERY_BATTERY_H
#define KTSTR_BATTERY_BATTERY_H

#include "battery/table.h"
#include "explore/explore.h"

/*
 * In which order rows, machines, kernels and seeds are gone through: first whether the
 * scheduler loads, on every machine and kernel; then one step after the other, each with
 * the next seed and every row on its next machine, on all kernels.
 */

/* One run. */
struct battery_cell {
	size_t row, machine, kernel;
	uint64_t seed;
};

struct battery_cells {
	VEC(struct battery_cell) items;
};

struct battery_shape {
	size_t machines, kernels;
	uint64_t first_seed;
	/* Whether this row is to be run on this kernel at all, and on this machine of it. */
	bool (*is_wanted)(const void *ctx, size_t row, size_t kernel);
	bool (*is_loaded)(const void *ctx, size_t machine, size_t kernel);
	const void *ctx;
};

/* Appends the runs that tell where it loads. */
int battery_plan_loads(const struct battery_shape *s, struct battery_cells *out);

/* Appends those of a step, the first of which is 0. */
int battery_plan_step(const struct battery_shape *s, uint64_t step, struct battery_cells *out);

struct battery_options {
	const char *label;     /* "ktstr" or "cargo ktstr" */
	const char *scheduler; /* as it was named; NULL = the kernel's own */
	char *const *args;     /* of it */
	size_t arg_count;
	const char *const *kernels; /* none = the sound ones in the cache */
	size_t kernel_count;
	const char *const *machines; /* N,L,C,T or presets; none = battery_machines */
	size_t machine_count;
	struct filter *filter;
	bool include_eol, no_perf_mode, is_quiet;
	uint64_t budget_ns;
	uint64_t seed;	/* the first one */
	uint64_t seeds; /* steps at most; 0 = as many as there is time for */
	size_t jobs;
};

/* A machine of this run. Runs have a pointer to the knobs. */
struct battery_place {
	const char *name;
	struct run_knobs knobs;
};

/* What besides a trial is known of each run. */
struct battery_fact {
	struct battery_cell cell;
	bool is_attached;
};

/* A reason for which checks did not judge: "shares: less than 1 s". */
struct battery_unjudged {
	char *text;
	VEC(size_t) rows;
	size_t runs, last_run;
};

struct battery {
	const struct battery_options *options;
	struct runner_options runner;
	struct campaign campaign;
	bool is_open;
	char *program, *scheduler; /* paths */
	struct texts kernel_ids;   /* that were chosen here */
	struct battery_place *places;
	char **place_names; /* of those, where they have to be freed */
	size_t place_count;
	bool *is_left_out; /* kernels into which no scheduler can be loaded */
	/* Runs in their order: what came of each, and where it was. */
	VEC(struct trial) trials;
	VEC(struct battery_fact) facts;
	VEC(struct battery_unjudged) unjudged;
	size_t done;
	uint64_t deadline_ns;
	bool is_over; /* the budget is used up */
	bool is_interrupted;
	double seconds;
};

/* Everything up to the first run; *b must be zeroed. */
int battery_open(struct battery *b, const struct battery_options *o);
void battery_finish(struct battery *b);

/* Runs it. 0, also when interrupted, or a negative errno with a message. */
int battery_run(struct battery *b);

/* One of RUN_EXIT_*. */
int battery_exit_code(const struct battery *b);

/* Where it loaded: by all runs so far. */
enum battery_load { BATTERY_NOT_TRIED, BATTERY_LOADED, BATTERY_NOT_LOADED };
enum battery_load battery_load_at(const struct battery *b, size_t machine, size_t kernel);

/* "7.0.13", or where the kernel lies. */
const char *battery_kernel(const struct battery *b, size_t kernel);

/* Appends the command that makes this run once more, for a shell. */
void battery_add_command(const struct battery *b, size_t run, struct str *out);

/* The result on a screen, and the same for programs. */
int battery_add_text(const struct battery *b, struct str *out);
int battery_put_json(const struct battery *b, struct json *j);

/* The runs' records as a page. */
int battery_write_html(const struct battery *b, const char *path);

/* The table of rows that a filter has, or all. */
int battery_add_list(struct filter *filter, unsigned int width, struct str *out);
void battery_put_list(struct filter *filter, struct json *j);

#endif
