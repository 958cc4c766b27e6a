// SPDX-License-Identifier: GPL-2.0-only
/* Readings of the observer of CPUs, and of sets of CPUs that tasks may run on. */
#include "observer_fixture.h"

static void cpus_are_busy_idle_or_silent(void **state)
{
	const struct observe_cpu *c;
	struct observed seen;

	/* 0 is busy until 1050 ms and idle from then on; 1 idles from before to the end. */
	kernel.cpus[0] = (struct observe_cpu){ .since_ns = 900 * MS,
					       .busy_ns = 10 * MS,
					       .idle_ns = 20 * MS,
					       .pinned_ns = 5,
					       .picks = 6,
					       .wanted_ns = 7,
					       .pinned.long_ns = 8 };
	kernel.cpus[1] = (struct observe_cpu){ .since_ns = 950 * MS, .is_idle = 1 };
	observer_begin(*state);
	kernel.cpus[0].busy_ns += 150 * MS;
	kernel.cpus[0].since_ns = 1050 * MS;
	kernel.cpus[0].is_idle = 1;
	kernel.cpus[0].pinned_ns += 1;
	kernel.cpus[0].picks += 2;
	kernel.cpus[0].wanted_ns += 3;
	kernel.cpus[0].pinned.long_ns += 4;
	end_at(*state, 1100 * MS, &seen);
	assert_int_equal(seen.cpus.count, CPUS);
	c = seen.cpus.items;
	assert_int_equal(c[0].busy_ns, 50 * MS);
	assert_int_equal(c[0].idle_ns, 50 * MS);
	assert_int_equal(c[0].pinned_ns, 1);
	assert_int_equal(c[0].picks, 2);
	assert_int_equal(c[0].wanted_ns, 3);
	assert_int_equal(c[0].pinned.long_ns, 4);
	assert_int_equal(c[1].busy_ns, 0);
	assert_int_equal(c[1].idle_ns, 100 * MS);
	/* Nothing was ever seen of 2. */
	assert_int_equal(c[2].idle_ns, 100 * MS);
	assert_int_equal(c[2].busy_ns, 0);
	assert_int_equal(c[2].wanted_ns, 0);
	assert_int_equal(c[2].is_idle, 1);
	assert_int_equal(c[2].idle.cpu, 2);
	observed_finish(&seen);
}

