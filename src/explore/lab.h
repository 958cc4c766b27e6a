/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One test, made ready once to be run many times in sim: programs, kernel, QEMU and
 * the guest's files are looked up once, and every trial starts from the same saved
 * guest. Trials leave no records.
 */
#ifndef KTSTR_EXPLORE_LAB_H
#define KTSTR_EXPLORE_LAB_H

#include "run/campaign.h"

struct lab_request {
	const char *label;	  /* "ktstr" or "cargo ktstr" */
	const char *const *words; /* programs, C files, and at most one name of a test */
	size_t word_count;
	const char *binary; /* the program with the test, where several have it; or NULL */
	const char *kernel; /* or NULL */
	bool include_eol;
	bool no_perf_mode;
	bool is_quiet;
	size_t jobs; /* 0 = by CPUs and memory */
	const char *scheduler_profile;
	const char *scheduler; /* program to take; NULL = the test's own */
	struct run_knobs knobs;
};

struct lab {
	struct runner_options options;
	const char **paths;
	const char *kernels[1];
	struct filter filter;
	struct campaign campaign;
	const struct task *task; /* what every trial is a copy of */
	bool is_prepared;
};

/* -EINVAL with a message when not exactly one test is meant, or it needs no VM. */
int lab_open(struct lab *l, const struct lab_request *r);
void lab_finish(struct lab *l);

#define _lab_ _cleanup_(lab_finish)

/* One run of it. Times are host time. */
struct trial {
	uint64_t seed;
	const struct run_knobs *knobs;
	const char *trace;	       /* file, or NULL */
	const struct probe_test *test; /* with another duration or strategy; NULL = the lab's */
	const char *input;	       /* file for the test program, see struct job; or NULL */
	const char *bpf_dir;	       /* for what it executes of BPF programs, or NULL */
	bool counts_kernel;	       /* with it: functions of sched_ext, too */
	bool explains;		       /* a failure, by auto-repro, where the test wants that */

	/* Afterwards. */
	bool is_done;
	enum test_status status;
	char *signature;		    /* of a failure, or NULL */
	char *cause;			    /* the sentence of it that is told first, or NULL */
	char *text;			    /* what the user reads of it, or NULL */
	char *unstarted;		    /* why the scheduler could not be executed, or NULL */
	char digest[SHA256_HEX_SIZE];	    /* "" = the guest said nothing */
	uint64_t guest_ns;		    /* the guest's clock at its end; 0 = not known */
	unsigned int workers;		    /* that the result counts; 0 = it does not tell */
	size_t steps;			    /* of scenarios that were taken; 0 = it does not tell */
	uint64_t sched_events, sched_tasks; /* with a strategy; 0 = not known */
};
void trials_finish(struct trial *trials, size_t count);

/* What is kept of a run once it was judged. */
int trial_keep(struct trial *t, const struct outcome *o, const struct judgement *j);

/* -EINVAL with a message when there are not so many seeds from this one on. */
int trial_seeds_check(uint64_t first, uint64_t count);

struct lab_watch {
	/* False = start no more. A negative errno in *rc ends everything. NULL: always go on. */
	bool (*ended)(void *ctx, struct trial *t, const struct judgement *j, int *rc);
	void (*tick)(void *ctx); /* now and then, or NULL */
	void *ctx;
};

/* 0 when all are done or ended() wanted no more; -EINTR when interrupted. */
int lab_run(struct lab *l, struct trial *trials, size_t count, const struct lab_watch *watch);

/* A failure of the test, not of the run. */
bool trial_has_failed(const struct trial *t);

/* Appends the command that runs this trial, for a shell. */
void lab_add_command(const struct lab *l, const struct run_knobs *knobs, uint64_t seed,
		     struct str *out);

const struct variant *lab_variant(const struct lab *l);

/* The version, or where the kernel lies. */
const char *lab_kernel(const struct lab *l);

/* By which strategy seeds are explored, and what theory promises of it. */

#define STRATEGY_NONE "no strategy" /* --no-jitter */

struct strategy {
	const char *name;
	unsigned int depth;	/* 0 = it has none */
	uint64_t events, tasks; /* of a run, as measured or told; 0 = not known */
};

/*
 * The strategy of the lab's knobs. Of pct a first run, without change points, tells how many
 * events and tasks a run of the test has; unless the knobs tell it, they get that number.
 * It is always the run of the same seed, so that whoever measures again gets the same.
 */
int strategy_measure(struct lab *l, struct strategy *out);

/* At least so many of all runs show a failure of that depth, if the theory holds; 0 = no bound. */
double strategy_bound(const struct strategy *s);

void strategy_add_text(const struct strategy *s, struct str *out);
void strategy_put_json(const struct strategy *s, struct json *j);

#endif
