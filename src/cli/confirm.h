/* SPDX-License-Identifier: GPL-2.0-only */
/* Asking before something is removed or run. */
#ifndef KTSTR_CLI_CONFIRM_H
#define KTSTR_CLI_CONFIRM_H

#include <stdbool.h>
#include <stddef.h>

/* 1 for yes, 0 for no (told), or an error that names --force where nobody can be asked. */
int confirm_removal(size_t count);

/* Whether the answer to "question? [y/N]" was yes; stdin is a terminal. */
bool confirm(const char *question);

#endif
