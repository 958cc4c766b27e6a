// SPDX-License-Identifier: GPL-2.0-only
/* Many tests at once: what there is to run, what the machine can give, and how attempts end. */
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/cpulist.h"
#include "base/err.h"
#include "base/interrupt.h"
#include "run/parts.h"
#include "vm/machine.h"

#define MAX_TASKS 6

/* ---- programs of the host, one for all tests: the name of the test says what it does ---- */

static const char script[] =
	"#!/bin/sh\n"
	"name=$2\n"
	"for result; do :; done\n"
	"case $name in\n"
	"pass*) echo out of $name; echo to stderr >&2; printf '{\"name\":\"%s\"}' $name >$result;;\n"
	"args) echo \"$@\";;\n"
	"status) exit 7;;\n"
	"signal) kill -ABRT $$;;\n"
	"nap) sleep 0.1;;\n"
	"long) sleep 0.6;;\n"
	"hang) sleep 1000;;\n"
	"orphan) sleep 1000 & echo left;;\n"
	"killer) kill -9 $PPID; sleep 1000;;\n"
	"stopper) kill -STOP $PPID; sleep 1000;;\n"
	"esac\n";

static uint64_t speed = 1; /* so many seconds to a second */

uint64_t __wrap_clock_mono_ns(void);
int __wrap_job_run_guest(const struct job *job, const struct plan *plan, struct outcome *out);

uint64_t __wrap_clock_mono_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return ((uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec) * speed;
}

/* A guest that the test plays; the plan is that of its host CPUs. */
int __wrap_job_run_guest(const struct job *job, const struct plan *plan, struct outcome *out)
{
	(void)plan;
	if (str_eq(job->variant->test->name, "impossible"))
		return err_set(ENOMEM, "no memory for it");
	out->facts.end = OUTCOME_EXITED;
	str_add(&out->result, "guest");
	fputs("a note\n", stderr);
	usleep(50000);
	return 0;
}

static struct {
	char *dir;
	struct test_program program;
	struct probe_test tests[MAX_TASKS];
	struct variant variants[MAX_TASKS];
	struct task tasks[MAX_TASKS];
	struct run_knobs knobs;
	struct run_world world;
	struct cpulist allowed;
	struct execute_limits limits;
	/* What was seen. */
	size_t running, most, started, ended, slow, seen_running;
	struct str ends; /* "name:end:status " */
	struct outcome last;
	enum task_next (*next)(struct task *t);
} made;

static int start(void **state)
{
	_free_ char *path = NULL;

	(void)state;
	memset(&made, 0, sizeof(made));
	made.dir = unit_temp_create();
	unit_write(made.dir, "program", script);
	path = str_fmt("%s/program", made.dir);
	assert_int_equal(chmod(path, 0755), 0);
	made.program.path = take_ptr(&path);
	made.knobs = RUN_KNOBS_DEFAULT;
	made.limits = (struct execute_limits){ .cpus = MAX_TASKS };
	made.allowed.count = 4;
	made.world = (struct run_world){ .accel = VM_ACCEL_KVM,
					 .allowed = &made.allowed,
					 .slow_ns = 60 * NSEC_PER_SEC,
					 .slow_periods = 1 };
	setenv("KTSTR_BYPASS_LLC_LOCKS", "1", 1);
	speed = 1;
	return 0;
}

static int stop(void **state)
{
	(void)state;
	free(made.program.path);
	str_finish(&made.ends);
	outcome_finish(&made.last);
	unit_temp_remove(made.dir);
	return 0;
}

#define MADE(f) cmocka_unit_test_setup_teardown(f, start, stop)

static struct task *add(size_t i, const char *name)
{
	made.tests[i] = (struct probe_test){ .name = name, .host_only = true };
	made.variants[i] = (struct variant){ .program = &made.program,
					     .test = &made.tests[i],
					     .topology = { 1, 1, 2, 1 } };
	made.tasks[i] = (struct task){ .job = { .world = &made.world,
						.variant = &made.variants[i],
						.knobs = &made.knobs,
						.event_fd = -1 },
				       .attempt = 1 };
	return &made.tasks[i];
}

