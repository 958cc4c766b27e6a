// SPDX-License-Identifier: GPL-2.0-only
/* Where judging a phase begins and ends: values at a limit, and workers that do not count. */
#include "phase_scene.h"

static const char overlapped[] = "shares not judged: workers compete on CPUs of which others may "
				 "use only some";

static bool has_detail(const struct scene *s, enum detail_kind kind, const char *part)
{
	for (size_t i = 0; i < s->res.details.count; i++)
		if (s->res.details.items[i].kind == kind &&
		    strstr(s->res.details.items[i].message, part))
			return true;
	return false;
}

/* ---- workers of one CPU beside others ---- */

/* Two on one CPU alone, then three on both, or the other way around. */
static void add_both(struct scene *s, uint64_t pinned_ms, uint64_t free_ms, unsigned int cpu,
		     bool is_free_first)
{
	scene_begin(s);
	for (int i = 0; i < 5; i++) {
		bool is_free = is_free_first ? i < 3 : i >= 2;
		uint64_t ms = is_free ? free_ms : pinned_ms;
		struct observe_task *t;

		add_worker(s, is_free ? "free" : "pinned", ms, 2000 - ms);
		t = &s->seen.tasks.items[i];
		t->allowed_cpus = is_free ? 2 : 1;
		t->migrations = is_free ? 50 : 3;
		t->cpu = (int)cpu;
	}
	s->seen.cpus.items[cpu].pinned_ns = 2 * pinned_ms * MS;
}

static void a_pinned_worker_may_miss_just_as_much_as_the_limit(void **state)
{
	static const struct {
		uint64_t pinned_ms, free_ms;
		unsigned int cpu;
		bool is_free_first, is_fair;
	} rows[] = {
		/* (1120 - 420) * 3 / 5 = 420 is half of 840. */
		{ 420, 1120, 0, false, true },
		{ 419, 1120, 0, false, false },
		{ 419, 1120, 1, false, false },
		{ 419, 1120, 0, true, false },
	};
	struct scene s;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		add_both(&s, rows[i].pinned_ms, rows[i].free_ms, rows[i].cpu,
			 rows[i].is_free_first);
		judge(&s);
		assert_int_equal(has_detail(&s, DETAIL_SHARE, "which may run on cpu"),
				 !rows[i].is_fair);
		/* Which of them is due what is not known, whichever the CPU is. */
		assert_true(has_detail(&s, DETAIL_NOTE, overlapped));
		scene_end(&s);
	}
}

static void cpus_outside_of_the_test_are_not_judged(void **state)
{
	struct scene s;

	(void)state;
	add_both(&s, 300, 1133, 1, false);
	s.cpus = (struct worker_cpus){};
	worker_cpus_add(&s.cpus, 0);
	judge(&s);
	assert_false(has_detail(&s, DETAIL_SHARE, "which may run on cpu"));
	scene_end(&s);
}

/* ---- workers that nobody saw, or that never rest ---- */

static void add_needless(struct scene *s)
{
	scene_begin(s);
	for (size_t i = 0; i < 2; i++) {
		add_worker(s, "cg_0", 200, 10);
		s->seen.tasks.items[i].wakeups = 1000;
		s->seen.tasks.items[i].needless = s->seen.tasks.items[i].migrations = 900;
	}
}

static void workers_that_were_not_seen_left_no_cpu(void **state)
{
	struct scene s;

	(void)state;
	add_needless(&s);
	s.workers[s.worker_count] = s.workers[0];
	s.workers[s.worker_count++].tid = 9999;
	judge(&s);
	assert_true(
		has_detail(&s, DETAIL_MIGRATION_STORM, "needless migrations: 2 workers of cg_0"));
	scene_end(&s);
	/* One that never rests is moved about by what it does. */
	add_needless(&s);
	s.workers[0].is_restless = true;
	judge(&s);
	assert_true(
		has_detail(&s, DETAIL_MIGRATION_STORM, "needless migrations: 1 worker of cg_0"));
	scene_end(&s);
	add_needless(&s);
	s.seen.tasks.items[1].allowed_cpus = 1;
	judge(&s);
	assert_true(
		has_detail(&s, DETAIL_MIGRATION_STORM, "needless migrations: 1 worker of cg_0"));
	scene_end(&s);
}

/* Half of them left an idle CPU; the others left one that such a worker had taken. */
static void needless_migrations_that_cause_others_are_told_from_1_5_times_the_limit_on(void **state)
{
	static const struct {
		uint64_t needless, displaced;
		bool is_storm;
	} rows[] = { { 500, 401, true }, { 500, 400, false }, { 600, 0, false }, { 0, 901, true } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scene s;

		add_needless(&s);
		for (size_t k = 0; k < 2; k++) {
			s.seen.tasks.items[k].migrations = 1000;
			s.seen.tasks.items[k].needless = rows[i].needless;
			s.seen.tasks.items[k].displaced = rows[i].displaced;
		}
		judge(&s);
		assert_int_equal(has_detail(&s, DETAIL_MIGRATION_STORM,
					    "left an idle CPU, or one that such a task had taken"),
				 rows[i].is_storm);
		assert_false(has_detail(&s, DETAIL_MIGRATION_STORM, "for another one in"));
		scene_end(&s);
	}
}

