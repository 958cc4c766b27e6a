// SPDX-License-Identifier: GPL-2.0-only
/* What a test's guest is given and what is kept of what it says, with a guest that a test plays. */
#include "made_job.h"

static void a_plain_test_gets_its_program_and_arguments(void **state)
{
	(void)state;
	run();
	assert_string_equal(str_get(&packed), "/ktstr-test 755 </t/test;");
	assert_string_equal(str_get(&args), "/ktstr-test --ktstr-body race --quiet --result "
					    "/run/ktstr-result.json ");
	assert_string_equal(str_get(&settings), "KTSTR_MODE=run\n");
	assert_string_equal(str_get(&append), "-");
	assert_int_equal(last.spec.memory_mib, 256);
	assert_int_equal(made.out.facts.memory_mib, 256);
	assert_false(last.is_cold);
	assert_false(last.spec.is_verbose);
	assert_false(last.spec.is_performance);
	assert_string_equal(made.out.facts.kernel_hash, "hash of /k/bzImage");
	assert_string_equal(made.out.facts.scheduler_hash, "");
	assert_string_equal(str_get(&made.out.qemu_options), "-smp 4\n");
	assert_int_equal(strlen(made.out.facts.initramfs_hash), SHA256_HEX_SIZE - 1);
}

static void knobs_become_arguments(void **state)
{
	(void)state;
	made.job.seed = 7;
	made.variant.profile = (char *)"llc+steal";
	made.knobs.duration_ms = 900;
	made.knobs.workers = 3;
	made.knobs.steps = 5;
	made.knobs.hold_percent = 50;
	made.knobs.is_release = true;
	made.knobs.is_cold = true;
	made.knobs.is_verbose = true;
	made.test.versus = "eevdf";
	made.test.observe = false;
	made.job.profile_dir = "/profiles";
	run();
	assert_string_equal(
		str_get(&args),
		"/ktstr-test --ktstr-body race --seed 7 --flags llc+steal --duration-ms 900 "
		"--workers 3 --steps 5 --hold-percent 50 --versus-eevdf --release --quiet "
		"--result /run/ktstr-result.json ");
	assert_string_equal(str_get(&settings),
			    "KTSTR_MODE=run\nKTSTR_OBSERVE=0\nENV " GUEST_PROFILE_VARIABLE "\n");
	assert_true(last.is_cold);
	assert_true(last.spec.is_verbose);
	made.variant.profile = (char *)"default";
	/* A test without a scheduler gets none, so there is no name either. */
	made.knobs.scheduler = "scx_other";
	run();
	assert_null(strstr(str_get(&args), "--flags"));
	assert_null(strstr(str_get(&args), "--scheduler-name"));
	made.sched.name = "scx_other";
	made.variant.sched = &made.sched;
	run();
	assert_non_null(strstr(str_get(&args), " --scheduler-name scx_other "));
}

/* In sim, durations have as many digits whatever they are. */
static void sim_has_its_own_words(void **state)
{
	(void)state;
	made.world.accel = VM_ACCEL_SIM;
	made.world.is_verbose = true;
	made.knobs.has_jitter = true;
	made.job.seed = 7;
	run();
	assert_string_equal(str_get(&args),
			    "/ktstr-test --ktstr-body race --seed 7 --duration-ms 000000005000 "
			    "--look-ms 50 --sim --quiet --result /run/ktstr-result.json ");
	/* 5 s, 30 s to attach, 10.6 s to be ready and 30 s besides. */
	assert_string_equal(str_get(&settings), "KTSTR_MODE=run\n" GUEST_SEED "=7\n" GUEST_JITTER
						"=1\nKTSTR_LIMIT_S=000000000075\n");
	assert_int_equal(last.spec.sim.seed, 7);
	assert_false(last.spec.is_verbose);
	made.world.accel = VM_ACCEL_TCG;
	run();
	assert_true(last.spec.is_verbose);
	assert_null(strstr(str_get(&args), "--sim"));
}