/* The longest time in which nobody began to run: a finished one, or the one since the last. */
static void the_longest_time_without_a_pick_is_of_the_phase(void **state)
{
	static const struct {
		uint64_t last_pick_ms;
		struct observe_wait unpicked; /* as the BPF programs left it */
		uint64_t ms, since_ms;
	} rows[] = {
		{ 1090, { .ns = 40 * MS, .since_ns = 1010 * MS, .epoch = 1 }, 40, 1010 },
		{ 1050, { .ns = 40 * MS, .since_ns = 1010 * MS, .epoch = 1 }, 50, 1050 },
		{ 1060, { .ns = 40 * MS, .since_ns = 1010 * MS, .epoch = 1 }, 40, 1010 },
		/* That of an earlier phase is gone, and time before this one does not count. */
		{ 1070, { .ns = 400 * MS, .since_ns = 500 * MS }, 30, 1070 },
		{ 900, { .ns = 400 * MS, .since_ns = 500 * MS }, 100, 1000 },
		{ 0, {}, 100, 1000 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct observed seen;

		now_ns = 1000 * MS;
		kernel.control->epoch = 0;
		kernel.cpus[0] = (struct observe_cpu){ .since_ns = 900 * MS };
		observer_begin(*state);
		assert_int_equal(kernel.control->epoch_ns, 1000 * MS);
		kernel.cpus[0].last_pick_ns = rows[i].last_pick_ms * MS;
		kernel.cpus[0].unpicked = rows[i].unpicked;
		end_at(*state, 1100 * MS, &seen);
		assert_int_equal(seen.cpus.items[0].unpicked.ns, rows[i].ms * MS);
		assert_int_equal(seen.cpus.items[0].unpicked.since_ns, rows[i].since_ms * MS);
		/* A CPU of which nothing was seen picked nobody. */
		assert_int_equal(seen.cpus.items[2].unpicked.ns, 100 * MS);
		observed_finish(&seen);
	}
}

/* Before 1050 ms it was offline, which looks like whatever it did last. */
static void what_a_cpu_did_before_it_came_back_does_not_count(void **state)
{
	struct observed seen;

	kernel.cpus[0] = (struct observe_cpu){ .since_ns = 900 * MS, .is_idle = 1, .idle_ns = MS };
	kernel.cpus[1] = (struct observe_cpu){ .since_ns = 900 * MS, .busy_ns = MS };
	kernel.sets[1] = (struct observe_set){
		.is_ready = 2, .waiting = 1, .since_ns = 900 * MS, .cpus = { 1 << 0 | 1 << 1 }
	};
	observer_begin(*state);
	now_ns = 1050 * MS;
	observer_restart_cpu(*state, 0);
	observer_restart_cpu(*state, 1);
	observer_restart_cpu(*state, OBSERVE_MAX_CPUS);
	end_at(*state, 1100 * MS, &seen);
	assert_int_equal(seen.cpus.items[0].idle_ns, 50 * MS);
	assert_int_equal(seen.cpus.items[0].wanted_ns, 50 * MS);
	assert_int_equal(seen.cpus.items[0].busy_ns, 0);
	assert_int_equal(seen.cpus.items[1].busy_ns, 50 * MS);
	assert_int_equal(seen.cpus.items[1].idle_ns, 0);
	assert_int_equal(seen.cpus.items[1].wanted_ns, 0);
	observed_finish(&seen);
}

/* Idle while somebody waits who may run there: of several who wait the longest counts. */
static void an_idle_cpu_is_wanted_by_those_who_may_run_there(void **state)
{
	const struct observe_set waited_for = { .is_ready = 2,
						.waiting = 1,
						.since_ns = 1060 * MS,
						.wanted_ns = 5 * MS,
						.cpus = { 1 << 0 | 1 << 2 } };
	const uint64_t open = 40 * MS - OBSERVE_GRACE_NS; /* from 1060 ms to 1100 ms */
	struct observed seen;

	kernel.cpus[0] = (struct observe_cpu){ .since_ns = 1050 * MS,
					       .is_idle = 1,
					       .wanted_at_idle = { [1] = 5 * MS } };
	kernel.cpus[1] = (struct observe_cpu){ .since_ns = 1050 * MS, .is_idle = 1 };
	observer_begin(*state);
	kernel.sets[1] = waited_for;
	kernel.sets[2] = waited_for;
	kernel.sets[2].is_ready = 0;
	kernel.sets[2].since_ns = 1 * MS;
	end_at(*state, 1100 * MS, &seen);
	assert_int_equal(seen.cpus.items[0].wanted_ns, open);
	assert_int_equal(seen.cpus.items[0].idle.ns, open);
	assert_int_equal(seen.cpus.items[0].idle.since_ns, 1100 * MS - open);
	assert_int_equal(seen.cpus.items[0].idle.cpu, 0);
	assert_int_equal(seen.cpus.items[0].idle.epoch, 1);
	assert_int_equal(seen.cpus.items[1].wanted_ns, 0);
	assert_int_equal(seen.cpus.items[1].idle.ns, 0);
	/* The one of which nothing was seen has been idle all the time. */
	assert_int_equal(seen.cpus.items[2].wanted_ns, open + 5 * MS);
	assert_int_equal(seen.cpus.items[2].idle.ns, open + 5 * MS);
	assert_int_equal(seen.cpus.items[2].idle.since_ns, 1100 * MS - open - 5 * MS);
	assert_int_equal(seen.sets.count, OBSERVE_SETS);
	assert_int_equal(seen.sets.items[1].wanted_ns, open + 5 * MS);
	assert_int_equal(seen.sets.items[0].wanted_ns, 0);
	observed_finish(&seen);

	/* A busy one is wanted by nobody, nor is one longer than it idles. */
	kernel.cpus[0].is_idle = 0;
	end_at(*state, 1100 * MS, &seen);
	assert_int_equal(seen.cpus.items[0].wanted_ns, 0);
	observed_finish(&seen);
	kernel.cpus[0].is_idle = 1;
	kernel.cpus[0].since_ns = 1090 * MS;
	end_at(*state, 1100 * MS, &seen);
	assert_int_equal(seen.cpus.items[0].wanted_ns, 10 * MS);
	observed_finish(&seen);

	/* Those who may run nowhere else want it, too. */
	kernel.cpus[0].since_ns = 1050 * MS;
	kernel.cpus[0].wanted_at_idle[1] = 50 * MS;
	kernel.cpus[0].pinned = (struct observe_set){ .waiting = 2, .since_ns = 1070 * MS };
	kernel.cpus[0].pinned_at_idle = 0;
	end_at(*state, 1100 * MS, &seen);
	assert_int_equal(seen.cpus.items[0].wanted_ns, 30 * MS - OBSERVE_GRACE_NS);
	observed_finish(&seen);

	/* Less than the grace is no wish; a longer stretch of this phase stays. */
	kernel.cpus[0].pinned.since_ns = 1100 * MS - OBSERVE_GRACE_NS;
	kernel.cpus[0].idle = (struct observe_wait){ .ns = 9 * MS, .since_ns = 1, .epoch = 1 };
	end_at(*state, 1100 * MS, &seen);
	assert_int_equal(seen.cpus.items[0].wanted_ns, 0);
	assert_int_equal(seen.cpus.items[0].idle.ns, 9 * MS);
	assert_int_equal(seen.cpus.items[0].idle.since_ns, 1);
	observed_finish(&seen);
}

/* The time that an idle vCPU needs until it has its turn does not count. */
static void a_vcpu_that_waits_for_its_turn_is_not_idle(void **state)
{
	const struct {
		uint32_t turn_us;
		uint64_t wanted_ns;
	} rows[] = {
		{ 0, 40 * MS }, { 1000, 39 * MS }, { 39999, 1000 }, { 40000, 0 }, { 50000, 0 },
	};
	struct observed seen;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		kernel.control->turn_us = rows[i].turn_us;
		kernel.cpus[0] = (struct observe_cpu){ .since_ns = 1000 * MS };
		now_ns = 1000 * MS;
		observer_begin(*state);
		kernel.cpus[0].is_idle = 1;
		kernel.cpus[0].since_ns = 1060 * MS;
		kernel.cpus[0].pinned = (struct observe_set){ .waiting = 1, .since_ns = 900 * MS };
		kernel.cpus[0].pinned_at_idle = 160 * MS - OBSERVE_GRACE_NS;
		end_at(*state, 1100 * MS, &seen);
		assert_int_equal(seen.cpus.items[0].wanted_ns, rows[i].wanted_ns);
		/* How long it was at a time does not change. */
		assert_int_equal(seen.cpus.items[0].idle.ns, 40 * MS);
		observed_finish(&seen);
	}

	/* What counted before the CPU came back is left out. */
	kernel.control->turn_us = 1000;
	now_ns = 1080 * MS;
	observer_restart_cpu(*state, 0);
	end_at(*state, 1100 * MS, &seen);
	assert_int_equal(seen.cpus.items[0].wanted_ns, 20 * MS);
	observed_finish(&seen);
}

