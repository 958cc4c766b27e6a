// SPDX-License-Identifier: GPL-2.0-only
/* Parts of a job that do not depend on where the test runs: arguments, timeouts, CPUs. */
#include "run/parts.h"

#include "guest/protocol.h"
#include "host/reserve.h"
#include "host/sandbox.h"
#include "program/protocol.h"
#include "vm/machine.h"

#define QUEUE_LIMIT_NS (3600 * NSEC_PER_SEC)
#define MEMORY_PER_CPU_MIB 64
#define SMALLEST_MEMORY_MIB 256
/* Time besides the scenario, for start and end on a busy host. */
#define RESERVE_NS (30 * NSEC_PER_SEC)
#define STUCK_FACTOR 4 /* the host may be busy, so allow a multiple of the guest's limits */
#define READY_NS (10 * NSEC_PER_SEC)
#define READY_PER_CPU_NS (150 * NSEC_PER_MSEC)
#define LONGEST_READY_NS (90 * NSEC_PER_SEC)
#define GAUNTLET_SLOW_NS (120 * NSEC_PER_SEC)
#define LOOK_MS 50
#define ATTACH_S_KVM 3
#define ATTACH_S_TCG 30

enum vm_accel job_accel(const struct job *job)
{
	int own = job->variant->test->accel ? vm_accel_by_name(job->variant->test->accel) : -1;

	return own < 0 ? job->world->accel : (enum vm_accel)own;
}

size_t job_cpus(const struct job *job)
{
	size_t vcpus = vm_topology_cpus(&job->variant->topology);

	if (job->variant->test->host_only || job_accel(job) != VM_ACCEL_KVM)
		return 1;
	return MIN(vcpus, MAX(job->world->allowed->count, (size_t)1));
}

uint64_t job_duration_ms(const struct job *job)
{
	return job->knobs->duration_ms ? job->knobs->duration_ms : job->variant->test->duration_ms;
}

uint64_t job_memory_mib(const struct variant *v)
{
	uint64_t mib = (uint64_t)MEMORY_PER_CPU_MIB * vm_topology_cpus(&v->topology);

	if (v->has_own_nodes && v->test->nodes.count)
		return run_numa_memory_mib(v->test);
	return MAX(MAX(mib, SMALLEST_MEMORY_MIB), v->memory_mib);
}

/* Time that the guest may need to get ready, by its number of CPUs. */
static uint64_t ready_ns(const struct job *job)
{
	uint64_t ns = READY_NS + READY_PER_CPU_NS * vm_topology_cpus(&job->variant->topology);

	return MIN(ns, LONGEST_READY_NS);
}

/*
 * Factor for wall-clock timeouts. Emulation is slower than KVM, and the host may be busy with other
 * guests; timeouts are meant for hangs, not for slow tests.
 */
static unsigned int scale_of(const struct job *job)
{
	return job->variant->test->host_only || job_accel(job) == VM_ACCEL_KVM ? 1 : 10;
}

/* Time after which a test is slow under KVM; large machines get more. */
static uint64_t usual_slow_ns(const struct job *job)
{
	const struct variant *v = job->variant;
	bool is_large = v->preset || str_starts(v->test->name, "demo_");

	return is_large ? MAX(job->world->slow_ns, GAUNTLET_SLOW_NS) : job->world->slow_ns;
}

uint64_t job_slow_ns(const struct job *job)
{
	return usual_slow_ns(job) * scale_of(job);
}

/*
 * Returns whether the test also runs under EEVDF. Without a scheduler there is nothing to compare.
 */
static bool is_versus(const struct job *job)
{
	return job->variant->test->versus || (job->knobs->versus_eevdf && job->variant->sched);
}

uint64_t job_attach_s(const struct job *job)
{
	uint64_t wished = vm_attach_limit_s();

	return wished ? wished : job->variant->test->attach_timeout_s;
}

uint64_t job_guest_limit_ns(const struct job *job)
{
	const struct probe_test *t = job->variant->test;
	bool is_kvm = t->host_only || job_accel(job) == VM_ACCEL_KVM;
	unsigned int rounds = is_versus(job) ? 2 : 1;
	uint64_t wished_s = job_attach_s(job);
	uint64_t attach_s = wished_s ? wished_s : is_kvm ? ATTACH_S_KVM : ATTACH_S_TCG;
	uint64_t return_s = t->return_timeout_s ? t->return_timeout_s : attach_s;
	uint64_t loading_s = wished_s ? 0 : attach_s * (GUEST_SCHED_ATTACH_FACTOR - 1);
	uint64_t sched_s = attach_s + (job->variant->sched ? loading_s + return_s : 0);
	uint64_t scenario_ns = rounds * job_duration_ms(job) * NSEC_PER_MSEC +
			       sched_s * NSEC_PER_SEC + ready_ns(job) + RESERVE_NS;
	uint64_t profile_ns = usual_slow_ns(job) * job->world->slow_periods;

	return MAX(scenario_ns, profile_ns);
}

uint64_t job_limit_ns(const struct job *job)
{
	return job_guest_limit_ns(job) * scale_of(job);
}

