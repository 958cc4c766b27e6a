/* SPDX-License-Identifier: GPL-2.0-only */
/* What a test wants before its body does anything: its scheduler is there then, and so are its maps. */
#ifndef KTSTR_WATCH_WATCHER_WISHES_H
#define KTSTR_WATCH_WATCHER_WISHES_H

#include "watch/watcher.h"

/*
 * Once. A wish that cannot be met has a line in w->problems, with the attribute's name. has_kernel: the
 * guest's memory can be read; else w->series.problem says why not.
 */
void watcher_meet_wishes(struct watcher *w, bool has_kernel);

#endif
