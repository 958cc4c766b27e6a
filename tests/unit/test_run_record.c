// SPDX-License-Identifier: GPL-2.0-only
/* What the record of a test has of its variant, its outcome and its judgement. */
#include "played_run.h"

#include "guest/order.h"
#include "watch/parts.h"

#define RUN_DIR "runs/7.0.1-1a2b3c4"

static void run_and_read(int expected, struct sidecar *s)
{
	setenv("KTSTR_RUNS_ROOT", "runs", 1);
	unsetenv("KTSTR_RUN_EPOCH");
	played.test_count = 1;
	expect_run(expected);
	assert_true(read_record(RUN_DIR, "a", s));
}

static void fill(char *to, size_t size, const char *text)
{
	snprintf(to, size, "%s", text);
}

static void play_guest(const struct task *t, struct outcome *o)
{
	struct outcome_facts *f = &o->facts;

	(void)t;
	f->ready_ns = 1500 * NSEC_PER_MSEC;
	f->guest_ns = 4 * NSEC_PER_SEC;
	f->has_cleanup = true;
	f->cleanup_ns = 70 * NSEC_PER_MSEC;
	f->host_cpus = 2;
	fill(f->digest, sizeof(f->digest), "d1");
	fill(f->kernel_hash, sizeof(f->kernel_hash), "k1");
	fill(f->initramfs_hash, sizeof(f->initramfs_hash), "i1");
	fill(f->scheduler_hash, sizeof(f->scheduler_hash), "s1");
	str_add(&o->qemu_options, "-smp 2\n-m 256\n");
	str_add(&o->kernel_release, "7.0.1-rc1");
	str_add(&o->sched_report,
		"{\"end\":\"ran\",\"attached\":true,\"programs\":[{\"name\":\"init\","
		"\"verified_insns\":12},{\"name\":\"enqueue\",\"verified_insns\":345}],\"exit\":{\"kind\":64,\"reason\":"
		"\"unregistered from user space\",\"message\":\"bye\"}}");
}

static void a_record_tells_which_run_it_was(void **state)
{
	struct sidecar s;

	(void)state;
	played.tests[0].file = "naps.c";
	played.tests[0].line = 31;
	played.play = play_guest;
	run_and_read(RUN_EXIT_PASSED, &s);
	assert_string_equal(s.test_name, "a");
	assert_string_equal(s.name, "ktstr/a");
	assert_string_equal(s.binary, "mine");
	assert_string_equal(s.declared_at, "naps.c:31");
	assert_string_equal(s.topology, "1n1l2c1t");
	assert_string_equal(s.scheduler, "mine");
	assert_string_equal(s.project_commit, "1a2b3c4");
	assert_string_equal(s.resolve_source, "path");
	assert_string_equal(s.run_source, "local");
	assert_string_equal(s.accel, "sim");
	assert_true(s.has_seed);
	assert_int_equal(s.seed, 5);
	assert_string_equal(s.digest, "d1");
	assert_string_equal(s.kernel_hash, "k1");
	assert_string_equal(s.kernel_version, "7.0.1");
	assert_string_equal(s.initramfs_hash, "i1");
	assert_string_equal(s.scheduler_hash, "s1");
	assert_string_equal(s.scheduler_version, "mine 1.2");
	assert_non_null(strstr(s.scheduler_path, "/true"));
	assert_int_equal(s.qemu_options.count, 2);
	assert_string_equal(s.qemu_options.items[1], "-m 256");
	assert_null(s.preset);
	assert_null(s.payload);
	assert_string_equal(s.work_type, SIDECAR_NO_WORK);
	assert_false(s.performance_mode);
	assert_int_equal(s.perf_delta_count, 0);
	assert_int_equal(s.program_count, 2);
	assert_string_equal(s.programs[1].name, "enqueue");
	assert_int_equal(s.programs[1].verified_insns, 345);
	assert_non_null(s.run_id);
	/* Whole seconds: "2026-01-31T12:00:00Z". */
	assert_int_equal(strlen(s.timestamp), 20);
	assert_int_equal(s.timestamp[19], 'Z');
	assert_non_null(s.host);
	assert_null(s.qemu_version);
	sidecar_finish(&s);
}