uint64_t job_total_limit_ns(const struct job *job)
{
	return STUCK_FACTOR *
	       (job_limit_ns(job) + vm_boot_limit_ns(&job->variant->topology) + RESERVE_NS);
}

void job_tell(const struct job *job, enum job_event event)
{
	char byte = (char)event;

	if (job->event_fd >= 0 && write(job->event_fd, &byte, 1) < 0)
		return; /* the parent is gone, and this process will be killed, too */
}

void job_args_add(struct job_args *a, const char *arg)
{
	if (a->count < JOB_MAX_ARGS)
		a->argv[a->count++] = arg;
}

static int add_digits(struct job_args *a, const char *option, uint64_t value, int digits)
{
	_free_ char *text = str_fmt("%0*llu", digits, ULL(value));
	const char *copy = text ? arena_copy(&a->arena, text, strlen(text)) : NULL;

	if (!copy)
		return err_no_memory();
	job_args_add(a, option);
	job_args_add(a, copy);
	return 0;
}

static int add_number(struct job_args *a, const char *option, uint64_t value)
{
	return add_digits(a, option, value, 0);
}

/*
 * In sim a shorter run must be a prefix of a longer one. So the duration always has the same number
 * of digits, wherever it comes from, and the end is polled for (--look-ms) instead of set by a
 * timer.
 */
static int add_duration(struct job_args *a, const struct job *job)
{
	bool is_sim = !job->variant->test->host_only && job_accel(job) == VM_ACCEL_SIM;
	int rc;

	if (!is_sim)
		return job->knobs->duration_ms ?
			       add_number(a, "--duration-ms", job->knobs->duration_ms) :
			       0;
	rc = add_digits(a, "--duration-ms", job_duration_ms(job), JOB_DURATION_DIGITS);
	return rc ?: add_number(a, "--look-ms", LOOK_MS);
}

bool job_has_snapshots(const struct job *job)
{
	const struct probe_test *t = job->variant->test;
	enum vm_accel accel = job_accel(job);

	if (!job->variant->sched || t->host_only)
		return false;
	return accel == VM_ACCEL_SIM || t->has_post_vm || t->has_post_vm_unconditional ||
	       t->num_snapshots || t->watch_snapshots.count || t->bpf_map_write.count;
}

int job_args_make(struct job_args *a, const struct job *job, const char *program,
		  const char *result)
{
	const struct variant *v = job->variant;
	int rc;

	*a = (struct job_args){};
	job_args_add(a, program);
	job_args_add(a, PROGRAM_BODY);
	job_args_add(a, v->test->name);
	rc = job->seed ? add_number(a, "--seed", job->seed) : 0;
	if (v->profile && !str_eq(v->profile, "default")) {
		job_args_add(a, "--flags");
		job_args_add(a, v->profile);
	}
	/* The program knows the one that it declares. */
	if (job->knobs->scheduler && v->sched) {
		job_args_add(a, "--scheduler-name");
		job_args_add(a, v->sched->name);
	}
	rc = rc ?: add_duration(a, job);
	if (rc == 0 && job->knobs->workers)
		rc = add_number(a, "--workers", job->knobs->workers);
	if (rc == 0 && job->knobs->steps)
		rc = add_number(a, "--steps", job->knobs->steps);
	if (rc == 0 && job->knobs->hold_percent)
		rc = add_number(a, "--hold-percent", job->knobs->hold_percent);
	if (rc < 0)
		return rc;
	if (is_versus(job))
		job_args_add(a, "--versus-eevdf");
	if (job->knobs->is_release)
		job_args_add(a, "--release");
	if (!v->test->host_only && job_accel(job) == VM_ACCEL_SIM)
		job_args_add(a, "--sim");
	if (job_has_snapshots(job))
		job_args_add(a, "--has-snapshots");
	if (job_has_snapshots(job) && !vm_has_plugin(vm_arch_host(), job_accel(job)))
		job_args_add(a, "--asks-by-channel");
	job_args_add(a, "--quiet");
	job_args_add(a, "--result");
	if (result)
		job_args_add(a, result);
	return 0;
}

int job_args_spin(struct job_args *a, const struct job *job)
{
	*a = (struct job_args){};
	job_args_add(a, GUEST_INIT);
	return add_number(a, GUEST_SPIN, job->variant->test->duration_ms);
}

void job_args_finish(struct job_args *a)
{
	arena_finish(&a->arena);
	*a = (struct job_args){};
}

/* Host CPUs reserved for one VM. */
struct held_cpus {
	struct reservation reservation;
	struct sandbox sandbox;
};

static void held_cpus_finish(struct held_cpus *h)
{
	sandbox_leave(&h->sandbox);
	reservation_release(&h->reservation);
}

static struct run_mode_wishes wishes_of(const struct job *job)
{
	const struct probe_test *t = job->variant->test;

	return (struct run_mode_wishes){
		.wants_performance = t->performance_mode,
		.has_budget = job->world->cap.cpus > 0 || t->cpu_budget > 0,
		.no_perf_mode = job->world->no_perf_mode || t->no_perf_mode,
	};
}