/* Only vCPUs that share one thread wait for each other. */
static void turns_grow_with_the_cpus_that_take_them(void **state)
{
	static const struct {
		uint32_t cpus;
		bool takes_turns;
		uint32_t turn_us, idle_us;
	} rows[] = {
		{ 1, true, 250, 1000 },	  { 4, true, 1000, 1000 },  { 9, true, 2250, 2250 },
		{ 16, true, 4000, 4000 }, { 64, true, 4000, 4000 }, { 1, false, 0, 1000 },
		{ 64, false, 0, 1000 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct observe_control control = { .turn_us = 7, .idle_us = 7 };

		observe_set_turns(&control, rows[i].cpus, rows[i].takes_turns);
		assert_int_equal(control.turn_us, rows[i].turn_us);
		assert_int_equal(control.idle_us, rows[i].idle_us);
	}
}

static void sets_count_from_the_beginning_to_the_end(void **state)
{
	struct observe_set *last = &kernel.sets[OBSERVE_SETS - 1];
	struct observed seen;

	/* Waited for since 980 ms: 18 ms of it are counted before. */
	*last = (struct observe_set){ .is_ready = 2,
				      .waiting = 1,
				      .since_ns = 980 * MS,
				      .wanted_ns = 3 * MS,
				      .long_ns = 70 };
	observer_begin(*state);
	last->long_ns += 5;
	end_at(*state, 1100 * MS, &seen);
	assert_int_equal(seen.sets.items[OBSERVE_SETS - 1].wanted_ns, 100 * MS);
	assert_int_equal(seen.sets.items[OBSERVE_SETS - 1].long_ns, 5);
	observed_finish(&seen);
	last->waiting = 0;
	last->wanted_ns = 41 * MS;
	end_at(*state, 1100 * MS, &seen);
	assert_int_equal(seen.sets.items[OBSERVE_SETS - 1].wanted_ns, 20 * MS);
	observed_finish(&seen);
}

/* ---- limits ---- */

#define LAST_CPU (OBSERVE_MAX_CPUS - 1)
#define LAST_SET (OBSERVE_SETS - 1)
#define OPEN_NS (100 * MS - OBSERVE_GRACE_NS) /* from 1000 ms to 1100 ms, without the grace */

static void begin_at_1000_ms(struct observer *o)
{
	now_ns = 1000 * MS;
	observer_begin(o);
}

static const struct observe_set awaited = {
	.is_ready = 2, .waiting = 1, .since_ns = 1000 * MS, .cpus = { 7 }
};

static void a_busy_cpu_that_was_idle_is_not_wanted(void **state)
{
	struct observed seen;

	begin_at_1000_ms(*state);
	kernel.sets[0] = awaited;
	kernel.cpus[0] = (struct observe_cpu){ .since_ns = 1050 * MS, .idle_ns = 50 * MS };
	end_at(*state, 1100 * MS, &seen);
	assert_int_equal(seen.cpus.items[0].idle_ns, 50 * MS);
	assert_int_equal(seen.cpus.items[0].wanted_ns, 0);
	assert_int_equal(seen.cpus.items[0].idle.ns, 0);
	observed_finish(&seen);
}

/* The first and the last set matter for a CPU with events, and for one without. */
static void each_set_may_want_an_idle_cpu(void **state)
{
	static const size_t sets[] = { 0, 1, LAST_SET };
	struct observed seen;

	kernel.cpus[0] = (struct observe_cpu){ .since_ns = 1000 * MS, .is_idle = 1 };
	begin_at_1000_ms(*state);
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++) {
		kernel.sets[sets[i]] = awaited;
		end_at(*state, 1100 * MS, &seen);
		assert_int_equal(seen.cpus.items[0].wanted_ns, OPEN_NS);
		assert_int_equal(seen.cpus.items[1].wanted_ns, OPEN_NS);
		observed_finish(&seen);
		kernel.sets[sets[i]] = (struct observe_set){};
	}
}

