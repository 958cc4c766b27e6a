// SPDX-License-Identifier: GPL-2.0-only
/* The words of a report: cells of its rows, and the sentences below them. */
#include <math.h>

#include "delta/delta.h"

/*
 * A row with the verdict "same" is only shown if there is a significant, though small, change; one
 * that is not judged if the change is not small.
 */
bool delta_is_shown(const struct delta_row *row)
{
	const struct separation *s = &row->f.separation;

	if (row->f.verdict == DELTA_NEUTRAL)
		return s->is_separated && fabs(s->difference) >= row->f.gate;
	return row->f.verdict != DELTA_SAME || (s->is_separated && s->difference != 0);
}

const char *delta_verdict_words(const struct delta_row *row)
{
	static const char *const words[] = {
		[DELTA_SAME] = "below the gate",	[DELTA_WORSE] = "REGRESSION",
		[DELTA_BETTER] = "improvement",		[DELTA_UNSURE] = "cannot tell",
		[DELTA_NOISY] = "too noisy, not gated", [DELTA_NEUTRAL] = "changed, not judged",
	};
	bool is_single = row->f.sides[0].count < 2 || row->f.sides[1].count < 2;

	if (row->f.verdict == DELTA_UNSURE && is_single)
		return "n=1, not gated";
	if (!delta_is_shown(row))
		return row->f.verdict == DELTA_NEUTRAL ? "not judged" : "same";
	return words[row->f.verdict];
}

static void add_percent(struct str *out, const struct delta_row *row, double difference)
{
	double percent = delta_percent(row, difference);

	if (isinf(percent))
		str_add(out, percent < 0 ? "-inf" : "+inf");
	else
		str_addf(out, "%+.1f", percent);
}

void delta_add_change(const struct delta_row *row, struct str *out)
{
	double difference = row->f.separation.difference;

	str_add(out, difference > 0 ? "↑ " : difference < 0 ? "↓ " : "= ");
	add_percent(out, row, difference);
	str_addc(out, '%');
}

void delta_add_interval(const struct delta_row *row, struct str *out)
{
	add_percent(out, row, row->f.separation.low);
	str_add(out, " .. ");
	add_percent(out, row, row->f.separation.high);
	str_addc(out, '%');
}

void delta_add_runs(const struct delta_row *row, struct str *out)
{
	const struct sample *s = row->f.sides;

	str_addf(out, "%zu", s[0].count);
	if (s[0].count != s[1].count)
		str_addf(out, "/%zu", s[1].count);
}

static void add_gaps(const struct delta_report *r, struct str *out)
{
	vec_each(const struct delta_gap, g, &r->gaps) {
		str_add(out, "passed and compared: ");
		text_add_printable(out, g->test);
		str_addf(out, " %zu of %zu (A), %zu of %zu (B)", g->passes[0], g->totals[0],
			 g->passes[1], g->totals[1]);
		if (g->why) {
			str_add(out, ": ");
			text_add_printable(out, g->why);
		}
		str_addc(out, '\n');
	}
}

/* Reports the power of metrics that were requested by name. */
static void add_named_power(const struct delta_row *row, struct str *out)
{
	double seen = 100 * row->f.detectable / fabs(row->f.sides[0].mean);

	if (!row->is_must_fail || row->f.verdict != DELTA_SAME || !isfinite(seen))
		return;
	str_addf(out, "power: %s of ", row->metric);
	text_add_printable(out, row->test);
	str_addf(out, ": a change of %.1f %% would have been seen\n", seen);
}

static void add_power(const struct delta_report *r, struct str *out)
{
	if (r->identical)
		str_addf(out, "%zu of %zu pairs of runs are the same bit for bit\n", r->identical,
			 r->pairs);
	if (!isnan(r->seen_by_most) && r->seen_by_most > 0)
		str_addf(
			out,
			"power: of the metrics that are the same, half would have shown a change of "
			"%.1f %%, nine in ten one of %.1f %%\n",
			100 * r->seen_by_half, 100 * r->seen_by_most);
	vec_each(const struct delta_row, row, &r->rows)
		add_named_power(row, out);
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

	vec_each(const struct delta_row, row, &r->rows) {
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
			str_addf(out, ", %zu that --must-fail or a test names", r->must_fail_worse);
		add_worst(r, out);
		break;
	case DELTA_CANNOT_TELL:
		if (r->unmeasured.count) {
			str_addf(out, "cannot tell: %zu asserted metric%s not measured",
				 r->unmeasured.count, r->unmeasured.count == 1 ? " was" : "s were");
			break;
		}
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

static void add_unmeasured(const struct delta_report *r, struct str *out)
{
	vec_each(const struct delta_unmeasured, u, &r->unmeasured) {
		text_add_printable(out, u->test);
		str_add(out, ": asserts ");
		text_add_printable(out, u->metric);
		if (u->phase) {
			str_add(out, " of phase ");
			text_add_printable(out, u->phase);
		}
		str_add(out, ", which its runs do not have\n");
	}
}

void delta_add_notes(const struct delta_report *r, struct str *out)
{
	str_addf(out,
		 "summary: %zu regressions, %zu improvements, %zu unchanged, %zu cannot be told",
		 r->worse, r->better, r->same, r->unsure);
	if (r->noisy)
		str_addf(out, ", %zu too noisy", r->noisy);
	if (r->neutral)
		str_addf(out, ", %zu not judged", r->neutral);
	str_addc(out, '\n');
	add_gaps(r, out);
	add_unmeasured(r, out);
	add_left_out(r, out);
	add_power(r, out);
	delta_add_sentence(r, out);
	str_addc(out, '\n');
}
