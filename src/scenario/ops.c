// SPDX-License-Identifier: GPL-2.0-only
/* The operations of steps: one row and one function each. The row's index is its bit. */
#include <signal.h>

#include "scenario/run.h"

static struct cgroup_manager *manager(struct scenario_run *r)
{
	return &r->ctx->cgroup_manager;
}

static int add_cgroup(struct scenario_run *r, const struct ktstr_op *op)
{
	return op->cgroup ? run_add_cgroup(r, op->cgroup) : run_require(r, op->cgroup);
}

static int add_cgroup_def(struct scenario_run *r, const struct ktstr_op *op)
{
	if (!op->def || !op->def->name)
		return err_set(EINVAL, "it has no def");
	return run_setup_def(r, op->def);
}

static int remove_cgroup(struct scenario_run *r, const struct ktstr_op *op)
{
	int rc = run_require(r, op->cgroup) ?: run_check_owner(r, op->cgroup, "remove cgroup");

	return rc < 0 ? rc : run_remove_cgroup(r, op->cgroup);
}

static int stop_cgroup(struct scenario_run *r, const struct ktstr_op *op)
{
	int rc = run_require(r, op->cgroup) ?: run_check_owner(r, op->cgroup, "stop cgroup");

	if (rc == 0)
		run_stop_inside(r, op->cgroup);
	return rc;
}

static int set_cpuset(struct scenario_run *r, const struct ktstr_op *op)
{
	struct worker_cpus cpus = {};
	int rc = run_require(r, op->cgroup);

	rc = rc ?: cpuset_resolve(r->ctx, op->cgroup, &op->cpuset, &cpus);
	return rc < 0 ? rc : run_set_cpuset(r, op->cgroup, &cpus);
}

static int clear_cpuset(struct scenario_run *r, const struct ktstr_op *op)
{
	int rc = run_require(r, op->cgroup);

	return rc < 0 ? rc : run_set_cpuset(r, op->cgroup, NULL);
}

/* Returns 1 if the cgroup has a cpuset, 0 if not. */
static int read_cpuset(struct scenario_run *r, const char *cgroup, struct worker_cpus *cpus)
{
	_cleanup_(cpulist_finish) struct cpulist list = {};
	_str_ struct str text = {};
	int rc = cgroup_read(manager(r), cgroup, "cpuset.cpus", &text);

	if (rc < 0)
		return rc;
	if (cpulist_parse(str_get(&text), &list) < 0)
		return err_set(EINVAL, "cgroup '%s': cpuset.cpus is '%s', which is not a list",
			       cgroup, str_get(&text));
	cpus_from_list(cpus, &list);
	return list.count > 0;
}

static int swap_cpusets(struct scenario_run *r, const struct ktstr_op *op)
{
	struct worker_cpus a, b;
	int rc = run_require(r, op->cgroup), has_a, has_b;

	rc = rc ?: run_require(r, op->other);
	if (rc < 0)
		return rc;
	has_a = read_cpuset(r, op->cgroup, &a);
	has_b = has_a < 0 ? has_a : read_cpuset(r, op->other, &b);
	if (has_b < 0)
		return has_b;
	if (has_b)
		rc = run_set_cpuset(r, op->cgroup, &b);
	return rc < 0 || !has_a ? rc : run_set_cpuset(r, op->other, &a);
}

static int spawn(struct scenario_run *r, const struct ktstr_op *op)
{
	int rc = run_require(r, op->cgroup);

	return rc < 0 ? rc : run_spawn(r, op->cgroup, &op->work, false);
}

static int spawn_host(struct scenario_run *r, const struct ktstr_op *op)
{
	return run_spawn(r, NULL, &op->work, false);
}

typedef int worker_change(struct scenario_run *r, struct live_workers *w,
			  const struct ktstr_op *op);

/* Changes all workers of the operation's cgroup. */
static int change_workers(struct scenario_run *r, const struct ktstr_op *op, worker_change *change)
{
	int rc = run_require(r, op->cgroup);

	for (size_t i = 0; rc == 0 && i < r->workers.count; i++) {
		struct live_workers *w = &r->workers.items[i];

		if (w->cgroup && str_eq(w->cgroup, op->cgroup))
			rc = change(r, w, op);
	}
	return rc;
}

