// SPDX-License-Identifier: GPL-2.0-only
/* What the options of a run make of the tests: which are run, with what, and what is asked for. */
#include "played_run.h"

#include <sys/stat.h>

#include "run/parts.h"

/* "name scheduler" of each test that was run, as its record has it. */
static void play_names(const struct task *t, struct outcome *o)
{
	const struct variant *v = t->job.variant;

	(void)o;
	str_addf(&played.jobs, "%s=%s ", v->test->name, v->sched ? v->sched->name : "-");
}

static void expect_schedulers(const char *expected)
{
	played.play = play_names;
	expect_run(RUN_EXIT_PASSED);
	expect_part(str_get(&played.jobs), expected);
}

static void a_scheduler_of_the_run_replaces_those_that_tests_declare(void **state)
{
	static const char *const args[] = { "--fast" };
	static const char *const declared[] = { "--slow" };

	(void)state;
	played.sched.binary_path = "/declared";
	played.sched.args = (struct probe_texts){ .items = (const char **)declared, .count = 1 };
	played.options.knobs.scheduler = "other";
	played.options.knobs.scheduler_args = args;
	played.options.knobs.scheduler_arg_count = 1;
	expect_schedulers("a=other b=other c=- ");
	expect_part(played.err,
		    "warning: 1 of 3 tests declares no scheduler and does not run under other\n");
	assert_string_equal(played.sched.binary, "other");
	assert_null(played.sched.binary_path);
	assert_int_equal(played.sched.args.count, 1);
	assert_string_equal(played.sched.args.items[0], "--fast");
}

static void scenario_files_declare_no_scheduler_and_get_that_of_the_run(void **state)
{
	(void)state;
	played.source = "/suite/mine.yaml";
	played.options.knobs.scheduler = "other";
	expect_schedulers("a=other b=other c=other ");
	assert_null(strstr(played.err, "declare"));
}

static void eevdf_replaces_the_scheduler_of_every_test(void **state)
{
	(void)state;
	expect_schedulers("a=mine b=mine c=- ");
	played.options.knobs.is_eevdf = true;
	expect_schedulers("a=- b=- c=- ");
	assert_string_equal(played.sched.binary, "scx_mine");
}

static void a_machine_of_the_run_replaces_all_but_those_of_the_gauntlet(void **state)
{
	static const char *const wanted[] = { "/a" };
	struct sidecar s;

	(void)state;
	played.tests[0].constraints = (struct ktstr_constraints){};
	played.options.knobs.topology = (struct vm_topology){ 1, 1, 7, 1 };
	played.options.choice.substrings = wanted;
	played.options.choice.substring_count = 1;
	played.options.choice.ignored = RUN_IGNORED_ALL;
	expect_run(RUN_EXIT_PASSED);
	expect_part(str_get(&played.ran), "ktstr/a:1:5 ");
	expect_part(str_get(&played.ran), "gauntlet/a/");
	played.options.choice.ignored = RUN_IGNORED_DEFAULT;
	unsetenv("KTSTR_RUN_EPOCH");
	setenv("KTSTR_RUNS_ROOT", "plain", 1);
	expect_run(RUN_EXIT_PASSED);
	assert_string_equal(str_get(&played.ran), "ktstr/a:1:5 ");
	assert_true(read_record("plain/7.0.1-1a2b3c4", "a", &s));
	assert_string_equal(s.topology, "1n1l7c1t");
	sidecar_finish(&s);
}

/* ---- schedulers that are looked for ---- */

static void a_scheduler_that_is_not_found_is_the_problem_of_its_tests(void **state)
{
	(void)state;
	played.scheduler = NULL;
	expect_run(RUN_EXIT_PASSED);
	assert_string_equal(str_get(&played.jobs), "ktstr/a - -;ktstr/b - -;ktstr/c - -;");
}

static void play_problem(const struct task *t, struct outcome *o)
{
	(void)o;
	str_addf(&played.jobs, "%s|", t->job.problem ? t->job.problem : "-");
}

