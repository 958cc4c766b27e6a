/* SPDX-License-Identifier: GPL-2.0-only */
/* The terminal: colour, width, progress, and checked closing of stdout. */
#ifndef KTSTR_BASE_TERM_H
#define KTSTR_BASE_TERM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Opens closed standard descriptors, so that no file opened later gets their numbers. Writing to
 * such a stdout still fails.
 */
void term_fill_standard_fds(void);

/* Output is UTF-8 in every locale: sets C.UTF-8 if the user's locale is not UTF-8. */
void term_init_locale(void);

/* A terminal on which lines can be wiped and screens cleared: TERM is set, and not to dumb. */
bool term_knows_escapes(FILE *stream);

/* Colour on this stream: such a terminal, and NO_COLOR is unset. */
bool term_has_colour(FILE *stream);

/* Width of the terminal on this stream, or COLUMNS; 0 if it is not a terminal. */
unsigned int term_width(FILE *stream);

/* Flushes; an error of stdout is remembered for term_close_stdout(). */
void term_flush(FILE *stream);

/* Flushes and closes stdout. -errno with a message if not all data was written. */
int term_close_stdout(void);

#endif
