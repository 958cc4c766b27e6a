// SPDX-License-Identifier: GPL-2.0-only
/* Sheets: one way of filling rows, four of printing them. */
#include "base/sheet.h"

#include <math.h>

#include "base/base.h"
#include "base/html.h"

static bool is_absent(const struct sheet_cell *c)
{
	return c->is_absent || (c->type == CELL_TEXT && !c->text) ||
	       (c->type == CELL_REAL && isnan(c->real));
}

/* The exact value: numbers with all their digits. */
static void add_value(struct str *out, const struct sheet_cell *c)
{
	if (is_absent(c))
		return;
	if (c->type == CELL_TEXT)
		str_add(out, c->text);
	else if (c->type == CELL_U64)
		str_addf(out, "%" PRIu64, c->u64);
	else if (c->type == CELL_I64)
		str_addf(out, "%" PRId64, c->i64);
	else if (c->type == CELL_REAL)
		str_addf(out, "%.15g", c->real);
	else if (c->type == CELL_BOOL)
		str_add(out, c->is_true ? "true" : "false");
}

/* The value for people; numbers are written into text. */
static const char *shown(struct str *text, const struct sheet_column *column,
			 const struct sheet_cell *c)
{
	if (c->shown)
		return c->shown;
	if (c->type && is_absent(c))
		return column->absent ? column->absent : "-";
	if (c->type == CELL_TEXT)
		return c->text;
	if (c->type == CELL_BOOL)
		return c->is_true ? "yes" : "no";
	if (c->type == CELL_REAL && column->decimals)
		str_addf(text, "%.*f", column->decimals, c->real);
	else if (c->type == CELL_REAL)
		str_addf(text, "%g", c->real);
	else
		add_value(text, c);
	return str_get(text);
}

/* ---- tables ---- */

static size_t place_of(const struct sheet *s, size_t column)
{
	size_t place = 0;

	for (size_t i = 0; i <= column; i++)
		if (s->columns[i].title)
			place = s->columns[i].place ? s->columns[i].place : place + 1;
	return place - 1;
}

static void begin_table(struct sheet *s)
{
	_free_ const char **titles = calloc(s->count + 1, sizeof(*titles));
	size_t count = 0;

	for (size_t i = 0; titles && i < s->count; i++)
		if (s->columns[i].title) {
			titles[place_of(s, i)] = s->columns[i].title;
			count++;
		}
	s->out->failed |= !titles || table_init(&s->table, titles, count) < 0;
}

static void put_in_table(struct sheet *s, const struct sheet_column *column,
			 const struct sheet_cell *c)
{
	size_t place = place_of(s, s->at);
	_str_ struct str text = {};

	table_cell(&s->table, place, shown(&text, column, c));
	table_cell_colour(&s->table, place, c->style);
	s->out->failed |= text.failed;
}

void sheet_below(struct sheet *s, size_t column, const char *text)
{
	if (s->format != SHEET_AS_TABLE)
		return;
	table_row(&s->table);
	table_cell(&s->table, place_of(s, column), text);
}

/* ---- CSV (RFC 4180) ---- */

static void add_field(struct str *out, const char *text)
{
	_str_ struct str printable = {};
	const char *p;

	text_add_printable(&printable, text);
	out->failed |= printable.failed;
	p = str_get(&printable);
	if (!strpbrk(p, ",\"")) {
		str_add(out, p);
		return;
	}
	str_addc(out, '"');
	for (; *p; p++) {
		if (*p == '"')
			str_addc(out, '"');
		str_addc(out, *p);
	}
	str_addc(out, '"');
}

static void put_in_csv(struct sheet *s, const struct sheet_cell *c)
{
	if (s->at)
		str_addc(s->out, ',');
	if (c->type == CELL_TEXT && c->text)
		add_field(s->out, c->text);
	else
		add_value(s->out, c);
}

/* ---- JSON ---- */

static void put_in_json(struct json *j, const char *key, const struct sheet_cell *c)
{
	json_key(j, key);
	if (is_absent(c))
		json_null(j);
	else if (c->type == CELL_TEXT)
		json_string(j, c->text);
	else if (c->type == CELL_U64)
		json_u64(j, c->u64);
	else if (c->type == CELL_I64)
		json_i64(j, c->i64);
	else if (c->type == CELL_REAL)
		json_double(j, c->real);
	else if (c->type == CELL_BOOL)
		json_bool(j, c->is_true);
	else
		c->put(j, c->of);
}

/* ---- HTML ---- */

