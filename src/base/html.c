// SPDX-License-Identifier: GPL-2.0-only
/* Escaping for HTML, and what all pages have in common. */
#include "base/html.h"

#include <ktstr/ktstr.h>

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

/* Most texts are: they need no copy. */
static bool is_plain(const char *text)
{
	while (*text >= ' ' && *text <= '~' && !entity(*text))
		text++;
	return !*text;
}

void html_add_text(struct str *out, const char *text)
{
	_str_ struct str printable = {};

	if (is_plain(text)) {
		str_add(out, text);
		return;
	}
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

void html_add_address(struct str *out, const char *name, const char *path)
{
	str_addf(out, " %s=\"%s", name, *path == '/' ? "" : "./");
	for (; *path; path++)
		if (isalnum((unsigned char)*path) || strchr("/-._~", *path))
			str_addc(out, *path);
		else
			str_addf(out, "%%%02X", (unsigned char)*path);
	str_addc(out, '"');
}

void html_begin(struct str *out, const char *title, const char *style)
{
	str_add(out,
		"<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
		"<meta name=viewport content=\"width=device-width,initial-scale=1\">\n<title>");
	html_add_text(out, title);
	str_addf(out, " · ktstr</title>\n<style>\n%s</style>\n</head>\n<body>\n", style);
}

void html_add_style(struct str *out, const char *style)
{
	str_addf(out, "<style>%.*s</style>\n", (int)strlen(style) - 1, style);
}

void html_end(struct str *out, const char *script)
{
	str_addf(out, "</main>\n<footer>ktstr %s</footer>\n", ktstr_version());
	if (script)
		str_addf(out, "<script>\n%s</script>\n", script);
	str_add(out, "</body>\n</html>\n");
}