static bool is_blind(const struct scene *s, const char *field)
{
	_str_ struct str said = {};
	bool is_told = false;

	str_addf(&said, "%s could not be judged: ", field);
	vec_each(const struct detail, d, &s->res.details)
		is_told |= d->verdict == KTSTR_INCONCLUSIVE &&
			   str_starts(d->message, str_get(&said));
	return is_told;
}

/* Tighter than the defaults, as wide as they are, and none. */
#define LIMITS(share, even, ratio, needless)                                        \
	{                                                                           \
		.max_share_error_pct = share, .max_even_share_error_pct = even,     \
		.max_wakeup_wait_ratio = ratio, .max_needless_wakeup_pct = needless \
	}
#define TIGHT LIMITS(19, 9, 2.5, 59)
#define WIDE LIMITS(20, 10, 3, 60)
#define OFF LIMITS(KTSTR_OFF, KTSTR_OFF, KTSTR_OFF, KTSTR_OFF)

/* A limit that the test tightens must not look kept because there was nothing to compare. */
static void limits_of_the_test_that_had_nothing_to_judge_are_told(void **state)
{
	static const struct {
		struct ktstr_assert own;
		unsigned int workers; /* that compete for two CPUs, if there is more than one */
		bool are_sleepers;
		uint64_t wakeups;
		bool has_events, are_shares_blind, are_waits_blind, are_wakeups_blind;
	} rows[] = {
		{ {}, 1, false, 99, true, false, false, false },
		{ TIGHT, 1, false, 99, true, true, true, true },
		{ WIDE, 1, false, 99, true, false, false, false },
		{ TIGHT, 4, false, 0, true, false, false, true },
		/* One kind of sleepers: equal shares, waits of nobody else. */
		{ TIGHT, 4, true, 100, true, true, true, false },
		{ { .max_needless_wakeup_pct = 59 }, 1, false, 100, true, false, false, false },
		{ OFF, 1, false, 99, true, false, false, false },
		{ TIGHT, 1, false, 99, false, false, false, false }, /* told elsewhere */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bool is_crowded = rows[i].workers > 1;
		struct scene s;

		scene_begin(&s);
		assert_merge(&s.checks, &rows[i].own);
		for (unsigned int k = 0; k < rows[i].workers; k++) {
			add_worker(&s, "cg_0", is_crowded ? 1000 : 2000,
				   !is_crowded		? 0 :
				   rows[i].are_sleepers ? 400 :
							  1000);
			s.seen.tasks.items[k].wakeups = rows[i].wakeups;
		}
		judge(&s);
		assert_true(result_add_phase(&s.res, "1", 0) >= 0);
		s.res.phases.items[0].events.is_known = rows[i].has_events;
		result_ask(&s.res, &rows[i].own);
		result_close(&s.res);
		assert_int_equal(is_blind(&s, "max_share_error_pct"), rows[i].are_shares_blind);
		assert_int_equal(is_blind(&s, "max_even_share_error_pct"),
				 rows[i].are_shares_blind);
		assert_int_equal(is_blind(&s, "max_wakeup_wait_ratio"), rows[i].are_waits_blind);
		assert_int_equal(is_blind(&s, "max_needless_wakeup_pct"),
				 rows[i].are_wakeups_blind);
		scene_end(&s);
	}
}

/* Workers that are not due the same say nothing about equal ones. */
static void a_limit_for_equals_wants_equals(void **state)
{
	static const struct ktstr_assert own = { .max_even_share_error_pct = 9 };

	(void)state;
	for (int are_equal = 0; are_equal < 2; are_equal++) {
		struct scene s;

		scene_begin(&s);
		assert_merge(&s.checks, &own);
		for (int k = 0; k < 4; k++)
			add_worker(&s, "cg_0", 1000, 1000);
		if (!are_equal)
			s.seen.tasks.items[0].static_prio = 110;
		judge(&s);
		assert_true(result_add_phase(&s.res, "1", 0) >= 0);
		s.res.phases.items[0].events.is_known = true;
		result_ask(&s.res, &own);
		result_close(&s.res);
		assert_int_equal(is_blind(&s, "max_even_share_error_pct"), !are_equal);
		scene_end(&s);
	}
}

/* ---- shares on a part of an LLC ---- */

/* On cpu0 of a part of an LLC: one worker of a small cgroup and one of a large one. */
static void add_on_part(struct scene *s, const struct topology *topology, uint64_t small_ms)
{
	scene_begin(s);
	s->topology = topology;
	add_worker(s, "small", small_ms, 2000 - small_ms);
	for (int i = 0; i < 4; i++) {
		add_worker(s, "large", i ? 667 : 2000 - small_ms, i ? 1333 : small_ms);
		s->seen.tasks.items[1 + i].cpu = i ? 1 : 0;
	}
}