static void a_scheduler_comes_with_all_that_it_wants(void **state)
{
	static char *const_args[] = { "--opt" };
	static struct ktstr_sysctl sysctls[] = {
		{ .key = (char *)"kernel.x", .value = (char *)"1" },
		{ .key = (char *)"kernel.y", .value = (char *)"2" }
	};
	static char *kargs[] = { "nosmt", "quiet" };
	static char *config[] = { "--config {}", "/etc/mine.json" };

	(void)state;
	made.variant.sched = &made.sched;
	made.sched.kernel_builtin_enable = (char *)"echo 1";
	made.sched.kernel_builtin_disable = (char *)"echo 0";
	made.sched.cgroup_parent = (char *)"/workers";
	made.sched.args.items = (void *)const_args;
	made.sched.args.count = 1;
	made.sched.sysctls.items = sysctls;
	made.sched.sysctls.count = 2;
	made.sched.kargs.items = (void *)kargs;
	made.sched.kargs.count = 2;
	made.sched.config_file = (char *)"/c/mine.json";
	made.sched.config_file_def.items = (void *)config;
	made.sched.config_file_def.count = 2;
	made.test.attach_timeout_s = 9;
	made.test.return_timeout_s = 8;
	made.test.watchdog_timeout_s = 7;
	made.job.scheduler = "/x/mine";
	run();
	assert_non_null(strstr(str_get(&packed),
			       "/sched_enable 0 'echo 1';/sched_disable 0 'echo 0';"
			       "/scheduler 755 </x/mine;/sched-args 0 '"));
	assert_non_null(strstr(str_get(&packed), "/etc/mine.json 0 </c/mine.json;"));
	assert_string_equal(str_get(&settings),
			    "KTSTR_MODE=run\nKTSTR_SCHED_ATTACH_S=9\nKTSTR_SCHED_CGROUP=/workers\n"
			    "KTSTR_SCHED_RETURN_S=8\nKTSTR_SCHED_WATCHDOG_S=7\n");
	assert_string_equal(str_get(&prelude), "");
	assert_string_equal(str_get(&append), "sysctl.kernel.x=1 sysctl.kernel.y=2 nosmt quiet");
	assert_string_equal(made.out.facts.scheduler_hash, "hash of /x/mine");
	/* One that the kernel has by itself has no program. */
	made.job.scheduler = NULL;
	run();
	assert_string_equal(str_get(&packed), "/sched_enable 0 'echo 1';/sched_disable 0 'echo 0';"
					      "/ktstr-test 755 </t/test;");
}

static void a_scheduler_is_loaded_apart_from_the_test(void **state)
{
	(void)state;
	made.variant.sched = &made.sched;
	made.sched.cgroup_parent = (char *)"/workers";
	made.test.watchdog_timeout_s = 7;
	made.job.scheduler = "/x/mine";
	run();
	/* What the run alone decides is not part of it: it would be loaded for each test anew. */
	assert_string_equal(str_get(&prelude),
			    "mine: KTSTR_PREPARE=1\nKTSTR_SCHED_CGROUP=/workers\n"
			    "2 files, 1 file follows: /ktstr-test");
	made.variant.sched = NULL;
	made.job.scheduler = NULL;
	run();
	assert_string_equal(str_get(&prelude), "");
}

static void libraries_that_are_missing_are_told(void **state)
{
	(void)state;
	missing_library = "libx.so";
	assert_int_equal(job_run_guest(&made.job, NULL, &made.out), -ENOENT);
	assert_string_equal(err_text(-ENOENT),
			    "the test program cannot run in the guest: shared library not found: "
			    "libx.so (needed by /t/test)");
	/* A script has none. */
	made.program.path = (char *)"/x/script";
	run();
}

static void memory_is_what_the_boot_needs_at_least(void **state)
{
	static const struct {
		unsigned int cores;
		uint64_t own_mib, floor_mib, expected;
	} rows[] = {
		{ 4, 0, 100, 256 }, { 5, 0, 100, 320 }, { 4, 1000, 100, 1000 }, { 4, 0, 300, 300 }
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		made.variant.topology.cores = rows[i].cores;
		made.variant.memory_mib = rows[i].own_mib;
		floor_mib = rows[i].floor_mib;
		run();
		assert_int_equal(last.spec.memory_mib, rows[i].expected);
	}
}

/* ---- what it says ---- */

