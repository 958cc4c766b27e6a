// SPDX-License-Identifier: GPL-2.0-only
/* Readings of the observer at limits: first and last slots, CPUs and sets, and equal times. */
#include "observer_fixture.h"

#define LAST_CPU (OBSERVE_MAX_CPUS - 1)
#define LAST_SET (OBSERVE_SETS - 1)
#define START (1000 * MS)
#define END (1100 * MS)

static struct observe_task reading_of(struct observer *o, pid_t pid)
{
	const struct observe_task *t;
	struct observe_task copy;
	struct observed seen;

	end_at(o, END, &seen);
	t = observed_task(&seen, pid);
	assert_non_null(t);
	copy = *t;
	observed_finish(&seen);
	return copy;
}

static void begin_at(struct observer *o, uint64_t ns)
{
	now_ns = ns;
	observer_begin(o);
}

/* ---- tasks ---- */

static void every_count_is_that_of_the_phase(void **state)
{
	struct observe_task *t = put(77, 0,
				     (struct observe_task){ .state = OBSERVE_BLOCKED,
							    .rt_wait_ns = 100,
							    .all_rt_wait_ns = 200,
							    .idle_waits = 300,
							    .idle_wait_ns = 400,
							    .handed_on = 500,
							    .hasty = 600,
							    .comm = "name" }),
			    got;

	t->wake_histogram[OBSERVE_BUCKETS - 1] = 700;
	begin_at(*state, START);
	t->wakeups++;
	t->rt_wait_ns += 1;
	t->all_rt_wait_ns += 2;
	t->idle_waits += 3;
	t->idle_wait_ns += 4;
	t->handed_on += 5;
	t->hasty += 6;
	t->wake_histogram[OBSERVE_BUCKETS - 1] += 7;
	got = reading_of(*state, 77);
	assert_int_equal(got.rt_wait_ns, 1);
	assert_int_equal(got.all_rt_wait_ns, 2);
	assert_int_equal(got.idle_waits, 3);
	assert_int_equal(got.idle_wait_ns, 4);
	assert_int_equal(got.handed_on, 5);
	assert_int_equal(got.hasty, 6);
	assert_int_equal(got.wake_histogram[OBSERVE_BUCKETS - 1], 7);
	assert_string_equal(got.comm, "name"); /* what follows the histograms */
}

/* Both ends of the table are read at the beginning and at the end of the phase. */
static void the_first_and_the_last_slot_are_read(void **state)
{
	static const uint32_t pids[] = { OBSERVE_TASKS, OBSERVE_TASKS - 1 };

	for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
		put(pids[i], 0, (struct observe_task){ .state = OBSERVE_BLOCKED, .run_ns = 5 });
	begin_at(*state, START);
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
		kernel.tasks[OBSERVE_SLOT(pids[i], 0)].run_ns += 7;
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
		assert_int_equal(reading_of(*state, (pid_t)pids[i]).run_ns, 7);
}

static void a_task_in_the_first_or_last_slot_may_run_beside_a_wait(void **state)
{
	static const uint32_t pids[] = { OBSERVE_TASKS, OBSERVE_TASKS - 1 };

	put(77, 0,
	    (struct observe_task){ .state = OBSERVE_WAITING, .since_ns = 1040 * MS, .cpu = 2 });
	begin_at(*state, START);
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++) {
		struct observe_task *t = put(
			pids[i], 0, (struct observe_task){ .state = OBSERVE_RUNNING, .cpu = 2 });

		assert_int_equal(reading_of(*state, 77).worst.by, pids[i]);
		t->state = OBSERVE_FREE;
	}
}

/* A pid is in one of the slots of its probes, and nowhere else. */
static void marks_are_set_in_the_probed_slots(void **state)
{
	struct observe_task *t;

	for (uint32_t i = 0; i <= OBSERVE_PROBES; i++) {
		t = put(77, i, (struct observe_task){ .state = OBSERVE_BLOCKED });
		observer_mark(*state, 77, OBSERVE_KEEP);
		assert_int_equal(t->mark, i < OBSERVE_PROBES ? OBSERVE_KEEP : 0);
		t->state = OBSERVE_FREE;
	}
}

/* ---- waits that are still open ---- */

struct open_wait {
	int cpu;
	uint32_t set;
	uint64_t rt_ms, all_rt_ms;
};

