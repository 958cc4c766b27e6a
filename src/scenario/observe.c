// SPDX-License-Identifier: GPL-2.0-only
/* Judges phases by their scheduling events. */
#include <sched.h>

#include "check/events.h"
#include "check/phase.h"
#include "scenario/run.h"

#ifndef SCHED_EXT
#define SCHED_EXT 7
#endif

static bool changes_weight(const struct ktstr_work_type *type)
{
	return type->kind == KTSTR_WORK_NICE_SWEEP || type->kind == KTSTR_WORK_POLICY_CHURN;
}

/* Kinds of work that change their own priority, policy or CPUs all the time, or yield. */
static bool is_restless(const struct ktstr_work_type *type)
{
	static const enum ktstr_work_kind restless[] = {
		KTSTR_WORK_NICE_SWEEP,		KTSTR_WORK_POLICY_CHURN,  KTSTR_WORK_AFFINITY_CHURN,
		KTSTR_WORK_PRIORITY_INVERSION,	KTSTR_WORK_RT_STARVATION, KTSTR_WORK_PREEMPT_STORM,
		KTSTR_WORK_CGROUP_ATTACH_STORM, KTSTR_WORK_YIELD_HEAVY,	  KTSTR_WORK_MIXED,
		KTSTR_WORK_CACHE_YIELD,
	};

	for (size_t i = 0; i < ARRAY_SIZE(restless); i++)
		if (restless[i] == type->kind)
			return true;
	for (int i = 0; type->kind == KTSTR_WORK_SEQUENCE && i < KTSTR_MAX_PHASES; i++)
		if (type->phases[i].us && type->phases[i].kind == KTSTR_PHASE_YIELD)
			return true;
	return false;
}

static bool is_normal(const struct ktstr_work *work)
{
	return work->sched_policy.kind == KTSTR_POLICY_NORMAL ||
	       work->sched_policy.kind == KTSTR_POLICY_BATCH ||
	       work->sched_policy.kind == KTSTR_POLICY_IDLE ||
	       work->sched_policy.kind == KTSTR_POLICY_EXT;
}

struct known_worker observe_worker(const struct ktstr_work *work, pid_t tid, unsigned int index,
				   const char *group, const char *cgroup)
{
	return (struct known_worker){
		.tid = tid,
		.index = index,
		.group = group,
		.cgroup = cgroup,
		.is_normal = is_normal(work),
		.is_restless = is_restless(&work->work_type),
		.changes_weight = changes_weight(&work->work_type),
	};
}

static bool is_limited(struct scenario_run *r, const char *cgroup)
{
	for (size_t i = 0; cgroup && i < r->cgroups.count; i++)
		if (r->cgroups.items[i].has_quota &&
		    run_is_inside(cgroup, r->cgroups.items[i].name))
			return true;
	return false;
}

/* Sets the weight of each level: for the cgroup a/b/c those of a, a/b and a/b/c. */
static void set_cpu_weights(struct scenario_run *r, struct known_worker *w)
{
	for (size_t i = 0; w->cgroup && i < r->cgroups.count; i++) {
		const struct live_cgroup *c = &r->cgroups.items[i];
		unsigned int level = 0;

		if (!run_is_inside(w->cgroup, c->name))
			continue;
		for (const char *at = c->name; *at; at++)
			level += *at == '/';
		if (level < KNOWN_LEVELS)
			w->cpu_weights[level] = c->cpu_weight;
	}
}

void run_mark_workers(struct scenario_run *r, const struct live_workers *w)
{
	uint32_t mark = OBSERVE_KEEP | (is_limited(r, w->cgroup) ? OBSERVE_LIMITED : 0);
	const pid_t *pids;
	size_t count = workers_pids(w->group, &pids);

	for (size_t i = 0; i < count; i++)
		observer_mark(r->ctx->observer, pids[i], mark);
}

/* Call again when a quota is set later: from then on it may be why tasks wait. */
void run_mark_all(struct scenario_run *r)
{
	for (size_t i = 0; i < r->workers.count; i++)
		run_mark_workers(r, &r->workers.items[i]);
}

