/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asking the program of a scheduler about itself, here on the host. A program that does not know
 * the option may go on to do what it is for: bpf(2) is refused to it, so that it never becomes
 * this machine's scheduler, and its time and output are limited.
 */
#ifndef KTSTR_RUN_SCHEDULER_ASK_H
#define KTSTR_RUN_SCHEDULER_ASK_H

#include "base/str.h"

/* Its exit status, with what it printed for this option added to out; or a negative errno. */
int scheduler_ask(const char *path, const char *option, struct str *out);

/*
 * The first line of what it prints for --version, to be freed; NULL when it knows no version.
 * It is asked once and remembered until the file changes. Only running out of memory is an error.
 */
int scheduler_version(const char *path, char **version);

/* A line that can be a version: it has a digit, no control characters, and is not long. */
bool scheduler_version_read(const char *text, struct str *version);

#endif
