/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `ktstr check`: runs a scheduler that has no tests of its own through the rows of a table,
 * on several kernels and machines, until the time budget is used up. The runner executes
 * the runs in the simulator and keeps a record of each; failures are grouped as in `ktstr
 * explore`.
 */
#ifndef KTSTR_BATTERY_BATTERY_H
#define KTSTR_BATTERY_BATTERY_H

#include "explore/explore.h"
#include "vm/spec.h"

/*
 * The order of runs: first, whether the scheduler loads, on every machine and kernel. Then
 * one step after the other; each step uses the next seed and runs every row on its next
 * machine, on all kernels.
 */

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
	/*
	 * Whether to run this row on this kernel, and whether the scheduler loads on this
	 * machine and kernel.
	 */
	bool (*is_wanted)(const void *ctx, size_t row, size_t kernel);
	bool (*is_loaded)(const void *ctx, size_t machine, size_t kernel);
	const void *ctx;
};

/* Appends the runs that show where the scheduler loads. */
int battery_plan_loads(const struct battery_shape *s, struct battery_cells *out);

/* Appends the runs of one step; the first step is 0. */
int battery_plan_step(const struct battery_shape *s, uint64_t step, struct battery_cells *out);

struct battery_options {
	const char *label;     /* "ktstr" or "cargo ktstr" */
	const char *scheduler; /* as given by the user; NULL = the kernel's own */
	char *const *args;     /* of the scheduler */
	size_t arg_count;
	const char *const *kernels; /* none = the usable ones in the cache */
	size_t kernel_count;
	const char *const *machines; /* N,L,C,T or presets; none = battery_machines */
	size_t machine_count;
	struct filter *filter;
	bool include_eol, no_perf_mode, is_quiet;
	uint64_t budget_ns;
	uint64_t seed;	/* of the first step */
	uint64_t seeds; /* maximum number of steps; 0 = as many as there is time for */
	size_t jobs;
};

/* A machine. Runs point to its knobs. */
struct battery_place {
	const char *name;
	struct run_knobs knobs;
};

/* What is known of each run besides its trial. */
struct battery_fact {
	struct battery_cell cell;
	bool is_attached;
};

/* A reason why checks did not judge, such as "shares: less than 1 s". */
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
	struct texts kernel_ids;   /* chosen from the cache */
	struct battery_place *places;
	char **place_names; /* names in places that have to be freed */
	size_t place_count;
	bool *is_left_out; /* kernels into which no scheduler can be loaded */
	/* All runs in order: the outcome of each, and its row, machine, kernel and seed. */
	VEC(struct trial) trials;
	VEC(struct battery_fact) facts;
	VEC(struct battery_unjudged) unjudged;
	size_t done;
	uint64_t deadline_ns;
	bool is_over;	   /* the budget is used up */
	bool lacks_events; /* of a run at least: most checks had nothing to judge */
	bool is_interrupted;
	double seconds;
};

/* Prepares everything up to the first run; *b must be zeroed. */
int battery_open(struct battery *b, const struct battery_options *o);
void battery_finish(struct battery *b);

/* Runs the battery. Returns 0, also when interrupted, or a negative errno with a message. */
int battery_run(struct battery *b);

/* Returns one of RUN_EXIT_*. */
int battery_exit_code(const struct battery *b);

/* Whether the scheduler loaded on a machine and kernel, from all runs so far. */
enum battery_load { BATTERY_NOT_TRIED, BATTERY_LOADED, BATTERY_NOT_LOADED };
enum battery_load battery_load_at(const struct battery *b, size_t machine, size_t kernel);

/* "7.0.13", or the path of the kernel. */
const char *battery_kernel(const struct battery *b, size_t kernel);

/* Appends the shell command that repeats this run. */
void battery_add_command(const struct battery *b, size_t run, struct str *out);

/* The result for a terminal, and as JSON. */
int battery_add_text(const struct battery *b, struct str *out);
int battery_put_json(const struct battery *b, struct json *j);

/* Writes the records of the runs as an HTML page. */
int battery_write_html(const struct battery *b, const char *path);

/* Lists the rows that the filter selects, or all of them. */
int battery_add_list(struct filter *filter, unsigned int width, struct str *out);
void battery_put_list(struct filter *filter, struct json *j);

/* The rows and machines of the battery, as `ktstr check` uses them. */

struct battery_machine {
	const char *name; /* "two LLCs" */
	struct vm_topology topology;
};

struct battery_row {
	const char *name;
	size_t machine; /* index of the machine on which it runs first */
	unsigned int ms;
	const char *what; /* purpose of the row */
	bool is_optional; /* a scheduler may ignore the shares that it asks for */
};

/* Both end with an entry without a name. */
extern const struct battery_machine battery_machines[];
extern const struct battery_row battery_rows[];

/* Index of the row that shows whether the scheduler loads. */
#define BATTERY_LOADS 0

size_t battery_row_count(void);
size_t battery_machine_count(void);

#endif
