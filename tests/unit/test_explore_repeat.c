// SPDX-License-Identifier: GPL-2.0-only
/* What a run is repeated with: its options as words, its kernel, its scheduler. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/str.h"
#include "base/util.h"
#include "explore/explore.h"
#include "explore/lab.h"
#include "run/parts.h"
#include "unit.h"

static size_t split(char *text, const char **words, size_t max)
{
	size_t count = 0;
	char *save = NULL;

	for (char *w = strtok_r(text, "\n", &save); w && count < max;
	     w = strtok_r(NULL, "\n", &save))
		words[count++] = w;
	return count;
}

static void knobs_survive_as_words(void **state)
{
	struct run_knobs all = { .shift = 3,
				 .slice_us = 500,
				 .has_jitter = true,
				 .is_cold = true,
				 .is_release = true,
				 .versus_eevdf = true,
				 .is_verbose = true,
				 .profile = "ci",
				 .duration_ms = 1250,
				 .workers = 3,
				 .delays = 250,
				 .wake_delay_us = 400,
				 .strategy = "pct",
				 .depth = 4,
				 .events = 1234,
				 .steps = 1 | 1 << 2 | 1 << 3 | UINT64_C(1) << 63,
				 .hold_percent = 25,
				 .topology = { 1, 2, 3, 2 } };
	struct run_knobs usual = RUN_KNOBS_DEFAULT, again;
	_str_ struct str words = {}, none = {}, twice = {};
	const char *items[64];
	size_t count;

	(void)state;
	run_knobs_add_words(&usual, &none);
	assert_string_equal(str_get(&none), "");
	run_knobs_add_words(&all, &words);
	run_knobs_add_words(&all, &twice);
	count = split(words.s, items, ARRAY_SIZE(items));
	assert_int_equal(run_knobs_parse(&again, items, count), 0);
	str_reset(&none);
	run_knobs_add_words(&again, &none);
	assert_string_equal(str_get(&none), str_get(&twice));
	assert_int_equal(again.duration_ms, 1250);
	assert_int_equal(again.topology.threads, 2);
	assert_int_equal(again.steps, all.steps);
	assert_int_equal(again.wake_delay_us, 400);
	assert_non_null(strstr(str_get(&twice), "--steps\n1,3-4,64\n"));
	assert_non_null(strstr(str_get(&twice), "--strategy\npct\n--depth\n4\n--events\n1234\n"));
}

/* What is not said is left to the guest; 0 and the guest's own figure are things to say. */
static void a_slice_is_told_when_it_was_asked_for(void **state)
{
	static const struct {
		uint32_t slice_us;
		const char *words, *settings;
	} cases[] = {
		{ VM_SIM_SLICE_UNSET, "", "KTSTR_SEED=7\n" },
		{ 0, "--sim-slice\n0\n", "KTSTR_SEED=7\nKTSTR_SLICE_US=0\n" },
		{ 500, "--sim-slice\n500\n", "KTSTR_SEED=7\nKTSTR_SLICE_US=500\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct vm_sim sim = { .seed = 7, .slice_us = cases[i].slice_us };
		struct run_knobs k = RUN_KNOBS_DEFAULT;
		_str_ struct str words = {}, settings = {};

		k.slice_us = cases[i].slice_us;
		run_knobs_add_words(&k, &words);
		assert_string_equal(str_get(&words), cases[i].words);
		vm_sim_settings(&sim, &settings);
		assert_string_equal(str_get(&settings), cases[i].settings);
	}
}

/* Arguments come last, whatever they look like. */
static void the_scheduler_of_a_run_is_kept_with_its_arguments(void **state)
{
	static const char *const args[] = { "--slice-us", "--cold", "a b" };
	struct run_knobs k = RUN_KNOBS_DEFAULT, again;
	_str_ struct str words = {};
	const char *items[16];
	size_t count;

	(void)state;
	k.workers = 3;
	k.scheduler = "scx_mine";
	k.scheduler_args = args;
	k.scheduler_arg_count = ARRAY_SIZE(args);
	run_knobs_add_words(&k, &words);
	assert_string_equal(str_get(&words), "--workers\n3\n--scheduler-name\nscx_mine\n"
					     "--\n--slice-us\n--cold\na b\n");
	count = split(words.s, items, ARRAY_SIZE(items));
	assert_int_equal(run_knobs_parse(&again, items, count), 0);
	assert_int_equal(again.workers, 3);
	assert_false(again.is_cold);
	assert_string_equal(again.scheduler, "scx_mine");
	assert_int_equal(again.scheduler_arg_count, ARRAY_SIZE(args));
	for (size_t i = 0; i < ARRAY_SIZE(args); i++)
		assert_string_equal(again.scheduler_args[i], args[i]);
}

static void knobs_that_make_no_sense_are_refused(void **state)
{
	static const char *const bad[][2] = {
		{ "--sim-shift", "9" },
		{ "--sim-slice", "1" },
		{ "--duration", "soon" },
		{ "--workers", "-1" },
		{ "--topology", "1,1" },
		{ "--nextest-profile", "x" },
		{ "--unknown", "1" },
		{ "--workers", NULL },
		{ "--sim-slice", "99999999999" },
		{ "--steps", "0" },
		{ "--steps", "65" },
		{ "--steps", "1;2" },
		{ "--strategy", "x" },
		{ "--strategy", "pct" },
		{ "--depth", "2" },
		{ "--events", "9" },
		{ "--scheduler-bin", NULL },
	};
	struct run_knobs k;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(run_knobs_parse(&k, bad[i], bad[i][1] ? 2 : 1), -EINVAL);
}

static void a_bound_needs_tasks_and_events(void **state)
{
	struct strategy s = { .name = "pct", .depth = 3, .events = 100, .tasks = 5 };
	_str_ struct str text = {}, none = {}, json = {};
	struct json j;

	(void)state;
	assert_true(strategy_bound(&s) > 1.99e-5 && strategy_bound(&s) < 2.01e-5);
	strategy_add_text(&s, &text);
	assert_string_equal(
		str_get(&text),
		"strategy: pct of depth 3; k = 100 scheduling events, n = 5 tasks\n"
		"in theory a failure of that depth shows in at least 1/(n*k^2) = 2e-05 of the runs\n");
	json_init(&j, &json, false);
	json_object(&j);
	strategy_put_json(&s, &j);
	json_object_end(&j);
	assert_non_null(strstr(str_get(&json), "\"tasks\":5,\"bound\":2e-05"));
	s.depth = 1; /* only priorities */
	assert_true(strategy_bound(&s) > 0.19 && strategy_bound(&s) < 0.21);
	s.tasks = 0;
	assert_true(strategy_bound(&s) <= 0);
	s = (struct strategy){ .name = "walk" };
	assert_true(strategy_bound(&s) <= 0);
	strategy_add_text(&s, &none);
	assert_string_equal(str_get(&none), "strategy: walk\n");
}

/* A kernel that talks is wanted by a variable, in the command as in records. */
static void a_talking_kernel_stands_in_front_of_the_command(void **state)
{
	static const char *const old[] = { "--verbose" };
	struct test_program program = { .path = (char *)"/t/race.c" };
	struct variant variant = { .program = &program, .name = (char *)"ktstr/race" };
	struct run_kernel kernel = { .image.version = (char *)"7.0.13" };
	const struct task task = { .job.variant = &variant };
	struct lab lab = { .options.label = "ktstr", .task = &task };
	struct run_knobs k;
	_str_ struct str out = {}, words = {};

	(void)state;
	lab.campaign.kernels.items.items = &kernel;
	assert_int_equal(run_knobs_parse(&k, old, 1), 0);
	k.has_jitter = true;
	run_knobs_add_words(&k, &words);
	assert_string_equal(str_get(&words), "--sim-jitter\nKTSTR_VERBOSE=1\n");
	lab_add_command(&lab, &k, 3, &out);
	assert_string_equal(str_get(&out),
			    "KTSTR_VERBOSE=1 ktstr test /t/race.c -E 'test(=ktstr/race)' "
			    "--kernel 7.0.13 --accel sim --seed 3 --sim-jitter");
}

/* Named from where one is; the variable only where the test has a scheduler. */
static void a_command_names_the_scheduler_of_the_run(void **state)
{
	static struct probe_sched sched = { .name = "mine" };
	_free_ char *here = getcwd(NULL, 0), *below = str_fmt("%s/out/scx mine", here);
	_free_ char *beside = str_fmt("%s-2/scx", here), *expected = NULL;
	struct test_program program = { .path = (char *)"/t/race.c" };
	struct variant variant = { .program = &program,
				   .name = (char *)"ktstr/race",
				   .is_ignored = true };
	struct run_kernel kernel = { .image.image = (char *)"/boot/vmlinuz" };
	const struct task task = { .job.variant = &variant };
	struct lab lab = { .options.label = "ktstr", .task = &task };
	const struct run_knobs k = RUN_KNOBS_DEFAULT;
	_str_ struct str out = {};

	(void)state;
	lab.campaign.kernels.items.items = &kernel;
	setenv("KTSTR_SCHEDULER", below, 1);
	lab_add_command(&lab, &k, 3, &out);
	assert_string_equal(
		str_get(&out),
		"ktstr test /t/race.c -E 'test(=ktstr/race)' --run-ignored all --kernel "
		"/boot/vmlinuz --accel sim --seed 3");
	variant.sched = &sched;
	str_reset(&out);
	lab_add_command(&lab, &k, 3, &out);
	assert_true(str_starts(str_get(&out),
			       "KTSTR_SCHEDULER=./'out/scx mine' ktstr test /t/race.c -E "));
	setenv("KTSTR_SCHEDULER", beside, 1);
	str_reset(&out);
	lab_add_command(&lab, &k, 3, &out);
	expected = str_fmt("KTSTR_SCHEDULER=%s ktstr test ", beside);
	assert_true(str_starts(str_get(&out), expected));
	unsetenv("KTSTR_SCHEDULER");
	str_reset(&out);
	lab_add_command(&lab, &k, 3, &out);
	assert_true(str_starts(str_get(&out), "ktstr test "));
}

static void a_run_tells_its_programs(void **state)
{
	struct repeat_programs p = {};
	char *dir = unit_temp_create();

	(void)state;
	assert_int_equal(repeat_programs_read(&p, dir), -ENOENT);
	assert_non_null(strstr(err_text(-ENOENT), "does not list the programs that were run"));
	repeat_programs_finish(&p);
	unit_write(dir, ".programs", "");
	assert_int_equal(repeat_programs_read(&p, dir), 0);
	assert_int_equal(p.paths.count, 0);
	repeat_programs_finish(&p);
	unit_write(dir, ".programs", "/a\n/b c\n");
	assert_int_equal(repeat_programs_read(&p, dir), 0);
	assert_int_equal(p.paths.count, 2);
	assert_string_equal(p.paths.items[0], "/a");
	assert_string_equal(p.paths.items[1], "/b c");
	repeat_programs_finish(&p);
	unit_temp_remove(dir);
}

static void each_part_of_the_identity_is_named(void **state)
{
	static const char *const was_options[] = { "QEMU", "-m", "512M" };
	static const char *const is_options[] = { "QEMU", "-m", "1024M" };
	static const char *const words[] = { "--cold" };
	struct sidecar was = { .accel = "sim",
			       .has_seed = true,
			       .seed = 1,
			       .kernel_hash = "aa",
			       .qemu_version = "10.0.2",
			       .topology = "1n1l2c1t",
			       .icount_shift = { true, 1 },
			       .host_cpu_model = "one",
			       .qemu_options = { was_options, 3 } };
	struct sidecar is = was;
	_str_ struct str out = {};

	(void)state;
	identity_add_differences(&was, &is, &out);
	assert_string_equal(str_get(&out), "");
	is.seed = 2;
	identity_add_differences(&was, &is, &out);
	assert_string_equal(str_get(&out), "the seed (1, now 2)");
	str_reset(&out);
	is = was;
	is.kernel_hash = "bb";
	is.icount_shift.value = 3;
	is.sim_jitter = true;
	is.qemu_options.items = is_options;
	is.initramfs_hash = "cc";
	is.scheduler_hash = "dd";
	is.host_cpu_model = "two";
	is.run_options = (struct sidecar_strings){ words, 1 };
	identity_add_differences(&was, &is, &out);
	assert_string_equal(
		str_get(&out),
		"the kernel; the shift (1, now 3); the jitter; the options (none, now --cold); "
		"QEMU's command line (-m 512M, now 1024M); the scheduler's program; the guest's "
		"files (test program, scheduler, include files, settings); the host's CPU (one, now two)");
	str_reset(&out);
	is = was;
	is.accel = NULL;
	is.has_seed = false;
	is.topology = "1n1l4c1t";
	is.icount_shift.is_known = false;
	is.slice_ns = (struct sidecar_number){ true, 500 };
	is.qemu_version = "9.2";
	is.qemu_options.count = 2;
	identity_add_differences(&was, &is, &out);
	assert_string_equal(str_get(&out),
			    "the accelerator (sim, now unknown); the seed; the machine (1n1l2c1t, "
			    "now 1n1l4c1t); the shift; the slice; QEMU (10.0.2, now 9.2); QEMU's "
			    "command line");
}

static void kernels_of_records_are_found_again(void **state)
{
	struct sidecar s = { .kernel_version = "6.12.1" };

	(void)state;
	assert_string_equal(repeat_kernel(&s), "6.12.1");
	s.kernel_key = "6.12.1-debian-cloud-x86_64";
	assert_string_equal(repeat_kernel(&s), "6.12.1");
	s.kernel_key = "local-ba51db8-x86_64-kc89d041fb";
	assert_string_equal(repeat_kernel(&s), s.kernel_key);
	s.kernel_key = "6.12.10-tarball-x86_64-kc89d041fb";
	assert_string_equal(repeat_kernel(&s), s.kernel_key);
	assert_null(repeat_kernel(&(struct sidecar){}));
	assert_string_equal(repeat_kernel(&(struct sidecar){ .kernel_key = "local-x" }), "local-x");
}

static void expect_refused(const struct sidecar *s, const char *why)
{
	const char *path;

	assert_int_equal(repeat_scheduler(s, NULL, true, &path), -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), why));
	assert_non_null(strstr(err_text(-EINVAL), "--scheduler-bin PATH"));
}

