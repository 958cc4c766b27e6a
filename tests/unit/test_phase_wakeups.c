// SPDX-License-Identifier: GPL-2.0-only
/* Who sleeps beside busy workers: its share, and how long it waits after a wakeup. */
#include "phase_scene.h"

/* Two that sleep at times beside four that are always busy, on two CPUs. */
static void add_sleepers(struct scene *s, const char *cgroup, uint64_t each_ms)
{
	for (int i = 0; i < 2; i++) {
		add_worker(s, cgroup, each_ms, 300);
		s->seen.tasks.items[s->seen.tasks.count - 1].wakeups = 100;
	}
	for (int i = 0; i < 4; i++)
		add_worker(s, "busy", (4000 - 2 * each_ms) / 4, 2000 - (4000 - 2 * each_ms) / 4);
}

/* Beside a note about those that are always busy. */
static void expect_unfair_sleepers(struct scene *s, const char *message)
{
	judge(s);
	assert_int_equal(s->res.verdict, KTSTR_FAILED);
	assert_int_equal(s->res.details.count, 2);
	assert_int_equal(s->res.details.items[0].kind, DETAIL_NOTE);
	assert_int_equal(s->res.details.items[1].kind, DETAIL_SHARE);
	assert_string_equal(s->res.details.items[1].message, message);
	scene_end(s);
}

static void who_sleeps_gets_no_more_than_who_is_busy(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_sleepers(&s, "busy", 1000);
	expect_unfair_sleepers(
		&s, "unfair share: 2 workers of busy that sleep at times ran 2000ms of a share "
		    "of 1333ms, most of them busy/0 (tid 100) with 1000ms; busy/2 (tid 102), "
		    "which is always busy, ran 500ms; 6 workers, 2.0 s (threshold 40%)");
	/* Of two groups of a cgroup: neither is named in the place of both. */
	scene_begin(&s);
	add_sleepers(&s, "busy", 1000);
	s.workers[1].group = "busy:PipeIo";
	expect_unfair_sleepers(
		&s, "unfair share: 2 workers of busy that sleep at times ran 2000ms of a share "
		    "of 1333ms, most of them busy/0 (tid 100) with 1000ms; busy/2 (tid 102), "
		    "which is always busy, ran 500ms; 6 workers, 2.0 s (threshold 40%)");
	scene_begin(&s);
	add_sleepers(&s, "busy", 1000);
	s.workers[0].group = "busy:PipeIo";
	expect_unfair_sleepers(
		&s, "unfair share: 2 workers of busy that sleep at times ran 2000ms of a share "
		    "of 1333ms, most of them busy:PipeIo/0 (tid 100) with 1000ms; busy/2 (tid "
		    "102), which is always busy, ran 500ms; 6 workers, 2.0 s (threshold 40%)");
	/* Less than its share, and a little more than that. */
	for (uint64_t each = 300; each <= 900; each += 600) {
		scene_begin(&s);
		add_sleepers(&s, "busy", each);
		expect_pass(&s);
	}
	/* A cgroup of its own may have as much as the other. */
	scene_begin(&s);
	add_sleepers(&s, "naps", 1000);
	expect_pass(&s);
	/* The limit of the test. */
	scene_begin(&s);
	s.checks.max_share_error_pct = 30;
	add_sleepers(&s, "busy", 1000);
	expect_pass(&s);
}

static void one_that_sleeps_is_named(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	s.seen.sets.items[0].cpus[0] = 1;
	add_worker(&s, "cg_0", 1000, 100);
	s.seen.tasks.items[0].wakeups = 100;
	add_worker(&s, "cg_0", 500, 1500);
	add_worker(&s, "cg_0", 500, 1500);
	for (int i = 0; i < 3; i++)
		s.seen.tasks.items[i].allowed_cpus = 1;
	expect_unfair_sleepers(
		&s, "unfair share: cg_0/0 (tid 100), which sleeps at times, ran 1000ms of a share "
		    "of 667ms; cg_0/1 (tid 101), which is always busy, ran 500ms; 3 workers, 2.0 "
		    "s (threshold 40%)");
}

