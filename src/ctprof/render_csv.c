// SPDX-License-Identifier: GPL-2.0-only
/*
 * A report as comma-separated values (RFC 4180): one line per value of one
 * subject, all sections in one table. Numbers are raw and in base units; an
 * empty field was not measured or does not apply.
 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "ctprof/render.h"

#define LINE_END "\r\n"

static const char compare_header[] =
	"section,cgroup,pcomm,comm,subject,row,threads_baseline,threads_candidate,uptime_pct,"
	"metric,unit,baseline,candidate,delta,pct,delta_per_second";
static const char show_header[] = "section,cgroup,pcomm,comm,subject,row,threads,metric,unit,value";

/* A field with what stands in front of it; only the first of a line has nothing. */
static void add_field(struct str *out, const char *text)
{
	_str_ struct str printable = {};
	const char *p;

	text_add_printable(&printable, text ? text : "");
	out->failed |= printable.failed;
	p = str_get(&printable);
	if (!strpbrk(p, ",\"")) {
		str_add(out, p);
		return;
	}
	str_addc(out, '"');
	for (; *p; p++) {
		if (*p == '"')
			str_addc(out, '"');
		str_addc(out, *p);
	}
	str_addc(out, '"');
}

static void add_next(struct str *out, const char *text)
{
	str_addc(out, ',');
	add_field(out, text);
}

static void add_number(struct str *out, double number)
{
	str_addc(out, ',');
	if (!isnan(number))
		str_addf(out, "%.15g", number);
}

static void add_value(struct str *out, const struct value *v)
{
	_str_ struct str text = {};

	switch (v->kind) {
	case VALUE_ABSENT:
		break;
	case VALUE_UNSIGNED:
		str_addf(&text, "%llu", (unsigned long long)v->u);
		break;
	case VALUE_REAL:
	case VALUE_HUNDREDTHS:
		str_addf(&text, "%.15g", value_number(v));
		break;
	case VALUE_MODE:
		str_add(&text, v->mode.word);
		break;
	case VALUE_RANGE:
	case VALUE_AFFINITY:
	case VALUE_TEXT:
		value_add_text(&text, v, LADDER_NONE);
		break;
	}
	add_next(out, str_get(&text));
}

static void add_delta(struct str *out, const struct value sides[SIDES], const struct delta *d)
{
	bool is_exact = sides[BASELINE].kind == VALUE_UNSIGNED &&
			sides[CANDIDATE].kind == VALUE_UNSIGNED && fabs(d->number) < 9e18;

	if (d->kind == DELTA_SAME || d->kind == DELTA_DIFFERS)
		str_add(out, d->kind == DELTA_SAME ? ",same" : ",differs");
	else if (d->kind == DELTA_NUMBER && is_exact)
		str_addf(out, ",%lld", (long long)(sides[CANDIDATE].u - sides[BASELINE].u));
	else
		add_number(out, d->number);
	add_number(out, d->percent);
}

static void add_count(struct str *out, const struct aggregate *a)
{
	str_addc(out, ',');
	if (a)
		str_addf(out, "%u", a->threads);
}

static void add_group(struct str *out, const char *section, const struct group *g)
{
	add_field(out, section);
	add_next(out, g->cgroup_shown);
	add_next(out, g->pcomm);
	add_next(out, g->comm);
	str_add(out, ",,");
}

static void add_measure(struct str *out, unsigned int measure)
{
	add_next(out, measure_name(measure));
	add_next(out, ladder_unit(measure_ladder(measure)));
}

static void add_row(struct str *out, const struct report *r, const struct group *g,
		    unsigned int measure, const char *section)
{
	struct cell c = compare_cell(g, measure, r->options, &r->window);

	add_group(out, section, g);
	if (r->options->is_show) {
		add_count(out, g->sides[CANDIDATE]);
		add_measure(out, measure);
		add_value(out, &c.sides[CANDIDATE]);
	} else {
		add_count(out, g->sides[BASELINE]);
		add_count(out, g->sides[CANDIDATE]);
		add_number(out, report_uptime(r, g));
		add_measure(out, measure);
		add_value(out, &c.sides[BASELINE]);
		add_value(out, &c.sides[CANDIDATE]);
		add_delta(out, c.sides, &c.delta);
		add_number(out, c.per_second);
	}
	str_add(out, LINE_END);
}

static void add_rows(struct str *out, const struct report *r, const struct grouping *groups,
		     const struct ranking *rows, const char *section)
{
	for (size_t i = 0; i < rows->count; i++) {
		unsigned int measure = rows->rows[i].measure;

		add_row(out, r, &groups->groups[rows->rows[i].group], measure,
			section ? section : sections[measure_section(measure)].name);
	}
}

static void add_fact(struct str *out, const struct report *r, const struct fact_table *t,
		     const struct fact *f)
{
	struct delta d = fact_delta(f);

	add_field(out, sections[t->layout->section].name);
	str_add(out, ",,,");
	add_next(out, f->subject);
	add_next(out, t->resource);
	if (f->row)
		str_addf(out, "/%s", f->row);
	str_add(out, r->options->is_show ? "," : ",,,");
	add_next(out, f->metric);
	add_next(out, fact_unit(f));
	if (!r->options->is_show)
		add_value(out, &f->sides[BASELINE]);
	add_value(out, &f->sides[CANDIDATE]);
	if (!r->options->is_show) {
		add_delta(out, f->sides, &d);
		add_number(out, f->per_second);
	}
	str_add(out, LINE_END);
}

int render_csv(const struct report *r, struct str *out)
{
	str_addf(out, "%s" LINE_END, r->options->is_show ? show_header : compare_header);
	add_rows(out, r, &r->groups, &r->primary, NULL);
	add_rows(out, r, &r->groups, &r->derived, NULL);
	add_rows(out, r, &r->born, &r->born_rows, "born");
	add_rows(out, r, &r->died, &r->died_rows, "died");
	for (size_t i = 0; i < r->facts.count; i++)
		for (size_t k = 0; k < r->facts.items[i].count; k++)
			add_fact(out, r, &r->facts.items[i], &r->facts.items[i].facts[k]);
	return str_check(out);
}
