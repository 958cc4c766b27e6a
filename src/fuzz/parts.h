/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of this directory only. */
#ifndef KTSTR_FUZZ_PARTS_H
#define KTSTR_FUZZ_PARTS_H

#include "fuzz/fuzz.h"

/* Stores the path of the test program that runs scenario files, in the cache; to be freed. */
int fuzz_program_file(char **path);

/* ---- guests ---- */

#define FUZZ_GUESTS 4 /* per batch; their results are handled in order */
#define FUZZ_CHAIN 24 /* maximum number of scenarios in a guest */
#define FUZZ_NEW SIZE_MAX

enum fuzz_end { FUZZ_END_PASSED, FUZZ_END_SKIPPED, FUZZ_END_INVALID };

/* Scenarios that run in one guest, one after the other, until one fails. */
struct fuzz_chain {
	size_t count;
	struct fuzz_input inputs[FUZZ_CHAIN];	/* all on the place of the first, with its seed */
	size_t entries[FUZZ_CHAIN];		/* index in the corpus, or FUZZ_NEW */
	struct fuzz_origin origins[FUZZ_CHAIN]; /* of new ones */

	/*
	 * Set by the run. If it failed, input number "ended" is the reason; if there is
	 * none, any of them.
	 */
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
/* Runs the chains. Returns -EINTR if interrupted: then some are not done. */
int fuzz_batch_run(struct fuzz *f, struct fuzz_batch *b);
void fuzz_batch_finish(struct fuzz_batch *b);

#define _fuzz_batch_ _cleanup_(fuzz_batch_finish)

/* True if it failed, and not because a scenario could not be executed. */
bool fuzz_trial_has_failed(const struct trial *t);

/* Of processes that share a corpus, each runs its part of what is there at the start. */
void fuzz_leave_to_others(struct fuzz *f);

/* ---- next inputs: choice.c ---- */

/*
 * Makes the next input for a guest at that place: from nothing, or from corpus entries,
 * preferably those that reach rare features. Ways with a high recent yield are chosen more
 * often. Returns how it was made.
 */
struct fuzz_origin fuzz_next_input(struct fuzz *f, const struct fuzz_input *place,
				   struct fuzz_input *in);
/* Chooses the place of a guest: by recent yield, and sometimes at random. */
void fuzz_next_place(struct fuzz *f, struct fuzz_input *place);
/* Notes how many new features a run brought, for its place and for the way it was made. */
void fuzz_note_place(struct fuzz *f, const struct fuzz_input *in, size_t features);
void fuzz_note_origin(struct fuzz *f, const struct fuzz_origin *origin, size_t features);

/* ---- failures ---- */

/* Handles a failed chain: counts it, and if it is the first of its kind, writes a test. */
int fuzz_failure_add(struct fuzz *f, const struct fuzz_chain *chain, const struct trial *t);
void fuzz_failure_finish(struct fuzz_failure *failure);

/*
 * Finds the fewest scenarios that fail in a guest of their own: the failure's input, and
 * those that have to run before it. *is_confirmed is false if none failed again.
 */
int fuzz_isolate(struct fuzz *f, const struct fuzz_chain *chain, struct fuzz_failure *failure,
		 bool *is_confirmed);

/* Replaces the input by a smaller one that still fails. */
int fuzz_shrink(struct fuzz *f, struct fuzz_failure *failure);

/* Writes fuzz-N.c in the current directory, if such a test fails. */
int fuzz_write_test(struct fuzz *f, struct fuzz_failure *failure);

/*
 * On CPU hotplug, the kernel ends a scheduler without cpu_online and cpu_offline, so that
 * its loader restarts it. *is_meant: this is why the input failed. Then no further hotplug
 * operations are made.
 */
int fuzz_ends_at_hotplug(struct fuzz *f, const struct fuzz_input *in, const struct trial *t,
			 bool *is_meant);

/* ---- the screen ---- */

/* Seconds since the start of the campaign. */
double fuzz_seconds(const struct fuzz *f);

/* Adds the state of the campaign, for so many columns. */
void fuzz_screen_add(const struct fuzz *f, double seconds, unsigned int columns, struct str *out);
void fuzz_screen_draw(struct fuzz *f);
/* Draws again if there is a screen and its content is old. */
void fuzz_screen_tick(struct fuzz *f);

/* True if it failed with this signature. */
bool fuzz_trial_is_same(const struct trial *t, const char *signature);

#endif