static void problems_are_handed_to_the_worker(void **state)
{
	(void)state;
	played.scheduler = NULL;
	played.play = play_problem;
	expect_run(RUN_EXIT_PASSED);
	expect_part(str_get(&played.jobs),
		    ";scheduler 'scx_mine' not found|scheduler 'scx_mine' not found|-|");
	played.scheduler = "/bin/true";
	expect_run(RUN_EXIT_PASSED);
	expect_part(str_get(&played.jobs), ";-|-|-|");
}

/* Each program once, by its content, and none for tests without one. */
static void the_directory_tells_the_programs_of_schedulers(void **state)
{
	_free_ char *lines = NULL, *path = realpath("/bin/true", NULL), *expected = NULL;
	char hash[SHA256_HEX_SIZE];

	(void)state;
	expect_run(RUN_EXIT_PASSED);
	assert_int_equal(file_hash(path, hash), 0);
	expected = str_fmt("%s %s\n", hash, path);
	lines = file_text("runs/7.0.1-1a2b3c4/.schedulers");
	assert_string_equal(lines, expected);
	/* Absolute, whatever links there are on the way. */
	free(expected);
	expected = str_fmt("ktstr/a %s -;ktstr/b %s -;ktstr/c - -;", path, path);
	assert_string_equal(str_get(&played.jobs), expected);
}

/* ---- what a job is given ---- */

static struct job seen_job;

static void play_last_job(const struct task *t, struct outcome *o)
{
	(void)o;
	seen_job = t->job;
}

static void the_seed_of_a_test_counts_more_than_that_of_the_run(void **state)
{
	(void)state;
	played.tests[1].seed = 77;
	expect_run(RUN_EXIT_PASSED);
	assert_string_equal(str_get(&played.ran), "ktstr/a:1:5 ktstr/b:1:77 ktstr/c:1:5 ");
}

static void failures_are_explained_unless_the_environment_says_no(void **state)
{
	(void)state;
	played.play = play_last_job;
	expect_run(RUN_EXIT_PASSED);
	assert_false(seen_job.explains);
	played.options.explains = true;
	expect_run(RUN_EXIT_PASSED);
	assert_true(seen_job.explains);
	setenv("KTSTR_NO_AUTO_REPRO", "1", 1);
	expect_run(RUN_EXIT_PASSED);
	assert_false(seen_job.explains);
}

static void profiles_decide_when_a_test_is_slow(void **state)
{
	static const struct {
		const char *name;
		unsigned int slow_s, periods;
		bool is_fail_fast, shows_failures_last;
	} rows[] = {
		{ "default", 60, 2, true, false },
		{ "ci", 90, 3, false, true },
		{ "quick", 10, 2, true, false },
	};
	const char *const *names = run_profile_names();

	(void)state;
	assert_null(run_profile_by_name("none"));
	assert_null(names[ARRAY_SIZE(rows)]);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct run_profile *p = run_profile_by_name(rows[i].name);

		assert_string_equal(names[i], rows[i].name);
		assert_int_equal(p->slow_s, rows[i].slow_s);
		assert_int_equal(p->slow_periods, rows[i].periods);
		assert_int_equal(p->is_fail_fast, rows[i].is_fail_fast);
		assert_int_equal(p->shows_failures_last, rows[i].shows_failures_last);
	}
}

/* The world of a run is gone afterwards. */
static void play_world(const struct task *t, struct outcome *o)
{
	(void)o;
	str_addf(&played.jobs, "%llus*%u ",
		 (unsigned long long)(t->job.world->slow_ns / NSEC_PER_SEC),
		 t->job.world->slow_periods);
}

static void workers_know_when_a_test_is_slow(void **state)
{
	(void)state;
	played.play = play_world;
	played.options.profile = run_profile_by_name("ci");
	expect_run(RUN_EXIT_PASSED);
	expect_part(str_get(&played.jobs), ";90s*3 90s*3 90s*3 ");
}

/* ---- traces and cores ---- */

static void each_test_has_a_file_for_its_trace(void **state)
{
	struct stat st;

	(void)state;
	played.tests[1].host_only = true;
	played.options.trace_dir = "deep/traces";
	played.scheduler = NULL;
	expect_run(RUN_EXIT_PASSED);
	assert_string_equal(str_get(&played.jobs),
			    "ktstr/a - deep/traces/ktstr-a.perfetto;ktstr/b - -;"
			    "ktstr/c - deep/traces/ktstr-c.perfetto;");
	assert_int_equal(stat("deep/traces", &st), 0);
}

