// SPDX-License-Identifier: GPL-2.0-only
/* A campaign as an HTML page: coverage over scenarios, and the report. */
#include "base/embed.h"
#include "base/html.h"
#include "fuzz/fuzz.h"
#include "stats/stats.h"

#define WIDTH 640
#define HEIGHT 160
#define MARGIN 4

EMBED_TEXT(fuzz_page_style, "src/fuzz/page/fuzz.css");

/* Coordinates from the left and the bottom, within the margins. */
static double x_of(const struct fuzz *f, uint64_t runs)
{
	return MARGIN + (double)runs / (double)MAX(f->runs, (uint64_t)1) * (WIDTH - 2 * MARGIN);
}

static double y_of(const struct fuzz *f, size_t features)
{
	double part = (double)features / (double)MAX(f->cover.count, (size_t)1);

	return HEIGHT - MARGIN - part * (HEIGHT - 2 * MARGIN);
}

/* The curve has one point per finished batch. */
static void add_path(const struct fuzz *f, struct str *out)
{
	str_addf(out, "<path d=\"M%.1f %.1f", x_of(f, 0), y_of(f, 0));
	for (size_t i = 0; i < f->curve.count; i++)
		str_addf(out, " L%.1f %.1f", x_of(f, f->curve.items[i].runs),
			 y_of(f, f->curve.items[i].features));
	str_add(out, "\"/>");
}

static void add_failures(const struct fuzz *f, struct str *out)
{
	for (size_t i = 0; i < f->failures.count; i++) {
		double x = x_of(f, f->failures.items[i].first_run);

		str_addf(out, "<line x1=%.1f x2=%.1f y1=0 y2=%d><title>", x, x, HEIGHT);
		html_add_text(out, f->failures.items[i].signature);
		str_add(out, "</title></line>");
	}
}

int fuzz_add_html(const struct fuzz *f, struct str *out)
{
	_str_ struct str text = {};
	int rc = fuzz_add_text(f, &text);

	if (rc < 0)
		return rc;
	html_page_begin(out, "fuzz");
	html_add_style(out, fuzz_page_style);
	html_add_in(out, "<header><h1>Fuzzing ", f->options->scheduler, "</h1></header>\n<main>\n");
	str_addf(out, "<h2>Features over scenarios</h2><svg viewBox=\"0 0 %d %d\" role=img>", WIDTH,
		 HEIGHT);
	add_path(f, out);
	add_failures(f, out);
	str_addf(out,
		 "</svg><p>0 to %zu features over %llu scenarios; failures are dashed lines</p>\n",
		 f->cover.count, ULL(f->runs));
	html_add_in(out, "<pre>", str_get(&text), "</pre>\n");
	html_end(out, NULL);
	return str_check(out);
}
