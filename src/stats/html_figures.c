// SPDX-License-Identifier: GPL-2.0-only
/* The metrics of a result beside those of earlier runs of the same test. */
#include <math.h>

#include "base/html.h"
#include "stats/parts.h"
#include "stats/registry.h"

#define MAX_EARLIER 20 /* the newest: each is a file to be read */
#define WIDTH 120
#define HEIGHT 18

/* One run: the figures of all metrics; NAN = it has none. */
struct figures_row {
	char *when;
	double *values;
};

struct figures {
	VEC(struct figures_row) rows; /* the newest is the result itself */
};

static void figures_finish(struct figures *f)
{
	vec_release(&f->rows, each, free(each->when), free(each->values));
}

static int add_row(struct figures *f, const struct sidecar *s)
{
	struct figures_row row = { .when = strdup(s->timestamp ? s->timestamp : ""),
				   .values = calloc(registry_count, sizeof(*row.values)) };
	int rc = row.when && row.values ? 0 : err_no_memory();

	for (size_t i = 0; rc == 0 && i < registry_count; i++) {
		struct reading r;

		row.values[i] = registry_reading(&registry_metrics[i], s, &r) ?
					reading_value(registry_metrics[i].kind, &r) :
					NAN;
	}
	rc = rc ?: vec_push(&f->rows, row);
	if (rc < 0) {
		free(row.when);
		free(row.values);
	}
	return rc;
}

/* A test that failed ended early: its figures are others. */
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

/* values: of the runs that have it, the oldest first. */
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

/* Against the mean of the earlier ones. */
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

static void add_metric(struct str *out, const struct figures *f, size_t m)
{
	double values[MAX_EARLIER + 2] = {};
	size_t count = 0;

	for (size_t i = 0; i < f->rows.count; i++)
		if (!isnan(f->rows.items[i].values[m]))
			values[count++] = f->rows.items[i].values[m];
	str_addf(out, "<tr><th scope=row>%s<td>%.2f%s<td>", registry_metrics[m].name,
		 values[count - 1], registry_metrics[m].unit);
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

int html_add_figures(struct str *out, const struct html_item *item, const struct runs *history)
{
	_cleanup_(figures_finish) struct figures f = {};
	const double *own;
	int rc = add_row(&f, item->s);

	rc = rc ?: history_each(item->s, item->path, history, add_earlier, &f);
	if (rc < 0)
		return rc;
	vec_sort(&f.rows, oldest_first);
	own = f.rows.items[f.rows.count - 1].values;
	if (!has_figures(own))
		return 0;
	str_add(out, "<div class=sc><table class=num><caption>Figures</caption><thead><tr>"
		     "<th scope=col>metric<th scope=col>value<th scope=col>earlier runs"
		     "<th scope=col>against their mean<tbody>");
	for (size_t m = 0; m < registry_count; m++)
		if (!isnan(own[m]))
			add_metric(out, &f, m);
	str_add(out, "</table></div>");
	return 0;
}
