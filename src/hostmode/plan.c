// SPDX-License-Identifier: GPL-2.0-only
/* Turns a list of scenarios into a list of runs. */
#include "hostmode/execute.h"

static int masks_of(const struct host_scenario *s, struct arena *arena, uint64_t **masks,
		    size_t *count)
{
	int rc = profiles_list(host_flags(), s->required, s->excluded, arena, masks, count);

	return err_wrap(rc, "scenario '%s'", s->name);
}

int host_plan_add_profiles(const struct host_scenario *s, struct arena *arena,
			   const char *const **names, size_t *count)
{
	const char **list;
	uint64_t *masks;
	int rc = masks_of(s, arena, &masks, count);

	if (rc < 0)
		return rc;
	list = arena_alloc(arena, (*count + 1) * sizeof(*list));
	for (size_t i = 0; list && i < *count; i++) {
		list[i] = profile_name(host_flags(), masks[i], arena);
		if (!list[i])
			return err_no_memory();
	}
	*names = list;
	return list ? 0 : err_no_memory();
}

/* Why a scenario cannot run with exactly these flags; NULL if it can. */
static const char *unsuitable(const struct host_scenario *s, uint64_t profile, struct arena *arena)
{
	uint64_t missing = s->required & ~profile, wrong = s->excluded & profile;
	_str_ struct str why = {};

	if (!missing && !wrong)
		return NULL;
	str_addf(&why, "%s %s", missing ? "needs" : "excludes",
		 profile_name(host_flags(), missing ? missing : wrong, arena));
	return arena_copy(arena, str_get(&why), why.len);
}

static int add_run(struct host_plan *plan, const struct host_scenario *s, uint64_t profile)
{
	struct host_run run = { .scenario = s, .profile = profile };
	_str_ struct str name = {};

	run.profile_name = profile_name(host_flags(), profile, &plan->arena);
	if (!run.profile_name)
		return err_no_memory();
	str_addf(&name, "%s/%s", s->name, run.profile_name);
	run.name = name.failed ? NULL : arena_copy(&plan->arena, name.s, name.len);
	if (!run.name)
		return err_no_memory();
	run.skip = unsuitable(s, profile, &plan->arena);
	return vec_push(&plan->runs, run);
}

static int add_scenario(struct host_plan *plan, const struct host_scenario *s,
			const struct host_plan_options *options)
{
	uint64_t *masks;
	size_t count;
	int rc;

	if (options->profiles == HOST_PROFILES_EXACT)
		return add_run(plan, s, options->exact);
	/* Also if only one profile is used: flags that exclude each other are an error. */
	rc = masks_of(s, &plan->arena, &masks, &count);
	if (rc == 0 && options->profiles == HOST_PROFILES_BASE)
		return add_run(plan, s, s->required);
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = add_run(plan, s, masks[i]);
	return rc;
}

/* Sorts by the name of the profile; scenarios keep their order. */
static int compare_runs(const void *a, const void *b)
{
	const struct host_run *x = a, *y = b;
	int order = strcmp(x->profile_name, y->profile_name);

	return order ? order : ORDER(x->scenario, y->scenario);
}

static int no_match(const struct host_scenarios *scenarios, const char *filter)
{
	const char *closest = host_scenarios_closest(scenarios, filter);

	if (closest)
		return err_set(ENOENT, "no scenario matches '%s'. Did you mean '%s'?", filter,
			       closest);
	return err_set(ENOENT, "no scenario matches '%s'; `ktstr list` shows them all", filter);
}

static struct selection_item item_of(const struct host_run *run, const struct host_plan_options *o)
{
	const struct host_scenario *s = run->scenario;
	uint64_t duration_ms = s->duration_ms ? s->duration_ms : o->duration_ms;

	return (struct selection_item){
		.name = run->name,
		.hashed_name = run->name,
		.scheduler = "host",
		.required_flags = (unsigned int)s->required,
		.excluded_flags = (unsigned int)s->excluded,
		.active_flags = (unsigned int)run->profile,
		.nodes = o->nodes,
		.llcs = o->llcs,
		.cpus = o->cpus,
		.threads = o->has_smt ? 2 : 1,
		.is_host_only = true,
		.duration_s = (double)duration_ms / 1000,
		.workers = s->workers ? s->workers : o->workers,
	};
}

/* Removes runs that do not fit in the budget. */
static void keep_chosen(struct host_plan *plan, const bool *is_chosen)
{
	size_t kept = 0;

	for (size_t i = 0; i < plan->runs.count; i++)
		if (is_chosen[i])
			plan->runs.items[kept++] = plan->runs.items[i];
	plan->runs.count = kept;
}

static int apply_budget(struct host_plan *plan, const struct host_plan_options *options)
{
	size_t count = plan->runs.count;
	_free_ struct selection_item *items = calloc(count + 1, sizeof(*items));
	_free_ bool *is_chosen = calloc(count + 1, sizeof(*is_chosen));

	if (!items || !is_chosen)
		return err_no_memory();
	for (size_t i = 0; i < count; i++)
		items[i] = item_of(&plan->runs.items[i], options);
	plan->has_budget = true;
	selection_by_budget(items, count, options->budget_s, is_chosen, &plan->budget);
	keep_chosen(plan, is_chosen);
	return 0;
}

static void add_estimate(struct host_plan *plan, const struct host_plan_options *options)
{
	for (size_t i = 0; i < plan->runs.count; i++) {
		struct selection_item item = item_of(&plan->runs.items[i], options);

		if (!plan->runs.items[i].skip)
			plan->estimate_s += selection_cost(&item);
	}
}

int host_plan_build(struct host_plan *plan, const struct host_scenarios *scenarios,
		    const struct host_plan_options *options)
{
	int rc = 0;

	vec_each_while(const struct host_scenario, s, &scenarios->list, rc == 0)
		if (!options->filter || strstr(s->name, options->filter))
			rc = add_scenario(plan, s, options);
	if (rc < 0)
		return rc;
	if (!plan->runs.count && options->filter)
		return no_match(scenarios, options->filter);
	vec_sort(&plan->runs, compare_runs);
	if (options->budget_s > 0)
		rc = apply_budget(plan, options);
	add_estimate(plan, options);
	return rc;
}

void host_plan_finish(struct host_plan *plan)
{
	free(plan->runs.items);
	arena_finish(&plan->arena);
}
