// SPDX-License-Identifier: GPL-2.0-only
/* A lab: which test is meant, and what is left of its runs; campaign and runs are played. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "explore/lab.h"

static struct probe_test tests[10];
static struct variant variants[10];
static size_t chosen, found;
static struct task tasks[10];
static struct filter *filter_of_choice;
static struct execute_limits last_limits;
static struct judgement played;
static struct outcome ended;
static size_t runs;
static int execute_rc;
static const char *said[3]; /* by the first runs, and so on */
static bool is_interrupted;
static bool ends_late;	      /* all runs end, even after a stop */
static const char *failed[2]; /* checks of every run */

int __wrap_campaign_select(struct campaign *c);
int __wrap_campaign_equip(struct campaign *c);
void __wrap_campaign_finish(struct campaign *c);
int __wrap_execute_tasks(struct task *t, size_t count, const struct execute_limits *limits,
			 const struct execute_callbacks *callbacks);
void __wrap_execute_limits_read(const struct cpulist *allowed, size_t cap, size_t jobs,
				struct execute_limits *out);
int __wrap_judge(const struct variant *v, struct outcome *o, const struct judge_options *options,
		 struct judgement *out);
int __wrap_interrupt_check(void);

int __wrap_interrupt_check(void)
{
	return is_interrupted ? -EINTR : 0;
}

/* What was run last. */
static struct job last_job;
static struct variant last_variant;

int __wrap_campaign_select(struct campaign *c)
{
	filter_of_choice = c->options->choice.filter;
	c->variants.items.count = found;
	for (size_t i = 0; i < chosen; i++)
		assert_int_equal(vec_push(&c->chosen.items, (const struct variant *)&variants[i]),
				 0);
	return 0;
}

int __wrap_campaign_equip(struct campaign *c)
{
	c->tasks = tasks;
	return 0;
}

void __wrap_campaign_finish(struct campaign *c)
{
	free(c->chosen.items.items);
}

int __wrap_execute_tasks(struct task *t, size_t count, const struct execute_limits *limits,
			 const struct execute_callbacks *callbacks)
{
	last_limits = *limits;
	for (size_t i = 0; i < count; i++) {
		struct outcome o = ended;

		last_job = t[i].job;
		last_variant = *t[i].job.variant;

		runs++;
		if (ended.message.len) {
			o.message = (struct str){};
			str_add(&o.message, str_get(&ended.message));
		}
		str_add(&o.notes, said[i % ARRAY_SIZE(said)]);
		callbacks->tick(callbacks->ctx, NULL, 0);
		if (callbacks->ended(callbacks->ctx, &t[i], &o) == TASK_STOP && !ends_late) {
			outcome_finish(&o);
			break;
		}
		outcome_finish(&o);
	}
	return execute_rc;
}

void __wrap_execute_limits_read(const struct cpulist *allowed, size_t cap, size_t jobs,
				struct execute_limits *out)
{
	(void)allowed;
	*out = (struct execute_limits){ .jobs = jobs, .cpus = cap ? cap : 2 };
}

int __wrap_judge(const struct variant *v, struct outcome *o, const struct judge_options *options,
		 struct judgement *out)
{
	(void)v;
	(void)o;
	(void)options;
	*out = played;
	out->text = (struct str){};
	str_add(&out->text, str_get(&played.text));
	if (played.has_result)
		result_init(&out->result);
	for (size_t i = 0; i < ARRAY_SIZE(failed) && failed[i]; i++)
		result_add(&out->result, DETAIL_STUCK, KTSTR_FAILED, "%s", failed[i]);
	if (played.has_result) {
		struct cgroup_stats stats;

		cgroup_stats_init(&stats);
		stats.name = strdup("a");
		stats.workers = 3;
		assert_int_equal(vec_push(&out->result.cgroups, stats), 0);
		for (size_t i = 0; i < 2; i++)
			assert_int_equal(vec_push(&out->result.phases, (struct phase_stats){}), 0);
	}
	return 0;
}

