/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Plain tables: one blank before the first column, two between columns, left-aligned, nothing after
 * the last cell. Width is in display columns. Headings are lines between rows that do not widen
 * columns.
 */
#ifndef KTSTR_BASE_TABLE_H
#define KTSTR_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"

struct table_cell {
	const char *text;
	const char *colour; /* escape sequence, or NULL */
	size_t width;
};

struct table_heading {
	size_t before; /* index of the row after it */
	const char *text;
};

struct table {
	struct arena arena;
	size_t columns, rows;
	struct table_cell *cells; /* row by row; row 0 has the titles */
	size_t cell_cap;
	struct table_heading *headings;
	size_t heading_count, heading_cap;
	size_t wrap_width; /* 0 = no limit */
	bool failed;
};

/* Out of memory here and below is remembered, and reported by table_add(), too. */
int table_init(struct table *t, const char *const *columns, size_t count);
#define table_titles(t, ...) table_init(t, TABLE_TEXTS(__VA_ARGS__))
#define TABLE_TEXTS(...) \
	(const char *const[]){ __VA_ARGS__ }, ARRAY_SIZE(((const char *const[]){ __VA_ARGS__ }))

/*
 * Wraps cells so that the table fits into this width, if that is possible with columns of at least
 * 5.
 */
void table_set_wrap(struct table *t, unsigned int width);

/* Colours are escape sequences such as "\033[33m"; NULL = none. */
void table_set_header_colour(struct table *t, const char *sequence);

/*
 * Starts a row. Its cells are empty until they are set, which copies the text with control
 * characters as \xNN.
 */
int table_row(struct table *t);
void table_cell(struct table *t, size_t column, const char *text);
/* Sets cells of the row, starting with the first. */
void table_add_texts(struct table *t, const char *const *texts, size_t count);
#define table_texts(t, ...) table_add_texts(t, TABLE_TEXTS(__VA_ARGS__))
void table_cellf(struct table *t, size_t column, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void table_cell_colour(struct table *t, size_t column, const char *sequence);

/* Adds a line before the next row, printed as it is. */
int table_heading(struct table *t, const char *text);

/* Appends the whole table. 0, or -ENOMEM with a message if anything failed. */
int table_add(struct table *t, struct str *out);

void table_finish(struct table *t);

#define _table_ _cleanup_(table_finish)

#endif