static void schedulers_of_records_are_found_again(void **state)
{
	char *dir = unit_temp_create(), hash[SHA256_HEX_SIZE];
	_free_ char *program = str_fmt("%s/scx", dir);
	struct sidecar s = { .name = "ktstr/a" };
	const char *path = "";

	(void)state;
	setenv("XDG_CACHE_HOME", dir, 1);
	unit_write(dir, "scx", "one");
	/* Those that have none, and those of a time when it was not recorded. */
	assert_int_equal(repeat_scheduler(&s, NULL, true, &path), 0);
	assert_null(path);
	assert_int_equal(file_hash(program, hash), 0);
	s.scheduler_path = program;
	s.scheduler_hash = hash;
	assert_int_equal(repeat_scheduler(&s, NULL, true, &path), 0);
	assert_string_equal(path, program);
	unit_write(dir, "scx", "another");
	expect_refused(&s, "which is another program now (");
	/* What failed is tried again with what was made better. */
	assert_int_equal(repeat_scheduler(&s, NULL, false, &path), 0);
	assert_string_equal(path, program);
	unlink(program);
	expect_refused(&s, "which cannot be read any more;");
	assert_int_equal(repeat_scheduler(&s, NULL, false, &path), 0);
	assert_null(path);
	assert_int_equal(repeat_scheduler(&s, "./mine", true, &path), 0);
	assert_string_equal(path, "./mine");
	unit_temp_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knobs_survive_as_words),
		cmocka_unit_test(a_slice_is_told_when_it_was_asked_for),
		cmocka_unit_test(the_scheduler_of_a_run_is_kept_with_its_arguments),
		cmocka_unit_test(knobs_that_make_no_sense_are_refused),
		cmocka_unit_test(a_bound_needs_tasks_and_events),
		cmocka_unit_test(a_talking_kernel_stands_in_front_of_the_command),
		cmocka_unit_test(a_command_names_the_scheduler_of_the_run),
		cmocka_unit_test(a_run_tells_its_programs),
		cmocka_unit_test(each_part_of_the_identity_is_named),
		cmocka_unit_test(kernels_of_records_are_found_again),
		cmocka_unit_test(schedulers_of_records_are_found_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
