// SPDX-License-Identifier: GPL-2.0-only
/* Finds which records are runs of the same test, and which of them are pairs. */
#include "delta/parts.h"
#include "stats/compare.h"

/* What must agree for runs to be of one test. Host, budget and commit may differ. */
static const enum dimension same[] = { DIMENSION_PROGRAM, DIMENSION_TOPOLOGY, DIMENSION_FLAG,
				       DIMENSION_KERNEL,  DIMENSION_ACCEL,    DIMENSION_SCHEDULER };

struct keyed {
	const char *key;
	const struct sidecar *s;
	int side;
};

typedef VEC(struct keyed) keyed_list;

/*
 * Emulated machines have no performance mode: the simulator is exact, and tcg is always
 * accepted.
 */
bool delta_wants(const struct sidecar *s)
{
	return s->performance_mode ||
	       (s->accel && (str_eq(s->accel, "sim") || str_eq(s->accel, "tcg")));
}

static const char *key_of(const struct sidecar *s, const struct delta_options *o,
			  struct arena *arena)
{
	_str_ struct str key = {};

	str_addf(&key, "%s\x01%s", s->test_name, s->payload ? s->payload : "");
	for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
		str_addc(&key, '\x01');
		if (same[i] == DIMENSION_SCHEDULER && o->is_by_scheduler)
			continue;
		if (!dimension_value(s, same[i], &key))
			str_addc(&key, '\x02');
	}
	return key.failed ? NULL : arena_copy(arena, key.s, key.len);
}

static int by_key_side_and_seed(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	if (order)
		return order;
	if (x->side != y->side)
		return x->side - y->side;
	if (x->s->seed != y->s->seed)
		return x->s->seed < y->s->seed ? -1 : 1;
	return strcmp(x->s->timestamp ? x->s->timestamp : "",
		      y->s->timestamp ? y->s->timestamp : "");
}

static int add_side(const delta_side *side, int which, const struct delta_options *o,
		    struct arena *arena, keyed_list *to)
{
	for (size_t i = 0; i < side->count; i++) {
		struct keyed k = { .s = side->items[i], .side = which };

		if (!delta_wants(k.s))
			continue;
		k.key = key_of(k.s, o, arena);
		if (!k.key || vec_push(to, k) < 0)
			return err_no_memory();
	}
	return 0;
}

/* Adds only what distinguishes it from others of the same name. */
static const char *name_of(const struct keyed *k, const keyed_list *all, struct arena *arena)
{
	_str_ struct str name = {};

	str_add(&name, k->s->test_name);
	for (size_t d = 0; d < ARRAY_SIZE(same); d++) {
		_str_ struct str mine = {};
		bool is_varied = false;

		dimension_value(k->s, same[d], &mine);
		for (size_t i = 0; i < all->count && !is_varied; i++) {
			_str_ struct str other = {};

			dimension_value(all->items[i].s, same[d], &other);
			is_varied = str_eq(all->items[i].s->test_name, k->s->test_name) &&
				    !str_eq(str_get(&mine), str_get(&other));
		}
		if (is_varied && mine.len && same[d] != DIMENSION_SCHEDULER)
			str_addf(&name, " %s", mine.s);
	}
	return name.failed ? NULL : arena_copy(arena, name.s, name.len);
}

/*
 * Runs of one seed can be paired if all seeds are known and each occurs once per side: then
 * they differ only by the code.
 */
static bool can_pair(const struct keyed *k, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!k[i].s->has_seed)
			return false;
		if (i && k[i].side == k[i - 1].side && k[i].s->seed == k[i - 1].s->seed)
			return false;
	}
	return true;
}

static const struct keyed *partner_of(const struct keyed *k, size_t count, const struct keyed *of)
{
	for (size_t i = 0; i < count; i++)
		if (k[i].side != of->side && k[i].s->seed == of->s->seed)
			return &k[i];
	return NULL;
}

static bool has_passed(const struct keyed *k)
{
	return k && k->s->outcome == KTSTR_PASSED;
}

static int fill_test(struct delta_test *t, const struct keyed *k, size_t count)
{
	int rc = 0;

	t->is_sim = k->s->accel && str_eq(k->s->accel, "sim");
	t->is_paired = can_pair(k, count);
	for (size_t i = 0; i < count && rc == 0; i++) {
		t->totals[k[i].side]++;
		if (!t->failed && !has_passed(&k[i]))
			t->failed = k[i].s;
		if (has_passed(&k[i]) && (!t->is_paired || has_passed(partner_of(k, count, &k[i]))))
			rc = vec_push(&t->passed[k[i].side], k[i].s);
	}
	return rc;
}

int delta_tests_make(const delta_side sides[static 2], const struct delta_options *o,
		     struct arena *arena, delta_tests *to)
{
	_vec_ keyed_list all = {};
	int rc = add_side(&sides[0], 0, o, arena, &all) ?: add_side(&sides[1], 1, o, arena, &all);

	vec_sort(&all, by_key_side_and_seed);
	for (size_t from = 0, end; from < all.count && rc == 0; from = end) {
		struct delta_test t = { .name = name_of(&all.items[from], &all, arena) };

		for (end = from;
		     end < all.count && str_eq(all.items[end].key, all.items[from].key);)
			end++;
		rc = t.name ? fill_test(&t, &all.items[from], end - from) : err_no_memory();
		rc = rc ?: vec_push(to, t);
		if (rc < 0) {
			free(t.passed[0].items);
			free(t.passed[1].items);
		}
	}
	return rc;
}

void delta_tests_finish(delta_tests *tests)
{
	vec_release(tests, each, free(each->passed[0].items), free(each->passed[1].items));
}
