/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing to a scheduler's variables from outside. */
#ifndef KTSTR_WATCH_MAP_WRITE_H
#define KTSTR_WATCH_MAP_WRITE_H

#include "watch/maps.h"
#include "watch/space.h"

/*
 * "state.mode=3": a global variable of a scheduler, or a part of it, of 1, 2, 4 or 8 bytes. The guest
 * does not run meanwhile. -ENOENT with the variables that there are, or -EINVAL, or -EFAULT.
 */
int map_write(const char *wish, const struct maps *maps, struct space *space);

#endif