/* Of several sets the one that was waited for longest counts, at most the time of the phase. */
static void a_silent_cpu_is_wanted_by_the_set_that_waited_longest(void **state)
{
	struct observed seen;

	begin_at_1000_ms(*state);
	for (size_t i = 0; i < 3; i++) {
		kernel.sets[i] = awaited;
		kernel.sets[i].since_ns += (i == 1 ? 20 : 40) * MS;
	}
	end_at(*state, 1100 * MS, &seen);
	assert_int_equal(seen.cpus.items[2].wanted_ns, 80 * MS - OBSERVE_GRACE_NS);
	assert_int_equal(seen.cpus.items[2].idle.ns, 80 * MS - OBSERVE_GRACE_NS);
	assert_int_equal(seen.cpus.items[2].idle.since_ns, 1020 * MS + OBSERVE_GRACE_NS);
	assert_int_equal(seen.cpus.items[2].idle.cpu, 2);
	assert_int_equal(seen.cpus.items[2].idle.epoch, 1);
	observed_finish(&seen);
	/* A sum that grew by more than that, because of other clocks. */
	kernel.sets[1].wanted_ns = 500 * MS;
	end_at(*state, 1100 * MS, &seen);
	assert_int_equal(seen.cpus.items[2].wanted_ns, 100 * MS);
	assert_int_equal(seen.cpus.items[2].idle.since_ns, 1000 * MS);
	observed_finish(&seen);
}

