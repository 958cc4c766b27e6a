// SPDX-License-Identifier: GPL-2.0-only
/* Plots of the monitor's values over a test, each with the phases in the background. */
#include <math.h>

#include "base/html.h"
#include "stats/parts.h"

#define WIDTH 288
#define HEIGHT 56
#define MAX_PLOTS 8
#define MAX_POINTS 256
#define MAX_BANDS 64

/* Time range of all plots of a test, from its start. */
static double end_of(const struct sidecar *s)
{
	double end = 0;

	for (size_t i = 0; i < s->phase_count; i++)
		end = fmax(end, (double)s->phases[i].end_ms);
	for (size_t i = 0; i < s->monitor.plot_count; i++)
		end = fmax(end, s->monitor.plots[i].to_ms);
	return end;
}

static double place_of(double ms, double end)
{
	return fmin(fmax(ms, 0), end) / end * WIDTH;
}

static double most_of(const struct sidecar_plot *p)
{
	double most = 0;

	for (size_t i = 0; i < p->points.count; i++)
		most = fmax(most, p->points.items[i]);
	return most;
}

static void add_bands(struct str *out, const struct sidecar *s, double end)
{
	for (size_t i = 0; i < s->phase_count && i < MAX_BANDS; i++) {
		double from = place_of((double)s->phases[i].start_ms, end);
		double to = place_of((double)s->phases[i].end_ms, end);

		if (to > from)
			str_addf(out, "<rect class=p%zu x=%.1f width=%.1f height=%d></rect>", i % 4,
				 from, to - from, HEIGHT);
	}
}

/* Step plot: each point covers its part of the time. */
static void add_outline(struct str *out, const struct sidecar_plot *p, double most, double end)
{
	size_t count = MIN(p->points.count, (size_t)MAX_POINTS);
	double from = place_of(p->from_ms, end), to = place_of(p->to_ms, end);
	double before = -1;

	str_addf(out, "<path d=\"M%.1f %d", from, HEIGHT);
	for (size_t i = 0; i < count; i++) {
		double height = round(fmax(p->points.items[i], 0) / most * (HEIGHT - 4));

		if (height != before && i)
			str_addf(out, "H%.1f", from + (to - from) * (double)i / (double)count);
		if (height != before)
			str_addf(out, "V%.0f", HEIGHT - height);
		before = height;
	}
	str_addf(out, "H%.1fV%dz\"/>", to, HEIGHT);
}

static void add_plot(struct str *out, const struct sidecar *s, const struct sidecar_plot *p,
		     double end)
{
	double most = most_of(p);

	if (most <= 0 || !p->points.count || p->to_ms <= p->from_ms)
		return;
	html_add_in(out, "<figure class=pl><figcaption>", p->name, "");
	str_addf(out,
		 "</figcaption><svg role=img viewBox=\"0 0 %d %d\" preserveAspectRatio=none "
		 "aria-label=\"",
		 WIDTH, HEIGHT);
	html_add_text(out, p->name);
	str_addf(out, ": at most %.0f in %.0f ms\">", most, end);
	add_bands(out, s, end);
	add_outline(out, p, most, end);
	str_add(out, "</svg><div class=ax aria-hidden=true><span>0</span><span>");
	html_add_duration_ns(out, end * 1e6);
	str_addf(out, "</span></div><small>at most %.0f</small></figure>", most);
}

void html_add_plots(struct str *out, const struct sidecar *s)
{
	double end = end_of(s);

	if (!s->monitor.is_known || !s->monitor.plot_count || end <= 0)
		return;
	str_add(out, "<div class=figs>");
	for (size_t i = 0; i < s->monitor.plot_count && i < MAX_PLOTS; i++)
		add_plot(out, s, &s->monitor.plots[i], end);
	str_add(out, "</div>");
}
