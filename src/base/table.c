// SPDX-License-Identifier: GPL-2.0-only
/* Tables with headings between rows. */
#include "base/table.h"

#include "base/base.h"

#define COLOUR_RESET "\033[0m"
#define GAP 2
#define NARROW_WIDTH 16 /* columns are not narrowed below this while others are wider */
#define LEAST_WIDTH 5	/* absolute minimum */

static struct table_cell *cell_at(const struct table *t, size_t row, size_t column)
{
	return &t->cells[row * t->columns + column];
}

static void set_text(struct table *t, struct table_cell *cell, const char *text)
{
	_str_ struct str shown = {};

	text_add_printable(&shown, text);
	cell->text = shown.failed ? NULL : arena_copy(&t->arena, str_get(&shown), shown.len);
	cell->width = text_width(str_get(&shown));
	if (!cell->text) {
		*cell = (struct table_cell){ .text = "" };
		t->failed = true;
	}
}

static int add_row(struct table *t)
{
	size_t first = t->rows * t->columns;
	int rc = vec_grow((void **)&t->cells, &t->cell_cap, first + t->columns, sizeof(*t->cells));

	if (rc < 0) {
		t->failed = true;
		return rc;
	}
	for (size_t i = 0; i < t->columns; i++)
		t->cells[first + i] = (struct table_cell){ .text = "" };
	t->rows++;
	return 0;
}

int table_init(struct table *t, const char *const *columns, size_t count)
{
	int rc;

	*t = (struct table){ .columns = count };
	rc = add_row(t);
	for (size_t i = 0; rc == 0 && i < count; i++)
		set_text(t, cell_at(t, 0, i), columns[i]);
	return rc;
}

void table_set_wrap(struct table *t, unsigned int width)
{
	t->wrap_width = width;
}

void table_set_header_colour(struct table *t, const char *sequence)
{
	for (size_t i = 0; t->rows && i < t->columns; i++)
		cell_at(t, 0, i)->colour = sequence;
}

int table_row(struct table *t)
{
	return add_row(t);
}

void table_cell(struct table *t, size_t column, const char *text)
{
	if (t->rows > 1 && column < t->columns)
		set_text(t, cell_at(t, t->rows - 1, column), text);
	else
		t->failed = true;
}

void table_add_texts(struct table *t, const char *const *texts, size_t count)
{
	table_row(t);
	for (size_t i = 0; i < count; i++)
		table_cell(t, i, texts[i]);
}

void table_cellf(struct table *t, size_t column, const char *fmt, ...)
{
	_str_ struct str text = {};

	str_add_rest(&text, fmt);
	t->failed |= text.failed;
	table_cell(t, column, str_get(&text));
}

void table_cell_colour(struct table *t, size_t column, const char *sequence)
{
	if (t->rows > 1 && column < t->columns)
		cell_at(t, t->rows - 1, column)->colour = sequence;
}

int table_heading(struct table *t, const char *text)
{
	struct table_heading h = { .before = t->rows,
				   .text = arena_copy(&t->arena, text, strlen(text)) };
	int rc = h.text ? vec_grow((void **)&t->headings, &t->heading_cap, t->heading_count + 1,
				   sizeof(*t->headings)) :
			  err_no_memory();

	if (rc == 0)
		t->headings[t->heading_count++] = h;
	return rc;
}

static size_t table_width(const size_t *widths, size_t count)
{
	size_t sum = 1;

	for (size_t i = 0; i < count; i++)
		sum += widths[i] + (i ? GAP : 0);
	return sum;
}

static bool is_break(char c)
{
	return c == ' ' || c == '/' || c == ',' || c == '-' || c == '_';
}

/*
 * Length of the longest unbreakable part of the text, with indentation; trailing blanks do not
 * count.
 */
static size_t longest_word(const char *text)
{
	size_t longest = 0, indent = strspn(text, " ");

	while (*text) {
		_free_ char *word = NULL;
		size_t len = 0;

		while (text[len] && !is_break(text[len]))
			len++;
		len += text[len] && text[len] != ' ';
		word = strndup(text, len);
		longest = MAX(longest, word ? text_width(word) : len);
		text += len + (text[len] == ' ');
	}
	return longest + indent;
}

/* Narrows the widest column that can be narrowed until the table fits; returns whether it does. */
static bool shrink(size_t *widths, const size_t *least, size_t count, size_t limit)
{
	size_t total = table_width(widths, count);

	for (; total > limit; total--) {
		size_t widest = count;

		for (size_t i = 0; i < count; i++)
			if (widths[i] > least[i] && (widest == count || widths[i] > widths[widest]))
				widest = i;
		if (widest == count)
			return false;
		widths[widest]--;
	}
	return true;
}

static void set_all(size_t *least, size_t count, size_t value)
{
	for (size_t i = 0; i < count; i++)
		least[i] = value;
}

static void find_words(const struct table *t, size_t *least)
{
	set_all(least, t->columns, 0);
	for (size_t row = 0; row < t->rows; row++)
		for (size_t i = 0; i < t->columns; i++)
			least[i] = MAX(least[i], longest_word(cell_at(t, row, i)->text));
}