static int start(void **state)
{
	(void)state;
	memset(tests, 0, sizeof(tests));
	memset(tasks, 0, sizeof(tasks));
	for (size_t i = 0; i < ARRAY_SIZE(variants); i++) {
		static char names[ARRAY_SIZE(variants)][8];

		snprintf(names[i], sizeof(names[i]), "t%zu", i);
		tests[i].name = names[i];
		variants[i] = (struct variant){ .test = &tests[i],
						.name = names[i],
						.topology = { 1, 1, 4, 1 } };
		tasks[i].job.variant = &variants[i];
	}
	chosen = 1;
	found = 7;
	played = (struct judgement){ .status = TEST_PASSED };
	ended = (struct outcome){ .facts = { .end = OUTCOME_EXITED,
					     .guest_ns = 5,
					     .sched_events = 6,
					     .sched_tasks = 7,
					     .digest = "abc" } };
	runs = 0;
	execute_rc = 0;
	said[0] = said[1] = said[2] = "";
	is_interrupted = ends_late = false;
	failed[0] = failed[1] = NULL;
	return 0;
}

static int stop(void **state)
{
	(void)state;
	str_finish(&played.text);
	str_finish(&ended.message);
	return 0;
}

#define IN_LAB(f) cmocka_unit_test_setup_teardown(f, start, stop)

static int open_lab(struct lab *l, const char *const *words, size_t count)
{
	return lab_open(l, &(struct lab_request){ .label = "ktstr",
						  .words = words,
						  .word_count = count,
						  .kernel = "7.0",
						  .jobs = 3,
						  .knobs = RUN_KNOBS_DEFAULT });
}

static void words_are_files_and_one_name(void **state)
{
	const char *const words[] = { "/bin/sh", "race", "/bin/true", "race" };
	const char *const two[] = { "race", "other" }, *const gone[] = { "gone.c" };
	struct lab l;

	(void)state;
	assert_int_equal(open_lab(&l, words, 4), 0);
	assert_int_equal(l.options.path_count, 2);
	assert_string_equal(l.options.paths[1], "/bin/true");
	assert_int_equal(l.options.choice.ignored, RUN_IGNORED_ALL);
	assert_ptr_equal(filter_of_choice, &l.filter);
	assert_int_equal(l.options.kernel_count, 1);
	assert_string_equal(l.options.kernels[0], "7.0");
	assert_string_equal(l.options.accel, "sim");
	assert_int_equal(l.options.seed, 1);
	assert_string_equal(l.options.scheduler_profile, "release");
	assert_ptr_equal(lab_variant(&l), &variants[0]);
	lab_finish(&l);
	lab_finish(&l);
	assert_int_equal(open_lab(&l, two, 2), -ENOENT);
	assert_string_equal(err_text(-ENOENT), "there is no file other");
	lab_finish(&l);
	assert_int_equal(open_lab(&l, gone, 1), -ENOENT);
	lab_finish(&l);
	/* Without a name nothing is chosen by it. */
	assert_int_equal(open_lab(&l, words, 1), 0);
	assert_int_not_equal(l.options.choice.ignored, RUN_IGNORED_ALL);
	lab_finish(&l);
}

static void expect_refused(const char *const *words, size_t count, const char *why)
{
	struct lab l;
	int rc = open_lab(&l, words, count);

	assert_true(rc < 0);
	assert_string_equal(err_text(rc), why);
	lab_finish(&l);
}

static void one_test_that_runs_in_sim_is_needed(void **state)
{
	const char *const name[] = { "race" };

	(void)state;
	chosen = 8;
	expect_refused(name, 1,
		       "one test has to be named; these are 8: t0, t1, t2, t3, t4, t5, t6, t7");
	chosen = 9;
	expect_refused(
		name, 1,
		"one test has to be named; these are 9: t0, t1, t2, t3, t4, t5, t6, t7, ...");
	chosen = 0;
	expect_refused(name, 1, "there is no test 'race' among the 7 that were found");
	expect_refused(NULL, 0, "no test was found; name a test, a program or a C file");
	chosen = 1;
	tests[0].accel = (char *)"kvm";
	expect_refused(name, 1, "t0 asks for kvm: only runs in sim can be repeated");
	tests[0].accel = (char *)"sim";
	tests[0].host_only = true;
	expect_refused(name, 1, "t0 runs on the host: only runs in sim can be repeated");
	tests[0].host_only = false;
	tasks[0].job.problem = "no scheduler";
	expect_refused(name, 1, "no scheduler");
}