static void begin_html(struct sheet *s)
{
	str_add(s->out, "<thead><tr>");
	array_each(const struct sheet_column, c, s->columns, s->count) {
		if (!c->title)
			continue;
		str_addf(s->out, "<th scope=\"col\" class=\"%s\" data-c=\"%s\">", c->class, c->key);
		html_add_in(s->out, "<button>", c->title, "</button>");
		str_addf(s->out, "%s</th>", c->legend ? c->legend : "");
	}
	str_add(s->out, "</tr></thead><tbody>\n");
}

/* Scripts sort by data-v where there are numbers; an empty one comes last. */
static void put_in_html(struct sheet *s, const struct sheet_column *column,
			const struct sheet_cell *c)
{
	_str_ struct str text = {};

	str_addf(s->out, "<td class=\"%s%s%s\"", column->class, c->style ? " " : "",
		 c->style ? c->style : "");
	html_add_attribute(s->out, "data-l", column->title);
	if (c->type == CELL_U64 || c->type == CELL_I64 || c->type == CELL_REAL) {
		str_add(s->out, " data-v=\"");
		add_value(s->out, c);
		str_addc(s->out, '"');
	}
	html_add_in(s->out, ">", shown(&text, column, c), c->html ? c->html : "");
	str_add(s->out, "</td>");
	s->out->failed |= text.failed;
}

/* ---- all ---- */

void sheet_begin_with(struct sheet *s, const char *key, const struct sheet_column *columns,
		      size_t count)
{
	s->columns = columns;
	s->count = count;
	if (s->format == SHEET_AS_TABLE)
		begin_table(s);
	else if (s->format == SHEET_AS_HTML)
		begin_html(s);
	for (size_t i = 0; s->format == SHEET_AS_CSV && !s->has_no_header && i < count; i++)
		sheet_put(s, &SHEET_TEXT(columns[i].key));
	if (s->format != SHEET_AS_JSON)
		return;
	if (key)
		json_key(s->json, key);
	json_array(s->json);
}

static void begin_row(struct sheet *s)
{
	if (s->format == SHEET_AS_TABLE)
		table_row(&s->table);
	else if (s->format == SHEET_AS_JSON)
		json_object(s->json);
	else if (s->format == SHEET_AS_HTML)
		str_add(s->out, "<tr>");
}

static void end_row(struct sheet *s)
{
	s->at = 0;
	if (s->format == SHEET_AS_CSV)
		str_add(s->out, "\r\n");
	else if (s->format == SHEET_AS_JSON)
		json_object_end(s->json);
	else if (s->format == SHEET_AS_HTML)
		str_add(s->out, "</tr>\n");
}

void sheet_put(struct sheet *s, const struct sheet_cell *cell)
{
	const struct sheet_column *column = &s->columns[s->at];

	if (!s->at)
		begin_row(s);
	if (s->format == SHEET_AS_CSV)
		put_in_csv(s, cell);
	else if (s->format == SHEET_AS_HTML && column->title)
		put_in_html(s, column, cell);
	else if (s->format == SHEET_AS_TABLE && column->title && cell->type)
		put_in_table(s, column, cell);
	else if (s->format == SHEET_AS_JSON && column->key && cell->type)
		put_in_json(s->json, column->key, cell);
	if (++s->at == s->count)
		end_row(s);
}

void sheet_add_cells(struct sheet *s, const struct sheet_cell *cells, size_t count)
{
	for (size_t i = 0; i < s->count; i++)
		sheet_put(s, i < count ? &cells[i] : &SHEET_NOTHING);
}

struct sheet_cell sheet_shown(struct sheet *s, struct sheet_cell cell, const char *fmt, ...)
{
	_str_ struct str text = {};

	if (s->format != SHEET_AS_TABLE && s->format != SHEET_AS_HTML)
		return cell;
	str_add_rest(&text, fmt);
	cell.shown = arena_copy(&s->texts, str_get(&text), text.len);
	s->out->failed |= text.failed || !cell.shown;
	return cell;
}

int sheet_end(struct sheet *s)
{
	bool is_shown = s->table.rows > 1 || !s->heading;
	int rc = 0;

	if (s->format == SHEET_AS_JSON)
		json_array_end(s->json);
	else if (s->format == SHEET_AS_HTML)
		str_add(s->out, "</tbody>");
	if (s->format == SHEET_AS_TABLE && is_shown) {
		str_add(s->out, s->heading ? s->heading : "");
		rc = table_add(&s->table, s->out);
	}
	table_finish(&s->table);
	arena_finish(&s->texts);
	s->heading = NULL;
	return rc ?: str_check(s->out);
}
