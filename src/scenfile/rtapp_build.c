// SPDX-License-Identifier: GPL-2.0-only
/* A task group becomes a cgroup, a task with its instances a group of workers in it. */
#include "scenfile/rtapp.h"

#include "cgroup/cgroup.h"

#define DEFAULT_GROUP "rt-app"

static const char *group_of(const struct rtapp_task *t)
{
	const char *group = t->group ? t->group : DEFAULT_GROUP;

	while (*group == '/')
		group++;
	return group;
}

static int fail(const struct rtapp_reader *r, const char *task, const char *why)
{
	return err_set(EINVAL, "%s: task '%s': %s", r->name, task, why);
}

/* A cgroup with controllers cannot have both tasks and children. */
static int check_group(const struct rtapp_reader *r, const struct rtapp_task *t)
{
	const char *group = group_of(t);
	size_t len = strlen(group);

	if (cgroup_check_name(group) < 0)
		return fail(r, t->name, err_text(-EINVAL));
	for (size_t i = 0; i < r->task_count; i++) {
		const char *other = group_of(r->tasks[i]);

		if (!strncmp(other, group, len) && other[len] == '/')
			return fail(r, t->name,
				    "its taskgroup has another one with tasks below it, which "
				    "cgroup v2 does not allow");
	}
	return 0;
}

static int set_policy(const struct rtapp_reader *r, const struct rtapp_task *t,
		      struct ktstr_work *work)
{
	static const struct {
		const char *name;
		int kind;
		bool is_realtime;
	} policies[] = {
		{ "SCHED_OTHER", KTSTR_POLICY_NORMAL, false },
		{ "SCHED_BATCH", KTSTR_POLICY_BATCH, false },
		{ "SCHED_IDLE", KTSTR_POLICY_IDLE, false },
		{ "SCHED_FIFO", KTSTR_POLICY_FIFO, true },
		{ "SCHED_RR", KTSTR_POLICY_RR, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(policies); i++) {
		if (!str_eq(policies[i].name, t->policy))
			continue;
		work->sched_policy.kind = policies[i].kind;
		if (policies[i].is_realtime) {
			work->sched_policy.priority = t->has_priority ? (int)t->priority : 10;
			return work->sched_policy.priority >= 1 ?
				       0 :
				       fail(r, t->name, "its policy has priorities from 1 to 99");
		}
		work->nice = (int)t->priority;
		return t->priority <= 19 ?
			       0 :
			       fail(r, t->name, "its priority is a nice value: at most 19");
	}
	return fail(
		r, t->name,
		"its policy is none of SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, SCHED_FIFO, SCHED_RR");
}

static int fill_work(const struct rtapp_reader *r, struct rtapp_task *t, struct ktstr_work *work)
{
	*work = (struct ktstr_work){ .workers = t->instances,
				     .work_type = KTSTR_CUSTOM(t->name, rtapp_work, t),
				     .comm = t->name };
	if (t->cpus)
		work->affinity = (struct ktstr_affinity)KTSTR_PIN_EXACT(t->cpus);
	return set_policy(r, t, work);
}

/* Fills in all tasks of the group whose first task this is. */
static int fill_cgroup(const struct rtapp_reader *r, size_t first, struct ktstr_cgroup *cgroup)
{
	struct ktstr_work *works = arena_alloc(r->arena, (r->task_count + 1) * sizeof(*works));
	const char *group = group_of(r->tasks[first]);
	size_t count = 0;
	int rc = 0;

	if (!works)
		return err_no_memory();
	for (size_t i = first; i < r->task_count && rc == 0; i++)
		if (str_eq(group_of(r->tasks[i]), group))
			rc = fill_work(r, r->tasks[i], &works[count++]);
	works[count].workers = UINT32_MAX;
	cgroup->name = group;
	cgroup->works = works;
	return rc;
}

static bool is_first_of_group(const struct rtapp_reader *r, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (str_eq(group_of(r->tasks[i]), group_of(r->tasks[index])))
			return false;
	return true;
}

/* Rejects conditions on which tasks suspend but that no task resumes. */
static int check_conditions(const struct rtapp_reader *r)
{
	for (size_t i = 0; i < r->conditions.count; i++)
		if ((r->suspends & ~r->resumes) >> i & 1)
			return err_set(EINVAL, "%s: a task suspends on '%s', which nothing resumes",
				       r->name, r->conditions.items[i]);
	return 0;
}

static const struct ktstr_step whole_duration[] = { { .hold = KTSTR_HOLD_FULL },
						    { .is_end_ = true } };

int rtapp_build(struct rtapp_reader *r, struct scenfile *out)
{
	struct ktstr_cgroup *cgroups =
		arena_alloc(r->arena, (r->task_count + 1) * sizeof(*cgroups));
	size_t count = 0;
	int rc = check_conditions(r);

	if (!cgroups)
		return err_no_memory();
	if (rc == 0 && !r->task_count)
		rc = err_set(EINVAL, "%s: no tasks", r->name);
	for (size_t i = 0; i < r->task_count && rc == 0; i++) {
		rc = check_group(r, r->tasks[i]);
		if (rc == 0 && is_first_of_group(r, i))
			rc = fill_cgroup(r, i, &cgroups[count++]);
	}
	r->app->lock_count = r->locks.count;
	r->app->condition_count = r->conditions.count;
	out->rtapp = r->app;
	out->run = (struct ktstr_scenario_run){ .backdrop = { .defs = cgroups },
						.steps = whole_duration };
	/* Tasks of one group differ on purpose. */
	out->checks.max_spread_pct = KTSTR_OFF;
	return rc;
}
