// SPDX-License-Identifier: GPL-2.0-only
/* Shares of workers that have one CPU only, beside others that may run elsewhere, too. */
#include "phase_scene.h"

/* Two on cpu0 alone with pinned_ms each, three on both CPUs with free_ms each. */
static void add_both(struct scene *s, uint64_t pinned_ms, uint64_t free_ms)
{
	scene_begin(s);
	for (int i = 0; i < 5; i++) {
		bool is_free = i >= 2;
		uint64_t ms = is_free ? free_ms : pinned_ms;

		add_worker(s, is_free ? "free" : "pinned", ms, 2000 - ms);
		s->seen.tasks.items[i].allowed_cpus = is_free ? 2 : 1;
		s->seen.tasks.items[i].migrations = is_free ? 50 : 3;
	}
	s->seen.cpus.items[0].pinned_ns = 2 * pinned_ms * MS;
}

/* That their shares cannot be compared as those of others is noted as well. */
static const char *share_failure(struct scene *s)
{
	judge(s);
	for (size_t i = 0; i < s->res.details.count; i++) {
		const struct detail *d = &s->res.details.items[i];

		if (d->kind == DETAIL_SHARE)
			return d->message;
		assert_int_equal(d->kind, DETAIL_NOTE);
	}
	assert_int_equal(s->res.verdict, KTSTR_PASSED);
	return NULL;
}

static void expect_fair(struct scene *s)
{
	assert_null(share_failure(s));
	scene_end(s);
}

static void who_can_go_elsewhere_leaves_the_cpu(void **state)
{
	struct scene s;

	(void)state;
	add_both(&s, 1000, 667);
	expect_fair(&s);
	add_both(&s, 300, 1133);
	assert_string_equal(share_failure(&s),
			    "unfair share: pinned/0 (tid 100), which may run on cpu0 only, ran "
			    "300ms of a share of 800ms, and 1 more like it; 3 workers that may run "
			    "elsewhere ran 1133ms on average and took 1400ms of this CPU "
			    "(threshold 50%)");
	scene_end(&s);
}

static void up_to_half_of_it_may_be_missing(void **state)
{
	struct scene s;

	(void)state;
	/* (1053 - 420) * 3 / 5 = 380, and 800 are due. */
	add_both(&s, 420, 1053);
	expect_fair(&s);
	add_both(&s, 420, 1053);
	s.checks.max_share_error_pct = 18;
	assert_non_null(share_failure(&s));
	scene_end(&s);
}

/* A real-time task that has the CPU, too, is not to blame on who runs elsewhere. */
static void others_that_may_run_there_only_take_nothing(void **state)
{
	struct scene s;

	(void)state;
	add_both(&s, 300, 1133);
	s.seen.cpus.items[0].pinned_ns = LENGTH;
	expect_fair(&s);
}

static void tasks_that_are_not_workers_may_have_taken_it(void **state)
{
	struct scene s;

	(void)state;
	add_both(&s, 300, 1133);
	add_task(&s, 1300, 0, 0);
	expect_fair(&s);
	add_both(&s, 300, 1133);
	s.seen.forgotten.run_ns = 1300 * MS;
	expect_fair(&s);
}

/* By cgroups the time of one that had less in all was due to it. */
static void a_cgroup_that_had_less_takes_nothing(void **state)
{
	struct scene s;

	(void)state;
	add_both(&s, 300, 1133);
	for (int i = 3; i < 5; i++)
		s.seen.tasks.items[i].allowed_cpus = 1;
	s.seen.tasks.items[2].run_ns = 1400 * MS;
	for (int i = 2; i < 5; i++)
		s.workers[i].cgroup = s.workers[i].group = i == 2 ? "small" : "pinned";
	s.seen.tasks.items[3].cpu = s.seen.tasks.items[4].cpu = 1;
	s.seen.cpus.items[0].pinned_ns = 600 * MS;
	expect_fair(&s);
}

