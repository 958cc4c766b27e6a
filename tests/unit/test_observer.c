// SPDX-License-Identifier: GPL-2.0-only
/* Readings of the observer: maps that a test fills as the BPF programs would, time that it sets. */
#include "observer_fixture.h"

static void maps_that_are_not_there_are_told(void **state)
{
	struct observer *o = NULL;

	(void)state;
	lacking = "sets";
	assert_int_equal(observer_open(&o, "/pins"), -ENOENT);
	assert_non_null(strstr(err_text(-ENOENT), "open /pins/sets: "));
	assert_null(o);
	observer_close(NULL);
}

static void times_count_from_the_beginning_to_the_end(void **state)
{
	static const struct {
		struct observe_task before, after; /* begin at 1000 ms, end at 1100 ms */
		uint64_t run_ms, wait_ms;
	} rows[] = {
		/* All of it lies between. */
		{ { .state = OBSERVE_BLOCKED, .run_ns = 5 * MS, .wait_ns = 7 * MS },
		  { .state = OBSERVE_BLOCKED, .run_ns = 25 * MS, .wait_ns = 10 * MS },
		  20,
		  3 },
		/* It ran before and runs still: since 990 ms, and counted at 1040 ms. */
		{ { .state = OBSERVE_RUNNING, .since_ns = 990 * MS, .run_ns = 5 * MS },
		  { .state = OBSERVE_RUNNING, .since_ns = 1040 * MS, .run_ns = 55 * MS },
		  100,
		  0 },
		/* It waits all the time. */
		{ { .state = OBSERVE_WAITING, .since_ns = 900 * MS, .wait_ns = 1 * MS },
		  { .state = OBSERVE_WAITING, .since_ns = 900 * MS, .wait_ns = 1 * MS },
		  0,
		  100 },
		/* It waited, and runs since 1030 ms. */
		{ { .state = OBSERVE_WAITING, .since_ns = 980 * MS },
		  { .state = OBSERVE_RUNNING, .since_ns = 1030 * MS, .wait_ns = 50 * MS },
		  70,
		  30 },
		/* A clock of another CPU that is ahead makes nothing negative. */
		{ { .state = OBSERVE_BLOCKED, .run_ns = 9 * MS },
		  { .state = OBSERVE_RUNNING, .since_ns = 1200 * MS, .run_ns = 10 * MS },
		  1,
		  0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct observed seen;
		const struct observe_task *t;

		now_ns = 1000 * MS;
		put(77, 0, rows[i].before);
		observer_begin(*state);
		put(77, 0, rows[i].after);
		end_at(*state, 1100 * MS, &seen);
		assert_int_equal(observed_ns(&seen), 100 * MS);
		t = observed_task(&seen, 77);
		assert_non_null(t);
		assert_int_equal(t->run_ns, rows[i].run_ms * MS);
		assert_int_equal(t->wait_ns, rows[i].wait_ms * MS);
		observed_finish(&seen);
	}
}

static void counts_are_those_of_the_phase(void **state)
{
	struct observe_task *t = put(77, 0,
				     (struct observe_task){ .state = OBSERVE_BLOCKED,
							    .run_ns = MS,
							    .long_wait_ns = 5,
							    .runs = 10,
							    .waits = 20,
							    .wakeups = 30,
							    .migrations = 40,
							    .needless = 50,
							    .displaced = 60,
							    .wait_histogram = { 1, 2 },
							    .wake_histogram = { 3, 4 },
							    .wake_wait_ns = 500 });
	const struct observe_task *got;
	struct observed seen;

	t->wait_histogram[OBSERVE_BUCKETS - 1] = 6;
	observer_begin(*state);
	t->long_wait_ns += 1;
	t->runs += 2;
	t->waits += 3;
	t->wakeups += 4;
	t->migrations += 5;
	t->needless += 6;
	t->displaced += 7;
	t->wait_histogram[1] += 7;
	t->wait_histogram[OBSERVE_BUCKETS - 1] += 8;
	t->wake_histogram[0] += 9;
	t->wake_wait_ns += 70;
	end_at(*state, 1100 * MS, &seen);
	assert_int_equal(seen.tasks.count, 1);
	got = &seen.tasks.items[0];
	assert_int_equal(got->long_wait_ns, 1);
	assert_int_equal(got->runs, 2);
	assert_int_equal(got->waits, 3);
	assert_int_equal(got->wakeups, 4);
	assert_int_equal(got->migrations, 5);
	assert_int_equal(got->needless, 6);
	assert_int_equal(got->displaced, 7);
	assert_int_equal(got->wait_histogram[0], 0);
	assert_int_equal(got->wait_histogram[1], 7);
	assert_int_equal(got->wait_histogram[OBSERVE_BUCKETS - 1], 8);
	assert_int_equal(got->wake_histogram[0], 9);
	assert_int_equal(got->wake_histogram[1], 0);
	assert_int_equal(got->wake_wait_ns, 70);
	observed_finish(&seen);
}

/* The slot had another task at the beginning: nothing of that one is subtracted. */
static void a_slot_that_was_taken_over_begins_anew(void **state)
{
	static const struct observe_task young = {
		.state = OBSERVE_BLOCKED, .first_ns = 1050 * MS, .run_ns = 3 * MS, .runs = 2
	};
	struct observed seen;

	put(77, 0, (struct observe_task){ .state = OBSERVE_DEAD, .run_ns = 900 * MS, .runs = 9 });
	observer_begin(*state);
	put(77 + OBSERVE_TASKS, 0, young);
	end_at(*state, 1100 * MS, &seen);
	assert_null(observed_task(&seen, 77));
	assert_int_equal(observed_task(&seen, 77 + OBSERVE_TASKS)->run_ns, 3 * MS);
	assert_int_equal(observed_task(&seen, 77 + OBSERVE_TASKS)->runs, 2);
	observed_finish(&seen);

	/* The same number, but another task. */
	now_ns = 1000 * MS;
	put(77, 0, (struct observe_task){ .state = OBSERVE_DEAD, .run_ns = 900 * MS, .runs = 9 });
	observer_begin(*state);
	put(77, 0, young);
	end_at(*state, 1100 * MS, &seen);
	assert_int_equal(observed_task(&seen, 77)->run_ns, 3 * MS);
	assert_int_equal(observed_task(&seen, 77)->runs, 2);
	observed_finish(&seen);
}

static void only_tasks_that_did_something_are_told_by_pid(void **state)
{
	static const struct observe_task before = { .state = OBSERVE_BLOCKED };
	static const struct {
		uint32_t pid;
		struct observe_task after;
	} rows[] = {
		{ 90, { .state = OBSERVE_BLOCKED, .run_ns = 1 } },
		{ 14, { .state = OBSERVE_BLOCKED, .wait_ns = 1 } },
		{ 4095, { .state = OBSERVE_DEAD, .migrations = 1 } },
		{ 7, { .state = OBSERVE_BLOCKED, .wakeups = 1 } },
		{ OBSERVE_TASKS, { .state = OBSERVE_BLOCKED, .run_ns = 1 } }, /* the first slot */
		{ 8, { .state = OBSERVE_BLOCKED } },
		{ 9, { .state = OBSERVE_FREE, .run_ns = 1 } },
	};
	static const uint32_t expected[] = { 7, 14, 90, 4095, OBSERVE_TASKS };
	struct observed seen, none = {};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		put(rows[i].pid, 0, before);
	observer_begin(*state);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		put(rows[i].pid, 0, rows[i].after);
	end_at(*state, 1100 * MS, &seen);
	assert_int_equal(seen.tasks.count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_int_equal(seen.tasks.items[i].pid, expected[i]);
		assert_ptr_equal(observed_task(&seen, (pid_t)expected[i]), &seen.tasks.items[i]);
	}
	assert_null(observed_task(&seen, 8));
	assert_null(observed_task(&none, 7));
	assert_null(observed_task(NULL, 7));
	observed_finish(&seen);
}

/* Somebody who waits since 1020 ms for CPUs 0 to 2, of which two idled at times. */
static void idling_beside_a_wait_that_goes_on_counts(void **state)
{
	struct observe_task *t = put(77, 0,
				     (struct observe_task){ .state = OBSERVE_WAITING,
							    .since_ns = 990 * MS,
							    .set_since_ns = 1020 * MS,
							    .set = 1,
							    .idle_waits = 3,
							    .idle_wait_ns = 50 * MS,
							    .idle = { .ns = 30 * MS } });
	const struct observe_task *got;
	struct observed seen;

	kernel.sets[0] = (struct observe_set){ .is_ready = 2, .cpus = { 7 } };
	/* 10 ms of the past, 5 ms that began before the wait, 15 ms until now. */
	kernel.cpus[1] = (struct observe_cpu){ .since_ns = 1085 * MS,
					       .is_idle = 1,
					       .idled = { { 1030 * MS, 1040 * MS },
							  { 1010 * MS, 1025 * MS },
							  { 900 * MS, 950 * MS } } };
	kernel.cpus[2] = (struct observe_cpu){ .since_ns = 1060 * MS,
					       .idled = { { 1030 * MS, 1050 * MS } } };
	/* It may not run there. */
	kernel.cpus[3] = (struct observe_cpu){ .since_ns = 1000 * MS, .is_idle = 1 };
	observer_begin(*state);
	end_at(*state, 1100 * MS, &seen);
	got = observed_task(&seen, 77);
	assert_int_equal(got->idle_waits, 1);
	assert_int_equal(got->idle_wait_ns, 30 * MS);
	assert_int_equal(got->idle.ns, 30 * MS);
	assert_int_equal(got->idle.cpu, 1);
	assert_int_equal(got->idle.since_ns, 1020 * MS);
	assert_int_equal(got->idle.wait_ns, 80 * MS);
	observed_finish(&seen);

	/* Pinned to CPU 2; who does not wait any more has nothing to add. */
	for (int i = 0; i < 2; i++) {
		t->set = OBSERVE_SETS + 3;
		t->state = i ? OBSERVE_BLOCKED : OBSERVE_WAITING;
		now_ns = 1000 * MS;
		observer_begin(*state);
		t->migrations++;
		end_at(*state, 1100 * MS, &seen);
		got = observed_task(&seen, 77);
		assert_int_equal(got->idle_waits, i ? 0 : 1);
		assert_int_equal(got->idle.ns, i ? 0 : 20 * MS);
		assert_int_equal(got->idle.cpu, i ? -1 : 2);
		observed_finish(&seen);
	}
}

/* How long depends on how many CPUs the loader saw. */
static void idling_counts_from_a_least_time_on(void **state)
{
	static const struct {
		uint32_t us;
		uint64_t idled_ns;
		bool counts;
	} rows[] = { { 0, 4 * MS, true },
		     { 0, 4 * MS - 1, false },
		     { 1000, MS, true },
		     { 1000, MS - 1, false } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct observe_task waits = { .state = OBSERVE_WAITING,
					      .since_ns = 1020 * MS,
					      .set = 1 };
		struct observed seen;

		put(77, 0, waits);
		kernel.sets[0] = (struct observe_set){ .is_ready = 2, .cpus = { 2 } };
		kernel.cpus[1] = (struct observe_cpu){ .since_ns = 1100 * MS - rows[i].idled_ns,
						       .is_idle = 1 };
		kernel.control->idle_us = rows[i].us;
		now_ns = 1000 * MS;
		observer_begin(*state);
		end_at(*state, 1100 * MS, &seen);
		assert_int_equal(observed_task(&seen, 77)->idle_waits, rows[i].counts);
		observed_finish(&seen);
	}
}

static void the_worst_wait_is_of_this_phase_and_may_go_on(void **state)
{
	struct observe_task *t =
		put(77, 0,
		    (struct observe_task){ .state = OBSERVE_WAITING,
					   .since_ns = 1040 * MS,
					   .cpu = 2,
					   .worst = { .ns = 500 * MS, .cpu = 1, .by = 3 } });
	struct observe_wait worst;
	struct observed seen;

	/* One of before is gone; the open one has lasted 60 ms, and pid 5 had the CPU. */
	put(4, 0, (struct observe_task){ .state = OBSERVE_RUNNING, .cpu = 1 });
	put(5, 0, (struct observe_task){ .state = OBSERVE_RUNNING, .cpu = 2, .comm = "greedy" });
	put(6, 0, (struct observe_task){ .state = OBSERVE_BLOCKED, .cpu = 2 });
	observer_begin(*state);
	assert_int_equal(kernel.control->epoch, 1);
	end_at(*state, 1100 * MS, &seen);
	worst = observed_task(&seen, 77)->worst;
	assert_int_equal(worst.ns, 60 * MS);
	assert_int_equal(worst.since_ns, 1040 * MS);
	assert_int_equal(worst.cpu, 2);
	assert_int_equal(worst.by, 5);
	assert_string_equal(worst.by_comm, "greedy");
	assert_int_equal(worst.epoch, 1);
	assert_int_equal(observed_task(&seen, 77)->long_wait_ns, 60 * MS);
	observed_finish(&seen);

	/* A longer one of this phase stays. */
	t->worst = (struct observe_wait){ .ns = 60 * MS, .cpu = 1, .by = 3, .epoch = 1 };
	end_at(*state, 1100 * MS, &seen);
	assert_int_equal(observed_task(&seen, 77)->worst.by, 3);
	observed_finish(&seen);

	/* Nobody runs there. */
	t->cpu = 0;
	t->worst.ns = 60 * MS - 1;
	end_at(*state, 1100 * MS, &seen);
	worst = observed_task(&seen, 77)->worst;
	assert_int_equal(worst.ns, 60 * MS);
	assert_int_equal(worst.cpu, 0);
	assert_int_equal(worst.by, 0);
	observed_finish(&seen);

	/* Without a wait there is none, and a short one is not a long one. */
	t->state = OBSERVE_BLOCKED;
	t->wakeups++;
	t->worst.epoch = 0;
	end_at(*state, 1100 * MS, &seen);
	assert_int_equal(observed_task(&seen, 77)->worst.ns, 0);
	assert_int_equal(observed_task(&seen, 77)->worst.cpu, -1);
	observed_finish(&seen);
	t->state = OBSERVE_WAITING;
	for (uint64_t less = 0; less < 2; less++) {
		t->since_ns = 1100 * MS - OBSERVE_LONG_NS + less;
		end_at(*state, 1100 * MS, &seen);
		assert_int_equal(observed_task(&seen, 77)->long_wait_ns,
				 less ? 0 : OBSERVE_LONG_NS);
		observed_finish(&seen);
	}
}

/* Of those who ran beside a wait that goes on, the one that ran most is named, not the last one. */
static uint64_t worst_wake_of(struct observer *o, uint64_t end_ns)
{
	struct observed seen;
	uint64_t ns;

	end_at(o, end_ns, &seen);
	ns = observed_task(&seen, 77)->worst_wake_ns;
	observed_finish(&seen);
	return ns;
}

/* As the worst of all waits: of this phase, and of one that goes on if a wakeup began it. */
static void the_worst_wait_after_a_wakeup_is_of_this_phase(void **state)
{
	struct observe_task *t = put(77, 0,
				     (struct observe_task){ .state = OBSERVE_WAITING,
							    .since_ns = 1040 * MS,
							    .was_woken = 1,
							    .worst_wake_ns = 500 * MS });

	observer_begin(*state);
	assert_int_equal(worst_wake_of(*state, 1100 * MS), 60 * MS);
	t->wake_epoch = 1;
	assert_int_equal(worst_wake_of(*state, 1100 * MS), 500 * MS);
	t->worst_wake_ns = 20 * MS;
	assert_int_equal(worst_wake_of(*state, 1100 * MS), 60 * MS);
	t->was_woken = 0;
	assert_int_equal(worst_wake_of(*state, 1100 * MS), 20 * MS);
	t->was_woken = 1;
	t->state = OBSERVE_RUNNING;
	assert_int_equal(worst_wake_of(*state, 1100 * MS), 20 * MS);
	t->wake_epoch = 0;
	assert_int_equal(worst_wake_of(*state, 1100 * MS), 0);
}

static void who_ran_most_beside_a_wait_is_named(void **state)
{
	static const struct {
		/* Since when pid 5 runs; 0 = the CPU idles since 1095 ms; 1 = it did until 1090 ms. */
		uint64_t open_since_ms;
		struct observe_run ran[3];
		int by;
	} rows[] = {
		{ 1090, { { 1040 * MS, 1089 * MS, 8, 0, "hog" } }, 8 },
		{ 1090, { { 1040 * MS, 1049 * MS, 8, 0, "hog" } }, 5 },
		/* In pieces, and more than those of another one. */
		{ 1095,
		  { { 1040 * MS, 1055 * MS, 8, 0, "hog" },
		    { 1055 * MS, 1075 * MS, 9, 0, "other" },
		    { 1075 * MS, 1086 * MS, 8, 0, "hog" } },
		  8 },
		/* What it did before the wait does not count, nor what is too old. */
		{ 1085, { { 900 * MS, 1050 * MS, 8, 0, "hog" } }, 5 },
		{ 1085, { { 900 * MS, 1039 * MS, 8, 0, "hog" } }, 5 },
		/* An earlier run of the one that runs now counts for it. */
		{ 1090,
		  { { 1040 * MS, 1055 * MS, 8, 0, "hog" },
		    { 1055 * MS, 1065 * MS, 5, 0, "greedy" } },
		  5 },
		{ 0, { { 1040 * MS, 1095 * MS, 8, 0, "hog" } }, 8 },
		{ 0, { { 1092 * MS, 1095 * MS, 8, 0, "hog" } }, 8 },
		/* Idle for more than half of the wait, whoever runs now. */
		{ 1, { { 1092 * MS, 1095 * MS, 8, 0, "hog" } }, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bool is_idle = !rows[i].open_since_ms, was_idle = rows[i].open_since_ms == 1;
		struct observed seen;

		put(77, 0,
		    (struct observe_task){
			    .state = OBSERVE_WAITING, .since_ns = 1040 * MS, .cpu = 2 });
		put(5, 0,
		    (struct observe_task){ .state = is_idle ? OBSERVE_BLOCKED : OBSERVE_RUNNING,
					   .cpu = 2,
					   .comm = "greedy" });
		kernel.cpus[2] = (struct observe_cpu){ .is_idle = is_idle };
		kernel.cpus[2].since_ns = MS * (is_idle	 ? 1095 :
						was_idle ? 1090 :
							   rows[i].open_since_ms);
		if (was_idle) {
			kernel.cpus[2].idled[0].since_ns = 1045 * MS;
			kernel.cpus[2].idled[0].until_ns = 1090 * MS;
		}
		memcpy(kernel.cpus[2].ran, rows[i].ran, sizeof(rows[i].ran));
		now_ns = 1000 * MS;
		observer_begin(*state);
		end_at(*state, 1100 * MS, &seen);
		assert_int_equal(observed_task(&seen, 77)->worst.by, rows[i].by);
		if (rows[i].by)
			assert_string_equal(observed_task(&seen, 77)->worst.by_comm,
					    rows[i].by == 8 ? "hog" :
					    rows[i].by == 9 ? "other" :
							      "greedy");
		observed_finish(&seen);
	}
}

/*
 * It waits since 1040 ms. Real-time tasks had CPU 2 for 10 ms of that until 1060 ms, and have it since 1080 ms; all
 * CPUs of the set since 1095 ms.
 */
static void real_time_tasks_have_a_part_of_a_wait_that_goes_on(void **state)
{
	static const struct {
		uint32_t set;
		int cpu;
		uint64_t since_ms, rt_ms, all_rt_ms;
	} rows[] = {
		{ 1, 2, 1040, 30, 5 },
		{ OBSERVE_SETS + 3, 2, 1040, 30, 30 },
		{ 0, 2, 1040, 30, 0 },
		{ 1, 1, 1040, 0, 0 },
		/* No more than it waits, and nothing of a short wait. */
		{ 1, 2, 1085, 15, 5 },
		{ 1, 2, 1097, 0, 0 },
		/* Not a set or a CPU. */
		{ OBSERVE_SETS + OBSERVE_MAX_CPUS + 1, OBSERVE_MAX_CPUS, 1040, 0, 0 },
		{ OBSERVE_SETS + OBSERVE_MAX_CPUS, -1, 1040, 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct observe_task *t =
			put(77, 0,
			    (struct observe_task){ .state = OBSERVE_WAITING,
						   .since_ns = rows[i].since_ms * MS,
						   .set = rows[i].set,
						   .cpu = rows[i].cpu,
						   .rt_from_ns = 400 * MS,
						   .all_rt_from_ns = 70 * MS,
						   .rt_wait_ns = 3 * MS,
						   .all_rt_wait_ns = 2 * MS });
		const struct observe_task *got;
		struct observed seen;

		if (rows[i].set > OBSERVE_SETS)
			t->all_rt_from_ns = 400 * MS;
		kernel.sets[0] = (struct observe_set){ .is_ready = 2,
						       .rt_ns = 70 * MS,
						       .rt_since_ns = 1095 * MS };
		kernel.cpus[2].pinned =
			(struct observe_set){ .rt_ns = 410 * MS, .rt_since_ns = 1080 * MS };
		now_ns = 1000 * MS;
		observer_begin(*state);
		/* A shorter wait that was over, without real-time tasks. */
		t->late = (struct observe_wait){ .ns = 40 * MS, .epoch = kernel.control->epoch };
		end_at(*state, 1100 * MS, &seen);
		got = observed_task(&seen, 77);
		assert_int_equal(got->worst.rt_ns, rows[i].rt_ms * MS);
		assert_int_equal(got->worst.all_rt_ns, rows[i].all_rt_ms * MS);
		assert_int_equal(got->rt_wait_ns, rows[i].rt_ms * MS);
		assert_int_equal(got->all_rt_wait_ns, rows[i].all_rt_ms * MS);
		/* 60 ms less 30 are no more than 40. */
		assert_int_equal(got->late.ns, got->worst.ns - got->worst.rt_ns > 40 * MS ?
						       got->worst.ns :
						       40 * MS);
		observed_finish(&seen);
	}
}

/* The sum of a CPU that was read just before it changed. */
static void a_part_of_a_wait_is_neither_negative_nor_more_than_it(void **state)
{
	(void)state;
	assert_int_equal(observe_rt_part(5, 4, 10), 0);
	assert_int_equal(observe_rt_part(5, 5, 10), 0);
	assert_int_equal(observe_rt_part(5, 15, 10), 10);
	assert_int_equal(observe_rt_part(5, 16, 10), 10);
	/* It began with a part that the wait had elsewhere. */
	assert_int_equal(observe_rt_part(UINT64_MAX - 1, 3, 10), 5);
}

/* A program that renamed itself is told by the name it has now, if it is told at all. */
static void who_waited_long_is_told_by_its_present_name(void **state)
{
	static const struct {
		uint32_t state;
		uint64_t waits_since_ms;
		const char *name;
	} rows[] = {
		{ OBSERVE_WAITING, 1090, "new name" },
		{ OBSERVE_WAITING, 1091, "old" },
		{ OBSERVE_DEAD, 0, "old" },
	};
	char before[16];

	assert_int_equal(prctl(PR_GET_NAME, before), 0);
	assert_int_equal(prctl(PR_SET_NAME, "new name"), 0);
	observer_begin(*state);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct observed seen;

		put((uint32_t)getpid(), 0,
		    (struct observe_task){
			    .state = rows[i].state,
			    .since_ns = rows[i].waits_since_ms * MS,
			    .wakeups = 1,
			    .worst = { .ns = rows[i].waits_since_ms ? 0 : 50 * MS, .epoch = 1 },
			    .comm = "old" });
		end_at(*state, 1100 * MS, &seen);
		assert_string_equal(seen.tasks.items[0].comm, rows[i].name);
		observed_finish(&seen);
	}
	prctl(PR_SET_NAME, before);
}

static void a_mark_finds_its_task_wherever_it_lies(void **state)
{
	struct observe_task *near = put(77, 0, (struct observe_task){ .state = OBSERVE_DEAD }),
			    *far = put(77, OBSERVE_PROBES - 1,
				       (struct observe_task){ .state = OBSERVE_BLOCKED,
							      .mark = OBSERVE_LIMITED }),
			    *free_slot = put(77, 1, (struct observe_task){ .state = OBSERVE_FREE }),
			    *other = put(77 + OBSERVE_TASKS, 2,
					 (struct observe_task){ .state = OBSERVE_BLOCKED });

	observer_mark(*state, 77, OBSERVE_KEEP);
	observer_mark(NULL, 77, OBSERVE_KEEP);
	assert_int_equal(far->mark, OBSERVE_KEEP | OBSERVE_LIMITED);
	assert_int_equal(near->mark, 0);
	assert_int_equal(free_slot->mark, 0);
	assert_int_equal(other->mark, 0);
}

static void the_forgotten_and_the_lost_are_counted(void **state)
{
	struct observe_control *c = kernel.control;
	struct observed seen;

	c->lost_tasks = 10;
	c->lost_sets = 20;
	c->forgotten = (struct observe_task){ .run_ns = 30, .wait_ns = 40, .runs = 50 };
	observer_begin(*state);
	c->lost_tasks += 1;
	c->lost_sets += 2;
	c->forgotten.run_ns += 3;
	c->forgotten.wait_ns += 4;
	c->forgotten.runs += 5;
	c->forgotten.worst = (struct observe_wait){ .ns = 6, .epoch = 1 };
	end_at(*state, 1100 * MS, &seen);
	assert_int_equal(seen.lost_tasks, 1);
	assert_int_equal(seen.lost_sets, 2);
	assert_int_equal(seen.forgotten.run_ns, 3);
	assert_int_equal(seen.forgotten.wait_ns, 4);
	assert_int_equal(seen.forgotten.runs, 5);
	assert_int_equal(seen.forgotten.worst.ns, 6);
	observed_finish(&seen);
	/* The worst of an earlier phase is none of this one. */
	c->forgotten.worst.epoch = 0;
	end_at(*state, 1100 * MS, &seen);
	assert_int_equal(seen.forgotten.worst.ns, 0);
	observed_finish(&seen);
}

static size_t count_links(const struct observe_links *l)
{
	size_t count = 0;

	for (int i = 0; i < OBSERVE_PROGRAMS; i++)
		count += l->fds[i] && fcntl(l->fds[i] - 1, F_GETFD) >= 0;
	return count;
}

static void all_programs_are_attached_or_none(void **state)
{
	struct observe_links links = {};
	int first;

	(void)state;
	attached = 0;
	assert_int_equal(observe_attach(&links, "/pins"), 0);
	assert_int_equal(attached, OBSERVE_PROGRAMS);
	assert_int_equal(count_links(&links), OBSERVE_PROGRAMS);
	first = links.fds[0] - 1;
	observe_detach(&links);
	assert_int_equal(count_links(&links), 0);
	assert_int_equal(fcntl(first, F_GETFD), -1);
	lacking = "observe_wakeup";
	attached = 0;
	assert_int_equal(observe_attach(&links, "/pins"), -ENOENT);
	assert_int_equal(attached, OBSERVE_PROGRAMS - 1);
	for (int i = 0; i < OBSERVE_PROGRAMS; i++)
		assert_int_equal(links.fds[i], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		OBSERVED(maps_that_are_not_there_are_told),
		OBSERVED(times_count_from_the_beginning_to_the_end),
		OBSERVED(counts_are_those_of_the_phase),
		OBSERVED(a_slot_that_was_taken_over_begins_anew),
		OBSERVED(only_tasks_that_did_something_are_told_by_pid),
		OBSERVED(idling_beside_a_wait_that_goes_on_counts),
		OBSERVED(idling_counts_from_a_least_time_on),
		OBSERVED(the_worst_wait_is_of_this_phase_and_may_go_on),
		OBSERVED(the_worst_wait_after_a_wakeup_is_of_this_phase),
		OBSERVED(who_ran_most_beside_a_wait_is_named),
		OBSERVED(real_time_tasks_have_a_part_of_a_wait_that_goes_on),
		OBSERVED(a_part_of_a_wait_is_neither_negative_nor_more_than_it),
		OBSERVED(who_waited_long_is_told_by_its_present_name),
		OBSERVED(a_mark_finds_its_task_wherever_it_lies),
		OBSERVED(the_forgotten_and_the_lost_are_counted),
		OBSERVED(all_programs_are_attached_or_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
