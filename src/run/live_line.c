// SPDX-License-Identifier: GPL-2.0-only
/* Draws and wipes a status line on the terminal. */
#include "run/parts.h"

#define USUAL_WIDTH 80

void live_line_init(struct live_line *l, bool is_quiet)
{
	*l = (struct live_line){ .is_on = !is_quiet && term_knows_escapes(stderr) };
}

/* Truncates the text to the terminal's width: a wrapped line could not be wiped. */
void live_line_draw(struct live_line *l, const char *text)
{
	unsigned int width = term_width(stderr);
	size_t most = (width ? width : USUAL_WIDTH) - 1;
	_str_ struct str shown = {};

	if (!l->is_on)
		return;
	text_add_printable(&shown, text);
	fprintf(stderr, "\r\033[K%.*s", (int)MIN(shown.len, most), str_get(&shown));
	fflush(stderr);
	l->is_shown = true;
}

void live_line_wipe(struct live_line *l)
{
	if (!l->is_shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	l->is_shown = false;
}