/* A finished time as long as the one that goes on came first and stays. */
static void of_equal_times_of_a_cpu_the_first_stays(void **state)
{
	struct observe_cpu *c = &kernel.cpus[0];

	*c = (struct observe_cpu){ .since_ns = 1000 * MS, .is_idle = 1 };
	begin_at_1000_ms(*state);
	kernel.sets[0] = awaited;
	for (uint64_t less = 0; less < 2; less++) {
		struct observed seen;

		c->idle = (struct observe_wait){ .ns = OPEN_NS - less, .since_ns = 1, .epoch = 1 };
		c->unpicked =
			(struct observe_wait){ .ns = 100 * MS - less, .since_ns = 2, .epoch = 1 };
		end_at(*state, 1100 * MS, &seen);
		assert_int_equal(seen.cpus.items[0].idle.ns, OPEN_NS);
		assert_int_equal(seen.cpus.items[0].idle.since_ns,
				 less ? 1000 * MS + OBSERVE_GRACE_NS : 1);
		assert_int_equal(seen.cpus.items[0].unpicked.ns, 100 * MS);
		assert_int_equal(seen.cpus.items[0].unpicked.since_ns, less ? 1000 * MS : 2);
		assert_int_equal(seen.cpus.items[0].unpicked.epoch, 1);
		observed_finish(&seen);
	}
}

static void all_configured_cpus_are_read(void **state)
{
	static const struct {
		long configured;
		size_t count;
	} rows[] = {
		{ 1, 1 },
		{ LAST_CPU, LAST_CPU },
		{ OBSERVE_MAX_CPUS, OBSERVE_MAX_CPUS },
		{ OBSERVE_MAX_CPUS + 1, OBSERVE_MAX_CPUS },
		/* It is not known. */
		{ 0, OBSERVE_MAX_CPUS },
		{ -1, OBSERVE_MAX_CPUS },
	};
	struct observed seen;

	begin_at_1000_ms(*state);
	kernel.cpus[LAST_CPU] = (struct observe_cpu){ .since_ns = 1000 * MS };
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		configured_cpus = rows[i].configured;
		end_at(*state, 1100 * MS, &seen);
		assert_int_equal(seen.cpus.count, rows[i].count);
		assert_int_equal(seen.cpus.items[rows[i].count - 1].busy_ns,
				 rows[i].count == OBSERVE_MAX_CPUS ? 100 * MS : 0);
		observed_finish(&seen);
	}
}

/* The first and the last CPU; one without events stays without, and others do not exist. */
static void each_cpu_may_be_restarted(void **state)
{
	static const unsigned int cpus[] = { 0, LAST_CPU };
	struct observed seen;

	configured_cpus = OBSERVE_MAX_CPUS;
	for (size_t i = 0; i < ARRAY_SIZE(cpus); i++)
		kernel.cpus[cpus[i]] =
			(struct observe_cpu){ .since_ns = 900 * MS, .busy_ns = 5 * MS };
	begin_at_1000_ms(*state);
	for (size_t i = 0; i < ARRAY_SIZE(cpus); i++) {
		struct observe_cpu *c = &kernel.cpus[cpus[i]];

		c->busy_ns += 120 * MS;
		c->since_ns = 1020 * MS;
		c->picks += 3;
	}
	now_ns = 1060 * MS;
	for (size_t i = 0; i < ARRAY_SIZE(cpus); i++)
		observer_restart_cpu(*state, cpus[i]);
	observer_restart_cpu(*state, 1);
	observer_restart_cpu(*state, OBSERVE_MAX_CPUS);
	observer_restart_cpu(*state, UINT32_MAX);
	kernel.cpus[1] = (struct observe_cpu){ .since_ns = 1070 * MS, .busy_ns = 70 * MS };
	end_at(*state, 1100 * MS, &seen);
	for (size_t i = 0; i < ARRAY_SIZE(cpus); i++) {
		assert_int_equal(seen.cpus.items[cpus[i]].busy_ns, 40 * MS);
		assert_int_equal(seen.cpus.items[cpus[i]].picks, 0);
	}
	assert_int_equal(seen.cpus.items[1].busy_ns, 100 * MS);
	assert_int_equal(seen.cpus.items[2].idle_ns, 100 * MS);
	observed_finish(&seen);
}

/* A task waited from 1010 ms to 1070 ms, and the CPU was restarted at 1060 ms. */
static void what_a_cpu_was_wanted_before_it_is_restarted_does_not_count(void **state)
{
	struct observed seen;

	kernel.cpus[0] = (struct observe_cpu){ .since_ns = 1000 * MS, .is_idle = 1 };
	begin_at_1000_ms(*state);
	kernel.sets[0] = awaited;
	kernel.sets[0].since_ns = 1010 * MS;
	now_ns = 1060 * MS;
	observer_restart_cpu(*state, 0);
	kernel.sets[0].waiting = 0;
	kernel.sets[0].wanted_ns = 60 * MS - OBSERVE_GRACE_NS;
	end_at(*state, 1100 * MS, &seen);
	assert_int_equal(seen.cpus.items[0].idle_ns, 40 * MS);
	assert_int_equal(seen.cpus.items[0].wanted_ns, 10 * MS);
	observed_finish(&seen);
}