static void a_record_tells_on_what_it_was_measured(void **state)
{
	static struct ktstr_perf_delta limits[] = { { .metric = "duration_ms" },
						    { .metric = "boot_ms" } };
	struct vm_qemu qemu = { .version_text = (char *)"9.1.2 (mine)" };
	struct sidecar s;

	(void)state;
	played.qemu = &qemu;
	played.tests[0].performance_mode = true;
	played.tests[0].perf_delta_assertions.items = limits;
	played.tests[0].perf_delta_assertions.count = 2;
	run_and_read(RUN_EXIT_PASSED, &s);
	assert_string_equal(s.qemu_version, "9.1.2 (mine)");
	assert_true(s.performance_mode);
	assert_int_equal(s.perf_delta_count, 2);
	assert_string_equal(s.perf_deltas[1].metric, "boot_ms");
	if (s.host->cpu_model)
		assert_string_equal(s.host_cpu_model, s.host->cpu_model);
	sidecar_finish(&s);
}

/* It has no machine of its own. */
static void a_test_of_the_host_has_no_guest_in_its_record(void **state)
{
	struct sidecar s;

	(void)state;
	played.tests[0].host_only = true;
	played.tests[0].scheduler = NULL;
	played.test_count = 1;
	expect_run(RUN_EXIT_PASSED);
	assert_true(read_record("runs/unknown-1a2b3c4", "a", &s) || read_record(RUN_DIR, "a", &s));
	assert_string_equal(s.scheduler, "eevdf");
	assert_null(s.accel);
	assert_false(s.has_seed);
	assert_null(s.kernel_key);
	assert_null(s.kernel_version);
	assert_int_equal(s.qemu_options.count, 0);
	sidecar_finish(&s);
}

static void a_record_tells_how_it_ended(void **state)
{
	struct sidecar s;

	(void)state;
	played.play = play_guest;
	run_and_read(RUN_EXIT_PASSED, &s);
	assert_int_equal(s.outcome, KTSTR_PASSED);
	assert_null(s.failure);
	assert_true(s.attempts.value == 1);
	assert_true(s.duration_ms.value == 1500);
	assert_true(s.boot_ms.value == 1500);
	assert_true(s.guest_ms.value == 2500);
	assert_true(s.cleanup_duration_ms.value == 70);
	assert_true(s.cpu_budget.value == 2);
	assert_string_equal(s.scheduler_exit.end, "ran");
	assert_string_equal(s.scheduler_exit.reason, "unregistered from user space");
	assert_string_equal(s.scheduler_exit.message, "bye");
	assert_true(s.scheduler_exit.kind.value == 64);
	assert_false(s.monitor.is_known);
	sidecar_finish(&s);
}

/* Absent is not zero. */
static void what_a_guest_did_not_tell_is_absent(void **state)
{
	struct sidecar s;

	(void)state;
	played.versions[0] = NULL;
	setenv("KTSTR_RUNS_ROOT", "runs", 1);
	played.test_count = 1;
	expect_run(RUN_EXIT_PASSED);
	assert_true(read_record("runs/unknown-1a2b3c4", "a", &s));
	assert_false(s.boot_ms.is_known);
	assert_false(s.guest_ms.is_known);
	assert_false(s.cleanup_duration_ms.is_known);
	assert_false(s.cpu_budget.is_known);
	assert_false(s.scheduler_exit.kind.is_known);
	assert_null(s.digest);
	assert_null(s.kernel_version);
	assert_string_equal(s.kernel_key, "key_0");
	/* Of a scheduler that was not packed there is no program. */
	assert_null(s.scheduler_path);
	assert_null(s.scheduler_version);
	assert_null(s.declared_at);
	sidecar_finish(&s);
}

static void play_half_told(const struct task *t, struct outcome *o)
{
	(void)t;
	o->facts.ready_ns = 2 * NSEC_PER_SEC;
	str_add(&o->kernel_release, "6.99-mine");
}

static void a_guest_that_told_its_release_has_it_as_version(void **state)
{
	struct sidecar s;

	(void)state;
	played.versions[0] = NULL;
	played.play = play_half_told;
	played.test_count = 1;
	expect_run(RUN_EXIT_PASSED);
	assert_true(read_record("runs/unknown-1a2b3c4", "a", &s));
	assert_string_equal(s.kernel_version, "6.99-mine");
	assert_true(s.boot_ms.value == 2000);
	assert_false(s.guest_ms.is_known);
	sidecar_finish(&s);
}

