// SPDX-License-Identifier: GPL-2.0-only
/* Shares by weight: cpu.weight, nice values, SCHED_IDLE. */
#include "phase_scene.h"

static void weights_of_cgroups_count(void **state)
{
	struct scene s;

	(void)state;
	for (int is_ignored = 0; is_ignored < 2; is_ignored++) {
		scene_begin(&s);
		for (int i = 0; i < 4; i++) {
			uint64_t run = is_ignored ? 1000 : i < 2 ? 500 : 1500;

			add_worker(&s, i < 2 ? "cg_0" : "cg_1", run, 2000 - run)->cpu_weights[0] =
				i < 2 ? 100 : 300;
		}
		if (!is_ignored)
			expect_pass(&s);
		else
			expect_failure(
				&s, DETAIL_SHARE,
				"unfair share: the 2 workers of cg_1 ran 2000ms of a share of "
				"3000ms with cpu.weight 300, least of them cg_1/2 (tid 102) with "
				"1000ms; the 2 workers of cg_0 ran 2000ms of a share of 1000ms "
				"with cpu.weight 100, most of them cg_0/0 (tid 100) with 1000ms; 4 "
				"busy workers, 2.0 s (threshold 20%); all got the same, whatever "
				"their weight");
	}
	/* Upside down is not the same for all. */
	scene_begin(&s);
	for (int i = 0; i < 4; i++) {
		uint64_t run = i < 2 ? 1500 : 500;

		add_worker(&s, i < 2 ? "cg_0" : "cg_1", run, 2000 - run)->cpu_weights[0] =
			i < 2 ? 100 : 300;
	}
	judge(&s);
	assert_int_equal(s.res.verdict, KTSTR_FAILED);
	assert_false(result_ignores_weights(&s.res));
	scene_end(&s);
}

/*
 * Under the kernel's scx_central, which knows no weights, one of twelve had 242 ms where others had 290 to 397:
 * whoever is on its CPU 0 is preempted often.
 */
static void luck_of_one_is_no_knowledge_of_weights(void **state)
{
	static const struct {
		uint64_t run_ms[12];
		bool is_ignored;
	} rows[] = {
		{ { 367, 338, 347, 382, 331, 242, 397, 333, 290, 327, 385, 293 }, true },
		/* Together those of one nice value have a fifth more than others. */
		{ { 410, 400, 405, 405, 320, 340, 330, 330, 270, 270, 275, 265 }, false },
		{ { 367, 338, 347, 382, 331, 142, 497, 333, 290, 327, 385, 293 }, false },
	};

	(void)state;
	array_each(typeof(*rows), row, rows, ARRAY_SIZE(rows)) {
		struct scene s;

		scene_begin(&s);
		for (int i = 0; i < 12; i++) {
			struct observe_task *t;

			add_worker(&s, "mixed", row->run_ms[i], 2000 - row->run_ms[i]);
			t = &s.seen.tasks.items[i];
			t->static_prio = 115 + i / 4 * 5;
			t->runs = 200;
			t->migrations = 20;
		}
		judge(&s);
		assert_int_equal(s.res.verdict, KTSTR_FAILED);
		assert_int_equal(result_ignores_weights(&s.res), row->is_ignored);
		scene_end(&s);
	}
}

/* The share is the reason of a wait that is a little too long, but not of one that is far too long. */
static void waits_of_a_wrong_weight_come_after_its_share(void **state)
{
	static const struct {
		uint64_t worst_ms;
		bool by_cgroup, is_share_first;
	} rows[] = {
		{ 300, true, true },
		{ 300, false, true },
		{ 600, true, false },
		{ 600, false, false },
	};

	(void)state;
	array_each(typeof(*rows), row, rows, ARRAY_SIZE(rows)) {
		struct scene s;

		scene_begin(&s);
		for (int i = 0; i < 4; i++) {
			struct known_worker *w =
				add_worker(&s, i < 2 || !row->by_cgroup ? "cg_0" : "cg_1",
					   i < 2 ? 1500 : 500, i < 2 ? 500 : 1500);

			if (row->by_cgroup)
				w->cpu_weights[0] = i < 2 ? 100 : 300;
			else if (i < 2)
				s.seen.tasks.items[i].static_prio = 125;
		}
		s.seen.tasks.items[3].worst.ns = row->worst_ms * MS;
		judge(&s);
		assert_int_equal(s.res.details.count, 2);
		assert_int_equal(s.res.details.items[row->is_share_first ? 0 : 1].kind,
				 DETAIL_SHARE);
		assert_int_equal(s.res.details.items[row->is_share_first ? 1 : 0].kind,
				 DETAIL_STUCK);
		scene_end(&s);
	}
}

static void nice_values_count(void **state)
{
	struct scene s;

	(void)state;
	for (int is_ignored = 0; is_ignored < 2; is_ignored++) {
		scene_begin(&s);
		for (int i = 0; i < 4; i++) {
			uint64_t run = is_ignored ? 1000 : i < 2 ? 1506 : 494;

			add_worker(&s, "cg_0", run, 2000 - run);
			if (i >= 2)
				s.seen.tasks.items[i].static_prio = 125;
		}
		if (is_ignored)
			judge(&s);
		else
			expect_pass(&s);
	}
	assert_int_equal(s.res.details.count, 1);
	assert_int_equal(s.res.details.items[0].kind, DETAIL_SHARE);
	assert_non_null(strstr(s.res.details.items[0].message, " at nice 5"));
	scene_end(&s);
}

