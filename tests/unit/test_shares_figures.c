// SPDX-License-Identifier: GPL-2.0-only
/* What competitors are due, and how far off they may be by no fault: the figures themselves. */
#include "phase_scene.h"

#include <math.h>

struct figures {
	size_t contests, count;
	double due[24], by_task[24], by_cgroup[24], less[24], more[24];
	double mean_ns, luck_pct;
	bool is_anywhere, has_llcs;
	struct llc_share low, high;
	const char *why_not;
};

static void take(const struct judged_phase *p, const struct contest *c, const char *why_not,
		 void *data)
{
	struct figures *f = data;

	f->contests++;
	f->why_not = why_not;
	if (why_not)
		return;
	f->count = c->count;
	f->mean_ns = shares_mean_ns(c);
	f->is_anywhere = c->is_anywhere;
	f->luck_pct = shares_luck_pct(p, c);
	f->has_llcs = shares_by_llc(p, c, &f->low, &f->high);
	for (size_t i = 0; i < c->count; i++) {
		f->due[i] = shares_due(c, c->rivals[i]) / 1e6;
		f->by_task[i] = c->rivals[i]->by_task / 1e6;
		f->by_cgroup[i] = c->rivals[i]->by_cgroup / 1e6;
		f->less[i] = c->rivals[i]->less;
		f->more[i] = c->rivals[i]->more;
	}
}

static struct figures figures_of(const struct scene *s)
{
	const struct judged_phase phase = phase_of(s);
	struct figures f = {};

	assert_int_equal(shares_each(&phase, true, take, &f), 0);
	assert_int_equal(f.contests, 1);
	assert_null(f.why_not);
	return f;
}

static void expect_near(double value, double expected)
{
	if (fabs(value - expected) > 1e-3)
		fail_msg("%g, not %g", value, expected);
}

/* So many workers of a cgroup on all of these CPUs, with the same time each. */
static void add_equal(struct scene *s, const struct topology *topology, unsigned int cpus,
		      size_t count, uint64_t each_ms)
{
	scene_begin(s);
	s->topology = topology;
	for (unsigned int cpu = 2; cpu < cpus; cpu++) {
		worker_cpus_add(&s->cpus, cpu);
		assert_int_equal(vec_push(&s->seen.cpus, (struct observe_cpu){ .busy_ns = LENGTH }),
				 0);
	}
	s->seen.sets.items[0].cpus[0] = (1U << cpus) - 1;
	for (size_t i = 0; i < count; i++) {
		add_worker(s, "cg_0", each_ms, 2000 - each_ms);
		s->seen.tasks.items[i].allowed_cpus = cpus;
	}
}

