/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of this room share and nobody else uses. */
#ifndef KTSTR_FUZZ_PARTS_H
#define KTSTR_FUZZ_PARTS_H

#include "fuzz/fuzz.h"

/* The test program whose scenarios are a file: where it lies in the cache, to be freed. */
int fuzz_program_file(char **path);

/* ---- guests ---- */

#define FUZZ_GUESTS 4 /* of a batch; what comes of them is looked at in their order */
#define FUZZ_CHAIN 24 /* scenarios in a guest, at most */
#define FUZZ_NEW SIZE_MAX

enum fuzz_end { FUZZ_END_PASSED, FUZZ_END_SKIPPED, FUZZ_END_INVALID };

/* Scenarios that run in one guest, one after the other, until one fails. */
struct fuzz_chain {
	size_t count;
	struct fuzz_input inputs[FUZZ_CHAIN];	/* on the machine of the first, with its seed */
	size_t entries[FUZZ_CHAIN];		/* of the corpus, or FUZZ_NEW */
	struct fuzz_origin origins[FUZZ_CHAIN]; /* of new ones */

	/* Afterwards. Where it failed the next one is why, or if there is none, any of them. */
	size_t ended;
	enum fuzz_end ends[FUZZ_CHAIN];
	double waits_us[FUZZ_CHAIN];
	char *bpf_dir;
};

struct fuzz_batch {
	size_t count;
	struct fuzz_chain *chains;
	struct trial *trials;
};

int fuzz_batch_init(struct fuzz_batch *b);
/* Runs the chains. -EINTR when interrupted: some are not done then. */
int fuzz_batch_run(struct fuzz *f, struct fuzz_batch *b);
void fuzz_batch_finish(struct fuzz_batch *b);

#define _fuzz_batch_ _cleanup_(fuzz_batch_finish)

/* Failed, and not because a scenario could not be carried out. */
bool fuzz_trial_has_failed(const struct trial *t);

/* Of several processes that share a corpus each runs its part of what is there at the beginning. */
void fuzz_leave_to_others(struct fuzz *f);

/* ---- what runs next: choice.c ---- */

/*
 * For a guest there: made anew, or out of the corpus, those first that reach what few do; more often in
 * the way that brought more lately. How it was made.
 */
struct fuzz_origin fuzz_next_input(struct fuzz *f, const struct fuzz_input *place,
				   struct fuzz_input *in);
/* The machine and strategy of a guest: of those that brought more lately, and sometimes of any. */
void fuzz_next_place(struct fuzz *f, struct fuzz_input *place);
/* A run of this input brought so much, and one that was made like this. */
void fuzz_note_place(struct fuzz *f, const struct fuzz_input *in, size_t features);
void fuzz_note_origin(struct fuzz *f, const struct fuzz_origin *origin, size_t features);

/* ---- failures ---- */

/* A chain that failed: counts it, and where it is the first of its kind, makes a test of it. */
int fuzz_failure_add(struct fuzz *f, const struct fuzz_chain *chain, const struct trial *t);
void fuzz_failure_finish(struct fuzz_failure *failure);

/*
 * The fewest scenarios that fail when they begin in a guest of their own: the failure's input, and
 * those that have to run before it. False in *is_confirmed: none did again.
 */
int fuzz_isolate(struct fuzz *f, const struct fuzz_chain *chain, struct fuzz_failure *failure,
		 bool *is_confirmed);

/* A smaller form that still fails. */
int fuzz_shrink(struct fuzz *f, struct fuzz_failure *failure);

/* fuzz-N.c in the current directory, where such a test fails. */
int fuzz_write_test(struct fuzz *f, struct fuzz_failure *failure);

/*
 * The kernel ends a scheduler that has no cpu_online and cpu_offline when a CPU comes or goes, so
 * that its loader starts it anew. *is_meant: that is why this input failed. No CPU goes any more then.
 */
int fuzz_ends_at_hotplug(struct fuzz *f, const struct fuzz_input *in, const struct trial *t,
			 bool *is_meant);

/* ---- the screen ---- */

/* Since the campaign began. */
double fuzz_seconds(const struct fuzz *f);

/* What the campaign has come to, for so many columns. */
void fuzz_screen_add(const struct fuzz *f, double seconds, unsigned int columns, struct str *out);
void fuzz_screen_draw(struct fuzz *f);
/* The same where there is a screen and it is old. */
void fuzz_screen_tick(struct fuzz *f);

/* Whether it failed by this signature. */
bool fuzz_trial_is_same(const struct trial *t, const char *signature);

#endif