static size_t ticks, stops_after, told;

static bool on_ended(void *ctx, struct trial *t, const struct judgement *j, int *rc)
{
	(void)t;
	(void)j;
	(void)rc;
	assert_ptr_equal(ctx, &ticks);
	told++;
	return runs != stops_after;
}

static void on_tick(void *ctx)
{
	assert_ptr_equal(ctx, &ticks);
	ticks++;
}

static const struct lab_watch watch = { .ended = on_ended, .tick = on_tick, .ctx = &ticks };

static void runs_leave_what_is_known_of_them(void **state)
{
	struct run_knobs knobs = RUN_KNOBS_DEFAULT;
	struct trial trials[3];
	struct lab l;

	(void)state;
	assert_int_equal(open_lab(&l, NULL, 0), 0);
	l.campaign.world.cap.cpus = 9;
	for (size_t i = 0; i < 3; i++)
		trials[i] = (struct trial){ .seed = 10 + i, .knobs = &knobs };
	ticks = 0;
	stops_after = 2;
	assert_int_equal(lab_run(&l, trials, 3, &watch), 0);
	assert_int_equal(runs, 2);
	assert_int_equal(ticks, 2);
	assert_int_equal(last_limits.jobs, 3);
	assert_int_equal(last_limits.cpus, 9);
	assert_true(trials[0].is_done && trials[1].is_done && !trials[2].is_done);
	assert_int_equal(trials[0].status, TEST_PASSED);
	assert_int_equal(trials[0].guest_ns, 5);
	assert_int_equal(trials[0].sched_events, 6);
	assert_int_equal(trials[0].sched_tasks, 7);
	assert_string_equal(trials[0].digest, "abc");
	assert_null(trials[0].signature);
	assert_null(trials[0].text);
	lab_finish(&l);
}

/* Each run is the lab's, but for what its trial asks for. */
static void trials_ask_for_their_runs(void **state)
{
	static const struct probe_test longer = { .name = "longer" };
	struct run_knobs knobs = RUN_KNOBS_DEFAULT;
	struct trial t = { .seed = 77, .knobs = &knobs };
	struct vm_topology of_lab;
	struct lab l;

	(void)state;
	assert_int_equal(open_lab(&l, NULL, 0), 0);
	of_lab = lab_variant(&l)->topology;
	stops_after = 0;
	assert_int_equal(lab_run(&l, &t, 1, &(struct lab_watch){}), 0);
	assert_int_equal(last_job.seed, 77);
	assert_ptr_equal(last_job.knobs, &knobs);
	assert_null(last_job.trace);
	assert_null(last_job.input);
	assert_null(last_job.bpf_dir);
	assert_false(last_job.counts_kernel || last_job.explains);
	assert_ptr_equal(last_variant.test, lab_variant(&l)->test);
	assert_memory_equal(&last_variant.topology, &of_lab, sizeof(of_lab));
	knobs.topology = (struct vm_topology){ 1, 2, 3, 1 };
	t = (struct trial){ .seed = 78,
			    .knobs = &knobs,
			    .trace = "t.svg",
			    .input = "input.yaml",
			    .bpf_dir = "bpf",
			    .counts_kernel = true,
			    .explains = true,
			    .test = &longer };
	assert_int_equal(lab_run(&l, &t, 1, &(struct lab_watch){}), 0);
	assert_int_equal(last_job.seed, 78);
	assert_string_equal(last_job.trace, "t.svg");
	assert_string_equal(last_job.input, "input.yaml");
	assert_string_equal(last_job.bpf_dir, "bpf");
	assert_true(last_job.counts_kernel && last_job.explains);
	assert_ptr_equal(last_variant.test, &longer);
	assert_int_equal(last_variant.topology.cores, 3);
	assert_memory_equal(&lab_variant(&l)->topology, &of_lab, sizeof(of_lab));
	lab_finish(&l);
}

static struct trial run_one(int expected_rc)
{
	static struct run_knobs knobs = RUN_KNOBS_DEFAULT;
	struct trial t = { .seed = 1, .knobs = &knobs };
	struct lab l;

