// SPDX-License-Identifier: GPL-2.0-only
/* Lists of facts, and their cells. */
#include "ctprof/facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"
#include "ctprof/measure.h"
#include "ctprof/number.h"

struct fact_table *fact_table_new(struct fact_tables *t, const struct fact_layout *layout,
				  const char *heading)
{
	struct fact_table table = { .layout = layout, .heading = heading };

	return vec_push(t, table) < 0 ? NULL : &t->items[t->count - 1];
}

void fact_table_drop_empty(struct fact_tables *t)
{
	if (t->count && !t->items[t->count - 1].count)
		t->count--;
}

int fact_add(struct fact_table *t, struct fact fact)
{
	int rc = vec_grow((void **)&t->facts, &t->cap, t->count + 1, sizeof(*t->facts));

	if (rc == 0)
		t->facts[t->count++] = fact;
	return rc;
}

static bool passes(const struct fact *f, const struct report_options *o)
{
	struct delta d = fact_delta(f);

	return options_pass_change(o, &f->sides[BASELINE], &d);
}

/* Keeps the lines of which some fact changed as much as the options ask for. */
static void drop_unchanged(struct fact_table *t, const struct report_options *o)
{
	size_t width = t->layout->facts_per_line, kept = 0;

	for (size_t line = 0; line + width <= t->count; line += width) {
		bool is_kept = false;

		for (size_t i = 0; i < width; i++)
			is_kept |= passes(&t->facts[line + i], o);
		if (!is_kept)
			continue;
		memmove(&t->facts[kept], &t->facts[line], width * sizeof(*t->facts));
		kept += width;
	}
	t->count = kept;
}

static void drop_empty_tables(struct fact_tables *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->count; i++)
		if (t->items[i].count)
			t->items[kept++] = t->items[i];
		else
			free(t->items[i].facts);
	t->count = kept;
}

static void find_rates(struct fact_table *t, const struct fact_sources *from)
{
	for (size_t i = 0; i < t->count; i++) {
		struct fact *f = &t->facts[i];

		f->per_second = NAN;
		if (from->options->is_per_second && f->is_counter)
			f->per_second = fact_delta(f).number / from->window->seconds;
	}
}

int facts_collect(struct fact_tables *t, const struct fact_sources *from)
{
	int rc = facts_collect_smaps(t, from);

	if (rc == 0)
		rc = facts_collect_cgroups(t, from);
	if (rc == 0)
		rc = facts_collect_pressure(t, from);
	if (rc == 0)
		rc = facts_collect_sched_ext(t, from);
	for (size_t i = 0; i < t->count; i++) {
		find_rates(&t->items[i], from);
		if (!from->options->is_show)
			drop_unchanged(&t->items[i], from->options);
	}
	drop_empty_tables(t);
	return rc;
}

size_t fact_table_shown(const struct fact_table *t, const struct report_options *o)
{
	size_t width = t->layout->facts_per_line;

	return o->limit && o->limit < t->count / width ? o->limit * width : t->count;
}

void fact_tables_finish(struct fact_tables *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->items[i].facts);
	free(t->items);
	arena_finish(&t->arena);
	*t = (struct fact_tables){};
}

struct delta fact_delta(const struct fact *f)
{
	if (f->has_no_delta)
		return value_no_delta();
	return value_delta(&f->sides[BASELINE], &f->sides[CANDIDATE]);
}

const char *fact_unit(const struct fact *f)
{
	if (f->sides[BASELINE].kind == VALUE_HUNDREDTHS ||
	    f->sides[CANDIDATE].kind == VALUE_HUNDREDTHS)
		return "percent";
	return ladder_unit(f->ladder);
}

bool fact_is_changed(const struct fact *f)
{
	struct delta d = value_delta(&f->sides[BASELINE], &f->sides[CANDIDATE]);

	if (d.kind == DELTA_NONE)
		return f->sides[BASELINE].kind != f->sides[CANDIDATE].kind;
	return d.kind == DELTA_DIFFERS || (d.kind == DELTA_NUMBER && d.number != 0);
}

static bool is_zero(const struct value *v)
{
	return v->kind == VALUE_ABSENT || value_number(v) == 0;
}

bool fact_is_zero(const struct fact *f)
{
	return is_zero(&f->sides[BASELINE]) && is_zero(&f->sides[CANDIDATE]);
}

static bool is_absent(const struct fact *f)
{
	return f->sides[BASELINE].kind == VALUE_ABSENT && f->sides[CANDIDATE].kind == VALUE_ABSENT;
}

void fact_add_side(struct str *out, const struct fact *f, enum side side)
{
	value_add_text(out, &f->sides[side], f->ladder);
	if (f->is_partial[side])
		str_addc(out, '~');
}

void fact_add_delta(struct str *out, const struct fact *f)
{
	struct delta d = fact_delta(f);

	if (isnan(f->per_second)) {
		value_add_delta(out, &f->sides[BASELINE], &f->sides[CANDIDATE], &d, f->ladder);
	} else {
		number_add_real_delta(out, f->ladder, f->per_second);
		str_add(out, "/s");
	}
	if (d.kind == DELTA_NUMBER && (f->is_partial[BASELINE] || f->is_partial[CANDIDATE]))
		str_addc(out, '~');
}

void fact_add_text(struct str *out, const struct fact *f, const struct fact_layout *layout,
		   bool is_show)
{
	struct delta d = fact_delta(f);

	if (is_show || is_absent(f) || (layout->is_equal_once && !fact_is_changed(f))) {
		fact_add_side(out, f, CANDIDATE);
		return;
	}
	fact_add_side(out, f, BASELINE);
	str_add(out, " → ");
	fact_add_side(out, f, CANDIDATE);
	if (d.kind != DELTA_NUMBER)
		return;
	str_add(out, " (");
	fact_add_delta(out, f);
	str_addc(out, ')');
}
