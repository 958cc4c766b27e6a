// SPDX-License-Identifier: GPL-2.0-only
/* Reports each invariant once: the first violation. */
#include "watch/parts.h"

#include <math.h>

static int read_side(const struct invariant_side *s, const struct maps *maps, long double *out)
{
	struct datum_part part;
	struct scalar value;
	struct datum v;

	*out = s->number;
	if (!*s->path)
		return 0;
	if (variable_find(s->path, maps, &part) < 0)
		return -ENOENT;
	v = datum_resolved(&part.value);
	value = scalar_read(&v);
	if (value.kind == SCALAR_NONE || value.kind == SCALAR_TRUNCATED)
		return err_set(EINVAL, "%s is not a number", s->path);
	if (value.kind == SCALAR_FLOAT)
		*out = value.real;
	else
		*out = value.is_signed ? (long double)(int64_t)value.number :
					 (long double)value.number;
	return 0;
}

static void tell_value(struct invariants *v, const struct invariant_side *s, long double value,
		       const char *before)
{
	if (*s->path)
		str_addf(&v->broken, value == truncl(value) ? "%s%s is %.0Lf" : "%s%s is %.6Lg",
			 before, s->path, value);
}

static void tell_broken(struct invariants *v, size_t n, const struct invariant *i,
			const long double values[2], uint64_t clock_ns)
{
	str_addf(&v->broken, "the invariant '%s' does not hold: ", v->texts[n]);
	tell_value(v, &i->left, values[0], "");
	tell_value(v, &i->right, values[1], " and ");
	str_addf(&v->broken, ", %.3f s after the guest began\n", (double)clock_ns / 1e9);
}

/* Reports each problem once. */
static void look_at(struct invariants *v, size_t n, const struct maps *maps, uint64_t clock_ns)
{
	long double values[2];
	struct invariant i;
	int rc = invariant_parse(v->texts[n], &i);

	rc = rc ?: read_side(&i.left, maps, &values[0]) ?: read_side(&i.right, maps, &values[1]);
	if (rc == 0 && invariant_holds(&i, values[0], values[1]))
		return;
	v->is_told[n] = true;
	if (rc == 0)
		tell_broken(v, n, &i, values, clock_ns);
	else
		str_addf(&v->unknown, "the invariant '%s' could not be judged: %s\n", v->texts[n],
			 err_text(rc));
	err_clear();
}

static bool has_variables(const struct maps *maps)
{
	struct datum section;

	for (size_t i = 0; i < maps->maps.count; i++)
		if (variables_of(maps, &maps->maps.items[i], &section))
			return true;
	return false;
}

void invariants_look(struct invariants *v, const struct maps *maps, uint64_t clock_ns)
{
	if (!has_variables(maps))
		return;
	v->looks++;
	for (size_t n = 0; n < v->count; n++)
		if (!v->is_told[n])
			look_at(v, n, maps, clock_ns);
}

void invariants_end(struct invariants *v, const char *problem)
{
	if (v->count && !v->looks)
		str_addf(&v->unknown, "invariants could not be judged: %s\n",
			 *problem ? problem : "no variables of a scheduler were seen");
}

void invariants_finish(struct invariants *v)
{
	str_finish(&v->broken);
	str_finish(&v->unknown);
	*v = (struct invariants){};
}
