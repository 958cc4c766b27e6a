// SPDX-License-Identifier: GPL-2.0-only
/* Workers and cgroups for test bodies that do not use steps. */
#include "scenario/run.h"

static int fork_group(struct ktstr_workers *w, const struct ktstr_work *work, const char *dir,
		      const struct worker_cpus *cpuset)
{
	const struct spawn_request q = { work, by_hand_name(w), dir, w->count, cpuset };
	int rc = mem_policy_validate(w->ctx, q.name, work, cpuset);

	return rc ?: spawn_workers(w->ctx, &q, &w->group, &w->is_pinned_apart);
}

/* Returns false if there is no cpuset, also if the cgroup lacks the controller. */
static bool read_cpuset(struct cgroup_manager *m, const char *name, struct worker_cpus *cpus)
{
	_cleanup_(cpulist_finish) struct cpulist list = {};
	_str_ struct str text = {};

	if (cgroup_read(m, name, "cpuset.cpus", &text) < 0 ||
	    cpulist_parse(str_get(&text), &list) < 0)
		return false;
	cpus_from_list(cpus, &list);
	return list.count > 0;
}

/* A test may only touch cgroups below its own parent. */
static int manager_for(struct ktstr_ctx *ctx, const char *name, struct cgroup_manager **m)
{
	int rc = name ? cgroup_check_name(name) : err_set(EINVAL, "a cgroup needs a name");

	return rc ?: ctx_cgroups(ctx, m);
}

static int place_group(struct ktstr_workers *w, const struct ktstr_work *work)
{
	_free_ char *dir = NULL;
	struct cgroup_manager *m = NULL;
	struct worker_cpus cpus = {};
	const pid_t *pids;
	size_t count;
	int rc;

	if (!w->cgroup)
		return fork_group(w, work, NULL, NULL);
	rc = manager_for(w->ctx, w->cgroup, &m);
	if (rc < 0)
		return rc;
	if (!cgroup_exists(m, w->cgroup))
		return err_set(ENOENT,
			       "there is no cgroup '%s': make it with ktstr_cgroup_create()",
			       w->cgroup);
	dir = cgroup_path(m, w->cgroup);
	if (!dir)
		return err_no_memory();
	rc = fork_group(w, work, dir, read_cpuset(m, w->cgroup, &cpus) ? &cpus : NULL);
	if (rc < 0)
		return rc;
	count = workers_pids(w->group, &pids);
	return cgroup_move_tasks(m, w->cgroup, pids, count);
}

int ktstr_workers_spawn(struct ktstr_ctx *ctx, const struct ktstr_work *work, const char *cgroup,
			struct ktstr_workers **out)
{
	struct ktstr_workers *w = calloc(1, sizeof(*w));
	int rc;

	*out = NULL;
	if (!w)
		return err_no_memory();
	w->ctx = ctx;
	w->count = work->workers ? work->workers : ctx->workers_per_cgroup;
	w->cgroup = cgroup ? strdup(cgroup) : NULL;
	rc = cgroup && !w->cgroup ? err_no_memory() : place_group(w, work);
	if (rc < 0) {
		ktstr_workers_free(w);
		return rc;
	}
	*out = w;
	return 0;
}

int ktstr_workers_start(struct ktstr_workers *w)
{
	return workers_start(w->group) ?: by_hand_begin(w);
}

size_t ktstr_workers_pids(const struct ktstr_workers *w, const int **pids)
{
	return workers_pids(w->group, pids);
}

int ktstr_workers_set_affinity(struct ktstr_workers *w, unsigned int index, const char *cpus)
{
	_cleanup_(cpulist_finish) struct cpulist list = {};
	struct worker_cpus set;

	if (index >= w->count)
		return err_set(EINVAL, "worker %u is out of range: there are %u", index, w->count);
	if (cpulist_parse(cpus, &list) < 0 || list.count == 0)
		return err_set(EINVAL, "affinity: '%s' is not a list of CPUs: write \"0-3,5\"",
			       cpus);
	cpus_from_list(&set, &list);
	w->is_pinned_apart |= w->count > 1;
	w->ctx->by_hand.is_changed = true;
	return workers_set_affinity(w->group, index, &set);
}

uint64_t ktstr_workers_snapshot(const struct ktstr_workers *w)
{
	return workers_iterations(w->group);
}

int ktstr_assert_cgroup(struct ktstr_workers *w, const struct ktstr_assert *checks,
			struct ktstr_result *res)
{
	struct ktstr_ctx *ctx = w->ctx;
	struct judged_cgroup cgroup = {
		.name = by_hand_name(w),
		.count = w->count,
		.topology = ctx->topology,
		.is_pinned_apart = w->is_pinned_apart,
		.fair_after_ns = ctx->fair_after_ns,
		.start_ns = ctx->start_ns,
	};
	struct ktstr_result part;

