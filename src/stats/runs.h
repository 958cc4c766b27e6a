/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Run directories and the sidecars in them. A directory of the runs root is a run unless its name
 * starts with a dot. A file that cannot be used is counted and reported; it does not prevent
 * reading the others.
 */
#ifndef KTSTR_STATS_RUNS_H
#define KTSTR_STATS_RUNS_H

#include "record/sidecar.h"

struct run_problem {
	char *path, *error;
	bool is_io; /* could not be read (otherwise: not parsed) */
};

struct run {
	char *name, *path;
	uint64_t mtime_ns;
	bool is_flat;  /* subdirectories are other runs */
	size_t walked; /* number of files that look like sidecars */
	VEC(struct sidecar *) sidecars;
	VEC(char *) paths; /* one per sidecar */
	VEC(struct run_problem) problems;
};

struct runs {
	char *root;
	bool is_archive; /* given by --dir */
	VEC(struct run) items;
};

/*
 * Lists the runs below dir (NULL = the default root), newest first, without loading them. A
 * directory with sidecars of its own is a run, too. A missing root has none.
 */
int runs_list(struct runs *runs, const char *dir);

/*
 * Lists every directory with sidecars at any depth as a run, including dir itself and directories
 * behind links in it; one below another run gets its name. Ordered by path, not loaded.
 */
int runs_collect(struct runs *runs, const char *dir);

/* Reads the sidecars of a run and one level below it, ordered by name. */
int run_load(struct run *run);
/* Loads all runs; run_source of an archive's sidecars becomes "archive". */
int runs_load(struct runs *runs);
/* All runs below a directory as runs_list() finds them, loaded, with warnings about each. */
int runs_load_all(struct runs *runs, const char *dir);

/*
 * Opens the run to report: the newest below dir; without dir KTSTR_SIDECAR_DIR, or the newest of
 * all. Loaded, with the directories of its other kernels. -ENOENT with a message.
 */
int runs_open_latest(struct runs *runs, const char *dir, struct run **run);
/* RUN is a path to a directory or a name below dir. Loaded. */
int runs_open(struct runs *runs, const char *dir, const char *name, struct run **run);

/* Prints one line to stderr if some files of the run could not be used. */
void run_warn_about_problems(const struct run *run);

void runs_finish(struct runs *runs);

#define _runs_ _cleanup_(runs_finish)

#endif
