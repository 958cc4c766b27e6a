// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr bisect` with candidates and trials that the test plays. */
#include "cli_run.h"

#include <errno.h>

#include "base/cleanup.h"
#include "cli/options.h"

/* One candidate: a letter for each seed, "p", "f", "s"kipped or "u"nstarted. */
struct played {
	const char *name, *seeds, *subject;
	int open_rc, make_rc, run_rc;
};

static const struct played *plays;
static size_t play_count;
static const char *own_scheduler; /* what a test uses whatever is set; or NULL */
static bool has_no_scheduler;
static enum candidate_kind kind;
static struct str listed; /* how candidates were asked for */
static struct lab_request request;
static char word[32], kernel[32]; /* of the request */
static const struct played *playing;
static size_t begun, finished, asked_seeds;

int __wrap_candidates_of_kernels(struct candidates *c, const char *good, const char *bad,
				 bool include_eol, const char *label);
int __wrap_candidates_of_programs(struct candidates *c, const char *const *files, size_t count);
int __wrap_candidates_of_commits(struct candidates *c, const char *good, const char *bad);
int __wrap_candidates_make_program(struct candidates *c, size_t i, char **path);
int __wrap_lab_open(struct lab *l, const struct lab_request *r);
void __wrap_lab_finish(struct lab *l);
int __wrap_lab_run(struct lab *l, struct trial *trials, size_t count,
		   const struct lab_watch *watch);
void __wrap_lab_add_command(const struct lab *l, const struct run_knobs *knobs, uint64_t seed,
			    struct str *out);
void __wrap_interrupt_install(void);

static int list(struct candidates *c)
{
	c->kind = kind;
	for (size_t i = 0; i < play_count; i++) {
		assert_int_equal(texts_add(&c->names, plays[i].name), 0);
		if (plays[i].subject)
			assert_int_equal(texts_add(&c->subjects, plays[i].subject), 0);
	}
	return 0;
}

int __wrap_candidates_of_kernels(struct candidates *c, const char *good, const char *bad,
				 bool include_eol, const char *label)
{
	str_addf(&listed, "%s..%s %d %s", good, bad, include_eol, label);
	kind = CANDIDATE_KERNEL;
	return list(c);
}

int __wrap_candidates_of_programs(struct candidates *c, const char *const *files, size_t count)
{
	for (size_t i = 0; i < count; i++)
		str_addf(&listed, "%s ", files[i]);
	kind = CANDIDATE_PROGRAM;
	return list(c);
}

int __wrap_candidates_of_commits(struct candidates *c, const char *good, const char *bad)
{
	str_addf(&listed, "%s..%s by %s: %s", good, bad, c->build, c->binary);
	kind = CANDIDATE_COMMIT;
	return list(c);
}

int __wrap_candidates_make_program(struct candidates *c, size_t i, char **path)
{
	assert_int_not_equal(c->kind, CANDIDATE_KERNEL);
	playing = &plays[i];
	if (plays[i].make_rc < 0)
		return err_set(-plays[i].make_rc, "no room");
	*path = plays[i].make_rc ? NULL : str_fmt("/made/%s", plays[i].name);
	return plays[i].make_rc;
}

static struct probe_test test = { .name = "race" };
static struct variant variant = { .name = "ktstr/race", .test = &test };
static struct task task = { .job = { .variant = &variant } };

int __wrap_lab_open(struct lab *l, const struct lab_request *r)
{
	const char *set = getenv("KTSTR_SCHEDULER");

	*l = (struct lab){ .task = &task };
	request = *r;
	snprintf(word, sizeof(word), "%s", r->words[0]);
	snprintf(kernel, sizeof(kernel), "%s", r->kernel ? r->kernel : "-");
	begun++;
	for (size_t i = 0; r->kernel && i < play_count; i++)
		if (str_eq(plays[i].name, r->kernel))
			playing = &plays[i];
	task.job.scheduler = has_no_scheduler ? NULL : own_scheduler ? own_scheduler : set;
	return playing->open_rc < 0 ? err_set(-playing->open_rc, "no \033such image") : 0;
}