/* Both of them belong to the epoch in which the worst one was. */
static void the_worst_of_forgotten_tasks_belong_to_their_epoch(void **state)
{
	struct observe_task *f = &kernel.control->forgotten;
	struct observed seen;

	f->hasty = 5;
	begin_at_1000_ms(*state);
	f->hasty = 8;
	f->worst = (struct observe_wait){ .ns = 7, .epoch = 1 };
	f->late = (struct observe_wait){ .ns = 9, .epoch = 1 };
	end_at(*state, 1100 * MS, &seen);
	assert_int_equal(seen.forgotten.hasty, 3);
	assert_int_equal(seen.forgotten.worst.ns, 7);
	assert_int_equal(seen.forgotten.late.ns, 9);
	observed_finish(&seen);
	f->worst.epoch = 2;
	end_at(*state, 1100 * MS, &seen);
	assert_int_equal(seen.forgotten.worst.ns, 0);
	assert_int_equal(seen.forgotten.late.ns, 0);
	observed_finish(&seen);
}

static void finished_observations_are_empty(void **state)
{
	struct observed seen;

	begin_at_1000_ms(*state);
	end_at(*state, 1100 * MS, &seen);
	observed_finish(&seen);
	assert_false(seen.is_known);
	assert_null(seen.cpus.items);
	assert_int_equal(seen.cpus.count, 0);
	assert_int_equal(seen.sets.count, 0);
	assert_int_equal(observed_ns(&seen), 0);
}

/* Room that a list has in reserve does not belong to it. */
static void load_is_of_the_tasks_of_the_list(void **state)
{
	struct observe_task tasks[] = { { .run_ns = 100 }, { .run_ns = 200 } };
	struct observe_cpu cpus[1] = {};
	struct observed seen = { .start_ns = 1000, .end_ns = 1100 };

	(void)state;
	seen.tasks.items = tasks;
	seen.tasks.count = 1;
	seen.cpus.items = cpus;
	seen.cpus.count = 1;
	assert_true(observed_load(&seen) == 1);
}

static void load_is_tasks_per_cpu(void **state)
{
	struct observe_task tasks[] = { { .run_ns = 100, .wait_ns = 50 }, { .wait_ns = 150 } };
	struct observe_cpu cpus[3] = {};
	struct observed seen = { .start_ns = 1000, .end_ns = 1100 };

	(void)state;
	seen.tasks.items = tasks;
	seen.tasks.count = 2;
	assert_true(observed_load(&seen) == 0);
	seen.cpus.items = cpus;
	seen.cpus.count = 3;
	assert_true(fabs(observed_load(&seen) - 1) < 1e-12);
	seen.end_ns = 1000;
	assert_true(observed_load(&seen) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		OBSERVED(cpus_are_busy_idle_or_silent),
		OBSERVED(the_longest_time_without_a_pick_is_of_the_phase),
		OBSERVED(what_a_cpu_did_before_it_came_back_does_not_count),
		OBSERVED(an_idle_cpu_is_wanted_by_those_who_may_run_there),
		OBSERVED(a_vcpu_that_waits_for_its_turn_is_not_idle),
		cmocka_unit_test(turns_grow_with_the_cpus_that_take_them),
		OBSERVED(sets_count_from_the_beginning_to_the_end),
		OBSERVED(a_busy_cpu_that_was_idle_is_not_wanted),
		OBSERVED(each_set_may_want_an_idle_cpu),
		OBSERVED(a_silent_cpu_is_wanted_by_the_set_that_waited_longest),
		OBSERVED(of_equal_times_of_a_cpu_the_first_stays),
		OBSERVED(all_configured_cpus_are_read),
		OBSERVED(each_cpu_may_be_restarted),
		OBSERVED(what_a_cpu_was_wanted_before_it_is_restarted_does_not_count),
		OBSERVED(the_worst_of_forgotten_tasks_belong_to_their_epoch),
		OBSERVED(finished_observations_are_empty),
		OBSERVED(load_is_of_the_tasks_of_the_list),
		OBSERVED(load_is_tasks_per_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
