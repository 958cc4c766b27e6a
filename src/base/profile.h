/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts of executed code, in programs that a compiler was asked to put them into.
 * gcov and clang write them when a program exits; processes that end by _exit() have
 * to do it themselves. In all other programs nothing happens here.
 *
 * clang's counters live in memory that fork() copies: a child begins at zero, so that
 * what its parent counted is not written twice.
 */
#ifndef KTSTR_BASE_PROFILE_H
#define KTSTR_BASE_PROFILE_H

/* Writes what this process has counted, before an _exit(). */
void profile_write(void);

#endif
