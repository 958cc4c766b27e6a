/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Coverage counters in instrumented programs. gcov and clang write them when a program exits;
 * processes that end with _exit() have to do it themselves. No effect in other programs.
 */
#ifndef KTSTR_BASE_PROFILE_H
#define KTSTR_BASE_PROFILE_H

/*
 * Called in a child that never returns to the code that forked it: resets its copy of clang's
 * counters, otherwise the parent's counts would be written twice. Must not be called in the middle
 * of a function that continues: derived counts of branches would be wrong.
 */
void profile_begin_child(void);

/* Writes the counters of this process, before an _exit(). */
void profile_write(void);

#endif