/* CPUs are divided among whole tasks, the coarser the farther apart they are. */
static void a_worker_may_be_off_by_whole_tasks(void **state)
{
	static const struct {
		const char *notation; /* or NULL: it is not known */
		unsigned int cpus;
		size_t count;
		uint64_t each_ms;
		double less, more;
	} rows[] = {
		/* 0.4 of a CPU: two or three share one. */
		{ NULL, 2, 5, 800, 1.0 / 6, 0.25 },
		{ "1n1l2c1t", 2, 5, 800, 1.0 / 6, 0.25 },
		/* Up to four, or alone. */
		{ "1n2l1c1t", 2, 5, 800, 0.375, 1.5 },
		{ "2n2l1c1t", 2, 5, 800, 0.375, 1.5 },
		/* A quarter each: four share one exactly. */
		{ NULL, 2, 8, 500, 0, 0 },
		{ "1n2l1c1t", 2, 8, 500, 0.2, 1.0 / 3 },
		{ "2n2l1c1t", 2, 8, 500, 0.2, 1 },
		/* One more in an LLC of two CPUs is half of one. */
		{ "1n2l2c1t", 4, 10, 800, 1.0 / 6, 1.5 },
		/* Who has a whole CPU is due no less. */
		{ "1n2l1c1t", 2, 2, 2000, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_topology_ struct topology topology = {};
		struct figures f;
		struct scene s;

		if (rows[i].notation)
			assert_int_equal(topology_from_notation(&topology, rows[i].notation), 0);
		add_equal(&s, rows[i].notation ? &topology : NULL, rows[i].cpus, rows[i].count,
			  rows[i].each_ms);
		if (rows[i].count == 2)
			s.seen.tasks.items[0].wait_ns = s.seen.tasks.items[1].wait_ns = 100 * MS;
		f = figures_of(&s);
		expect_near(f.less[0], rows[i].less);
		expect_near(f.more[0], rows[i].more);
		expect_near(f.due[0], (double)rows[i].each_ms);
		expect_near(f.mean_ns / 1e6, (double)rows[i].each_ms);
		/* Where no CPU is kept for anybody there is no such luck within an LLC. */
		for (size_t k = 0; k < rows[i].count; k++)
			s.seen.tasks.items[k].migrations = 50;
		f = figures_of(&s);
		assert_true(f.is_anywhere);
		if (!rows[i].notation) {
			expect_near(f.less[0], 0);
			expect_near(f.more[0], 0);
			expect_near(f.luck_pct, 0);
		}
		scene_end(&s);
	}
}

/* Between a CPU that has a task more than another and that other. */
static void luck_is_the_difference_of_two_cpus(void **state)
{
	static const struct {
		const char *notation;
		size_t count;
		double percent;
	} rows[] = {
		/* 2.5 on each: a half or a third. */
		{ NULL, 5, 100.0 / 2 - 100.0 / 3 },
		{ NULL, 8, 0 },
		{ NULL, 3, 100 - 100.0 / 2 },
		/* Four or one. */
		{ "1n2l1c1t", 5, 100 - 100.0 / 4 },
		/* Five or three; five or two. */
		{ "1n2l1c1t", 8, 100.0 / 3 - 100.0 / 5 },
		{ "2n2l1c1t", 8, 100.0 / 2 - 100.0 / 5 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_topology_ struct topology topology = {};
		struct scene s;

		if (rows[i].notation)
			assert_int_equal(topology_from_notation(&topology, rows[i].notation), 0);
		add_equal(&s, rows[i].notation ? &topology : NULL, 2, rows[i].count,
			  4000 / rows[i].count);
		expect_near(figures_of(&s).luck_pct, rows[i].percent);
		scene_end(&s);
	}
}

/* ---- what is due ---- */

struct due_row {
	const char *cgroup;
	uint64_t run_ms;
	int static_prio;
	bool is_sleeper;
	uint32_t weight;
	double by_task, by_cgroup;
};

static void expect_due(const struct due_row *rows, size_t count)
{
	struct figures f;
	struct scene s;

	scene_begin(&s);
	for (size_t i = 0; i < count; i++) {
		struct known_worker *w =
			add_worker(&s, rows[i].cgroup, rows[i].run_ms, 2000 - rows[i].run_ms);

		w->cpu_weights[0] = rows[i].weight;
		if (rows[i].static_prio)
			s.seen.tasks.items[i].static_prio = rows[i].static_prio;
		if (rows[i].is_sleeper)
			s.seen.tasks.items[i].wakeups = 100;
	}
	f = figures_of(&s);
	assert_int_equal(f.count, count);
	for (size_t i = 0; i < count; i++) {
		expect_near(f.by_task[i], rows[i].by_task);
		expect_near(f.by_cgroup[i], rows[i].by_cgroup);
	}
	scene_end(&s);
}

static void time_is_divided_by_tasks_and_by_cgroups(void **state)
{
	/* 4000 ms: a fifth each, or half of it for each cgroup. */
	static const struct due_row cgroups[] = {
		{ "a", 800, 0, false, 0, 800, 1000 },
		{ "a", 800, 0, false, 0, 800, 1000 },
		{ "b", 800, 0, false, 0, 800, 2000.0 / 3 },
		{ "b", 800, 0, false, 0, 800, 2000.0 / 3 },
		{ "b", 800, 0, false, 0, 800, 2000.0 / 3 },
	};
	/* Nobody can use more than one CPU: the rest goes to the others. */
	static const struct due_row capped[] = {
		{ "a", 1900, 0, false, 300, 1000, 2000 },
		{ "b", 700, 0, false, 100, 1000, 2000.0 / 3 },
		{ "b", 700, 0, false, 100, 1000, 2000.0 / 3 },
		{ "b", 700, 0, false, 100, 1000, 2000.0 / 3 },
	};
	/* Nor who sleeps more than it used. */
	static const struct due_row asleep[] = {
		{ "a", 400, 0, true, 0, 400, 400 },
		{ "a", 1200, 0, false, 0, 1200, 1600 },
		{ "b", 1200, 0, false, 0, 1200, 1000 },
		{ "b", 1200, 0, false, 0, 1200, 1000 },
	};
	/* Where the test is, is a cgroup like others. */
	static const struct due_row root[] = {
		{ NULL, 800, 0, false, 0, 800, 2000.0 / 3 }, { "a", 800, 0, false, 0, 800, 1000 },
		{ NULL, 800, 0, false, 0, 800, 2000.0 / 3 }, { "a", 800, 0, false, 0, 800, 1000 },
		{ NULL, 800, 0, false, 0, 800, 2000.0 / 3 },
	};
	/* Three times the weight. */
	static const struct due_row weights[] = {
		{ "a", 1500, 0, false, 300, 1000, 1500 },
		{ "a", 1500, 0, false, 300, 1000, 1500 },
		{ "b", 500, 0, false, 100, 1000, 500 },
		{ "b", 500, 0, false, 100, 1000, 500 },
	};

	(void)state;
	expect_due(cgroups, ARRAY_SIZE(cgroups));
	expect_due(capped, ARRAY_SIZE(capped));
	expect_due(asleep, ARRAY_SIZE(asleep));
	expect_due(weights, ARRAY_SIZE(weights));
	expect_due(root, ARRAY_SIZE(root));
}

static void who_may_run_where_decides_who_competes(void **state)
{
	static const struct {
		struct observe_task a, b;
		bool is_same;
	} rows[] = {
		{ { .allowed_cpus = 2, .last_set = 1 }, { .allowed_cpus = 2, .last_set = 1 }, true },
		{ { .allowed_cpus = 2, .last_set = 1 },
		  { .allowed_cpus = 2, .last_set = 2 },
		  false },
		{ { .allowed_cpus = 2 }, { .allowed_cpus = 2 }, false }, /* not known */
		{ { .allowed_cpus = 1, .cpu = 3 }, { .allowed_cpus = 1, .cpu = 3 }, true },
		{ { .allowed_cpus = 1, .cpu = 3 }, { .allowed_cpus = 1, .cpu = 2 }, false },
		{ { .allowed_cpus = 1, .cpu = 3, .last_set = 1 },
		  { .allowed_cpus = 2, .cpu = 3, .last_set = 1 },
		  false },
		{ { .allowed_cpus = 2, .cpu = 3, .last_set = 1 },
		  { .allowed_cpus = 1, .cpu = 3, .last_set = 1 },
		  false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(shares_have_same_cpus(&rows[i].a, &rows[i].b), rows[i].is_same);
}

/* ---- by LLC ---- */

/* LLCs of two, two and one CPU of the test; four, four and two workers. */
static void add_in_three_llcs(struct scene *s, const struct topology *topology, const uint64_t *ms)
{
	static const size_t counts[] = { 4, 4, 2 };
	size_t k = 0;

	add_equal(s, topology, 6, 10, 1000);
	s->cpus = (struct worker_cpus){};
	for (unsigned int cpu = 0; cpu < 5; cpu++)
		worker_cpus_add(&s->cpus, cpu);
	for (size_t llc = 0; llc < 3; llc++)
		for (size_t i = 0; i < counts[llc]; i++, k++) {
			s->seen.tasks.items[k].cpu = (int)(2 * llc);
			s->seen.tasks.items[k].run_ns = ms[llc] * MS;
			s->seen.tasks.items[k].wait_ns = (2000 - ms[llc]) * MS;
		}
}

static void llcs_are_compared_by_what_they_may_be_off(void **state)
{
	static const struct {
		uint64_t ms[3];
		unsigned int low_cpu, high_cpu;
		double low_error, high_error;
	} rows[] = {
		/* A fifth less is no fault of the first two, a third of the last. */
		{ { 850, 700, 1900 }, 2, 4, -0.3, 0.9 },
		{ { 700, 850, 1900 }, 0, 4, -0.3, 0.9 },
		/* A third more of the first two, twice as much of the last. */
		{ { 1100, 1200, 400 }, 4, 2, -0.6, 0.2 },
		{ { 1200, 1100, 400 }, 4, 0, -0.6, 0.2 },
		/* The last has least, and it is not the one that is wronged most. */
		{ { 1200, 870, 860 }, 2, 0, -0.13, 0.2 },
	};
	_topology_ struct topology topology = {};

	(void)state;
	assert_int_equal(topology_from_notation(&topology, "1n3l2c1t"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct figures f;
		struct scene s;

		add_in_three_llcs(&s, &topology, rows[i].ms);
		f = figures_of(&s);
		assert_true(f.has_llcs);
		assert_int_equal(f.low.first_cpu, rows[i].low_cpu);
		assert_int_equal(f.high.first_cpu, rows[i].high_cpu);
		expect_near(llc_share_error(&f.low), rows[i].low_error);
		expect_near(llc_share_error(&f.high), rows[i].high_error);
		expect_near(f.low.less, rows[i].low_cpu == 4 ? 1.0 / 3 : 0.2);
		expect_near(f.high.more, rows[i].high_cpu == 4 ? 1 : 1.0 / 3);
		assert_int_equal(f.low.count, rows[i].low_cpu == 4 ? 2 : 4);
		scene_end(&s);
	}
}

static void one_llc_is_compared_with_none(void **state)
{
	_topology_ struct topology one = {}, two = {};
	struct scene s;

	(void)state;
	assert_int_equal(topology_from_notation(&one, "1n1l2c1t"), 0);
	assert_int_equal(topology_from_notation(&two, "1n2l1c1t"), 0);
	add_equal(&s, &one, 2, 5, 800);
	assert_false(figures_of(&s).has_llcs);
	scene_end(&s);
	/* All of them in one of two. */
	add_equal(&s, &two, 2, 5, 800);
	assert_false(figures_of(&s).has_llcs);
	s.seen.tasks.items[4].cpu = 1;
	s.seen.tasks.items[4].run_ns = 700 * MS;
	assert_true(figures_of(&s).has_llcs);
	scene_end(&s);
}

/* ---- verdicts by these figures ---- */

static bool has_share_failure(struct scene *s, const char *part)
{
	bool found = false;

	judge(s);
	for (size_t i = 0; i < s->res.details.count; i++)
		found |= s->res.details.items[i].kind == DETAIL_SHARE &&
			 strstr(s->res.details.items[i].message, part);
	scene_end(s);
	return found;
}

/* Two of five share a CPU: a quarter of a mean more is no fault. Above that, two times the limit. */
static void who_sleeps_at_times_gets_no_more_than_the_busy(void **state)
{
	static const struct {
		uint64_t sleeper_ms, busy_ms;
		bool is_fair;
	} rows[] = { { 1300, 675, true }, { 1400, 650, false } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scene s;

		add_equal(&s, NULL, 2, 5, rows[i].busy_ms);
		s.seen.tasks.items[2].run_ns = rows[i].sleeper_ms * MS;
		s.seen.tasks.items[2].wait_ns = 500 * MS;
		s.seen.tasks.items[2].wakeups = 100;
		/* The poorest of the busy ones is told beside it, the first as well as another. */
		s.seen.tasks.items[0].run_ns -= MS;
		s.checks.max_share_error_pct = 20;
		assert_int_equal(has_share_failure(&s, "cg_0/0 (tid 100), which is always busy"),
				 !rows[i].is_fair);
	}
}

/* The others have each a little less: nobody is far below. */
static void a_cgroup_that_has_too_much_is_unfair_though_nobody_has_far_too_little(void **state)
{
	struct share_errors worst;
	struct judged_phase phase;
	struct scene s;

	(void)state;
	scene_begin(&s);
	for (int i = 0; i < 6; i++)
		add_worker(&s,
			   i < 2 ? "a" :
			   i < 4 ? "b" :
				   "c",
			   i < 4 ? 550 : 900, i < 4 ? 1450 : 1100);
	phase = phase_of(&s);
	assert_int_equal(shares_worst(&phase, &worst), 0);
	expect_near(worst.equals_pct, 35);
	expect_near(worst.single_pct, 35);
	s.checks.max_share_error_pct = 20;
	assert_true(has_share_failure(&s, "unfair share: "));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_worker_may_be_off_by_whole_tasks),
		cmocka_unit_test(luck_is_the_difference_of_two_cpus),
		cmocka_unit_test(time_is_divided_by_tasks_and_by_cgroups),
		cmocka_unit_test(who_may_run_where_decides_who_competes),
		cmocka_unit_test(llcs_are_compared_by_what_they_may_be_off),
		cmocka_unit_test(one_llc_is_compared_with_none),
		cmocka_unit_test(who_sleeps_at_times_gets_no_more_than_the_busy),
		cmocka_unit_test(
			a_cgroup_that_has_too_much_is_unfair_though_nobody_has_far_too_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
