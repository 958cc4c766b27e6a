// SPDX-License-Identifier: GPL-2.0-only
/* What scheduling events make of a phase. */
#include "unit.h"

#include <sched.h>
#include <string.h>

#include "check/phase.h"
#include "check/shares.h"

#define MS UINT64_C(1000000)
#define LENGTH (2000 * MS)
#define START (100 * MS)
#define FIRST_TID 100

/* Two CPUs, any tasks. */
struct scene {
	struct observed seen;
	struct known_worker workers[8];
	size_t worker_count;
	struct worker_cpus cpus;
	struct ktstr_assert checks;
	bool ignores_weights;
	const struct topology *topology;
	struct ktstr_result res;
};

static void scene_begin(struct scene *s)
{
	*s = (struct scene){
		.checks = assert_defaults,
		.seen = { .is_known = true, .start_ns = START, .end_ns = START + LENGTH }
	};
	result_init(&s->res);
	for (unsigned int cpu = 0; cpu < 2; cpu++) {
		worker_cpus_add(&s->cpus, cpu);
		assert_int_equal(vec_push(&s->seen.cpus, (struct observe_cpu){ .busy_ns = LENGTH }),
				 0);
	}
	assert_int_equal(
		vec_push(&s->seen.sets, (struct observe_set){ .is_ready = 2, .cpus = { 3 } }), 0);
}

static struct observe_task *add_task(struct scene *s, uint64_t run_ms, uint64_t wait_ms,
				     uint64_t worst_ms)
{
	struct observe_task t = {
		.pid = (uint32_t)(FIRST_TID + s->seen.tasks.count),
		.state = OBSERVE_RUNNING,
		.run_ns = run_ms * MS,
		.wait_ns = wait_ms * MS,
		.long_wait_ns = wait_ms * MS,
		.waits = 100,
		.runs = 100,
		.static_prio = 120,
		.allowed_cpus = 2,
		.last_set = 1,
		.worst = { .ns = worst_ms * MS,
			   .since_ns = START + 50 * MS,
			   .cpu = 1,
			   .by = 7,
			   .by_prio = 120,
			   .by_comm = "hog" },
		.comm = "task",
	};

	assert_int_equal(vec_push(&s->seen.tasks, t), 0);
	return &s->seen.tasks.items[s->seen.tasks.count - 1];
}

static struct known_worker *add_worker(struct scene *s, const char *cgroup, uint64_t run_ms,
				       uint64_t wait_ms)
{
	struct known_worker *w = &s->workers[s->worker_count];
	struct observe_task *t = add_task(s, run_ms, wait_ms, 10);

	*w = (struct known_worker){ .tid = (pid_t)t->pid,
				    .index = (unsigned int)s->worker_count,
				    .group = cgroup,
				    .cgroup = cgroup,
				    .is_normal = true };
	s->worker_count++;
	return w;
}

static struct judged_phase phase_of(const struct scene *s)
{
	return (struct judged_phase){ .seen = &s->seen,
				      .workers = s->workers,
				      .worker_count = s->worker_count,
				      .start_ns = START,
				      .cpus = &s->cpus,
				      .ignores_weights = s->ignores_weights,
				      .topology = s->topology };
}

static void judge(struct scene *s)
{
	const struct judged_phase phase = phase_of(s);

	result_pass(&s->res);
	check_phase(&phase, &s->checks, &s->res);
}

static void scene_end(struct scene *s)
{
	observed_finish(&s->seen);
	result_finish(&s->res);
}

static void expect_pass(struct scene *s)
{
	judge(s);
	if (s->res.verdict != KTSTR_PASSED && s->res.details.count)
		print_error("%s\n", s->res.details.items[0].message);
	assert_int_equal(s->res.verdict, KTSTR_PASSED);
	scene_end(s);
}

static void expect_failure(struct scene *s, enum detail_kind kind, const char *message)
{
	judge(s);
	assert_int_equal(s->res.verdict, KTSTR_FAILED);
	assert_int_equal(s->res.details.count, 1);
	assert_int_equal(s->res.details.items[0].kind, kind);
	assert_string_equal(s->res.details.items[0].message, message);
	scene_end(s);
}

static void expect_note(struct scene *s, const char *message)
{
	judge(s);
	assert_int_equal(s->res.verdict, KTSTR_PASSED);
	assert_int_equal(s->res.details.count, 1);
	assert_int_equal(s->res.details.items[0].kind, DETAIL_NOTE);
	assert_string_equal(s->res.details.items[0].message, message);
	scene_end(s);
}