/* Higher classes have the first and the last CPU and set since 1080 and 1090 ms. */
static void sums_of_higher_classes_are_those_of_the_cpu_and_the_set(void **state)
{
	static const struct open_wait rows[] = {
		{ 0, 1, 20, 10 },
		{ 0, OBSERVE_SETS, 20, 10 },
		{ LAST_CPU, OBSERVE_SETS, 20, 10 },
		{ LAST_CPU, OBSERVE_SETS + 1, 20, 20 },
		{ 0, OBSERVE_SETS + OBSERVE_MAX_CPUS, 20, 20 },
		{ 0, OBSERVE_SETS + OBSERVE_MAX_CPUS + 1, 20, 0 },
		{ 0, 0, 20, 0 },
		{ 1, 2, 0, 0 },
		{ -1, 1, 0, 0 },
		{ OBSERVE_MAX_CPUS, 1, 0, 0 },
	};
	const struct observe_set on_cpu = { .rt_since_ns = 1080 * MS },
				 on_set = { .rt_since_ns = 1090 * MS };

	kernel.cpus[0].pinned = kernel.cpus[LAST_CPU].pinned = on_cpu;
	kernel.sets[0] = kernel.sets[LAST_SET] = on_set;
	begin_at(*state, START);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct observe_task got;

		put(77, 0,
		    (struct observe_task){ .state = OBSERVE_WAITING,
					   .since_ns = 1040 * MS,
					   .cpu = rows[i].cpu,
					   .set = rows[i].set });
		got = reading_of(*state, 77);
		assert_int_equal(got.worst.ns, 60 * MS);
		assert_int_equal(got.worst.rt_ns, rows[i].rt_ms * MS);
		assert_int_equal(got.worst.all_rt_ns, rows[i].all_rt_ms * MS);
	}
}

/* A remembered run of CPU 0, and of the last CPU; other numbers are not those of a CPU. */
static void runs_are_remembered_for_each_cpu(void **state)
{
	static const struct {
		int cpu, by;
	} rows[] = {
		{ 0, 8 }, { LAST_CPU, 9 }, { 1, 0 }, { -1, 0 }, { OBSERVE_MAX_CPUS, 0 },
	};

	kernel.cpus[0].ran[0] = (struct observe_run){ 1040 * MS, 1095 * MS, 8, 0, "first" };
	kernel.cpus[LAST_CPU].ran[OBSERVE_STRETCHES - 1] =
		(struct observe_run){ 1040 * MS, 1095 * MS, 9, 0, "last" };
	begin_at(*state, START);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		put(77, 0,
		    (struct observe_task){
			    .state = OBSERVE_WAITING, .since_ns = 1040 * MS, .cpu = rows[i].cpu });
		assert_int_equal(reading_of(*state, 77).worst.by, rows[i].by);
	}
}

/* Times in which one task ran, in ns; of equal times the run that goes on, or the first, counts. */
static void of_equal_runs_the_first_is_named(void **state)
{
	static const struct {
		uint64_t open_ns, ran_ns[2];
		int by;
	} rows[] = {
		{ 10, { 10, 0 }, 5 }, { 10, { 11, 0 }, 8 }, { 0, { 10, 10 }, 8 },
		{ 0, { 10, 11 }, 9 }, { 0, { 1, 0 }, 8 },   { 0, { 0, 0 }, 0 },
	};

	begin_at(*state, START);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct observe_cpu *c = &kernel.cpus[2];

		put(77, 0,
		    (struct observe_task){
			    .state = OBSERVE_WAITING, .since_ns = 1040 * MS, .cpu = 2 });
		put(5, 0,
		    (struct observe_task){ .state = rows[i].open_ns ? OBSERVE_RUNNING :
								      OBSERVE_BLOCKED,
					   .cpu = 2 });
		*c = (struct observe_cpu){ .since_ns = END - rows[i].open_ns };
		for (int run = 0; run < 2; run++)
			c->ran[run] = (struct observe_run){ 1050 * MS,
							    1050 * MS + rows[i].ran_ns[run],
							    8 + run, 0, "" };
		assert_int_equal(reading_of(*state, 77).worst.by, rows[i].by);
	}
}