void __wrap_lab_finish(struct lab *l)
{
	finished += l->task != NULL;
}

int __wrap_lab_run(struct lab *l, struct trial *trials, size_t count, const struct lab_watch *watch)
{
	bool goes_on = true;

	asked_seeds = count;
	for (size_t i = 0; i < count; i++) {
		struct trial *t = &trials[i];
		char what = playing->seeds[i % strlen(playing->seeds)];
		int rc = 0;

		assert_ptr_equal(t->knobs, &l->options.knobs);
		t->is_done = true;
		t->status = what == 'p' ? TEST_PASSED : what == 's' ? TEST_SKIPPED : TEST_FAILED;
		t->text = what == 's' ? strdup("too \033small") : NULL;
		t->signature = what == 'f' ? strdup("it \033failed") : NULL;
		t->unstarted = what == 'u' ? strdup("no \033such file") : NULL;
		goes_on = watch->ended(watch->ctx, t, NULL, &rc);
		/* As others of several at a time may have failed before. */
		if (!goes_on && i + 1 == count)
			break;
	}
	return playing->run_rc < 0 ? err_set(-playing->run_rc, "QEMU is gone") : 0;
}

void __wrap_lab_add_command(const struct lab *l, const struct run_knobs *knobs, uint64_t seed,
			    struct str *out)
{
	assert_ptr_equal(knobs, &l->options.knobs);
	str_addf(out, "ktstr test on %s --seed %llu", playing->name, ULL(seed));
}

void __wrap_interrupt_install(void)
{
}

static int start(void **state)
{
	(void)state;
	own_scheduler = NULL;
	has_no_scheduler = false;
	playing = NULL;
	begun = finished = 0;
	unsetenv("KTSTR_SCHEDULER");
	unsetenv("KTSTR_SEED");
	unsetenv("KTSTR_NO_PERF_MODE");
	return 0;
}

static int stop(void **state)
{
	(void)state;
	assert_int_equal(begun, finished);
	str_finish(&listed);
	cli_forget();
	return 0;
}

#define PLAYED(f) cmocka_unit_test_setup_teardown(f, start, stop)
#define PLAY(...)                                                     \
	do {                                                          \
		static const struct played rows_[] = { __VA_ARGS__ }; \
		plays = rows_;                                        \
		play_count = ARRAY_SIZE(rows_);                       \
	} while (0)

static void kernels_are_bisected(void **state)
{
	(void)state;
	PLAY({ "7.0", "p" }, { "7.1", "p" }, { "7.2", "f" }, { "7.3", "f" });
	assert_int_equal(cli_run("bisect t.c --good 7.0 --bad 7.3 --include-eol --jobs 3 -n 2"), 0);
	assert_string_equal(str_get(&listed), "7.0..7.3 1 ktstr");
	assert_string_equal(cli_out, "4 candidates from 7.0 to 7.3\n"
				     "  7.0  good\n"
				     "  7.3  bad: seed 1: it \\x1bfailed\n"
				     "  7.1  good\n"
				     "  7.2  bad: seed 1: it \\x1bfailed\n"
				     "first bad: 7.2 (last good: 7.1), after 4 steps\n"
				     "again: ktstr test on 7.2 --seed 1\n");
	assert_int_equal(request.jobs, 3);
	assert_int_equal(request.word_count, 1);
	assert_string_equal(word, "t.c");
	assert_int_equal(asked_seeds, 2);
	assert_null(getenv("KTSTR_SCHEDULER"));
}