static void on_started(void *ctx, struct task *t)
{
	(void)ctx;
	assert_true(t->is_begun && !t->is_ended && !t->running_ns && !t->is_slow);
	made.started++;
	made.running++;
	made.most = MAX(made.most, made.running);
}

static void on_slow(void *ctx, struct task *t)
{
	(void)ctx;
	assert_true(t->is_slow && t->running_ns);
	made.slow++;
}

static enum task_next on_ended(void *ctx, struct task *t, struct outcome *o)
{
	(void)ctx;
	made.running--;
	made.ended++;
	str_addf(&made.ends, "%s:%d:%d ", t->job.variant->test->name, (int)o->facts.end,
		 o->facts.status);
	outcome_finish(&made.last);
	made.last = *o;
	*o = (struct outcome){};
	return made.next ? made.next(t) : TASK_DONE;
}

static void on_tick(void *ctx, struct task *const *running, size_t count)
{
	(void)ctx;
	assert_int_equal(count, made.running);
	for (size_t i = 0; i < count; i++)
		made.seen_running += running[i]->running_ns != 0;
}

static void execute(size_t count)
{
	const struct execute_callbacks callbacks = {
		.started = on_started, .slow = on_slow, .ended = on_ended, .tick = on_tick
	};
	int rc = execute_tasks(made.tasks, count, &made.limits, &callbacks);

	if (rc < 0)
		fail_msg("%s", err_text(rc));
	assert_int_equal(made.running, 0);
}

static void expect_end(const char *name, enum outcome_end end, int status)
{
	_free_ char *expected = str_fmt("%s:%d:%d ", name, (int)end, status);

	str_reset(&made.ends);
	add(0, name);
	execute(1);
	assert_string_equal(str_get(&made.ends), expected);
}

static void programs_of_the_host_end_as_they_do(void **state)
{
	(void)state;
	expect_end("pass", OUTCOME_EXITED, 0);
	assert_string_equal(str_get(&made.last.result), "{\"name\":\"pass\"}");
	assert_string_equal(str_get(&made.last.output), "out of pass\nto stderr\n");
	assert_string_equal(str_get(&made.last.notes), "");
	assert_true(made.last.facts.has_started && made.last.facts.has_payload_started);
	assert_false(made.last.facts.is_guest);
	assert_int_not_equal(made.last.facts.duration_ns, 0);
	expect_end("status", OUTCOME_EXITED, 7);
	assert_string_equal(str_get(&made.last.result), "");
	expect_end("signal", OUTCOME_EXITED, 128 + SIGABRT);
	/* What it left behind does not keep us waiting. */
	expect_end("orphan", OUTCOME_EXITED, 0);
	assert_string_equal(str_get(&made.last.output), "left\n");
	assert_int_equal(made.slow, 0);
}

static void programs_of_the_host_get_no_arguments_of_guests(void **state)
{
	_free_ char *expected = NULL;
	const char *result;

	(void)state;
	made.world.accel = VM_ACCEL_SIM;
	made.knobs.duration_ms = 900;
	add(0, "args")->job.seed = 3;
	execute(1);
	result = strstr(str_get(&made.last.output), "/proc/self/fd/");
	assert_non_null(result);
	expected =
		str_fmt("--ktstr-body args --seed 3 --duration-ms 900 --quiet --result %s", result);
	assert_string_equal(str_get(&made.last.output), expected);
}

static void a_program_that_is_not_there_was_not_run(void **state)
{
	(void)state;
	free(made.program.path);
	made.program.path = strdup("/nowhere/program");
	expect_end("pass", OUTCOME_NOT_RUN, 0);
	assert_non_null(strstr(str_get(&made.last.message), "/nowhere/program"));
}

static void a_program_that_hangs_has_timed_out(void **state)
{
	(void)state;
	speed = 200;
	expect_end("hang", OUTCOME_TIMED_OUT, 0);
	/* The minute of the profile is more than a test without a duration needs. */
	assert_true(made.last.facts.duration_ns >= 60 * NSEC_PER_SEC);
}

static void a_program_that_takes_long_is_slow(void **state)
{
	(void)state;
	speed = 100;
	made.world.slow_ns = 10 * NSEC_PER_SEC;
	add(0, "long");
	execute(1);
	assert_int_equal(made.slow, 1);
	assert_true(made.tasks[0].is_slow);
	assert_int_not_equal(made.seen_running, 0);
}

