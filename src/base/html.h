/* SPDX-License-Identifier: GPL-2.0-only */
/* Text in HTML pages. */
#ifndef KTSTR_BASE_HTML_H
#define KTSTR_BASE_HTML_H

#include "base/str.h"

/* Appends text as the content of an element or attribute; what cannot be shown as \xNN. */
void html_add_text(struct str *out, const char *text);

/* The same between two pieces of the page. */
void html_add_in(struct str *out, const char *before, const char *text, const char *after);

/* The same, line by line: line ends and tabs stay. */
void html_add_lines(struct str *out, const char *text);

/* Appends ` name="value"` to a tag: the one way for what is not our own text. */
void html_add_attribute(struct str *out, const char *name, const char *value);

/* The same of a path that is linked to: bytes that mean something in an address become %XX. */
void html_add_address(struct str *out, const char *name, const char *path);

/* A page up to <body>, one file without anything from elsewhere. The title is text. */
void html_begin(struct str *out, const char *title, const char *style);
/* From </main> on; script may be NULL. */
void html_end(struct str *out, const char *script);

#endif