/* Run times of four workers, of which the first two are of SCHED_IDLE, on two CPUs for 2 s. */
static void nice_values_without_the_weights_of_cgroups_are_told(void **state)
{
	struct scene s;

	(void)state;
	for (int is_by_nice = 0; is_by_nice < 2; is_by_nice++) {
		scene_begin(&s);
		for (int i = 0; i < 4; i++) {
			uint64_t run = i % 2 ? 494 : 1506;

			/* Neither by nice values nor by cgroups: the first two change places. */
			if (!is_by_nice && i < 2)
				run = 2000 - run;
			add_worker(&s, i < 2 ? "cg_0" : "cg_1", run, 2000 - run)->cpu_weights[0] =
				i < 2 ? 100 : 900;
			s.seen.tasks.items[i].static_prio = i % 2 ? 125 : 120;
		}
		judge(&s);
		assert_int_equal(s.res.details.count, 1);
		assert_int_equal(s.res.details.items[0].kind, DETAIL_SHARE);
		assert_int_equal(strstr(s.res.details.items[0].message,
					"; as by nice values alone, whatever cpu.weight") != NULL,
				 is_by_nice);
		scene_end(&s);
	}
}

static void judge_beside_idle(struct scene *s, const uint64_t run_ms[static 4])
{
	scene_begin(s);
	for (int i = 0; i < 4; i++) {
		add_worker(s, "cg_0", run_ms[i], 2000 - run_ms[i]);
		if (i < 2)
			s->seen.tasks.items[i].policy = SCHED_IDLE;
	}
}

static void idle_tasks_must_not_take_what_others_are_due(void **state)
{
	struct scene s;

	(void)state;
	judge_beside_idle(&s, (const uint64_t[]){ 600, 400, 1500, 1500 });
	judge(&s);
	assert_int_equal(s.res.details.count, 1);
	assert_int_equal(s.res.details.items[0].kind, DETAIL_SHARE);
	assert_non_null(
		strstr(s.res.details.items[0].message,
		       "the 2 workers of cg_0 ran 1000ms of a share of 12ms as SCHED_IDLE"));
	assert_false(result_ignores_weights(&s.res));
	scene_end(&s);
	judge_beside_idle(&s, (const uint64_t[]){ 1000, 1000, 1000, 1000 });
	judge(&s);
	assert_int_equal(s.res.verdict, KTSTR_FAILED);
	assert_true(result_ignores_weights(&s.res));
	scene_end(&s);
}

/* What others leave is theirs, and so is a little more; nor are they compared with each other. */
static void idle_tasks_may_get_nothing(void **state)
{
	struct scene s;

	(void)state;
	judge_beside_idle(&s, (const uint64_t[]){ 0, 0, 2000, 2000 });
	expect_pass(&s);
	judge_beside_idle(&s, (const uint64_t[]){ 300, 300, 1700, 1700 });
	expect_pass(&s);
	scene_begin(&s);
	for (int i = 0; i < 3; i++) {
		add_worker(&s, "cg_0", i == 0 ? 0 : 2000, i == 0 ? 2000 : 0);
		if (i < 2)
			s.seen.tasks.items[i].policy = SCHED_IDLE;
	}
	expect_pass(&s);
	scene_begin(&s);
	for (int i = 0; i < 3; i++) {
		add_worker(&s, "cg_0", i * 1000, 2000 - i * 1000);
		s.seen.tasks.items[i].policy = SCHED_IDLE;
	}
	expect_pass(&s);
}

static void schedulers_that_ignore_weights_say_so(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	s.ignores_weights = true;
	for (int i = 0; i < 4; i++)
		add_worker(&s, "cg_0", 1000, 1000);
	s.seen.tasks.items[0].static_prio = 125;
	expect_note(&s, "weights not judged: the scheduler declares .ignores_weights");
}

/* Nice 1 is due four fifths of nice 0; whole CPUs and queues for all do not go together. */
static void weights_are_less_exact_than_equal_shares(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	for (size_t k = 0; k < 4; k++) {
		uint64_t run = k < 2 ? 970 : 1030;

		add_worker(&s, "cg_0", run, 2000 - run);
		s.seen.tasks.items[k].migrations = 50;
		s.seen.tasks.items[k].static_prio = k < 2 ? 120 : 121;
	}
	expect_pass(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weights_of_cgroups_count),
		cmocka_unit_test(luck_of_one_is_no_knowledge_of_weights),
		cmocka_unit_test(waits_of_a_wrong_weight_come_after_its_share),
		cmocka_unit_test(nice_values_count),
		cmocka_unit_test(nice_values_without_the_weights_of_cgroups_are_told),
		cmocka_unit_test(idle_tasks_must_not_take_what_others_are_due),
		cmocka_unit_test(idle_tasks_may_get_nothing),
		cmocka_unit_test(schedulers_that_ignore_weights_say_so),
		cmocka_unit_test(weights_are_less_exact_than_equal_shares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