/* ---- waits ---- */

static void a_worker_that_waited_too_long_is_stuck(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 500, 600);
	s.seen.tasks.items[0].worst.ns = 600 * MS;
	expect_failure(&s, DETAIL_STUCK,
		       "stuck 600ms on cpu1 at +650ms: cg_0/0 (tid 100) was runnable and did not "
		       "run; hog (pid 7) ran there (threshold 500ms)");
}

static void a_wait_at_the_limit_is_none(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 500, 600);
	s.seen.tasks.items[0].worst.ns = 500 * MS;
	expect_pass(&s);
}

static void kernel_threads_are_seen(void **state)
{
	struct scene s;
	struct observe_task *t;

	(void)state;
	scene_begin(&s);
	t = add_task(&s, 1, 1200, 1200);
	t->is_kernel = 1;
	t->worst.by = 0;
	t->worst.since_ns = START + 800 * MS;
	strcpy(t->comm, "kworker/1:0");
	expect_failure(&s, DETAIL_SYSTEM,
		       "stuck 1200ms on cpu1 at +2000ms: kworker/1:0 (kernel thread 100) was "
		       "runnable and did not run until the end of the phase; the CPU was idle "
		       "(threshold 500ms)");
}

static void real_time_tasks_are_obeyed(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 500, 1200);
	s.seen.tasks.items[0].worst.ns = 1200 * MS;
	s.seen.tasks.items[0].worst.by_prio = 49;
	expect_pass(&s);
}

static void who_has_a_quota_may_wait_for_it(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 500, 1200);
	s.seen.tasks.items[0].worst.ns = 1200 * MS;
	s.seen.tasks.items[0].mark = OBSERVE_LIMITED;
	expect_pass(&s);
}

/* Forty tasks on one CPU, each a slice: the limit of 500 ms is for eight. */
static void a_crowd_waits_longer(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	for (int i = 0; i < 40; i++) {
		struct observe_task *t = add_task(&s, 50, 1950, 800);

		t->cpu = 1;
		t->allowed_cpus = 1;
	}
	expect_pass(&s);
}

static void a_crowd_has_a_limit_as_well(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	for (int i = 0; i < 16; i++) {
		struct observe_task *t = add_task(&s, 125, 1875, i ? 100 : 1100);

		t->cpu = 1;
		t->allowed_cpus = 1;
	}
	judge(&s);
	assert_int_equal(s.res.details.count, 1);
	assert_non_null(strstr(s.res.details.items[0].message, "(threshold 1000ms)"));
	scene_end(&s);
}

static void a_test_may_have_its_own_limit(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	s.checks.max_gap_ms = 1500;
	add_worker(&s, "cg_0", 500, 1200);
	s.seen.tasks.items[0].worst.ns = 1200 * MS;
	expect_pass(&s);
	scene_begin(&s);
	s.checks.max_wait_ms = KTSTR_OFF;
	add_task(&s, 1, 1200, 1200);
	expect_pass(&s);
}

/* ---- idle CPUs ---- */

static void make_idle(struct scene *s, uint64_t wanted_ms)
{
	s->seen.cpus.items[1] = (struct observe_cpu){ .busy_ns = LENGTH - wanted_ms * MS,
						      .idle_ns = wanted_ms * MS,
						      .wanted_ns = wanted_ms * MS };
}

static void a_cpu_that_idles_while_tasks_wait_is_told(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 1000, 500);
	make_idle(&s, 600);
	expect_failure(&s, DETAIL_WORK_CONSERVATION,
		       "cpu1 was idle for 600ms of 2000ms while tasks waited that may run there; "
		       "cg_0/0 (tid 100) waited 500ms in all, 10ms at worst on cpu1 at +60ms "
		       "(threshold 20%)");
}

/* A wakeup on its way: many short waits, nobody who waited long. */
static void short_waits_are_no_idling(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 1000, 500);
	s.seen.tasks.items[0].long_wait_ns = 0;
	make_idle(&s, 600);
	expect_pass(&s);
}

static void who_may_not_run_there_does_not_count(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 1000, 900);
	s.seen.sets.items[0].cpus[0] = 1;
	make_idle(&s, 600);
	expect_pass(&s);
}

static void a_cpu_that_nobody_ever_ran_on_is_dead(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 1000, 1000);
	make_idle(&s, 2000);
	s.seen.cpus.items[1].busy_ns = s.seen.cpus.items[1].pinned_ns = 3 * MS;
	expect_failure(&s, DETAIL_DEAD_CPU,
		       "cpu1 never ran a task that may run elsewhere, for 2000ms, while tasks "
		       "waited; cg_0/0 (tid 100) waited 1000ms in all, 10ms at worst on cpu1 at "
		       "+60ms");
}

