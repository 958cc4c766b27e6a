// SPDX-License-Identifier: GPL-2.0-only
/* The life of a campaign: the corpus as it is, then changes of it until the time is up. */
#include "base/hash.h"
#include "base/screen.h"
#include "check/invariant.h"
#include "explore/explore.h"
#include "fuzz/parts.h"
#include "run/report.h"
#include "run/discover.h"

#define SHORTEST_CHAIN 4
#define HOPELESS 64 /* failures before the first pass: the scheduler is unusable */

/* ---- opening ---- */

/* Sets the given invariants as if the program had declared them. */
static void place_invariants(struct fuzz *f)
{
	struct probe *p = &f->lab.campaign.programs.items.items[0].probe;

	for (size_t i = 0; i < p->schedulers.count; i++)
		p->schedulers.items[i].invariants =
			(struct probe_texts){ .items = f->options->invariants,
					      .count = f->options->invariant_count };
}

static int check_invariants(const struct fuzz_options *o)
{
	struct invariant ignored;
	int rc = 0;

	if (o->invariant_count > INVARIANT_MAX)
		return err_set(EINVAL, "there can be %d invariants at most", INVARIANT_MAX);
	for (size_t i = 0; i < o->invariant_count && rc == 0; i++)
		rc = invariant_parse(o->invariants[i], &ignored);
	return rc;
}

static int open_lab(struct fuzz *f)
{
	const struct fuzz_options *o = f->options;
	struct lab_request request = { .label = o->label,
				       .words = (const char *const *)&f->program,
				       .word_count = 1,
				       .kernel = o->kernel,
				       .no_perf_mode = o->no_perf_mode,
				       .is_quiet = o->is_quiet,
				       .jobs = o->jobs,
				       .scheduler = f->scheduler,
				       .knobs = RUN_KNOBS_DEFAULT };
	int rc;

	/* f->scheduler is an absolute path. */
	request.knobs.scheduler = strrchr(f->scheduler, '/') + 1;
	request.knobs.scheduler_args = (const char *const *)o->args;
	request.knobs.scheduler_arg_count = o->arg_count;
	f->is_open = true;
	rc = lab_open(&f->lab, &request);
	if (rc == 0)
		place_invariants(f);
	return rc;
}

/* Another corpus or shard gives a different campaign, even with the same seed. */
static void start_random(struct fuzz *f)
{
	f->random.state = f->options->seed + ((uint64_t)f->options->shard.index << 32);
	f->random.uses = f->options->is_uniform ? NULL : &f->uses;
	for (size_t i = 0; i < f->corpus.entries.count; i++) {
		const struct fuzz_input *in = &f->corpus.entries.items[i].input;

		f->random.state = siphash(in->ops, in->count * sizeof(in->ops[0]),
					  (struct siphash_key){ f->random.state, in->seed }, 1, 3);
	}
}

/* Each process runs its part of the existing corpus; what is added later is run by all. */
void fuzz_leave_to_others(struct fuzz *f)
{
	const struct shard *s = &f->options->shard;

	for (size_t i = 0; s->count && i < f->corpus.entries.count; i++)
		f->corpus.entries.items[i].is_run = i % s->count != s->index;
}

int fuzz_open(struct fuzz *f, const struct fuzz_options *o)
{
	int rc = scheduler_args_check((const char *const *)o->args, o->arg_count);

	f->options = o;
	if (rc == 0)
		rc = check_invariants(o);
	if (rc == 0)
		rc = scheduler_program(o->scheduler, &f->scheduler);
	/* Check this now, not at the end of a night. */
	if (rc == 0)
		rc = source_check();
	if (rc == 0)
		rc = fuzz_corpus_open(&f->corpus, o->corpus);
	if (rc == 0)
		rc = fuzz_program_file(&f->program);
	if (rc == 0)
		rc = open_lab(f);
	if (rc == 0) {
		f->scratch = worktree_scratch("ktstr-fuzz");
		rc = f->scratch ? 0 : -EIO;
	}
	fuzz_leave_to_others(f);
	if (o->minimises)
		fuzz_corpus_sort(&f->corpus);
	start_random(f);
	return rc;
}

