// SPDX-License-Identifier: GPL-2.0-only
/* `stats`: runs by scenario, topology and work type, and the whole report. */
#include "stats/stats.h"

#include "check/result.h"
#include "stats/parts.h"
#include "stats/registry.h"

/* ---- records by a key ---- */

enum grouping { BY_SCENARIO, BY_TOPOLOGY, BY_WORK_TYPE };

/* Returns whether another program of the run has a test of that name. */
static bool has_namesake(const struct run *run, const struct sidecar *s)
{
	vec_each_ptr_while(const struct sidecar, other, &run->sidecars, s->binary) {
		if (str_eq(other->test_name, s->test_name) && other->binary &&
		    !str_eq(other->binary, s->binary))
			return true;
	}
	return false;
}

static const char *key_of(struct arena *arena, const struct run *run, const struct sidecar *s,
			  enum grouping by)
{
	_str_ struct str key = {};

	if (by != BY_SCENARIO)
		return by == BY_TOPOLOGY ? s->topology : s->work_type;
	if (!has_namesake(run, s))
		return s->test_name;
	str_addf(&key, "%s::%s", s->binary, s->test_name);
	return key.failed ? NULL : arena_copy(arena, key.s, key.len);
}

static int compare_records(const void *a, const void *b)
{
	const struct record *x = a, *y = b;
	int by_key = strcmp(x->key, y->key);

	return by_key ? by_key : ORDER(x->s, y->s);
}

static int sorted_records(struct arena *arena, const struct run *run, enum grouping by,
			  record_list *to)
{
	vec_each_ptr(const struct sidecar, s, &run->sidecars) {
		struct record record = { key_of(arena, run, s, by), s };

		if (!record.key || vec_push(to, record) < 0)
			return err_no_memory();
	}
	vec_sort(to, compare_records);
	return 0;
}

/* ---- means of readings that are there ---- */

struct mean {
	double sum;
	size_t count;
};

static void mean_add(struct mean *m, double value)
{
	m->sum += value;
	m->count++;
}

static double mean_of(const struct mean *m)
{
	return m->count ? m->sum / (double)m->count : 0;
}

static struct mean mean_of_records(const record_list *r, size_t from, size_t to,
				   const struct registry_metric *metric)
{
	struct mean m = {};
	double value;

	for (size_t i = from; i < to; i++)
		if (registry_value(metric, r->items[i].s, &value))
			mean_add(&m, value);
	return m;
}

/* ---- groups ---- */

struct report_group {
	const char *key;
	size_t counts[VERDICT_COUNT]; /* by verdict_index() */
	size_t total;
	struct mean spread, gap, imbalance, depth, stalls, fallback;
};

typedef VEC(struct report_group) groups;

static struct mean mean_by_name(const record_list *r, size_t from, size_t to, const char *name)
{
	return mean_of_records(r, from, to, registry_find(name));
}

static struct report_group group_of(const record_list *r, size_t from, size_t to)
{
	struct report_group g = {
		.key = r->items[from].key,
		.total = to - from,
		.spread = mean_by_name(r, from, to, "worst_spread"),
		.gap = mean_by_name(r, from, to, "worst_gap_ms"),
		.imbalance = mean_by_name(r, from, to, "max_imbalance_ratio"),
		.depth = mean_by_name(r, from, to, "max_dsq_depth"),
		.stalls = mean_by_name(r, from, to, "stall_count"),
		.fallback = mean_by_name(r, from, to, "total_fallback"),
	};

	for (size_t i = from; i < to; i++)
		g.counts[verdict_index(r->items[i].s->outcome)]++;
	return g;
}

static double share_of(const struct report_group *g, enum ktstr_verdict verdict)
{
	return (double)g->counts[verdict_index(verdict)] / (double)g->total;
}