static void a_cpu_that_went_offline_is_not_judged(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 1000, 1000);
	make_idle(&s, 2000);
	s.cpus.bits[0] = 1;
	expect_pass(&s);
}

/* ---- shares ---- */

static void equals_get_equal_shares(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 1050, 950);
	add_worker(&s, "cg_0", 950, 1050);
	add_worker(&s, "cg_1", 1000, 1000);
	add_worker(&s, "cg_1", 1000, 1000);
	expect_pass(&s);
}

static void a_cgroup_that_gets_twice_as_much_is_told(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 1333, 667);
	add_worker(&s, "cg_0", 1333, 667);
	add_worker(&s, "cg_1", 667, 1333);
	add_worker(&s, "cg_1", 667, 1333);
	expect_failure(
		&s, DETAIL_SHARE,
		"unfair share: the 2 workers of cg_1 ran 1334ms of a share of 2000ms, least of "
		"them cg_1/2 (tid 102) with 667ms; the 2 workers of cg_0 ran 2666ms of a share "
		"of 2000ms, most of them cg_0/0 (tid 100) with 1333ms; 4 busy workers, 2.0 s "
		"(threshold 25%)");
}

static void a_cgroup_of_one_worker_is_that_worker(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	s.checks.max_share_error_pct = 29;
	add_worker(&s, "cg_0", 1300, 700);
	add_worker(&s, "cg_1", 700, 1300);
	expect_failure(&s, DETAIL_SHARE,
		       "unfair share: cg_1/1 (tid 101) ran 700ms of a share of 1000ms; cg_0/0 "
		       "(tid 100) ran 1300ms of a share of 1000ms; 2 busy workers, 2.0 s "
		       "(threshold 29%)");
}

/* Equal among tasks or among cgroups: both are fair where nothing was asked for. */
static void both_notions_of_fair_are_fair(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 1333, 667);
	add_worker(&s, "cg_1", 1333, 667);
	add_worker(&s, "cg_1", 1333, 667);
	expect_pass(&s);
	scene_begin(&s);
	add_worker(&s, "cg_0", 2000, 0);
	add_worker(&s, "cg_1", 1000, 1000);
	add_worker(&s, "cg_1", 1000, 1000);
	expect_pass(&s);
}

