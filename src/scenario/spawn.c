// SPDX-License-Identifier: GPL-2.0-only
/* Starts workers in cgroups, and sets up cgroups from their definitions. */
#include <math.h>

#include "scenario/run.h"

#define HOST_LABEL "host"

static bool has_label(const struct scenario_run *r, const char *label)
{
	return vec_find(&r->workers, label, label);
}

/* "cg_0", or "cg_0:Bursty" and "cg_0:Bursty:2" if there are several groups. */
static char *make_label(const struct scenario_run *r, const char *cgroup,
			const struct ktstr_work *work, bool is_part)
{
	const char *where = cgroup ? cgroup : HOST_LABEL;
	const struct work_type_info *info = work_type_info(work->work_type.kind);
	const char *type = work->work_type.name ? work->work_type.name : info->name;
	char *label;

	if (!is_part && !has_label(r, where))
		return strdup(where);
	label = str_fmt("%s:%s", where, type);
	for (int i = 2; label && has_label(r, label); i++) {
		free(label);
		label = str_fmt("%s:%s:%d", where, type, i);
	}
	return label;
}

static int place(struct scenario_run *r, struct live_workers *w)
{
	struct cgroup_manager *m = NULL;
	const pid_t *pids;
	size_t count = workers_pids(w->group, &pids);
	int rc;

	workers_set_phase(w->group, r->phase);
	if (!w->cgroup)
		return 0;
	rc = ctx_cgroups(r->ctx, &m);
	return rc < 0 ? rc : cgroup_move_tasks(m, w->cgroup, pids, count);
}

/* Resolves the affinity and forks the workers. */
int spawn_workers(struct ktstr_ctx *ctx, const struct spawn_request *q, struct workers **group,
		  bool *is_pinned_apart)
{
	_free_ struct worker_cpus *sets = calloc(q->count, sizeof(*sets));
	struct workers_spec spec = {
		.work = q->work,
		.name = q->name,
		.count = q->count,
		.seed = ctx_next_seed(ctx),
		.scheduler_pid = ctx->scheduler.pid,
		.is_repro = ctx->is_repro,
		.has_init_parent = ctx->is_guest,
		.cgroup_dir = q->cgroup_dir,
	};
	int rc = sets ? affinity_resolve(ctx, &q->work->affinity, q->cpuset, q->count, sets) :
			err_no_memory();

	if (rc < 0)
		return rc;
	spec.affinities = rc ? sets : NULL;
	*is_pinned_apart = rc && affinities_differ(sets, q->count);
	return workers_spawn(&spec, group);
}

static int fork_workers(struct scenario_run *r, const struct ktstr_work *work,
			struct live_workers *w)
{
	_free_ char *dir = w->cgroup ? cgroup_path(&r->ctx->cgroup_manager, w->cgroup) : NULL;
	const struct spawn_request q = { work, w->label, dir, w->count,
					 w->has_cpuset ? &w->cpuset : NULL };

	if (w->cgroup && !dir)
		return err_no_memory();
	return spawn_workers(r->ctx, &q, &w->group, &w->is_pinned_apart);
}

static void free_workers(struct live_workers *w)
{
	if (w->group)
		workers_free(w->group);
	free(w->cgroup);
	free(w->label);
}

static int fill_workers(struct scenario_run *r, const char *cgroup, const struct ktstr_work *work,
			bool is_part, struct live_workers *w)
{
	int rc;

	w->label = make_label(r, cgroup, work, is_part);
	w->cgroup = cgroup ? strdup(cgroup) : NULL;
	if (!w->label || (cgroup && !w->cgroup))
		return err_no_memory();
	w->has_cpuset = cgroup && run_effective_cpuset(r, cgroup, &w->cpuset);
	/*
	 * As when a CPU goes offline later, the kernel may have widened the cpuset. And a
	 * task from a cgroup with the same online CPUs keeps all of its CPUs, for when they
	 * are back (cpuset_attach()).
	 */
	w->cpuset_changed = w->has_cpuset && r->ctx->offline_cpus.count;
	rc = mem_policy_validate(r->ctx, cgroup ? cgroup : HOST_LABEL, work,
				 w->has_cpuset ? &w->cpuset : NULL);
	rc = rc ?: fork_workers(r, work, w);
	return rc ?: place(r, w);
}

int run_spawn(struct scenario_run *r, const char *cgroup, const struct ktstr_work *work,
	      bool is_part)
{
	struct live_workers w = {
		.count = work->workers ? work->workers : r->ctx->workers_per_cgroup,
		.is_backdrop = r->in_backdrop,
	};
	int rc = fill_workers(r, cgroup, work, is_part, &w);

	rc = rc ?: vec_reserve(&r->workers, r->workers.count + 1);
	rc = rc ?: workers_start(w.group);
	if (rc < 0) {
		free_workers(&w);
		return err_wrap(rc, "workers of %s%s%s", cgroup ? "cgroup '" : "the host",
				cgroup ? cgroup : "", cgroup ? "'" : "");
	}
	run_mark_workers(r, &w);
	return vec_push(&r->workers, w);
}

/* The single group of workers that the def itself describes. */
static struct ktstr_work work_of_def(const struct ktstr_cgroup *def)
{
	return (struct ktstr_work){
		.workers = def->workers,
		.work_type = def->work_type,
		.sched_policy = def->sched_policy,
		.affinity = def->affinity,
		.mem_policy = def->mem_policy,
		.mpol_flags = def->mpol_flags,
		.nice = def->nice,
	};
}

