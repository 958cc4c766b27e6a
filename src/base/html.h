/* SPDX-License-Identifier: GPL-2.0-only */
/* Text in HTML pages. */
#ifndef KTSTR_BASE_HTML_H
#define KTSTR_BASE_HTML_H

#include "base/str.h"

/* Appends escaped text as the content of an element or attribute; unprintable bytes as \xNN. */
void html_add_text(struct str *out, const char *text);

/* The same between two pieces of HTML. */
void html_add_in(struct str *out, const char *before, const char *text, const char *after);

/* The same, keeping newlines and tabs. */
void html_add_lines(struct str *out, const char *text);

/* Appends ` name="value"` to a tag; required for all external text. */
void html_add_attribute(struct str *out, const char *name, const char *value);

/* The same for a path that is a link target: reserved characters become %XX. */
void html_add_address(struct str *out, const char *name, const char *path);

/* Starts a self-contained page, up to <body>. The title is escaped. */
void html_begin(struct str *out, const char *title, const char *style);
/* Adds the style sheet of a part, an embedded file, without its last newline. */
void html_add_style(struct str *out, const char *style);
/* Ends the page, from </main> on; script may be NULL. */
void html_end(struct str *out, const char *script);

#endif
