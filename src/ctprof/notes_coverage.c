// SPDX-License-Identifier: GPL-2.0-only
/* Which data families are incomplete, and why. */
#include "ctprof/family.h"
#include "ctprof/report.h"

static struct coverage count(const struct report *r, enum side side, enum family_id family)
{
	struct coverage c = {};

	for (size_t i = 0; i < r->kept.sides[side].count; i++)
		family_count(&c, family, r->kept.sides[side].items[i].thread);
	return c;
}

static void add_reason(struct str *out, const struct snapshot *s, enum family_id family,
		       const struct coverage *c)
{
	_str_ struct str reason = {};

	family_add_reason(&reason, s, family, c);
	if (reason.len)
		str_addf(out, " — %s", str_get(&reason));
	out->failed |= reason.failed;
}

/* The side with the lower coverage; its reason is reported. */
static enum side poorer(const struct coverage c[SIDES])
{
	return (double)c[BASELINE].measured * (double)c[CANDIDATE].total <
			       (double)c[CANDIDATE].measured * (double)c[BASELINE].total ?
		       BASELINE :
		       CANDIDATE;
}

static bool is_one_sided(const struct coverage c[SIDES])
{
	return c[BASELINE].total && c[CANDIDATE].total &&
	       !c[BASELINE].measured != !c[CANDIDATE].measured;
}

static void add_one_sided_line(struct notes *n, const struct coverage *c, enum side worse,
			       enum family_id family, const char *reason)
{
	notes_add(n, NOTE_WARNING,
		  "%s was measured in the %s only, so its cells have no delta: the %s "
		  "has 0/%zu %s%s",
		  families[family].name, worse == BASELINE ? "candidate" : "baseline",
		  worse == BASELINE ? "baseline" : "candidate", c->total, families[family].counted,
		  reason);
}

/* Prints one figure if both sides have the same. */
static void add_incomplete_line(struct notes *n, const struct coverage c[SIDES],
				enum family_id family, const char *reason)
{
	const struct coverage *a = &c[BASELINE], *b = &c[CANDIDATE];
	_str_ struct str was = {};

	if (a->measured == a->total && b->measured == b->total)
		return;
	if (a->measured != b->measured || a->total != b->total)
		str_addf(&was, "%zu/%zu → ", a->measured, a->total);
	n->failed |= was.failed;
	notes_add(n, NOTE_PLAIN, "%s: %s%zu/%zu %s measured%s", families[family].name,
		  str_get(&was), b->measured, b->total, families[family].counted, reason);
}

/* For show both sides are the same snapshot. */
static void add_line(struct notes *n, const struct report *r, enum family_id family)
{
	enum side first = r->options->is_show ? CANDIDATE : BASELINE;
	const struct coverage c[SIDES] = { count(r, first, family), count(r, CANDIDATE, family) };
	enum side worse = poorer(c);
	_str_ struct str reason = {};

	if (!family_is_expected(r->pair.sides[first], family, &c[BASELINE]) &&
	    !family_is_expected(r->pair.sides[CANDIDATE], family, &c[CANDIDATE]))
		return;
	add_reason(&reason, r->pair.sides[worse], family, &c[worse]);
	n->failed |= reason.failed;
	if (is_one_sided(c))
		add_one_sided_line(n, &c[worse], worse, family, str_get(&reason));
	else
		add_incomplete_line(n, c, family, str_get(&reason));
}

void notes_add_coverage(struct notes *n, const struct report *r)
{
	for (enum family_id i = 0; i < FAMILIES; i++)
		if (i != FAMILY_SMAPS || !r->options->is_smaps_unasked)
			add_line(n, r, i);
}
