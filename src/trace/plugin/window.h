/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Of a run in which one task waited too long, nobody knows when, only the records of its longest
 * wait: the last ones are kept in memory, and written when a wait is over that is longer than those
 * before. However long the run is, this is what is wanted of it.
 */
#ifndef KTSTR_TRACE_WINDOW_H
#define KTSTR_TRACE_WINDOW_H

#include "trace/format.h"

/*
 * window=NANOSECONDS before a wait that belong to it, window_pid=NUMBER: whose wait. Numbers are
 * hexadecimal. False = another argument.
 */
bool window_take_argument(const char *text);

bool window_is_wanted(void);

/* A record of this run, of which those that are names are kept all; fd: the file of the trace. */
void window_take(const struct trace_record *r, int fd);

/* Whether there is a lot of room for the wait that goes on. */
bool window_has_room(void);

/* The run is over, a wait with it. */
void window_finish(int fd);

#endif
