/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows of typed cells that print as a table, as CSV, as JSON or as HTML from the same code:
 *
 *	static const struct sheet_column columns[] = {
 *		{ "name", "NAME" }, { "bytes", "SIZE" }, { "path" },
 *	};
 *
 *	sheet_begin(s, "items", columns);
 *	vec_each(const struct item, i, &items)
 *		sheet_add(s, SHEET_TEXT(i->name),
 *			  sheet_shown(s, SHEET_U64(i->bytes), "%zu KiB", i->bytes / 1024),
 *			  SHEET_TEXT(i->path));
 *	return sheet_end(s);
 *
 * Cells are written at once, except those of tables, whose widths depend on all rows.
 */
#ifndef KTSTR_BASE_SHEET_H
#define KTSTR_BASE_SHEET_H

#include "base/json.h"
#include "base/table.h"

enum sheet_format { SHEET_AS_TABLE, SHEET_AS_CSV, SHEET_AS_JSON, SHEET_AS_HTML };

enum sheet_type { CELL_NOTHING, CELL_TEXT, CELL_U64, CELL_I64, CELL_REAL, CELL_BOOL, CELL_OWN };

typedef void sheet_put_own(struct json *j, const void *of);

struct sheet_cell {
	enum sheet_type type;
	bool is_absent; /* not known: null in JSON, an empty field of CSV, a dash for people */
	union {
		const char *text; /* NULL and NaN are absent, too */
		uint64_t u64;
		int64_t i64;
		double real;
		bool is_true;
		const void *of;
	};
	sheet_put_own *put; /* of its own kind: an object or array of JSON */
	const char *shown;  /* in tables and HTML instead of the value; NULL = the value */
	const char *style;  /* of tables an escape sequence, of HTML a class; NULL = none */
	const char *html;   /* what follows in HTML, as it is; NULL = nothing */
};

#define SHEET_CELL(t, member, value, ...) \
	((struct sheet_cell){ .type = CELL_##t, .member = (value), ##__VA_ARGS__ })
#define SHEET_TEXT(value) SHEET_CELL(TEXT, text, value)
#define SHEET_U64(value) SHEET_CELL(U64, u64, value)
#define SHEET_I64(value) SHEET_CELL(I64, i64, value)
#define SHEET_REAL(value) SHEET_CELL(REAL, real, value)
#define SHEET_BOOL(value) SHEET_CELL(BOOL, is_true, value)
#define SHEET_OWN(function, value) SHEET_CELL(OWN, of, value, .put = (function))
#define SHEET_U64_IF(condition, value) SHEET_CELL(U64, u64, value, .is_absent = !(condition))
/* Does not apply: no key, an empty cell. */
#define SHEET_NOTHING ((struct sheet_cell){})

struct sheet_column {
	const char *key;    /* of JSON, CSV and scripts of HTML; NULL: in neither */
	const char *title;  /* of tables and HTML; NULL: in neither */
	size_t place;	    /* in tables, from 1 on; 0 = after the previous one */
	int decimals;	    /* of a real number in tables; 0 = as many as it needs */
	const char *absent; /* in tables and HTML; NULL = "-" */
	const char *class;  /* in HTML */
	const char *legend; /* what follows the title in HTML, as it is; NULL = nothing */
};

/* The caller sets format and out, and json for JSON. */
struct sheet {
	enum sheet_format format;
	struct str *out;
	struct json *json;
	bool has_no_header;  /* CSV: lines only */
	const char *heading; /* before a table with rows; one without is not printed then */
	const struct sheet_column *columns;
	size_t count, at; /* columns, and those that the row has */
	struct table table;
	struct arena texts;
};

/* Key is that of the list in JSON; NULL: the list is not a member. Columns stay the caller's. */
void sheet_begin_with(struct sheet *s, const char *key, const struct sheet_column *columns,
		      size_t count);
#define sheet_begin(s, key, columns) sheet_begin_with(s, key, columns, ARRAY_SIZE(columns))

/* Adds the next cell; those of all columns make a row. */
void sheet_put(struct sheet *s, const struct sheet_cell *cell);

/* Adds a row; nothing applies to the columns that are left. */
void sheet_add_cells(struct sheet *s, const struct sheet_cell *cells, size_t count);
#define sheet_add(s, ...)                                              \
	sheet_add_cells(s, (const struct sheet_cell[]){ __VA_ARGS__ }, \
			ARRAY_SIZE(((const struct sheet_cell[]){ __VA_ARGS__ })))

/* Adds a line to a cell of the newest row of a table; nothing in other formats. */
void sheet_below(struct sheet *s, size_t column, const char *text);

/* The same cell with a text for people, which lives until sheet_end(). */
struct sheet_cell sheet_shown(struct sheet *s, struct sheet_cell cell, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Prints a table, ends the others. 0, or -ENOMEM with a message. */
int sheet_end(struct sheet *s);

#endif