static void play_core(const struct task *t, struct outcome *o)
{
	(void)o;
	str_addf(&played.jobs, "%s ", t->job.core ? t->job.core : "-");
	if (t->job.core)
		unit_write(".", t->job.core, "left over");
}

static void cores_have_a_place_until_their_test_is_recorded(void **state)
{
	_free_ char *left = NULL;

	(void)state;
	played.play = play_core;
	expect_run(RUN_EXIT_PASSED);
	expect_part(str_get(&played.jobs), ";- - - ");
	setenv("KTSTR_RUNS_ROOT", "runs",
	       1); /* the run made it absolute, for programs of its own */
	played.options.takes_cores = true;
	expect_run(RUN_EXIT_PASSED);
	expect_part(str_get(&played.jobs), ";runs/7.0.1-1a2b3c4/.core-0 runs/7.0.1-1a2b3c4/.core-1 "
					   "runs/7.0.1-1a2b3c4/.core-2 ");
	left = file_text("runs/7.0.1-1a2b3c4/.core-1");
	assert_string_equal(left, "");
}

/* ---- lists ---- */

static void a_list_runs_nothing_and_needs_no_kernel(void **state)
{
	static const char *const kernels[] = { "7.0" };

	(void)state;
	played.options.list = RUN_LIST_NAMES;
	expect_run(RUN_EXIT_PASSED);
	assert_string_equal(played.out, "ktstr/a: test\nktstr/b: test\n"
					"ktstr/c: test\n");
	assert_int_equal(played.kernel_requests, 0);
	assert_string_equal(str_get(&played.ran), "");
	played.options.kernels = kernels;
	played.options.kernel_count = 1;
	expect_run(RUN_EXIT_PASSED);
	assert_int_equal(played.kernel_requests, 1);
	assert_true(played.only_labels);
	assert_int_equal(played.vm_requests, 0);
}

static void nothing_to_run_is_told_and_is_no_pass(void **state)
{
	static const char *const wanted[] = { "zzz" };

	(void)state;
	played.options.choice.substrings = wanted;
	played.options.choice.substring_count = 1;
	expect_run(RUN_EXIT_NOTHING);
	expect_part(played.err, "ktstr: none of 3 tests was selected\n");
	played.options.list = RUN_LIST_NAMES;
	expect_run(RUN_EXIT_NOTHING);
	played.options.list = RUN_LIST_NO;
	/* Other formats say so themselves. */
	played.options.format = &run_report_ktap;
	expect_run(RUN_EXIT_NOTHING);
	assert_true(str_starts(played.out, "KTAP version 1\n1..0\n"));
	assert_int_not_equal(access("runs", F_OK), 0);
	played.test_count = 0;
	played.options.format = &run_report_human;
	expect_run(RUN_EXIT_NOTHING);
	expect_part(played.err, "ktstr: no test was found in tests or build of this project;");
}

static void parts_of_a_run_are_told(void **state)
{
	(void)state;
	played.options.choice.shard = (struct shard){ .index = 1, .count = 3, .source = "--part" };
	expect_run(RUN_EXIT_PASSED);
	expect_part(played.err, "ktstr: part 2 of 3 (--part)\n");
	assert_int_equal(strlen(str_get(&played.ran)), strlen("ktstr/a:1:5 "));
}

static void expect_ran(const char *expected)
{
	expect_run(RUN_EXIT_PASSED);
	assert_string_equal(str_get(&played.ran), expected);
}

