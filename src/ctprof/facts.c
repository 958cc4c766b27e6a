// SPDX-License-Identifier: GPL-2.0-only
/* Lists of facts, and their cells. */
#include "ctprof/facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"
#include "ctprof/measure.h"

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

/* Keeps the lines of which some fact changed as much as the options ask for. */
static void drop_unchanged(struct fact_table *t, const struct report_options *o)
{
	size_t width = t->layout->facts_per_line, kept = 0;

	for (size_t line = 0; line + width <= t->count; line += width) {
		bool is_kept = false;

		for (size_t i = 0; i < width; i++)
			is_kept |= options_pass_change(o, &t->facts[line + i].cell.sides[BASELINE],
						       &t->facts[line + i].cell.delta);
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

static void find_deltas(struct fact_table *t, const struct fact_sources *from)
{
	for (size_t i = 0; i < t->count; i++) {
		struct fact *f = &t->facts[i];
		struct cell *c = &f->cell;

		c->delta = f->has_no_delta ? value_no_delta() :
					     value_delta(&c->sides[BASELINE], &c->sides[CANDIDATE]);
		c->per_second = NAN;
		if (from->options->is_per_second && f->is_counter)
			c->per_second = c->delta.number / from->window->seconds;
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
		find_deltas(&t->items[i], from);
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

const char *fact_unit(const struct fact *f)
{
	if (f->cell.sides[BASELINE].kind == VALUE_HUNDREDTHS ||
	    f->cell.sides[CANDIDATE].kind == VALUE_HUNDREDTHS)
		return "percent";
	return ladder_unit(f->ladder);
}

bool fact_is_changed(const struct fact *f)
{
	struct delta d = value_delta(&f->cell.sides[BASELINE], &f->cell.sides[CANDIDATE]);

	if (d.kind == DELTA_NONE)
		return f->cell.sides[BASELINE].kind != f->cell.sides[CANDIDATE].kind;
	return d.kind == DELTA_DIFFERS || (d.kind == DELTA_NUMBER && d.number != 0);
}

static bool is_zero(const struct value *v)
{
	return v->kind == VALUE_ABSENT || value_number(v) == 0;
}

bool fact_is_zero(const struct fact *f)
{
	return is_zero(&f->cell.sides[BASELINE]) && is_zero(&f->cell.sides[CANDIDATE]);
}
