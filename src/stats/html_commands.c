// SPDX-License-Identifier: GPL-2.0-only
/* Commands for a result, and links to the files next to its record. */
#include "base/html.h"
#include "run/report.h"
#include "stats/parts.h"

#define EXPLANATION "\n--- auto-repro ---\n"

const char *html_find_explanation(const struct sidecar *s)
{
	const char *found = s->failure ? strstr(s->failure, EXPLANATION) : NULL;

	return found ? found + 1 : NULL;
}

static void add_linked(struct str *out, const char *path, const char *words)
{
	str_add(out, "<a");
	html_add_address(out, "href", path);
	html_add_in(out, "><code>", words, "</code></a>");
}

static void add_dump(struct str *out, const char *record)
{
	_free_ char *path = dump_files_path(record);
	_str_ struct str command = {};

	if (!path || access(path, R_OK) < 0)
		return;
	str_add(&command, "ktstr show-dump ");
	text_add_word(&command, path);
	str_add(out, "<dt>Dump<dd>");
	add_linked(out, path, str_get(&command));
}

/* The trace page becomes a link once it was generated there. */
static void add_trace(struct str *out, const struct html_item *item)
{
	_free_ char *page = dump_files_trace_path(item->path);
	_str_ struct str command = {};

	if (!page || !item->s->accel || !str_eq(item->s->accel, "sim"))
		return;
	str_add(&command, "ktstr trace ");
	text_add_word(&command, item->path);
	str_add(&command, " -o ");
	text_add_word(&command, page);
	str_add(out, "<dt>Trace<dd>");
	if (access(page, R_OK) == 0)
		add_linked(out, page, str_get(&command));
	else
		html_add_in(out, "<code>", str_get(&command), "</code>");
}

void html_add_commands(struct str *out, const struct html_item *item)
{
	_str_ struct str replay = {};

	if (item->s->declared_at)
		html_add_in(out, "<dt>Source<dd>", item->s->declared_at, "");
	str_add(&replay, "ktstr replay ");
	text_add_word(&replay, item->path);
	html_add_in(out, "<dt>Replay<dd><code>", str_get(&replay), "</code>");
	add_dump(out, item->path);
	if (item->s->outcome < KTSTR_PASSED)
		add_trace(out, item);
}
