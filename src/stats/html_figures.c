// SPDX-License-Identifier: GPL-2.0-only
/* Metrics of a result next to those of earlier runs of the same test. */
#include <math.h>

#include "base/html.h"
#include "stats/parts.h"
#include "stats/registry.h"

#define MAX_EARLIER 20 /* the newest ones: each is a file to read */
#define WIDTH 120
#define HEIGHT 18
#define TREND_TITLES "<th scope=col>earlier runs<th scope=col>against their mean"

/* Limit for metrics of the test itself; those that define what is better have priority. */
#define MAX_OWN_LINES 32

/* One run: values of the registry's metrics, then of the result's own; NAN = missing. */
struct figures_row {
	char *when;
	double *values;
};

struct figures {
	const struct sidecar *now;
	VEC(struct figures_row) rows; /* the newest is the result itself */
};

static void figures_finish(struct figures *f)
{
	vec_release(&f->rows, each, free(each->when), free(each->values));
}

static void read_values(const struct figures *f, const struct sidecar *s, double *to)
{
	for (size_t i = 0; i < registry_count; i++) {
		struct metric_reading r;

		*to++ = registry_reading(&registry_metrics[i], s, &r) ?
				reading_value(registry_metrics[i].kind, &r) :
				NAN;
	}
	array_each(const struct named_metric, m, f->now->metrics, f->now->metric_count) {
		const struct named_metric *own = own_metric_find(s, m);

		*to++ = own ? own->value : NAN;
	}
}

static int add_row(struct figures *f, const struct sidecar *s)
{
	struct figures_row row = { .when = strdup(s->timestamp ? s->timestamp : ""),
				   .values = calloc(registry_count + f->now->metric_count,
						    sizeof(*row.values)) };
	int rc = row.when && row.values ? 0 : err_no_memory();

	if (rc == 0)
		read_values(f, s, row.values);
	rc = rc ?: vec_push(&f->rows, row);
	if (rc < 0) {
		free(row.when);
		free(row.values);
	}
	return rc;
}

/* Skips failed tests: they ended early, so their values are not comparable. */
static int add_earlier(void *ctx, const struct sidecar *then, const struct run *run)
{
	struct figures *f = ctx;

	(void)run;
	if (then->outcome != KTSTR_PASSED)
		return 0;
	return f->rows.count > MAX_EARLIER ? 1 : add_row(f, then);
}

static int oldest_first(const void *a, const void *b)
{
	return strcmp(((const struct figures_row *)a)->when, ((const struct figures_row *)b)->when);
}

/* values: of the runs that have it, oldest first. */
static void add_line(struct str *out, const double *values, size_t count)
{
	size_t at[MAX_EARLIER + 2], found = 0;
	double low = values[0], high = values[0];

	for (size_t i = 1; i < count; i++) {
		low = fmin(low, values[i]);
		high = fmax(high, values[i]);
	}
	str_addf(out,
		 "<svg class=spark role=img viewBox=\"0 0 %d %d\" aria-label=\"%zu runs, %.2f to "
		 "%.2f\"><path d=\"",
		 WIDTH, HEIGHT, count, low, high);
	for (size_t i = 0; i < count; i++)
		str_addf(out, "%c%.0f %.0f", i ? 'L' : 'M', (double)i * WIDTH / (double)(count - 1),
			 high > low ? 2 + (HEIGHT - 4) * (high - values[i]) / (high - low) :
				      HEIGHT / 2.0);
	str_add(out, "\"/>");
	if (change_points_find(values, count, at, &found) < 0)
		out->failed = true;
	for (size_t i = 0; i < found; i++)
		str_addf(out, "<line x1=%.1f x2=%.1f y2=%d />",
			 (double)at[i] * WIDTH / (double)(count - 1),
			 (double)at[i] * WIDTH / (double)(count - 1), HEIGHT);
	str_add(out, "</svg>");
}

/* Change against the mean of the earlier runs. */
static void add_change(struct str *out, const double *values, size_t count)
{
	double sum = 0, mean;

	for (size_t i = 0; i + 1 < count; i++)
		sum += values[i];
	mean = sum / (double)(count - 1);
	if (mean != 0)
		str_addf(out, "%+.1f%%", 100 * (values[count - 1] - mean) / fabs(mean));
	else
		str_add(out, values[count - 1] == 0 ? "+0.0%" : "was 0");
}

/* Cells of one metric: its line plot, and the change against the mean. */
static void add_trend(struct str *out, const struct figures *f, size_t m)
{
	double values[MAX_EARLIER + 2] = {};
	size_t count = 0;

	for (size_t i = 0; i < f->rows.count; i++)
		if (!isnan(f->rows.items[i].values[m]))
			values[count++] = f->rows.items[i].values[m];
	str_add(out, "<td>");
	if (count > 1) {
		add_line(out, values, count);
		str_add(out, "<td>");
		add_change(out, values, count);
	} else {
		str_add(out, "–<td>–");
	}
}

static bool has_figures(const double *values)
{
	for (size_t m = 0; m < registry_count; m++)
		if (!isnan(values[m]))
			return true;
	return false;
}

static void add_registered(struct str *out, const struct figures *f, const double *own)
{
	if (!has_figures(own))
		return;
	str_add(out, "<div class=sc><table class=num><caption>Figures</caption><thead><tr>"
		     "<th scope=col>metric<th scope=col>value" TREND_TITLES "<tbody>");
	for (size_t m = 0; m < registry_count; m++) {
		if (isnan(own[m]))
			continue;
		str_addf(out, "<tr><th scope=row>%s<td>%.2f%s", registry_metrics[m].name, own[m],
			 registry_metrics[m].unit);
		add_trend(out, f, m);
	}
	str_add(out, "</table></div>");
}

/* Appends metrics reported by the test and its payloads. */
static void add_reported(struct str *out, const struct figures *f)
{
	bool is_few = f->now->metric_count <= MAX_OWN_LINES;
	size_t at = registry_count;

	if (!f->now->metric_count)
		return;
	str_add(out, "<div class=sc><table><caption>Metrics</caption><thead><tr><th scope=col>name"
		     "<th scope=col>value<th scope=col>from" TREND_TITLES "<tbody>");
	array_each(const struct named_metric, m, f->now->metrics, f->now->metric_count) {
		html_add_in(out, "<tr><th scope=row>", m->name, "");
		str_addf(out, "<td>%g ", m->value);
		html_add_text(out, m->unit ? m->unit : "");
		html_add_in(out, "<td>", m->payload ? m->payload : "the test", "");
		if (is_few || m->polarity != KTSTR_POLARITY_UNKNOWN)
			add_trend(out, f, at);
		else
			str_add(out, "<td><td>");
		at++;
	}
	str_add(out, "</table></div>");
}

int html_add_figures(struct str *out, const struct html_item *item, const struct runs *history)
{
	_cleanup_(figures_finish) struct figures f = { .now = item->s };
	int rc = add_row(&f, item->s);

	rc = rc ?: history_each(item->s, item->path, history, add_earlier, &f);
	if (rc < 0)
		return rc;
	vec_sort(&f.rows, oldest_first);
	add_registered(out, &f, f.rows.items[f.rows.count - 1].values);
	add_reported(out, &f);
	return 0;
}