void fuzz_finish(struct fuzz *f)
{
	for (size_t i = 0; i < f->failures.count; i++)
		fuzz_failure_finish(&f->failures.items[i]);
	free(f->failures.items);
	free(f->curve.items);
	if (f->is_open)
		lab_finish(&f->lab);
	if (f->scratch)
		tree_remove(f->scratch);
	fuzz_corpus_finish(&f->corpus);
	fuzz_cover_finish(&f->cover);
	bpf_cover_finish(&f->bpf);
	str_finish(&f->status);
	free(f->scratch);
	free(f->program);
	free(f->scheduler);
	*f = (struct fuzz){};
}

/* ---- results ---- */

/*
 * Notes the result of an entry that was in the corpus before. With --minimise, removes it
 * if it reached nothing new.
 */
static int take_entry(struct fuzz *f, struct fuzz_entry *e, const struct fuzz_news *news)
{
	memcpy(e->own, news->own, sizeof(e->own));
	if (!f->options->minimises || news->count)
		return 0;
	f->removed++;
	return fuzz_corpus_remove(&f->corpus, e);
}

/* Keeps the input if its run reached something new. */
static int look(struct fuzz *f, const struct fuzz_chain *c, size_t i)
{
	_bpf_cover_ struct bpf_cover run = {};
	_free_ char *dir = bpf_coverage_part(c->bpf_dir, (uint32_t)i);
	struct fuzz_news news = {};
	int rc = dir ? bpf_coverage_load(dir, &run) : err_no_memory();

	if (rc == -ENOENT) { /* no coverage was recorded */
		err_clear();
		rc = 0;
	}
	if (rc == 0)
		rc = fuzz_cover_add(&f->cover, &run, c->waits_us[i], &news);
	if (rc < 0)
		return rc;
	fuzz_note_place(f, &c->inputs[i], news.count);
	if (c->entries[i] == FUZZ_NEW)
		fuzz_note_origin(f, &c->origins[i], news.count);
	if (news.count)
		rc = bpf_cover_add(&f->bpf, &run);
	if (rc == 0 && news.count && c->entries[i] == FUZZ_NEW && !f->options->is_uniform)
		rc = fuzz_corpus_add(&f->corpus, &c->inputs[i], news.own);
	return rc < 0 || c->entries[i] == FUZZ_NEW ?
		       rc :
		       take_entry(f, &f->corpus.entries.items[c->entries[i]], &news);
}

static uint64_t *count_of(struct fuzz *f, const struct fuzz_chain *c, size_t i)
{
	uint64_t *const counts[] = { [FUZZ_END_PASSED] = &f->passed,
				     [FUZZ_END_SKIPPED] = &f->skipped,
				     [FUZZ_END_INVALID] = &f->invalid };

	return counts[c->ends[i]];
}

static int take_ended(struct fuzz *f, const struct fuzz_chain *c, size_t i)
{
	f->runs++;
	++*count_of(f, c, i);
	/*
	 * Scenarios for machines without SMT have no cookies, so a skip means that the
	 * kernel lacks core scheduling.
	 */
	if (c->ends[i] == FUZZ_END_SKIPPED && fuzz_input_has(&c->inputs[i], FUZZ_OP(COOKIE)))
		f->left_out |= FUZZ_OP(COOKIE);
	return c->ends[i] == FUZZ_END_PASSED ? look(f, c, i) : 0;
}

/* Inputs after a failed one have not run: those of the corpus will be run again. */
static void put_back(struct fuzz *f, const struct fuzz_chain *c, size_t from)
{
	for (size_t i = from; i < c->count; i++)
		if (c->entries[i] != FUZZ_NEW)
			f->corpus.entries.items[c->entries[i]].is_run = false;
}

