// SPDX-License-Identifier: GPL-2.0-only
/* `stats compare`: finds the pairs of records to compare. */
#include "stats/compare.h"

#include "stats/parts.h"

static void records_finish(record_list *r)
{
	free(r->items);
}

static bool matches_expression(const struct sidecar *s, const char *expression)
{
	_str_ struct str text = {};

	if (!expression)
		return true;
	str_addf(&text, "%s %s %s %s ", s->test_name, s->topology, s->scheduler, s->work_type);
	dimension_value(s, DIMENSION_FLAG, &text);
	return strstr(str_get(&text), expression) != NULL;
}

/* ---- keys ---- */

static const char *pair_key(struct comparison *c, const struct sidecar *s)
{
	_str_ struct str key = {};

	str_addf(&key, "%s\x01", s->test_name);
	for (size_t i = 0; i < c->pairing_count; i++) {
		/* Unknown is a separate value, distinct from any text. */
		if (!dimension_value(s, c->pairing[i], &key))
			str_addc(&key, '\x02');
		str_addc(&key, '\x01');
	}
	return key.failed ? NULL : arena_copy(&c->arena, key.s, key.len);
}

static int compare_records(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	return strcmp(x->key, y->key);
}

static int add_records(struct comparison *c, const struct run *run, const struct compare_options *o,
		       int side, record_list *to)
{
	for (size_t i = 0; i < run->sidecars.count; i++) {
		struct record record = { .s = run->sidecars.items[i] };

		if (!side_filter_matches(&o->filters[side], record.s) ||
		    !matches_expression(record.s, o->expression))
			continue;
		c->has_sim |= record.s->accel && str_eq(record.s->accel, "sim");
		record.key = pair_key(c, record.s);
		if (!record.key || vec_push(to, record) < 0)
			return err_no_memory();
	}
	return 0;
}

static int select_records(struct comparison *c, const struct runs *runs,
			  const struct compare_options *o, int side, record_list *to)
{
	int rc = o->sides[side] ? add_records(c, o->sides[side], o, side, to) : 0;

	for (size_t r = 0; !o->sides[side] && r < runs->items.count && rc == 0; r++)
		rc = add_records(c, &runs->items.items[r], o, side, to);
	if (rc < 0)
		return rc;
	if (!to->count && o->sides[side])
		return err_set(ENOENT, "no record in %s is wanted", o->sides[side]->path);
	if (!to->count)
		return compare_empty_side(runs, o, side);
	vec_sort(to, compare_records);
	return 0;
}

static bool differs(enum dimension d, const struct sidecar *a, const struct sidecar *b)
{
	_str_ struct str x = {}, y = {};
	bool is_known = dimension_value(a, d, &x);

	return is_known != dimension_value(b, d, &y) || !str_eq(str_get(&x), str_get(&y));
}

static bool is_constant(enum dimension d, const struct run *run)
{
	for (size_t i = 1; i < run->sidecars.count; i++)
		if (differs(d, run->sidecars.items[0], run->sidecars.items[i]))
			return false;
	return run->sidecars.count > 0;
}

/* Returns whether each of the named runs has a single value, different from the other's. */
static bool tells_runs_apart(enum dimension d, const struct run *const runs[static 2])
{
	return runs[0] && is_constant(d, runs[0]) && is_constant(d, runs[1]) &&
	       differs(d, runs[0]->sidecars.items[0], runs[1]->sidecars.items[0]);
}

static int choose_dimensions(struct comparison *c, const struct compare_options *o)
{
	for (int d = 0; d < DIMENSION_COUNT; d++) {
		if (side_filter_is_same(&o->filters[0], &o->filters[1], d) &&
		    !tells_runs_apart(d, o->sides))
			c->pairing[c->pairing_count++] = d;
		else
			c->slicing[c->slicing_count++] = d;
	}
	if (c->slicing_count || c->is_by_run)
		return 0;
	return err_set(EINVAL, "both sides are the same runs; give a filter for one side, such as "
			       "--a-kernel 6.19 --b-kernel 7.0");
}

/* ---- names of pairs ---- */

/* Returns whether naming it distinguishes some pairs. */
static bool is_varied(enum dimension d, const record_list sides[static 2])
{
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < sides[side].count; i++)
			if (differs(d, sides[0].items[0].s, sides[side].items[i].s))
				return true;
	return false;
}

struct namer {
	enum dimension shown[DIMENSION_COUNT];
	size_t count;
};

static struct namer make_namer(const struct comparison *c, const record_list sides[static 2])
{
	struct namer n = {};

	for (size_t i = 0; i < c->pairing_count; i++)
		if (c->pairing[i] == DIMENSION_TOPOLOGY || is_varied(c->pairing[i], sides))
			n.shown[n.count++] = c->pairing[i];
	return n;
}

static const char *pair_name(struct comparison *c, const struct namer *n, const struct sidecar *s)
{
	_str_ struct str name = {};

	str_add(&name, s->test_name);
	for (size_t i = 0; i < n->count; i++) {
		_str_ struct str value = {};

		if (!dimension_value(s, n->shown[i], &value))
			str_add(&value, "unknown");
		if (value.len)
			str_addf(&name, " %s", value.s);
	}
	return name.failed ? NULL : arena_copy(&c->arena, name.s, name.len);
}

