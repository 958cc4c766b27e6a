// SPDX-License-Identifier: GPL-2.0-only
/* Quotes logs and dumps: each text only once, and marked as a quotation. */
#include "run/parts.h"

#define DUMP_IS_BELOW "(the dump is below)\n"

static size_t line_length(const char *s)
{
	return strcspn(s, "\n");
}

static const char *next_line(const char *s)
{
	s += line_length(s);
	return s + (*s == '\n');
}

static bool is_same_line(const char *a, const char *b)
{
	size_t len = line_length(a);

	return len == line_length(b) && memcmp(a, b, len) == 0;
}

/* The loader's buffer may have ended in the middle of a line. */
static bool is_cut_line(const char *cut, const char *whole)
{
	size_t len = line_length(cut);

	return len > 0 && len < line_length(whole) && memcmp(cut, whole, len) == 0;
}

/* Returns the first line of the log after those that are equal to the dump. */
static const char *skip_dump(const char *line, const char *dump)
{
	while (*line && *dump && is_same_line(line, dump)) {
		line = next_line(line);
		dump = next_line(dump);
	}
	return *dump && is_cut_line(line, dump) ? next_line(line) : line;
}

void sched_text_drop_dump(const struct str *log, const struct str *dump, struct str *out)
{
	const char *line = str_get(log), *first = str_get(dump);

	while (*first == '\n')
		first++;
	while (*line) {
		const char *next = next_line(line);

		if (*first && is_same_line(line, first)) {
			str_add(out, DUMP_IS_BELOW);
			next = skip_dump(line, first);
			first = "";
		} else {
			str_addn(out, line, (size_t)(next - line));
		}
		line = next;
	}
}

void sched_text_add_section(struct str *out, const char *title, const struct str *text)
{
	if (!text->len)
		return;
	str_addf(out, "%s\n", title);
	text_add_marked(out, text->s);
}