/* By tasks a half, by cgroups four fifths: the other three take the cgroup's weight with them. */
static void a_cgroup_takes_its_weight_to_other_cpus(void **state)
{
	static const struct {
		uint64_t small_ms;
		bool is_fair;
	} rows[] = { { 1000, true }, { 1600, true }, { 1950, false }, { 400, false } };
	_topology_ struct topology topology = {};
	struct scene s;

	(void)state;
	assert_int_equal(topology_from_notation(&topology, "1n1l4c1t"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		add_on_part(&s, &topology, rows[i].small_ms);
		judge(&s);
		if ((s.res.verdict == KTSTR_PASSED) != rows[i].is_fair)
			fail_msg("%llu ms", (unsigned long long)rows[i].small_ms);
		scene_end(&s);
	}
}

/* Those that stay on cpu0 have the limit of who stays on one CPU, as on any other. */
static void the_first_cpu_is_a_cpu_like_others(void **state)
{
	_topology_ struct topology topology = {};
	struct scene s;

	(void)state;
	assert_int_equal(topology_from_notation(&topology, "1n1l4c1t"), 0);
	for (int cpu = 0; cpu < 2; cpu++) {
		scene_begin(&s);
		s.topology = &topology;
		for (int i = 0; i < 2; i++) {
			add_worker(&s, "cg_0", i ? 1150 : 850, i ? 850 : 1150);
			s.seen.tasks.items[i].cpu = cpu;
		}
		judge(&s);
		assert_int_equal(s.res.verdict, KTSTR_FAILED);
		assert_true(has_detail(&s, DETAIL_SHARE, "(threshold 10%)"));
		scene_end(&s);
	}
}

static void one_cpu_of_an_llc_is_no_part_to_balance(void **state)
{
	static const struct {
		const char *notation;
		unsigned int cpus;
		bool is_narrow;
	} rows[] = {
		{ "1n1l4c1t", 1, false }, { "1n1l4c1t", 2, true }, { "1n1l4c1t", 4, false },
		{ "1n2l2c1t", 2, false }, { "1n2l2c1t", 3, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_topology_ struct topology topology = {};
		struct worker_cpus cpus = {};

		assert_int_equal(topology_from_notation(&topology, rows[i].notation), 0);
		for (unsigned int cpu = 0; cpu < rows[i].cpus; cpu++)
			worker_cpus_add(&cpus, cpu);
		assert_int_equal(cpus_are_narrow(&cpus, &topology), rows[i].is_narrow);
		assert_false(cpus_are_narrow(&cpus, NULL));
	}
}

/* ---- sleepers ---- */

static void errors_of_shares_are_those_of_busy_workers(void **state)
{
	struct share_errors worst;
	struct judged_phase phase;
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 950, 1050);
	add_worker(&s, "cg_0", 950, 1050);
	add_worker(&s, "cg_1", 950, 1050);
	add_worker(&s, "cg_1", 950, 1050);
	add_worker(&s, "cg_1", 200, 100);
	s.seen.tasks.items[4].wakeups = 100;
	phase = phase_of(&s);
	assert_int_equal(shares_worst(&phase, &worst), 0);
	assert_true(worst.is_known);
	assert_int_equal(worst.equals_pct * 10, 0);
	assert_int_equal(worst.single_pct * 10, 0);
	scene_end(&s);
}

/* ---- times ---- */

static void what_was_before_the_phase_is_at_its_beginning(void **state)
{
	static const struct {
		uint64_t ns;
		unsigned long long ms;
	} rows[] = { { 0, 0 },		{ START - 1, 0 },     { START, 0 }, { START + MS - 1, 0 },
		     { START + MS, 1 }, { START + 7 * MS, 7 } };
	struct judged_phase phase = { .start_ns = START };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(phase_at_ms(&phase, rows[i].ns), rows[i].ms);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pinned_worker_may_miss_just_as_much_as_the_limit),
		cmocka_unit_test(cpus_outside_of_the_test_are_not_judged),
		cmocka_unit_test(workers_that_were_not_seen_left_no_cpu),
		cmocka_unit_test(
			needless_migrations_that_cause_others_are_told_from_1_5_times_the_limit_on),
		cmocka_unit_test(limits_of_the_test_that_had_nothing_to_judge_are_told),
		cmocka_unit_test(a_limit_for_equals_wants_equals),
		cmocka_unit_test(a_cgroup_takes_its_weight_to_other_cpus),
		cmocka_unit_test(the_first_cpu_is_a_cpu_like_others),
		cmocka_unit_test(one_cpu_of_an_llc_is_no_part_to_balance),
		cmocka_unit_test(errors_of_shares_are_those_of_busy_workers),
		cmocka_unit_test(what_was_before_the_phase_is_at_its_beginning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
