// SPDX-License-Identifier: GPL-2.0-only
/* What is looked at before a test runs: whether it can, and which CPUs of the host it waits for. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "host/reserve.h"
#include "host/sandbox.h"
#include "run/parts.h"
#include "vm/machine.h"

static struct reserve_request asked;
static struct str told; /* what was done, in its order */
static int acquire_rc, enter_rc, run_rc, machine_rc, scx_rc;
static enum skip_reason skip_why;

int __wrap_reservation_acquire(struct reservation *r, const struct reserve_request *request);
void __wrap_reservation_release(struct reservation *r);
int __wrap_sandbox_enter_plan(struct sandbox *s, const struct plan *plan, bool is_explicit);
void __wrap_sandbox_leave(struct sandbox *s);
int __wrap_job_run_guest(const struct job *job, const struct plan *plan, struct outcome *out);
int __wrap_job_run_host(const struct job *job, struct outcome *out);
int __wrap_vm_machine_check(const struct vm_spec *spec);
int __wrap_kernel_require_scx(const struct kernel_image *k);

int __wrap_reservation_acquire(struct reservation *r, const struct reserve_request *request)
{
	asked = *request;
	str_add(&told, "acquire ");
	request->waits(request->ctx);
	if (acquire_rc < 0) {
		r->skip = skip_why;
		return err_set(-acquire_rc, "busy");
	}
	r->plan.cpu_count = 3;
	return 0;
}

void __wrap_reservation_release(struct reservation *r)
{
	(void)r;
	str_add(&told, "release ");
}

int __wrap_sandbox_enter_plan(struct sandbox *s, const struct plan *plan, bool is_explicit)
{
	(void)s;
	assert_int_equal(plan->cpu_count, 3);
	str_add(&told, is_explicit ? "enter-explicit " : "enter ");
	return enter_rc < 0 ? err_set(-enter_rc, "no sandbox") : 0;
}

void __wrap_sandbox_leave(struct sandbox *s)
{
	(void)s;
	str_add(&told, "leave ");
}

int __wrap_job_run_guest(const struct job *job, const struct plan *plan, struct outcome *out)
{
	(void)job;
	str_addf(&told, "guest-on-%zu ", plan->cpu_count);
	str_add(&out->message, "from the run");
	out->facts.end = OUTCOME_EXITED;
	return run_rc < 0 ? err_set(-run_rc, "it ended badly") : 0;
}

int __wrap_job_run_host(const struct job *job, struct outcome *out)
{
	(void)job;
	str_add(&told, "host ");
	out->facts.end = OUTCOME_EXITED;
	return 0;
}

int __wrap_vm_machine_check(const struct vm_spec *spec)
{
	assert_int_equal(spec->arch, vm_arch_host());
	return machine_rc < 0 ? err_set(-machine_rc, "no such machine") : 0;
}

int __wrap_kernel_require_scx(const struct kernel_image *k)
{
	assert_string_equal(k->key, "second");
	return scx_rc < 0 ? err_set(-scx_rc, "no sched_ext") : 0;
}

static struct {
	struct topology topology;
	struct cpulist allowed;
	struct run_kernel kernels[2];
	struct run_kernels all;
	struct run_world world;
	struct run_knobs knobs;
	struct probe_test test;
	struct probe_sched sched;
	struct variant variant;
	struct job job;
	struct outcome out;
	int events[2];
} made;

static int start(void **state)
{
	(void)state;
	memset(&made, 0, sizeof(made));
	memset(&asked, 0, sizeof(asked));
	acquire_rc = enter_rc = run_rc = machine_rc = scx_rc = 0;
	skip_why = SKIP_NONE;
	unsetenv("KTSTR_BYPASS_LLC_LOCKS");
	made.kernels[1].image.key = (char *)"second";
	made.all.items.items = made.kernels;
	made.all.items.count = 2;
	made.world = (struct run_world){ .accel = VM_ACCEL_KVM,
					 .kernels = &made.all,
					 .host = &made.topology,
					 .allowed = &made.allowed };
	made.test = (struct probe_test){ .name = "t" };
	made.variant =
		(struct variant){ .test = &made.test, .topology = { 2, 4, 3, 2 }, .kernel = 1 };
	made.job = (struct job){ .world = &made.world,
				 .variant = &made.variant,
				 .knobs = &made.knobs };
	assert_int_equal(pipe2(made.events, O_CLOEXEC | O_NONBLOCK), 0);
	made.job.event_fd = made.events[1];
	return 0;
}