/* So many sleepers that wait so long each time, beside two busy ones that wait 10 ms. */
static void add_late(struct scene *s, int count, uint64_t mean_ms)
{
	for (int i = 0; i < count; i++) {
		struct observe_task *t;

		add_worker(s, "naps", 100, mean_ms * 10);
		t = &s->seen.tasks.items[s->seen.tasks.count - 1];
		t->waits = t->wakeups = 11;
		t->wait_ns += mean_ms * MS;
	}
	for (int i = 0; i < 2; i++)
		add_worker(s, "busy", 2000 - 50 * (uint64_t)count, 1000);
}

static void who_sleeps_does_not_wait_longer(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_late(&s, 2, 60);
	expect_failure(
		&s, DETAIL_LATE_WAKEUP,
		"late wakeups: 2 workers of naps that sleep at times waited 60ms on average, "
		"longest of them naps/0 (tid 100) with 60ms; busy/2 (tid 102), which is "
		"always busy, waited 10ms; 22 waits (threshold 3 times)");
	scene_begin(&s);
	add_late(&s, 1, 60);
	expect_failure(&s, DETAIL_LATE_WAKEUP,
		       "late wakeups: naps/0 (tid 100), which sleeps at times, waited 60ms on "
		       "average; busy/1 (tid 101), which is always busy, waited 10ms; 11 waits "
		       "(threshold 3 times)");
	/* One of many: their mean is 23 ms. */
	scene_begin(&s);
	add_late(&s, 4, 60);
	for (size_t i = 1; i < 4; i++) {
		s.seen.tasks.items[i].run_ns = 50 * MS;
		s.seen.tasks.items[i].wait_ns = 110 * MS;
	}
	expect_failure(&s, DETAIL_LATE_WAKEUP,
		       "late wakeups: naps/0 (tid 100), which sleeps at times, waited 60ms on "
		       "average; busy/4 (tid 104), which is always busy, waited 10ms; 11 waits "
		       "(threshold 3 times)");
	/* As long as three times, or so short that it is the rest of a slice. */
	scene_begin(&s);
	add_late(&s, 2, 30);
	expect_pass(&s);
	scene_begin(&s);
	s.checks.max_wakeup_wait_ratio = 2;
	add_late(&s, 2, 23);
	expect_pass(&s);
	/* Slices of 1.9 ms: from 10 ms on. */
	for (uint64_t i = 0; i < 2; i++) {
		scene_begin(&s);
		add_late(&s, 2, 10 + i);
		for (size_t k = 2; k < 4; k++)
			s.seen.tasks.items[k].runs = s.seen.tasks.items[k].waits = 1000;
		judge(&s);
		assert_int_equal(s.res.verdict, i ? KTSTR_FAILED : KTSTR_PASSED);
		scene_end(&s);
	}
	/* The limit of the test. */
	scene_begin(&s);
	s.checks.max_wakeup_wait_ratio = 6;
	add_late(&s, 2, 60);
	expect_pass(&s);
}

static void few_late_wakeups_are_chance(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_late(&s, 1, 60);
	s.seen.tasks.items[0].waits = 7;
	expect_pass(&s);
	/* Who weighs a third may wait three times as long. */
	for (uint64_t i = 0; i < 2; i++) {
		scene_begin(&s);
		add_late(&s, 1, i ? 95 : 90);
		s.seen.tasks.items[0].static_prio = 125;
		judge(&s);
		assert_int_equal(s.res.verdict, i ? KTSTR_FAILED : KTSTR_PASSED);
		scene_end(&s);
	}
}