static void say_everything(const struct vm_session *s, struct vm_result *out)
{
	frame(s, CHANNEL_READY, "ns=123\nkernel=7.0.13-x\n");
	frame(s, CHANNEL_STDOUT, "hello ");
	frame(s, CHANNEL_STDERR, "world\n");
	frame(s, CHANNEL_SCHED_LOG, "log 1\n");
	frame(s, CHANNEL_SCHED_LOG, "log 2\n");
	frame(s, CHANNEL_SCHED_DUMP, "dump 1\n");
	frame(s, CHANNEL_SCHED_DUMP, "dump 2\n");
	frame(s, CHANNEL_TEST_RESULT, "{\"first\":1}");
	frame(s, CHANNEL_TEST_RESULT, "{}");
	frame(s, CHANNEL_SCHED_REPORT, "{\"end\":\"ran\"}");
	frame(s, CHANNEL_STIMULUS, "abc");
	frame(s, CHANNEL_STIMULUS, "four and twenty letters.");
	frame(s, CHANNEL_STIMULUS, "four and twenty letters..");
	frame(s, CHANNEL_COVERAGE, "not wanted");
	frame(s, CHANNEL_PULSE, "ns=456\nevents=78\ntasks=9\n");
	frame(s, CHANNEL_LOG, "for others");
	out->outcome = VM_OUTCOME_CRASHED;
	out->status = 3;
	out->duration_ns = 11;
	out->lost_bytes = 5;
	out->template_key = strdup("template");
	str_add(&out->message, "it died");
	str_add(&out->diagnostics, "channel: odd\n");
	str_add(&out->console, "one\r\ntwo\r\nthree");
	str_add(&out->control, GUEST_LINE_STARTED "\n" GUEST_LINE_PAYLOAD "\n");
	strcpy(out->digest, "digest");
}

static void everything_that_is_said_is_kept(void **state)
{
	const struct outcome_facts *f = &made.out.facts;
	int fds[2];
	char byte = 0;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	made.job.event_fd = fds[1];
	say = say_everything;
	run();
	assert_int_equal(read(fds[0], &byte, 1), 1);
	assert_int_equal(byte, JOB_IS_RUNNING);
	close(fds[0]);
	close(fds[1]);
	assert_int_equal(f->end, OUTCOME_CRASHED);
	assert_int_equal(f->status, 3);
	assert_int_equal(f->duration_ns, 11);
	assert_int_equal(f->ready_ns, 123);
	assert_int_equal(f->guest_ns, 456);
	assert_int_equal(f->sched_events, 78);
	assert_int_equal(f->sched_tasks, 9);
	assert_true(f->has_started && f->has_payload_started && f->has_cleanup);
	assert_int_equal(f->cleanup_ns, 3 * S);
	assert_int_equal(f->profile_count, 0);
	assert_string_equal(f->digest, "digest");
	assert_string_equal(f->template_key, "template");
	assert_string_equal(str_get(&made.out.kernel_release), "7.0.13-x");
	assert_true(str_starts(str_get(&made.out.output), "hello world\n"));
	assert_non_null(strstr(str_get(&made.out.output),
			       "\n--- the last 5 of them did not fit the guest's channel ---\n"));
	assert_string_equal(str_get(&made.out.sched_log), "log 1\nlog 2\n");
	assert_string_equal(str_get(&made.out.sched_dump), "dump 1\ndump 2\n");
	assert_string_equal(str_get(&made.out.stimuli), "four and twenty letters.");
	assert_string_equal(str_get(&made.out.result), "{}");
	assert_string_equal(str_get(&made.out.sched_report), "{\"end\":\"ran\"}");
	assert_string_equal(str_get(&made.out.message), "it died");
	assert_string_equal(str_get(&made.out.diagnostics), "channel: odd\n");
	assert_string_equal(str_get(&made.out.console), "one\ntwo\nthree");
}

static void say_nothing(const struct vm_session *s, struct vm_result *out)
{
	(void)s;
	out->outcome = VM_OUTCOME_SILENT;
	str_add(&out->message, "it was reset");
}

static void silence_is_kept_as_silence(void **state)
{
	const struct outcome_facts *f = &made.out.facts;

	(void)state;
	say = say_nothing;
	run();
	assert_int_equal(f->end, OUTCOME_SILENT);
	assert_string_equal(str_get(&made.out.diagnostics),
			    "the guest ended without a result: it was reset\n");
	assert_false(f->has_started || f->has_payload_started || f->has_cleanup);
	assert_int_equal(f->cleanup_ns, 0);
	assert_string_equal(str_get(&made.out.output), "");
}