	/* A separate result, since the phases of res may be those of steps. */
	result_init(&part);
	by_hand_end(w, checks, &part);
	workers_stop_all(&w->group, 1);
	by_hand_forget(w);
	if (ctx->by_hand.seen.is_known) {
		cgroup.seen = &ctx->by_hand.seen;
		cgroup.seen_count = 1;
	}
	judge_group(cgroup, w->group, checks, &part);
	result_merge(res, &part);
	result_finish(&part);
	return 0;
}

int ktstr_workers_stop_collect(struct ktstr_workers *w, struct ktstr_result *res)
{
	return ktstr_assert_cgroup(w, &w->ctx->checks, res);
}

void ktstr_workers_free(struct ktstr_workers *w)
{
	if (!w)
		return;
	by_hand_forget(w);
	if (w->group)
		workers_free(w->group);
	free(w->cgroup);
	free(w);
}

/* ---- cgroups ---- */

int ktstr_cgroup_create(struct ktstr_ctx *ctx, const char *name)
{
	struct cgroup_manager *m = NULL;
	int rc = manager_for(ctx, name, &m);

	return rc < 0 ? rc : cgroup_create(m, name);
}

int ktstr_cgroup_remove(struct ktstr_ctx *ctx, const char *name)
{
	struct cgroup_manager *m = NULL;
	int rc = manager_for(ctx, name, &m);

	return rc < 0 ? rc : cgroup_remove(m, name);
}

int ktstr_cgroup_set_cpuset(struct ktstr_ctx *ctx, const char *name, const char *cpus)
{
	struct cgroup_manager *m = NULL;
	int rc = manager_for(ctx, name, &m);

	ctx->by_hand.is_changed = true;
	return rc < 0 ? rc : cgroup_set_cpuset(m, name, cpus);
}

int ktstr_cgroup_clear_cpuset(struct ktstr_ctx *ctx, const char *name)
{
	struct cgroup_manager *m = NULL;
	int rc = manager_for(ctx, name, &m);

	ctx->by_hand.is_changed = true;
	return rc < 0 ? rc : cgroup_clear_cpuset(m, name);
}

int ktstr_cgroup_move_task(struct ktstr_ctx *ctx, const char *name, int pid)
{
	return ktstr_cgroup_move_tasks(ctx, name, &pid, 1);
}

int ktstr_cgroup_move_tasks(struct ktstr_ctx *ctx, const char *name, const int *pids, size_t count)
{
	struct cgroup_manager *m = NULL;
	int rc = manager_for(ctx, name, &m);

	ctx->by_hand.is_changed = true;
	return rc < 0 ? rc : cgroup_move_tasks(m, name, pids, count);
}

int ktstr_cgroup_drain(struct ktstr_ctx *ctx, const char *name)
{
	struct cgroup_manager *m = NULL;
	int rc = manager_for(ctx, name, &m);

	ctx->by_hand.is_changed = true;
	return rc < 0 ? rc : cgroup_drain(m, name);
}

int ktstr_cgroup_clear_subtree_control(struct ktstr_ctx *ctx, const char *name)
{
	struct cgroup_manager *m = NULL;
	int rc = manager_for(ctx, name, &m);

	return rc < 0 ? rc : cgroup_clear_subtree_control(m, name);
}

int ktstr_cgroup_cleanup_all(struct ktstr_ctx *ctx)
{
	struct cgroup_manager *m = NULL;
	int rc = ctx_cgroups(ctx, &m);

	return rc < 0 ? rc : cgroup_cleanup_all(m);
}

/* ---- groups of cgroups ---- */

struct ktstr_cgroup_group {
	struct ktstr_ctx *ctx;
	struct cgroup_group cgroups;
};

int ktstr_cgroup_group_new(struct ktstr_ctx *ctx, struct ktstr_cgroup_group **out)
{
	struct ktstr_cgroup_group *g = calloc(1, sizeof(*g));
	int rc = g ? ctx_cgroups(ctx, &g->cgroups.manager) : err_no_memory();

	*out = NULL;
	if (rc < 0) {
		free(g);
		return rc;
	}
	g->ctx = ctx;
	*out = g;
	return 0;
}

int ktstr_cgroup_group_add(struct ktstr_cgroup_group *g, const char *name, const char *cpus)
{
	struct cgroup_manager *m = NULL;
	int rc = manager_for(g->ctx, name, &m) ?: cgroup_group_create(&g->cgroups, name);

	if (rc == 0 && cpus)
		rc = cgroup_set_cpuset(m, name, cpus);
	return rc;
}

void ktstr_cgroup_group_free(struct ktstr_cgroup_group *g)
{
	if (!g)
		return;
	cgroup_group_finish(&g->cgroups);
	free(g);
}
