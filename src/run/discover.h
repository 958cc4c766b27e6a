/* SPDX-License-Identifier: GPL-2.0-only */
/* The tests that there are, what each could run as, and the choice among them. */
#ifndef KTSTR_RUN_DISCOVER_H
#define KTSTR_RUN_DISCOVER_H

#include "host/topology.h"
#include "program/probe.h"
#include "vm/spec.h"

/* A test that is one C file: compiled when it is first seen, kept by its content. */

/* Whether the name ends in .c. */
bool source_is_one(const char *path);

struct source_options {
	bool is_release;      /* with optimisation */
	bool is_instrumented; /* counts what is executed, by clang */
};

/* Whether C files can be compiled here at all: for who will write one later. */
int source_check(void);

/* A program that exists as bytes already, kept beside the compiled ones; to be freed. */
int source_keep(const char *name, const void *bytes, size_t len, char **program);

/* Programs that were compiled or kept so far are not needed any more: the cache may drop them. */
void source_release(void);

/* A program on a loaded machine may be slow to start, but not this slow. */
#define DISCOVER_PROBE_LIMIT_NS (20 * 1000000000ULL)

struct test_program {
	char *path;	      /* absolute */
	char *name;	      /* the last part of it, or as many as tell it from others */
	char *source;	      /* C or scenario file that it was made from here, absolute; or NULL */
	bool is_instrumented; /* counts what is executed: has a section of coverage */
	struct probe probe;
};

struct test_programs {
	VEC(struct test_program) items; /* in the order of their paths */
};

struct discover_options {
	struct source_options how; /* C files are compiled */
	/*
	 * A C file of a directory that does not compile and a program that does not answer
	 * are passed over with a note: for who looks for one test by its name.
	 */
	bool skips_broken;
};

/*
 * The programs at these paths: files, C files that are compiled, scenario files, or directories
 * that are searched for the first two; with none given those of the current project, see run/parts.h.
 * A file that is given and has no tests is an error, one that is found is passed over with
 * a note. No program at all is not an error here.
 */
int discover_programs(const char *const *paths, size_t count, const struct discover_options *o,
		      struct test_programs *out);
void test_programs_finish(struct test_programs *p);

/* What a person would name: the C file, or else the program. */
const char *test_program_origin(const struct test_program *p);

/*
 * The first error of all programs' declarations as one message, or 0: to be called
 * by who is going to run tests.
 */
int test_programs_check(const struct test_programs *p);
int test_program_check(const struct test_program *p);

/*
 * The test of that name; -ENOENT with a sentence and a suggestion. -EINVAL where several
 * programs have it: then it is PROGRAM::NAME.
 */
int test_programs_find(const struct test_programs *p, const char *name,
		       const struct test_program **program, const struct probe_test **test);

/* Where the program of a declared scheduler is. */

struct scheduler_search {
	const char *program; /* path of the test program */
	const char *profile; /* build profile whose directory is looked into first; or NULL */
	const char *given;   /* the program to take instead of looking for one; or NULL */
};

/*
 * The path, to be freed, and in *source which of the places it was. NULL in *path
 * for schedulers of the kernel. -ENOENT "scheduler 'X' not found" naming the places.
 */
int scheduler_find(const struct probe_sched *s, const struct scheduler_search *search, char **path,
		   const char **source);

/*
 * A program that was named on a command line, as an absolute path to be freed. An error
 * with a message for what is not a file, cannot be executed or is for another machine.
 */
int scheduler_program(const char *name, char **path);

/* -EINVAL with a message for what no record could tell: a line end in one of them. */
int scheduler_args_check(const char *const *args, size_t count);

/* presets.c: The machines of the gauntlet, and which of them a test accepts. */

struct preset {
	const char *name;
	struct vm_topology topology;
	unsigned int memory_mib; /* 0 = as the test says */
};

/* Ends with a NULL name. Those with two threads per core exist on x86_64 only. */
extern const struct preset presets[];

const char *const *preset_names(void);
const struct preset *preset_by_name(const char *name);

/* This host, as far as it limits performance mode. */
struct preset_host {
	size_t cpus, llcs, largest_llc;
};
void preset_host_read(const struct topology *t, struct preset_host *host);

/* Profiles: the valid sets of a scheduler's flags that a test can run with. */

#define PROFILE_MAX_FLAGS 64