static void tests_are_chosen_by_what_they_are(void **state)
{
	struct variants_choice *c = &played.options.choice;

	(void)state;
	played.tests[1].ignore = true;
	played.tests[2].performance_mode = true;
	expect_ran("ktstr/a:1:5 ktstr/c:1:5 ");
	c->ignored = RUN_IGNORED_ONLY;
	expect_ran("ktstr/b:1:5 ");
	c->ignored = RUN_IGNORED_ALL;
	expect_ran("ktstr/a:1:5 ktstr/b:1:5 ktstr/c:1:5 ");
	c->is_performance_only = true;
	expect_ran("ktstr/c:1:5 ");
	/* Demonstrations are run by name only. */
	c->is_performance_only = false;
	c->ignored = RUN_IGNORED_DEFAULT;
	played.tests[0].name = "demo_a";
	expect_ran("ktstr/c:1:5 ");
}

/* Each test is in one of the parts, and none in two. */
static void parts_share_the_tests(void **state)
{
	size_t ran = 0;

	(void)state;
	played.program_count = 2;
	for (unsigned int i = 0; i < 4; i++) {
		played.options.choice.shard =
			(struct shard){ .index = i, .count = 4, .source = "--part" };
		expect_run(RUN_EXIT_PASSED);
		for (const char *p = str_get(&played.ran); *p; p++)
			ran += *p == ' ';
		assert_true(strlen(str_get(&played.ran)) <= 2 * strlen("ktstr/a:1:5 "));
	}
	assert_int_equal(ran, 6);
}

static void a_budget_of_time_takes_as_many_as_fit(void **state)
{
	(void)state;
	for (size_t i = 0; i < PLAYED_TESTS; i++)
		played.tests[i].duration_ms = 10000;
	played.options.choice.budget_s = 1000;
	expect_run(RUN_EXIT_PASSED);
	expect_part(played.err, "ktstr budget: 3/3 tests, ");
	assert_null(strstr(played.out, "not selected"));
	played.options.choice.budget_s = 25;
	expect_run(RUN_EXIT_PASSED);
	expect_part(played.err, "ktstr budget: 1/3 tests, ");
	expect_part(played.out, "1 test run: 1 passed, 2 not selected\n");
}

static void tests_of_one_name_are_told_apart_by_their_program(void **state)
{
	(void)state;
	played.program_count = 2;
	played.test_count = 1;
	played.options.trace_dir = "traces";
	played.options.list = RUN_LIST_NAMES;
	expect_run(RUN_EXIT_PASSED);
	assert_string_equal(played.out, "suite::mine ktstr/a: test\nsuite::mine1 ktstr/a: test\n");
	played.options.list = RUN_LIST_NO;
	played.scheduler = NULL;
	played.options.knobs.scheduler = "other";
	expect_run(RUN_EXIT_PASSED);
	assert_string_equal(str_get(&played.jobs), "ktstr/a - traces/mine-ktstr-a.perfetto;"
						   "ktstr/a - traces/mine1-ktstr-a.perfetto;");
	expect_part(played.out, "2 tests run: 2 passed");
	/* Both have the scheduler of the run. */
	assert_string_equal(played.tests[0].scheduler, "other");
}

/* ---- tests that need no VM ---- */

static void tests_of_the_host_need_neither_kernel_nor_vm(void **state)
{
	struct sidecar s;

	(void)state;
	for (size_t i = 0; i < PLAYED_TESTS; i++)
		played.tests[i].host_only = true;
	expect_run(RUN_EXIT_PASSED);
	assert_int_equal(played.kernel_requests, 0);
	assert_int_equal(played.vm_requests, 0);
	assert_true(read_record("runs/unknown-1a2b3c4", "a", &s));
	assert_null(s.accel);
	assert_null(s.kernel_version);
	assert_false(s.has_seed);
	sidecar_finish(&s);
	played.tests[2].host_only = false;
	expect_run(RUN_EXIT_PASSED);
	assert_int_equal(played.kernel_requests, 1);
	assert_int_equal(played.vm_requests, 1);
}

/* ---- coverage ---- */

static void coverage_of_a_program_that_counts_nothing_is_an_error(void **state)
{
	(void)state;
	played.options.is_coverage = true;
	expect_run(-EINVAL);
	expect_part(err_text(-EINVAL), "/suite/mine is not instrumented for coverage: ");
	assert_true(played.discovery.how.is_instrumented);
	assert_false(played.discovery.how.is_release);
	played.options.is_coverage = false;
	played.options.knobs.is_release = true;
	expect_run(RUN_EXIT_PASSED);
	assert_false(played.discovery.how.is_instrumented);
	assert_true(played.discovery.how.is_release);
}

