// SPDX-License-Identifier: GPL-2.0-only
/* Values as text, as JSON, and as differences. */
#include "ctprof/options.h"

#include <math.h>

struct value value_unsigned(uint64_t u)
{
	return (struct value){ .kind = VALUE_UNSIGNED, .u = u };
}

struct value value_real(double real)
{
	if (isnan(real))
		return (struct value){};
	return (struct value){ .kind = VALUE_REAL, .real = real };
}

struct value value_text(const char *text)
{
	return text ? (struct value){ .kind = VALUE_TEXT, .text = text } : (struct value){};
}

struct value value_hundredths(uint32_t hundredths)
{
	return (struct value){ .kind = VALUE_HUNDREDTHS, .hundredths = hundredths };
}

double value_number(const struct value *v)
{
	switch (v->kind) {
	case VALUE_UNSIGNED:
		return (double)v->u;
	case VALUE_REAL:
		return v->real;
	case VALUE_RANGE:
		return ((double)v->range.min + (double)v->range.max) / 2;
	case VALUE_AFFINITY:
		return ((double)v->affinity.min + (double)v->affinity.max) / 2;
	case VALUE_HUNDREDTHS:
		return v->hundredths / 100.0;
	case VALUE_ABSENT:
	case VALUE_MODE:
	case VALUE_TEXT:
		break;
	}
	return NAN;
}

static void add_mode(struct str *out, const struct mode *m)
{
	text_add_printable(out, m->word);
	if (m->hits < m->total)
		str_addf(out, " (%u/%u)", m->hits, m->total);
}

static void add_affinity(struct str *out, const struct affinity *a)
{
	if (a->min != a->max)
		str_addf(out, "%u-", a->min);
	str_addf(out, "%u cpus (", a->max);
	text_add_printable(out, a->set ? a->set : "mixed");
	str_addc(out, ')');
}

void value_add_text(struct str *out, const struct value *v, enum metric_ladder ladder)
{
	switch (v->kind) {
	case VALUE_ABSENT:
		str_addc(out, '-');
		break;
	case VALUE_UNSIGNED:
		number_add(out, ladder, v->u);
		break;
	case VALUE_REAL:
		number_add_real(out, ladder, v->real);
		break;
	case VALUE_RANGE:
		number_add_signed(out, ladder, v->range.min);
		if (v->range.min == v->range.max)
			break;
		str_add(out, "..");
		number_add_signed(out, ladder, v->range.max);
		break;
	case VALUE_MODE:
		add_mode(out, &v->mode);
		break;
	case VALUE_AFFINITY:
		add_affinity(out, &v->affinity);
		break;
	case VALUE_TEXT:
		text_add_printable(out, v->text);
		break;
	case VALUE_HUNDREDTHS:
		number_add_psi(out, v->hundredths);
		break;
	}
}

static void affinity_to_json(struct json *j, const struct affinity *a)
{
	json_object(j);
	json_put_string(j, "cpus", a->set);
	json_put_u64(j, "min", a->min);
	json_put_u64(j, "max", a->max);
	json_object_end(j);
}

void value_to_json(struct json *j, const struct value *v)
{
	switch (v->kind) {
	case VALUE_ABSENT:
		json_null(j);
		break;
	case VALUE_UNSIGNED:
		json_u64(j, v->u);
		break;
	case VALUE_REAL:
		json_double(j, v->real);
		break;
	case VALUE_RANGE:
		json_object(j);
		json_put_i64(j, "min", v->range.min);
		json_put_i64(j, "max", v->range.max);
		json_object_end(j);
		break;
	case VALUE_MODE:
		json_object(j);
		json_put_string(j, "word", v->mode.word);
		json_put_u64(j, "threads", v->mode.hits);
		json_put_u64(j, "of", v->mode.total);
		json_object_end(j);
		break;
	case VALUE_AFFINITY:
		affinity_to_json(j, &v->affinity);
		break;
	case VALUE_TEXT:
		json_string(j, v->text);
		break;
	case VALUE_HUNDREDTHS:
		json_double(j, v->hundredths / 100.0);
		break;
	}
}

static double difference(const struct value *baseline, const struct value *candidate)
{
	if (baseline->kind != VALUE_UNSIGNED || candidate->kind != VALUE_UNSIGNED)
		return value_number(candidate) - value_number(baseline);
	if (candidate->u >= baseline->u)
		return (double)(candidate->u - baseline->u);
	return -(double)(baseline->u - candidate->u);
}

/* NULL for a number. */
static const char *word_of(const struct value *v)
{
	if (v->kind == VALUE_MODE)
		return v->mode.word;
	return v->kind == VALUE_TEXT ? v->text : NULL;
}

/* False for a word and a number, such as a limit that became "max". */
static bool is_same_word(const struct value *a, const struct value *b)
{
	return word_of(a) && word_of(b) && str_eq(word_of(a), word_of(b));
}

struct delta value_no_delta(void)
{
	return (struct delta){ .percent = NAN, .number = NAN };
}

struct delta value_delta(const struct value *baseline, const struct value *candidate)
{
	struct delta d = value_no_delta();
	double from = value_number(baseline);

	if (baseline->kind == VALUE_ABSENT || candidate->kind == VALUE_ABSENT)
		return d;
	if (word_of(baseline) || word_of(candidate)) {
		d.kind = is_same_word(baseline, candidate) ? DELTA_SAME : DELTA_DIFFERS;
		return d;
	}
	d.kind = DELTA_NUMBER;
	d.number = difference(baseline, candidate);
	if (from != 0)
		d.percent = d.number / fabs(from) * 100;
	return d;
}

/* Returns whether the difference is an exact integer. */
static bool value_is_exact(const struct value *baseline, const struct value *candidate)
{
	return candidate->kind == VALUE_UNSIGNED &&
	       (baseline->kind == VALUE_UNSIGNED || baseline->kind == VALUE_ABSENT);
}

bool value_exact_delta(const struct value sides[2], const struct delta *d, int64_t *out)
{
	uint64_t from = sides[0].kind == VALUE_UNSIGNED ? sides[0].u : 0;

	if (d->kind != DELTA_NUMBER || !value_is_exact(&sides[0], &sides[1]) ||
	    fabs(d->number) >= 9e18)
		return false;
	*out = (int64_t)(sides[1].u - from);
	return true;
}

void value_add_delta(struct str *out, const struct value *baseline, const struct value *candidate,
		     const struct delta *d, enum metric_ladder ladder)
{
	uint64_t from = baseline->kind == VALUE_UNSIGNED ? baseline->u : 0;
	bool is_exact = value_is_exact(baseline, candidate);

	switch (d->kind) {
	case DELTA_NONE:
		str_addc(out, '-');
		break;
	case DELTA_SAME:
		str_add(out, "same");
		break;
	case DELTA_DIFFERS:
		str_add(out, "differs");
		break;
	case DELTA_NUMBER:
		if (baseline->kind == VALUE_HUNDREDTHS)
			str_addf(out, "%+.2f%%", d->number);
		else if (is_exact)
			number_add_delta(out, ladder, from, candidate->u);
		else
			number_add_real_delta(out, ladder, d->number);
		break;
	}
}