static int compare_groups(const void *a, const void *b)
{
	static const enum ktstr_verdict bad[] = { KTSTR_FAILED, KTSTR_INCONCLUSIVE };
	const struct report_group *x = a, *y = b;
	double dx = x->spread.count ? mean_of(&x->spread) : -1;
	double dy = y->spread.count ? mean_of(&y->spread) : -1;

	/* Failures come first, then inconclusive ones, then by value. */
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (share_of(x, bad[i]) != share_of(y, bad[i]))
			return share_of(x, bad[i]) < share_of(y, bad[i]) ? 1 : -1;
	if (dx != dy)
		return dx < dy ? 1 : -1;
	return strcmp(x->key, y->key);
}

static void add_mean(struct str *out, const char *label, const struct mean *m, const char *unit,
		     int digits)
{
	if (m->count)
		str_addf(out, "  %s=%.*f%s", label, digits, mean_of(m), unit);
	else
		str_addf(out, "  %s=-", label);
}

static void add_if_above(struct str *out, const char *label, const struct mean *m, double above,
			 int digits)
{
	if (m->count && mean_of(m) > above)
		add_mean(out, label, m, "", digits);
}

static void add_group(const struct report_group *g, struct str *out)
{
	str_addf(out, "  %-25s %zu/%zu passed (%zu skipped, %zu failed", g->key,
		 g->counts[VERDICT_AT(KTSTR_PASSED)], g->total,
		 g->counts[VERDICT_AT(KTSTR_SKIPPED)], g->counts[VERDICT_AT(KTSTR_FAILED)]);
	if (g->counts[VERDICT_AT(KTSTR_INCONCLUSIVE)])
		str_addf(out, ", %zu inconclusive", g->counts[VERDICT_AT(KTSTR_INCONCLUSIVE)]);
	str_addc(out, ')');
	add_mean(out, "avg_spread", &g->spread, "%", 1);
	add_mean(out, "avg_gap", &g->gap, "ms", 0);
	add_if_above(out, "imbal", &g->imbalance, 1, 1);
	add_if_above(out, "dsq", &g->depth, 0, 0);
	add_if_above(out, "stalls", &g->stalls, 0, 0);
	add_if_above(out, "fallback", &g->fallback, 0, 0);
	str_addc(out, '\n');
}

static int add_grouping(const struct run *run, enum grouping by, const char *title,
			size_t min_count, struct str *out)
{
	_cleanup_(arena_finish) struct arena keys = {};
	_vec_ record_list r = {};
	_vec_ groups found = {};
	int rc = sorted_records(&keys, run, by, &r);

	for (size_t from = 0, end; rc == 0 && from < r.count; from = end) {
		end = record_list_end(&r, from);
		rc = vec_push(&found, group_of(&r, from, end));
	}
	if (rc < 0 || found.count < min_count)
		return rc;
	vec_sort(&found, compare_groups);
	str_addf(out, "\n%s\n", title);
	for (size_t i = 0; i < found.count; i++)
		add_group(&found.items[i], out);
	return 0;
}

static int report_groups(const struct run *run, struct str *out)
{
	int rc = add_grouping(run, BY_SCENARIO, "By scenario (worst first):", 1, out);

	rc = rc ?: add_grouping(run, BY_TOPOLOGY, "By topology:", 1, out);
	return rc ?: add_grouping(run, BY_WORK_TYPE, "By work_type:", 2, out);
}

static void add_sim_note(const struct run *run, struct str *out)
{
	for (size_t i = 0; i < run->sidecars.count; i++) {
		const char *accel = run->sidecars.items[i]->accel;

		if (!accel || !str_eq(accel, "sim"))
			continue;
		str_addc(out, '\n');
		registry_add_sim_note(out);
		return;
	}
}

int report_text(const struct run *run, const struct runs *history, struct str *out)
{
	int rc;

	if (!run->sidecars.count)
		return err_set(ENOENT, "no usable sidecars in %s", run->path);
	str_add(out, "=== GAUNTLET ANALYSIS ===\n\n");
	rc = report_outliers(run, history, out) ?: report_groups(run, out);
	rc = rc ?: report_verifier(run, out);
	if (rc < 0)
		return rc;
	report_callbacks(run, out);
	report_machines(run, out);
	add_sim_note(run, out);
	return str_check(out);
}