/*
 * If the failure was seen after the last input, which was counted as ended, takes that
 * count back.
 */
static void count_anew(struct fuzz *f, const struct fuzz_chain *c)
{
	if (c->ended == c->count)
		--*count_of(f, c, c->count - 1);
}

/* Handles the input after those that ended: the guest ended because of it. */
static int take_last(struct fuzz *f, const struct fuzz_chain *c, const struct trial *t)
{
	bool is_one = c->ended < c->count, is_meant = false;
	int rc = 0;

	f->runs += is_one;
	put_back(f, c, c->ended + 1);
	if (fuzz_trial_has_failed(t)) {
		rc = fuzz_ends_at_hotplug(f, &c->inputs[MIN(c->ended, c->count - 1)], t, &is_meant);
		if (rc < 0)
			return rc;
		if (!is_meant) {
			count_anew(f, c);
			f->failed++;
			return fuzz_failure_add(f, c, t);
		}
	}
	/*
	 * The end of the scheduler may be noticed only after the last input, which is then
	 * to blame.
	 */
	if (trial_has_failed(t) && !is_meant)
		count_anew(f, c);
	if (trial_has_failed(t) && (is_one || !is_meant))
		f->invalid++;
	else if (is_one)
		f->skipped++;
	return 0;
}

static int take(struct fuzz *f, const struct fuzz_batch *b, size_t i)
{
	const struct fuzz_chain *c = &b->chains[i];
	const struct trial *t = &b->trials[i];
	int rc = 0;

	if (!t->is_done)
		return 0;
	for (size_t n = 0; n < c->ended && rc == 0; n++)
		rc = take_ended(f, c, n);
	if (rc == 0 && (trial_has_failed(t) || c->ended < c->count))
		rc = take_last(f, c, t);
	return rc;
}

double fuzz_seconds(const struct fuzz *f)
{
	return (double)(clock_mono_ns() - f->begun_ns) / NSEC_PER_SEC;
}

static int note_point(struct fuzz *f)
{
	struct fuzz_point p = { .seconds = fuzz_seconds(f),
				.runs = f->runs,
				.features = f->cover.count,
				.kept = f->corpus.entries.count,
				.failures = f->failures.count };

	memcpy(p.kinds, f->cover.kinds, sizeof(p.kinds));
	return vec_push(&f->curve, p);
}

static void tell(struct fuzz *f, struct progress *p)
{
	double seconds = fuzz_seconds(f);

	if (f->options->has_screen) {
		fuzz_screen_draw(f);
		return;
	}
	str_reset(&f->status);
	str_addf(&f->status,
		 "%s: fuzzing %s: %zu kept, %zu features, %zu failures, %.2f a second, scenarios",
		 f->options->label, f->options->scheduler, f->corpus.entries.count, f->cover.count,
		 f->failures.count, seconds > 0 ? (double)f->runs / seconds : 0.0);
	p->what = str_get(&f->status);
	progress_update(p, f->runs);
}

static int run_batch(struct fuzz *f, struct fuzz_batch *b, struct progress *p)
{
	int rc = fuzz_batch_run(f, b), taken = 0;

	for (size_t i = 0; i < b->count && taken == 0 && (rc == 0 || rc == -EINTR); i++)
		taken = take(f, b, i);
	tell(f, p);
	if (taken == 0)
		taken = note_point(f);
	return rc < 0 ? rc : taken;
}

/* ---- next inputs ---- */

static bool has_left(const struct fuzz_corpus *c)
{
	for (size_t i = 0; i < c->entries.count; i++)
		if (!c->entries.items[i].is_run)
			return true;
	return false;
}

static bool is_over(const struct fuzz *f)
{
	return (f->options->minimises && !has_left(&f->corpus)) ||
	       clock_mono_ns() >= f->deadline_ns ||
	       (f->options->runs && f->runs >= f->options->runs) ||
	       (f->options->stops_on_failure && f->failures.count) ||
	       (!f->passed && f->failed >= HOPELESS);
}

