// SPDX-License-Identifier: GPL-2.0-only
/* The lists of live cgroups and workers, and their cpusets. */
#include "scenario/run.h"

struct live_cgroup *run_find(struct scenario_run *r, const char *name)
{
	return vec_find(&r->cgroups, name, name);
}

bool run_is_inside(const char *name, const char *cgroup)
{
	size_t len = strlen(cgroup);

	return str_starts(name, cgroup) && (!name[len] || name[len] == '/');
}

int run_require(struct scenario_run *r, const char *name)
{
	struct cgroup_manager *m = NULL;
	int rc;

	if (!name)
		return err_set(EINVAL, "it names no cgroup");
	if (run_find(r, name))
		return 0;
	rc = cgroup_check_name(name) ?: ctx_cgroups(r->ctx, &m);
	if (rc < 0 || cgroup_exists(m, name))
		return rc;
	return err_set(ENOENT, "there is no cgroup '%s': make it with a def or KTSTR_ADD_CGROUP",
		       name);
}

static int push_cgroup(struct scenario_run *r, const char *name, size_t len, bool is_implicit)
{
	struct live_cgroup c = {
		.name = strndup(name, len),
		.is_backdrop = r->in_backdrop,
		.is_implicit = is_implicit,
	};
	int rc = c.name ? vec_push(&r->cgroups, c) : err_no_memory();

	if (rc < 0)
		free(c.name);
	return rc;
}

/* Adds levels that do not exist yet; they are removed together with the cgroup. */
static int push_levels_above(struct scenario_run *r, const struct cgroup_manager *m,
			     const char *name)
{
	int rc = 0;

	for (const char *p = strchr(name, '/'); rc == 0 && p; p = strchr(p + 1, '/')) {
		_free_ char *level = strndup(name, (size_t)(p - name));

		if (!level)
			return err_no_memory();
		if (!run_find(r, level) && !cgroup_exists(m, level))
			rc = push_cgroup(r, level, strlen(level), true);
	}
	return rc;
}

int run_add_cgroup(struct scenario_run *r, const char *name)
{
	struct live_cgroup *live;
	struct cgroup_manager *m = NULL;
	int rc = cgroup_check_name(name) ?: ctx_cgroups(r->ctx, &m);

	if (rc < 0)
		return rc;
	live = run_find(r, name);
	if (live && !live->is_implicit)
		return err_set(EEXIST, "cgroup '%s' exists already%s", name,
			       live->is_backdrop ? ", in the backdrop" : "");
	if (live) {
		live->is_implicit = false;
		return 0;
	}
	if (cgroup_exists(m, name))
		return err_set(EEXIST, "cgroup '%s' exists already", name);
	rc = push_levels_above(r, m, name) ?: push_cgroup(r, name, strlen(name), false);
	return rc < 0 ? rc : cgroup_create(m, name);
}

bool run_effective_cpuset(struct scenario_run *r, const char *name, struct worker_cpus *out)
{
	bool has_any = false;

	vec_each(const struct live_cgroup, c, &r->cgroups) {
		if (!c->has_cpuset || !run_is_inside(name, c->name))
			continue;
		/* Without a common CPU, the kernel falls back to the CPUs of the parent. */
		if (!has_any)
			*out = c->cpuset;
		else if (!cpus_and(out, out, &c->cpuset))
			return false;
		has_any = true;
	}
	return has_any;
}

static void note_change(struct scenario_run *r, const char *name)
{
	vec_each(struct live_workers, w, &r->workers)
		if (w->cgroup && run_is_inside(w->cgroup, name))
			w->cpuset_changed = true;
}

void run_note_frozen(struct scenario_run *r, const char *name)
{
	vec_each(struct live_workers, w, &r->workers)
		if (w->cgroup && run_is_inside(w->cgroup, name))
			w->was_frozen = true;
}

int run_set_cpuset(struct scenario_run *r, const char *name, const struct worker_cpus *cpus)
{
	struct live_cgroup *live = run_find(r, name);
	_str_ struct str text = {};
	struct cgroup_manager *m = NULL;
	int rc = ctx_cgroups(r->ctx, &m);

	if (rc < 0)
		return rc;
	if (cpus)
		cpus_format(cpus, &text);
	note_change(r, name);
	rc = cpus ? cgroup_set_cpuset(m, name, str_get(&text)) : cgroup_clear_cpuset(m, name);
	if (rc < 0 || !live)
		return rc;
	live->has_cpuset = cpus != NULL;
	if (cpus)
		live->cpuset = *cpus;
	return 0;
}

int run_check_owner(struct scenario_run *r, const char *name, const char *verb)
{
	if (r->in_backdrop || r->allow_backdrop)
		return 0;
	vec_each(const struct live_cgroup, c, &r->cgroups) {
		if (c->is_backdrop && !c->is_implicit && run_is_inside(c->name, name))
			return err_set(EPERM,
				       "a step may not %s '%s' of the backdrop, unless it sets "
				       ".allow_backdrop = true",
				       verb, c->name);
	}
	return 0;
}

void run_free_lists(struct scenario_run *r)
{
	vec_release(&r->cgroups, each, free(each->name));
	free(r->workers.items);
	free(r->payloads.items);
}
