// SPDX-License-Identifier: GPL-2.0-only
/* Findings as text and as JSON. */
#include "cli/findings.h"

#include <stdio.h>
#include <string.h>

#include "base/term.h"
#include "base/text.h"
#include "base/util.h"

#define MIN_WIDTH 60
#define DEFAULT_WIDTH 80
#define MAX_WIDTH 120 /* longer lines are hard to read */

static size_t screen_width(void)
{
	size_t width = term_width(stdout);

	return width ? MIN(MAX(width, MIN_WIDTH), MAX_WIDTH) : DEFAULT_WIDTH;
}

static void add_lines(struct str *out, const char *text, size_t indent)
{
	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");

		if (line != text)
			str_repeat(out, ' ', indent);
		str_addn(out, line, len);
		str_addc(out, '\n');
		line += len + (line[len] == '\n');
	}
}

/* Commands are not broken: they are there to be copied. */
static void add_fixes(struct str *out, const char *fixes, size_t indent)
{
	const char *label = "fix: ";

	for (const char *line = fixes; *line; label = " or: ") {
		size_t len = strcspn(line, "\n");

		str_repeat(out, ' ', indent);
		str_addf(out, "%s%.*s\n", label, (int)len, line);
		line += len + (line[len] == '\n');
	}
}

void finding_add(struct str *out, const struct finding_row *row, struct finding_widths widths)
{
	const size_t indent = widths.state + widths.name;
	bool has_colour = term_has_colour(stdout);
	_str_ struct str why = {};

	text_wrap(&why, row->why, 0, screen_width() - indent);
	str_addf(out, "%s%-*s%s%-*s", has_colour ? row->colour : "", (int)widths.state, row->state,
		 has_colour ? "\033[0m" : "", (int)widths.name, row->name);
	add_lines(out, str_get(&why), indent);
	add_fixes(out, row->fixes, widths.state);
}

void finding_put(struct json *j, const struct finding_row *row)
{
	_free_ char *fixes = strdup(row->fixes);

	json_object(j);
	json_put_string(j, "name", row->name);
	json_put_string(j, "state", row->state);
	json_put_string(j, "why", row->why);
	json_put_array(j, "fixes");
	for (char *rest = fixes, *fix; *row->fixes && rest && (fix = strsep(&rest, "\n"));)
		json_string(j, fix);
	json_array_end(j);
	json_object_end(j);
}