/* Narrows wide columns first; then all columns between words, and finally within words. */
static bool fit(const struct table *t, size_t *widths)
{
	_free_ size_t *least = calloc(t->columns + 1, sizeof(*least));

	if (!least)
		return false;
	set_all(least, t->columns, NARROW_WIDTH);
	if (shrink(widths, least, t->columns, t->wrap_width))
		return true;
	find_words(t, least);
	if (shrink(widths, least, t->columns, t->wrap_width))
		return true;
	set_all(least, t->columns, LEAST_WIDTH);
	shrink(widths, least, t->columns, t->wrap_width);
	return true;
}

static size_t *measure(const struct table *t)
{
	_free_ size_t *widths = calloc(t->columns + 1, sizeof(*widths));

	for (size_t row = 0; widths && row < t->rows; row++)
		for (size_t i = 0; i < t->columns; i++)
			widths[i] = MAX(widths[i], cell_at(t, row, i)->width);
	if (widths && t->wrap_width && !fit(t, widths))
		return NULL;
	return take_ptr(&widths);
}

/* The part of a cell on the next line of its row. */
struct piece {
	const char *text;
	size_t len, indent, width;
};

/* Removes at most width display columns from *rest, if possible after a separator. */
static struct piece next_piece(const char **rest, size_t width, size_t indent)
{
	struct piece p = { .text = *rest, .indent = indent, .width = indent };
	size_t at = 0, fits = 0, fits_width = 0;

	while (p.text[at]) {
		size_t len = MAX(text_utf8_len(p.text + at), 1);
		char one[8] = {};

		memcpy(one, p.text + at, MIN(len, sizeof(one) - 1));
		if (p.width + text_width(one) > width && at)
			break;
		p.width += text_width(one);
		at += len;
		if (is_break(p.text[at - 1])) {
			fits = at;
			fits_width = p.width;
		}
	}
	if (p.text[at] && fits) {
		at = fits;
		p.width = fits_width;
	}
	*rest = p.text + at;
	while (**rest == ' ')
		(*rest)++;
	while (at && p.text[at - 1] == ' ')
		at--, p.width--;
	p.len = at;
	return p;
}

static struct piece whole_cell(const struct table_cell *cell, const char **rest)
{
	struct piece p = { .text = *rest, .len = strlen(*rest), .width = cell->width };

	*rest += p.len;
	return p;
}

/* All lines of a wrapped cell are indented, if there is room for that. */
static size_t indent_of(const struct table_cell *cell, size_t width)
{
	size_t blanks = strspn(cell->text, " ");

	return blanks < width / 2 ? blanks : 0;
}

static void add_piece(struct str *out, const struct piece *p, const char *colour, size_t *pending)
{
	str_repeat(out, ' ', *pending + p->indent);
	*pending = 0;
	if (colour)
		str_addf(out, "%s%.*s" COLOUR_RESET, colour, (int)p->len, p->text);
	else
		str_addn(out, p->text, p->len);
}

/* Appends one line of a row; true if some cell has more text. */
static bool add_line(const struct table *t, size_t row, const size_t *widths, const char **rest,
		     struct str *out)
{
	size_t pending = 1;
	bool has_more = false;

	for (size_t i = 0; i < t->columns; i++) {
		const struct table_cell *cell = cell_at(t, row, i);
		struct piece p = {};

		if (*rest[i])
			p = cell->width <= widths[i] ?
				    whole_cell(cell, &rest[i]) :
				    next_piece(&rest[i], widths[i], indent_of(cell, widths[i]));
		if (p.len)
			add_piece(out, &p, cell->colour, &pending);
		pending += widths[i] - MIN(p.width, widths[i]) + GAP;
		has_more |= *rest[i] != '\0';
	}
	str_addc(out, '\n');
	return has_more;
}

/* next_piece() indents wrapped text. */
static const char *text_to_print(const struct table_cell *cell, size_t width)
{
	return cell->text + (cell->width > width ? strspn(cell->text, " ") : 0);
}

static void add_headings(const struct table *t, size_t row, size_t *next, struct str *out)
{
	for (; *next < t->heading_count && t->headings[*next].before == row; (*next)++)
		str_addf(out, "%s\n", t->headings[*next].text);
}

int table_add(struct table *t, struct str *out)
{
	_free_ size_t *widths = measure(t);
	_free_ const char **rest = calloc(t->columns + 1, sizeof(*rest));
	size_t heading = 0;

	if (t->failed || !widths || !rest)
		return err_no_memory();
	for (size_t row = 0; row < t->rows; row++) {
		add_headings(t, row, &heading, out);
		for (size_t i = 0; i < t->columns; i++)
			rest[i] = text_to_print(cell_at(t, row, i), widths[i]);
		while (add_line(t, row, widths, rest, out))
			;
	}
	add_headings(t, t->rows, &heading, out);
	return 0;
}

void table_finish(struct table *t)
{
	free(t->cells);
	free(t->headings);
	arena_finish(&t->arena);
	*t = (struct table){};
}