/* One of them is behind long slices: its share is fair. */
static void equals_wait_alike_for_their_turns(void **state)
{
	struct scene s;

	(void)state;
	for (int i = 0; i < 4; i++) {
		scene_begin(&s);
		for (int k = 0; k < 4; k++)
			add_worker(&s, "cg_0", 1000, 1000);
		s.seen.tasks.items[2].waits = 16;
		s.seen.tasks.items[2].worst.ns = 100 * MS;
		/* Short; as the others; too few. */
		if (i == 1)
			s.seen.tasks.items[2].waits = 20;
		for (int k = 0; i == 2 && k < 2; k++)
			s.seen.tasks.items[k].waits = 35;
		if (i == 3)
			s.seen.tasks.items[2].waits = 3;
		if (i == 0)
			expect_failure(
				&s, DETAIL_LATE_WAKEUP,
				"late turns: cg_0/2 (tid 102), which is always busy, waited "
				"62ms on average, its equals 10ms; 16 waits, 100ms at worst on "
				"cpu1 at +150ms (threshold 3 times)");
		else
			expect_pass(&s);
	}
}

/* Its cgroup has a fair share all the same. */
static void who_has_a_fair_share_may_wait(void **state)
{
	struct scene s;

	(void)state;
	for (int i = 0; i < 2; i++) {
		scene_begin(&s);
		add_late(&s, 2, 60);
		for (size_t k = 0; k < 4; k++)
			s.seen.tasks.items[k].run_ns = (k < 2 ? i ? 800 : 950 : 1000) * MS;
		for (size_t k = 2; k < 4; k++)
			s.seen.tasks.items[k].runs = 1000;
		judge(&s);
		assert_int_equal(s.res.verdict, i ? KTSTR_FAILED : KTSTR_PASSED);
		scene_end(&s);
	}
	/* The weight of its cgroup is not that of the others. */
	scene_begin(&s);
	s.checks.max_share_error_pct = KTSTR_OFF;
	add_late(&s, 2, 60);
	s.workers[0].cpu_weights[0] = s.workers[1].cpu_weights[0] = 10;
	expect_pass(&s);
}

/* Children of workers that wait so long before they run. */
static void add_children(struct scene *s, uint32_t count, uint64_t run_ms, uint64_t wait_ms)
{
	for (uint32_t i = 0; i < count; i++) {
		struct observe_task *t = add_task(s, run_ms, wait_ms, wait_ms);

		t->first_ns = START + 1;
		t->waits = 1;
		memcpy(t->comm, "forks/0", sizeof("forks/0"));
	}
}

static void who_is_born_does_not_wait_longer(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "busy", 1900, 1000);
	add_worker(&s, "busy", 1900, 1000);
	add_children(&s, 8, 1, 150);
	expect_failure(&s, DETAIL_LATE_WAKEUP,
		       "late wakeups: 8 tasks that are not workers and were born meanwhile waited "
		       "150ms on average, longest of them forks/0 (pid 102) with 150ms; busy/0 "
		       "(tid 100), which is always busy, waited 10ms; 8 waits (threshold 3 times)");
	for (int i = 0; i < 5; i++) {
		scene_begin(&s);
		add_worker(&s, "busy", 1900, 1000);
		add_worker(&s, "busy", 1900, 1000);
		/* Too few; as long as slices; they have had enough. */
		add_children(&s, i == 0 ? 7 : 8, i == 2 ? 60 : 1, i == 1 ? 23 : 150);
		/* Older than the phase; threads of the kernel. */
		for (size_t k = 2; k < s.seen.tasks.count; k++) {
			if (i == 3)
				s.seen.tasks.items[k].first_ns = START;
			if (i == 4) {
				s.seen.tasks.items[k].is_kernel = 1;
				s.seen.tasks.items[k].worst.ns = 100 * MS;
			}
		}
		judge(&s);
		assert_int_equal(s.res.verdict, KTSTR_PASSED);
		scene_end(&s);
	}
}

/* Their means are short; three of their wakeups are not. Busy ones waited for 10 ms at most. */
static struct observe_task *add_late_ones(struct scene *s, unsigned int bucket, uint32_t count)
{
	struct observe_task *t;

