/* SPDX-License-Identifier: GPL-2.0-only */
/* How a watcher is told where a guest stops: see watcher_plugin.c. */
#ifndef KTSTR_WATCH_WATCHER_PLUGIN_H
#define KTSTR_WATCH_WATCHER_PLUGIN_H

#include "watch/watcher.h"

/* Of emulated x86-64 guests: the plugin's option and its socket. */
int watcher_open_plugin(struct watcher *w);

/* Of others, where writes are watched. */
int watcher_open_stub(struct watcher *w);

#endif