/* What ran before the wait began is not counted, of a run that goes on neither. */
static void a_run_counts_from_the_beginning_of_the_wait(void **state)
{
	put(77, 0,
	    (struct observe_task){ .state = OBSERVE_WAITING, .since_ns = 1080 * MS, .cpu = 2 });
	put(5, 0, (struct observe_task){ .state = OBSERVE_RUNNING, .cpu = 2 });
	begin_at(*state, START);
	for (uint64_t more = 0; more < 2; more++) {
		kernel.cpus[2] = (struct observe_cpu){ .since_ns = 1010 * MS };
		kernel.cpus[2].ran[0] =
			(struct observe_run){ 1080 * MS, END + more * MS, 8, 0, "" };
		now_ns = START;
		assert_int_equal(reading_of(*state, 77).worst.by, 5);
	}
	/* Only the part that the wait saw of the other one is less. */
	kernel.cpus[2].since_ns = 1091 * MS;
	kernel.cpus[2].ran[0] = (struct observe_run){ 1080 * MS, 1090 * MS, 8, 0, "" };
	assert_int_equal(reading_of(*state, 77).worst.by, 8);
}

/* From OBSERVE_LONG_NS on; the CPU was taken by a higher class during the whole wait. */
static void higher_classes_matter_for_long_waits_only(void **state)
{
	kernel.cpus[2].pinned.rt_since_ns = 1010 * MS;
	begin_at(*state, START);
	for (uint64_t less = 0; less < 2; less++) {
		uint64_t ns = OBSERVE_LONG_NS - less;
		struct observe_task got;

		put(77, 0,
		    (struct observe_task){
			    .state = OBSERVE_WAITING, .since_ns = END - ns, .cpu = 2 });
		got = reading_of(*state, 77);
		assert_int_equal(got.worst.ns, ns);
		assert_int_equal(got.worst.rt_ns, less ? 0 : ns);
		assert_int_equal(got.rt_wait_ns, less ? 0 : ns);
	}
}

/* A wait that was as long has come first and stays. */
static void of_equal_waits_the_first_stays(void **state)
{
	struct observe_task *t = put(
		77, 0,
		(struct observe_task){ .state = OBSERVE_WAITING, .since_ns = 1040 * MS, .cpu = 2 });
	struct observe_task got;

	begin_at(*state, START);
	for (uint64_t less = 0; less < 2; less++) {
		t->worst = (struct observe_wait){ .ns = 60 * MS - less, .by = 3, .epoch = 1 };
		t->late = (struct observe_wait){
			.ns = 80 * MS - less, .rt_ns = 20 * MS, .by = 4, .epoch = 1
		};
		got = reading_of(*state, 77);
		assert_int_equal(got.worst.by, less ? 0 : 3);
		assert_int_equal(got.late.by, less ? 0 : 4);
		assert_int_equal(got.late.ns, less ? 60 * MS : 80 * MS);
	}
	/* Those of other epochs are forgotten. */
	t->worst = t->late = (struct observe_wait){ .ns = 90 * MS, .by = 3, .epoch = 2 };
	t->state = OBSERVE_RUNNING;
	t->since_ns = 1050 * MS;
	got = reading_of(*state, 77);
	assert_int_equal(got.worst.ns, 0);
	assert_int_equal(got.worst.cpu, -1);
	assert_int_equal(got.worst.epoch, 1);
	assert_int_equal(got.late.ns, 0);
	assert_int_equal(got.late.cpu, -1);
	assert_int_equal(got.late.epoch, 1);
}

/* A wait that began just now has lasted 0 ns: it adds nothing and replaces nothing. */
static void a_wait_that_began_just_now_is_none(void **state)
{
	struct observe_task got;

	put(77, 0,
	    (struct observe_task){
		    .state = OBSERVE_WAITING, .since_ns = END, .was_woken = 1, .wakeups = 1 });
	begin_at(*state, START);
	kernel.tasks[OBSERVE_SLOT(77, 0)].wakeups++;
	got = reading_of(*state, 77);
	assert_int_equal(got.wait_ns, 0);
	assert_int_equal(got.worst.ns, 0);
	assert_int_equal(got.worst.cpu, -1);
}

/* ---- CPUs that idle beside a wait ---- */

static void put_waiting(uint32_t set)
{
	put(77, 0,
	    (struct observe_task){ .state = OBSERVE_WAITING,
				   .since_ns = 1020 * MS,
				   .set_since_ns = 1020 * MS,
				   .set = set });
}