static bool wants_performance(const struct job *job)
{
	struct run_mode_wishes wishes = wishes_of(job);

	return run_mode_select(&wishes) == RUN_PERFORMANCE;
}

/* The host cannot model unequal nodes: their LLCs are placed where there is room. */
static struct plan_shape shape_of(const struct variant *v)
{
	const struct vm_topology *t = &v->topology;
	bool is_unequal = v->has_own_nodes && v->test->nodes.count;

	return (struct plan_shape){ is_unequal ? 1 : t->nodes, t->llcs, t->cores, t->threads };
}

static void tell_wait(void *ctx)
{
	job_tell(ctx, JOB_WAITS);
}

static int hold_cpus(struct held_cpus *h, const struct job *job)
{
	const struct run_world *w = job->world;
	struct run_mode_wishes wishes = wishes_of(job);
	struct reserve_request request = {
		.mode = run_mode_select(&wishes),
		.is_single = job_accel(job) != VM_ACCEL_KVM,
		.shape = shape_of(job->variant),
		.preference = w->cap.cpus ? PLAN_CONSOLIDATE : PLAN_SPREAD,
		.budget = w->cap.cpus ? w->cap.cpus : job->variant->test->cpu_budget,
		.topology = w->host,
		.allowed = w->allowed,
		.waits = tell_wait,
		.ctx = (void *)job
	};
	int rc;

	if (request.mode == RUN_FREE || budget_is_bypassed())
		return 0;
	/*
	 * In performance mode there is no timeout: waiting does not distort the results, sharing
	 * would.
	 */
	request.timeout_ns = request.mode == RUN_PERFORMANCE ? 0 : QUEUE_LIMIT_NS;
	rc = reservation_acquire(&h->reservation, &request);
	return rc < 0 ? rc : sandbox_enter_plan(&h->sandbox, &h->reservation.plan, w->cap.cpus > 0);
}

static void set_skipped(struct outcome *out, enum skip_reason reason, const char *why)
{
	out->facts.end = OUTCOME_SKIPPED;
	if (reason != SKIP_NONE)
		str_addf(&out->message, "%s: ", skip_reason_name(reason));
	str_add(&out->message, why);
}

/* 0 or -ENOTSUP. Impossible NUMA nodes are not the accelerator's fault; they are reported later. */
static int check_machine(const struct job *job)
{
	const struct variant *v = job->variant;
	struct vm_spec spec = { .arch = vm_arch_host(),
				.accel = job_accel(job),
				.topology = v->topology };

	if (v->has_own_nodes && run_numa_of(v->test, &spec.numa) < 0)
		return 0;
	return vm_machine_check(&spec);
}

/* Checks for reasons that make a run impossible, before waiting for CPUs. */
static bool is_impossible(const struct job *job, struct outcome *out)
{
	const struct variant *v = job->variant;
	int rc;

	if (v->test->host_only)
		return false;
	if (job_accel(job) == VM_ACCEL_KVM && job->world->no_kvm) {
		set_skipped(out, SKIP_NONE, job->world->no_kvm);
		return true;
	}
	if (wants_performance(job) && job_accel(job) != VM_ACCEL_KVM) {
		set_skipped(out, SKIP_PERF_MODE_UNAVAILABLE, "performance mode needs KVM");
		return true;
	}
	rc = check_machine(job);
	if (rc < 0) {
		set_skipped(out, SKIP_NONE, err_text(rc));
		return true;
	}
	if (!v->sched)
		return false;
	rc = kernel_require_scx(&job->world->kernels->items.items[v->kernel].image);
	if (rc < 0 && job->scheduler)
		set_skipped(out, SKIP_NONE, err_text(rc));
	return out->facts.end == OUTCOME_SKIPPED;
}

static void set_failed(struct outcome *out, int rc)
{
	out->facts.end = rc == -EINTR ? OUTCOME_INTERRUPTED : OUTCOME_NOT_RUN;
	str_reset(&out->message);
	str_add(&out->message, err_text(rc));
}

void job_run(const struct job *job, struct outcome *out)
{
	_cleanup_(held_cpus_finish) struct held_cpus held = {};
	bool is_guest = !job->variant->test->host_only;
	int rc = 0;

	*out = (struct outcome){ .facts.is_guest = is_guest };
	if (job->problem) {
		out->facts.end = OUTCOME_NOT_RUN;
		str_add(&out->message, job->problem);
		return;
	}
	if (is_impossible(job, out))
		return;
	if (is_guest)
		rc = hold_cpus(&held, job);
	if (rc < 0 && held.reservation.skip != SKIP_NONE) {
		set_skipped(out, held.reservation.skip, err_text(rc));
		return;
	}
	job_tell(job, JOB_HAS_CPUS);
	out->facts.host_cpus = (unsigned int)held.reservation.plan.cpu_count;
	if (rc == 0)
		rc = is_guest ? job_run_guest(job, &held.reservation.plan, out) :
				job_run_host(job, out);
	if (rc < 0)
		set_failed(out, rc);
}
