// SPDX-License-Identifier: GPL-2.0-only
/* Ends workers and cgroups. All workers that ran are judged, also after an error. */
#include <signal.h>

#include "scenario/run.h"

void judge_group(struct judged_cgroup cgroup, const struct workers *group,
		 const struct ktstr_assert *checks, struct ktstr_result *res)
{
	_free_ const struct worker_report **reports = calloc(cgroup.count, sizeof(void *));

	if (!reports) {
		res->failed_alloc = true;
		return;
	}
	for (unsigned int i = 0; i < cgroup.count; i++)
		reports[i] = workers_report(group, i);
	cgroup.reports = reports;
	check_cgroup(&cgroup, checks, res);
}

static void judge(struct scenario_run *r, const struct live_workers *w)
{
	const struct judged_cgroup cgroup = {
		.name = w->label,
		.count = w->count,
		.cpuset = w->has_cpuset && !w->cpuset_changed ? &w->cpuset : NULL,
		.topology = r->ctx->topology,
		.is_pinned_apart = w->is_pinned_apart,
		.has_fair_shares = w->fair_phases && !w->is_unproven,
		.luck_pct = w->luck_pct,
		.fair_after_ns = r->ctx->fair_after_ns,
		.ends_early = r->goes_on,
		.was_cut_short = r->was_cut_short,
		.was_frozen = w->was_frozen,
		.seen = r->seen.items,
		.seen_count = r->seen.count,
		.after = r->after.is_known ? &r->after : NULL,
		.start_ns = r->ctx->start_ns,
	};

	judge_group(cgroup, w->group, r->checks, &r->result);
}

static bool is_meant(const struct live_workers *w, const char *cgroup, bool is_backdrop)
{
	if (cgroup)
		return w->cgroup && run_is_inside(w->cgroup, cgroup);
	return w->is_backdrop == is_backdrop;
}

/* Thaws all cgroups around the workers: a frozen worker would not notice that it has to stop. */
static void thaw_around(struct scenario_run *r, const struct live_workers *w)
{
	for (size_t i = 0; w->cgroup && i < r->cgroups.count; i++) {
		struct live_cgroup *c = &r->cgroups.items[i];
		int rc;

		if (!c->is_frozen || !run_is_inside(w->cgroup, c->name))
			continue;
		c->is_frozen = false;
		run_note_frozen(r, c->name);
		rc = cgroup_unfreeze(&r->ctx->cgroup_manager, c->name);
		if (rc < 0)
			log_warn("scenario", "%s", err_text(rc));
	}
}

static bool is_any_lost(const struct workers *group)
{
	const pid_t *pids;
	size_t count = workers_pids(group, &pids);

	for (size_t i = 0; i < count; i++)
		if (workers_report(group, (unsigned int)i)->end != WORKER_COMPLETED)
			return true;
	return false;
}

/* Records events again if a worker did not stop: the scheduler may never have let it run. */
static void look_after(struct scenario_run *r, struct workers *const *groups, size_t count)
{
	bool has_lost = false;

	for (size_t i = 0; i < count; i++)
		has_lost |= is_any_lost(groups[i]);
	observed_finish(&r->after);
	if (has_lost && r->ctx->observer && observer_end(r->ctx->observer, &r->after) < 0)
		observed_finish(&r->after);
}

/* Stops all of them at once, then judges each group. */
static void stop_workers(struct scenario_run *r, const char *cgroup, bool is_backdrop)
{
	_free_ struct workers **groups = calloc(r->workers.count + 1, sizeof(void *));
	size_t count = 0, kept = 0;

	for (size_t i = 0; groups && i < r->workers.count; i++) {
		struct live_workers *w = &r->workers.items[i];

		if (!is_meant(w, cgroup, is_backdrop))
			continue;
		thaw_around(r, w);
		if (w->is_stopped)
			workers_signal(w->group, SIGCONT);
		groups[count++] = w->group;
	}
	if (count) {
		workers_stop_all(groups, count);
		look_after(r, groups, count);
	}
	vec_each(struct live_workers, w, &r->workers) {
		if (!is_meant(w, cgroup, is_backdrop)) {
			r->workers.items[kept++] = *w;
			continue;
		}
		if (groups)
			judge(r, w);
		else
			r->result.failed_alloc = true;
		workers_free(w->group);
		free(w->cgroup);
		free(w->label);
	}
	r->workers.count = kept;
}

void run_stop_inside(struct scenario_run *r, const char *cgroup)
{
	run_kill_payloads(r, cgroup, false);
	stop_workers(r, cgroup, false);
}

static void forget_inside(struct scenario_run *r, const char *name)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->cgroups.count; i++) {
		if (run_is_inside(r->cgroups.items[i].name, name))
			free(r->cgroups.items[i].name);
		else
			r->cgroups.items[kept++] = r->cgroups.items[i];
	}
	r->cgroups.count = kept;
}

int run_remove_cgroup(struct scenario_run *r, const char *name)
{
	int rc;

	run_stop_inside(r, name);
	rc = cgroup_remove(&r->ctx->cgroup_manager, name);
	if (rc == 0)
		forget_inside(r, name);
	return rc;
}

static void remove_cgroups(struct scenario_run *r, bool is_backdrop)
{
	for (size_t i = r->cgroups.count; i-- > 0;) {
		struct live_cgroup *c = &r->cgroups.items[i];
		int rc;

		if (c->is_backdrop != is_backdrop)
			continue;
		rc = cgroup_remove(&r->ctx->cgroup_manager, c->name);
		if (rc < 0)
			result_add(&r->result, DETAIL_OTHER, KTSTR_FAILED, "teardown: %s",
				   err_text(rc));
		free(c->name);
		for (size_t k = i + 1; k < r->cgroups.count; k++)
			r->cgroups.items[k - 1] = r->cgroups.items[k];
		r->cgroups.count--;
	}
}

void run_teardown(struct scenario_run *r, bool is_backdrop)
{
	run_kill_payloads(r, NULL, is_backdrop);
	stop_workers(r, NULL, is_backdrop);
	remove_cgroups(r, is_backdrop);
}
