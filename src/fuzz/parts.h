/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of this room share and nobody else uses. */
#ifndef KTSTR_FUZZ_PARTS_H
#define KTSTR_FUZZ_PARTS_H

#include "fuzz/fuzz.h"

/* The test program whose scenario is a file: where it lies in the cache, to be freed. */
int fuzz_program_file(char **path);

/* Inputs are run so many at a time; what comes of them is looked at in their order. */
#define FUZZ_BATCH 8

struct fuzz_batch {
	size_t count;
	struct fuzz_input inputs[FUZZ_BATCH];
	struct trial *trials;
	double waits_us[FUZZ_BATCH];
	char *bpf_dirs[FUZZ_BATCH];
};

/* Runs the inputs. -EINTR when interrupted: some are not done then. */
int fuzz_batch_run(struct fuzz *f, struct fuzz_batch *b);
void fuzz_batch_finish(struct fuzz_batch *b);

/* An input that failed: counts it, and where it is the first of its kind, makes a test of it. */
int fuzz_failure_add(struct fuzz *f, const struct fuzz_input *in, const struct trial *t);

#endif