static size_t left_of(const struct fuzz *f, size_t planned)
{
	return f->options->runs ? (size_t)(f->options->runs - f->runs) - planned : SIZE_MAX;
}

/*
 * Chains are short at first, so that their findings guide the next ones; later the cost of
 * starting a guest matters more.
 */
static size_t chain_size(const struct fuzz *f, size_t planned)
{
	size_t size = (size_t)MIN(f->runs / 16, (uint64_t)FUZZ_CHAIN);

	return MIN(MAX(size, (size_t)SHORTEST_CHAIN), left_of(f, planned));
}

static void add_to_chain(struct fuzz_chain *c, const struct fuzz_input *in, size_t entry)
{
	c->inputs[c->count] = *in;
	c->entries[c->count++] = entry;
}

/* Plans entries of the corpus that have not run yet; all inputs of a guest need the same place. */
static size_t plan_corpus(struct fuzz *f, struct fuzz_chain *c, size_t left)
{
	for (size_t i = 0; i < f->corpus.entries.count; i++) {
		struct fuzz_entry *e = &f->corpus.entries.items[i];

		if (e->is_run || c->count == MIN((size_t)FUZZ_CHAIN, left) ||
		    (c->count && !fuzz_place_equal(&c->inputs[0], &e->input)))
			continue;
		e->is_run = true;
		add_to_chain(c, &e->input, i);
	}
	return c->count;
}

static size_t plan_new(struct fuzz *f, struct fuzz_chain *c, size_t size)
{
	struct fuzz_input in, place = {};

	fuzz_next_place(f, &place);
	while (c->count < size) {
		c->origins[c->count] = fuzz_next_input(f, &place, &in);
		if (fuzz_input_has(&in, f->left_out))
			fuzz_input_drop(&in, f->left_out);
		add_to_chain(c, &in, FUZZ_NEW);
	}
	return c->count;
}

static void plan(struct fuzz *f, struct fuzz_batch *b)
{
	size_t planned = 0;

	for (; b->count < FUZZ_GUESTS && left_of(f, planned); b->count++) {
		size_t added = plan_corpus(f, &b->chains[b->count], left_of(f, planned));

		if (!added)
			break;
		planned += added;
	}
	while (!planned || (b->count < FUZZ_GUESTS && b->chains[0].entries[0] == FUZZ_NEW &&
			    left_of(f, planned)))
		planned += plan_new(f, &b->chains[b->count++], chain_size(f, planned));
}

static int run_all(struct fuzz *f, struct progress *p)
{
	int rc = 0;

	while (rc == 0 && !is_over(f)) {
		_fuzz_batch_ struct fuzz_batch b = {};

		rc = fuzz_batch_init(&b);
		if (rc == 0 && f->options->shard.count)
			rc = fuzz_corpus_read(&f->corpus);
		if (rc < 0)
			return rc;
		plan(f, &b);
		rc = run_batch(f, &b, p);
	}
	return rc;
}

int fuzz_run(struct fuzz *f)
{
	struct progress p;
	int rc;

	f->begun_ns = clock_mono_ns();
	f->deadline_ns = f->begun_ns + f->options->budget_ns;
	progress_start(&p, "", 0);
	rc = run_all(f, &p);
	progress_end(&p);
	if (f->options->has_screen)
		screen_show("");
	f->seconds = fuzz_seconds(f);
	f->is_interrupted = rc == -EINTR;
	return f->is_interrupted ? 0 : rc;
}

int fuzz_exit_code(const struct fuzz *f)
{
	if (f->is_interrupted)
		return RUN_EXIT_INTERRUPTED;
	for (size_t i = 0; i < f->failures.count; i++)
		if (!f->failures.items[i].is_known)
			return RUN_EXIT_FAILED;
	return f->passed + f->failed ? RUN_EXIT_PASSED : RUN_EXIT_NOTHING;
}
