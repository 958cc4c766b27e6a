// SPDX-License-Identifier: GPL-2.0-only
/* The report as JSON: every row, including those that the text does not show. */
#include "delta/delta.h"

static void put_side(struct json *j, const char *key, const struct sample *s)
{
	json_put_object(j, key);
	json_put_u64(j, "n", s->count);
	json_put_double(j, "mean", s->mean);
	json_put_double(j, "min", s->min);
	json_put_double(j, "max", s->max);
	json_put_double(j, "variance", s->variance);
	json_object_end(j);
}

static void put_row(struct json *j, const struct delta_row *row)
{
	const struct delta_figures *f = &row->f;

	json_object(j);
	json_put_string(j, "test", row->test);
	json_put_string(j, "phase", row->phase);
	json_put_string(j, "metric", row->metric);
	json_put_string(j, "unit", row->unit);
	json_put_string(j, "better",
			row->is_neutral	      ? "neither" :
			row->is_higher_better ? "higher" :
						"lower");
	json_put_bool(j, "must_fail", row->is_must_fail);
	json_put_bool(j, "asserted", row->is_asserted);
	put_side(j, "a", &f->sides[0]);
	put_side(j, "b", &f->sides[1]);
	json_put_bool(j, "paired", f->is_paired);
	json_put_double(j, "delta", f->separation.difference);
	json_put_double(j, "delta_percent", delta_percent(row, f->separation.difference));
	json_put_double(j, "low", f->separation.low);
	json_put_double(j, "high", f->separation.high);
	json_put_double(j, "p", f->separation.p);
	json_put_bool(j, "separated", f->separation.is_separated);
	json_put_double(j, "gate", f->gate);
	json_put_double(j, "detectable", f->detectable);
	json_put_string(j, "verdict", delta_verdict_name(f->verdict));
	json_put_known_u64(j, "runs_needed", f->verdict == DELTA_UNSURE && f->runs_needed,
			   f->runs_needed);
	json_object_end(j);
}

static void put_gaps(struct json *j, const struct delta_report *r)
{
	json_put_array(j, "not_all_passed");
	vec_each(const struct delta_gap, g, &r->gaps) {
		json_object(j);
		json_put_string(j, "test", g->test);
		json_put_u64(j, "a_compared", g->passes[0]);
		json_put_u64(j, "a_total", g->totals[0]);
		json_put_u64(j, "b_compared", g->passes[1]);
		json_put_u64(j, "b_total", g->totals[1]);
		json_put_string(j, "why", g->why);
		json_object_end(j);
	}
	json_array_end(j);
}

void delta_json(const struct delta_report *r, struct json *j)
{
	static const char *const outcomes[] = {
		[DELTA_PASSED] = "passed",
		[DELTA_FAILED] = "failed",
		[DELTA_CANNOT_TELL] = "cannot_tell",
		[DELTA_NO_DATA] = "no_data",
	};
	_str_ struct str sentence = {};

	delta_add_sentence(r, &sentence);
	json_object(j);
	json_put_u64(j, "schema_version", 1);
	json_put_string(j, "outcome", outcomes[r->outcome]);
	json_put_string(j, "sentence", str_get(&sentence));
	json_put_string(j, "a", r->labels[0]);
	json_put_string(j, "b", r->labels[1]);
	json_put_u64(j, "tests", r->tests);
	json_put_bool(j, "paired", r->is_paired);
	json_put_u64(j, "pairs", r->pairs);
	json_put_u64(j, "identical_pairs", r->identical);
	json_put_double(j, "confidence", 1 - r->alpha);
	json_put_double(j, "row_confidence", 1 - r->row_alpha);
	json_put_u64(j, "regressions", r->worse);
	json_put_u64(j, "improvements", r->better);
	json_put_u64(j, "unchanged", r->same);
	json_put_u64(j, "unsure", r->unsure);
	json_put_u64(j, "noisy", r->noisy);
	json_put_u64(j, "not_judged", r->neutral);
	json_put_u64(j, "fail_threshold", r->fail_threshold);
	json_put_u64(j, "runs_needed", r->runs_needed);
	json_put_double(j, "seen_by_half", r->seen_by_half);
	json_put_double(j, "seen_by_most", r->seen_by_most);
	json_put_strings(j, "left_out", r->left_out.items, r->left_out.count);
	put_gaps(j, r);
	json_put_array(j, "not_measured");
	for (size_t i = 0; i < r->unmeasured.count; i++) {
		json_object(j);
		json_put_string(j, "test", r->unmeasured.items[i].test);
		json_put_string(j, "metric", r->unmeasured.items[i].metric);
		json_put_string(j, "phase", r->unmeasured.items[i].phase);
		json_object_end(j);
	}
	json_array_end(j);
	json_put_array(j, "rows");
	for (size_t i = 0; i < r->rows.count; i++)
		put_row(j, &r->rows.items[i]);
	json_array_end(j);
	json_object_end(j);
}