static int set_affinity_of(struct scenario_run *r, struct live_workers *w,
			   const struct ktstr_op *op)
{
	_free_ struct worker_cpus *sets = calloc(w->count, sizeof(*sets));
	struct worker_cpus cpuset = {};
	bool has_cpuset = run_effective_cpuset(r, w->cgroup, &cpuset);
	int rc;

	if (!sets)
		return err_no_memory();
	rc = affinity_resolve(r->ctx, &op->affinity, has_cpuset ? &cpuset : NULL, w->count, sets);
	if (rc <= 0)
		return rc;
	rc = 0;
	w->is_pinned_apart |= affinities_differ(sets, w->count);
	for (unsigned int i = 0; rc == 0 && i < w->count; i++)
		rc = workers_set_affinity(w->group, i, &sets[i]);
	return rc;
}

static int set_affinity(struct scenario_run *r, const struct ktstr_op *op)
{
	return change_workers(r, op, set_affinity_of);
}

static bool is_of_backdrop(struct scenario_run *r, const char *name)
{
	const struct live_cgroup *c = run_find(r, name);

	return c && c->is_backdrop;
}

/* A worker or payload that moves into a cgroup of the backdrop belongs to it. */
static int rekey(struct scenario_run *r, char **cgroup, bool *is_backdrop, const char *to)
{
	char *name = strdup(to);

	if (!name)
		return err_no_memory();
	free(*cgroup);
	*cgroup = name;
	*is_backdrop |= is_of_backdrop(r, to);
	return 0;
}

static int rekey_all(struct scenario_run *r, const char *from, const char *to)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->workers.count; i++) {
		struct live_workers *w = &r->workers.items[i];

		if (!w->cgroup || !str_eq(w->cgroup, from))
			continue;
		w->cpuset_changed = true;
		rc = rekey(r, &w->cgroup, &w->is_backdrop, to);
	}
	for (size_t i = 0; rc == 0 && i < r->payloads.count; i++) {
		struct live_payload *p = &r->payloads.items[i];

		if (p->cgroup && str_eq(p->cgroup, from))
			rc = rekey(r, &p->cgroup, &p->is_backdrop, to);
	}
	return rc;
}

static int check_move(struct scenario_run *r, const struct ktstr_op *op)
{
	int rc = run_require(r, op->cgroup) ?: run_require(r, op->other);

	if (rc < 0 || r->in_backdrop)
		return rc;
	if (is_of_backdrop(r, op->cgroup) && !is_of_backdrop(r, op->other))
		return err_set(
			EPERM,
			"tasks of '%s' in the backdrop may not move to '%s', which goes with "
			"the step: they would be stranded",
			op->cgroup, op->other);
	return 0;
}

static int move_all_tasks(struct scenario_run *r, const struct ktstr_op *op)
{
	_cleanup_(pid_list_finish) pid_list pids = {};
	int rc = check_move(r, op) ?: cgroup_clear_subtree_control(manager(r), op->other);

	rc = rc ?: cgroup_tasks(manager(r), op->cgroup, &pids);
	rc = rc ?: cgroup_move_tasks(manager(r), op->other, pids.items, pids.count);
	return rc < 0 ? rc : rekey_all(r, op->cgroup, op->other);
}

static int run_payload(struct scenario_run *r, const struct ktstr_op *op)
{
	int rc = op->cgroup ? run_require(r, op->cgroup) : 0;

	return rc < 0 ? rc : run_start_payload(r, op->payload, op->cgroup, op->args);
}

static int wait_payload(struct scenario_run *r, const struct ktstr_op *op)
{
	return run_wait_payload(r, op->name, op->cgroup);
}

static int kill_payload(struct scenario_run *r, const struct ktstr_op *op)
{
	return run_kill_payload(r, op->name, op->cgroup);
}

static int set_frozen(struct scenario_run *r, const struct ktstr_op *op, bool is_frozen)
{
	struct live_cgroup *live;
	int rc = run_require(r, op->cgroup);

	if (rc < 0)
		return rc;
	live = run_find(r, op->cgroup);
	if (!live && is_frozen)
		return err_set(EINVAL,
			       "cgroup '%s' is not of this scenario, which would not thaw it",
			       op->cgroup);
	/* Even after a failure: the cgroup may freeze later. */
	if (live)
		live->is_frozen = is_frozen;
	run_note_frozen(r, op->cgroup);
	return is_frozen ? cgroup_freeze(manager(r), op->cgroup) :
			   cgroup_unfreeze(manager(r), op->cgroup);
}

static int freeze_cgroup(struct scenario_run *r, const struct ktstr_op *op)
{
	return set_frozen(r, op, true);
}

static int unfreeze_cgroup(struct scenario_run *r, const struct ktstr_op *op)
{
	return set_frozen(r, op, false);
}

