// SPDX-License-Identifier: GPL-2.0-only
/* `stats compare`: names of the sides, and the message for an empty side. */
#include "stats/parts.h"

#define MAX_SHOWN 5

static int add_value_of(struct texts *t, const struct sidecar *s, enum dimension d)
{
	_str_ struct str value = {};

	return dimension_value(s, d, &value) ? texts_add_once(t, str_get(&value)) : 0;
}

/* ---- labels ---- */

static bool is_dirty_of(const char *value, const char *hash)
{
	size_t len = strlen(hash);

	return strncmp(value, hash, len) == 0 && str_eq(value + len, "-dirty");
}

/* "abc1234", or "abc1234+mixed" if some of the runs had modified files. */
static int add_commits(struct str *out, const record_list *r, enum dimension d)
{
	_texts_ struct texts found = {};
	int rc = 0;

	for (size_t i = 0; i < r->count && rc == 0; i++)
		rc = add_value_of(&found, r->items[i].s, d);
	texts_sort_versions(&found);
	for (size_t i = 0; i < found.count && rc == 0; i++) {
		bool is_mixed = i + 1 < found.count &&
				is_dirty_of(found.items[i + 1], found.items[i]);

		str_addf(out, "%s%s%s", i ? "|" : "", found.items[i], is_mixed ? "+mixed" : "");
		i += is_mixed;
	}
	return rc;
}

static void add_filter(struct str *out, const struct texts *v)
{
	for (size_t i = 0; i < v->count; i++)
		str_addf(out, "%s%s", i ? "|" : "", v->items[i]);
	if (!v->count)
		str_add(out, "any");
}

int compare_label_sides(struct comparison *c, const struct compare_options *o,
			const record_list sides[static 2])
{
	for (int side = 0; side < 2; side++) {
		_str_ struct str label = {};

		if (o->sides[side])
			str_add(&label, o->sides[side]->name);
		for (size_t i = 0; i < c->slicing_count && !o->sides[side]; i++) {
			enum dimension d = c->slicing[i];
			const struct texts *values = &o->filters[side].values[d];
			int rc = 0;

			if (i)
				str_addc(&label, '/');
			if ((d == DIMENSION_PROJECT_COMMIT || d == DIMENSION_KERNEL_COMMIT) &&
			    values->count)
				rc = add_commits(&label, &sides[side], d);
			else
				add_filter(&label, values);
			if (rc < 0)
				return rc;
		}
		c->labels[side] = arena_copy(&c->arena, str_get(&label), label.len);
		if (!c->labels[side] || label.failed)
			return err_no_memory();
	}
	return 0;
}

/* ---- empty sides ---- */

static int values_there(const struct runs *runs, enum dimension d, struct texts *to)
{
	int rc = 0;

	vec_each(const struct run, run, &runs->items) {
		for (size_t i = 0; i < run->sidecars.count && rc == 0; i++)
			rc = add_value_of(to, run->sidecars.items[i], d);
	}
	texts_sort_versions(to);
	return rc;
}

static bool matches_somewhere(const struct runs *runs, const struct side_filter *f,
			      enum dimension d)
{
	vec_each(const struct run, run, &runs->items) {
		for (size_t i = 0; i < run->sidecars.count; i++)
			if (side_filter_matches_dimension(f, run->sidecars.items[i], d))
				return true;
	}
	return false;
}

/* The most likely value first, then the others. */
static int add_near_values(const struct runs *runs, const struct side_filter *f, enum dimension d,
			   struct str *out)
{
	_texts_ struct texts there = {};
	const char *closest;
	int rc = values_there(runs, d, &there);

	if (rc < 0)
		return rc;
	str_addf(out, "; no run has %s ", dimensions[d].name);
	add_filter(out, &f->values[d]);
	if (!there.count) {
		str_addf(out, ", none records any");
		return 0;
	}
	closest =
		text_closest(f->values[d].items[0], (const char *const *)there.items, there.count);
	str_add(out, ", there are ");
	if (closest)
		str_add(out, closest);
	for (size_t i = 0, shown = closest != NULL; i < there.count && shown < MAX_SHOWN; i++) {
		if (closest && str_eq(there.items[i], closest))
			continue;
		str_addf(out, "%s%s", shown++ ? ", " : "",
			 *there.items[i] ? there.items[i] : "(none)");
	}
	if (there.count > MAX_SHOWN)
		str_addf(out, " and %zu more", there.count - MAX_SHOWN);
	return 0;
}

int compare_empty_side(const struct runs *runs, const struct compare_options *o, int side)
{
	const struct side_filter *f = &o->filters[side];
	_str_ struct str text = {};

	str_addf(&text, "no rows match filter %c", 'A' + side);
	for (int d = 0; d < DIMENSION_COUNT; d++) {
		int rc = 0;

		if (f->values[d].count && !matches_somewhere(runs, f, d))
			rc = add_near_values(runs, f, d, &text);
		if (rc < 0)
			return rc;
	}
	return err_set(ENOENT, "%s", str_get(&text));
}