	assert_int_equal(open_lab(&l, NULL, 0), 0);
	assert_int_equal(
		lab_run(&l, &t, 1,
			&(struct lab_watch){ .ended = on_ended, .tick = on_tick, .ctx = &ticks }),
		expected_rc);
	lab_finish(&l);
	return t;
}

static void a_failure_has_a_signature_and_its_text(void **state)
{
	struct trial *t = calloc(1, sizeof(*t));

	(void)state;
	told = 0;
	played.status = TEST_FAILED;
	str_add(&played.text, "worker 17 got stuck\nand more\n");
	*t = run_one(0);
	assert_true(trial_has_failed(t));
	assert_string_equal(t->signature, "worker # got stuck");
	assert_string_equal(t->text, "worker 17 got stuck\nand more\n");
	assert_null(t->unstarted);
	trials_finish(t, 1);
	/* A scheduler that could not be executed. */
	played.has_sched_report = true;
	played.sched_report =
		(struct sched_report){ .end = "not_started", .message = "no such file" };
	t = calloc(1, sizeof(*t));
	*t = run_one(0);
	assert_string_equal(t->unstarted, "no such file");
	trials_finish(t, 1);
	played.sched_report.message = NULL;
	t = calloc(1, sizeof(*t));
	*t = run_one(0);
	assert_string_equal(t->unstarted, "not_started");
	trials_finish(t, 1);
	played.sched_report = (struct sched_report){ .end = "died", .exit_code = 1 };
	t = calloc(1, sizeof(*t));
	*t = run_one(0);
	assert_null(t->unstarted);
	assert_int_equal(told, 4);
	trials_finish(t, 1);
}

/* Hundreds of runs may say the same. */
static void what_workers_say_is_told_once(void **state)
{
	int real = dup(STDERR_FILENO), to = memfd_create("stderr", MFD_CLOEXEC);
	struct run_knobs knobs = RUN_KNOBS_DEFAULT;
	struct trial trials[3];
	char text[256] = "";
	struct lab l;

	(void)state;
	said[0] = "one\ntwo\n";
	said[1] = "two\n\none\n";
	said[2] = "on\none\n\nthree\n";
	for (size_t i = 0; i < 3; i++)
		trials[i] = (struct trial){ .seed = i, .knobs = &knobs };
	assert_int_equal(open_lab(&l, NULL, 0), 0);
	dup2(to, STDERR_FILENO);
	stops_after = 0;
	assert_int_equal(lab_run(&l, trials, 3, &(struct lab_watch){}), 0);
	dup2(real, STDERR_FILENO);
	close(real);
	assert_true(pread(to, text, sizeof(text) - 1, 0) > 0);
	close(to);
	assert_string_equal(text, "one\ntwo\non\nthree\n");
	lab_finish(&l);
}

static bool fail_in_watch(void *ctx, struct trial *t, const struct judgement *j, int *rc)
{
	(void)ctx;
	(void)t;
	(void)j;
	*rc = err_set(EIO, "cannot keep it");
	return true;
}

static void a_watch_that_fails_ends_the_runs(void **state)
{
	struct run_knobs knobs = RUN_KNOBS_DEFAULT;
	struct trial trials[2] = { { .knobs = &knobs }, { .knobs = &knobs } };
	struct lab l;

	(void)state;
	assert_int_equal(open_lab(&l, NULL, 0), 0);
	assert_int_equal(lab_run(&l, trials, 2, &(struct lab_watch){ .ended = fail_in_watch }),
			 -EIO);
	assert_string_equal(err_text(-EIO), "cannot keep it");
	assert_int_equal(runs, 1);
	lab_finish(&l);
	/* Of a lab that was not opened nothing is left. */
	l = (struct lab){};
	lab_finish(&l);
}

static void a_run_that_could_not_be_made_is_an_error(void **state)
{
	static const enum outcome_end lost[] = { OUTCOME_NOT_RUN, OUTCOME_LOST };

	(void)state;
	str_add(&ended.message, "no QEMU");
	for (size_t i = 0; i < ARRAY_SIZE(lost); i++) {
		ended.facts.end = lost[i];
		assert_false(run_one(-EIO).is_done);
		assert_string_equal(err_text(-EIO), "no QEMU");
	}
	ended.facts.end = OUTCOME_INTERRUPTED;
	execute_rc = -EINTR;
	assert_false(run_one(-EINTR).is_done);
}

