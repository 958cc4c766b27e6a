// SPDX-License-Identifier: GPL-2.0-only
/* The report for people: a table with arrows and intervals, and sentences around it. */
#include <math.h>

#include "base/cleanup.h"
#include "base/table.h"
#include "base/text.h"
#include "base/util.h"
#include "delta/delta.h"

#define RED "\033[31m"
#define GREEN "\033[32m"
#define YELLOW "\033[33m"

static const struct {
	const char *word, *colour;
} verdicts[] = {
	[DELTA_SAME] = { "below the gate", NULL },
	[DELTA_WORSE] = { "REGRESSION", RED },
	[DELTA_BETTER] = { "improvement", GREEN },
	[DELTA_UNSURE] = { "cannot tell", YELLOW },
	[DELTA_NOISY] = { "too noisy, not gated", YELLOW },
};

/* What is the same is shown only where it is a change, if a small one. */
static bool is_shown(const struct delta_row *row)
{
	return row->f.verdict != DELTA_SAME ||
	       (row->f.separation.is_separated && row->f.separation.difference != 0);
}

static void add_percent(struct str *out, const struct delta_row *row, double difference)
{
	double percent = delta_percent(row, difference);

	if (isinf(percent))
		str_add(out, percent < 0 ? "-inf" : "+inf");
	else
		str_addf(out, "%+.1f", percent);
}

static void fill_row(struct table *t, const struct delta_row *row, bool has_colour)
{
	const struct delta_figures *f = &row->f;
	_str_ struct str delta = {}, interval = {};
	size_t at = 0;

	str_add(&delta, f->separation.difference > 0 ? "↑ " :
			f->separation.difference < 0 ? "↓ " :
						       "= ");
	add_percent(&delta, row, f->separation.difference);
	add_percent(&interval, row, f->separation.low);
	str_add(&interval, " .. ");
	add_percent(&interval, row, f->separation.high);
	table_cell(t, at++, row->test);
	if (row->phase)
		table_cell(t, at++, row->phase);
	table_cell(t, at++, row->metric);
	table_cellf(t, at++, "%.2f%s", f->sides[0].mean, row->unit);
	table_cellf(t, at++, "%.2f%s", f->sides[1].mean, row->unit);
	table_cellf(t, at++, "%s%%", str_get(&delta));
	table_cellf(t, at++, "%s%%", str_get(&interval));
	if (f->sides[0].count == f->sides[1].count)
		table_cellf(t, at++, "%zu", f->sides[0].count);
	else
		table_cellf(t, at++, "%zu/%zu", f->sides[0].count, f->sides[1].count);
	table_cellf(t, at, "%s%s",
		    f->verdict == DELTA_UNSURE && f->sides[0].count < 2 ? "n=1, not gated" :
									  verdicts[f->verdict].word,
		    row->is_must_fail ? " (--must-fail)" : "");
	if (has_colour)
		table_cell_colour(t, at, verdicts[f->verdict].colour);
	t->failed |= delta.failed || interval.failed;
}

static int add_table(const struct delta_report *r, bool is_of_phases, bool has_colour,
		     struct str *out)
{
	const char *const titles[] = { "TEST",	"PHASE",    "METRIC", r->labels[0], r->labels[1],
				       "DELTA", "INTERVAL", "N",      "VERDICT" };
	const char *const plain[] = { "TEST",  "METRIC",   r->labels[0], r->labels[1],
				      "DELTA", "INTERVAL", "N",		 "VERDICT" };
	_cleanup_(table_finish) struct table t = {};
	size_t shown = 0;
	int rc = is_of_phases ? table_init(&t, titles, ARRAY_SIZE(titles)) :
				table_init(&t, plain, ARRAY_SIZE(plain));

	for (size_t i = 0; i < r->rows.count && rc == 0; i++) {
		const struct delta_row *row = &r->rows.items[i];

		if ((row->phase != NULL) != is_of_phases || !is_shown(row))
			continue;
		rc = table_row(&t);
		if (rc == 0)
			fill_row(&t, row, has_colour);
		shown++;
	}
	if (rc < 0 || !shown)
		return rc;
	str_add(out, is_of_phases ? "\nby phase, not gated:\n" : "\n");
	return table_add(&t, out);
}

