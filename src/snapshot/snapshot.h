/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file of a test's snapshots, written by watch/moment.c, for test code:
 * <ktstr/snapshot.h> has the functions. The file comes from a guest; nothing in it is
 * trusted.
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

/*
 * Returns -EINVAL with a message if the text is not a file of snapshots. *all must be
 * finished in any case.
 */
int snapshots_parse(struct ktstr_snapshots *all, const char *text, size_t len);
int snapshots_load(struct ktstr_snapshots *all, const char *path);
void snapshots_finish(struct ktstr_snapshots *all);

/* Adds a note about names that were used for more than one request. */
void snapshots_note_reuse(const struct ktstr_snapshots *all, struct ktstr_result *res);

#endif
