// SPDX-License-Identifier: GPL-2.0-only
/* The catalog: its rows, its flags and profiles, how it splits machines, what it plans. */
#include "unit.h"

#include <string.h>

#include "base/err.h"
#include "base/util.h"
#include "check/result.h"
#include "hostmode/execute.h"
#include "scenario/catalog.h"
#include "scenario/ctx.h"

static void catalog_has_its_rows_in_order(void **state)
{
	static const struct {
		const char *category;
		size_t rows;
		const char *first, *last;
	} expected[] = {
		{ "basic", 3, "cgroup_steady", "cgroup_cpuset_cross_llc_steady" },
		{ "cpuset", 6, "cgroup_cpuset_overlap_steady", "cgroup_cpuset_numa_swap" },
		{ "stress", 17, "cgroup_partial_cpus_steady", "mutex_contention_heavy" },
		{ "affinity", 6, "cgroup_affinity_inherit", "cgroup_affinity_change" },
		{ "sched_class", 6, "sched_batch", "cgroup_pipe_io" },
		{ "stall", 2, "stall_detect", "stall_recovery" },
		{ "dynamic", 3, "cgroup_add_midrun", "cgroup_rapid_churn" },
		{ "nested", 4, "nested_cgroup_steady", "nested_cgroup_cpuset" },
		{ "advanced", 20, "cgroup_idle_overloaded", "cgroup_bursty_load_shift" },
		{ "interaction", 9, "cgroup_cpuset_imbalance_combined", "nested_cgroup_imbalance" },
		{ "performance", 5, "cache_pressure_imbalance", "fan_out_compute" },
	};
	size_t total = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		const struct catalog_category *c = &catalog_categories[i];
		size_t rows = 0;

		assert_string_equal(c->name, expected[i].category);
		while (c->rows[rows].name)
			rows++;
		assert_int_equal(rows, expected[i].rows);
		assert_string_equal(c->rows[0].name, expected[i].first);
		assert_string_equal(c->rows[rows - 1].name, expected[i].last);
		total += rows;
	}
	assert_null(catalog_categories[ARRAY_SIZE(expected)].name);
	assert_int_equal(total, 81);
}

static void every_row_is_complete(void **state)
{
	(void)state;
	for (const struct catalog_category *c = catalog_categories; c->name; c++)
		for (const struct catalog_row *row = c->rows; row->name; row++) {
			/* Either data or a function, and something to read. */
			assert_true((row->run != NULL) != (row->steady.cgroups > 0));
			assert_true(row->steady.cgroups <= STEADY_MAX_CGROUPS);
			assert_non_null(row->description);
			assert_ptr_equal(catalog_find(row->name), row);
			assert_false(row->needs & row->excludes);
		}
	assert_null(catalog_find("cgroup_stead"));
}

struct planned {
	struct host_scenarios scenarios;
	struct host_plan plan;
	int rc;
};

static void planned_finish(struct planned *p)
{
	host_plan_finish(&p->plan);
	host_scenarios_finish(&p->scenarios);
}

static void plan(struct planned *p, struct host_plan_options options)
{
	options.duration_ms = options.duration_ms ? options.duration_ms : 20000;
	options.workers = 4;
	options.nodes = options.llcs = 1;
	options.cpus = 2;
	*p = (struct planned){};
	assert_int_equal(host_scenarios_add_catalog(&p->scenarios), 0);
	p->rc = host_plan_build(&p->plan, &p->scenarios, &options);
}

static void all_profiles_are_2988_runs(void **state)
{
	_cleanup_(planned_finish) struct planned p;

	(void)state;
	plan(&p, (struct host_plan_options){});
	assert_int_equal(p.rc, 0);
	assert_int_equal(p.plan.runs.count, 2988);
	/* 20 s and 2 s around it, each. */
	assert_float_equal(p.plan.estimate_s, 2988 * 22.0, 0.1);
	for (size_t i = 0; i < p.plan.runs.count; i++)
		assert_null(p.plan.runs.items[i].skip);
}

static size_t count_profiles(const char *scenario)
{
	_cleanup_(planned_finish) struct planned p;
	size_t count = 0;

	plan(&p, (struct host_plan_options){ .filter = scenario });
	for (size_t i = 0; i < p.plan.runs.count; i++)
		count += str_eq(p.plan.runs.items[i].scenario->name, scenario);
	return count;
}

