// SPDX-License-Identifier: GPL-2.0-only
/* Which checks hold when little was asked for or seen, and statistics of few or odd workers. */
#include "check/check.h"
#include "check/parts.h"
#include "check_run.h"

static void switch_off(struct ktstr_assert *a, const struct assert_field *f)
{
	char *at = (char *)a + f->offset;

	if (f->kind == ASSERT_SWITCH)
		*(int *)at = KTSTR_OFF;
	else if (f->kind == ASSERT_INTEGER)
		*(int64_t *)at = KTSTR_OFF;
	else
		*(double *)at = KTSTR_OFF;
	assert_true(assert_raw(a, f) == KTSTR_OFF);
}

/* That workers got to run at all is checked unless the test says something about workers. */
static void any_limit_of_workers_is_a_wish_of_its_own(void **state)
{
	(void)state;
	for (size_t i = 0; i < ASSERT_FIELDS; i++) {
		const struct assert_field *f = &assert_fields[i];
		bool is_of_workers = !f->is_of_monitor && !f->is_of_events;
		struct run r;

		run_init(&r, 2);
		r.checks = (struct ktstr_assert){};
		switch_off(&r.checks, f);
		r.made.reports[1]->total.work_units = 0;
		run_judge(&r);
		if ((r.res.verdict == KTSTR_FAILED) == is_of_workers)
			fail_msg("%s", f->name);
		run_finish(&r);
	}
}

/* No time to starve is time enough to be where it must not be. */
static void isolation_holds_for_workers_that_were_cut_short(void **state)
{
	struct run r;

	(void)state;
	run_init(&r, 2);
	for (int i = 0; i < 2; i++) {
		r.made.reports[i]->total.work_units = 0;
		r.made.reports[i]->total.wall_time_ns = 3000000;
		r.made.reports[i]->total.cpu_time_ns = 0;
	}
	r.made.cgroup.was_cut_short = true;
	r.checks.isolation = KTSTR_ON;
	worker_cpus_add(&r.made.reports[1]->total.cpus_used, 5);
	run_judge(&r);
	assert_int_equal(r.res.verdict, KTSTR_FAILED);
	assert_non_null(only_detail(&r.res, DETAIL_ISOLATION));
	run_finish(&r);
}

/* Who sends and who waits differ by design: the widest of the ranges by role is told. */
static void spread_is_that_of_one_role(void **state)
{
	static const struct {
		unsigned int roles[4];
		uint64_t cpu_ms[4];
		double spread;
	} rows[] = {
		{ { 0, 0, 1, 1 }, { 1000, 900, 200, 200 }, 5 },
		{ { 0, 0, 1, 1 }, { 1000, 1000, 200, 600 }, 20 },
		{ { 1, 1, 0, 0 }, { 1000, 1000, 200, 600 }, 20 },
		{ { 0, 1, 0, 1 }, { 1000, 200, 800, 100 }, 10 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct run r;

		run_init(&r, 4);
		for (size_t k = 0; k < 4; k++) {
			r.made.reports[k]->role = rows[i].roles[k];
			r.made.reports[k]->total.cpu_time_ns = rows[i].cpu_ms[k] * 1000000;
		}
		run_judge(&r);
		assert_true(fabs(r.res.cgroups.items[0].spread_pct - rows[i].spread) < 1e-9);
		run_finish(&r);
	}
}

static void one_page_has_a_place(void **state)
{
	_topology_ struct topology topology = {};
	struct run r;

	(void)state;
	assert_int_equal(topology_from_notation(&topology, "2n2l1c1t"), 0);
	run_init(&r, 1);
	r.made.cgroup.topology = &topology;
	r.made.cpuset = (struct worker_cpus){};
	worker_cpus_add(&r.made.cpuset, 0);
	r.made.reports[0]->has_numa_pages = true;
	r.made.reports[0]->numa_pages[1] = 1;
	run_judge(&r);
	assert_true(r.res.cgroups.items[0].has_page_locality);
	assert_true(r.res.cgroups.items[0].page_locality == 0);
	run_finish(&r);
	run_init(&r, 1);
	r.made.cgroup.topology = &topology;
	r.made.reports[0]->has_numa_pages = true;
	run_judge(&r);
	assert_false(r.res.cgroups.items[0].has_page_locality);
	run_finish(&r);
}

/* ---- parts of a result ---- */

static void add_cgroup(struct ktstr_result *r, int phase, const char *name, uint64_t gap_ms,
		       int cpu)
{
	struct cgroup_stats s;

	cgroup_stats_init(&s);
	s.name = strdup(name);
	s.gap_ms = gap_ms;
	s.gap_cpu = cpu;
	s.gap_tid = cpu + 100;
	if (phase < 0)
		assert_int_equal(vec_push(&r->cgroups, s), 0);
	else
		assert_int_equal(vec_push(&r->phases.items[phase].cgroups, s), 0);
}

static void cgroups_of_parts_are_all_in_their_phase(void **state)
{
	struct ktstr_result whole, part;

	(void)state;
	result_init(&whole);
	result_init(&part);
	assert_int_equal(result_add_phase(&whole, "a", 0), 0);
	add_cgroup(&whole, 0, "one", 0, -1);
	assert_int_equal(result_add_phase(&part, "a", 0), 0);
	add_cgroup(&part, 0, "two", 0, -1);
	add_cgroup(&part, 0, "three", 0, -1);
	result_merge(&whole, &part);
	assert_int_equal(whole.phases.count, 1);
	assert_int_equal(whole.phases.items[0].cgroups.count, 3);
	assert_string_equal(whole.phases.items[0].cgroups.items[1].name, "two");
	assert_string_equal(whole.phases.items[0].cgroups.items[2].name, "three");
	result_finish(&whole);
}

/* Of two that are as long the first is told. */
static void the_worst_gap_of_cgroups_is_the_first_of_its_length(void **state)
{
	static const struct {
		uint64_t ms[2];
		int cpus[2], cpu;
	} rows[] = { { { 30, 30 }, { 3, 4 }, 3 },
		     { { 30, 31 }, { 3, 4 }, 4 },
		     { { 30, 20 }, { 0, 4 }, 0 },
		     { { 0, 0 }, { -1, 0 }, 0 },
		     { { 50, 20 }, { -1, 4 }, 4 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct cgroup_stats totals;
		struct ktstr_result r;

		result_init(&r);
		for (size_t k = 0; k < 2; k++)
			add_cgroup(&r, -1, k ? "b" : "a", rows[i].ms[k], rows[i].cpus[k]);
		result_totals(&r, &totals);
		assert_int_equal(totals.gap_cpu, rows[i].cpu);
		result_finish(&r);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_limit_of_workers_is_a_wish_of_its_own),
		cmocka_unit_test(isolation_holds_for_workers_that_were_cut_short),
		cmocka_unit_test(spread_is_that_of_one_role),
		cmocka_unit_test(one_page_has_a_place),
		cmocka_unit_test(cgroups_of_parts_are_all_in_their_phase),
		cmocka_unit_test(the_worst_gap_of_cgroups_is_the_first_of_its_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
