/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `ktstr fuzz`: scenarios at random under a scheduler, in sim. What reaches new places of its BPF
 * programs, or makes somebody wait longer than ever, is kept and changed further; what fails is
 * shrunk and written as a test.
 */
#ifndef KTSTR_FUZZ_FUZZ_H
#define KTSTR_FUZZ_FUZZ_H

#include "explore/lab.h"
#include "fuzz/input.h"
#include "run/discover.h"
#include "watch/cover.h"

struct fuzz_options {
	const char *label;     /* "ktstr" or "cargo ktstr" */
	const char *scheduler; /* as it was named */
	char *const *args;     /* of it */
	size_t arg_count;
	const char *kernel;	  /* or NULL */
	const char *corpus;	  /* directory */
	const char *const *muted; /* signatures that are not told, or parts of them */
	size_t muted_count;
	const char **invariants; /* of the scheduler, see check/invariant.h */
	size_t invariant_count;
	uint64_t seed, budget_ns;
	uint64_t runs; /* at most; 0 = as many as there is time for */
	size_t jobs;
	struct shard shard;   /* of processes that share a corpus */
	bool ignores_weights; /* the scheduler does: shares by weight are not judged */
	bool is_uniform;      /* every input is made anew: for comparison */
	bool stops_on_failure;
	bool minimises; /* the corpus, and nothing else */
	bool explains;	/* failures, by auto-repro */
	bool no_perf_mode, is_quiet;
	bool has_screen; /* stdout is a terminal that shows the campaign while it goes on */
};

/* ---- what was reached ---- */

/*
 * Places of BPF programs and how often they were executed, roughly; places of the kernel's
 * sched_ext; lengths of waits.
 */
enum fuzz_kind { FUZZ_LINES, FUZZ_BRANCHES, FUZZ_KERNEL, FUZZ_PAIRS, FUZZ_KINDS };
extern const char *const fuzz_kind_names[FUZZ_KINDS];

struct fuzz_cover {
	struct fuzz_slot *slots;
	size_t size, count;
	size_t kinds[FUZZ_KINDS]; /* of them */
	uint32_t runs;
	double worst_wait_us;
};

/* What a run had that none had before it: how much, and some of it. */
#define FUZZ_OWN 64
struct fuzz_news {
	size_t count;
	uint64_t own[FUZZ_OWN]; /* as many as fit; 0 = no more */
};

int fuzz_cover_add(struct fuzz_cover *c, const struct bpf_cover *run, double wait_us,
		   struct fuzz_news *news);
/* How rare these are: each counts the less, the more runs had it. */
double fuzz_cover_rarity(const struct fuzz_cover *c, const uint64_t own[FUZZ_OWN]);
void fuzz_cover_finish(struct fuzz_cover *c);

/* ---- the corpus ---- */

struct fuzz_entry {
	struct fuzz_input input;
	const char *name;	/* of its file: one of the corpus's names */
	uint64_t own[FUZZ_OWN]; /* see struct fuzz_news */
	unsigned int picks;	/* how often it was changed */
	double success;		/* of that: 1 for as much as others brought at the time */
	bool is_run;		/* by this campaign, or about to be */
};

struct fuzz_corpus {
	const char *dir;
	VEC(struct fuzz_entry) entries;
	struct texts names; /* of files that were looked at or written */
	struct texts known; /* signatures of failures that were told by an earlier campaign */
};

/* The directory is made where there is none. Files that are no inputs are told and left alone. */
int fuzz_corpus_open(struct fuzz_corpus *c, const char *dir);
/* What others have put there since. */
int fuzz_corpus_read(struct fuzz_corpus *c);
int fuzz_corpus_add(struct fuzz_corpus *c, const struct fuzz_input *in,
		    const uint64_t own[FUZZ_OWN]);
/* The shortest first. */
void fuzz_corpus_sort(struct fuzz_corpus *c);
/* The file; the entry stays. */
int fuzz_corpus_remove(const struct fuzz_corpus *c, const struct fuzz_entry *e);
/* An input that fails, and by which signature it does. */
int fuzz_corpus_add_failure(struct fuzz_corpus *c, const struct fuzz_input *in,
			    const char *signature);
void fuzz_corpus_finish(struct fuzz_corpus *c);

/* ---- failures ---- */

struct fuzz_failure {
	char *signature, *text;
	char *file;		   /* the test that fails, or NULL: no seed of it does */
	char *trace, *explanation; /* files of its run, or NULL */
	struct fuzz_input input;
	VEC(struct fuzz_input) before; /* it in the same guest, or it does not fail */
	uint64_t runs, first_run;      /* how many had it, and which was the first, from 1 */
	unsigned int tries;	       /* runs to shrink it */
	bool is_known;		       /* by an earlier campaign, or muted */
	bool is_put_off;	       /* interrupted: its scenario is in the corpus */
};

/* What failures have in common: the kernel's words as it took the scheduler down, else the kind. */
char *fuzz_signature(const char *signature);

/* A step that the library could not take says nothing of the scheduler. */
bool fuzz_is_invalid(const char *signature);

/* ---- the campaign ---- */

/* How far it had come at some time. */
struct fuzz_point {
	double seconds;
	uint64_t runs;
	size_t features, kept, failures;
	size_t kinds[FUZZ_KINDS]; /* of features */
};

/* How a scenario was made, and the first entry of the corpus that it was made of. */
enum fuzz_way { FUZZ_ANEW, FUZZ_RICH, FUZZ_CHANGED, FUZZ_SPLICED, FUZZ_WAYS };
struct fuzz_origin {
	enum fuzz_way way;
	size_t parent;
};

/* What guests of a machine and strategy bring, or scenarios made in a way; newer ones count more. */
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
	struct bpf_cover bpf; /* all runs that reached something new */
	VEC(struct fuzz_failure) failures;
	uint64_t runs, passed, failed, skipped, invalid; /* scenarios */
	uint64_t shrinking;				 /* guests */
	uint64_t removed;				 /* files of the corpus, by --minimise */
	uint64_t unconfirmed; /* failures among others that were not seen again */
	uint64_t begun_ns, deadline_ns;
	VEC(struct fuzz_point) curve; /* one for each batch of guests */
	struct str status;	      /* of the progress line */
	uint64_t shown_ns;	      /* the screen was drawn last */
	bool is_interrupted;
	uint32_t left_out; /* kinds of operations: the kernel has none, or the scheduler wants none */
	double seconds;
};

/* Everything up to the first run; *f must be zeroed. */
int fuzz_open(struct fuzz *f, const struct fuzz_options *o);
/* 0, also when interrupted, or a negative errno with a message. */
int fuzz_run(struct fuzz *f);
void fuzz_finish(struct fuzz *f);

/* One of RUN_EXIT_*. */
int fuzz_exit_code(const struct fuzz *f);

int fuzz_add_text(const struct fuzz *f, struct str *out);
int fuzz_put_json(const struct fuzz *f, struct json *j);
/* A page with the curve. */
int fuzz_add_html(const struct fuzz *f, struct str *out);

#endif