static void profiles_per_row_are_as_documented(void **state)
{
	(void)state;
	assert_int_equal(count_profiles("cgroup_steady"), 48);
	assert_int_equal(count_profiles("cgroup_cpuset_llc_affinity"), 32);
	assert_int_equal(count_profiles("cgroup_multicpu_pin"), 24);
	assert_int_equal(count_profiles("cgroup_llc_overflow"), 16);
	assert_int_equal(count_profiles("cgroup_cpuset_cross_llc_race"), 16);
	assert_int_equal(count_profiles("cgroup_no_ctrl_imbalance"), 12);
	assert_int_equal(count_profiles("cgroup_affinity_change"), 24);
}

static void runs_are_ordered_by_profile_then_catalog(void **state)
{
	_cleanup_(planned_finish) struct planned p;

	(void)state;
	plan(&p, (struct host_plan_options){ .profiles = HOST_PROFILES_BASE });
	assert_int_equal(p.plan.runs.count, 81);
	for (size_t i = 1; i < p.plan.runs.count; i++) {
		const struct host_run *a = &p.plan.runs.items[i - 1], *b = a + 1;
		int order = strcmp(a->profile_name, b->profile_name);

		assert_true(order < 0 || (order == 0 && a->scenario < b->scenario));
	}
}

static void exact_flags_skip_rows_they_do_not_suit(void **state)
{
	_cleanup_(planned_finish) struct planned p;
	uint64_t flags;
	size_t skipped = 0;

	(void)state;
	assert_int_equal(host_flags_parse("reject-pin,llc", &flags), 0);
	plan(&p, (struct host_plan_options){ .profiles = HOST_PROFILES_EXACT, .exact = flags });
	assert_int_equal(p.plan.runs.count, 81);
	for (size_t i = 0; i < p.plan.runs.count; i++) {
		const struct host_run *run = &p.plan.runs.items[i];

		assert_string_equal(run->profile_name, "llc+reject-pin");
		skipped += run->skip != NULL;
		if (str_eq(run->scenario->name, "cgroup_load_imbalance"))
			assert_string_equal(run->skip, "needs rebal");
		if (str_eq(run->scenario->name, "cgroup_affinity_change"))
			assert_string_equal(run->skip, "excludes reject-pin");
	}
	/* Those that need borrow, steal, rebal or no-ctrl, and the one that excludes a flag. */
	assert_int_equal(skipped, 31);
}

static void flags_are_checked(void **state)
{
	uint64_t flags;

	(void)state;
	assert_int_equal(host_flags_parse("", &flags), 0);
	assert_int_equal(flags, 0);
	assert_int_equal(host_flags_parse("steal,llc", &flags), 0);
	assert_int_equal(flags, FLAG_LLC | FLAG_STEAL);
	assert_int_equal(host_flags_parse("X", &flags), -EINVAL);
	assert_string_equal(err_text(-EINVAL),
			    "unknown flag: 'X'. valid flags: llc, borrow, steal, "
			    "rebal, reject-pin, no-ctrl");
	assert_int_equal(host_flags_parse("llc,", &flags), -EINVAL);
	assert_int_equal(host_flags_parse("steal", &flags), -EINVAL);
	assert_string_equal(err_text(-EINVAL), "flag 'steal' requires flag 'llc': give both");
}