/* As with frozen workers, missing progress of stopped ones is not the scheduler's fault. */
static int signal_workers(struct scenario_run *r _unused_, struct live_workers *w,
			  const struct ktstr_op *op)
{
	w->is_stopped = op->kind == KTSTR_OP_SIGSTOP_CGROUP;
	w->was_frozen = true;
	workers_signal(w->group, w->is_stopped ? SIGSTOP : SIGCONT);
	return 0;
}

static int signal_cgroup(struct scenario_run *r, const struct ktstr_op *op)
{
	return change_workers(r, op, signal_workers);
}

static int set_policy_of(struct scenario_run *r _unused_, struct live_workers *w,
			 const struct ktstr_op *op)
{
	return workers_set_policy(w->group, &op->policy);
}

static int set_policy(struct scenario_run *r, const struct ktstr_op *op)
{
	return change_workers(r, op, set_policy_of);
}

static int set_nice_of(struct scenario_run *r _unused_, struct live_workers *w,
		       const struct ktstr_op *op)
{
	return workers_set_nice(w->group, op->work.nice);
}

static int set_nice(struct scenario_run *r, const struct ktstr_op *op)
{
	return change_workers(r, op, set_nice_of);
}

static int set_cpu_max(struct scenario_run *r, const struct ktstr_op *op)
{
	struct live_cgroup *live;
	int rc = run_require(r, op->cgroup);

	if (rc < 0)
		return rc;
	if (!op->text)
		return err_set(EINVAL, "cgroup '%s': cpu.max needs a text such as \"50000 100000\"",
			       op->cgroup);
	rc = cgroup_set_cpu_max(manager(r), op->cgroup, op->text);
	live = run_find(r, op->cgroup);
	if (rc == 0 && live)
		live->has_quota = !str_starts(op->text, "max");
	run_mark_all(r);
	return rc;
}

static int set_cpu_weight(struct scenario_run *r, const struct ktstr_op *op)
{
	struct live_cgroup *live;
	int rc = run_require(r, op->cgroup);

	rc = rc ?: cgroup_set_cpu_weight(manager(r), op->cgroup, op->value[0]);
	live = run_find(r, op->cgroup);
	if (rc == 0 && live)
		live->cpu_weight = (uint32_t)op->value[0];
	return rc;
}

static int set_uclamp(struct scenario_run *r, const struct ktstr_op *op)
{
	int rc = run_require(r, op->cgroup);

	return rc < 0 ? rc : cgroup_set_uclamp(manager(r), op->cgroup, op->value[0], op->value[1]);
}

/* The kernel may widen a cpuset that loses a CPU. */
static int cpu_offline(struct scenario_run *r, const struct ktstr_op *op)
{
	int rc = ctx_cpu_offline(r->ctx, op->value[0]);

	for (size_t i = 0; rc == 0 && i < r->workers.count; i++) {
		struct live_workers *w = &r->workers.items[i];

		if (w->has_cpuset && worker_cpus_have(&w->cpuset, (unsigned int)op->value[0]))
			w->cpuset_changed = true;
	}
	return rc;
}

static int cpu_online(struct scenario_run *r, const struct ktstr_op *op)
{
	return ctx_cpu_online(r->ctx, op->value[0]);
}

static int core_cookie(struct scenario_run *r, const struct ktstr_op *op)
{
	_cleanup_(pid_list_finish) pid_list pids = {};
	int rc = run_require(r, op->cgroup) ?: cgroup_tasks(manager(r), op->cgroup, &pids);

	return rc < 0 ? rc : core_cookie_share(pids.items, pids.count);
}

/*
 * Restarts recording: waits during the change of schedulers are not a scheduler's fault, since
 * the kernel's own scheduler was active in between.
 */
static int change_scheduler(struct scenario_run *r, int (*change)(struct ktstr_ctx *ctx))
{
	int rc = change(r->ctx);

	if (rc == 0)
		run_observe_begin(r);
	return rc;
}

static int attach_scheduler(struct scenario_run *r, const struct ktstr_op *op _unused_)
{
	return change_scheduler(r, ctx_scheduler_attach);
}

static int detach_scheduler(struct scenario_run *r, const struct ktstr_op *op _unused_)
{
	return change_scheduler(r, ctx_scheduler_detach);
}

static int restart_scheduler(struct scenario_run *r, const struct ktstr_op *op _unused_)
{
	return change_scheduler(r, ctx_scheduler_restart);
}

