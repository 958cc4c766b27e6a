// SPDX-License-Identifier: GPL-2.0-only
/* Turns records into a report. */
#include "delta/delta.h"

#include <math.h>

#include "delta/parts.h"

/* A skipped run has no details. */
static const char *reason_of(const struct sidecar *s)
{
	if (!s)
		return NULL;
	if (s->detail_count)
		return s->details[0].message;
	return s->outcome == KTSTR_SKIPPED ? s->failure : NULL;
}

static int add_gap(struct delta_report *r, const struct delta_test *t)
{
	const struct delta_gap gap = {
		.test = t->name,
		.passes = { t->passed[0].count, t->passed[1].count },
		.totals = { t->totals[0], t->totals[1] },
		.why = reason_of(t->failed),
	};

	return vec_push(&r->gaps, gap);
}

static void count_identical(struct delta_report *r, const struct delta_test *t)
{
	for (size_t i = 0; t->is_paired && i < t->passed[0].count; i++) {
		const char *a = t->passed[0].items[i]->digest, *b = t->passed[1].items[i]->digest;

		r->pairs++;
		r->identical += a && b && str_eq(a, b);
	}
}

static int add_test(struct delta_report *r, const struct delta_test *t,
		    const struct delta_options *o, const struct delta_alphas *alphas)
{
	int rc = 0;

	if (t->passed[0].count < t->totals[0] || t->passed[1].count < t->totals[1] ||
	    !t->totals[0] || !t->totals[1])
		rc = add_gap(r, t);
	if (rc < 0 || !t->passed[0].count || !t->passed[1].count)
		return rc;
	for (int side = 0; side < 2; side++) {
		size_t runs = t->passed[side].count;

		r->records[side] += runs;
		r->fewest = r->fewest ? MIN(r->fewest, runs) : runs;
		r->most = MAX(r->most, runs);
	}
	r->is_paired &= t->is_paired;
	count_identical(r, t);
	r->is_sim |= t->is_sim;
	r->tests++;
	return delta_rows_add(r, t, o, alphas);
}

/* Moves rows of phases after those of whole runs; otherwise the order is kept. */
static int runs_first(struct delta_report *r)
{
	size_t count = r->rows.count, at = 0;
	struct delta_row *sorted = calloc(count + 1, sizeof(*sorted));

	if (!sorted)
		return err_no_memory();
	for (int phases = 0; phases < 2; phases++)
		for (size_t i = 0; i < count; i++)
			if ((r->rows.items[i].phase != NULL) == phases)
				sorted[at++] = r->rows.items[i];
	free(r->rows.items);
	r->rows.items = sorted;
	return 0;
}

static void empty(struct delta_report *r)
{
	free(r->rows.items);
	free(r->gaps.items);
	free(r->left_out.items);
	free(r->unmeasured.items);
}

static int add_tests(struct delta_report *r, const delta_tests *tests,
		     const struct delta_options *o, const struct delta_alphas *alphas)
{
	struct delta_report fresh = { .arena = r->arena,
				      .labels = { o->labels[0], o->labels[1] },
				      .fail_threshold = o->fail_threshold,
				      .alpha = o->alpha,
				      .row_alpha = alphas->row,
				      .is_paired = true };
	int rc = 0;

	empty(r);
	*r = fresh;
	for (size_t i = 0; i < tests->count && rc == 0; i++)
		rc = add_test(r, &tests->items[i], o, alphas);
	return rc;
}

static struct delta_alphas share_alpha(const struct delta_report *r, double alpha)
{
	double rows = 0, named = 0;

	for (size_t i = 0; i < r->rows.count; i++) {
		named += r->rows.items[i].is_must_fail;
		rows += !r->rows.items[i].phase && !r->rows.items[i].is_neutral;
	}
	return (struct delta_alphas){
		.row = alpha * fmin(1, (double)r->fail_threshold / fmax(rows, 1)),
		.must_fail = alpha / fmax(named, 1),
		.phase = alpha,
	};
}

int delta_compare(const delta_side sides[static 2], const struct delta_options *o,
		  struct delta_report *to)
{
	_cleanup_(delta_tests_finish) delta_tests tests = {};
	double alpha = o->alpha / (double)MAX(o->looks, 1);
	struct delta_alphas alphas = { alpha, alpha, alpha };
	int rc;

	*to = (struct delta_report){};
	rc = delta_tests_make(sides, o, &to->arena, &tests);
	/* The number of rows, and so the alpha of each, is only known after a first pass. */
	rc = rc ?: add_tests(to, &tests, o, &alphas);
	if (rc == 0) {
		alphas = share_alpha(to, alpha);
		rc = add_tests(to, &tests, o, &alphas);
	}
	rc = rc ?: runs_first(to);
	to->is_paired &= to->tests > 0;
	rc = rc ?: delta_outcome_set(to);
	if (rc < 0)
		delta_report_finish(to);
	return rc;
}

void delta_report_finish(struct delta_report *r)
{
	empty(r);
	arena_finish(&r->arena);
	*r = (struct delta_report){};
}

double delta_percent(const struct delta_row *row, double difference)
{
	double a = fabs(row->f.sides[0].mean);

	return difference == 0 ? 0 : a > 0 ? 100 * difference / a : copysign(INFINITY, difference);
}

const char *delta_verdict_name(enum delta_verdict verdict)
{
	static const char *const names[] = {
		[DELTA_SAME] = "same",		[DELTA_WORSE] = "regression",
		[DELTA_BETTER] = "improvement", [DELTA_UNSURE] = "unsure",
		[DELTA_NOISY] = "noisy",	[DELTA_NEUTRAL] = "not_judged",
	};

	return names[verdict];
}