/* What is not a time is ignored, and that is told once, however often it is asked for. */
static void expect_told_once(const struct job *job)
{
	FILE *file = tmpfile();
	int was = dup(STDERR_FILENO), lines = 0, c;

	assert_non_null(file);
	setenv("KTSTR_ATTACH_TIMEOUT", "soon", 1);
	dup2(fileno(file), STDERR_FILENO);
	for (int i = 0; i < 3; i++)
		assert_int_equal(job_attach_s(job), 13);
	dup2(was, STDERR_FILENO);
	close(was);
	rewind(file);
	while ((c = fgetc(file)) != EOF)
		lines += c == '\n';
	fclose(file);
	assert_int_equal(lines, 1);
}

static void say_figures(const struct vm_session *s, struct vm_result *out)
{
	(void)s;
	out->exits.vcpus = 2;
	out->host_time.count = 3;
	str_add(&out->control,
		GUEST_LINE_STARTED "\n" GUEST_RESULT_START "{\"a\":1}" GUEST_RESULT_END);
}

/* Whatever is in the guest's files makes another run. */
static void the_hash_is_of_all_files(void **state)
{
	char first[SHA256_HEX_SIZE], other[SHA256_HEX_SIZE];

	(void)state;
	run();
	strcpy(first, made.out.facts.initramfs_hash);
	run();
	assert_string_equal(made.out.facts.initramfs_hash, first);
	made.kernel.base.key = (char *)"another base";
	run();
	strcpy(other, made.out.facts.initramfs_hash);
	assert_string_not_equal(other, first);
	made.test.observe = false; /* another setting */
	run();
	assert_string_not_equal(made.out.facts.initramfs_hash, other);
}

/* Result lines are what a guest without a channel says. */
static void a_guest_without_a_channel_has_its_result_in_lines(void **state)
{
	(void)state;
	say = say_figures;
	run();
	assert_string_equal(str_get(&made.out.result), "{\"a\":1}");
	assert_true(made.out.facts.has_started);
	assert_false(made.out.facts.has_payload_started);
	assert_int_equal(made.out.facts.exits.vcpus, 2);
	assert_int_equal(made.out.facts.host_time.count, 3);
	assert_string_equal(str_get(&made.out.diagnostics), "");
	assert_string_equal(made.out.facts.template_key, "");
}

static const char *ready;

static void say_ready(const struct vm_session *s, struct vm_result *out)
{
	frame(s, CHANNEL_READY, ready);
	frame(s, CHANNEL_READY, "ns=7\nkernel=second\n");
	frame(s, CHANNEL_READY, ready);
	str_add(&out->control, GUEST_RESULT_START "of the test" GUEST_RESULT_END);
}

static void values_are_read_from_lines(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
		const char *release;
	} rows[] = {
		{ "ns=123\nkernel=7.0\n", 123, "7.0" }, { "kernel=7.0\nns=123", 123, "7.0" },
		{ "ns=1\nkernel=7.0", 1, "7.0" },	{ "kernel=7.0\n", 0, "7.0" },
		{ "ns=no\nkernel=7.0\n", 0, "7.0" },	{ "begins=4\n", 0, "second" },
	};

	(void)state;
	say = say_ready;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		ready = rows[i].text;
		run();
		assert_int_equal(made.out.facts.ready_ns, rows[i].ns);
		assert_string_equal(str_get(&made.out.kernel_release), rows[i].release);
		/* It has a channel, so lines are output of the test. */
		assert_string_equal(str_get(&made.out.result), "");
	}
}

/* ---- the machine ---- */

