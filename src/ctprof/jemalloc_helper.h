/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process of its own for the two questions that are dangerous to answer here.
 *
 * - What does the DWARF of somebody's program say? A large parser meets a file
 *   that a stranger may have made; a crash there must not be ours.
 * - Where does this library keep its counters? Only the library knows when it
 *   has no debug information, so it is loaded and asked: its code runs.
 *
 * The helper is this same program, started again with a clean environment. It
 * gives up every privilege before it touches the file: root becomes nobody,
 * capabilities are dropped, new ones are out of reach.
 */
#ifndef KTSTR_CTPROF_JEMALLOC_HELPER_H
#define KTSTR_CTPROF_JEMALLOC_HELPER_H

#include "ctprof/jemalloc_dwarf.h"

enum jemalloc_question {
	JEMALLOC_ASK_DWARF,   /* offsets in struct tsd_s */
	JEMALLOC_ASK_LIBRARY, /* offsets in the library's TLS block */
};

/* The names under which a jemalloc offers mallctl(); NULL ends the list. */
extern const char *const jemalloc_mallctl_names[];

/*
 * Whether a library may be loaded to be asked. A process can map any file, and
 * we may be root: code is only run when it is the file that this path leads to
 * for us, and nobody but root or ourselves could have put it there. That a file
 * belongs to root says nothing: root of a container may have written it. What
 * a container has for itself is at no such path, or another file is.
 */
bool jemalloc_may_ask(int fd, const char *path);

/* 0, or a negative errno when there was no answer. fd is the file. */
int jemalloc_ask(enum jemalloc_question question, int fd, struct jemalloc_offsets *out);

#endif
