/* SPDX-License-Identifier: GPL-2.0-only */
/* Text for display: UTF-8, display width, invalid bytes, spelling suggestions. */
#ifndef KTSTR_BASE_TEXT_H
#define KTSTR_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"

/* Length of the valid UTF-8 character at s; 0 for an invalid byte or the end. */
size_t text_utf8_len(const char *s);

/* The same, and its code point. */
size_t text_utf8_decode(const char *s, uint32_t *code);

/*
 * Characters that are invisible or change the direction of others: direction marks, joiners,
 * zero-width blanks, variation selectors, tags.
 */
bool text_is_invisible(uint32_t code);

/* Appends s with control and invisible characters and invalid UTF-8 bytes as \xNN. */
void text_add_printable(struct str *out, const char *s);

/* The same, keeping newlines and tabs. */
void text_add_lines(struct str *out, const char *s);

/*
 * Appends text of other programs as a quotation: TEXT_MARK before each line, so that none can be
 * mistaken for output of ktstr. Control characters as in text_add_lines(). Ends with a newline;
 * nothing for an empty text.
 */
#define TEXT_MARK "  | "
void text_add_marked(struct str *out, const char *s);
/* The same after text of our own: the first line follows it, the others are marked. */
void text_add_marked_rest(struct str *out, const char *s);

/* Display width of valid text in columns. */
size_t text_width(const char *s);

/*
 * Appends the first width columns of a line of len bytes. Colour sequences have no width; they are
 * reset at the end.
 */
void text_add_cut(struct str *out, const char *line, size_t len, size_t width);

/* Appends a word quoted for a POSIX shell. */
void text_add_quoted(struct str *out, const char *word);
/* The same, without quotes if the word needs none. */
void text_add_word(struct str *out, const char *word);

/*
 * Appends text wrapped at blanks so that no line is wider than width columns; continuation lines
 * start with indent blanks. Newlines in text are kept.
 */
void text_wrap(struct str *out, const char *text, size_t indent, size_t width);

/* Case-insensitive edit distance; a swap of neighbours counts as one. */
size_t text_distance(const char *a, const char *b);

/* The candidate that the user most likely meant, or NULL if none is similar. */
const char *text_closest(const char *word, const char *const *candidates, size_t count);

/* A line without its newline; and a loop over the lines of a text. */
struct text_line {
	const char *s;
	size_t len;
};

static inline struct text_line text_line_at(const char *s)
{
	return (struct text_line){ s, strcspn(s, "\n") };
}

#define text_each_line(l, text)                               \
	for (struct text_line l = text_line_at(text); *(l).s; \
	     (l) = text_line_at((l).s + (l).len + ((l).s[(l).len] == '\n')))

/* Returns whether a text contains exactly this line. */
bool text_has_line(const char *text, const char *line);

#endif