static void a_worker_that_dies_is_one_lost_test(void **state)
{
	(void)state;
	add(0, "killer");
	add(1, "pass");
	execute(2);
	assert_int_equal(made.ended, 2);
	expect_end("killer", OUTCOME_LOST, 0);
	assert_string_equal(str_get(&made.last.message),
			    "the process that ran the test was killed by signal 9 (Killed)");
}

static void a_worker_that_is_stuck_is_killed(void **state)
{
	(void)state;
	speed = 2000;
	expect_end("stopper", OUTCOME_LOST, 0);
	assert_string_equal(str_get(&made.last.message),
			    "the process that ran the test did not end in time and was killed");
}

/* ---- how many at once ---- */

static void as_many_run_as_there_are_jobs_and_cpus(void **state)
{
	static const struct {
		size_t jobs, cpus, expected;
	} rows[] = { { 0, 3, 3 }, { 2, 6, 2 }, { 4, 3, 3 }, { 1, 6, 1 }, { 0, 0, 1 }, { 0, 6, 4 } };

	(void)state;
	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		made.limits = (struct execute_limits){ .jobs = rows[r].jobs, .cpus = rows[r].cpus };
		made.most = made.ended = 0;
		for (size_t i = 0; i < 4; i++)
			add(i, "nap");
		execute(4);
		assert_int_equal(made.most, rows[r].expected);
		assert_int_equal(made.ended, 4);
	}
}

static void guests_share_cpus_and_memory(void **state)
{
	static const struct {
		size_t cpus;
		uint64_t memory_mib;
		size_t expected;
	} rows[] = { { 6, 0, 3 }, { 6, 768, 3 }, { 6, 767, 2 }, { 5, 0, 2 },
		     { 4, 0, 2 }, { 1, 0, 1 },	 { 6, 1, 1 } };

	(void)state;
	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		made.limits = (struct execute_limits){ .cpus = rows[r].cpus,
						       .memory_mib = rows[r].memory_mib };
		made.most = 0;
		for (size_t i = 0; i < 3; i++)
			add(i, "guest"), made.tests[i].host_only = false;
		execute(3);
		assert_int_equal(made.most, rows[r].expected);
	}
	assert_string_equal(str_get(&made.last.notes), "a note\n");
}

/* A small one may pass a large one that waits for room. */
static void what_does_not_fit_keeps_its_place(void **state)
{
	(void)state;
	made.limits.cpus = 3;
	for (size_t i = 0; i < 3; i++)
		add(i, i == 2 ? "nap" : "guest"), made.tests[i].host_only = i == 2;
	execute(3);
	assert_int_equal(made.most, 2);
	assert_int_equal(made.ended, 3);
}

/* ---- what comes after an attempt ---- */

static enum task_next once_more(struct task *t)
{
	if (t->attempt++ > 1)
		return TASK_DONE;
	t->not_before_ns = clock_mono_ns() + 300 * NSEC_PER_MSEC;
	return TASK_RETRY;
}

static void another_attempt_is_made_when_its_time_has_come(void **state)
{
	uint64_t begin = clock_mono_ns();

	(void)state;
	add(0, "pass");
	made.next = once_more;
	execute(1);
	assert_int_equal(made.started, 2);
	assert_true(made.tasks[0].is_ended);
	assert_true(clock_mono_ns() - begin >= 300 * NSEC_PER_MSEC);
}

static enum task_next stop_after(struct task *t)
{
	(void)t;
	return TASK_STOP;
}

static void no_test_is_begun_after_a_stop(void **state)
{
	(void)state;
	made.limits.jobs = 2;
	for (size_t i = 0; i < 4; i++)
		add(i, i ? "nap" : "pass");
	made.next = stop_after;
	execute(4);
	/* That which ran already comes to its end. */
	assert_int_equal(made.started, 2);
	assert_int_equal(made.ended, 2);
	assert_false(made.tasks[2].is_begun || made.tasks[3].is_begun);
}

