// SPDX-License-Identifier: GPL-2.0-only
/* Which data families are incomplete, and why. */
#include "base/err.h"
#include "ctprof/family.h"
#include "ctprof/notes.h"

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

static bool is_incomplete(const struct coverage *c)
{
	return c->measured < c->total;
}

static int add_show_line(struct notes *n, const struct report *r, enum family_id family)
{
	const struct snapshot *s = r->pair.sides[CANDIDATE];
	struct coverage c = count(r, CANDIDATE, family);
	_str_ struct str reason = {};

	if (!family_is_expected(s, family, &c) || !is_incomplete(&c))
		return 0;
	add_reason(&reason, s, family, &c);
	return notes_add(n, NOTE_PLAIN, "%s: %zu/%zu %s measured%s", families[family].name,
			 c.measured, c.total, families[family].counted, str_get(&reason));
}

/* The side that lacks more of its threads gives the reason. */
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

static int add_one_sided_line(struct notes *n, const struct coverage *c, enum side worse,
			      enum family_id family, const char *reason)
{
	return notes_add(n, NOTE_WARNING,
			 "%s was measured in the %s only, so its cells have no delta: the %s "
			 "has 0/%zu %s%s",
			 families[family].name, worse == BASELINE ? "candidate" : "baseline",
			 worse == BASELINE ? "baseline" : "candidate", c->total,
			 families[family].counted, reason);
}

static int add_incomplete_line(struct notes *n, const struct coverage c[SIDES],
			       enum family_id family, const char *reason)
{
	if (!is_incomplete(&c[BASELINE]) && !is_incomplete(&c[CANDIDATE]))
		return 0;
	if (c[BASELINE].measured == c[CANDIDATE].measured &&
	    c[BASELINE].total == c[CANDIDATE].total)
		return notes_add(n, NOTE_PLAIN, "%s: %zu/%zu %s measured%s", families[family].name,
				 c[CANDIDATE].measured, c[CANDIDATE].total,
				 families[family].counted, reason);
	return notes_add(n, NOTE_PLAIN, "%s: %zu/%zu → %zu/%zu %s measured%s",
			 families[family].name, c[BASELINE].measured, c[BASELINE].total,
			 c[CANDIDATE].measured, c[CANDIDATE].total, families[family].counted,
			 reason);
}

static int add_compare_line(struct notes *n, const struct report *r, enum family_id family)
{
	const struct coverage c[SIDES] = { count(r, BASELINE, family),
					   count(r, CANDIDATE, family) };
	enum side worse = poorer(c);
	_str_ struct str reason = {};

	if (!family_is_expected(r->pair.sides[BASELINE], family, &c[BASELINE]) &&
	    !family_is_expected(r->pair.sides[CANDIDATE], family, &c[CANDIDATE]))
		return 0;
	add_reason(&reason, r->pair.sides[worse], family, &c[worse]);
	if (is_one_sided(c))
		return add_one_sided_line(n, &c[worse], worse, family, str_get(&reason));
	return add_incomplete_line(n, c, family, str_get(&reason));
}

int notes_add_coverage(struct notes *n, const struct report *r)
{
	int rc = 0;

	for (enum family_id i = 0; rc == 0 && i < FAMILIES; i++) {
		if (i == FAMILY_SMAPS && r->options->is_smaps_unasked)
			continue;
		rc = r->options->is_show ? add_show_line(n, r, i) : add_compare_line(n, r, i);
	}
	return rc;
}
