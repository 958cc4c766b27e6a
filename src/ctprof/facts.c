// SPDX-License-Identifier: GPL-2.0-only
/* Lists of facts, and their cells. */
#include "ctprof/report.h"

#include <math.h>

#define PLACEHOLDER "RESOURCE" /* ends the headings of sections that have a table for each */

static const char *make_heading(struct arena *arena, const char *heading, const char *resource)
{
	size_t len = strlen(heading) - strlen(PLACEHOLDER);
	_free_ char *text = str_fmt("%.*s%s", (int)len, heading, resource);

	return text ? arena_copy(arena, text, strlen(text)) : NULL;
}

bool fact_table_start(struct fact_tables *t, const struct fact_sources *from,
		      const struct fact_layout *layout, const char *resource)
{
	const char *heading = sections[layout->section].heading;
	struct fact_table table = { .layout = layout, .heading = heading, .resource = resource };

	if (!options_want(from->options, layout->section))
		return false;
	if (resource)
		table.heading = make_heading(&t->arena, heading, resource);
	t->failed |= !table.heading || vec_push(t, table) < 0;
	return !t->failed;
}

void fact_add(struct fact_tables *all, const struct fact *fact)
{
	struct fact_table *t = &all->items[all->count - 1];

	if (vec_grow((void **)&t->facts, &t->cap, t->count + 1, sizeof(*t->facts)) < 0)
		all->failed = true;
	else
		t->facts[t->count++] = *fact;
}

/* Keeps lines with a fact that changed by at least what the options request. */
static void drop_unchanged(struct fact_table *t, const struct report_options *o)
{
	size_t width = facts_per_line(t->layout), kept = 0;

	for (size_t line = 0; line + width <= t->count; line += width) {
		bool is_kept = false;

		for (size_t i = 0; i < width; i++) {
			const struct fact *f = &t->facts[line + i];

			is_kept |= (!o->is_changed_only || fact_is_changed(f)) &&
				   options_pass_change(o, &f->cell.sides[BASELINE], &f->cell.delta);
		}
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
	array_each(struct fact, f, t->facts, t->count) {
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
	facts_collect_smaps(t, from);
	facts_collect_cgroups(t, from);
	facts_collect_pressure(t, from);
	facts_collect_sched_ext(t, from);
	for (size_t i = 0; i < t->count; i++) {
		find_deltas(&t->items[i], from);
		if (!from->options->is_show)
			drop_unchanged(&t->items[i], from->options);
	}
	drop_empty_tables(t);
	return t->failed ? err_no_memory() : 0;
}

size_t fact_table_shown(const struct fact_table *t, const struct report_options *o)
{
	size_t width = facts_per_line(t->layout);

	return o->limit && o->limit < t->count / width ? o->limit * width : t->count;
}

void fact_tables_finish(struct fact_tables *t)
{
	vec_release(t, each, free(each->facts));
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
