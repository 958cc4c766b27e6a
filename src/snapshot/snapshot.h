/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file of a test's snapshots, as watch/moment.c writes it, for test code: <ktstr/snapshot.h> has
 * the functions. The file is the word of a guest; nothing in it is trusted.
 */
#ifndef KTSTR_SNAPSHOT_SNAPSHOT_H
#define KTSTR_SNAPSHOT_SNAPSHOT_H

#include <ktstr/ktstr.h>

#include "base/base.h"
#include "base/json_tree.h"

struct ktstr_snapshots {
	struct arena arena;
	struct str text;
	VEC(const struct json_node *) items;
	const char *problem; /* why there are none, or NULL */
};

/* -EINVAL with a message when the text is not a file of snapshots; what is in *all is to be finished always. */
int snapshots_parse(struct ktstr_snapshots *all, const char *text, size_t len);
int snapshots_load(struct ktstr_snapshots *all, const char *path);
void snapshots_finish(struct ktstr_snapshots *all);

/* Tells of names that were used for more than one request. */
void snapshots_note_reuse(const struct ktstr_snapshots *all, struct ktstr_result *res);

#endif