static void weights_of_cgroups_count(void **state)
{
	struct scene s;

	(void)state;
	for (int is_ignored = 0; is_ignored < 2; is_ignored++) {
		scene_begin(&s);
		for (int i = 0; i < 4; i++) {
			uint64_t run = is_ignored ? 1000 : i < 2 ? 500 : 1500;

			add_worker(&s, i < 2 ? "cg_0" : "cg_1", run, 2000 - run)->cpu_weight =
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
				"busy workers, 2.0 s (threshold 25%)");
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

static void a_short_phase_proves_nothing_about_shares(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	s.seen.end_ns = START + 900 * MS;
	add_worker(&s, "cg_0", 900, 0);
	add_worker(&s, "cg_0", 300, 600);
	expect_note(&s,
		    "shares not judged: less than 1 s, in which load balancing may be under way");
}

/* One worker of many that gets far less than the others of its cgroup. */
static void a_single_worker_has_twice_the_limit(void **state)
{
	struct scene s;

	(void)state;
	for (uint64_t run = 500; run >= 300; run -= 200) {
		scene_begin(&s);
		add_worker(&s, "cg_0", run, 2000 - run);
		for (int i = 0; i < 3; i++)
			add_worker(&s, "cg_0", (4000 - run) / 3, 2000 - (4000 - run) / 3);
		if (run == 500)
			expect_pass(&s);
	}
	judge(&s);
	assert_int_equal(s.res.details.count, 1);
	assert_non_null(strstr(s.res.details.items[0].message, "cg_0/0 (tid 100) ran 300ms"));
	scene_end(&s);
}

/* Two of four CPUs of an LLC: one worker has one for itself, three share the other. */
static void on_a_part_of_an_llc_cpus_are_not_balanced(void **state)
{
	_topology_ struct topology topology = {};
	struct scene s;

	(void)state;
	assert_int_equal(topology_from_notation(&topology, "1n1l4c1t"), 0);
	for (int i = 0; i < 2; i++) {
		uint64_t run = i ? 100 : 660;

		scene_begin(&s);
		s.topology = &topology;
		add_worker(&s, "cg_0", 2000, 0);
		add_worker(&s, "cg_0", run, 2000 - run);
		add_worker(&s, "cg_0", (2000 - run) / 2, 1000 + run / 2);
		add_worker(&s, "cg_0", (2000 - run) / 2, 1000 + run / 2);
		s.seen.tasks.items[0].cpu = 1;
		if (!i)
			expect_pass(&s);
	}
	judge(&s);
	assert_int_equal(s.res.details.count, 1);
	assert_non_null(strstr(s.res.details.items[0].message,
			       "cg_0/1 (tid 101) ran 100ms of a share of 667ms"));
	scene_end(&s);
}

/* One that is moved all the time could have been given its share. */
static void who_moves_all_the_time_is_balanced(void **state)
{
	_topology_ struct topology topology = {};
	struct scene s;

	(void)state;
	assert_int_equal(topology_from_notation(&topology, "1n1l4c1t"), 0);
	for (uint64_t migrations = 15; migrations <= 100; migrations += 85) {
		scene_begin(&s);
		s.topology = &topology;
		for (size_t i = 0; i < 4; i++) {
			add_worker(&s, "cg_0", i ? 667 : 2000, i ? 1333 : 0);
			s.seen.tasks.items[i].migrations = migrations;
		}
		if (migrations == 15)
			expect_note(&s, "some shares not judged: workers changed the CPU now and "
					"then on CPUs that are a part of an LLC");
	}
	judge(&s);
	assert_int_equal(s.res.verdict, KTSTR_FAILED);
	scene_end(&s);
}

/* Five workers on two CPUs: three share one of them. On two LLCs balancing is coarser. */
static void cpus_hold_whole_tasks(void **state)
{
	static const struct {
		const char *machine;
		uint64_t least_ms;
		bool is_fair;
	} cases[] = { { "1n1l2c1t", 410, true },
		      { "1n1l2c1t", 390, false },
		      { "1n2l1c1t", 310, true },
		      { "1n2l1c1t", 290, false } };
	struct scene s;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_topology_ struct topology topology = {};
		uint64_t others = (4000 - cases[i].least_ms) / 4;

		assert_int_equal(topology_from_notation(&topology, cases[i].machine), 0);
		scene_begin(&s);
		s.topology = &topology;
		add_worker(&s, "cg_0", cases[i].least_ms, 2000 - cases[i].least_ms);
		for (int k = 0; k < 4; k++)
			add_worker(&s, "cg_0", others, 2000 - others);
		judge(&s);
		if ((s.res.verdict == KTSTR_PASSED) != cases[i].is_fair)
			fail_msg("%s %d", cases[i].machine, (int)cases[i].least_ms);
		scene_end(&s);
	}
}

/* Errors are figures of their own, also where they are no failure. */
static void errors_of_shares_are_told(void **state)
{
	struct share_errors worst;
	struct judged_phase phase;
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 900, 1100);
	add_worker(&s, "cg_0", 1200, 800);
	add_worker(&s, "cg_1", 900, 1100);
	add_worker(&s, "cg_1", 1000, 1000);
	phase = phase_of(&s);
	assert_int_equal(shares_worst(&phase, &worst), 0);
	assert_true(worst.is_known);
	assert_int_equal(worst.equals_pct * 10, 50);
	assert_int_equal(worst.single_pct * 10, 200);
	s.seen.end_ns = START + 900 * MS;
	assert_int_equal(shares_worst(&phase, &worst), 0);
	assert_false(worst.is_known);
	scene_end(&s);
}

static void sleepers_have_no_share(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 2000, 0);
	add_worker(&s, "cg_1", 1900, 100);
	add_worker(&s, "cg_1", 100, 1900);
	s.seen.tasks.items[2].wakeups = 100;
	expect_pass(&s);
}

static void overlapping_cpus_are_not_compared(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	assert_int_equal(
		vec_push(&s.seen.sets, (struct observe_set){ .is_ready = 2, .cpus = { 2 } }), 0);
	add_worker(&s, "cg_0", 1500, 500);
	add_worker(&s, "cg_0", 500, 1500);
	add_worker(&s, "cg_1", 1900, 100);
	s.seen.tasks.items[2].last_set = 2;
	judge(&s);
	assert_int_equal(s.res.verdict, KTSTR_PASSED);
	assert_string_equal(s.res.details.items[0].message,
			    "shares not judged: workers compete on CPUs of which others may use "
			    "only some");
	scene_end(&s);
}

/* ---- migrations ---- */

