// SPDX-License-Identifier: GPL-2.0-only
/* `stats compare`: the table and the text around it. */

#include "base/sheet.h"
#include "check/result.h"
#include "stats/compare.h"
#include "stats/registry.h"

#define RED "\033[31m"
#define GREEN "\033[32m"

static const char *verdict_of(const struct compare_row *row)
{
	bool is_worse = row->change == CHANGE_REGRESSION;

	if (row->change == CHANGE_NEUTRAL)
		return "changed (not gated)";
	if (!row->is_gated)
		return is_worse ? "worse (n=1, not gated)" : "better (n=1, not gated)";
	return is_worse ? "REGRESSION" : "improvement";
}

static void add_dimensions(const enum dimension *list, size_t count, const char *first,
			   struct str *out)
{
	str_add(out, first);
	for (size_t i = 0; i < count; i++)
		str_addf(out, "%s%s", i || *first ? ", " : "", dimensions[list[i]].name);
	str_addc(out, '\n');
}

static int add_rows(const struct comparison *c, bool has_colour, struct sheet *s)
{
	const struct sheet_column columns[] = {
		{ "test", "TEST" },
		{ "metric", "METRIC" },
		{ "unit" },
		{ "a", c->labels[0], .decimals = 2 },
		{ "b", c->labels[1], .decimals = 2 },
		{ "delta", "DELTA" },
		{ "verdict", "VERDICT" },
		{ "gated" },
	};

	s->heading = "\n";
	sheet_begin(s, "rows", columns);
	vec_each(const struct compare_row, row, &c->rows) {
		bool is_worse = row->change == CHANGE_REGRESSION;
		struct sheet_cell verdict = SHEET_TEXT(row->change == CHANGE_NEUTRAL ? "change" :
						       is_worse ? "regression" :
								  "improvement");

		verdict.shown = verdict_of(row);
		if (has_colour && row->is_gated)
			verdict.style = is_worse ? RED : GREEN;
		sheet_add(s, SHEET_TEXT(row->test), SHEET_TEXT(row->metric), SHEET_TEXT(row->unit),
			  SHEET_REAL(row->a), SHEET_REAL(row->b),
			  sheet_shown(s, SHEET_REAL(row->b - row->a), "%+.2f%s", row->b - row->a,
				      row->unit),
			  verdict, SHEET_BOOL(row->is_gated));
	}
	return sheet_end(s);
}

static const char *cell_word(const struct compare_cell *cell)
{
	/* Some passed and some were skipped: it cannot be compared completely. */
	return cell->worst == KTSTR_PASSED && cell->passes < cell->total ?
		       "partly skipped" :
		       verdict_word(cell->worst);
}

static void add_skipped(const struct comparison *c, struct str *out)
{
	if (!c->skipped.count)
		return;
	str_addf(out, "skipped: %zu (not passed on both sides)\n", c->skipped.count);
	vec_each(const struct compare_pair, p, &c->skipped) {
		_str_ struct str line = {};

		str_addf(&line, "%s: %s %s, %s %s", p->test, c->labels[0], cell_word(&p->cells[0]),
			 c->labels[1], cell_word(&p->cells[1]));
		str_add(out, "  ");
		text_add_printable(out, str_get(&line));
		str_addc(out, '\n');
		out->failed |= line.failed;
	}
}

int comparison_text(const struct comparison *c, bool has_colour, struct str *out)
{
	_str_ struct str hosts = {};
	int rc;

	str_add(out, "slicing dimensions: ");
	add_dimensions(c->slicing, c->slicing_count, c->is_by_run ? "run" : "", out);
	str_add(out, "pairing on: ");
	add_dimensions(c->pairing, c->pairing_count, "scenario", out);
	if (c->is_averaged)
		str_addf(out, "averaged across %zu runs (A) and %zu runs (B)\n", c->contributors[0],
			 c->contributors[1]);
	compare_programs_text(c, out);
	rc = add_rows(c, has_colour, &(struct sheet){ .out = out });
	if (rc < 0)
		return rc;
	str_addf(out, "\nsummary: %zu regressions, %zu improvements, %zu unchanged\n",
		 c->regressions, c->improvements, c->unchanged);
	if (c->ungated)
		str_addf(out,
			 "not gated: %zu (one run on a side; more runs, or --gate-single, "
			 "make it a verdict)\n",
			 c->ungated);
	if (c->neutral)
		str_addf(out, "changed: %zu (neither direction is better)\n", c->neutral);
	add_skipped(c, out);
	if (c->added)
		str_addf(out, "new: %zu (only in B)\n", c->added);
	if (c->removed)
		str_addf(out, "removed: %zu (only in A)\n", c->removed);
	str_addf(out, "passed: %zu/%zu (A), %zu/%zu (B)\n", c->passes[0], c->totals[0],
		 c->passes[1], c->totals[1]);
	if (c->has_sim)
		registry_add_sim_note(out);
	host_delta_text(c->hosts[0], c->hosts[1], c->labels, &hosts);
	text_add_lines(out, str_get(&hosts));
	rc = str_check(&hosts);
	return rc ?: str_check(out);
}

/* ---- JSON ---- */

static void put_dimensions(struct json *j, const char *key, const enum dimension *list,
			   size_t count)
{
	json_put_array(j, key);
	for (size_t i = 0; i < count; i++)
		json_string(j, dimensions[list[i]].name);
	json_array_end(j);
}

static void put_side(struct json *j, const struct comparison *c, int side)
{
	json_put_object(j, side ? "b" : "a");
	json_put_string(j, "label", c->labels[side]);
	json_put_u64(j, "runs", c->contributors[side]);
	json_put_u64(j, "passes_observed", c->passes[side]);
	json_put_u64(j, "total_observed", c->totals[side]);
	compare_programs_json(c, side, j);
	json_object_end(j);
}

void comparison_json(const struct comparison *c, struct json *j)
{
	json_object(j);
	json_put_u64(j, "schema_version", 1);
	put_dimensions(j, "slicing", c->slicing, c->slicing_count);
	put_dimensions(j, "pairing", c->pairing, c->pairing_count);
	put_side(j, c, 0);
	put_side(j, c, 1);
	add_rows(c, false, &(struct sheet){ .format = SHEET_AS_JSON, .out = j->out, .json = j });
	json_put_array(j, "skipped");
	for (size_t i = 0; i < c->skipped.count; i++) {
		json_object(j);
		json_put_string(j, "test", c->skipped.items[i].test);
		json_put_string(j, "a", cell_word(&c->skipped.items[i].cells[0]));
		json_put_string(j, "b", cell_word(&c->skipped.items[i].cells[1]));
		json_object_end(j);
	}
	json_array_end(j);
	json_put_u64(j, "regressions", c->regressions);
	json_put_u64(j, "improvements", c->improvements);
	json_put_u64(j, "unchanged", c->unchanged);
	json_put_u64(j, "not_gated", c->ungated);
	json_put_u64(j, "changed", c->neutral);
	json_put_u64(j, "new", c->added);
	json_put_u64(j, "removed", c->removed);
	json_object_end(j);
}
