/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What of the command line changes a run of a test, besides kernel, accelerator and
 * seed. Records keep it as the options themselves, so that a run can be repeated and
 * the command that repeats it can be told.
 */
#ifndef KTSTR_RUN_KNOBS_H
#define KTSTR_RUN_KNOBS_H

#include "vm/spec.h"

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

/* A warning for each option of sim that guests of another accelerator do not heed. */
void run_knobs_check_accel(const struct run_knobs *k, enum vm_accel accel);

/* The inverse: *k is the default with these words. -EINVAL naming the word. */
int run_knobs_parse(struct run_knobs *k, const char *const *words, size_t count);

#endif