/* What failed names the failure, whatever the text begins with. */
static void a_result_that_failed_is_the_signature(void **state)
{
	struct trial *t = calloc(1, sizeof(*t));

	(void)state;
	played.status = TEST_FAILED;
	played.has_result = true;
	failed[0] = "worker 1 stuck";
	failed[1] = "a task is late";
	str_add(&played.text, "a headline\n");
	*t = run_one(0);
	assert_string_equal(t->signature, "Stuck: a task is late; Stuck: worker # stuck");
	assert_string_equal(t->cause, "Stuck: worker # stuck");
	assert_string_equal(t->text, "a headline\n");
	assert_int_equal(t->workers, 3);
	assert_int_equal(t->steps, 2);
	trials_finish(t, 1);
	/* Without a failed check it is the first line. */
	t = calloc(1, sizeof(*t));
	failed[0] = NULL;
	played.has_result = false;
	*t = run_one(0);
	assert_string_equal(t->signature, "a headline");
	assert_string_equal(t->cause, "a headline");
	assert_int_equal(t->workers, 0);
	assert_int_equal(t->steps, 0);
	trials_finish(t, 1);
}

static void a_reason_is_kept_of_what_did_not_fail(void **state)
{
	struct trial *t = calloc(1, sizeof(*t));

	(void)state;
	played.status = TEST_SKIPPED;
	str_add(&played.text, "no such machine\n");
	*t = run_one(0);
	assert_false(trial_has_failed(t));
	assert_string_equal(t->text, "no such machine\n");
	assert_null(t->signature);
	trials_finish(t, 1);
}

static void an_interrupt_ends_the_runs(void **state)
{
	struct trial t;

	(void)state;
	is_interrupted = true;
	told = 0;
	t = run_one(0);
	assert_false(t.is_done);
	assert_int_equal(told, 0);
}

static int next_error;

static bool fail_in_turn(void *ctx, struct trial *t, const struct judgement *j, int *rc)
{
	(void)ctx;
	(void)t;
	(void)j;
	*rc = next_error++;
	return true;
}

static void the_first_error_of_several_is_returned(void **state)
{
	struct run_knobs knobs = RUN_KNOBS_DEFAULT;
	struct trial trials[3] = { { .knobs = &knobs }, { .knobs = &knobs }, { .knobs = &knobs } };
	struct lab l;

	(void)state;
	ends_late = true;
	next_error = -ENOSPC;
	assert_int_equal(open_lab(&l, NULL, 0), 0);
	assert_int_equal(lab_run(&l, trials, 3, &(struct lab_watch){ .ended = fail_in_turn }),
			 -ENOSPC);
	assert_int_equal(runs, 3);
	lab_finish(&l);
}

static void options_of_a_lab_are_those_of_its_request(void **state)
{
	const char *const words[] = { "/bin/sh" };
	struct lab_request r = { .label = "cargo ktstr",
				 .words = words,
				 .word_count = 1,
				 .include_eol = true,
				 .no_perf_mode = true,
				 .is_quiet = true,
				 .scheduler_profile = "dev",
				 .scheduler = "/x/mine",
				 .knobs = RUN_KNOBS_DEFAULT };
	struct lab l;

	(void)state;
	r.knobs.is_verbose = true;
	assert_int_equal(lab_open(&l, &r), 0);
	assert_int_equal(l.options.kernel_count, 0);
	assert_string_equal(l.options.label, "cargo ktstr");
	assert_true(l.options.include_eol && l.options.no_perf_mode);
	assert_true(l.options.is_quiet && l.options.is_verbose);
	assert_string_equal(l.options.scheduler_profile, "dev");
	assert_string_equal(l.options.scheduler, "/x/mine");
	assert_string_equal(l.options.profile->name, "default");
	assert_ptr_equal(l.options.format, &run_report_human);
	assert_int_equal(l.options.path_count, 1);
	assert_ptr_equal(l.campaign.options, &l.options);
	lab_finish(&l);
	assert_null(l.paths);
}

/* ---- commands ---- */