static void play_profiles(const struct task *t, struct outcome *o)
{
	str_addf(&played.jobs, "%s ", t->job.profile_dir ? t->job.profile_dir : "-");
	o->facts.profile_count = *t->job.variant->test->name == 'b';
}

static void tests_that_leave_no_profile_are_told(void **state)
{
	_free_ char *objects = NULL;

	(void)state;
	setenv("LLVM_COV_TARGET_DIR", played.dir, 1);
	played.play = play_profiles;
	expect_run(RUN_EXIT_PASSED);
	expect_part(str_get(&played.jobs), ";- - - ");
	assert_null(strstr(played.err, "profile"));
	played.is_instrumented = true;
	expect_run(RUN_EXIT_PASSED);
	assert_null(strstr(str_get(&played.jobs), ";-"));
	expect_part(played.err, "warning: 2 tests left no profile: their programs did not come to "
				"their end\n");
	objects = file_text("objects");
	assert_string_equal(objects, "/suite/mine\n");
	played.test_count = 1;
	expect_run(RUN_EXIT_PASSED);
	expect_part(played.err,
		    "warning: 1 test left no profile: its program did not come to its end\n");
	played.tests[0].host_only = true;
	expect_run(RUN_EXIT_PASSED);
	assert_null(strstr(played.err, "left no profile"));
	unsetenv("LLVM_COV_TARGET_DIR");
}

static void coverage_of_bpf_needs_sim_and_a_scheduler(void **state)
{
	(void)state;
	played.options.bpf_dir = "bpf";
	played.play = play_last_job;
	expect_run(RUN_EXIT_PASSED);
	assert_null(seen_job.bpf_dir); /* c has no scheduler */
	played.test_count = 2;
	expect_run(RUN_EXIT_PASSED);
	assert_string_equal(seen_job.bpf_dir, "bpf");
	played.accel = VM_ACCEL_KVM;
	expect_run(-EINVAL);
	expect_part(err_text(-EINVAL), "needs sim, and ktstr/a runs in kvm");
	played.accel = VM_ACCEL_SIM;
	played.options.knobs.is_eevdf = true;
	expect_run(-EINVAL);
	expect_part(err_text(-EINVAL), "none of these tests has a scheduler");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLAYED(a_scheduler_of_the_run_replaces_those_that_tests_declare),
		PLAYED(scenario_files_declare_no_scheduler_and_get_that_of_the_run),
		PLAYED(eevdf_replaces_the_scheduler_of_every_test),
		PLAYED(a_machine_of_the_run_replaces_all_but_those_of_the_gauntlet),
		PLAYED(a_scheduler_that_is_not_found_is_the_problem_of_its_tests),
		PLAYED(problems_are_handed_to_the_worker),
		PLAYED(the_directory_tells_the_programs_of_schedulers),
		PLAYED(the_seed_of_a_test_counts_more_than_that_of_the_run),
		PLAYED(failures_are_explained_unless_the_environment_says_no),
		PLAYED(profiles_decide_when_a_test_is_slow),
		PLAYED(workers_know_when_a_test_is_slow),
		PLAYED(each_test_has_a_file_for_its_trace),
		PLAYED(cores_have_a_place_until_their_test_is_recorded),
		PLAYED(a_list_runs_nothing_and_needs_no_kernel),
		PLAYED(nothing_to_run_is_told_and_is_no_pass),
		PLAYED(parts_of_a_run_are_told),
		PLAYED(tests_are_chosen_by_what_they_are),
		PLAYED(parts_share_the_tests),
		PLAYED(a_budget_of_time_takes_as_many_as_fit),
		PLAYED(tests_of_one_name_are_told_apart_by_their_program),
		PLAYED(tests_of_the_host_need_neither_kernel_nor_vm),
		PLAYED(coverage_of_a_program_that_counts_nothing_is_an_error),
		PLAYED(tests_that_leave_no_profile_are_told),
		PLAYED(coverage_of_bpf_needs_sim_and_a_scheduler),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
