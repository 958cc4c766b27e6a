/* SPDX-License-Identifier: GPL-2.0-only */
/* Campaigns of `ktstr fuzz` whose guests and tests are played. */
#ifndef KTSTR_TESTS_PLAYED_FUZZ_H
#define KTSTR_TESTS_PLAYED_FUZZ_H

#include "unit.h"

#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "fuzz/parts.h"
#include "fuzz/program/scenario.h"
#include "run/report.h"
#include "watch/parts.h"

/* What becomes of a scenario: it ends with this word and wait, and reaches a line. */
struct scene {
	const char *end; /* FUZZ_PASSED ...; NULL = the guest fails in it */
	double wait_us;
	uint32_t line; /* 0 = none */
};

/* A guest that runs scenarios; `signature` is its failure, if it has any. */
struct guest {
	const struct trial *trial;
	size_t count;
	struct fuzz_input inputs[FUZZ_CHAIN];
	struct scene scenes[FUZZ_CHAIN];
	const char *signature;
	bool has_no_result;
};

static struct {
	void (*guest)(struct guest *g);
	const char *(*test)(const struct trial *t, const char *file); /* its failure, or NULL */
	unsigned int guests, tests;
	size_t chains[256]; /* lengths, in the order of the guests */
	size_t scenarios;
	struct str seeds;   /* of all scenarios of campaigns, in their order */
	int interrupted_at; /* the number of a batch; 0 = none */
	unsigned int batches;
	struct lab_request request; /* the first one of a campaign */
} played;

static struct probe_sched sched;
static struct test_program program = { .probe = { .schedulers = { .items = &sched, .count = 1 } } };
static struct run_kernel kernel = { .image = { .version = "7.0" } };
static const struct probe_test test = { .name = "scenario" };
static struct variant variant = { .test = &test };
static struct task task = { .job = { .variant = &variant } };

int __wrap_scheduler_program(const char *name, char **path);
int __wrap_source_check(void);
int __wrap_fuzz_program_file(char **path);
int __wrap_lab_open(struct lab *l, const struct lab_request *r);
void __wrap_lab_finish(struct lab *l);
int __wrap_lab_run(struct lab *l, struct trial *trials, size_t count,
		   const struct lab_watch *watch);

int __wrap_scheduler_program(const char *name, char **path)
{
	assert_string_equal(name, "./scx_mine");
	*path = strdup("/opt/scx_mine");
	return 0;
}

int __wrap_source_check(void)
{
	return 0;
}

int __wrap_fuzz_program_file(char **path)
{
	*path = strdup("/opt/scenario");
	return 0;
}

int __wrap_lab_open(struct lab *l, const struct lab_request *r)
{
	*l = (struct lab){ .task = &task };
	l->options.knobs = r->knobs;
	l->campaign.programs.items.items = &program;
	l->campaign.programs.items.count = 1;
	l->campaign.kernels.items.items = &kernel;
	l->campaign.kernels.items.count = 1;
	assert_int_equal(r->word_count, 1);
	if (str_eq(r->words[0], "/opt/scenario"))
		played.request = *r;
	else
		l->paths = (const char **)r->words;
	return 0;
}

void __wrap_lab_finish(struct lab *l)
{
	(void)l;
}

static inline void read_guest(struct guest *g, const struct trial *t)
{
	_str_ struct str text = {};

	*g = (struct guest){ .trial = t };
	assert_int_equal(file_read(t->input, &text), 0);
	for (char *at = strstr(text.s, FUZZ_SEED_LINE), *next; at; at = next) {
		next = strstr(at + 1, FUZZ_SEED_LINE);
		if (next)
			next[-1] = '\0';
		assert_in_range(g->count, 0, FUZZ_CHAIN - 1);
		assert_int_equal(fuzz_input_parse("input", at, &g->inputs[g->count]), 0);
		g->scenes[g->count++] = (struct scene){ .end = FUZZ_PASSED };
	}
}

static inline void write_coverage(const struct trial *t, size_t scenario, uint32_t line)
{
	_free_ char *dir = bpf_coverage_part(t->bpf_dir, (uint32_t)scenario);
	_bpf_cover_ struct bpf_cover c = {};
	_str_ struct str text = {};
	struct json j;

	assert_int_equal(bpf_cover_file(&c, "a.bpf.c"), 0);
	assert_int_equal(
		bpf_cover_line(&c, bpf_cover_function(&c, "p", "f"),
			       &(struct cover_line){ .line = line, .count = 1, .text = "" }),
		0);
	json_init(&j, &text, false);
	bpf_cover_to_json(&c, &j);
	unit_write(dir, "1.bpf.json", str_get(&text));
}