static void expect_command(const struct lab *l, const struct run_knobs *knobs, const char *expected)
{
	_str_ struct str command = {};

	lab_add_command(l, knobs, 9, &command);
	assert_string_equal(str_get(&command), expected);
}

static void commands_repeat_a_run(void **state)
{
	struct test_program program = { .path = (char *)"/t/my race.c" };
	struct run_kernel kernel = { .image.version = (char *)"7.0.13" };
	struct run_knobs knobs = RUN_KNOBS_DEFAULT;
	struct probe_sched sched = { .name = "mine" };
	char *dir = unit_temp_create(), *before = getcwd(NULL, 0);
	_free_ char *here = NULL, *near = NULL, *beside = NULL;
	struct lab l;

	(void)state;
	assert_int_equal(open_lab(&l, NULL, 0), 0);
	l.campaign.kernels.items.items = &kernel;
	variants[0].program = &program;
	unsetenv("KTSTR_SCHEDULER");
	expect_command(&l, &knobs,
		       "ktstr test '/t/my race.c' -E 'test(=t0)' --kernel 7.0.13 --accel sim "
		       "--seed 9");
	/* With knobs, and a test that is only run when asked for. */
	knobs.is_verbose = true;
	knobs.duration_ms = 7;
	variants[0].is_ignored = true;
	kernel.image.version = NULL;
	kernel.image.image = (char *)"/k/bzImage";
	expect_command(&l, &knobs,
		       RUN_WORD_VERBOSE
		       " ktstr test '/t/my race.c' -E 'test(=t0)' --run-ignored all "
		       "--kernel /k/bzImage --accel sim --seed 9 --duration 7ms");
	/* The variable counts where there is a scheduler. */
	knobs = (struct run_knobs)RUN_KNOBS_DEFAULT;
	variants[0].is_ignored = false;
	setenv("KTSTR_SCHEDULER", "/s/scx mine", 1);
	expect_command(&l, &knobs,
		       "ktstr test '/t/my race.c' -E 'test(=t0)' --kernel /k/bzImage --accel sim "
		       "--seed 9");
	variants[0].sched = &sched;
	expect_command(&l, &knobs,
		       "KTSTR_SCHEDULER='/s/scx mine' ktstr test '/t/my race.c' -E 'test(=t0)' "
		       "--kernel /k/bzImage --accel sim --seed 9");
	/* What is below the current directory is told from there. */
	assert_int_equal(chdir(dir), 0);
	here = getcwd(NULL, 0);
	near = str_fmt("%s/a/race.c", here);
	beside = str_fmt("%s-b/race.c", here);
	setenv("KTSTR_SCHEDULER", near, 1);
	program.path = near;
	expect_command(&l, &knobs,
		       "KTSTR_SCHEDULER=./a/race.c ktstr test a/race.c -E 'test(=t0)' --kernel "
		       "/k/bzImage --accel sim --seed 9");
	unsetenv("KTSTR_SCHEDULER");
	program.path = beside;
	{
		_free_ char *expected = str_fmt("ktstr test %s -E 'test(=t0)' --kernel /k/bzImage "
						"--accel sim --seed 9",
						beside);

		expect_command(&l, &knobs, expected);
	}
	assert_int_equal(chdir(before), 0);
	free(before);
	unit_temp_remove(dir);
	l.campaign.kernels.items.items = NULL;
	lab_finish(&l);
}

int main(void)
{
	const struct CMUnitTest all[] = {
		IN_LAB(words_are_files_and_one_name),
		IN_LAB(one_test_that_runs_in_sim_is_needed),
		IN_LAB(runs_leave_what_is_known_of_them),
		IN_LAB(trials_ask_for_their_runs),
		IN_LAB(a_failure_has_a_signature_and_its_text),
		IN_LAB(what_workers_say_is_told_once),
		IN_LAB(a_watch_that_fails_ends_the_runs),
		IN_LAB(a_run_that_could_not_be_made_is_an_error),
		IN_LAB(a_result_that_failed_is_the_signature),
		IN_LAB(a_reason_is_kept_of_what_did_not_fail),
		IN_LAB(an_interrupt_ends_the_runs),
		IN_LAB(the_first_error_of_several_is_returned),
		IN_LAB(options_of_a_lab_are_those_of_its_request),
		IN_LAB(commands_repeat_a_run),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}
