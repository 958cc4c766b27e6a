/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `ktstr fuzz`: random scenarios under a scheduler, in the simulator. Inputs that reach new
 * places of its BPF programs, or cause the longest wait so far, are kept and changed
 * further. Inputs that fail are shrunk and written as tests.
 */
#ifndef KTSTR_FUZZ_FUZZ_H
#define KTSTR_FUZZ_FUZZ_H

#include "explore/lab.h"
#include "fuzz/input.h"
#include "run/discover.h"
#include "watch/cover.h"

struct fuzz_options {
	const char *label;     /* "ktstr" or "cargo ktstr" */
	const char *scheduler; /* as given by the user */
	char *const *args;     /* of the scheduler */
	size_t arg_count;
	const char *kernel;	  /* or NULL */
	const char *corpus;	  /* directory */
	const char *const *muted; /* signatures, or parts of them, that are not reported */
	size_t muted_count;
	const char **invariants; /* of the scheduler, see check/invariant.h */
	size_t invariant_count;
	uint64_t seed, budget_ns;
	uint64_t runs; /* maximum; 0 = as many as there is time for */
	size_t jobs;
	struct shard shard;   /* among processes that share a corpus */
	bool ignores_weights; /* declared by the user: shares by weight are not judged */
	bool is_uniform;      /* every input is made from nothing, for comparison */
	bool stops_on_failure;
	bool minimises; /* only minimise the corpus */
	bool explains;	/* explain failures by auto-repro */
	bool no_perf_mode, is_quiet;
	bool has_screen; /* stdout is a terminal that shows the progress */
};

/* ---- coverage ---- */

/*
 * Features: places of BPF programs with the order of magnitude of their counts; places of
 * the kernel's sched_ext; lengths of waits.
 */
enum fuzz_kind { FUZZ_LINES, FUZZ_BRANCHES, FUZZ_KERNEL, FUZZ_PAIRS, FUZZ_KINDS };
extern const char *const fuzz_kind_names[FUZZ_KINDS];

struct fuzz_cover {
	struct fuzz_slot *slots;
	size_t size, count;
	size_t kinds[FUZZ_KINDS]; /* count by kind */
	uint32_t runs;
	double worst_wait_us;
};

/* Features that a run had first: how many, and some of them. */
#define FUZZ_OWN 64
struct fuzz_news {
	size_t count;
	uint64_t own[FUZZ_OWN]; /* as many as fit; 0 = end */
};

int fuzz_cover_add(struct fuzz_cover *c, const struct bpf_cover *run, double wait_us,
		   struct fuzz_news *news);
/* Sum of the rarity of these features: each counts less the more runs had it. */
double fuzz_cover_rarity(const struct fuzz_cover *c, const uint64_t own[FUZZ_OWN]);
void fuzz_cover_finish(struct fuzz_cover *c);

/* ---- the corpus ---- */

struct fuzz_entry {
	struct fuzz_input input;
	const char *name;	/* of its file; one of the corpus's names */
	uint64_t own[FUZZ_OWN]; /* see struct fuzz_news */
	unsigned int picks;	/* how often it was chosen to be changed */
	double success;		/* of these changes: 1 = as much as the average at the time */
	bool is_run;		/* run or planned by this campaign */
};

struct fuzz_corpus {
	const char *dir;
	VEC(struct fuzz_entry) entries;
	struct texts names; /* of files that were read or written */
	struct texts known; /* signatures of failures that an earlier campaign reported */
};

/*
 * Creates the directory if it does not exist. Files that are not inputs are reported and
 * left alone.
 */
int fuzz_corpus_open(struct fuzz_corpus *c, const char *dir);
/* Reads what other processes have added since. */
int fuzz_corpus_read(struct fuzz_corpus *c);
int fuzz_corpus_add(struct fuzz_corpus *c, const struct fuzz_input *in,
		    const uint64_t own[FUZZ_OWN]);
/* Shortest first. */
void fuzz_corpus_sort(struct fuzz_corpus *c);
/* Removes the file; the entry stays. */
int fuzz_corpus_remove(const struct fuzz_corpus *c, const struct fuzz_entry *e);
/* Adds a failing input with its signature. */
int fuzz_corpus_add_failure(struct fuzz_corpus *c, const struct fuzz_input *in,
			    const char *signature);
void fuzz_corpus_finish(struct fuzz_corpus *c);

/* ---- failures ---- */

struct fuzz_failure {
	char *signature, *text;
	char *file;		   /* the failing test; NULL = it fails with no seed */
	char *trace, *explanation; /* files of its run, or NULL */
	struct fuzz_input input;
	VEC(struct fuzz_input) before; /* have to run before it in the same guest for it to fail */
	uint64_t runs, first_run;      /* number of failing runs, and the first of them, from 1 */
	unsigned int tries;	       /* runs to shrink it */
	bool is_known;		       /* to an earlier campaign, or muted */
	bool is_put_off;	       /* interrupted: its input is in the corpus */
};

/*
 * The common part of failures: the kernel's message when it ejected the scheduler, else the
 * kind.
 */
char *fuzz_signature(const char *signature);

/* True for a step that the library could not execute: that says nothing about the scheduler. */
bool fuzz_is_invalid(const char *signature);

/* ---- the campaign ---- */

/* Progress at some time. */
struct fuzz_point {
	double seconds;
	uint64_t runs;
	size_t features, kept, failures;
	size_t kinds[FUZZ_KINDS]; /* of features */
};

/* How an input was made, and the first corpus entry that it was made from. */
enum fuzz_way { FUZZ_ANEW, FUZZ_RICH, FUZZ_CHANGED, FUZZ_SPLICED, FUZZ_WAYS };
struct fuzz_origin {
	enum fuzz_way way;
	size_t parent;
};

/* Yield of a place (machine and strategy), or of a way to make inputs; recent runs count more. */
struct fuzz_yield {
	double runs, features;
};

struct fuzz {
	const struct fuzz_options *options;
	struct lab lab;
	bool is_open;
	char *program, *scheduler, *scratch;
	struct fuzz_random random;
	struct fuzz_uses uses;
	struct fuzz_corpus corpus;
	struct fuzz_cover cover;
	struct fuzz_yield places[FUZZ_PLACES], ways[FUZZ_WAYS];
	struct bpf_cover bpf; /* union of all runs that reached something new */
	VEC(struct fuzz_failure) failures;
	uint64_t runs, passed, failed, skipped, invalid; /* scenarios */
	uint64_t shrinking;				 /* number of guests */
	uint64_t removed;				 /* files of the corpus, by --minimise */
	uint64_t unconfirmed; /* failures that did not occur again when isolated */
	uint64_t begun_ns, deadline_ns;
	VEC(struct fuzz_point) curve; /* one point per batch of guests */
	struct str status;	      /* text of the progress line */
	uint64_t shown_ns;	      /* when the screen was last drawn */
	bool is_interrupted;
	uint32_t left_out; /* kinds of operations that kernel or scheduler do not support */
	double seconds;
};

/* Prepares everything up to the first run; *f must be zeroed. */
int fuzz_open(struct fuzz *f, const struct fuzz_options *o);
/* Returns 0, also when interrupted, or a negative errno with a message. */
int fuzz_run(struct fuzz *f);
void fuzz_finish(struct fuzz *f);

/* Returns one of RUN_EXIT_*. */
int fuzz_exit_code(const struct fuzz *f);

int fuzz_add_text(const struct fuzz *f, struct str *out);
int fuzz_put_json(const struct fuzz *f, struct json *j);
/* Adds an HTML page with the curve. */
int fuzz_add_html(const struct fuzz *f, struct str *out);

#endif
