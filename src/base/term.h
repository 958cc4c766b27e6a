/* SPDX-License-Identifier: GPL-2.0-only */
/* The terminal, if there is one: colour, width, progress, and closing stdout honestly. */
#ifndef KTSTR_BASE_TERM_H
#define KTSTR_BASE_TERM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Fills the standard descriptors that the caller closed, so that no file we open
 * takes their place. Writing to a filled stdout still fails.
 */
void term_fill_standard_fds(void);

/* Output is UTF-8 in every locale: takes C.UTF-8 where the user's is something else. */
void term_init_locale(void);

/* A terminal on which lines can be wiped and screens cleared: TERM is set, and not to dumb. */
bool term_knows_escapes(FILE *stream);

/* Colour on this stream: such a terminal, and NO_COLOR is unset. */
bool term_has_colour(FILE *stream);

/* Columns of the terminal on this stream, COLUMNS, or 0 when it is not a terminal. */
unsigned int term_width(FILE *stream);

/* Flushes; why stdout fails is kept for term_close_stdout(). */
void term_flush(FILE *stream);

/* Flushes and closes stdout. -errno with a message when not every byte arrived. */
int term_close_stdout(void);

#endif