struct profile_flag {
	const char *name;
	uint64_t needs; /* bit i = flag i must be there too */
};

/* Flags in the order of their declaration. */
struct profile_flags {
	struct profile_flag items[PROFILE_MAX_FLAGS];
	size_t count;
};

/* Bit of the flag of that name, or 0. */
uint64_t profile_bit(const struct profile_flags *flags, const char *name);

/*
 * Every set that has the required and none of the excluded flags, and for each flag
 * those it needs; in the order of counting through the optional ones. Stored in
 * *masks (arena) and *count. -EINVAL when there is no such set or there are too many.
 */
int profiles_list(const struct profile_flags *flags, uint64_t required, uint64_t excluded,
		  struct arena *arena, uint64_t **masks, size_t *count);

/* "llc+steal" in the order of declaration, or "default". */
const char *profile_name(const struct profile_flags *flags, uint64_t mask, struct arena *arena);

/* The topology and the NUMA nodes that a test declares, as a VM has them. */

struct vm_topology run_topology_of(const struct probe_test *test);

/* -EINVAL with a message when no machine can be like that. */
int run_numa_of(const struct probe_test *test, struct vm_numa *out);

/* Of all declared nodes together; 0 = none are declared. */
uint64_t run_numa_memory_mib(const struct probe_test *test);

/*
 * selection.c: Choosing tests by what they cost: the most different ones within a time budget
 * (KTSTR_BUDGET_SECS), and the share of one machine among several (--shard K/N).
 */

/*
 * Filter expressions: which tests are meant.
 *
 *	expression := term { ("or" | "|" | "+") term }
 *	term       := factor { ("and" | "&") factor | "-" factor }
 *	factor     := ("not" | "!") factor | "(" expression ")" | predicate
 *	predicate  := "test(" matcher ")" | "binary(" matcher ")" | "all()" | "none()"
 *	matcher    := TEXT (contains) | "~" TEXT (contains) | "=" TEXT (is)
 *		    | "/" REGEX "/" | "#" GLOB
 *
 * "a - b" is "a and not b". In a text, a backslash takes the next character as it is.
 */

struct filter_node;

/* Several expressions: one of them has to match. A filter of zeroes matches everything. */
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
 * Adds an expression. -EINVAL with a message of three lines: what is wrong, the
 * expression, and a mark below the place.
 */
int filter_add(struct filter *f, const char *expression);
/* The test of exactly this name; of that program, where one is named. */
int filter_add_exact(struct filter *f, const char *test, const char *binary);
bool filter_matches(struct filter *f, const struct filter_subject *subject);
void filter_finish(struct filter *f);

#define _filter_ _cleanup_(filter_finish)

