// SPDX-License-Identifier: GPL-2.0-only
/* Escaping for HTML. */
#include "base/html.h"

#include "base/base.h"

static const char *entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

static void add_escaped(struct str *out, const struct str *printable)
{
	out->failed |= printable->failed;
	for (const char *p = str_get(printable); *p; p++) {
		const char *e = entity(*p);

		if (e)
			str_add(out, e);
		else
			str_addc(out, *p);
	}
}

void html_add_text(struct str *out, const char *text)
{
	_str_ struct str printable = {};

	text_add_printable(&printable, text);
	add_escaped(out, &printable);
}

void html_add_in(struct str *out, const char *before, const char *text, const char *after)
{
	str_add(out, before);
	html_add_text(out, text);
	str_add(out, after);
}

void html_add_lines(struct str *out, const char *text)
{
	_str_ struct str printable = {};

	text_add_lines(&printable, text);
	add_escaped(out, &printable);
}

void html_add_attribute(struct str *out, const char *name, const char *value)
{
	str_addf(out, " %s=\"", name);
	html_add_text(out, value);
	str_addc(out, '"');
}