static void idle_since(int cpu, uint64_t ns)
{
	kernel.cpus[cpu] = (struct observe_cpu){ .since_ns = ns, .is_idle = 1 };
}

static void of_cpus_that_idled_as_long_the_first_is_named(void **state)
{
	struct observe_task got;

	kernel.sets[0] = (struct observe_set){ .is_ready = 2, .cpus = { 7 } };
	put_waiting(1);
	begin_at(*state, START);
	idle_since(0, 1060 * MS);
	idle_since(1, 1050 * MS);
	idle_since(2, 1050 * MS);
	got = reading_of(*state, 77);
	assert_int_equal(got.idle.cpu, 1);
	assert_int_equal(got.idle.ns, 50 * MS);
	/* As long as one that was finished. */
	for (uint64_t less = 0; less < 2; less++) {
		kernel.tasks[OBSERVE_SLOT(77, 0)].idle =
			(struct observe_idle_wait){ .ns = 50 * MS - less, .cpu = 2, .epoch = 1 };
		got = reading_of(*state, 77);
		assert_int_equal(got.idle.cpu, less ? 1 : 2);
		assert_int_equal(got.idle_waits, 1);
	}
}

/* Of a set all CPUs in all of its words count; of a pinned task only its own. */
static void each_cpu_of_a_set_may_be_the_idle_one(void **state)
{
	static const int cpus[] = { 0, 1, 63, 64, 70, LAST_CPU };
	static const uint32_t sets[] = { 1, OBSERVE_SETS };

	begin_at(*state, START);
	for (size_t i = 0; i < ARRAY_SIZE(cpus); i++) {
		idle_since(cpus[i], 1050 * MS);
		for (size_t k = 0; k < ARRAY_SIZE(sets); k++) {
			struct observe_set *s = &kernel.sets[sets[k] - 1];

			*s = (struct observe_set){ .is_ready = 2 };
			s->cpus[cpus[i] / 64] = UINT64_C(1) << cpus[i] % 64;
			put_waiting(sets[k]);
			assert_int_equal(reading_of(*state, 77).idle.cpu, cpus[i]);
			/* Another CPU than those of the set. */
			s->cpus[cpus[i] / 64] = ~(UINT64_C(1) << cpus[i] % 64);
			assert_int_equal(reading_of(*state, 77).idle.cpu, -1);
			/* A set that is being filled has no CPUs yet. */
			s->cpus[cpus[i] / 64] = UINT64_MAX;
			s->is_ready = 0;
			assert_int_equal(reading_of(*state, 77).idle.cpu, -1);
		}
		put_waiting(OBSERVE_SETS + 1 + (uint32_t)cpus[i]);
		assert_int_equal(reading_of(*state, 77).idle.cpu, cpus[i]);
		put_waiting(OBSERVE_SETS + 1 + (uint32_t)cpus[i] + (cpus[i] == 1 ? -1U : 1U));
		assert_int_equal(reading_of(*state, 77).idle.cpu, -1);
		put_waiting(0);
		assert_int_equal(reading_of(*state, 77).idle.cpu, -1);
		kernel.cpus[cpus[i]] = (struct observe_cpu){};
	}
}

/* ---- names ---- */

int __wrap_file_read_at(int dir, const char *path, struct str *out);

static const char *current_name; /* NULL = the task is gone */

int __wrap_file_read_at(int dir, const char *path, struct str *out)
{
	assert_int_equal(dir, AT_FDCWD);
	assert_string_equal(path, "/proc/77/comm");
	if (!current_name)
		return -ENOENT;
	str_add(out, current_name);
	return str_check(out);
}

static void a_name_is_one_line_of_at_most_15_bytes(void **state)
{
	static const struct {
		const char *text, *name;
	} rows[] = {
		{ "new\n", "new" },
		{ "new\nline\n", "new" },
		{ "no end", "no end" },
		{ "123456789012345\n", "123456789012345" },
		{ "1234567890123456\n", "123456789012345" },
		{ "\n", "" },
		{ NULL, "the former name" },
	};

	begin_at(*state, START);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct observe_task got;

		put(77, 0,
		    (struct observe_task){ .state = OBSERVE_WAITING,
					   .since_ns = 1040 * MS,
					   .comm = "the former name" });
		current_name = rows[i].text;
		got = reading_of(*state, 77);
		assert_string_equal(got.comm, rows[i].name);
		for (size_t k = strlen(rows[i].name); k < sizeof(got.comm); k++)
			assert_int_equal(got.comm[k], 0);
	}
}