static int count_by_percent(struct scenario_run *r, const struct ktstr_cgroup *def,
			    struct ktstr_work *work)
{
	struct worker_cpus cpus = {};
	size_t count = r->ctx->topology->cpu_count;
	double wanted;

	if (def->workers_pct == 0)
		return 0;
	if (def->workers)
		return err_set(EINVAL, "cgroup '%s': workers and workers_pct exclude each other",
			       def->name);
	if (run_effective_cpuset(r, def->name, &cpus))
		count = cpus_count(&cpus);
	wanted = ceil((double)count * def->workers_pct / 100);
	/* Written so that NaN is rejected. */
	if (!(wanted >= 1 && wanted <= 1e6))
		return err_set(EINVAL, "cgroup '%s': workers_pct %g is not a number of workers",
			       def->name, def->workers_pct);
	work->workers = (uint32_t)wanted;
	return 0;
}

/* Applies the run's --work-type if the def allows it and the number of workers fits it. */
static void override_type(struct scenario_run *r, const struct ktstr_cgroup *def,
			  struct ktstr_work *work)
{
	unsigned int count = work->workers ? work->workers : r->ctx->workers_per_cgroup;

	if (!r->ctx->has_work_type || !def->swappable ||
	    count % work_type_group(&r->ctx->work_type) != 0)
		return;
	work->work_type = r->ctx->work_type;
}

static int spawn_group(struct scenario_run *r, const struct ktstr_cgroup *def,
		       struct ktstr_work work, bool is_part)
{
	override_type(r, def, &work);
	return run_spawn(r, def->name, &work, is_part);
}

/* Checks all groups before the first of them runs. */
static int check_mem_policies(struct scenario_run *r, const struct ktstr_cgroup *def)
{
	struct worker_cpus cpus = {};
	bool has_cpuset = run_effective_cpuset(r, def->name, &cpus);
	int rc = 0;

	for (const struct ktstr_work *w = def->works; rc == 0 && w->workers != UINT32_MAX; w++)
		rc = mem_policy_validate(r->ctx, def->name, w, has_cpuset ? &cpus : NULL);
	return rc;
}

static int spawn_groups(struct scenario_run *r, const struct ktstr_cgroup *def)
{
	const struct ktstr_work *works = def->works;
	struct ktstr_work single = work_of_def(def);
	bool has_many = works && works[0].workers != UINT32_MAX && works[1].workers != UINT32_MAX;
	int rc;

	if (!works || works->workers == UINT32_MAX) {
		rc = count_by_percent(r, def, &single);
		return rc < 0 ? rc : spawn_group(r, def, single, false);
	}
	if (def->workers || def->workers_pct != 0)
		return err_set(EINVAL, "cgroup '%s': give either works or workers, not both",
			       def->name);
	rc = check_mem_policies(r, def);
	for (; rc == 0 && works->workers != UINT32_MAX; works++)
		rc = spawn_group(r, def, *works, has_many);
	return rc;
}

static int set_limits(struct cgroup_manager *m, const struct ktstr_cgroup *def)
{
	int rc = def->cpuset_mems ? cgroup_set_mems(m, def->name, def->cpuset_mems) : 0;

	if (rc == 0 && def->cpu_max)
		rc = cgroup_set_cpu_max(m, def->name, def->cpu_max);
	if (rc == 0 && def->cpu_weight)
		rc = cgroup_set_cpu_weight(m, def->name, def->cpu_weight);
	if (rc == 0 && def->memory_max)
		rc = cgroup_set_memory(m, def->name, "memory.max", def->memory_max);
	if (rc == 0 && def->memory_high)
		rc = cgroup_set_memory(m, def->name, "memory.high", def->memory_high);
	if (rc == 0 && def->pids_max)
		rc = cgroup_set_pids_max(m, def->name, def->pids_max);
	if (rc == 0 && (def->uclamp_min || def->uclamp_max))
		rc = cgroup_set_uclamp(m, def->name, def->uclamp_min, def->uclamp_max);
	return rc;
}

/* Resolves the cpuset before anything is created. */
static int check_def(struct scenario_run *r, const struct ktstr_cgroup *def,
		     struct worker_cpus *cpus)
{
	if (def->cpuset.kind == KTSTR_CPUSET_NONE)
		return 0;
	return cpuset_resolve(r->ctx, def->name, &def->cpuset, cpus);
}

/* Remembers quota and weight, by which waits and shares are judged. */
static void remember_limits(struct scenario_run *r, const struct ktstr_cgroup *def)
{
	struct live_cgroup *c = run_find(r, def->name);

	if (!c)
		return;
	c->has_quota = def->cpu_max != NULL;
	c->cpu_weight = def->cpu_weight;
}

int run_setup_def(struct scenario_run *r, const struct ktstr_cgroup *def)
{
	struct worker_cpus cpus = {};
	int rc = check_def(r, def, &cpus) ?: run_add_cgroup(r, def->name);

	if (rc == 0 && def->cpuset.kind != KTSTR_CPUSET_NONE)
		rc = run_set_cpuset(r, def->name, &cpus);
	rc = rc ?: set_limits(&r->ctx->cgroup_manager, def);
	if (rc == 0)
		remember_limits(r, def);
	rc = rc ?: spawn_groups(r, def);
	if (rc == 0 && def->payload)
		rc = run_start_payload(r, def->payload, def->name, NULL);
	return rc;
}
