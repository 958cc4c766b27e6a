// SPDX-License-Identifier: GPL-2.0-only
/* Readings of the observer: maps that a test fills as the BPF programs would, time that it sets. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/bpf_call.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "observe/observer.h"

#define MS NSEC_PER_MSEC
#define CPUS 3

/* What the kernel would hold: the maps as they are mapped here. */
static struct {
	struct observe_task *tasks;
	struct observe_cpu *cpus;
	struct observe_set *sets;
	struct observe_control *control;
} kernel;

static struct {
	const char *name;
	void **at;
	size_t size;
	int fd;
} maps[] = {
	{ "tasks", (void **)&kernel.tasks, OBSERVE_TASKS * sizeof(*kernel.tasks), -1 },
	{ "cpus", (void **)&kernel.cpus, OBSERVE_MAX_CPUS * sizeof(*kernel.cpus), -1 },
	{ "sets", (void **)&kernel.sets, OBSERVE_SETS * sizeof(*kernel.sets), -1 },
	{ "control", (void **)&kernel.control, sizeof(*kernel.control), -1 },
};

static uint64_t now_ns;
static const char *lacking; /* what is not pinned, or NULL */

uint64_t __wrap_clock_mono_ns(void);
int __wrap_bpf_open_pinned(const char *path);
int __wrap_bpf_call(enum bpf_cmd command, union bpf_attr *attr);
long __wrap_sysconf(int name);
long __real_sysconf(int name);

uint64_t __wrap_clock_mono_ns(void)
{
	return now_ns;
}

long __wrap_sysconf(int name)
{
	return name == _SC_NPROCESSORS_CONF ? CPUS : __real_sysconf(name);
}

int __wrap_bpf_open_pinned(const char *path)
{
	const char *name = strrchr(path, '/') + 1;

	assert_true(str_starts(path, "/pins/"));
	if (lacking && strcmp(name, lacking) == 0)
		return -ENOENT;
	for (size_t i = 0; i < ARRAY_SIZE(maps); i++)
		if (strcmp(name, maps[i].name) == 0)
			return dup(maps[i].fd);
	return memfd_create(name, MFD_CLOEXEC); /* a program */
}

static int attached;

int __wrap_bpf_call(enum bpf_cmd command, union bpf_attr *attr)
{
	char link[64], name[64] = "";

	assert_int_equal(command, BPF_RAW_TRACEPOINT_OPEN);
	snprintf(link, sizeof(link), "/proc/self/fd/%u", attr->raw_tracepoint.prog_fd);
	assert_true(readlink(link, name, sizeof(name) - 1) > 0);
	assert_true(str_starts(name, "/memfd:observe_"));
	attached++;
	return memfd_create("link", MFD_CLOEXEC);
}

static int start(void **state)
{
	struct observer *o = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(maps); i++) {
		maps[i].fd = memfd_create(maps[i].name, MFD_CLOEXEC);
		assert_int_equal(ftruncate(maps[i].fd, (off_t)maps[i].size), 0);
		*maps[i].at =
			mmap(NULL, maps[i].size, PROT_READ | PROT_WRITE, MAP_SHARED, maps[i].fd, 0);
		assert_ptr_not_equal(*maps[i].at, MAP_FAILED);
	}
	now_ns = 1000 * MS;
	lacking = NULL;
	assert_int_equal(observer_open(&o, "/pins"), 0);
	*state = o;
	return 0;
}

static int stop(void **state)
{
	observer_close(*state);
	for (size_t i = 0; i < ARRAY_SIZE(maps); i++) {
		munmap(*maps[i].at, maps[i].size);
		close(maps[i].fd);
	}
	return 0;
}

static struct observe_task *put(uint32_t pid, uint32_t probe, struct observe_task t)
{
	struct observe_task *slot = &kernel.tasks[OBSERVE_SLOT(pid, probe)];

	t.pid = pid;
	t.first_ns = t.first_ns ? t.first_ns : 1;
	*slot = t;
	return slot;
}

static void end_at(struct observer *o, uint64_t ns, struct observed *seen)
{
	now_ns = ns;
	assert_int_equal(observer_end(o, seen), 0);
	assert_true(seen->is_known);
	assert_int_equal(seen->end_ns, ns);
}

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
							    .wait_histogram = { 1, 2 },
							    .wake_histogram = { 3, 4 } });
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
	t->wait_histogram[1] += 7;
	t->wait_histogram[OBSERVE_BUCKETS - 1] += 8;
	t->wake_histogram[0] += 9;
	end_at(*state, 1100 * MS, &seen);
	assert_int_equal(seen.tasks.count, 1);
	got = &seen.tasks.items[0];
	assert_int_equal(got->long_wait_ns, 1);
	assert_int_equal(got->runs, 2);
	assert_int_equal(got->waits, 3);
	assert_int_equal(got->wakeups, 4);
	assert_int_equal(got->migrations, 5);
	assert_int_equal(got->needless, 6);
	assert_int_equal(got->wait_histogram[0], 0);
	assert_int_equal(got->wait_histogram[1], 7);
	assert_int_equal(got->wait_histogram[OBSERVE_BUCKETS - 1], 8);
	assert_int_equal(got->wake_histogram[0], 9);
	assert_int_equal(got->wake_histogram[1], 0);
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
							    .since_ns = 1020 * MS,
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
	put(5, 0,
	    (struct observe_task){
		    .state = OBSERVE_RUNNING, .cpu = 2, .static_prio = 98, .comm = "greedy" });
	put(6, 0, (struct observe_task){ .state = OBSERVE_BLOCKED, .cpu = 2 });
	observer_begin(*state);
	assert_int_equal(kernel.control->epoch, 1);
	end_at(*state, 1100 * MS, &seen);
	worst = observed_task(&seen, 77)->worst;
	assert_int_equal(worst.ns, 60 * MS);
	assert_int_equal(worst.since_ns, 1040 * MS);
	assert_int_equal(worst.cpu, 2);
	assert_int_equal(worst.by, 5);
	assert_int_equal(worst.by_prio, 98);
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

#define OBSERVED(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		OBSERVED(maps_that_are_not_there_are_told),
		OBSERVED(times_count_from_the_beginning_to_the_end),
		OBSERVED(counts_are_those_of_the_phase),
		OBSERVED(a_slot_that_was_taken_over_begins_anew),
		OBSERVED(only_tasks_that_did_something_are_told_by_pid),
		OBSERVED(idling_beside_a_wait_that_goes_on_counts),
		OBSERVED(the_worst_wait_is_of_this_phase_and_may_go_on),
		OBSERVED(who_waited_long_is_told_by_its_present_name),
		OBSERVED(a_mark_finds_its_task_wherever_it_lies),
		OBSERVED(cpus_are_busy_idle_or_silent),
		OBSERVED(an_idle_cpu_is_wanted_by_those_who_may_run_there),
		OBSERVED(sets_count_from_the_beginning_to_the_end),
		OBSERVED(the_forgotten_and_the_lost_are_counted),
		OBSERVED(load_is_tasks_per_cpu),
		OBSERVED(all_programs_are_attached_or_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