/* Returns whether further guests are to be started. */
static inline bool run_guest(struct trial *t, const struct lab_watch *watch)
{
	struct guest g;
	struct judgement j = { .has_result = true };
	int rc = 0;
	bool goes_on;

	read_guest(&g, t);
	if (played.guests < ARRAY_SIZE(played.chains))
		played.chains[played.guests] = g.count;
	played.guests++;
	for (size_t i = 0; i < g.count; i++)
		str_addf(&played.seeds, "%u ", g.inputs[i].seed);
	played.guest(&g);
	result_init(&j.result);
	j.has_result = !g.has_no_result;
	for (size_t i = 0; i < g.count && g.scenes[i].end; i++) {
		ktstr_result_metric(&j.result, g.scenes[i].end, g.scenes[i].wait_us,
				    KTSTR_LOWER_BETTER, "us");
		if (g.scenes[i].line)
			write_coverage(t, i, g.scenes[i].line);
		played.scenarios++;
	}
	t->is_done = true;
	t->status = g.signature ? TEST_FAILED : TEST_PASSED;
	t->signature = g.signature ? strdup(g.signature) : NULL;
	t->text = g.signature ? strdup("what the user reads") : NULL;
	goes_on = watch->ended(watch->ctx, t, &j, &rc);
	assert_int_equal(rc, 0);
	if (watch->tick)
		watch->tick(watch->ctx);
	result_finish(&j.result);
	return goes_on;
}

static inline void end_test(struct trial *t, const char *file)
{
	const char *signature = played.test(t, file);

	played.tests++;
	t->is_done = true;
	t->status = signature ? TEST_FAILED : TEST_PASSED;
	t->signature = signature ? strdup(signature) : NULL;
	t->text = signature ? strdup("explained") : NULL;
	if (t->trace)
		unit_write(".", t->trace, "trace");
}

int __wrap_lab_run(struct lab *l, struct trial *trials, size_t count, const struct lab_watch *watch)
{
	bool goes_on = true;

	if (!trials[0].input) {
		assert_int_equal(count, 1);
		end_test(&trials[0], l->paths[0]);
		return 0;
	}
	if ((int)++played.batches == played.interrupted_at)
		return -EINTR;
	for (size_t i = 0; i < count && goes_on; i++)
		goes_on = run_guest(&trials[i], watch);
	return 0;
}

/* ---- the campaign ---- */

static struct fuzz fuzz;
static struct fuzz_options options;
static char *dir;

static inline void pass(struct guest *g)
{
	(void)g;
}

static inline const char *pass_test(const struct trial *t, const char *file)
{
	(void)t;
	(void)file;
	return NULL;
}

static inline int set_up(void **state)
{
	static const struct fuzz_options usual = { .label = "ktstr",
						   .scheduler = "./scx_mine",
						   .corpus = "kept",
						   .seed = 1,
						   .budget_ns = 3600 * NSEC_PER_SEC,
						   .is_quiet = true };

	(void)state;
	options = usual;
	memset(&played, 0, sizeof(played));
	played.guest = pass;
	played.test = pass_test;
	sched = (struct probe_sched){ .name = "any" };
	dir = unit_temp_create();
	return chdir(dir);
}

static inline int tear_down(void **state)
{
	(void)state;
	fuzz_finish(&fuzz);
	str_finish(&played.seeds);
	unit_temp_remove(dir);
	return 0;
}

static inline void run_campaign(int expected)
{
	fuzz_finish(&fuzz);
	played.guests = played.tests = played.batches = 0;
	played.scenarios = 0;
	str_reset(&played.seeds);
	assert_int_equal(fuzz_open(&fuzz, &options), 0);
	assert_int_equal(fuzz_run(&fuzz), 0);
	assert_int_equal(fuzz_exit_code(&fuzz), expected);
}

static inline size_t count_files(const char *prefix)
{
	struct fuzz_corpus c = {};
	size_t count = 0;

	assert_int_equal(fuzz_corpus_open(&c, "kept"), 0);
	for (size_t i = 0; i < c.names.count; i++)
		count += str_starts(c.names.items[i], prefix);
	fuzz_corpus_finish(&c);
	return count;
}

#endif
