// SPDX-License-Identifier: GPL-2.0-only
/* The results of many seeds, as text and as JSON. */
#include "explore/explore.h"

#define SHOWN_SEEDS 12
#define SHOWN_LINES 12

static size_t done_count(const struct explore_summary *s)
{
	return s->passed + s->failed + s->inconclusive + s->skipped;
}

/* Short but precise enough: 0.0312, 12.5, 1234567. */
static void format_value(double value, char out[static 32])
{
	double size = value < 0 ? -value : value;
	int digits = size >= 100 || value == (double)(long long)value ? 0 : size >= 1 ? 2 : 4;

	snprintf(out, 32, "%.*f", digits, value);
}

static void add_head(const struct lab *l, const struct explore_summary *s, struct str *out)
{
	const struct variant *v = lab_variant(l);
	struct vm_topology t = l->options.knobs.topology.llcs ? l->options.knobs.topology :
								v->topology;
	size_t done = done_count(s);

	str_addf(out, "%s on %s, kernel %s, scheduler %s\n", v->name, topology_text(&t),
		 lab_kernel(l), v->sched ? v->sched->name : "eevdf");
	str_addf(out, "%zu of %zu seeds: %zu passed, %zu failed", done, s->count, s->passed,
		 s->failed);
	if (s->inconclusive)
		str_addf(out, ", %zu inconclusive", s->inconclusive);
	if (s->skipped)
		str_addf(out, ", %zu skipped", s->skipped);
	str_addf(out, "; %.1f s", s->seconds);
	if (s->seconds > 0 && done)
		str_addf(out, ", %.0f seeds a minute", (double)done / s->seconds * 60);
	str_add(out, s->is_interrupted ? " (interrupted)\n" : "\n");
	strategy_add_text(&s->strategy, out);
}

static void add_seeds(const struct failure_group *g, struct str *out)
{
	size_t shown = MIN(g->seeds.count, (size_t)SHOWN_SEEDS);

	for (size_t i = 0; i < shown; i++)
		str_addf(out, "%s%llu", i ? ", " : "", ULL(g->seeds.items[i]));
	if (shown < g->seeds.count)
		str_addf(out, ", ... %zu more", g->seeds.count - shown);
}

/* Adds the beginning of the failed run's output, indented. */
static void add_excerpt(const char *text, struct str *out)
{
	for (unsigned int lines = 0; *text && lines < SHOWN_LINES; lines++) {
		size_t len = strcspn(text, "\n");

		str_addf(out, "     | %.*s\n", (int)len, text);
		text += len + (text[len] == '\n');
	}
	if (*text)
		str_add(out, "     | ...\n");
}

static void add_groups(const struct lab *l, const struct explore_summary *s, struct str *out)
{
	size_t count = s->groups.items.count;

	if (count)
		str_addf(out, "\n%zu distinct failure%s:\n", count, count == 1 ? "" : "s");
	for (size_t i = 0; i < count; i++) {
		const struct failure_group *g = &s->groups.items.items[i];

		str_addf(out, "\n  %zu. %s\n", i + 1, g->first->signature);
		str_addf(out, "     %zu of %zu seeds of %s: ", g->count, done_count(s),
			 s->strategy.name);
		add_seeds(g, out);
		str_addf(out, "\n     seed %llu:\n", ULL(g->first->seed));
		add_excerpt(g->first->text, out);
		str_add(out, "     again: ");
		lab_add_command(l, g->first->knobs, g->first->seed, out);
		str_addc(out, '\n');
	}
}

static int add_distributions(struct explore_summary *s, struct str *out)
{
	_table_ struct table t;

	table_titles(&t, "METRIC", "SEEDS", "MIN", "P50", "P90", "MAX", "MAX AT SEED");
	vec_each(struct distribution, d, &s->distributions.items) {
		struct distribution_summary sum;
		char text[32];

		distribution_summarize(d, &sum);
		const double values[] = { sum.min, sum.p50, sum.p90, sum.max };

		table_texts(&t, d->name);
		table_cellf(&t, 1, "%zu", sum.count);
		for (size_t k = 0; k < ARRAY_SIZE(values); k++) {
			format_value(values[k], text);
			table_cell(&t, 2 + k, text);
		}
		table_cellf(&t, 6, "%llu", ULL(sum.max_seed));
	}
	if (!s->distributions.items.count)
		return 0;
	str_addc(out, '\n');
	return table_add(&t, out);
}

