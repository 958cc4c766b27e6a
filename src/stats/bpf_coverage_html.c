// SPDX-License-Identifier: GPL-2.0-only
/* The coverage page: the table, then each file with its source. */
#include "base/embed.h"
#include "base/html.h"
#include "stats/bpf_coverage.h"
#include "stats/stats.h"

EMBED_TEXT(coverage_page_style, "src/stats/page/coverage.css");

/* Uses the CSS classes for verdicts of tests. */
static const char *class_of(const struct bpf_source_line *line)
{
	if (!line)
		return "";
	if (!line->count)
		return "v f";
	return line->both_ways < line->branches ? "v i" : "v p";
}

static void add_line(void *ctx, uint32_t number, const char *text,
		     const struct bpf_source_line *line)
{
	struct str *out = ctx;

	str_addf(out, "<span class=dim>%5u</span> <span class=\"%s\">", number, class_of(line));
	if (line)
		str_addf(out, "%10" PRIu64, line->count);
	else
		str_repeat(out, ' ', 10);
	str_add(out, "</span>");
	if (line && line->branches)
		str_addf(out, " <span class=dim>%3u/%-3u</span> ", line->both_ways, line->branches);
	else
		str_repeat(out, ' ', 9);
	html_add_lines(out, text);
	str_addc(out, '\n');
}

int bpf_coverage_html(const struct bpf_sources *s, const struct bpf_cover *c, struct str *out)
{
	_str_ struct str table = {};
	int rc = bpf_coverage_table(s, c, &table);

	html_page_begin(out, "BPF coverage");
	html_add_style(out, coverage_page_style);
	str_add(out, "<header><h1>BPF coverage</h1></header>\n<main>\n<pre tabindex=0>");
	html_add_lines(out, str_get(&table));
	str_add(out,
		"</pre>\n<p>By line: how often it was executed; then its conditional jumps that "
		"went both ways, of those that were executed. Lines without a count are "
		"named by no line info.</p>\n");
	for (size_t i = 0; i < s->items.count && rc == 0; i++) {
		str_add(out, "<section><h2>");
		html_add_text(out, s->items.items[i].file);
		str_add(out, "</h2><pre tabindex=0>");
		rc = bpf_source_walk(&s->items.items[i], add_line, out);
		str_add(out, "</pre></section>\n");
	}
	html_end(out, NULL);
	return rc ?: str_check(out);
}
