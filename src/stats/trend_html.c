// SPDX-License-Identifier: GPL-2.0-only
/* Histories as a page: line plots, drawn by the browser when they become visible. */
#include <math.h>

#include "base/embed.h"
#include "base/html.h"
#include "stats/stats.h"

#define WIDTH 640
#define HEIGHT 120
/* Number of points drawn; with more points the lowest and highest of each interval. */
#define COLUMNS 320
/* Commits below a plot, at equal distances. */
#define TICKS 5

EMBED_TEXT(trend_page_style, "src/stats/page/trend.css");

struct page {
	struct str *out;
	const char *path;
};

struct scale {
	double low, high;
	size_t count;
};

static struct scale scale_of(const struct trend_series *s)
{
	struct scale c = { .low = s->points[0].value,
			   .high = s->points[0].value,
			   .count = s->count };

	for (size_t i = 0; i < s->count; i++) {
		c.low = fmin(c.low, s->points[i].value);
		c.high = fmax(c.high, s->points[i].value);
	}
	return c;
}

static double x_of(const struct scale *c, size_t i)
{
	return c->count > 1 ? (double)i * WIDTH / (double)(c->count - 1) : WIDTH / 2.0;
}

static double y_of(const struct scale *c, double value)
{
	return c->high > c->low ? 4 + (HEIGHT - 8) * (c->high - value) / (c->high - c->low) :
				  HEIGHT / 2.0;
}

static void add_vertex(struct str *out, const struct scale *c, size_t i, double value,
		       bool is_first)
{
	str_addf(out, "%s%.0f %.0f", is_first ? "M" : "L", x_of(c, i), y_of(c, value));
}

static void add_path(struct str *out, const struct trend_series *s, const struct scale *c)
{
	size_t step = s->count > COLUMNS ? (s->count + COLUMNS - 1) / COLUMNS : 1;

	str_add(out, "<path d=\"");
	for (size_t from = 0; from < s->count; from += step) {
		double low = s->points[from].value, high = low;

		for (size_t i = from; i < MIN(from + step, s->count); i++) {
			low = fmin(low, s->points[i].value);
			high = fmax(high, s->points[i].value);
		}
		add_vertex(out, c, from, low, from == 0);
		if (high > low)
			add_vertex(out, c, from, high, false);
	}
	str_add(out, "\"/>");
}

static void add_link(const struct page *page, const struct trend_point *p)
{
	_free_ char *address = path_relative(p->path, page->path);

	if (!address) {
		page->out->failed = true;
		return;
	}
	str_add(page->out, "<a");
	html_add_address(page->out, "href", address);
	html_add_in(page->out, ">", p->s->project_commit ? p->s->project_commit : p->run->name,
		    "</a>");
}

static void add_axis(const struct page *page, const struct trend_series *s)
{
	size_t ticks = MIN(s->count, (size_t)TICKS);

	str_add(page->out, "<div class=axis>");
	for (size_t i = 0; i < ticks; i++)
		add_link(page, &s->points[ticks > 1 ? i * (s->count - 1) / (ticks - 1) : 0]);
	str_add(page->out, "</div>");
}

static void add_figure(struct str *out, double value, const struct trend_series *s)
{
	str_addf(out, "%.2f", value);
	html_add_text(out, s->metric.unit);
}

static void add_changes(const struct page *page, const struct trend_series *s)
{
	for (size_t i = 0; i < s->change_count; i++) {
		str_add(page->out, "; changed at ");
		add_link(page, &s->points[s->changes[i]]);
		str_addf(page->out, ": %.2f → ", trend_level(s, (long)i - 1));
		add_figure(page->out, trend_level(s, (long)i), s);
	}
}

static void add_series(const struct page *page, const struct trend_series *s)
{
	struct str *out = page->out;
	struct scale c = scale_of(s);

	html_add_in(out, "<section class=plot><h2>", s->test, " · ");
	html_add_text(out, s->metric.name);
	str_addf(out, "</h2><svg viewBox=\"0 0 %d %d\" preserveAspectRatio=none role=img>", WIDTH,
		 HEIGHT);
	add_path(out, s, &c);
	for (size_t i = 0; i < s->change_count; i++) {
		double x = x_of(&c, s->changes[i]);

		str_addf(out, "<line x1=%.0f x2=%.0f y1=0 y2=%d />", x, x, HEIGHT);
	}
	str_add(out, "</svg>");
	add_axis(page, s);
	str_addf(out, "<p>%zu runs, %.2f to ", s->count, c.low);
	add_figure(out, c.high, s);
	add_changes(page, s);
	str_add(out, "</p></section>\n");
}

int trend_html(const struct trend *t, const char *path, struct str *out)
{
	const struct page page = { .out = out, .path = path };

	html_page_begin(out, "trend");
	html_add_style(out, trend_page_style);
	str_addf(
		out,
		"<header><h1>Trend</h1><p>%zu histories, those that changed first</p></header>\n<main>\n",
		t->series.count);
	for (int changed = 1; changed >= 0; changed--)
		for (size_t i = 0; i < t->series.count; i++)
			if ((t->series.items[i].change_count > 0) == changed)
				add_series(&page, &t->series.items[i]);
	html_end(out, NULL);
	return str_check(out);
}
