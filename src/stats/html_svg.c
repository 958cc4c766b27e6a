// SPDX-License-Identifier: GPL-2.0-only
/* Pictures of the report: latency histograms, and the phases of a test. */
#include <math.h>

#include "base/html.h"
#include "stats/parts.h"
#include "work/report.h"

#define BINS 48
#define WIDTH 288 /* 6 per bin */
#define HEIGHT 56

struct svg_picture {
	struct histogram pooled;
	double low, high; /* range of the axis, as logarithms */
	uint64_t bins[BINS];
	uint64_t fullest;
};

static double axis_of(uint64_t ns)
{
	return log2((double)ns + 1);
}

static void pool(struct histogram *h, const struct latency *const *parts, size_t count)
{
	histogram_init(h);
	for (size_t p = 0; p < count; p++) {
		if (!parts[p]->count)
			continue;
		h->min = h->count ? MIN(h->min, parts[p]->min_ns) : parts[p]->min_ns;
		h->max = MAX(h->max, parts[p]->max_ns);
		h->count += parts[p]->count;
		for (size_t i = 0; i < parts[p]->bucket_count; i++)
			h->buckets[parts[p]->buckets[i].index] += parts[p]->buckets[i].count;
	}
}

static size_t bin_of(const struct svg_picture *p, uint64_t ns)
{
	double share = (axis_of(ns) - p->low) / (p->high - p->low);
	double bin = share * BINS;

	return bin <= 0 ? 0 : bin >= BINS ? BINS - 1 : (size_t)bin;
}

static void fill_bins(struct svg_picture *p)
{
	p->low = floor(axis_of(p->pooled.min));
	p->high = ceil(axis_of(p->pooled.max));
	if (p->high <= p->low)
		p->high = p->low + 1;
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t *bin;

		if (!p->pooled.buckets[i])
			continue;
		bin = &p->bins[bin_of(p, histogram_bucket_floor(i))];
		*bin += p->pooled.buckets[i];
		p->fullest = *bin > p->fullest ? *bin : p->fullest;
	}
}

/* One outline in relative steps; a non-empty bin is at least one pixel high. */
static void add_outline(struct str *out, const struct svg_picture *p)
{
	int before = 0, run = 0;

	str_addf(out, "<path d=\"M0 %d", HEIGHT);
	for (int i = 0; i <= BINS; i++) {
		double share = i < BINS ? (double)p->bins[i] / (double)p->fullest : 0;
		int height = i < BINS && p->bins[i] ? 1 + (int)lround(share * (HEIGHT - 1)) : 0;

		if (height != before && run)
			str_addf(out, "h%d", run * WIDTH / BINS);
		if (height != before) {
			str_addf(out, "v%d", before - height);
			run = 0;
		}
		before = height;
		run++;
	}
	str_add(out, "z\"/>");
}

static void add_mark(struct str *out, const struct svg_picture *p, const char *class, uint64_t ns)
{
	double x = (axis_of(ns) - p->low) / (p->high - p->low) * WIDTH;

	str_addf(out, "<path class=\"%s\" d=\"M%.0f 0V%d\"/>", class, x, HEIGHT);
}

void html_add_duration_ns(struct str *out, double ns)
{
	static const char *const units[] = { "ns", "µs", "ms", "s" };
	size_t i = 0;

	for (; ns >= 1000 && i < 3; i++)
		ns /= 1000;
	str_addf(out, "%.*f %s", ns >= 100 || i == 0 ? 0 : 1, ns, units[i]);
}

static void add_summary(struct str *out, const struct histogram *h, const char *separator)
{
	static const struct {
		const char *name;
		double share;
	} marks[] = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 }, { "p99.9", 0.999 } };

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		str_addf(out, "%s ", marks[i].name);
		html_add_duration_ns(out, (double)histogram_percentile(h, marks[i].share));
		str_add(out, separator);
	}
	str_add(out, "max ");
	html_add_duration_ns(out, (double)h->max);
	str_addf(out, "%s%llu samples", separator, ULL(h->count));
}

void html_add_histogram(struct str *out, const char *title, const struct latency *const *parts,
			size_t count)
{
	_free_ struct svg_picture *p = calloc(1, sizeof(*p));

	if (!p) {
		out->failed = true;
		return;
	}
	pool(&p->pooled, parts, count);
	if (!p->pooled.count)
		return;
	fill_bins(p);
	if (!p->fullest)
		return;
	html_add_in(out, "<figure><figcaption>", title, "");
	str_addf(out,
		 "</figcaption><svg role=\"img\" viewBox=\"0 0 %d %d\" "
		 "preserveAspectRatio=\"none\" aria-label=\"",
		 WIDTH, HEIGHT);
	html_add_text(out, title);
	str_add(out, ": ");
	add_summary(out, &p->pooled, ", ");
	str_add(out, "\">");
	add_outline(out, p);
	add_mark(out, p, "m", histogram_percentile(&p->pooled, 0.5));
	add_mark(out, p, "n", histogram_percentile(&p->pooled, 0.99));
	str_add(out, "</svg><div class=ax aria-hidden=true><span>");
	html_add_duration_ns(out, exp2(p->low) - 1);
	str_add(out, "</span><span>");
	html_add_duration_ns(out, exp2(p->high) - 1);
	str_add(out, "</span></div><small>");
	add_summary(out, &p->pooled, " · ");
	str_add(out, "</small></figure>");
}

/* ---- phases ---- */

static uint64_t end_of(const struct sidecar *s)
{
	uint64_t end = 0;

	for (size_t i = 0; i < s->phase_count; i++)
		end = s->phases[i].end_ms > end ? s->phases[i].end_ms : end;
	return end;
}

static void add_phase_bar(struct str *out, const struct sidecar_phase *p, size_t index,
			  uint64_t end)
{
	double from = (double)p->start_ms * 1000 / (double)end;
	double to = (double)p->end_ms * 1000 / (double)end;

	str_addf(out, "<rect class=p%zu x=%.0f width=%.0f height=18><title>", index % 4, from,
		 to > from ? to - from : 1);
	html_add_text(out, p->name ? p->name : "phase");
	str_addf(out, ": %llu to %llu ms</title></rect>", ULL(p->start_ms), ULL(p->end_ms));
}

void html_add_timeline(struct str *out, const struct sidecar *s)
{
	uint64_t end = end_of(s);

	if (!end)
		return;
	str_addf(out,
		 "<svg class=tl role=img viewBox=\"0 0 1000 18\" preserveAspectRatio=none "
		 "aria-label=\"%zu phases in %llu ms\">",
		 s->phase_count, ULL(end));
	for (size_t i = 0; i < s->phase_count; i++)
		add_phase_bar(out, &s->phases[i], i, end);
	str_add(out, "</svg>");
}