/* In a process of its own: a signal is remembered for ever. */
static int run_interrupted(void)
{
	const struct execute_callbacks callbacks = { .ended = on_ended, .tick = on_tick };
	int rc;

	interrupt_install();
	add(0, "hang");
	add(1, "stopper");
	made.running = 2;
	alarm(20);
	raise(SIGTERM);
	made.limits.cpus = 2;
	rc = execute_tasks(made.tasks, 2, &made.limits, &callbacks);
	return rc == -EINTR && made.ended == 2 ? 0 : 1;
}

static void an_interrupt_ends_all_that_run(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		_exit(run_interrupted());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* ---- figures of a job ---- */

static bool has_arg(const struct job *job, const char *wanted)
{
	struct job_args a;
	bool has = false;

	assert_int_equal(job_args_make(&a, job, "/t", "/r"), 0);
	for (size_t i = 0; i < a.count; i++)
		has |= str_eq(a.argv[i], wanted);
	job_args_finish(&a);
	return has;
}

/* Only under a scheduler; in sim always, elsewhere where something is made of them. */
static void snapshots_are_taken_of_guests_under_a_scheduler(void **state)
{
	static const struct probe_sched sched = { .name = "mine" };
	static const char *places[] = { "x" };
	static const struct {
		enum vm_accel accel;
		bool has_sched, host_only;
		struct probe_test wishes;
		bool expected;
	} rows[] = {
		{ VM_ACCEL_SIM, true, false, {}, true },
		{ VM_ACCEL_SIM, false, false, {}, false },
		{ VM_ACCEL_SIM, true, true, {}, false },
		{ VM_ACCEL_KVM, true, false, {}, false },
		{ VM_ACCEL_KVM, true, false, { .has_post_vm = true }, true },
		{ VM_ACCEL_KVM, true, false, { .has_post_vm_unconditional = true }, true },
		{ VM_ACCEL_KVM, true, false, { .num_snapshots = 1 }, true },
		{ VM_ACCEL_TCG, true, false, { .watch_snapshots = { places, 1 } }, true },
		{ VM_ACCEL_TCG, true, false, { .bpf_map_write = { places, 1 } }, true },
		{ VM_ACCEL_TCG, false, false, { .bpf_map_write = { places, 1 } }, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task *t = add(0, "guest");

		made.tests[0] = rows[i].wishes;
		made.tests[0].name = "guest";
		made.tests[0].host_only = rows[i].host_only;
		made.variants[0].sched = rows[i].has_sched ? &sched : NULL;
		made.world.accel = rows[i].accel;
		assert_int_equal(job_has_snapshots(&t->job), rows[i].expected);
		assert_int_equal(has_arg(&t->job, "--has-snapshots"), rows[i].expected);
		/* Where no plugin hears it, the test asks the host. */
		assert_int_equal(has_arg(&t->job, "--asks-by-channel"),
				 rows[i].expected && !vm_has_plugin(vm_arch_host(), rows[i].accel));
	}
	assert_false(vm_has_plugin(vm_arch_host(), VM_ACCEL_KVM));
}

static void limits_of_a_job_follow_from_its_test(void **state)
{
	static const struct probe_sched sched = { .name = "mine" };
	struct task *t = add(0, "guest");
	struct probe_test *test = &made.tests[0];
	uint64_t of_kvm, with_sched;

	(void)state;
	test->host_only = false;
	test->duration_ms = 100000;
	/* 100 s, 3 s to attach, 10.3 s to be ready and 30 s besides. */
	of_kvm = job_guest_limit_ns(&t->job);
	assert_int_equal(of_kvm, UINT64_C(143300) * NSEC_PER_MSEC);
	assert_int_equal(job_limit_ns(&t->job), of_kvm);
	/* The knob counts more than the test, and a comparison takes two rounds. */
	made.knobs.duration_ms = 90000;
	assert_int_equal(job_duration_ms(&t->job), 90000);
	assert_int_equal(job_guest_limit_ns(&t->job), of_kvm - 10 * NSEC_PER_SEC);
	made.knobs.duration_ms = 0;
	test->versus = "eevdf";
	assert_int_equal(job_guest_limit_ns(&t->job), of_kvm + 100 * NSEC_PER_SEC);
	test->versus = NULL;
	made.knobs.versus_eevdf = true; /* without a scheduler there is nothing to compare */
	assert_int_equal(job_guest_limit_ns(&t->job), of_kvm);
	made.knobs.versus_eevdf = false;
	made.variants[0].sched = &sched;
	with_sched = job_guest_limit_ns(&t->job);
	assert_true(with_sched > of_kvm);
	test->return_timeout_s = 50;
	assert_int_equal(job_guest_limit_ns(&t->job), with_sched + 47 * NSEC_PER_SEC);
	test->return_timeout_s = 0;
	test->attach_timeout_s = 20;
	/* 20 s to attach and 20 to come back, and nothing for loading. */
	assert_int_equal(job_guest_limit_ns(&t->job), of_kvm + 37 * NSEC_PER_SEC);
	test->attach_timeout_s = 0;
	made.variants[0].sched = NULL;
	/* Emulation is ten times as slow, but not for the guest itself. */
	made.world.accel = VM_ACCEL_TCG;
	assert_int_equal(job_guest_limit_ns(&t->job), of_kvm + 27 * NSEC_PER_SEC);
	assert_int_equal(job_limit_ns(&t->job), 10 * job_guest_limit_ns(&t->job));
	assert_int_equal(job_slow_ns(&t->job), 600 * NSEC_PER_SEC);
	assert_int_equal(job_cpus(&t->job), 1);
	test->accel = "kvm"; /* its own wish counts */
	assert_int_equal(job_cpus(&t->job), 2);
	assert_int_equal(job_slow_ns(&t->job), 60 * NSEC_PER_SEC);
	test->name = "demo_guest";
	assert_int_equal(job_slow_ns(&t->job), 120 * NSEC_PER_SEC);
	made.allowed.count = 1;
	assert_int_equal(job_cpus(&t->job), 1);
	assert_int_equal(job_memory_mib(&made.variants[0]), 256);
	made.variants[0].topology.cores = 8;
	assert_int_equal(job_memory_mib(&made.variants[0]), 512);
	made.variants[0].memory_mib = 4096;
	assert_int_equal(job_memory_mib(&made.variants[0]), 4096);
}

/* ---- what is not run at all ---- */

static struct task *add_guest(const char *name)
{
	struct task *t = add(0, name);

	made.tests[0].host_only = false;
	return t;
}

static void expect_job(enum outcome_end end, const char *message)
{
	struct outcome o;

	job_run(&made.tasks[0].job, &o);
	assert_int_equal(o.facts.end, end);
	assert_string_equal(str_get(&o.message), message);
	assert_int_equal(o.facts.is_guest, !made.tests[0].host_only);
	outcome_finish(&o);
}

static void what_cannot_be_run_is_skipped_or_told(void **state)
{
	static struct run_kernel kernel = { .image.has_scx = KERNEL_NO };
	static const struct run_kernels kernels = { .items = { .items = &kernel, .count = 1 } };
	static const struct probe_sched sched = { .name = "mine" };
	struct task *t;

	(void)state;
	add_guest("guest")->job.problem = "its scheduler is not there";
	expect_job(OUTCOME_NOT_RUN, "its scheduler is not there");
	add_guest("guest");
	expect_job(OUTCOME_EXITED, "");
	add_guest("impossible");
	expect_job(OUTCOME_NOT_RUN, "no memory for it");
	made.world.no_kvm = "no /dev/kvm";
	add_guest("guest");
	expect_job(OUTCOME_SKIPPED, "no /dev/kvm");
	/* That matters only to who needs it. */
	add(0, "pass");
	expect_job(OUTCOME_EXITED, "");
	made.world.accel = VM_ACCEL_TCG;
	add_guest("guest");
	expect_job(OUTCOME_EXITED, "");
	made.tests[0].performance_mode = true;
	expect_job(OUTCOME_SKIPPED, "PerfModeUnavailable: performance mode needs KVM");
	made.tests[0].no_perf_mode = true;
	expect_job(OUTCOME_EXITED, "");
	/* A kernel without sched_ext runs tests that have no scheduler. */
	made.world.kernels = &kernels;
	t = add_guest("guest");
	expect_job(OUTCOME_EXITED, "");
	made.variants[0].sched = &sched;
	t->job.scheduler = "/x/mine";
	made.last = (struct outcome){};
	job_run(&t->job, &made.last);
	assert_int_equal(made.last.facts.end, OUTCOME_SKIPPED);
	assert_non_null(strstr(str_get(&made.last.message), "sched_ext"));
}

/* 300 CPUs are more than QEMU can simulate; that nodes are impossible is told by the run. */
static void machines_that_cannot_be_simulated_are_skipped(void **state)
{
	static struct ktstr_node nodes[] = { { .llcs = 1, .memory_mib = 512 },
					     { .llcs = 1, .memory_mib = 512 } };
	_free_ char *expected = NULL;

	(void)state;
	if (vm_arch_host() != VM_ARCH_X86_64)
		skip();
	made.world.accel = VM_ACCEL_SIM;
	for (size_t count = 0; count <= 2; count++) {
		struct vm_spec spec = { .arch = VM_ARCH_X86_64,
					.accel = VM_ACCEL_SIM,
					.topology = { 1, 1, 300, 1 } };

		add_guest("guest");
		made.variants[0].topology = spec.topology;
		made.tests[0].topology = (struct ktstr_topology){ 1, 1, 300, 1 };
		made.tests[0].nodes.items = nodes;
		made.tests[0].nodes.count = count;
		assert_int_equal(vm_machine_check(&spec), -ENOTSUP);
		free(expected);
		expected = strdup(err_text(-ENOTSUP));
		expect_job(OUTCOME_SKIPPED, expected);
		made.variants[0].has_own_nodes = true;
		expect_job(count < 2 ? OUTCOME_SKIPPED : OUTCOME_EXITED, count < 2 ? expected : "");
		made.world.accel = VM_ACCEL_TCG;
		expect_job(OUTCOME_EXITED, "");
		made.world.accel = VM_ACCEL_SIM;
	}
	err_clear();
}

/* Those behind the end would keep it waiting for ever. */
static void only_tasks_that_were_given_are_waited_for(void **state)
{
	static struct task tasks[2];
	const struct execute_limits limits = { .cpus = 1 };
	const struct execute_callbacks none = {};

	(void)state;
	assert_int_equal(execute_tasks(tasks, 0, &limits, &none), 0);
	tasks[0].is_ended = true;
	assert_int_equal(execute_tasks(tasks, 1, &limits, &none), 0);
	assert_false(tasks[0].is_begun || tasks[1].is_begun);
}

static unsigned long long total_mib(void)
{
	unsigned long long kib = 0;
	FILE *file = fopen("/proc/meminfo", "r");

	assert_non_null(file);
	assert_int_equal(fscanf(file, "MemTotal: %llu", &kib), 1);
	fclose(file);
	return kib / 1024;
}

static void memory_is_a_part_of_the_machines(void **state)
{
	const struct cpulist allowed = { .count = 3 };
	struct execute_limits limits = { .jobs = 7 };

	(void)state;
	execute_limits_read(&allowed, 0, 0, &limits);
	assert_int_equal(limits.cpus, 3);
	assert_int_equal(limits.jobs, 0);
	assert_in_range(limits.memory_mib, 1, total_mib() * 9 / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_tasks_that_were_given_are_waited_for),
		cmocka_unit_test(memory_is_a_part_of_the_machines),
		MADE(programs_of_the_host_end_as_they_do),
		MADE(programs_of_the_host_get_no_arguments_of_guests),
		MADE(a_program_that_is_not_there_was_not_run),
		MADE(a_program_that_hangs_has_timed_out),
		MADE(a_program_that_takes_long_is_slow),
		MADE(a_worker_that_dies_is_one_lost_test),
		MADE(a_worker_that_is_stuck_is_killed),
		MADE(as_many_run_as_there_are_jobs_and_cpus),
		MADE(guests_share_cpus_and_memory),
		MADE(what_does_not_fit_keeps_its_place),
		MADE(another_attempt_is_made_when_its_time_has_come),
		MADE(no_test_is_begun_after_a_stop),
		MADE(an_interrupt_ends_all_that_run),
		MADE(snapshots_are_taken_of_guests_under_a_scheduler),
		MADE(limits_of_a_job_follow_from_its_test),
		MADE(what_cannot_be_run_is_skipped_or_told),
		MADE(machines_that_cannot_be_simulated_are_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