/* ---- pairs ---- */

size_t record_list_end(const record_list *r, size_t from)
{
	size_t to = from;

	while (to < r->count && str_eq(r->items[to].key, r->items[from].key))
		to++;
	return to;
}

static struct compare_cell cell_of(const record_list *r, size_t from, size_t to)
{
	struct compare_cell cell = { .total = to - from, .worst = KTSTR_SKIPPED };

	for (size_t i = from; i < to; i++) {
		enum ktstr_verdict outcome = r->items[i].s->outcome;

		cell.passes += outcome == KTSTR_PASSED;
		/* Worst first: a failure hides everything, a pass only skips. */
		cell.worst = MIN(cell.worst, outcome);
	}
	return cell;
}

static int check_single(const record_list *r, size_t from, size_t to, int side)
{
	if (to - from < 2)
		return 0;
	return err_set(EINVAL,
		       "duplicate pairing keys: %zu runs of %s on side %c agree in everything; "
		       "filter more, or leave out --no-average",
		       to - from, r->items[from].s->test_name, 'A' + side);
}

struct walk {
	const record_list *sides;
	size_t at[2], end[2];
	bool is_there[2];
};

/* Advances to the next key in order; sets the records of both sides with this key. */
static bool next_pair(struct walk *w)
{
	const char *keys[2];
	int order;

	for (int side = 0; side < 2; side++) {
		w->at[side] = w->end[side];
		keys[side] = w->at[side] < w->sides[side].count ?
				     w->sides[side].items[w->at[side]].key :
				     NULL;
	}
	if (!keys[0] && !keys[1])
		return false;
	order = !keys[0] ? 1 : !keys[1] ? -1 : strcmp(keys[0], keys[1]);
	w->is_there[0] = order <= 0;
	w->is_there[1] = order >= 0;
	for (int side = 0; side < 2; side++)
		if (w->is_there[side])
			w->end[side] = record_list_end(&w->sides[side], w->at[side]);
	return true;
}

static int take_pair(struct comparison *c, const struct compare_options *o, const struct namer *n,
		     const struct walk *w)
{
	const struct record *both[2] = { &w->sides[0].items[w->at[0]],
					 &w->sides[1].items[w->at[1]] };
	const size_t counts[2] = { w->end[0] - w->at[0], w->end[1] - w->at[1] };
	struct compare_pair pair = { .is_there = { w->is_there[0], w->is_there[1] } };
	bool has_passed = true;

	for (int side = 0; side < 2; side++) {
		int rc = 0;

		if (!w->is_there[side])
			continue;
		if (o->no_average)
			rc = check_single(&w->sides[side], w->at[side], w->end[side], side);
		if (rc < 0)
			return rc;
		pair.cells[side] = cell_of(&w->sides[side], w->at[side], w->end[side]);
		c->passes[side] += pair.cells[side].passes;
		c->totals[side] += pair.cells[side].total;
		has_passed &= pair.cells[side].passes == pair.cells[side].total;
	}
	if (!pair.is_there[0] || !pair.is_there[1]) {
		c->added += pair.is_there[1];
		c->removed += pair.is_there[0];
		return 0;
	}
	pair.test = pair_name(c, n, both[0]->s);
	if (!pair.test)
		return err_no_memory();
	if (!has_passed)
		return vec_push(&c->skipped, pair);
	c->contributors[0] += counts[0];
	c->contributors[1] += counts[1];
	return compare_pair_metrics(c, &o->policy, pair.test, both, counts);
}

static const struct host_context *first_host(const record_list *r)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->items[i].s->host)
			return r->items[i].s->host;
	return NULL;
}

static int compare_sides(struct comparison *c, const struct compare_options *o,
			 const record_list sides[static 2])
{
	struct namer namer = make_namer(c, sides);
	struct walk w = { .sides = sides };
	int rc = compare_label_sides(c, o, sides);

	while (rc == 0 && next_pair(&w))
		rc = take_pair(c, o, &namer, &w);
	for (int side = 0; side < 2 && rc == 0; side++) {
		c->hosts[side] = first_host(&sides[side]);
		rc = compare_add_programs(c, side, &sides[side]);
	}
	return rc;
}

int compare_runs(const struct runs *runs, struct compare_options *options, struct comparison *to)
{
	record_list sides[2] = {};
	int rc;

	*to = (struct comparison){ .is_averaged = !options->no_average,
				   .is_by_run = options->sides[0],
				   .gates_single = options->gates_single };
	rc = choose_dimensions(to, options);
	for (int side = 0; side < 2 && rc == 0; side++) {
		rc = side_filter_resolve_commits(&options->filters[side], runs);
		rc = rc ?: select_records(to, runs, options, side, &sides[side]);
	}
	rc = rc ?: compare_sides(to, options, sides);
	records_finish(&sides[0]);
	records_finish(&sides[1]);
	if (rc < 0)
		comparison_finish(to);
	return rc;
}

void comparison_finish(struct comparison *c)
{
	free(c->rows.items);
	free(c->skipped.items);
	free(c->programs[0].items);
	free(c->programs[1].items);
	arena_finish(&c->arena);
	*c = (struct comparison){};
}
