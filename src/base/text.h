/* SPDX-License-Identifier: GPL-2.0-only */
/* Text as people see it: UTF-8, display width, names that are not UTF-8, near misses. */
#ifndef KTSTR_BASE_TEXT_H
#define KTSTR_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"

/* Length of the well-formed UTF-8 character at s; 0 for a bad byte or the end. */
size_t text_utf8_len(const char *s);

/* The same, and the character. */
size_t text_utf8_decode(const char *s, uint32_t *code);

/*
 * Characters that a reader does not see, or that turn others around: marks of
 * direction, joiners, blanks without width, variation selectors, tags.
 */
bool text_is_invisible(uint32_t code);

/* Appends s with control and invisible characters and bytes that are not UTF-8 as \xNN. */
void text_add_printable(struct str *out, const char *s);

/* The same, line by line: line ends and tabs stay. */
void text_add_lines(struct str *out, const char *s);

/*
 * Text that somebody else printed, set off from ours: TEXT_MARK before each line, so that none
 * of them is taken for a verdict of ours. Control characters as in text_add_lines(). Ends with
 * a line end; nothing for an empty text.
 */
#define TEXT_MARK "  | "
void text_add_marked(struct str *out, const char *s);
/* The same behind words of ours: the first line follows them, the others are marked. */
void text_add_marked_rest(struct str *out, const char *s);

/* Columns that well-formed text takes on a terminal. */
size_t text_width(const char *s);

/*
 * Appends the first columns of a line of len bytes, as many as width. Colours take none;
 * they end where the line does.
 */
void text_add_cut(struct str *out, const char *line, size_t len, size_t width);

/* One word for a POSIX shell, in quotes, whatever is in it. */
void text_add_quoted(struct str *out, const char *word);
/* The same, without quotes where the shell takes the word as it is. */
void text_add_word(struct str *out, const char *word);

/*
 * Appends text broken at blanks so that no line is wider than width columns;
 * continuation lines start with indent blanks. A newline in text stays one.
 */
void text_wrap(struct str *out, const char *text, size_t indent, size_t width);

/* Case-blind edit distance; a swap of neighbours counts one. */
size_t text_distance(const char *a, const char *b);

/* The candidate that the user most likely meant, or NULL if none is near. */
const char *text_closest(const char *word, const char *const *candidates, size_t count);

/* A line without its end; and a loop over the lines of a text. */
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

/* Whether a text has just this line. */
bool text_has_line(const char *text, const char *line);

#endif