/* What is known of a test before it runs. */
struct selection_item {
	const char *name;	 /* of the variant; ties go to the smaller one */
	const char *hashed_name; /* the test's own name, of a gauntlet variant the whole one */
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
 * Marks in is_chosen the tests that fit into the budget and together have the most
 * features: always the one with the most new bits per second.
 */
void selection_by_budget(const struct selection_item *items, size_t count, double budget_s,
			 bool *is_chosen, struct selection_summary *summary);

/* A positive number of seconds. False for anything else. */
bool selection_budget_parse(const char *text, double *seconds);

struct shard {
	unsigned int index, count; /* index from 0; count 0 = not sharded */
	const char *source;	   /* "--shard", or the variable it was read from */
};

/* "K/N", 1 <= K <= N. -EINVAL with a message. */
int shard_parse(const char *text, struct shard *out);

/*
 * From the variables of GitLab, CircleCI, Buildkite or a Slurm job array. Without
 * them count is 0. -EINVAL when they make no sense.
 */
int shard_from_environment(struct shard *out);

/*
 * variants.c: From declared tests to the list of what could be run: every test as it was
 * declared, and its gauntlet of machines and profiles, on every kernel. Then the
 * choice among them.
 */

struct variant {
	const char *name;      /* "ktstr/two_cgroups", "gauntlet/two_cgroups/tiny-1llc" */
	size_t plain_len;      /* of the name, as far as the kernel's label */
	const char *binary_id; /* "suite::binary" */
	const struct test_program *program; /* NULL = one worker per CPU that spins */
	const struct probe_test *test;
	const struct probe_sched *sched; /* NULL = the kernel's own */
	const struct preset *preset;	 /* NULL = the machine that the test declares */
	uint64_t flags;			 /* of the scheduler, bit i = its flag i */
	const char *profile;		 /* "llc+steal", "default"; NULL = it has no flags */
	size_t kernel;			 /* index; 0 also for tests that need none */
	struct vm_topology topology;
	bool has_own_nodes; /* the machine is the test's: so are .nodes and .distances */
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
	const char *const *kernel_labels; /* as many as kernels; used from two on */
	size_t kernel_count;
	enum vm_arch arch;
	const struct preset_host *host; /* limits performance mode */
};

#define _variants_ _cleanup_(variants_finish)

enum run_ignored { RUN_IGNORED_DEFAULT, RUN_IGNORED_ONLY, RUN_IGNORED_ALL };

struct variants_choice {
	struct filter *filter;	       /* or NULL */
	bool is_any_kernel;	       /* the filter sees names without the kernel's label */
	const char *const *substrings; /* one of them has to be part of the name */
	size_t substring_count;
	enum run_ignored ignored;
	bool is_performance_only; /* KTSTR_PERF_ONLY */
	double budget_s;	  /* 0 = none */
	struct shard shard;
};

struct variants_chosen {
	VEC(const struct variant *) items; /* in the order of the list */
	size_t filtered_out;
	struct selection_summary budget; /* total 0 = there was none */
};

/* Its name, where that is not its own after that of its program. */
void variant_add_name(const struct variant *v, struct str *out);

/* Another machine, whose nodes are all alike. */
void variant_set_topology(struct variant *v, const struct vm_topology *topology);

/* "1n2l4c1t"; the memory is static to the thread and overwritten by the next call. */
const char *topology_text(const struct vm_topology *t);

/*
 * knobs.c: What of the command line changes a run of a test, besides kernel, accelerator and
 * seed. Records keep it as the options themselves, so that a run can be repeated and
 * the command that repeats it can be told.
 */

/* 0 = as the test says. */
struct run_knobs {
	unsigned int shift; /* of sim, see struct vm_sim */
	uint32_t slice_us;
	bool has_jitter;
	uint32_t delays, wake_delay_us;
	const char *strategy; /* of run_strategy_names(), but random; NULL = random or none */
	unsigned int depth;   /* of pct */
	uint32_t events;      /* over which its change points are spread; 0 = none */
	bool is_cold;
	bool is_release; /* the stricter limits, whatever the program was built with */
	bool versus_eevdf;
	bool is_verbose;     /* the guest's kernel talks, and takes time for it */
	const char *profile; /* of run_profile_names(); NULL = default. It says when to give up */
	uint64_t duration_ms;
	unsigned int workers;	     /* of a cgroup */
	uint64_t steps;		     /* of a scenario: bit 0 is the first; 0 = all */
	unsigned int hold_percent;   /* to which fixed holds and settling are cut */
	struct vm_topology topology; /* llcs 0 = as the test says */
	/*
	 * Name in the place of what tests declare; NULL = as they say. The program itself is that
	 * of the runner's options, and in a record its path and hash. Arguments need a name.
	 */
	const char *scheduler;
	const char *const *scheduler_args;
	size_t scheduler_arg_count;
	bool is_eevdf; /* no scheduler, whatever tests declare */
};

#define RUN_KNOBS_DEFAULT \
	((struct run_knobs){ .shift = VM_SIM_SHIFT, .slice_us = VM_SIM_SLICE_UNSET })

#define RUN_MAX_STEPS 64

/* How the interleaving is chosen; ends with NULL. */
#define RUN_STRATEGY_RANDOM "random" /* the same as --sim-jitter */
const char *const *run_strategy_names(void);
/* The name as it is in the list. -EINVAL with a message. */
int run_strategy_parse(const char *text, const char **out);
/* -EINVAL with a message where depth or events do not fit the strategy. */
int run_strategy_check(const struct run_knobs *k);

/* No option makes a kernel talk in sim: this goes in front of the command. */
#define RUN_WORD_VERBOSE "KTSTR_VERBOSE=1"

/* "1,3-5" as bits. -EINVAL with a message. */
int run_steps_parse(const char *text, uint64_t *out);

/* Appends the options that differ from the usual, a word to a line. */
void run_knobs_add_words(const struct run_knobs *k, struct str *out);

/* The inverse: *k is the default with these words. -EINVAL naming the word. */
int run_knobs_parse(struct run_knobs *k, const char *const *words, size_t count);

#endif