	scene_begin(s);
	for (int i = 0; i < 2; i++) {
		add_worker(s, "naps", 100, 400);
		t = &s->seen.tasks.items[i];
		t->wakeups = 100;
		t->wake_histogram[20] = 90;
		t->wake_histogram[bucket] = i ? 1 : count - 1;
		t->worst.ns = i ? 70 * MS : 200 * MS;
	}
	for (int i = 0; i < 2; i++)
		add_worker(s, "busy", 1900, 1000);
	return &s->seen.tasks.items[2];
}

static void no_few_wakeups_take_many_times_as_long(void **state)
{
	struct scene s;

	(void)state;
	add_late_ones(&s, 26, 3);
	expect_failure(
		&s, DETAIL_LATE_WAKEUP,
		"late wakeups: workers that sleep at times waited 67ms and longer 3 of 200 times, longest of "
		"them naps/0 (tid 100) with 200ms on cpu1 at +250ms; busy/2 (tid 102), which is always "
		"busy, waited 10ms at most (threshold 3 times)");
	/* Two are chance, and below 67 ms it is a matter of slices. */
	add_late_ones(&s, 26, 2);
	expect_pass(&s);
	add_late_ones(&s, 25, 3);
	expect_pass(&s);
	/* A busy one waited for long, too; once is enough: three times as long begins in bucket 26, or 27. */
	add_late_ones(&s, 26, 3)->worst.ns = 22 * MS;
	judge(&s);
	assert_int_equal(s.res.verdict, KTSTR_FAILED);
	scene_end(&s);
	add_late_ones(&s, 26, 3)->worst.ns = 23 * MS;
	expect_pass(&s);
	add_late_ones(&s, 27, 3)->worst.ns = 44 * MS;
	judge(&s);
	assert_int_equal(s.res.verdict, KTSTR_FAILED);
	scene_end(&s);
	/* Who weighs less may wait longer: 30 ms and more are 3 times as long as 10 ms here. */
	add_late_ones(&s, 26, 3);
	for (int i = 0; i < 2; i++)
		s.seen.tasks.items[i].static_prio = 125;
	expect_pass(&s);
	/* Real-time tasks had the CPU; it had half of a share; nobody is always busy. */
	add_late_ones(&s, 26, 3);
	for (int i = 0; i < 2; i++)
		s.seen.tasks.items[i].rt_wait_ns = 21 * MS;
	expect_pass(&s);
	add_late_ones(&s, 26, 3);
	for (int i = 0; i < 2; i++)
		s.seen.tasks.items[i].run_ns = 900 * MS;
	expect_pass(&s);
	add_late_ones(&s, 26, 3);
	for (int i = 2; i < 4; i++)
		s.seen.tasks.items[i].wakeups = 100;
	expect_pass(&s);
}

/* A thread that lives for long beside many children that do not, and are in time. */
static void one_that_is_born_does_not_wait_longer(void **state)
{
	struct scene s;

	(void)state;
	for (int i = 0; i < 5; i++) {
		struct observe_task *t;

		scene_begin(&s);
		add_worker(&s, "busy", 1900, 1000);
		add_worker(&s, "busy", 1900, 1000);
		add_children(&s, 100, 1, 1);
		/* Few times; as long as slices; it had half of a share; it is older. */
		t = add_task(&s, i == 3 ? 960 : 10, i == 2 ? 230 : 1000, 100);
		t->waits = i == 1 ? 7 : 10;
		t->first_ns = i == 4 ? START : START + 1;
		strcpy(t->comm, "thread");
		if (i == 0)
			expect_failure(
				&s, DETAIL_LATE_WAKEUP,
				"late wakeups: thread (pid 202), which sleeps at times, waited "
				"100ms on average; busy/0 (tid 100), which is always busy, "
				"waited 10ms; 10 waits (threshold 3 times)");
		else
			expect_pass(&s);
	}
}

