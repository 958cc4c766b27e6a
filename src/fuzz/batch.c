// SPDX-License-Identifier: GPL-2.0-only
/* Some inputs at once: each in a directory of its own, with its scenario and what it executed. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/tree.h"
#include "base/util.h"
#include "fuzz/parts.h"
#include "fuzz/program/scenario.h"

/* What the trials point to. */
struct slot {
	char *scenario;
	const char *files[1];
	struct probe_test test;
	struct run_knobs knobs;
};

struct running {
	struct fuzz *fuzz;
	struct fuzz_batch *batch;
};

static bool on_ended(void *ctx, struct trial *t, const struct judgement *j, int *rc)
{
	struct running *r = ctx;
	struct cgroup_stats totals;

	(void)rc;
	if (j->has_result) {
		result_totals(&j->result, &totals);
		r->batch->waits_us[t - r->batch->trials] = totals.worst_wait_us;
	}
	return clock_mono_ns() < r->fuzz->deadline_ns;
}

static int write_scenario(const struct fuzz_input *in, const char *dir, char **path)
{
	_str_ struct str text = {};
	int rc = file_make_dirs(dir, 0755);

	fuzz_input_add_yaml(in, &text);
	*path = str_fmt("%s/" FUZZ_SCENARIO, dir);
	if (rc == 0)
		rc = *path ? str_check(&text) : err_no_memory();
	return rc < 0 ? rc : file_replace(*path, text.s, text.len, 0644);
}

static int fill(struct fuzz *f, struct fuzz_batch *b, size_t i, struct slot *s)
{
	char *dir = b->bpf_dirs[i] = str_fmt("%s/%zu", f->scratch, i);
	int rc = dir ? tree_remove(dir) : err_no_memory();

	if (rc == 0)
		rc = write_scenario(&b->inputs[i], dir, &s->scenario);
	if (rc < 0)
		return rc;
	s->files[0] = s->scenario;
	s->test = *lab_variant(&f->lab)->test;
	s->test.include_files = (struct probe_texts){ .items = s->files, .count = 1 };
	s->test.duration_ms = fuzz_input_ms(&b->inputs[i]);
	s->knobs = f->lab.options.knobs;
	b->trials[i] = (struct trial){
		.seed = b->inputs[i].seed, .knobs = &s->knobs, .test = &s->test, .bpf_dir = dir
	};
	return fuzz_machine(b->inputs[i].machine, &s->knobs.topology);
}

int fuzz_batch_run(struct fuzz *f, struct fuzz_batch *b)
{
	struct slot slots[FUZZ_BATCH] = {};
	struct running r = { .fuzz = f, .batch = b };
	struct lab_watch watch = { .ended = on_ended, .ctx = &r };
	int rc;

	b->trials = calloc(FUZZ_BATCH, sizeof(*b->trials));
	rc = b->trials ? 0 : err_no_memory();
	for (size_t i = 0; i < b->count && rc == 0; i++)
		rc = fill(f, b, i, &slots[i]);
	if (rc == 0)
		rc = lab_run(&f->lab, b->trials, b->count, &watch);
	for (size_t i = 0; i < b->count; i++)
		free(slots[i].scenario);
	return rc;
}

void fuzz_batch_finish(struct fuzz_batch *b)
{
	trials_finish(b->trials, FUZZ_BATCH);
	for (size_t i = 0; i < FUZZ_BATCH; i++)
		free(b->bpf_dirs[i]);
	*b = (struct fuzz_batch){};
}