static int stop(void **state)
{
	(void)state;
	outcome_finish(&made.out);
	str_finish(&told);
	told = (struct str){};
	close(made.events[0]);
	close(made.events[1]);
	return 0;
}

#define JOB(f) cmocka_unit_test_setup_teardown(f, start, stop)

/* What it does, which events the parent hears of, and how it ends. */
static void expect_job(const char *done, const char *events, enum outcome_end end,
		       const char *message)
{
	char heard[16] = "";

	outcome_finish(&made.out);
	str_reset(&told);
	job_run(&made.job, &made.out);
	(void)!read(made.events[0], heard, sizeof(heard) - 1);
	assert_string_equal(str_get(&told), done);
	assert_string_equal(heard, events);
	assert_int_equal(made.out.facts.end, end);
	assert_string_equal(str_get(&made.out.message), message);
}

#define WAITED_AND_RAN ((char[]){ JOB_WAITS, JOB_HAS_CPUS, 0 })
#define WAITED ((char[]){ JOB_WAITS, 0 })
#define RAN ((char[]){ JOB_HAS_CPUS, 0 })

static void a_guest_has_its_cpus_while_it_runs(void **state)
{
	(void)state;
	expect_job("acquire enter guest-on-3 leave release ", WAITED_AND_RAN, OUTCOME_EXITED,
		   "from the run");
	assert_int_equal(made.out.facts.host_cpus, 3);
	assert_true(made.out.facts.is_guest);
	assert_int_equal(asked.mode, RUN_DEFAULT);
	assert_false(asked.is_single);
	assert_int_equal(asked.preference, PLAN_SPREAD);
	assert_int_equal(asked.budget, 0);
	assert_int_equal(asked.timeout_ns, 3600 * NSEC_PER_SEC);
	assert_ptr_equal(asked.topology, &made.topology);
	assert_ptr_equal(asked.allowed, &made.allowed);
	assert_true(asked.shape.nodes == 2 && asked.shape.llcs == 4 && asked.shape.cores == 3 &&
		    asked.shape.threads == 2);
	made.test.host_only = true;
	expect_job("host leave release ", RAN, OUTCOME_EXITED, "");
	assert_false(made.out.facts.is_guest);
}

static void cpus_are_those_of_the_mode(void **state)
{
	(void)state;
	made.test.cpu_budget = 1;
	expect_job("acquire enter guest-on-3 leave release ", WAITED_AND_RAN, OUTCOME_EXITED,
		   "from the run");
	assert_int_equal(asked.mode, RUN_BUDGETED);
	assert_int_equal(asked.budget, 1);
	/* A cap of the run counts more, and holds by a cpuset. */
	made.world.cap.cpus = 1;
	made.test.cpu_budget = 5;
	expect_job("acquire enter-explicit guest-on-3 leave release ", WAITED_AND_RAN,
		   OUTCOME_EXITED, "from the run");
	assert_int_equal(asked.mode, RUN_BUDGETED);
	assert_int_equal(asked.budget, 1);
	assert_int_equal(asked.preference, PLAN_CONSOLIDATE);
	made.world.cap.cpus = 0;
	made.test.cpu_budget = 0;
	/* Nobody shares what is measured, so it does not wait. */
	made.test.performance_mode = true;
	expect_job("acquire enter guest-on-3 leave release ", WAITED_AND_RAN, OUTCOME_EXITED,
		   "from the run");
	assert_int_equal(asked.mode, RUN_PERFORMANCE);
	assert_int_equal(asked.timeout_ns, 0);
	made.test.no_perf_mode = true;
	expect_job("guest-on-0 leave release ", RAN, OUTCOME_EXITED, "from the run");
	assert_int_equal(made.out.facts.host_cpus, 0);
	made.test.no_perf_mode = false;
	made.world.no_perf_mode = true;
	expect_job("guest-on-0 leave release ", RAN, OUTCOME_EXITED, "from the run");
	made.world.no_perf_mode = false;
	made.test.performance_mode = false;
	setenv("KTSTR_BYPASS_LLC_LOCKS", "1", 1);
	expect_job("guest-on-0 leave release ", RAN, OUTCOME_EXITED, "from the run");
	unsetenv("KTSTR_BYPASS_LLC_LOCKS");
	made.world.accel = VM_ACCEL_SIM;
	expect_job("acquire enter guest-on-3 leave release ", WAITED_AND_RAN, OUTCOME_EXITED,
		   "from the run");
	assert_true(asked.is_single);
}