static int capture_cgroup_procs(struct scenario_run *r, const struct ktstr_op *op)
{
	_cleanup_(pid_list_finish) pid_list pids = {};
	_str_ struct str text = {};
	int rc = run_require(r, op->cgroup) ?: cgroup_tasks(manager(r), op->cgroup, &pids);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < pids.count; i++)
		str_addf(&text, " %d", pids.items[i]);
	result_add(&r->result, DETAIL_NOTE, KTSTR_SKIPPED, "cgroup '%s' has %zu tasks:%s",
		   op->cgroup, pids.count, str_get(&text));
	return 0;
}

static int capture_snapshot(struct scenario_run *r, const struct ktstr_op *op)
{
	return ktstr_capture_snapshot(r->ctx, op->name);
}

static const struct op_info ops[] = {
	[KTSTR_OP_ADD_CGROUP] = { "add_cgroup", add_cgroup },
	[KTSTR_OP_REMOVE_CGROUP] = { "remove_cgroup", remove_cgroup },
	[KTSTR_OP_SET_CPUSET] = { "set_cpuset", set_cpuset },
	[KTSTR_OP_CLEAR_CPUSET] = { "clear_cpuset", clear_cpuset },
	[KTSTR_OP_SWAP_CPUSETS] = { "swap_cpusets", swap_cpusets },
	[KTSTR_OP_SPAWN] = { "spawn", spawn },
	[KTSTR_OP_STOP_CGROUP] = { "stop_cgroup", stop_cgroup },
	[KTSTR_OP_SET_AFFINITY] = { "set_affinity", set_affinity },
	[KTSTR_OP_SPAWN_HOST] = { "spawn_host", spawn_host },
	[KTSTR_OP_MOVE_ALL_TASKS] = { "move_all_tasks", move_all_tasks },
	[KTSTR_OP_RUN_PAYLOAD] = { "run_payload", run_payload },
	[KTSTR_OP_WAIT_PAYLOAD] = { "wait_payload", wait_payload },
	[KTSTR_OP_KILL_PAYLOAD] = { "kill_payload", kill_payload },
	[KTSTR_OP_ADD_CGROUP_DEF] = { "add_cgroup_def", add_cgroup_def },
	[KTSTR_OP_FREEZE_CGROUP] = { "freeze_cgroup", freeze_cgroup },
	[KTSTR_OP_UNFREEZE_CGROUP] = { "unfreeze_cgroup", unfreeze_cgroup },
	[KTSTR_OP_SET_CPU_MAX] = { "set_cpu_max", set_cpu_max },
	[KTSTR_OP_SET_CPU_WEIGHT] = { "set_cpu_weight", set_cpu_weight },
	[KTSTR_OP_SET_UCLAMP] = { "set_uclamp", set_uclamp },
	[KTSTR_OP_CPU_OFFLINE] = { "cpu_offline", cpu_offline },
	[KTSTR_OP_CPU_ONLINE] = { "cpu_online", cpu_online },
	[KTSTR_OP_CORE_COOKIE] = { "core_cookie", core_cookie },
	[KTSTR_OP_ATTACH_SCHEDULER] = { "attach_scheduler", attach_scheduler },
	[KTSTR_OP_DETACH_SCHEDULER] = { "detach_scheduler", detach_scheduler },
	[KTSTR_OP_RESTART_SCHEDULER] = { "restart_scheduler", restart_scheduler },
	[KTSTR_OP_CAPTURE_CGROUP_PROCS] = { "capture_cgroup_procs", capture_cgroup_procs },
	[KTSTR_OP_CAPTURE_SNAPSHOT] = { "capture_snapshot", capture_snapshot },
	[KTSTR_OP_SIGSTOP_CGROUP] = { "sigstop_cgroup", signal_cgroup },
	[KTSTR_OP_SIGCONT_CGROUP] = { "sigcont_cgroup", signal_cgroup },
	[KTSTR_OP_SET_POLICY] = { "set_policy", set_policy },
	[KTSTR_OP_SET_NICE] = { "set_nice", set_nice },
};

_Static_assert(ARRAY_SIZE(ops) == KTSTR_OP_END, "every operation has a row");
_Static_assert(KTSTR_OP_END <= 32, "every operation has a bit in the mask of a step's event");

const struct op_info *op_info(enum ktstr_op_kind kind)
{
	return (size_t)kind < ARRAY_SIZE(ops) ? &ops[kind] : NULL;
}

int run_op(struct scenario_run *r, const struct ktstr_op *op)
{
	const struct op_info *info = op_info(op->kind);

	if (!info)
		return err_set(EINVAL, "there is no operation %d", (int)op->kind);
	return err_wrap(info->apply(r, op), "%s", info->name);
}