static int list_workers(struct scenario_run *r, struct known_worker **out, size_t *out_count)
{
	VEC(struct known_worker) known = {};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->workers.count; i++) {
		const struct live_workers *w = &r->workers.items[i];
		const struct ktstr_work *work = workers_work(w->group);
		const pid_t *pids;
		size_t count = workers_pids(w->group, &pids);

		for (size_t k = 0; rc == 0 && k < count; k++) {
			struct known_worker worker =
				observe_worker(work, pids[k], (unsigned int)k, w->label, w->cgroup);

			worker.is_limited = is_limited(r, w->cgroup);
			set_cpu_weights(r, &worker);
			rc = vec_push(&known, worker);
		}
	}
	*out = known.items;
	*out_count = known.count;
	return rc;
}

/* CPUs that were online during the whole phase. */
static void steady_cpus(const struct ktstr_ctx *ctx, struct worker_cpus *out)
{
	*out = (struct worker_cpus){};
	for (size_t i = 0; i < ctx->topology->cpu_count; i++)
		if (!worker_cpus_have(&ctx->hotplugged, ctx->topology->cpus[i].id))
			worker_cpus_add(out, ctx->topology->cpus[i].id);
}

/* shares: in the order of list_workers(). */
static void note_shares(struct scenario_run *r, const struct share_finding *shares)
{
	for (size_t i = 0; i < r->workers.count; i++) {
		struct live_workers *w = &r->workers.items[i];
		const pid_t *pids;
		size_t count = workers_pids(w->group, &pids), fair = 0;

		for (size_t k = 0; k < count; k++, shares++) {
			fair += shares->is_fair;
			w->luck_pct = MAX(w->luck_pct, shares->luck_pct);
		}
		w->fair_phases += fair == count;
		w->is_unproven |= fair < count;
	}
}

void observe_begin(struct ktstr_ctx *ctx)
{
	if (ctx->scheduler.pid > 0)
		ctx->scheduler.attachment = ctx_scheduler_attachment(ctx);
	observer_begin(ctx->observer);
}

/*
 * The scheduler's pid if it was attached during the whole phase, else 0. Many schedulers
 * exit and load themselves again on CPU hotplug; that takes CPU time without scheduling any
 * task.
 */
static pid_t working_scheduler(const struct ktstr_ctx *ctx)
{
	uint64_t attachment = ctx->scheduler.attachment;

	if (ctx->scheduler.pid <= 0 || !attachment || ctx_scheduler_attachment(ctx) != attachment)
		return 0;
	return ctx->scheduler.pid;
}

int observe_judge(struct ktstr_ctx *ctx, const struct phase_to_judge *what,
		  struct ktstr_result *res)
{
	struct ktstr_assert checks = ctx->checks;
	struct worker_cpus cpus;
	struct judged_phase phase = {
		.seen = what->seen,
		.workers = what->workers,
		.worker_count = what->worker_count,
		.start_ns = ctx->start_ns,
		.cpus = &cpus,
		.returned = &ctx->returned,
		.ignores_weights = ctx->ignores_weights,
		.scheduler_pid = working_scheduler(ctx),
		.topology = ctx->topology,
		.shares = what->shares,
	};

	/*
	 * Checks that a body gives for workers replace those of the test, but events
	 * concern other tasks, too.
	 */
	assert_merge(&checks, what->checks);
	steady_cpus(ctx, &cpus);
	/* If conditions change all the time, shares and waits cannot be compared. */
	if (!what->is_steady)
		checks.max_share_error_pct = checks.max_wakeup_wait_ratio = KTSTR_OFF;
	check_phase(&phase, &checks, res);
	/* A step that could not begin has no phase. */
	if (what->phase >= res->phases.count)
		return 0;
	return events_of_phase(&phase, &res->phases.items[what->phase].events);
}

