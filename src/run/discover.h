/* SPDX-License-Identifier: GPL-2.0-only */
/* Discovery of tests, the variants each can run as, and the selection among them. */
#ifndef KTSTR_RUN_DISCOVER_H
#define KTSTR_RUN_DISCOVER_H

#include "host/topology.h"
#include "program/probe.h"
#include "vm/spec.h"

/* Tests that are a single C file: compiled on first use and cached by content. */

/* Whether the name ends in .c. */
bool source_is_one(const char *path);

struct source_options {
	bool is_release;      /* with optimisation */
	bool is_instrumented; /* compiled by clang with coverage */
};

/*
 * Returns 0 if C files can be compiled here, else an error with a message; for callers that will
 * write a C file later.
 */
int source_check(void);

/* Stores a program that already exists in memory in the same cache; *program is to be freed. */
int source_keep(const char *name, const void *bytes, size_t len, char **program);

/* Unlocks the programs compiled or stored so far: the cache may drop them. */
void source_release(void);

/* Timeout for querying a program; generous, because the machine may be loaded. */
#define DISCOVER_PROBE_LIMIT_NS (20 * 1000000000ULL)

struct test_program {
	char *path;	      /* absolute */
	char *name;	      /* last component of the path, or as many as make it unique */
	char *source;	      /* absolute path of its C or scenario file; NULL = none */
	bool is_instrumented; /* has a section with coverage counters */
	struct probe probe;
};

struct test_programs {
	VEC(struct test_program) items; /* in the order of their paths */
};

struct discover_options {
	struct source_options how; /* for compiling C files */
	/*
	 * Skip with a note: C files in directories that do not compile, and programs that do not
	 * answer. For searches for a single test by name.
	 */
	bool skips_broken;
	bool has_filter; /* the command selects tests with -E, for messages */
};

/*
 * Finds the programs at these paths: programs, C files (compiled), scenario files, or directories
 * that are searched for the first two; without paths those of the current project, see
 * test_search_project(). A named file without tests is an error; one found in a directory is
 * skipped with a note. Finding no program is not an error.
 */
int discover_programs(const char *const *paths, size_t count, const struct discover_options *o,
		      struct test_programs *out);
void test_programs_finish(struct test_programs *p);

/* Path to show to the user: the C file if there is one, else the program. */
const char *test_program_origin(const struct test_program *p);

/*
 * Returns the first error in the declarations of all programs as one message, or 0. Called before
 * tests are run.
 */
int test_programs_check(const struct test_programs *p);
int test_program_check(const struct test_program *p);

/*
 * Finds a test by name. -ENOENT with a message and a suggestion. -EINVAL if several programs have a
 * test of this name: PROGRAM::NAME selects one.
 */
int test_programs_find(const struct test_programs *p, const char *name,
		       const struct test_program **program, const struct probe_test **test);

/* Search for the program of a declared scheduler. */

struct scheduler_search {
	const char *program; /* path of the test program */
	const char *profile; /* build profile whose directory is searched first; or NULL */
	const char *given;   /* program to use instead of searching; or NULL */
};

/*
 * *path is to be freed; NULL for schedulers of the kernel. *source names the place where it was
 * found. -ENOENT "scheduler 'X' not found" listing the places searched.
 */
int scheduler_find(const struct probe_sched *s, const struct scheduler_search *search, char **path,
		   const char **source);

/*
 * Resolves a program named on the command line to an absolute path, to be freed. An error with a
 * message if it is not a file, not executable or built for another machine.
 */
int scheduler_program(const char *name, char **path);

/* -EINVAL with a message if an argument contains a newline: records store one argument per line. */
int scheduler_args_check(const char *const *args, size_t count);

/* presets.c: the machines of the gauntlet, and which of them a test accepts. */

struct preset {
	const char *name;
	struct vm_topology topology;
	unsigned int memory_mib; /* 0 = as the test declares */
};

/* Terminated by a NULL name. Presets with two threads per core exist on x86_64 only. */
extern const struct preset presets[];

const char *const *preset_names(void);
const struct preset *preset_by_name(const char *name);

/* Sizes of this host that limit performance mode. */
struct preset_host {
	size_t cpus, llcs, largest_llc;
};
void preset_host_read(const struct topology *t, struct preset_host *host);

/* Profiles: the valid sets of a scheduler's flags that a test can run with. */

#define PROFILE_MAX_FLAGS 64

struct profile_flag {
	const char *name;
	uint64_t needs; /* bit i = requires flag i */
};

/* Flags in the order of their declaration. */
struct profile_flags {
	struct profile_flag items[PROFILE_MAX_FLAGS];
	size_t count;
};

/* Bit of the flag of that name, or 0. */
uint64_t profile_bit(const struct profile_flags *flags, const char *name);

