/* Tables with headings between rows, on libsmartcols. */
#include "base/table.h"

#include <libsmartcols.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"

#define UNLIMITED_WIDTH 100000

int table_init(struct table *t, const char *const *columns, size_t count)
{
	*t = (struct table){ .scols = scols_new_table() };
	if (!t->scols)
		return err_set(ENOMEM, "out of memory");
	scols_table_set_column_separator(t->scols, "  ");
	scols_table_enable_minout(t->scols, 1);
	scols_table_set_termforce(t->scols, SCOLS_TERMFORCE_ALWAYS);
	scols_table_set_termwidth(t->scols, UNLIMITED_WIDTH);
	for (size_t i = 0; i < count; i++) {
		/* The leading blank is part of the first column. */
		_free_ char *name = str_fmt("%s%s", i ? "" : " ", columns[i]);

		if (!name || !scols_table_new_column(t->scols, name, 0, 0))
			return err_set(ENOMEM, "out of memory");
	}
	return 0;
}

void table_set_wrap(struct table *t, unsigned int width)
{
	struct libscols_column *column;

	scols_table_set_termwidth(t->scols, width);
	for (size_t i = 0; (column = scols_table_get_column(t->scols, i)); i++)
		scols_column_set_flags(column, SCOLS_FL_WRAP);
	t->is_wrapped = true;
}

void table_set_header_colour(struct table *t, const char *sequence)
{
	struct libscols_column *column;

	scols_table_enable_colors(t->scols, 1);
	for (size_t i = 0; (column = scols_table_get_column(t->scols, i)); i++)
		scols_cell_set_color(scols_column_get_header(column), sequence);
}

int table_row(struct table *t)
{
	t->line = scols_table_new_line(t->scols, NULL);
	if (!t->line)
		return err_set(ENOMEM, "out of memory");
	t->rows++;
	return 0;
}

void table_cell(struct table *t, size_t column, const char *text)
{
	_free_ char *first = NULL;

	if (column == 0) {
		first = str_fmt(" %s", text);
		t->failed |= !first;
		text = first;
	}
	t->failed |= !t->line || !text || scols_line_set_data(t->line, column, text) != 0;
}

void table_cellf(struct table *t, size_t column, const char *fmt, ...)
{
	_str_ struct str text = {};
	va_list ap;

	va_start(ap, fmt);
	str_addv(&text, fmt, ap);
	va_end(ap);
	t->failed |= text.failed;
	table_cell(t, column, str_get(&text));
}

void table_cell_colour(struct table *t, size_t column, const char *sequence)
{
	struct libscols_cell *cell = t->line ? scols_line_get_cell(t->line, column) : NULL;

	if (!sequence)
		return;
	scols_table_enable_colors(t->scols, 1);
	t->failed |= !cell || scols_cell_set_color(cell, sequence) != 0;
}

int table_heading(struct table *t, const char *text)
{
	struct table_heading h = { .before = t->rows, .text = strdup(text) };
	int rc = h.text ? vec_grow((void **)&t->headings, &t->heading_cap, t->heading_count + 1,
				   sizeof(*t->headings)) :
			  err_set(ENOMEM, "out of memory");

	if (rc < 0)
		free(h.text);
	else
		t->headings[t->heading_count++] = h;
	return rc;
}

static void add_headings(const struct table *t, size_t row, size_t *next, struct str *out)
{
	for (; *next < t->heading_count && t->headings[*next].before == row; (*next)++)
		str_addf(out, "%s\n", t->headings[*next].text);
}

/* Adds a line without the blanks that padding left at its end. */
static void add_line(const char *line, size_t len, struct str *out)
{
	while (len && line[len - 1] == ' ')
		len--;
	str_addn(out, line, len);
	str_addc(out, '\n');
}

/* Unwrapped rows are one line each, so one print of everything can be taken apart again. */
static int add_lines(struct table *t, struct str *out)
{
	_free_ char *text = NULL;
	size_t row = 0, heading = 0;
	bool is_header = true;

	if (scols_print_table_to_string(t->scols, &text) != 0)
		return err_set(ENOMEM, "out of memory");
	for (const char *line = text; line && *line;) {
		size_t len = strcspn(line, "\n");

		if (!is_header)
			add_headings(t, row++, &heading, out);
		is_header = false;
		add_line(line, len, out);
		line += len + (line[len] == '\n');
	}
	add_headings(t, row, &heading, out);
	return 0;
}

/* Wrapped rows have to be printed in stretches between headings. */
static int add_stretches(struct table *t, struct str *out)
{
	size_t row = 0, heading = 0;

	while (row < t->rows) {
		size_t end = t->rows;
		_free_ char *text = NULL;

		if (row > 0)
			add_headings(t, row, &heading, out);
		for (size_t h = heading; h < t->heading_count; h++)
			if (t->headings[h].before > row) {
				end = t->headings[h].before;
				break;
			}
		scols_table_enable_noheadings(t->scols, row > 0);
		if (scols_table_print_range_to_string(t->scols, scols_table_get_line(t->scols, row),
						      scols_table_get_line(t->scols, end - 1),
						      &text) != 0)
			return err_set(ENOMEM, "out of memory");
		for (const char *line = text; line && *line;) {
			size_t len = strcspn(line, "\n");

			add_line(line, len, out);
			line += len + (line[len] == '\n');
			if (row == 0 && line != text && heading < t->heading_count)
				add_headings(t, 0, &heading, out);
		}
		row = end;
	}
	return 0;
}

int table_add(struct table *t, struct str *out)
{
	if (t->failed)
		return err_set(ENOMEM, "out of memory");
	return t->is_wrapped ? add_stretches(t, out) : add_lines(t, out);
}

void table_finish(struct table *t)
{
	scols_unref_table(t->scols);
	for (size_t i = 0; i < t->heading_count; i++)
		free(t->headings[i].text);
	free(t->headings);
	*t = (struct table){};
}