/* One failure makes a candidate bad, and the smallest seed of those is told. */
static void one_seed_is_enough_to_be_bad(void **state)
{
	(void)state;
	PLAY({ "7.0", "ppp" }, { "7.1", "pff" });
	assert_int_equal(cli_run("bisect t.c --good 7.0 --bad 7.1 --seed 5 --seeds 3"), 0);
	assert_string_equal(cli_out, "2 candidates from 7.0 to 7.1\n"
				     "  7.0  good\n"
				     "  7.1  bad: seed 6: it \\x1bfailed\n"
				     "first bad: 7.1 (last good: 7.0), after 2 steps\n"
				     "again: ktstr test on 7.1 --seed 6\n");
	PLAY({ "7.0", "p" }, { "7.1", "f" });
	assert_int_equal(cli_run("bisect t.c --good 7.0 --bad 7.1"), 0);
	expect_in(cli_out, "  7.1  bad: seed 1: ");
	assert_int_equal(asked_seeds, 1);
}

static void what_cannot_be_tested_is_passed_over(void **state)
{
	(void)state;
	PLAY({ "7.0", "p" }, { "7.1", "s" }, { "7.2", "p", .open_rc = -ENOENT },
	     { "7.3", "p", .run_rc = -EIO }, { "7.4", "u" }, { "7.5", "f" });
	assert_int_equal(cli_run("bisect t.c --good 7.0 --bad 7.5"), 0);
	expect_in(cli_out, "  7.1  cannot be tested: too \\x1bsmall\n");
	expect_in(cli_out, "  7.2  cannot be tested: no \\x1bsuch image\n");
	expect_in(cli_out, "  7.3  cannot be tested: QEMU is gone\n");
	expect_in(cli_out, "  7.4  cannot be tested: no \\x1bsuch file\n");
	expect_in(cli_out, "first bad: one of 5, up to 7.5; those between it and 7.0 cannot be "
			   "tested; 6 steps\nagain: ktstr test on 7.5 --seed 1\n");
}

/* An end that cannot be tested ends it, and so does an interrupt. */
static void both_ends_have_to_be_tested(void **state)
{
	(void)state;
	PLAY({ "7.0", "p", .open_rc = -ENOENT }, { "7.1", "f" });
	assert_int_equal(cli_run("bisect t.c --good 7.0 --bad 7.1"), -ENOENT);
	PLAY({ "7.0", "p" }, { "7.1", "f", .run_rc = -EIO });
	assert_int_equal(cli_run("bisect t.c --good 7.0 --bad 7.1"), -EIO);
	PLAY({ "7.0", "p" }, { "7.1", "p", .run_rc = -EINTR }, { "7.2", "f" });
	assert_int_equal(cli_run("bisect t.c --good 7.0 --bad 7.2"), RUN_EXIT_INTERRUPTED);
	PLAY({ "7.0", "p" }, { "7.1", "p", .open_rc = -EINTR }, { "7.2", "f" });
	assert_int_equal(cli_run("bisect t.c --good 7.0 --bad 7.2"), RUN_EXIT_INTERRUPTED);
	assert_null(strstr(cli_out, "first bad"));
	PLAY({ "7.0", "f" }, { "7.1", "f" });
	assert_int_equal(cli_run("bisect t.c --good 7.0 --bad 7.1"), -EINVAL);
	PLAY({ "7.0", "f" });
	assert_int_equal(cli_run("bisect t.c --good 7.0 --bad 7.0"), -EINVAL);
	expect_in(cli_out, "1 candidate from 7.0 to 7.0\n");
}