/*
 * Lists every set of flags that contains the required flags, none of the excluded ones, and for
 * each flag those it needs; ordered by counting through the optional flags. *masks is allocated
 * from the arena. -EINVAL if there is no such set or there are too many.
 */
int profiles_list(const struct profile_flags *flags, uint64_t required, uint64_t excluded,
		  struct arena *arena, uint64_t **masks, size_t *count);

/* "llc+steal" in order of declaration; "default" for no flags. */
const char *profile_name(const struct profile_flags *flags, uint64_t mask, struct arena *arena);

/* Topology and NUMA nodes that a test declares, converted for the VM. */

struct vm_topology run_topology_of(const struct probe_test *test);

/* -EINVAL with a message if no machine can have such nodes. */
int run_numa_of(const struct probe_test *test, struct vm_numa *out);

/* Sum over all declared nodes, in MiB; 0 = none declared. */
uint64_t run_numa_memory_mib(const struct probe_test *test);

/*
 * selection.c: selection of tests by cost: the most diverse set within a time budget
 * (KTSTR_BUDGET_SECS), and the share of one machine among several (--shard K/N).
 */

/*
 * Filter expressions select tests.
 *
 *         expression := term { ("or" | "|" | "+") term }
 *         term       := factor { ("and" | "&") factor | "-" factor }
 *         factor     := ("not" | "!") factor | "(" expression ")" | predicate
 *         predicate  := "test(" matcher ")" | "binary(" matcher ")" | "all()" | "none()"
 *         matcher    := TEXT (contains) | "~" TEXT (contains) | "=" TEXT (is)
 *                     | "/" REGEX "/" | "#" GLOB
 *
 * "a - b" means "a and not b". In a text a backslash escapes the next character.
 */

struct filter_node;

/* Several expressions; a test matches if one of them does. A zeroed filter matches everything. */
struct filter {
	struct filter_node *nodes;
	size_t count, cap;
	size_t *roots;
	size_t root_count, root_cap;
};

struct filter_subject {
	const char *test;      /* full name: "gauntlet/two_cgroups/tiny-1llc" */
	const char *binary;    /* "my_sched_tests" */
	const char *binary_id; /* "my_crate::my_sched_tests" */
};

/*
 * Adds an expression. -EINVAL with a message of three lines: the error, the expression, and a mark
 * below the position.
 */
int filter_add(struct filter *f, const char *expression);
/* Adds the test with exactly this name; only of this program, if binary is not NULL. */
int filter_add_exact(struct filter *f, const char *test, const char *binary);
bool filter_matches(struct filter *f, const struct filter_subject *subject);
void filter_finish(struct filter *f);

#define _filter_ _cleanup_(filter_finish)

/* Properties of a test that are known before it runs. */
struct selection_item {
	const char *name;	 /* of the variant; breaks ties, the smaller one wins */
	const char *hashed_name; /* name of the test; for a gauntlet variant the full name */
	const char *scheduler;
	unsigned int required_flags, excluded_flags, active_flags; /* SELECTION_FLAG_* bits */
	unsigned int nodes, llcs, cpus, threads;
	bool is_performance, is_host_only, expects_error, is_gauntlet;
	double duration_s;
	unsigned int workers;
};

/* Estimated seconds. */
double selection_cost(const struct selection_item *item);

struct selection_summary {
	size_t chosen, total;
	double used_s, budget_s;
	unsigned int covered, coverable; /* feature bits */
};

/*
 * Marks in is_chosen the tests that fit into the budget and together cover the most features:
 * greedy, always takes the test with the most new feature bits per second.
 */
void selection_by_budget(const struct selection_item *items, size_t count, double budget_s,
			 bool *is_chosen, struct selection_summary *summary);

/* Parses a positive number of seconds; false for anything else. */
bool selection_budget_parse(const char *text, double *seconds);

struct shard {
	unsigned int index, count; /* index from 0; count 0 = not sharded */
	const char *source;	   /* "--shard", or the variable it was read from */
};

/* "K/N", 1 <= K <= N. -EINVAL with a message. */
int shard_parse(const char *text, struct shard *out);

/*
 * Reads the variables of GitLab, CircleCI, Buildkite or a Slurm job array. Sets count to 0 if there
 * are none. -EINVAL if they are inconsistent.
 */
int shard_from_environment(struct shard *out);

/*
 * variants.c: expands declared tests to the list of variants: every test as declared, and its
 * gauntlet of machines and profiles, each on every kernel. Then selects among them.
 */