static void play_no_time(const struct task *t, struct outcome *o)
{
	(void)t;
	o->facts.ready_ns = o->facts.guest_ns = 2 * NSEC_PER_SEC;
}

static void a_guest_that_ended_at_once_took_no_time(void **state)
{
	struct sidecar s;

	(void)state;
	played.play = play_no_time;
	run_and_read(RUN_EXIT_PASSED, &s);
	assert_true(s.guest_ms.is_known);
	assert_true(s.guest_ms.value == 0);
	sidecar_finish(&s);
}

static const struct {
	const char *result;
	enum outcome_end end;
	int exit;
	enum ktstr_verdict verdict;
} ends[] = {
	{ PLAYED_PASS, OUTCOME_EXITED, RUN_EXIT_PASSED, KTSTR_PASSED },
	{ PLAYED_FAIL, OUTCOME_EXITED, RUN_EXIT_FAILED, KTSTR_FAILED },
	{ PLAYED_UNSURE, OUTCOME_EXITED, RUN_EXIT_INCONCLUSIVE, KTSTR_INCONCLUSIVE },
	{ PLAYED_SKIP, OUTCOME_EXITED, RUN_EXIT_NOTHING, KTSTR_SKIPPED },
	{ "", OUTCOME_TIMED_OUT, RUN_EXIT_FAILED, KTSTR_FAILED },
};
static size_t end_at;

static void play_end(const struct task *t, struct outcome *o)
{
	(void)t;
	str_reset(&o->result);
	str_add(&o->result, ends[end_at].result);
	o->facts.end = ends[end_at].end;
}

static void the_outcome_of_a_record_is_its_verdict(void **state)
{
	struct sidecar s;

	(void)state;
	played.play = play_end;
	for (end_at = 0; end_at < ARRAY_SIZE(ends); end_at++) {
		run_and_read(ends[end_at].exit, &s);
		assert_int_equal(s.outcome, ends[end_at].verdict);
		assert_int_equal(s.failure != NULL, ends[end_at].verdict != KTSTR_PASSED);
		sidecar_finish(&s);
	}
}

static void play_expected(const struct task *t, struct outcome *o)
{
	(void)t;
	str_reset(&o->result);
	str_add(&o->result, PLAYED_FAIL);
}

/* Of the test, not of its body: an error that is expected is a pass. */
static void an_expected_error_is_recorded_as_a_pass(void **state)
{
	struct sidecar s;

	(void)state;
	played.play = play_expected;
	for (size_t i = 0; i < PLAYED_TESTS; i++)
		played.tests[i].expect_err = true;
	run_and_read(RUN_EXIT_PASSED, &s);
	assert_int_equal(s.outcome, KTSTR_PASSED);
	assert_int_equal(s.detail_count, 1);
	sidecar_finish(&s);
}

static void only_sim_has_a_seed_that_decides_it(void **state)
{
	static const struct {
		enum vm_accel accel;
		bool has_jitter;
		uint32_t slice_us;
		bool has_seed;
		double slice_ns;
	} rows[] = {
		{ VM_ACCEL_KVM, false, 0, false, 0 },
		{ VM_ACCEL_SIM, false, 700, true, 700000 },
		{ VM_ACCEL_SIM, true, 900, true, 900000 },
	};
	struct sidecar s;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		played.accel = rows[i].accel;
		played.options.knobs.has_jitter = rows[i].has_jitter;
		if (rows[i].slice_us)
			played.options.knobs.slice_us = rows[i].slice_us;
		run_and_read(RUN_EXIT_PASSED, &s);
		assert_string_equal(s.accel, vm_accel_name(rows[i].accel));
		assert_int_equal(s.has_seed, rows[i].has_seed);
		assert_int_equal(s.slice_ns.is_known, rows[i].has_seed);
		assert_true(s.slice_ns.value == rows[i].slice_ns);
		assert_int_equal(s.icount_shift.is_known, rows[i].has_seed);
		assert_int_equal(s.sim_jitter, rows[i].has_jitter);
		sidecar_finish(&s);
	}
	/* Without a wish it is that of the strategy. */
	played.options.knobs = RUN_KNOBS_DEFAULT;
	run_and_read(RUN_EXIT_PASSED, &s);
	assert_true(s.slice_ns.value == JITTER_SLICE_US * 1000.0);
	assert_true(s.icount_shift.value == VM_SIM_SHIFT);
	sidecar_finish(&s);
	played.options.knobs.has_jitter = true;
	run_and_read(RUN_EXIT_PASSED, &s);
	assert_true(s.slice_ns.value == jitter_slice_us(5) * 1000.0);
	sidecar_finish(&s);
}

