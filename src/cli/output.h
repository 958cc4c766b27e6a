/* SPDX-License-Identifier: GPL-2.0-only */
/* The last step of commands that print data: a finished text goes to stdout. */
#ifndef KTSTR_CLI_OUTPUT_H
#define KTSTR_CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/*
 * 0, -ENOMEM when building the text had failed, or why it could not be written. What
 * fits the stream's buffer is written at exit, and checked there. Texts quote records,
 * snapshots and names that somebody else made: control characters are shown as \xNN.
 */
int output_text(const struct str *text);

/* The same of one line, whose end is added. */
int output_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* As it is: scripts, and what was coloured by one who made the texts of others printable. */
int output_raw(const struct str *text);

/* A document, with a line end after it. */
int output_json(struct str *text);

/* Bytes as they are, to stdout or stderr, at once. */
int output_bytes(int fd, const void *data, size_t len);

/* Whether a write failed because nobody reads any longer: `ktstr ... | head`. */
bool output_is_unwanted(void);

/* Sends on what was printed, before something goes to stderr. -errno with a message. */
int output_flush(void);

#endif