static void add_other_verdicts(const struct explore_summary *s, struct str *out)
{
	array_each(const struct trial, t, s->trials, s->count) {
		bool is_other = t->status == TEST_INCONCLUSIVE || t->status == TEST_SKIPPED;

		if (!t->is_done || !is_other)
			continue;
		str_addf(out, "\nseed %llu was %s:\n", ULL(t->seed),
			 t->status == TEST_SKIPPED ? "skipped" : "inconclusive");
		add_excerpt(t->text ? t->text : "", out);
		return; /* the others most likely have the same reason */
	}
}

/* The text quotes output of failed runs, so control characters are escaped. */
int explore_add_text(const struct lab *l, struct explore_summary *s, struct str *out)
{
	_str_ struct str raw = {};
	int rc;

	add_head(l, s, &raw);
	add_groups(l, s, &raw);
	add_other_verdicts(s, &raw);
	rc = add_distributions(s, &raw) ?: str_check(&raw);
	text_add_lines(out, str_get(&raw));
	return rc;
}

static void put_seed_list(struct json *j, const struct failure_group *g)
{
	json_put_array(j, "seeds");
	for (size_t i = 0; i < g->seeds.count; i++)
		json_u64(j, g->seeds.items[i]);
	json_array_end(j);
}

static void put_groups(const struct lab *l, const struct explore_summary *s, struct json *j)
{
	json_put_array(j, "failures");
	vec_each(const struct failure_group, g, &s->groups.items) {
		_str_ struct str command = {};

		lab_add_command(l, g->first->knobs, g->first->seed, &command);
		json_object(j);
		json_put_string(j, "signature", g->first->signature);
		put_seed_list(j, g);
		json_put_string(j, "text", g->first->text);
		json_put_string(j, "command", str_get(&command));
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_distributions(struct explore_summary *s, struct json *j)
{
	json_put_object(j, "metrics");
	for (size_t i = 0; i < s->distributions.items.count; i++) {
		struct distribution_summary sum;

		distribution_summarize(&s->distributions.items.items[i], &sum);
		json_put_object(j, s->distributions.items.items[i].name);
		json_put_u64(j, "seeds", sum.count);
		json_put_double(j, "min", sum.min);
		json_put_double(j, "p50", sum.p50);
		json_put_double(j, "p90", sum.p90);
		json_put_double(j, "max", sum.max);
		json_put_u64(j, "max_seed", sum.max_seed);
		json_object_end(j);
	}
	json_object_end(j);
}

static void put_trials(const struct explore_summary *s, struct json *j)
{
	json_put_array(j, "runs");
	array_each(const struct trial, t, s->trials, s->count) {
		if (!t->is_done)
			continue;
		json_object(j);
		json_put_u64(j, "seed", t->seed);
		json_put_string(j, "outcome", test_status_name(t->status));
		json_put_string(j, "digest", *t->digest ? t->digest : NULL);
		json_put_string(j, "signature", t->signature);
		json_object_end(j);
	}
	json_array_end(j);
}

int explore_add_json(const struct lab *l, struct explore_summary *s, struct str *out)
{
	struct json j;

	json_document(&j, out);
	json_put_string(&j, "test", lab_variant(l)->name);
	json_put_string(&j, "kernel", lab_kernel(l));
	json_put_u64(&j, "planned", s->count);
	json_put_u64(&j, "passed", s->passed);
	json_put_u64(&j, "failed", s->failed);
	json_put_u64(&j, "inconclusive", s->inconclusive);
	json_put_u64(&j, "skipped", s->skipped);
	json_put_double(&j, "seconds", s->seconds);
	json_put_bool(&j, "interrupted", s->is_interrupted);
	strategy_put_json(&s->strategy, &j);
	put_groups(l, s, &j);
	put_distributions(s, &j);
	put_trials(s, &j);
	json_object_end(&j);
	str_addc(out, '\n');
	return str_check(out);
}
