// SPDX-License-Identifier: GPL-2.0-only
/* The life of a campaign: the corpus as it is, then changes of it until the time is up. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/progress.h"
#include "base/tree.h"
#include "base/util.h"
#include "explore/explore.h"
#include "fuzz/parts.h"
#include "run/bpf_coverage.h"
#include "run/discover.h"

#define FRESH 8	 /* one of so many inputs is made anew */
#define SPLICE 4 /* and one of so many has a part of another */

/* ---- opening ---- */

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

	/* An absolute path. */
	request.knobs.scheduler = strrchr(f->scheduler, '/') + 1;
	request.knobs.scheduler_args = (const char *const *)o->args;
	request.knobs.scheduler_arg_count = o->arg_count;
	f->is_open = true;
	return lab_open(&f->lab, &request);
}

/* Another corpus is another campaign, also with the same seed. */
static void start_random(struct fuzz *f)
{
	f->random.state = f->options->seed;
	for (size_t i = 0; i < f->corpus.entries.count; i++) {
		const struct fuzz_input *in = &f->corpus.entries.items[i].input;

		f->random.state = siphash(in->ops, in->count * sizeof(in->ops[0]),
					  (struct siphash_key){ f->random.state, in->seed }, 1, 3);
	}
}

static int check_args(const struct fuzz_options *o)
{
	for (size_t i = 0; i < o->arg_count; i++)
		if (strchr(o->args[i], '\n'))
			return err_set(EINVAL, "an argument of the scheduler has a line end in it");
	return 0;
}

int fuzz_open(struct fuzz *f, const struct fuzz_options *o)
{
	int rc = check_args(o);

	f->options = o;
	if (rc == 0)
		rc = scheduler_program(o->scheduler, &f->scheduler);
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
	start_random(f);
	return rc;
}

void fuzz_finish(struct fuzz *f)
{
	for (size_t i = 0; i < f->failures.count; i++) {
		free(f->failures.items[i].signature);
		free(f->failures.items[i].text);
		free(f->failures.items[i].file);
	}
	free(f->failures.items);
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

/* ---- inputs ---- */

/* Of two at random the one that was changed less: what is new gets its turn. */
static struct fuzz_entry *pick(struct fuzz *f)
{
	unsigned int count = (unsigned int)f->corpus.entries.count;
	struct fuzz_entry *a = &f->corpus.entries.items[fuzz_random_below(&f->random, count)];
	struct fuzz_entry *b = &f->corpus.entries.items[fuzz_random_below(&f->random, count)];

	return b->picks < a->picks ? b : a;
}

static void next_input(struct fuzz *f, struct fuzz_input *in)
{
	bool is_fresh = fuzz_random_below(&f->random, FRESH) == 0;
	struct fuzz_entry *from;

	if (f->options->is_uniform || !f->corpus.entries.count || is_fresh) {
		fuzz_input_make(in, &f->random);
		return;
	}
	from = pick(f);
	from->picks++;
	*in = from->input;
	if (fuzz_random_below(&f->random, SPLICE) == 0)
		fuzz_input_splice(in, &pick(f)->input, &f->random);
	fuzz_input_mutate(in, &f->random);
}

/* ---- what came of them ---- */

/* Kept where it reached something new; is_new = it is not in the corpus yet. */
static int look(struct fuzz *f, const struct fuzz_batch *b, size_t i, bool is_new)
{
	_bpf_cover_ struct bpf_cover run = {};
	size_t found = 0;
	int rc = bpf_coverage_load(b->bpf_dirs[i], &run);

	if (rc == -ENOENT) { /* it loaded none, or did not end */
		err_clear();
		rc = 0;
	}
	if (rc == 0)
		rc = fuzz_cover_add(&f->cover, &run, b->waits_us[i], &found);
	if (rc == 0 && found && run.functions.count)
		rc = bpf_coverage_load(b->bpf_dirs[i], &f->bpf);
	if (rc == 0 && found && is_new && !f->options->is_uniform)
		rc = fuzz_corpus_add(&f->corpus, &b->inputs[i]);
	return rc;
}

static int take(struct fuzz *f, const struct fuzz_batch *b, size_t i, bool is_new)
{
	const struct trial *t = &b->trials[i];

	if (!t->is_done)
		return 0;
	f->runs++;
	if (t->status == TEST_SKIPPED) {
		f->skipped++;
		return 0;
	}
	if (trial_has_failed(t) && fuzz_is_invalid(t->signature)) {
		f->invalid++;
		return 0;
	}
	if (trial_has_failed(t)) {
		f->failed++;
		return fuzz_failure_add(f, &b->inputs[i], t);
	}
	f->passed++;
	return look(f, b, i, is_new);
}

static void tell(struct fuzz *f, struct progress *p)
{
	double seconds = (double)(clock_mono_ns() - f->begun_ns) / NSEC_PER_SEC;

	str_reset(&f->status);
	str_addf(&f->status,
		 "%s: fuzzing %s: %zu kept, %zu features, %zu failures, %.1f runs/min, runs",
		 f->options->label, f->options->scheduler, f->corpus.entries.count, f->cover.count,
		 f->failures.count, seconds > 0 ? 60 * (double)f->runs / seconds : 0.0);
	p->what = str_get(&f->status);
	progress_update(p, f->runs);
}

static int run_batch(struct fuzz *f, struct fuzz_batch *b, bool is_new, struct progress *p)
{
	int rc = fuzz_batch_run(f, b), taken = 0;

	for (size_t i = 0; i < b->count && taken == 0 && (rc == 0 || rc == -EINTR); i++)
		taken = take(f, b, i, is_new);
	tell(f, p);
	fuzz_batch_finish(b);
	return rc < 0 ? rc : taken;
}

static bool is_over(const struct fuzz *f)
{
	return clock_mono_ns() >= f->deadline_ns ||
	       (f->options->runs && f->runs >= f->options->runs) ||
	       (f->options->stops_on_failure && f->failures.count);
}

static size_t batch_size(const struct fuzz *f, uint64_t left)
{
	if (f->options->runs && f->options->runs - f->runs < left)
		left = f->options->runs - f->runs;
	return (size_t)MIN(left, (uint64_t)FUZZ_BATCH);
}

static int run_corpus(struct fuzz *f, struct progress *p)
{
	size_t done = 0, count = f->corpus.entries.count;
	int rc = 0;

	while (done < count && rc == 0 && !is_over(f)) {
		struct fuzz_batch b = { .count = batch_size(f, count - done) };

		for (size_t i = 0; i < b.count; i++)
			b.inputs[i] = f->corpus.entries.items[done++].input;
		rc = run_batch(f, &b, false, p);
	}
	return rc;
}

static int run_all(struct fuzz *f, struct progress *p)
{
	int rc = run_corpus(f, p);

	while (rc == 0 && !is_over(f)) {
		struct fuzz_batch b = { .count = batch_size(f, FUZZ_BATCH) };

		for (size_t i = 0; i < b.count; i++)
			next_input(f, &b.inputs[i]);
		rc = run_batch(f, &b, true, p);
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
	f->seconds = (double)(clock_mono_ns() - f->begun_ns) / NSEC_PER_SEC;
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