static void a_record_has_the_options_of_its_run(void **state)
{
	struct sidecar s;

	(void)state;
	played.options.knobs.duration_ms = 900;
	played.options.knobs.workers = 3;
	run_and_read(RUN_EXIT_PASSED, &s);
	assert_int_equal(s.run_options.count, 4);
	assert_string_equal(s.run_options.items[0], "--duration");
	assert_string_equal(s.run_options.items[3], "3");
	sidecar_finish(&s);
}

static void a_record_has_what_its_scheduler_was_given(void **state)
{
	static struct probe_flag flags[] = { { .name = "llc" }, { .name = "steal" } };
	static const char *required[] = { "steal" };
	static struct ktstr_sysctl sysctls[] = { { .key = "kernel.x", .value = "1" },
						 { .key = "kernel.y", .value = "2" } };
	static const char *kargs[] = { "nosmt", "quiet" };
	static struct probe_payload payload = { .name = "bench" };
	struct sidecar s;

	(void)state;
	played.sched.flags.items = flags;
	played.sched.flags.count = 2;
	played.sched.sysctls.items = sysctls;
	played.sched.sysctls.count = 2;
	played.sched.kargs = (struct probe_texts){ .items = kargs, .count = 2 };
	played.tests[0].required_flags = (struct probe_texts){ .items = required, .count = 1 };
	played.tests[0].payloads.items = &payload;
	played.tests[0].payloads.count = 1;
	setenv("KTSTR_CI", "1", 1);
	setenv("KTSTR_KERNEL_COMMIT", "abc", 1);
	run_and_read(RUN_EXIT_PASSED, &s);
	assert_int_equal(s.active_flags.count, 1);
	assert_string_equal(s.active_flags.items[0], "steal");
	assert_int_equal(s.sysctls.count, 2);
	assert_string_equal(s.sysctls.items[1], "kernel.y=2");
	assert_int_equal(s.kargs.count, 2);
	assert_string_equal(s.kargs.items[0], "nosmt");
	assert_string_equal(s.payload, "bench");
	assert_string_equal(s.run_source, "ci");
	assert_string_equal(s.kernel_commit, "abc");
	sidecar_finish(&s);
}

/* ---- what the monitor saw ---- */

/* Two CPUs whose counters grow by 2 and 1 within 100 ms. */
static void add_counted(struct series *s, uint64_t ms)
{
	struct cpu_sample cpus[2] = {};
	struct guest_sample sample = {
		.time_ns = ms * NSEC_PER_MSEC, .has_scheduler = true, .cpu_count = 2, .cpus = cpus
	};

	for (size_t i = 0; i < 2; i++) {
		cpus[i] = (struct cpu_sample){ .is_known = true,
					       .has_scx = true,
					       .nr_running = i ? 1 : 3,
					       .local_dsq_depth = i ? 4 : 0,
					       .clock_ns = ms + i,
					       .known_events = 1U << SCX_EV_FALLBACK |
							       1U << SCX_EV_KEEP_LAST |
							       1U << SCX_EV_OFFLINE };
		cpus[i].events[SCX_EV_FALLBACK] = (int64_t)ms * 2 / 100;
		cpus[i].events[SCX_EV_KEEP_LAST] = (int64_t)ms / 100;
	}
	assert_int_equal(series_add(s, &sample), 0);
}

static void play_samples(const struct task *t, struct outcome *o)
{
	_cleanup_(series_finish) struct series series = { .cpu_count = 2 };
	const struct series_program program = { .name = "mine_enqueue", .calls = 12, .ns = 3400 };

	(void)t;
	for (uint64_t i = 0; i < 6; i++)
		add_counted(&series, 5000 + 100 * i);
	assert_int_equal(vec_push(&series.programs, program), 0);
	assert_int_equal(series_encode(&series, &o->samples), 0);
}