static void filters_suggest(void **state)
{
	static const struct {
		const char *filter, *suggestion;
	} cases[] = {
		{ "cgroup_stedy", "Did you mean 'cgroup_steady'?" },
		{ "cpset", "Did you mean 'cpuset'?" },
		{ "zzzzzzzzzzzzzzzzzzzzzzzz", "`ktstr list` shows them all" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(planned_finish) struct planned p;

		plan(&p, (struct host_plan_options){ .filter = cases[i].filter });
		assert_int_equal(p.rc, -ENOENT);
		assert_non_null(strstr(err_text(p.rc), cases[i].suggestion));
	}
}

static void budget_chooses_within_its_time(void **state)
{
	_cleanup_(planned_finish) struct planned p;

	(void)state;
	plan(&p, (struct host_plan_options){ .budget_s = 100, .duration_ms = 8000 });
	assert_int_equal(p.rc, 0);
	assert_true(p.plan.has_budget);
	assert_true(p.plan.runs.count > 1 && p.plan.runs.count <= 10);
	assert_true(p.plan.estimate_s <= 100);
	assert_int_equal(p.plan.budget.total, 2988);
}

/* ---- partitions ---- */

struct machine {
	struct topology topology;
	struct ktstr_ctx ctx;
	unsigned int usable[64];
};

static void machine_init(struct machine *m, const char *notation)
{
	*m = (struct machine){};
	assert_int_equal(topology_from_notation(&m->topology, notation), 0);
	m->ctx.topology = &m->topology;
	m->ctx.usable.cpus = m->usable;
	m->ctx.usable.count = m->topology.cpu_count;
	m->ctx.usable.count -= m->topology.cpu_count > 2;
	for (size_t i = 0; i < m->ctx.usable.count; i++)
		m->usable[i] = m->topology.cpus[i].id;
}

static void partitions_resolve(void **state)
{
	static const struct {
		const char *machine;
		struct partition partition;
		unsigned int parts;
		const char *cpus[3]; /* none = too small */
	} cases[] = {
		{ "1n2l4c1t", { .kind = PARTITION_LLC_ALIGNED }, 2, { "0-3", "4-6" } },
		{ "1n1l8c1t", { .kind = PARTITION_LLC_ALIGNED }, 2, {} },
		{ "1n2l1c1t", { .kind = PARTITION_LLC_ALIGNED }, 2, {} },
		{ "1n1l8c1t", { .kind = PARTITION_SPLIT }, 2, { "0-2", "3-6" } },
		{ "1n1l8c1t", { .kind = PARTITION_SPLIT }, 3, { "0-1", "2-3", "4-6" } },
		{ "1n1l1c1t", { .kind = PARTITION_SPLIT }, 2, {} },
		{ "1n2l4c1t", { .kind = PARTITION_SPLIT_MISALIGNED }, 2, { "0-1", "2-6" } },
		{ "1n1l8c1t", { .kind = PARTITION_SPLIT_MISALIGNED }, 2, { "0-2", "3-6" } },
		{ "1n1l10c1t", { PARTITION_OVERLAP, 0.5 }, 3, { "0-2", "1-3", "2-4" } },
		{ "1n1l8c1t", { PARTITION_UNEVEN, 0.75 }, 2, { "0-4", "5-6" } },
		{ "1n1l1c1t", { PARTITION_UNEVEN, 0.75 }, 2, {} },
		{ "1n1l9c1t", { PARTITION_HOLDBACK, 0.33 }, 2, { "0-2", "3-6" } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(arena_finish) struct arena arena = {};
		const char *cpus[3];
		struct machine m;
		int rc;

		machine_init(&m, cases[i].machine);
		rc = partition_resolve(&m.ctx, cases[i].partition, cases[i].parts, &arena, cpus);
		assert_int_equal(rc, cases[i].cpus[0] ? 0 : 1);
		for (unsigned int part = 0; rc == 0 && part < cases[i].parts; part++)
			assert_string_equal(cpus[part], cases[i].cpus[part]);
		topology_finish(&m.topology);
	}
}

static void small_machines_skip_with_the_reason(void **state)
{
	static const struct {
		const char *machine, *row, *reason;
	} cases[] = {
		{ "1n1l4c1t", "cgroup_cpuset_resize", "need >=5 CPUs" },
		{ "1n1l7c1t", "cgroup_cpuset_swap_disjoint", "need >=8 CPUs" },
		{ "1n2l4c1t", "cgroup_cpuset_numa_swap", "need >=2 NUMA nodes" },
		{ "1n1l4c1t", "cgroup_4way_load_imbalance", "need >=5 CPUs for 4 cgroups" },
		{ "1n1l2c1t", "cgroup_remove_midrun", "need >=3 CPUs" },
		{ "1n1l8c1t", "cache_yield_wake_affine", "need >=2 LLCs" },
		{ "1n1l8c1t", "cgroup_cpuset_llc_steady", "not enough CPUs/LLCs" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ktstr_result res;
		struct machine m;

		machine_init(&m, cases[i].machine);
		result_init(&res);
		assert_int_equal(catalog_run(catalog_find(cases[i].row), &m.ctx, &res), 0);
		assert_int_equal(res.verdict, KTSTR_SKIPPED);
		assert_int_equal(res.details.count, 1);
		assert_string_equal(res.details.items[0].message, cases[i].reason);
		result_finish(&res);
		topology_finish(&m.topology);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(catalog_has_its_rows_in_order),
		cmocka_unit_test(every_row_is_complete),
		cmocka_unit_test(all_profiles_are_2988_runs),
		cmocka_unit_test(profiles_per_row_are_as_documented),
		cmocka_unit_test(runs_are_ordered_by_profile_then_catalog),
		cmocka_unit_test(exact_flags_skip_rows_they_do_not_suit),
		cmocka_unit_test(flags_are_checked),
		cmocka_unit_test(filters_suggest),
		cmocka_unit_test(budget_chooses_within_its_time),
		cmocka_unit_test(partitions_resolve),
		cmocka_unit_test(small_machines_skip_with_the_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