struct variant {
	const char *name;      /* "ktstr/two_cgroups", "gauntlet/two_cgroups/tiny-1llc" */
	size_t plain_len;      /* length of the name without the kernel's label */
	const char *binary_id; /* "suite::binary" */
	const struct test_program *program; /* NULL = one spinning worker per CPU */
	const struct probe_test *test;
	const struct probe_sched *sched; /* NULL = the kernel's own scheduler */
	const struct preset *preset;	 /* NULL = the machine declared by the test */
	uint64_t flags;			 /* of the scheduler, bit i = its flag i */
	const char *profile;		 /* "llc+steal", "default"; NULL = no flags */
	size_t kernel;			 /* index; 0 also for tests that need none */
	struct vm_topology topology;
	bool has_own_nodes; /* the machine is the test's own: .nodes and .distances apply */
	uint64_t memory_mib;
	bool is_ignored;
	bool has_namesake; /* another program has a test of this name */
};

struct variants {
	VEC(struct variant) items;
	struct arena arena;
};

struct variants_request {
	const struct test_programs *programs;
	const char *const *kernel_labels; /* one per kernel; used if there are at least two */
	size_t kernel_count;
	enum vm_arch arch;
	const struct preset_host *host; /* limits performance mode */
};

#define _variants_ _cleanup_(variants_finish)

enum run_ignored { RUN_IGNORED_DEFAULT, RUN_IGNORED_ONLY, RUN_IGNORED_ALL };

struct variants_choice {
	struct filter *filter;	       /* or NULL */
	bool is_any_kernel;	       /* match names without the kernel's label */
	const char *const *substrings; /* the name has to contain one of them */
	size_t substring_count;
	enum run_ignored ignored;
	bool is_performance_only; /* KTSTR_PERF_ONLY */
	double budget_s;	  /* 0 = none */
	struct shard shard;
};

struct variants_chosen {
	VEC(const struct variant *) items; /* in the order of the variants */
	size_t filtered_out;
	struct selection_summary budget; /* total 0 = there was no budget */
};

/* Appends the name, preceded by that of its program if another program has a test of this name. */
void variant_add_name(const struct variant *v, struct str *out);

/* Sets another machine, with uniform nodes. */
void variant_set_topology(struct variant *v, const struct vm_topology *topology);

/* "1n2l4c1t" in a static thread-local buffer; overwritten by the next call. */
const char *topology_text(const struct vm_topology *t);

/*
 * knobs.c: command line options that affect the run of a test, besides kernel, accelerator and
 * seed. Records store them as options, so that a run can be repeated and its command printed.
 */

/* 0 = as the test declares. */
struct run_knobs {
	unsigned int shift; /* of sim, see struct vm_sim */
	uint32_t slice_us;
	bool has_jitter;
	uint32_t delays, wake_delay_us;
	const char *strategy; /* from run_strategy_names(), except random; NULL = random or none */
	unsigned int depth;   /* of pct */
	uint32_t events;      /* over which pct spreads its change points; 0 = none */
	bool is_cold;
	bool is_release; /* apply the stricter limits, however the program was built */
	bool versus_eevdf;
	bool is_verbose;     /* verbose guest console, which takes guest time */
	const char *profile; /* from run_profile_names(); NULL = default. Determines timeouts */
	uint64_t duration_ms;
	unsigned int workers;	     /* per cgroup */
	uint64_t steps;		     /* of a scenario: bit 0 is the first; 0 = all */
	unsigned int hold_percent;   /* scales fixed holds and settling */
	struct vm_topology topology; /* llcs 0 = as the test declares */
	/*
	 * Name that replaces the scheduler declared by tests; NULL = as declared. The program
	 * itself is in struct runner_options, and in a record as path and hash. Arguments require a
	 * name.
	 */
	const char *scheduler;
	const char *const *scheduler_args;
	size_t scheduler_arg_count;
	bool is_eevdf; /* no scheduler, whatever tests declare */
};

#define RUN_KNOBS_DEFAULT \
	((struct run_knobs){ .shift = VM_SIM_SHIFT, .slice_us = VM_SIM_SLICE_UNSET })

#define RUN_MAX_STEPS 64

/* Strategies for choosing the interleaving; terminated by NULL. */
#define RUN_STRATEGY_RANDOM "random" /* the same as --sim-jitter */
const char *const *run_strategy_names(void);
/* Looks up the name in the list. -EINVAL with a message. */
int run_strategy_parse(const char *text, const char **out);
/* -EINVAL with a message if depth or events do not fit the strategy. */
int run_strategy_check(const struct run_knobs *k);

/* Makes the guest kernel verbose in sim; there is no option, so it precedes the command. */
#define RUN_WORD_VERBOSE "KTSTR_VERBOSE=1"

/* Parses "1,3-5" to bits. -EINVAL with a message. */
int run_steps_parse(const char *text, uint64_t *out);

/* Appends the options that differ from the default, one word per line. */
void run_knobs_add_words(const struct run_knobs *k, struct str *out);

/* The inverse: sets *k to the default plus these words. -EINVAL naming the word. */
int run_knobs_parse(struct run_knobs *k, const char *const *words, size_t count);

#endif
