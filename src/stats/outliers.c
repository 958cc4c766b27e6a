// SPDX-License-Identifier: GPL-2.0-only
/*
 * `stats`: values of a run that are far from those of the same test in earlier runs. Other tests
 * are no reference: a large value for one is small for another.
 */
#include <math.h>

#include "check/change.h"
#include "stats/parts.h"
#include "stats/registry.h"
#include "stats/stats.h"

#define OUTLIER_SIGMAS 2
/* Two runs have a deviation, too, but it says little about the next one. */
#define MIN_EARLIER 3

struct outlier {
	const struct sidecar *s;
	const struct registry_metric *metric;
	double value, mean, sigma;
	size_t earlier;
};

typedef VEC(struct outlier) outliers;

struct past_metric {
	double sum, squares;
	size_t count;
};

/* Sums over the earlier runs, in the order of the registry. */
struct past {
	struct past_metric *metrics;
};

static void past_finish(struct past *p)
{
	free(p->metrics);
}

static int add_earlier(void *ctx, const struct sidecar *then, const struct run *run _unused_)
{
	struct past *p = ctx;
	double value;

	if (then->outcome != KTSTR_PASSED)
		return 0;
	for (size_t i = 0; i < registry_count; i++) {
		struct past_metric *m = &p->metrics[i];

		if (!registry_value(&registry_metrics[i], then, &value))
			continue;
		m->sum += value;
		m->squares += value * value;
		m->count++;
	}
	return 0;
}

static bool is_outlier(const struct past_metric *p, struct outlier *o)
{
	const struct registry_metric *m = o->metric;
	double variance;

	o->earlier = p->count;
	if (p->count < MIN_EARLIER)
		return false;
	o->mean = p->sum / (double)p->count;
	variance = (p->squares - p->sum * o->mean) / (double)(p->count - 1);
	/* Equal readings may leave a rounding error. */
	if (variance <= 1e-18 * o->mean * o->mean)
		return false;
	o->sigma = (o->value - o->mean) / sqrt(variance);
	return o->sigma > OUTLIER_SIGMAS &&
	       change_of(o->mean, o->value, m->default_abs, m->default_rel, m->is_higher_better) ==
		       CHANGE_REGRESSION;
}

static int find_outliers(const struct sidecar *s, const char *path, const struct runs *history,
			 outliers *to)
{
	_cleanup_(past_finish) struct past past = {
		.metrics = calloc(registry_count, sizeof(*past.metrics)),
	};
	int rc = past.metrics ? history_each(s, path, history, add_earlier, &past) :
				err_no_memory();

	for (size_t i = 0; i < registry_count && rc == 0; i++) {
		struct outlier o = { .s = s, .metric = &registry_metrics[i] };

		if (!o.metric->outlier || !registry_value(o.metric, s, &o.value))
			continue;
		if (is_outlier(&past.metrics[i], &o))
			rc = vec_push(to, o);
	}
	return rc;
}

static int compare_outliers(const void *a, const void *b)
{
	const struct outlier *x = a, *y = b;

	if (x->sigma != y->sigma)
		return x->sigma < y->sigma ? 1 : -1;
	return strcmp(x->s->test_name, y->s->test_name);
}

int report_outliers(const struct run *run, const struct runs *history, struct str *out)
{
	_vec_ outliers found = {};
	int rc = 0;

	for (size_t i = 0; i < run->sidecars.count && rc == 0; i++)
		rc = find_outliers(run->sidecars.items[i], run->paths.items[i], history, &found);
	if (rc < 0)
		return rc;
	if (!found.count) {
		str_add(out, "No outliers detected.\n");
		return 0;
	}
	vec_sort(&found, compare_outliers);
	str_add(out, "Outliers detected:\n");
	vec_each(const struct outlier, o, &found) {
		str_addf(out, "  %-25s %s=%.2f  mean=%.2f of %zu earlier runs  %.1f sigma  %s\n",
			 o->s->test_name, o->metric->outlier, o->value, o->mean, o->earlier,
			 o->sigma, o->s->topology);
	}
	return 0;
}