/* Few times, but always long; a worker on the same CPU does not. */
static void kernel_threads_are_not_late(void **state)
{
	struct scene s;

	(void)state;
	for (int i = 0; i < 9; i++) {
		struct observe_task *t;

		scene_begin(&s);
		add_worker(&s, "busy", 1000, i == 1 ? 2000 : 1000);
		add_worker(&s, "busy", 1000, i == 1 ? 2000 : 1000);
		t = add_task(&s, 1, i == 2 ? 150 : 180, 70);
		/* Not many; it may run elsewhere; on a CPU that no worker uses. */
		t->waits = i == 3 || i == 7 ? 2 : 3;
		t->is_kernel = 1;
		t->allowed_cpus = i == 4 || i > 5 ? 2 : 1;
		t->cpu = i == 5 ? 5 : 0;
		/* It may run elsewhere and is nice, or waited twice, or is real-time. */
		t->static_prio += i == 6 ? 19 : 0;
		t->policy = i == 8 ? SCHED_FIFO : t->policy;
		strcpy(t->comm, "kworker/0:1");
		s.seen.tasks.items[0].waits = s.seen.tasks.items[1].waits = 100;
		if (i == 0 || i == 4)
			expect_failure(
				&s, DETAIL_LATE_WAKEUP,
				"late wakeups: kworker/0:1 (kernel thread 102) waited 60ms on "
				"average; busy/0 (tid 100), which is always busy, waited "
				"10ms; 3 waits (threshold 3 times)");
		else
			expect_pass(&s);
	}
}

/* 60 ms each time, of which real-time tasks had its CPU for 11: 49 are not late. */
static void who_waits_for_real_time_tasks_is_not_late(void **state)
{
	static const struct {
		uint64_t rt_ms, all_rt_ms;
		bool is_kernel, is_late;
	} rows[] = { { 33, 33, true, false }, { 29, 29, true, true },	  { 33, 0, true, false },
		     { 0, 0, false, true },   { 400, 320, false, false }, { 400, 0, false, true } };
	struct scene s;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct observe_task *t;

		scene_begin(&s);
		for (int k = 0; k < 2; k++) {
			add_worker(&s, "busy", 900, 1000);
			s.seen.tasks.items[k].waits = 100;
		}
		if (rows[i].is_kernel) {
			t = add_task(&s, 1, 180, 70);
			t->is_kernel = t->allowed_cpus = 1;
			t->waits = 3;
		} else {
			add_worker(&s, "naps", 100, 600);
			t = &s.seen.tasks.items[2];
			t->waits = 10;
		}
		t->rt_wait_ns = rows[i].rt_ms * MS;
		t->all_rt_wait_ns = rows[i].all_rt_ms * MS;
		judge(&s);
		assert_int_equal(s.res.verdict, rows[i].is_late ? KTSTR_FAILED : KTSTR_PASSED);
		if (rows[i].is_late)
			assert_int_equal(s.res.details.items[0].kind, DETAIL_LATE_WAKEUP);
		scene_end(&s);
	}
}

/* Somebody waited for as long as one of four equals runs at a time. */
static void no_turn_is_much_longer_than_those_of_equals(void **state)
{
	struct scene s;

	(void)state;
	for (int i = 0; i < 5; i++) {
		scene_begin(&s);
		for (int k = 0; k < 4; k++)
			add_worker(&s, "busy", 1000, 1000);
		s.seen.tasks.items[0].runs = i == 1 ? 21 : 9;
		/* Nobody waited behind it; not for long; all have such turns. */
		s.seen.tasks.items[3].worst.by = i == 2 ? 7 : 100;
		s.seen.tasks.items[3].worst.ns = i == 3 ? 49 * MS : 110 * MS;
		for (int k = 1; k < 4; k++)
			s.seen.tasks.items[k].runs = i == 4 ? 20 : 100;
		if (i == 0)
			expect_failure(
				&s, DETAIL_LATE_WAKEUP,
				"long turns: busy/0 (tid 100) ran for 111ms at a time on "
				"average, its equals for 10ms; busy/3 (tid 103) waited 110ms "
				"behind it on cpu1 at +160ms (threshold 3 times)");
		else
			expect_pass(&s);
	}
}

