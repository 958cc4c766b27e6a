/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts of executed code, in programs that a compiler was asked to put them into.
 * gcov and clang write them when a program exits; processes that end by _exit() have
 * to do it themselves. In all other programs nothing happens here.
 */
#ifndef KTSTR_BASE_PROFILE_H
#define KTSTR_BASE_PROFILE_H

/*
 * In a child that never returns to who forked it: its copy of clang's counters begins
 * at zero, or else what the parent counted would be written twice. A child that goes on
 * in the middle of a function must not do this: counts of branches that are calculated
 * from others would come out wrong.
 */
void profile_begin_child(void);

/* Writes what this process has counted, before an _exit(). */
void profile_write(void);

#endif
