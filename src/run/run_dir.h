/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a run leaves its records: {runs root}/{kernel}-{project commit}. A new run
 * replaces the records of the one before and says so; they are kept beside it when a
 * history is wanted, or when they are of a scheduler that the new run does not test.
 */
#ifndef KTSTR_RUN_RUN_DIR_H
#define KTSTR_RUN_RUN_DIR_H

#include "base/base.h"

struct project_commit {
	char *text; /* "1a2b3c4" or "1a2b3c4-dirty"; NULL = not in a repository */
};

/*
 * HEAD of the repository around the current directory, and whether tracked files
 * differ. KTSTR_PROJECT_COMMIT says it for whom we run.
 */
int project_commit_read(struct project_commit *c);
void project_commit_finish(struct project_commit *c);

struct run_dir_request {
	const char *kernel;	    /* version; NULL = unknown */
	const char *project_commit; /* or NULL */
	const char *epoch;	    /* records of the same one are kept */
	unsigned int history;	    /* earlier runs to keep; 0 = none */
	const char *schedulers;	    /* lines "HASH PATH": what is tested; NULL = nothing */
	/* Of a kernel whose directory another kernel of the run has already, or NULL: records
	 * have the same file names whatever the kernel. */
	const char *label;
};

struct run_dir {
	char *path;
};

/*
 * Makes the directory ready for the records of this run. KTSTR_SIDECAR_DIR is
 * taken as it is, with a directory below it for a label. -EWOULDBLOCK naming the holders when
 * others are at it for 30 s.
 */
int run_dir_open(const struct run_dir_request *r, struct run_dir *out);
void run_dir_finish(struct run_dir *d);

#define _run_dir_ _cleanup_(run_dir_finish)

/* Programs and C files of a run, one absolute path to a line: for replaying it. */
#define RUN_PROGRAMS_FILE ".programs"

/*
 * Remembers that this file is ours, by its inode and times: a run that was copied here from
 * elsewhere has none that is.
 */
void run_programs_mark(const char *path);
bool run_programs_are_ours(const char *path);
/* The schedulers' programs, a line "HASH PATH" each. */
#define RUN_SCHEDULERS_FILE ".schedulers"
/* Below a run's directory: the records of its replay. A dot-directory is not a run. */
#define RUN_REPLAY_DIR ".replay"
/* Likewise: those of attempts that failed before another one was made, a directory for each. */
#define RUN_ATTEMPTS_DIR ".attempts"

/* Makes the directory of that attempt, from which it can be replayed. *path is to be freed. */
int run_dir_of_attempt(const char *dir, unsigned int attempt, char **path);

/* Below a run's directory, with the seed behind it: records of a run of many seeds. */
#define RUN_SEED_DIR "seed_"

/* A token for one run: KTSTR_RUN_EPOCH, or a fresh one. To be freed. */
char *run_epoch(void);

/* {KTSTR_RUNS_ROOT or ktstr below CARGO_TARGET_DIR or target}. To be freed. */
char *run_root(void);

#endif
