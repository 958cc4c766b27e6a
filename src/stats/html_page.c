// SPDX-License-Identifier: GPL-2.0-only
#include "stats/html_page.h"

#include <ktstr/ktstr.h>

#include "base/html.h"
#include "stats/parts.h"

void html_page_begin(struct str *out, const char *title)
{
	str_add(out,
		"<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
		"<meta name=viewport content=\"width=device-width,initial-scale=1\">\n<title>");
	html_add_text(out, title);
	str_addf(out, " · ktstr</title>\n<style>\n%s</style>\n</head>\n<body>\n",
		 html_report_style);
}

void html_page_end(struct str *out, const char *script)
{
	str_addf(out, "</main>\n<footer>ktstr %s</footer>\n", ktstr_version());
	if (script)
		str_addf(out, "<script>\n%s</script>\n", script);
	str_add(out, "</body>\n</html>\n");
}