static void programs_are_bisected_as_schedulers(void **state)
{
	(void)state;
	PLAY({ "v1", "p" }, { "v2", "f" });
	assert_int_equal(cli_run("bisect t.c --scheduler-list v1 --scheduler-list v2 --kernel 7.0"),
			 0);
	assert_string_equal(str_get(&listed), "v1 v2 ");
	assert_string_equal(kernel, "7.0");
	assert_string_equal(getenv("KTSTR_SCHEDULER"), "/made/v2");
	expect_in(cli_out, "first bad: v2 (last good: v1), after 2 steps\n"
			   "again: ktstr test on v2 --seed 1\n");
	/* A test that takes another would never fail. */
	own_scheduler = "/own";
	assert_int_equal(cli_run("bisect t.c --scheduler-list v1 --scheduler-list v2"), -EINVAL);
	assert_string_equal(err_text(-EINVAL),
			    "ktstr/race takes its scheduler from /own, not from KTSTR_SCHEDULER");
	has_no_scheduler = true;
	assert_int_equal(cli_run("bisect t.c --scheduler-list v1 --scheduler-list v2"), -EINVAL);
	assert_string_equal(err_text(-EINVAL),
			    "ktstr/race declares no scheduler: there is nothing to bisect");
}

/* Their hashes are shortened; what was built is gone afterwards. */
static void commits_are_bisected_by_their_builds(void **state)
{
	(void)state;
	PLAY({ "0123456789abcdef", "p", "first" },
	     { "1123456789abcdef", "p", "second", .make_rc = CANDIDATE_FAILS },
	     { "2123456789abcdef", "p", "third", .make_rc = CANDIDATE_LACKS_PROGRAM },
	     { "3123456789abcdef", "p", "fourth", .make_rc = -ENOSPC },
	     { "4123456789abcdef", "f", "fifth" });
	assert_int_equal(
		cli_run("bisect t.c --good a --bad b --build make --binary x --kernel 7.0"), 0);
	assert_string_equal(str_get(&listed), "a..b by make: x");
	expect_in(cli_out, "5 candidates from 0123456789abcdef to 4123456789abcdef\n"
			   "  0123456789ab (first)  good\n"
			   "  4123456789ab (fifth)  bad: seed 1: it \\x1bfailed\n");
	expect_in(cli_out, "  1123456789ab (second)  cannot be tested: it does not build\n");
	expect_in(cli_out,
		  "  2123456789ab (third)  cannot be tested: its build leaves no program\n");
	expect_in(cli_out, "  3123456789ab (fourth)  cannot be tested: no room\n");
	assert_null(strstr(cli_out, "again"));
}

static void lines_that_do_not_say_what_is_bisected_are_refused(void **state)
{
	static const struct {
		const char *words, *message;
	} rows[] = {
		{ "", "--good and --bad, or --scheduler-list, say what is bisected" },
		{ "--good 7.0", "--good and --bad, or --scheduler-list, say what is bisected" },
		{ "--scheduler-list a", "--scheduler-list has to be given for two programs" },
		{ "--good 7.0 --bad 7.1 --kernel 7.0",
		  "--kernel cannot be given when kernels are bisected" },
		{ "--good 7.0 --bad 7.1 --seed 18446744073709551615 -n 2", "error: " },
		{ "--scheduler-list a --scheduler-list b --kernel 7.0,7.1",
		  "--kernel is one kernel here, '7.0,7.1' may be several" },
		{ "--scheduler-list a --scheduler-list b --kernel 7.0..7.1",
		  "--kernel is one kernel here, '7.0..7.1' may be several" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_free_ char *line = str_fmt("bisect t.c %s", rows[i].words);

		assert_int_equal(cli_run(line), 2);
		expect_in(cli_err, rows[i].message);
	}
	assert_int_equal(begun, 0);
	setenv("KTSTR_SEED", "x", 1);
	assert_int_equal(cli_run("bisect t.c --good 7.0 --bad 7.1"), -EINVAL);
	unsetenv("KTSTR_SEED");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLAYED(kernels_are_bisected),
		PLAYED(one_seed_is_enough_to_be_bad),
		PLAYED(what_cannot_be_tested_is_passed_over),
		PLAYED(both_ends_have_to_be_tested),
		PLAYED(programs_are_bisected_as_schedulers),
		PLAYED(commits_are_bisected_by_their_builds),
		PLAYED(lines_that_do_not_say_what_is_bisected_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
