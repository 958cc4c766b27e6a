/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Run directories and the sidecars in them. A directory of the runs root is a run
 * unless its name begins with a dot. A file that cannot be used is counted and told
 * about; it never keeps the others from being read.
 */
#ifndef KTSTR_STATS_RUNS_H
#define KTSTR_STATS_RUNS_H

#include "check/sidecar.h"

struct run_problem {
	char *path, *error;
	bool is_io; /* could not be read, rather than understood */
};

struct run {
	char *name, *path;
	uint64_t mtime_ns;
	bool is_flat;  /* what lies below it is another run */
	size_t walked; /* files that look like sidecars */
	VEC(struct sidecar *) sidecars;
	VEC(char *) paths; /* of the sidecars, one each */
	VEC(struct run_problem) problems;
};

struct runs {
	char *root;
	bool is_archive; /* named by --dir */
	VEC(struct run) items;
};

/*
 * The runs below dir (NULL = the root of the environment), newest first, not loaded. A
 * directory with sidecars of its own is a run too. A root that is not there has none.
 */
int runs_list(struct runs *runs, const char *dir);

/*
 * Every directory with sidecars at any depth, dir itself and directories behind links in it
 * included, as a run of its own; one below another has that one's name. By path, not loaded.
 */
int runs_collect(struct runs *runs, const char *dir);

/* Reads the sidecars of a run, also those one level below it, in the order of their names. */
int run_load(struct run *run);
/* All of them; run_source of an archive's sidecars becomes "archive". */
int runs_load(struct runs *runs);
/* All runs below a directory as runs_list() finds them, loaded, with warnings about each. */
int runs_load_all(struct runs *runs, const char *dir);

/*
 * The run to report: the newest below dir, or without one KTSTR_SIDECAR_DIR, or the
 * newest of all. Loaded, with the directories of its other kernels. -ENOENT with a
 * message.
 */
int runs_open_latest(struct runs *runs, const char *dir, struct run **run);
/* RUN as a path to a directory or as a name below dir. Loaded. */
int runs_open(struct runs *runs, const char *dir, const char *name, struct run **run);

/* One line on stderr when some files of the run could not be used. */
void run_warn_about_problems(const struct run *run);

void runs_finish(struct runs *runs);

#define _runs_ _cleanup_(runs_finish)

#endif
