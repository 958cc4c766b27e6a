/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names that survive restarts: parts of thread, process and cgroup names that only number instances
 * are replaced by a placeholder, so that kworker/3:1 and kworker/7:0 are the same, kworker/{N}:{N}.
 *
 * Names are bytes. Non-ASCII bytes count as letters and are kept.
 */
#ifndef KTSTR_CTPROF_NAME_H
#define KTSTR_CTPROF_NAME_H

#include "base/base.h"

/* Appends the skeleton of a thread or process name. */
void name_skeleton(const char *name, struct str *out);

/* Appends the skeleton of a cgroup path: instances of user@1001.service become {I}. */
void cgroup_skeleton(const char *path, struct str *out);

/*
 * Appends the first glob that matches the path, or the path itself; true if one matched. A * also
 * matches slashes. A backslash is an ordinary character, because systemd uses it in paths.
 */
bool cgroup_flatten(const char *path, const char *const *globs, size_t count, struct str *out);

/* 0, or -EINVAL with a message that names the glob. */
int cgroup_glob_check(const char *glob);

/*
 * Display name of a bucket of cgroup paths with the same skeleton: a token that all of them share
 * is shown literally, others as the placeholder. Starts zeroed.
 */
struct name_tightener {
	char *first;
	bool *differs; /* by token of first */
	size_t count, cap;
};

/* Adds a member; -ENOMEM with a message. */
int name_tightener_add(struct name_tightener *t, const char *path);
void name_tightener_text(const struct name_tightener *t, struct str *out);
void name_tightener_finish(struct name_tightener *t);

#define _name_tightener_ _cleanup_(name_tightener_finish)

/* Appends a name, escaped; an empty one as "". */
void name_add_printable(struct str *out, const char *name);

#endif