static void expect_number(const struct sidecar *s, const char *name, double expected)
{
	double value = -1;

	if (!sidecar_pair_value(&s->monitor.numbers, name, &value))
		fail_msg("no %s", name);
	if (value < expected - 0.001 || value > expected + 0.001)
		fail_msg("%s is %g, not %g", name, value, expected);
}

static void a_record_has_the_figures_of_the_monitor(void **state)
{
	struct sidecar s;
	double value;

	(void)state;
	played.play = play_samples;
	run_and_read(RUN_EXIT_PASSED, &s);
	assert_true(s.monitor.is_known);
	expect_number(&s, "total_samples", 6);
	expect_number(&s, "max_imbalance_ratio", 3);
	expect_number(&s, "mean_imbalance_ratio", 3);
	expect_number(&s, "mean_nr_running", 2);
	expect_number(&s, "max_dsq_depth", 4);
	expect_number(&s, "mean_dsq_depth", 2);
	expect_number(&s, "total_fallback", 20);
	expect_number(&s, "fallback_rate", 40);
	expect_number(&s, "max_fallback_burst", 4);
	expect_number(&s, "total_keep_last", 10);
	expect_number(&s, "keep_last_rate", 20);
	expect_number(&s, "total_dispatch_offline", 0);
	expect_number(&s, "stall_count", 0);
	/* A kernel without statistics of its scheduler does not tell. */
	assert_false(sidecar_pair_value(&s.monitor.numbers, "run_delay_rate", &value));
	assert_int_equal(s.monitor.callback_count, 1);
	assert_string_equal(s.monitor.callbacks[0].name, "mine_enqueue");
	assert_int_equal(s.monitor.callbacks[0].cnt, 12);
	assert_int_equal(s.monitor.callbacks[0].nsecs, 3400);
	sidecar_finish(&s);
}

static void play_blind_monitor(const struct task *t, struct outcome *o)
{
	struct series series = { .cpu_count = 2 };

	(void)t;
	fill(series.problem, sizeof(series.problem), "no symbols");
	assert_int_equal(series_encode(&series, &o->samples), 0);
}

static void a_monitor_that_saw_nothing_has_no_figures(void **state)
{
	struct sidecar s;

	(void)state;
	played.play = play_blind_monitor;
	run_and_read(RUN_EXIT_PASSED, &s);
	assert_false(s.monitor.is_known);
	sidecar_finish(&s);
}

/* Limits by default are told and decide nothing; those of a test's own decide. */
static void only_limits_of_the_test_are_judged_by_the_monitor(void **state)
{
	struct sidecar s;

	(void)state;
	played.play = play_samples;
	played.tests[0].assert = assert_defaults;
	run_and_read(RUN_EXIT_PASSED, &s);
	sidecar_finish(&s);
	played.tests[0].assert.max_imbalance_ratio = 2.5;
	played.tests[0].assert.sustained_samples = 2;
	run_and_read(RUN_EXIT_FAILED, &s);
	expect_part(s.failure, "passed scenario but monitor failed");
	sidecar_finish(&s);
	/* The imbalance is 3. */
	played.tests[0].assert.max_imbalance_ratio = 3.5;
	run_and_read(RUN_EXIT_PASSED, &s);
	sidecar_finish(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLAYED(a_record_tells_which_run_it_was),
		PLAYED(a_record_tells_on_what_it_was_measured),
		PLAYED(a_test_of_the_host_has_no_guest_in_its_record),
		PLAYED(a_record_tells_how_it_ended),
		PLAYED(what_a_guest_did_not_tell_is_absent),
		PLAYED(a_guest_that_told_its_release_has_it_as_version),
		PLAYED(a_guest_that_ended_at_once_took_no_time),
		PLAYED(the_outcome_of_a_record_is_its_verdict),
		PLAYED(an_expected_error_is_recorded_as_a_pass),
		PLAYED(only_sim_has_a_seed_that_decides_it),
		PLAYED(a_record_has_the_options_of_its_run),
		PLAYED(a_record_has_what_its_scheduler_was_given),
		PLAYED(a_record_has_the_figures_of_the_monitor),
		PLAYED(a_monitor_that_saw_nothing_has_no_figures),
		PLAYED(only_limits_of_the_test_are_judged_by_the_monitor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
