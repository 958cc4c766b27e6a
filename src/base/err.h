/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Errors with messages.
 *
 * A function that fails returns a negative errno and sets a message for the calling thread: what
 * was attempted, on what, and what to do about it. Callers may prepend context; main() prints the
 * result once.
 */
#ifndef KTSTR_BASE_ERR_H
#define KTSTR_BASE_ERR_H

#include <errno.h>
#include <stddef.h>

/* Sets the message and returns -errnum. errnum must be positive. */
int err_set(int errnum, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Like err_set(), with ": " and the text of errnum appended. */
int err_sys(int errnum, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Prepends "context: " to the message of a negative rc; returns rc unchanged. */
int err_wrap(int rc, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The message for rc: the one that was set, or else the text of the errno. */
const char *err_text(int rc);

/* The usual failure of an allocation. */
static inline int err_no_memory(void)
{
	err_set(ENOMEM, "out of memory");
	return -ENOMEM;
}

void err_clear(void);

#endif