/* Of shares nothing is said then. */
static void waits_are_judged_where_others_took_cpus(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_late(&s, 2, 60);
	add_task(&s, 600, 0, 0);
	judge(&s);
	assert_int_equal(s.res.details.count, 2);
	assert_int_equal(s.res.details.items[0].kind, DETAIL_NOTE);
	assert_int_equal(s.res.details.items[1].kind, DETAIL_LATE_WAKEUP);
	scene_end(&s);
}

/*
 * One busy task on a CPU, in a queue for all: it has turns of 8 ms and waits for 3 ms, while one that sleeps has its own.
 * Two that wake each other run for a moment and wait for both.
 */
static void one_busy_task_waits_for_short_turns_only(void **state)
{
	static const struct {
		uint64_t mean_ms;
		bool is_late;
	} rows[] = { { 11, false }, { 14, true } };

	(void)state;
	array_each(typeof(*rows), row, rows, ARRAY_SIZE(rows)) {
		struct scene s;

		scene_begin(&s);
		for (int i = 0; i < 4; i++) {
			struct observe_task *t;

			add_worker(&s, "m", i == 0 ? 1508 : i == 1 ? 490 : 2, 0);
			t = &s.seen.tasks.items[i];
			t->waits = t->runs = i == 0 ? 189 : i == 1 ? 166 : 92;
			t->wakeups = i == 0 ? 2 : t->waits;
			t->wait_ns = (i == 0 ? 3 : i == 1 ? 2 : row->mean_ms) * t->waits * MS;
			t->allowed_cpus = 1;
		}
		judge(&s);
		assert_int_equal(s.res.verdict, row->is_late ? KTSTR_FAILED : KTSTR_PASSED);
		scene_end(&s);
	}
}

/* Two of a cgroup that sleep and wait so long each time. */
static void add_kind(struct scene *s, const char *group, uint64_t run_ms, uint64_t mean_ms)
{
	for (int i = 0; i < 2; i++) {
		struct known_worker *w = add_worker(s, group, run_ms, mean_ms * 11);
		struct observe_task *t = &s->seen.tasks.items[s->seen.tasks.count - 1];

		w->cgroup = "mixed";
		t->waits = t->wakeups = 11;
	}
}

/* Beside two busy ones that wait 10 ms, or beside nobody else. */
static void add_kinds(struct scene *s, uint64_t one_ms, uint64_t other_ms, bool has_busy)
{
	scene_begin(s);
	add_kind(s, "mixed:one", 120, one_ms);
	add_kind(s, "mixed:other", 20, other_ms);
	for (int i = 0; has_busy && i < 2; i++)
		add_worker(s, "mixed:busy", 1900, 1000)->cgroup = "mixed";
	/* Who has the CPUs instead of them yields all the time. */
	for (int i = 0; !has_busy && i < 2; i++)
		add_worker(s, "mixed:busy", 1900, 1000)->is_restless = true;
}

