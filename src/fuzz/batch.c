// SPDX-License-Identifier: GPL-2.0-only
/* Runs several guests in parallel; each has a directory with its scenarios and coverage. */
#include "fuzz/parts.h"
#include "fuzz/program/scenario.h"
#include "run/report.h"

#define BETWEEN_MS 200 /* between two scenarios: starting and ending workers */

/* Data that the trials point to. */
struct guest_slot {
	char *scenario;
	struct probe_test test;
	struct run_knobs knobs;
};

struct running {
	struct fuzz *fuzz;
	struct fuzz_batch *batch;
};

/* ---- results ---- */

static bool end_by_name(const char *name, enum fuzz_end *end)
{
	static const char *const names[] = { [FUZZ_END_PASSED] = FUZZ_PASSED,
					     [FUZZ_END_SKIPPED] = FUZZ_SKIPPED,
					     [FUZZ_END_INVALID] = FUZZ_INVALID };
	int found = str_index(names, ARRAY_SIZE(names), name);

	if (found < 0)
		return false;
	*end = (enum fuzz_end)found;
	return true;
}

static void take_result(struct fuzz_chain *c, const struct ktstr_result *r)
{
	for (size_t i = 0; i < r->metrics.count && c->ended < c->count; i++)
		if (end_by_name(r->metrics.items[i].name, &c->ends[c->ended]))
			c->waits_us[c->ended++] = r->metrics.items[i].value;
}

/* A guest that crashed has no result; the coverage that it sent shows how far it came. */
static void count_parts(struct fuzz_chain *c)
{
	for (bool is_there = true; is_there && c->ended < c->count;) {
		_free_ char *dir = bpf_coverage_part(c->bpf_dir, (uint32_t)c->ended);

		is_there = dir && access(dir, F_OK) == 0;
		c->ended += is_there;
	}
}

static bool on_ended(void *ctx, struct trial *t, const struct judgement *j, int *rc)
{
	struct running *r = ctx;
	struct fuzz_chain *c = &r->batch->chains[t - r->batch->trials];

	(void)rc;
	if (j->has_result)
		take_result(c, &j->result);
	else
		count_parts(c);
	return clock_mono_ns() < r->fuzz->deadline_ns;
}

static void on_tick(void *ctx)
{
	const struct running *r = ctx;

	fuzz_screen_tick(r->fuzz);
}

bool fuzz_trial_has_failed(const struct trial *t)
{
	return trial_has_failed(t) && !fuzz_is_invalid(t->signature);
}

/* ---- running ---- */

static int write_scenarios(const struct fuzz *f, const struct fuzz_chain *c, char **path)
{
	_str_ struct str text = {};
	int rc = file_make_dirs(c->bpf_dir, 0755);

	str_add(&text, f->options->ignores_weights ? FUZZ_UNWEIGHED_LINE : "");
	for (size_t i = 0; i < c->count; i++)
		fuzz_input_add_yaml(&c->inputs[i], &text);
	*path = str_fmt("%s/" FUZZ_SCENARIO, c->bpf_dir);
	if (rc == 0)
		rc = *path ? str_check(&text) : err_no_memory();
	return rc < 0 ? rc : file_replace(*path, text.s, text.len, 0644);
}

static unsigned int duration_ms(const struct fuzz_chain *c)
{
	unsigned int ms = 0;

	for (size_t i = 0; i < c->count; i++)
		ms += fuzz_input_ms(&c->inputs[i]) + (i ? BETWEEN_MS : 0);
	return ms;
}

static int fill(struct fuzz *f, struct fuzz_batch *b, size_t i, struct guest_slot *s)
{
	struct fuzz_chain *c = &b->chains[i];
	char *dir = c->bpf_dir = str_fmt("%s/%zu", f->scratch, i);
	int rc = dir ? tree_remove(dir) : err_no_memory();

	c->ended = 0;
	if (rc == 0)
		rc = write_scenarios(f, c, &s->scenario);
	if (rc < 0)
		return rc;
	s->test = *lab_variant(&f->lab)->test;
	s->test.duration_ms = duration_ms(c);
	s->test.strategy = fuzz_strategy(c->inputs[0].strategy);
	s->knobs = f->lab.options.knobs;
	b->trials[i] = (struct trial){ .seed = c->inputs[0].seed,
				       .knobs = &s->knobs,
				       .test = &s->test,
				       .input = s->scenario,
				       .bpf_dir = dir,
				       .counts_kernel = true };
	return fuzz_machine(c->inputs[0].machine, &s->knobs.topology);
}

int fuzz_batch_init(struct fuzz_batch *b)
{
	*b = (struct fuzz_batch){ .chains = calloc(FUZZ_GUESTS, sizeof(*b->chains)),
				  .trials = calloc(FUZZ_GUESTS, sizeof(*b->trials)) };
	return b->chains && b->trials ? 0 : err_no_memory();
}

int fuzz_batch_run(struct fuzz *f, struct fuzz_batch *b)
{
	struct guest_slot slots[FUZZ_GUESTS] = {};
	struct running r = { .fuzz = f, .batch = b };
	struct lab_watch watch = { .ended = on_ended, .tick = on_tick, .ctx = &r };
	int rc = 0;

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
	trials_finish(b->trials, FUZZ_GUESTS);
	for (size_t i = 0; b->chains && i < FUZZ_GUESTS; i++)
		free(b->chains[i].bpf_dir);
	free(b->chains);
	*b = (struct fuzz_batch){};
}