/* ---- opening ---- */

void *__wrap_calloc(size_t count, size_t size);
void *__real_calloc(size_t count, size_t size);

static int fail_alloc_at, allocations;

void *__wrap_calloc(size_t count, size_t size)
{
	allocations++;
	return allocations == fail_alloc_at ? NULL : __real_calloc(count, size);
}

/* One for itself, three for the tables of a reading. */
#define ALLOCATIONS 4

static void an_observer_needs_all_of_its_memory(void **state)
{
	for (fail_alloc_at = 1; fail_alloc_at <= ALLOCATIONS; fail_alloc_at++) {
		struct observer *o = NULL;

		allocations = 0;
		assert_int_equal(observer_open(&o, "/pins"), -ENOMEM);
		assert_null(o);
		assert_int_equal(count_mapped(), ARRAY_SIZE(maps)); /* those of the fixture */
	}
	fail_alloc_at = 0;
	(void)state;
}

static void maps_are_unmapped_if_one_of_them_is_not_available(void **state)
{
	struct observer *o = NULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(maps); i++) {
		lacking = maps[i].name;
		assert_int_equal(observer_open(&o, "/pins"), -ENOENT);
		assert_int_equal(count_mapped(), ARRAY_SIZE(maps));
	}
	lacking = NULL;
	for (int i = 1; i <= (int)ARRAY_SIZE(maps); i++) {
		fail_map_at = (int)ARRAY_SIZE(maps) + i;
		assert_int_equal(observer_open(&o, "/pins"), -EPERM);
		assert_non_null(strstr(err_text(-EPERM), "map /pins/"));
		assert_non_null(strstr(err_text(-EPERM), maps[i - 1].name));
		assert_int_equal(count_mapped(), ARRAY_SIZE(maps));
	}
	fail_map_at = 0;
	assert_null(o);
	assert_int_equal(observer_open(&o, "/pins"), 0);
	assert_int_equal(count_mapped(), 2 * ARRAY_SIZE(maps));
	observer_close(o);
	assert_int_equal(count_mapped(), ARRAY_SIZE(maps));
}

/* A process without standard input gets it for a map. */
static void descriptor_0_is_a_map_like_others(void **state)
{
	int kept = fcntl(0, F_DUPFD_CLOEXEC, 100), rc;
	struct observer *o = NULL;

	(void)state;
	close(0);
	rc = observer_open(&o, "/pins");
	assert_int_equal(fcntl(0, F_GETFD), -1);
	if (kept >= 0) {
		assert_int_equal(dup2(kept, 0), 0);
		close(kept);
	}
	assert_int_equal(rc, 0);
	assert_int_equal(count_mapped(), 2 * ARRAY_SIZE(maps));
	observer_close(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		OBSERVED(every_count_is_that_of_the_phase),
		OBSERVED(the_first_and_the_last_slot_are_read),
		OBSERVED(a_task_in_the_first_or_last_slot_may_run_beside_a_wait),
		OBSERVED(marks_are_set_in_the_probed_slots),
		OBSERVED(sums_of_higher_classes_are_those_of_the_cpu_and_the_set),
		OBSERVED(runs_are_remembered_for_each_cpu),
		OBSERVED(of_equal_runs_the_first_is_named),
		OBSERVED(a_run_counts_from_the_beginning_of_the_wait),
		OBSERVED(higher_classes_matter_for_long_waits_only),
		OBSERVED(of_equal_waits_the_first_stays),
		OBSERVED(a_wait_that_began_just_now_is_none),
		OBSERVED(of_cpus_that_idled_as_long_the_first_is_named),
		OBSERVED(each_cpu_of_a_set_may_be_the_idle_one),
		OBSERVED(a_name_is_one_line_of_at_most_15_bytes),
		OBSERVED(an_observer_needs_all_of_its_memory),
		OBSERVED(maps_are_unmapped_if_one_of_them_is_not_available),
		OBSERVED(descriptor_0_is_a_map_like_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