static int judge_phase(struct scenario_run *r, const struct observed *seen, bool is_steady)
{
	_free_ struct known_worker *workers = NULL;
	_free_ struct share_finding *shares = NULL;
	struct phase_to_judge what = {
		.seen = seen, .checks = r->checks, .is_steady = is_steady, .phase = r->phase
	};
	int rc = list_workers(r, &workers, &what.worker_count);

	if (rc < 0)
		return rc;
	what.workers = workers;
	what.shares = shares = calloc(what.worker_count + 1, sizeof(*shares));
	if (!shares)
		return err_no_memory();
	rc = observe_judge(r->ctx, &what, &r->result);
	note_shares(r, shares);
	return rc;
}

void run_observe_begin(struct scenario_run *r)
{
	ctx_hotplug_settled(r->ctx);
	if (r->ctx->observer)
		observe_begin(r->ctx);
}

static struct observed *seen_in(struct scenario_run *r, unsigned int phase)
{
	if (vec_reserve(&r->seen, phase + 1U) < 0)
		return NULL;
	while (r->seen.count <= phase)
		r->seen.items[r->seen.count++] = (struct observed){};
	return &r->seen.items[phase];
}

/*
 * Reports missing events. The result is inconclusive if the test set a limit of its own; for
 * default limits a note is added. In a guest with a scheduler it is always inconclusive: recording
 * should work there, and without events most faults of the scheduler would not be found.
 */
void observe_add_blindness(const struct ktstr_ctx *ctx, const struct ktstr_assert *checks,
			   struct ktstr_result *res)
{
	const char *why = ctx->observe_problem ? ctx->observe_problem : "no reason is known";
	const char *custom = assert_custom_event(checks);

	if (!custom && ctx->is_guest && ctx->scheduler.pid > 0 && !ctx->observe_is_off)
		custom = "waits, idle CPUs, shares and migrations under a scheduler";
	if (custom)
		result_add(res, DETAIL_OTHER, KTSTR_INCONCLUSIVE,
			   "%s could not be judged: scheduling events were not recorded: %s",
			   custom, why);
	else
		result_add(res, DETAIL_NOTE, KTSTR_SKIPPED,
			   "waits, idle CPUs, shares and migrations not judged: scheduling events "
			   "were not recorded: %s",
			   why);
}

/* Call before workers are told to stop: what follows is not part of the test. */
void run_observe_end(struct scenario_run *r, bool is_steady)
{
	struct observed *seen = r->ctx->observer ? seen_in(r, r->phase) : NULL;
	int rc;

	if (!r->ctx->observer) {
		if (r->phase == 0)
			observe_add_blindness(r->ctx, r->checks, &r->result);
		return;
	}
	rc = seen ? observer_end(r->ctx->observer, seen) : -ENOMEM;
	rc = rc ?: judge_phase(r, seen, is_steady);
	if (rc < 0)
		r->result.failed_alloc = true;
}

static bool is_partial(const struct ktstr_ctx *ctx)
{
	_str_ struct str state = {};
	uint64_t all = 1;

	return root_read_line(ctx->roots.sys, &state, "kernel/sched_ext/state") == 0 &&
	       str_eq(str_get(&state), "enabled") &&
	       root_read_u64(ctx->roots.sys, &all, "kernel/sched_ext/switch_all") == 0 && all == 0;
}

static bool has_ext_task(const struct observed *seen)
{
	for (size_t i = 0; i < seen->tasks.count; i++)
		if (seen->tasks.items[i].policy == SCHED_EXT)
			return true;
	return false;
}

/*
 * With SCX_OPS_SWITCH_PARTIAL and without a SCHED_EXT task, the scheduler did nothing to be
 * judged.
 */
void run_observe_partial(struct scenario_run *r)
{
	if (!r->seen.count || !is_partial(r->ctx))
		return;
	for (size_t i = 0; i < r->seen.count; i++)
		if (has_ext_task(&r->seen.items[i]))
			return;
	result_add(
		&r->result, DETAIL_OTHER, KTSTR_INCONCLUSIVE,
		"the scheduler runs tasks of SCHED_EXT only (SCX_OPS_SWITCH_PARTIAL), and no task "
		"was one: give workers .sched_policy = { KTSTR_POLICY_EXT }");
}

void run_observe_finish(struct scenario_run *r)
{
	vec_release(&r->seen, each, observed_finish(each));
	observed_finish(&r->after);
}