static void add_gaps(const struct delta_report *r, struct str *out)
{
	for (size_t i = 0; i < r->gaps.count; i++) {
		const struct delta_gap *g = &r->gaps.items[i];

		str_add(out, "passed and compared: ");
		text_add_printable(out, g->test);
		str_addf(out, " %zu of %zu (A), %zu of %zu (B)\n", g->passes[0], g->totals[0],
			 g->passes[1], g->totals[1]);
	}
}

static void add_power(const struct delta_report *r, struct str *out)
{
	if (isnan(r->seen_by_all))
		return;
	str_addf(out,
		 "power: of what is the same, half of the metrics would have shown a change of "
		 "%.1f %%, all of them one of %.1f %%\n",
		 100 * r->seen_by_half, 100 * r->seen_by_all);
}

static void add_left_out(const struct delta_report *r, struct str *out)
{
	for (size_t i = 0; i < r->left_out.count; i++)
		str_addf(out, "%s%s",
			 i ? ", " : "left out, sim cannot judge: ", r->left_out.items[i]);
	if (r->left_out.count)
		str_add(out, " (--must-fail NAME judges one all the same)\n");
}

static void add_worst(const struct delta_report *r, struct str *out)
{
	const struct delta_row *worst = NULL;
	double most = 0;

	for (size_t i = 0; i < r->rows.count; i++) {
		const struct delta_row *row = &r->rows.items[i];
		double percent = fabs(delta_percent(row, row->f.separation.difference));

		if (row->phase || row->f.verdict != DELTA_WORSE || percent <= most)
			continue;
		most = percent;
		worst = row;
	}
	if (!worst)
		return;
	str_addf(out, "; most %s of ", worst->metric);
	text_add_printable(out, worst->test);
	str_add(out, ", ");
	add_percent(out, worst, worst->f.separation.difference);
	str_add(out, " %");
}

void delta_add_sentence(const struct delta_report *r, struct str *out)
{
	switch (r->outcome) {
	case DELTA_NO_DATA:
		str_add(out, "nothing to compare");
		break;
	case DELTA_FAILED:
		str_addf(out, "it is worse: %zu metric%s regressed", r->worse,
			 r->worse == 1 ? "" : "s");
		if (r->must_fail_worse)
			str_addf(out, ", %zu of them named by --must-fail", r->must_fail_worse);
		add_worst(r, out);
		break;
	case DELTA_CANNOT_TELL:
		str_addf(out, "cannot tell: %zu metric%s may have regressed", r->unsure,
			 r->unsure == 1 ? "" : "s");
		if (r->runs_needed)
			str_addf(out, "; about %zu runs a side would do, which are %zu more",
				 r->runs_needed,
				 r->runs_needed > r->fewest ? r->runs_needed - r->fewest : 1);
		else
			str_addf(out, "; more than %d runs a side would be needed",
				 SAMPLE_MAX_RUNS);
		break;
	case DELTA_PASSED:
		str_addf(out, "it is not worse: %zu regressed, which is fewer than %zu", r->worse,
			 r->fail_threshold);
		break;
	}
}

static void add_head(const struct delta_report *r, struct str *out)
{
	_str_ struct str a = {}, b = {};

	text_add_printable(&a, r->labels[0]);
	text_add_printable(&b, r->labels[1]);
	str_addf(out, "A: %s, B: %s; %zu test%s, ", str_get(&a), str_get(&b), r->tests,
		 r->tests == 1 ? "" : "s");
	if (r->fewest == r->most)
		str_addf(out, "%zu run%s a side", r->most, r->most == 1 ? "" : "s");
	else
		str_addf(out, "%zu to %zu runs a side", r->fewest, r->most);
	str_addf(out, "%s, %.0f %% confidence\n", r->is_paired ? " with the same seeds" : "",
		 100 * (1 - r->alpha));
}

int delta_text(const struct delta_report *r, bool has_colour, struct str *out)
{
	int rc;

	add_head(r, out);
	rc = add_table(r, false, has_colour, out);
	if (rc == 0)
		rc = add_table(r, true, has_colour, out);
	if (rc < 0)
		return rc;
	str_addf(out,
		 "\nsummary: %zu regressions, %zu improvements, %zu unchanged, %zu cannot be told",
		 r->worse, r->better, r->same, r->unsure);
	if (r->noisy)
		str_addf(out, ", %zu too noisy", r->noisy);
	str_addc(out, '\n');
	add_gaps(r, out);
	add_left_out(r, out);
	add_power(r, out);
	delta_add_sentence(r, out);
	str_addc(out, '\n');
	return str_check(out);
}