static void no_kind_of_sleepers_is_later_than_all_others(void **state)
{
	struct scene s;

	(void)state;
	add_kinds(&s, 10, 27, true);
	expect_failure(
		&s, DETAIL_LATE_WAKEUP,
		"late wakeups: 2 workers of mixed:other that sleep at times waited 27ms on average, "
		"longest of them mixed:other/2 (tid 102) with 27ms; mixed:one/0 (tid 100), which "
		"sleeps as well, waited 10ms; 22 waits (threshold 2 times)");
	/* It is told once. */
	add_kinds(&s, 10, 60, true);
	expect_failure(
		&s, DETAIL_LATE_WAKEUP,
		"late wakeups: 2 workers of mixed:other that sleep at times waited 60ms on average, "
		"longest of them mixed:other/2 (tid 102) with 60ms; mixed:busy/4 (tid 104), which "
		"is always busy, waited 10ms; 22 waits (threshold 3 times)");
	/* Together they are late, the group of the latest one is too few waits. */
	add_kinds(&s, 34, 60, true);
	for (size_t i = 2; i < 4; i++) {
		s.seen.tasks.items[i].waits = 3;
		s.seen.tasks.items[i].wait_ns = 180 * MS;
	}
	expect_failure(
		&s, DETAIL_LATE_WAKEUP,
		"late wakeups: 4 workers of mixed that sleep at times waited 40ms on average, "
		"longest of them mixed:other/2 (tid 102) with 60ms; mixed:busy/4 (tid 104), which "
		"is always busy, waited 10ms; 28 waits (threshold 3 times)");
	add_kinds(&s, 10, 60, true);
	for (size_t i = 2; i < 4; i++)
		s.seen.tasks.items[i].static_prio = 115;
	expect_failure(
		&s, DETAIL_LATE_WAKEUP,
		"late wakeups: 2 workers of mixed:other at nice -5 that sleep at times waited 60ms "
		"on average, longest of them mixed:other/2 (tid 102) with 60ms; mixed:busy/4 (tid "
		"104), which is always busy, waited 10ms; 22 waits (threshold 3 times)");
	/* Not twice as long as the other kind, or as the busy ones. */
	add_kinds(&s, 14, 27, true);
	expect_pass(&s);
	add_kinds(&s, 10, 27, true);
	s.seen.tasks.items[4].wait_ns = 1400 * MS;
	expect_pass(&s);
	/* The rest of a slice. */
	add_kinds(&s, 5, 22, true);
	expect_pass(&s);
	add_kinds(&s, 10, 27, true);
	s.checks.max_wakeup_wait_ratio = 5;
	expect_pass(&s);
}

static void sleepers_are_compared_where_nobody_is_always_busy(void **state)
{
	struct scene s;

	(void)state;
	add_kinds(&s, 10, 35, false);
	expect_failure(
		&s, DETAIL_LATE_WAKEUP,
		"late wakeups: 2 workers of mixed:other that sleep at times waited 35ms on average, "
		"longest of them mixed:other/2 (tid 102) with 35ms; mixed:one/0 (tid 100), which "
		"sleeps as well, waited 10ms; 22 waits (threshold 3 times)");
	add_kinds(&s, 10, 29, false);
	expect_pass(&s);
	/* Who has had half of a fair share may wait. */
	add_kinds(&s, 10, 35, false);
	s.seen.tasks.items[2].run_ns = s.seen.tasks.items[3].run_ns = 60 * MS;
	expect_pass(&s);
	/* Too few to be compared with. */
	add_kinds(&s, 10, 35, false);
	for (int i = 0; i < 2; i++) {
		s.seen.tasks.items[i].waits = 7;
		s.seen.tasks.items[i].wait_ns = 70 * MS;
	}
	expect_pass(&s);
	/* The rest of a slice. */
	add_kinds(&s, 5, 24, false);
	for (int i = 0; i < 2; i++)
		s.seen.tasks.items[i].runs = 4;
	expect_pass(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_busy_task_waits_for_short_turns_only),
		cmocka_unit_test(who_sleeps_gets_no_more_than_who_is_busy),
		cmocka_unit_test(one_that_sleeps_is_named),
		cmocka_unit_test(who_sleeps_does_not_wait_longer),
		cmocka_unit_test(few_late_wakeups_are_chance),
		cmocka_unit_test(equals_wait_alike_for_their_turns),
		cmocka_unit_test(who_has_a_fair_share_may_wait),
		cmocka_unit_test(who_is_born_does_not_wait_longer),
		cmocka_unit_test(one_that_is_born_does_not_wait_longer),
		cmocka_unit_test(no_few_wakeups_take_many_times_as_long),
		cmocka_unit_test(kernel_threads_are_not_late),
		cmocka_unit_test(who_waits_for_real_time_tasks_is_not_late),
		cmocka_unit_test(no_turn_is_much_longer_than_those_of_equals),
		cmocka_unit_test(waits_are_judged_where_others_took_cpus),
		cmocka_unit_test(no_kind_of_sleepers_is_later_than_all_others),
		cmocka_unit_test(sleepers_are_compared_where_nobody_is_always_busy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