static void what_is_not_known_is_not_judged(void **state)
{
	struct scene s;

	(void)state;
	add_both(&s, 300, 1133);
	s.workers[0].cpu_weights[0] = 100;
	expect_fair(&s);
	add_both(&s, 300, 1133);
	s.seen.tasks.items[0].static_prio = s.seen.tasks.items[1].static_prio = 125;
	expect_fair(&s);
	add_both(&s, 300, 1133);
	s.seen.tasks.items[0].migrations = s.seen.tasks.items[1].migrations = 4;
	expect_fair(&s);
	add_both(&s, 300, 1133);
	s.checks.max_share_error_pct = KTSTR_OFF;
	s.checks.max_wakeup_wait_ratio = KTSTR_OFF;
	expect_fair(&s);
	add_both(&s, 100, 377);
	s.seen.end_ns = START + 667 * MS;
	s.seen.cpus.items[0].busy_ns = s.seen.cpus.items[1].busy_ns = 667 * MS;
	expect_fair(&s);
}

/* Two on cpu0 and cpu1 with confined_ms each, six on all of four CPUs with the rest. */
static void add_confined(struct scene *s, uint64_t confined_ms)
{
	uint64_t free_ms = (8000 - 2 * confined_ms) / 6;

	scene_begin(s);
	for (unsigned int cpu = 2; cpu < 4; cpu++) {
		worker_cpus_add(&s->cpus, cpu);
		assert_int_equal(vec_push(&s->seen.cpus, (struct observe_cpu){ .busy_ns = LENGTH }),
				 0);
	}
	assert_int_equal(
		vec_push(&s->seen.sets, (struct observe_set){ .is_ready = 2, .cpus = { 15 } }), 0);
	for (int i = 0; i < 8; i++) {
		struct observe_task *t;
		bool is_free = i >= 2;
		uint64_t ms = is_free ? free_ms : confined_ms;

		add_worker(s, is_free ? "free" : "confined", ms, 2000 - ms);
		t = &s->seen.tasks.items[i];
		t->allowed_cpus = is_free ? 4 : 2;
		t->last_set = is_free ? 2 : 1;
		t->migrations = 50;
	}
}

static void who_has_some_of_the_cpus_gets_no_less(void **state)
{
	struct scene s;

	(void)state;
	add_confined(&s, 1000);
	expect_fair(&s);
	/* Half of it, and less. */
	add_confined(&s, 500);
	expect_fair(&s);
	add_confined(&s, 400);
	assert_string_equal(
		share_failure(&s),
		"unfair share: confined/0 (tid 100), which may run on cpu0-1 only, ran "
		"400ms of a share of 1000ms, and 1 more like it; 6 workers that may run "
		"elsewhere ran 1200ms on average and took 3200ms of these CPUs "
		"(threshold 50%)");
	scene_end(&s);
}

static void only_who_has_all_of_these_cpus_takes_them(void **state)
{
	struct scene s;

	(void)state;
	/* The others have cpu1 to cpu3, so it is not known what they had of cpu1. */
	add_confined(&s, 400);
	s.seen.sets.items[1].cpus[0] = 14;
	for (int i = 2; i < 8; i++)
		s.seen.tasks.items[i].allowed_cpus = 3;
	expect_fair(&s);
	/* Pinned tasks had what is missing. */
	add_confined(&s, 400);
	s.seen.cpus.items[0].pinned_ns = s.seen.cpus.items[1].pinned_ns = 1600 * MS;
	expect_fair(&s);
	/* One of the CPUs was not there for a while. */
	add_confined(&s, 400);
	worker_cpus_remove(&s.cpus, 1);
	expect_fair(&s);
	/* It had more CPUs before, or has by now. */
	add_confined(&s, 400);
	s.seen.tasks.items[0].allowed_cpus = s.seen.tasks.items[1].allowed_cpus = 4;
	expect_fair(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_can_go_elsewhere_leaves_the_cpu),
		cmocka_unit_test(up_to_half_of_it_may_be_missing),
		cmocka_unit_test(others_that_may_run_there_only_take_nothing),
		cmocka_unit_test(tasks_that_are_not_workers_may_have_taken_it),
		cmocka_unit_test(a_cgroup_that_had_less_takes_nothing),
		cmocka_unit_test(what_is_not_known_is_not_judged),
		cmocka_unit_test(who_has_some_of_the_cpus_gets_no_less),
		cmocka_unit_test(only_who_has_all_of_these_cpus_takes_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