static void performance_mode_needs_kvm_and_consent(void **state)
{
	static const struct {
		bool is_wanted, is_off;
		enum vm_accel accel;
		bool expected;
	} rows[] = {
		{ true, false, VM_ACCEL_KVM, true },
		{ false, false, VM_ACCEL_KVM, false },
		{ true, true, VM_ACCEL_KVM, false },
		{ true, false, VM_ACCEL_TCG, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		made.test.performance_mode = rows[i].is_wanted;
		made.world.no_perf_mode = rows[i].is_off;
		made.world.accel = rows[i].accel;
		run();
		assert_int_equal(last.spec.is_performance, rows[i].expected);
	}
}

static void declared_nodes_have_exactly_the_declared_memory(void **state)
{
	static struct ktstr_node nodes[] = { { .llcs = 1, .memory_mib = 200 },
					     { .llcs = 1, .memory_mib = 100 } };

	(void)state;
	made.variant.topology = (struct vm_topology){ 2, 2, 2, 1 };
	made.test.topology = (struct ktstr_topology){ 2, 2, 2, 1 };
	made.test.nodes.items = nodes;
	made.test.nodes.count = ARRAY_SIZE(nodes);
	made.variant.has_own_nodes = true;
	floor_mib = 300;
	run();
	assert_int_equal(last.spec.memory_mib, 300);
	assert_true(last.spec.numa.has_nodes);
	floor_mib = 301;
	assert_int_equal(job_run_guest(&made.job, NULL, &made.out), -EINVAL);
	assert_string_equal(err_text(-EINVAL),
			    "nodes: they have 300 MiB together; this kernel and the files of the "
			    "run need 301 MiB to boot");
	/* Those of a preset are all alike. */
	made.variant.has_own_nodes = false;
	run();
	assert_false(last.spec.numa.has_nodes);
	made.variant.has_own_nodes = true;
	made.test.nodes.count = 1;
	assert_int_equal(job_run_guest(&made.job, NULL, &made.out), -EINVAL);
	err_clear();
}

/* In sim it would be another run. */
static void the_kernel_talks_when_it_is_asked_to(void **state)
{
	static const struct {
		bool of_knobs, of_world;
		const char *variable;
		enum vm_accel accel;
		bool expected;
	} rows[] = {
		{ false, false, NULL, VM_ACCEL_KVM, false },
		{ true, false, NULL, VM_ACCEL_SIM, true },
		{ false, true, NULL, VM_ACCEL_KVM, true },
		{ false, true, NULL, VM_ACCEL_SIM, false },
		{ false, false, "1", VM_ACCEL_KVM, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		made.knobs.is_verbose = rows[i].of_knobs;
		made.world.is_verbose = rows[i].of_world;
		made.world.accel = rows[i].accel;
		if (rows[i].variable)
			setenv("KTSTR_VERBOSE", rows[i].variable, 1);
		run();
		unsetenv("KTSTR_VERBOSE");
		assert_int_equal(last.spec.is_verbose, rows[i].expected);
	}
}

/* ---- limits ---- */

static void limits_follow_from_what_is_to_be_done(void **state)
{
	uint64_t plain;

	(void)state;
	made.world.slow_ns = S;
	/* 5 s, 3 s to attach, 10.6 s to be ready, 30 s besides. */
	plain = job_guest_limit_ns(&made.job);
	assert_int_equal(plain, 48600 * NSEC_PER_MSEC);
	assert_int_equal(job_limit_ns(&made.job), plain);
	assert_int_equal(job_slow_ns(&made.job), S);
	assert_int_equal(job_total_limit_ns(&made.job),
			 4 * (plain + vm_boot_limit_ns(&made.variant.topology) + 30 * S));
	/*
	 * A scheduler may take four times as long to attach while it loads programs, and stay away
	 * once as long; two rounds take twice as long.
	 */
	made.variant.sched = &made.sched;
	assert_int_equal(job_guest_limit_ns(&made.job), plain + (9 + 3) * S);
	made.test.attach_timeout_s = 13;
	assert_int_equal(job_guest_limit_ns(&made.job), plain + (10 + 13) * S);
	made.test.attach_timeout_s = 0;
	made.test.return_timeout_s = 20;
	assert_int_equal(job_guest_limit_ns(&made.job), plain + (9 + 20) * S);
	made.knobs.versus_eevdf = true;
	assert_int_equal(job_guest_limit_ns(&made.job), plain + (9 + 25) * S);
	made.variant.sched = NULL;
	assert_int_equal(job_guest_limit_ns(&made.job), plain);
	made.test.attach_timeout_s = 13;
	assert_int_equal(job_guest_limit_ns(&made.job), plain + 10 * S);
	/* The environment has the last word, in whole seconds; what is not a time is ignored. */
	setenv("KTSTR_ATTACH_TIMEOUT", "22500ms", 1);
	assert_int_equal(job_attach_s(&made.job), 23);
	assert_int_equal(job_guest_limit_ns(&made.job), plain + 20 * S);
	expect_told_once(&made.job);
	/* A limit that is summed up with others stays a long one. */
	setenv("KTSTR_ATTACH_TIMEOUT", "18446744073s", 1);
	assert_int_equal(job_attach_s(&made.job), 7 * 24 * 3600);
	assert_true(job_guest_limit_ns(&made.job) > 24 * 3600 * S);
	unsetenv("KTSTR_ATTACH_TIMEOUT");
	made.test.attach_timeout_s = 0;
	/* The run's own limit is a lower one only. */
	made.world.slow_ns = 60 * S;
	made.world.slow_periods = 2;
	assert_int_equal(job_guest_limit_ns(&made.job), 120 * S);
	/* Emulation may take ten times as long, and longer to attach. */
	made.world.slow_ns = S;
	made.world.accel = VM_ACCEL_TCG;
	assert_int_equal(job_guest_limit_ns(&made.job), plain + 27 * S);
	assert_int_equal(job_limit_ns(&made.job), 10 * (plain + 27 * S));
	assert_int_equal(job_slow_ns(&made.job), 10 * S);
	/* A test of the host knows no accelerator. */
	made.test.host_only = true;
	assert_int_equal(job_limit_ns(&made.job), plain);
	assert_int_equal(job_slow_ns(&made.job), S);
}

static void large_machines_take_their_time(void **state)
{
	static const struct preset preset = { .name = "large" };

	(void)state;
	made.variant.preset = &preset;
	assert_int_equal(job_slow_ns(&made.job), 120 * S);
	made.world.slow_ns = 200 * S;
	assert_int_equal(job_slow_ns(&made.job), 200 * S);
	made.variant.preset = NULL;
	made.world.slow_ns = 60 * S;
	assert_int_equal(job_slow_ns(&made.job), 60 * S);
	made.test.name = (char *)"demo_x";
	assert_int_equal(job_slow_ns(&made.job), 120 * S);
	/* However many CPUs there are, a guest is ready after 90 s. */
	made.test.name = (char *)"race";
	made.world.slow_ns = 0;
	made.variant.topology.cores = 1000;
	assert_int_equal(job_guest_limit_ns(&made.job), (5 + 3 + 90 + 30) * S);
}

static void a_test_keeps_as_many_cpus_busy_as_its_accelerator_can(void **state)
{
	(void)state;
	assert_int_equal(job_cpus(&made.job), 2);
	made.allowed.count = 8;
	assert_int_equal(job_cpus(&made.job), 4);
	made.allowed.count = 0;
	assert_int_equal(job_cpus(&made.job), 1);
	made.allowed.count = 8;
	made.test.accel = (char *)"tcg";
	assert_int_equal(job_accel(&made.job), VM_ACCEL_TCG);
	assert_int_equal(job_cpus(&made.job), 1);
	made.test.accel = NULL;
	made.test.host_only = true;
	assert_int_equal(job_cpus(&made.job), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE(a_plain_test_gets_its_program_and_arguments),
		MADE(knobs_become_arguments),
		MADE(sim_has_its_own_words),
		MADE(a_scheduler_comes_with_all_that_it_wants),
		MADE(a_scheduler_is_loaded_apart_from_the_test),
		MADE(libraries_that_are_missing_are_told),
		MADE(memory_is_what_the_boot_needs_at_least),
		MADE(everything_that_is_said_is_kept),
		MADE(silence_is_kept_as_silence),
		MADE(the_hash_is_of_all_files),
		MADE(a_guest_without_a_channel_has_its_result_in_lines),
		MADE(values_are_read_from_lines),
		MADE(performance_mode_needs_kvm_and_consent),
		MADE(declared_nodes_have_exactly_the_declared_memory),
		MADE(the_kernel_talks_when_it_is_asked_to),
		MADE(limits_follow_from_what_is_to_be_done),
		MADE(large_machines_take_their_time),
		MADE(a_test_keeps_as_many_cpus_busy_as_its_accelerator_can),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