static void a_storm_of_migrations_is_told(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 1000, 10);
	s.seen.tasks.items[0].migrations = 7000;
	s.seen.tasks.items[0].wakeups = 1000;
	expect_failure(
		&s, DETAIL_MIGRATION_STORM,
		"1250 migrations/s per CPU that no wakeup explains, in 2.0 s on 2 CPUs; "
		"cg_0/0 (tid 100) moved 7000 times, was woken 1000 times, and left an idle CPU 0 "
		"times (threshold 1000)");
}

/* Who is preempted by a woken task may go elsewhere. */
static void wakeups_of_others_explain_migrations(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 1000, 10);
	add_worker(&s, "cg_0", 1000, 10);
	s.seen.tasks.items[0].wakeups = 6000;
	s.seen.tasks.items[1].migrations = 9000;
	expect_pass(&s);
}

static void wakeups_explain_migrations(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 1000, 10);
	s.seen.tasks.items[0].migrations = 6000;
	s.seen.tasks.items[0].wakeups = 6000;
	expect_pass(&s);
}

static void a_wakeup_explains_no_leaving_of_an_idle_cpu(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 1000, 10);
	s.seen.tasks.items[0].migrations = 6000;
	s.seen.tasks.items[0].wakeups = 6000;
	s.seen.tasks.items[0].needless = 5000;
	judge(&s);
	assert_int_equal(s.res.details.count, 1);
	assert_int_equal(s.res.details.items[0].kind, DETAIL_MIGRATION_STORM);
	scene_end(&s);
}

/* As on a central CPU that hands tasks on: the choice of the first is no choice. */
static void a_wakeup_in_two_steps_explains_both(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 1000, 10);
	s.seen.tasks.items[0].migrations = 12000;
	s.seen.tasks.items[0].wakeups = 6000;
	s.seen.tasks.items[0].handed_on = 6000;
	expect_pass(&s);
}

static void nothing_is_judged_that_was_not_seen(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s);
	add_worker(&s, "cg_0", 500, 1500);
	s.seen.tasks.items[0].worst.ns = 1500 * MS;
	s.seen.is_known = false;
	expect_pass(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_worker_that_waited_too_long_is_stuck),
		cmocka_unit_test(a_wait_at_the_limit_is_none),
		cmocka_unit_test(kernel_threads_are_seen),
		cmocka_unit_test(real_time_tasks_are_obeyed),
		cmocka_unit_test(who_has_a_quota_may_wait_for_it),
		cmocka_unit_test(a_crowd_waits_longer),
		cmocka_unit_test(a_crowd_has_a_limit_as_well),
		cmocka_unit_test(a_test_may_have_its_own_limit),
		cmocka_unit_test(a_cpu_that_idles_while_tasks_wait_is_told),
		cmocka_unit_test(short_waits_are_no_idling),
		cmocka_unit_test(who_may_not_run_there_does_not_count),
		cmocka_unit_test(a_cpu_that_nobody_ever_ran_on_is_dead),
		cmocka_unit_test(a_cpu_that_went_offline_is_not_judged),
		cmocka_unit_test(equals_get_equal_shares),
		cmocka_unit_test(a_cgroup_that_gets_twice_as_much_is_told),
		cmocka_unit_test(a_cgroup_of_one_worker_is_that_worker),
		cmocka_unit_test(both_notions_of_fair_are_fair),
		cmocka_unit_test(weights_of_cgroups_count),
		cmocka_unit_test(nice_values_count),
		cmocka_unit_test(schedulers_that_ignore_weights_say_so),
		cmocka_unit_test(a_short_phase_proves_nothing_about_shares),
		cmocka_unit_test(a_single_worker_has_twice_the_limit),
		cmocka_unit_test(on_a_part_of_an_llc_cpus_are_not_balanced),
		cmocka_unit_test(who_moves_all_the_time_is_balanced),
		cmocka_unit_test(cpus_hold_whole_tasks),
		cmocka_unit_test(errors_of_shares_are_told),
		cmocka_unit_test(sleepers_have_no_share),
		cmocka_unit_test(overlapping_cpus_are_not_compared),
		cmocka_unit_test(a_storm_of_migrations_is_told),
		cmocka_unit_test(wakeups_of_others_explain_migrations),
		cmocka_unit_test(wakeups_explain_migrations),
		cmocka_unit_test(a_wakeup_explains_no_leaving_of_an_idle_cpu),
		cmocka_unit_test(a_wakeup_in_two_steps_explains_both),
		cmocka_unit_test(nothing_is_judged_that_was_not_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
