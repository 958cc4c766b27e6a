/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Everything of a watched guest at one moment: snapshots, the dump of a failure, and an earlier one
 * that shows what led to it.
 */
#ifndef KTSTR_WATCH_WATCHER_DUMP_H
#define KTSTR_WATCH_WATCHER_DUMP_H

#include "watch/watcher.h"

/* Nothing more can be read: rc's message becomes the series' problem. */
void watcher_give_up(struct watcher *w, int rc);

/* The kernel of a guest that boots is there some time later; false = not yet. */
bool watcher_find_kernel(struct watcher *w);

/* Where the vCPUs of a guest that stands still are. */
void watcher_read_vcpus(struct watcher *w);

/* Appends the present moment to the snapshots. */
void watcher_take_snapshot(struct watcher *w, struct moment m);

/* The dump of a failure: of several moments the first counts, as what follows is its consequence. */
void watcher_take_dump(struct watcher *w, const char *trigger);

/* The same for the earlier one, before there is a dump; name: what was seen, or NULL. */
void watcher_take_early(struct watcher *w, const char *trigger, const char *name);

#endif
