/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One test, prepared once to be run many times in the simulator: programs, kernel, QEMU and
 * the guest's files are looked up once, and every trial starts from the same saved guest.
 * Trials leave no records.
 */
#ifndef KTSTR_EXPLORE_LAB_H
#define KTSTR_EXPLORE_LAB_H

#include "run/campaign.h"

struct lab_request {
	const char *label;	  /* "ktstr" or "cargo ktstr" */
	const char *const *words; /* programs, C files, and at most one name of a test */
	size_t word_count;
	const char *binary; /* the program with the test, if several have it; or NULL */
	const char *kernel; /* or NULL */
	bool include_eol;
	bool no_perf_mode;
	bool is_quiet;
	size_t jobs; /* 0 = depends on CPUs and memory */
	const char *scheduler_profile;
	const char *scheduler; /* program to use; NULL = the test's own */
	struct run_knobs knobs;
};

struct lab {
	struct runner_options options;
	const char **paths;
	const char *kernels[1];
	struct filter filter;
	struct campaign campaign;
	const struct task *task; /* every trial is a copy of it */
	bool is_prepared;
};

/* Returns -EINVAL with a message unless exactly one test is selected that needs a VM. */
int lab_open(struct lab *l, const struct lab_request *r);
void lab_finish(struct lab *l);

#define _lab_ _cleanup_(lab_finish)

/* One run. Times are host time. */
struct trial {
	uint64_t seed;
	const struct run_knobs *knobs;
	const char *trace;	       /* file, or NULL */
	const struct probe_test *test; /* with another duration or strategy; NULL = the lab's */
	const char *input;	       /* file for the test program, see struct job; or NULL */
	const char *bpf_dir;	       /* for coverage of BPF programs, or NULL */
	bool counts_kernel;	       /* with bpf_dir: also functions of sched_ext */
	bool explains;		       /* auto-repro explains failures, if the test allows it */

	/* Set by the run. */
	bool is_done;
	enum test_status status;
	char *signature;		    /* of a failure, or NULL */
	char *cause;			    /* first sentence of the failure, or NULL */
	char *text;			    /* failure text for the user, or NULL */
	char *unstarted;		    /* why the scheduler could not be executed, or NULL */
	char digest[SHA256_HEX_SIZE];	    /* "" = no output of the guest */
	uint64_t guest_ns;		    /* guest clock at the end; 0 = unknown */
	unsigned int workers;		    /* in the result; 0 = unknown */
	size_t steps;			    /* executed steps of scenarios; 0 = unknown */
	uint64_t sched_events, sched_tasks; /* with a strategy; 0 = unknown */
};
void trials_finish(struct trial *trials, size_t count);

/* Stores the results of a judged run in the trial. */
int trial_keep(struct trial *t, const struct outcome *o, const struct judgement *j);

/* Returns -EINVAL with a message if there are not so many seeds from this one on. */
int trial_seeds_check(uint64_t first, uint64_t count);

struct lab_watch {
	/*
	 * False = start no more. A negative errno in *rc ends everything. NULL = always
	 * continue.
	 */
	bool (*ended)(void *ctx, struct trial *t, const struct judgement *j, int *rc);
	void (*tick)(void *ctx); /* called periodically, or NULL */
	void *ctx;
};

/* Returns 0 if all are done or ended() stopped it; -EINTR if interrupted. */
int lab_run(struct lab *l, struct trial *trials, size_t count, const struct lab_watch *watch);

/* True for a failure of the test, not of the run itself. */
bool trial_has_failed(const struct trial *t);

/* Appends a blank and a word of a shell command; and the whole command that runs this trial. */
void lab_add_word(struct str *out, const char *word);
void lab_add_command(const struct lab *l, const struct run_knobs *knobs, uint64_t seed,
		     struct str *out);

const struct variant *lab_variant(const struct lab *l);

/* The version, or the path of the kernel. */
const char *lab_kernel(const struct lab *l);

/* The strategy by which seeds are explored, and its theoretical guarantee. */

#define STRATEGY_NONE "no strategy" /* --no-jitter */

struct strategy {
	const char *name;
	unsigned int depth;	/* 0 = not applicable */
	uint64_t events, tasks; /* of a run, measured or given; 0 = unknown */
};

/*
 * The strategy of the lab's knobs. For pct, a first run without change points measures how
 * many events and tasks a run of the test has; unless the knobs have that number, it is set
 * there. The seed of this run is fixed, so that repeated measurements agree.
 */
int strategy_measure(struct lab *l, struct strategy *out);

/* The least probability that a run shows a failure of that depth, in theory; 0 = no bound. */
double strategy_bound(const struct strategy *s);

void strategy_add_text(const struct strategy *s, struct str *out);
void strategy_put_json(const struct strategy *s, struct json *j);

#endif
