// SPDX-License-Identifier: GPL-2.0-only
/* Runs seeds as trials, and groups their failures. */
#include "explore/explore.h"

/* ---- seeds ---- */

int explore_seeds(const struct explore_options *o, uint64_t **out, size_t *count)
{
	unsigned int parts = o->shard.count ? o->shard.count : 1;
	uint64_t *seeds = calloc((size_t)o->seeds + 1, sizeof(*seeds));
	int rc = seeds ? trial_seeds_check(o->first_seed, o->seeds) : err_no_memory();

	*count = 0;
	*out = seeds;
	if (rc < 0)
		return rc;
	for (uint64_t i = o->shard.count ? o->shard.index : 0; i < o->seeds; i += parts)
		seeds[(*count)++] = o->first_seed + i;
	return 0;
}

/* ---- groups ---- */

static struct failure_group *find_group(struct failure_groups *g, const char *signature)
{
	for (size_t i = 0; i < g->items.count; i++)
		if (str_eq(g->items.items[i].first->signature, signature))
			return &g->items.items[i];
	return NULL;
}

static int by_count(const void *a, const void *b)
{
	const struct failure_group *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return ORDER(x->first->seed, y->first->seed);
}

int failure_groups_make(const struct trial *trials, size_t count, struct failure_groups *out)
{
	int rc = 0;

	*out = (struct failure_groups){};
	for (size_t i = 0; i < count && rc == 0; i++) {
		struct failure_group *group;

		if (!trial_has_failed(&trials[i]))
			continue;
		if (!find_group(out, trials[i].signature))
			rc = vec_push(&out->items, (struct failure_group){ .first = &trials[i] });
		if (rc < 0)
			break;
		group = find_group(out, trials[i].signature);
		group->count++;
		rc = vec_push(&group->seeds, trials[i].seed);
	}
	vec_sort(&out->items, by_count);
	return rc;
}

void failure_groups_finish(struct failure_groups *g)
{
	vec_release(&g->items, each, free(each->seeds.items));
	*g = (struct failure_groups){};
}

/* ---- the run ---- */

struct exploring {
	const struct explore_options *options;
	struct explore_summary *summary;
	struct progress progress;
	uint64_t deadline_ns, done;
};

static void count_trial(struct explore_summary *s, const struct trial *t)
{
	size_t *const counters[] = {
		[TEST_PASSED] = &s->passed,    [TEST_FAILED] = &s->failed,
		[TEST_TIMED_OUT] = &s->failed, [TEST_INCONCLUSIVE] = &s->inconclusive,
		[TEST_SKIPPED] = &s->skipped,
	};

	++*counters[t->status];
}

static bool on_ended(void *ctx, struct trial *t, const struct judgement *j, int *rc)
{
	struct exploring *e = ctx;

	count_trial(e->summary, t);
	if (j->has_result)
		*rc = distributions_add_result(&e->summary->distributions, t->seed, &j->result);
	progress_update(&e->progress, ++e->done);
	if (e->options->stops_on_failure && trial_has_failed(t))
		return false;
	return !e->deadline_ns || clock_mono_ns() < e->deadline_ns;
}

static void on_tick(void *ctx)
{
	struct exploring *e = ctx;

	/* Without a terminal, it would print the same line again and again. */
	if (e->progress.on_terminal)
		progress_update(&e->progress, e->done);
}

static int run_trials(struct lab *l, struct trial *trials, struct explore_summary *s)
{
	const struct explore_options *o = s->options;
	_free_ char *what =
		str_fmt("%s: exploring %s", l->options.label, lab_variant(l)->test->name);
	struct exploring e = { .options = o, .summary = s };
	struct lab_watch watch = { .ended = on_ended, .tick = on_tick, .ctx = &e };
	uint64_t begun = clock_mono_ns();
	int rc;

	if (!what)
		return err_no_memory();
	if (o->budget_ns)
		e.deadline_ns = begun + o->budget_ns;
	progress_start(&e.progress, what, s->count);
	rc = lab_run(l, trials, s->count, &watch);
	progress_end(&e.progress);
	s->seconds = (double)(clock_mono_ns() - begun) / NSEC_PER_SEC;
	return rc;
}

static int exit_code(const struct explore_summary *s)
{
	if (s->is_interrupted)
		return RUN_EXIT_INTERRUPTED;
	if (s->failed)
		return RUN_EXIT_FAILED;
	if (s->inconclusive)
		return RUN_EXIT_INCONCLUSIVE;
	return s->passed ? RUN_EXIT_PASSED : RUN_EXIT_NOTHING;
}

static int print(const struct lab *l, struct explore_summary *s)
{
	_str_ struct str text = {};
	int rc = s->options->is_json ? explore_add_json(l, s, &text) :
				       explore_add_text(l, s, &text);

	rc = rc ?: str_check(&text);
	if (rc == 0)
		fputs(text.s, stdout);
	return rc;
}

/* After an interrupt, the results so far are reported: they may have taken an hour. */
static int explore_trials(struct lab *l, struct trial *trials, struct explore_summary *s)
{
	int rc = run_trials(l, trials, s);

	s->is_interrupted = rc == -EINTR;
	if (rc < 0 && !s->is_interrupted)
		return rc;
	rc = failure_groups_make(trials, s->count, &s->groups) ?: print(l, s);
	return rc < 0 ? rc : exit_code(s);
}

int explore_run(struct lab *l, const struct explore_options *o)
{
	struct explore_summary s = { .options = o };
	_free_ uint64_t *seeds = NULL;
	struct trial *trials = NULL;
	int rc = explore_seeds(o, &seeds, &s.count) ?: strategy_measure(l, &s.strategy);

	if (rc == 0) {
		trials = calloc(s.count + 1, sizeof(*trials));
		rc = trials ? 0 : err_no_memory();
	}
	for (size_t i = 0; rc == 0 && i < s.count; i++)
		trials[i] = (struct trial){ .seed = seeds[i], .knobs = &l->options.knobs };
	s.trials = trials;
	rc = rc ?: explore_trials(l, trials, &s);
	failure_groups_finish(&s.groups);
	distributions_finish(&s.distributions);
	trials_finish(trials, s.count);
	return rc;
}