/* The host has no unequal nodes: their LLCs go where there is room. */
static void nodes_of_a_test_have_no_place_of_their_own(void **state)
{
	struct ktstr_node nodes[2] = {};

	(void)state;
	made.variant.has_own_nodes = true;
	expect_job("acquire enter guest-on-3 leave release ", WAITED_AND_RAN, OUTCOME_EXITED,
		   "from the run");
	assert_int_equal(asked.shape.nodes, 2);
	made.test.nodes.items = nodes;
	made.test.nodes.count = 2;
	expect_job("acquire enter guest-on-3 leave release ", WAITED_AND_RAN, OUTCOME_EXITED,
		   "from the run");
	assert_int_equal(asked.shape.nodes, 1);
	made.variant.has_own_nodes = false;
	expect_job("acquire enter guest-on-3 leave release ", WAITED_AND_RAN, OUTCOME_EXITED,
		   "from the run");
	assert_int_equal(asked.shape.nodes, 2);
}

static void cpus_that_are_busy_are_a_reason_to_skip(void **state)
{
	(void)state;
	acquire_rc = -EBUSY;
	skip_why = SKIP_RESOURCE_CONTENTION;
	expect_job("acquire leave release ", WAITED, OUTCOME_SKIPPED, "ResourceContention: busy");
	/* What is no such reason is an error of ours. */
	skip_why = SKIP_NONE;
	expect_job("acquire leave release ", WAITED_AND_RAN, OUTCOME_NOT_RUN, "busy");
	acquire_rc = -EINTR;
	expect_job("acquire leave release ", WAITED_AND_RAN, OUTCOME_INTERRUPTED, "busy");
	acquire_rc = 0;
	enter_rc = -EPERM;
	expect_job("acquire enter leave release ", WAITED_AND_RAN, OUTCOME_NOT_RUN, "no sandbox");
	enter_rc = 0;
	run_rc = -EIO;
	expect_job("acquire enter guest-on-3 leave release ", WAITED_AND_RAN, OUTCOME_NOT_RUN,
		   "it ended badly");
}

static void what_cannot_run_waits_for_nothing(void **state)
{
	(void)state;
	made.job.problem = "no program";
	expect_job("leave release ", "", OUTCOME_NOT_RUN, "no program");
	made.job.problem = NULL;
	made.world.no_kvm = "no KVM here";
	expect_job("leave release ", "", OUTCOME_SKIPPED, "no KVM here");
	made.world.accel = VM_ACCEL_SIM;
	made.test.performance_mode = true;
	expect_job("leave release ", "", OUTCOME_SKIPPED,
		   "PerfModeUnavailable: performance mode needs KVM");
	made.test.performance_mode = false;
	machine_rc = -ENOTSUP;
	expect_job("leave release ", "", OUTCOME_SKIPPED, "no such machine");
	machine_rc = 0;
	/* Of a test without a scheduler the kernel needs no sched_ext. */
	scx_rc = -ENOTSUP;
	expect_job("acquire enter guest-on-3 leave release ", WAITED_AND_RAN, OUTCOME_EXITED,
		   "from the run");
	made.variant.sched = &made.sched;
	made.job.scheduler = "/x/mine";
	expect_job("leave release ", "", OUTCOME_SKIPPED, "no sched_ext");
	/* Nor where the scheduler is part of the kernel. */
	made.job.scheduler = NULL;
	expect_job("acquire enter guest-on-3 leave release ", WAITED_AND_RAN, OUTCOME_EXITED,
		   "from the run");
	/* None of it is for a test of the host. */
	made.world.accel = VM_ACCEL_KVM;
	machine_rc = -ENOTSUP;
	made.test.host_only = true;
	expect_job("host leave release ", RAN, OUTCOME_EXITED, "");
}

static void a_guest_without_a_test_only_spins(void **state)
{
	struct job_args a;

	(void)state;
	made.test.duration_ms = 200;
	assert_int_equal(job_args_spin(&a, &made.job), 0);
	assert_int_equal(a.count, 3);
	assert_string_equal(a.argv[2], "200");
	assert_null(a.argv[3]);
	job_args_finish(&a);
	assert_int_equal(a.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		JOB(a_guest_has_its_cpus_while_it_runs),
		JOB(cpus_are_those_of_the_mode),
		JOB(nodes_of_a_test_have_no_place_of_their_own),
		JOB(cpus_that_are_busy_are_a_reason_to_skip),
		JOB(what_cannot_run_waits_for_nothing),
		JOB(a_guest_without_a_test_only_spins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
