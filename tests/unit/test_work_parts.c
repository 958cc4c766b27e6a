// SPDX-License-Identifier: GPL-2.0-only
/* One worker by hand, an iteration at a time: how much it does, and what it reports of it. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "worker_by_hand.h"

/*
 * The sequence of a seed is part of a run: with another one records do not repeat. By
 * splitmix64 and xorshift64 as they were published.
 */
static void the_sequence_of_a_seed_never_changes(void **state)
{
	static const uint64_t first[] = { 0x17e7bd6464a1fc0c, 0xaeacd0bfc27e3cf4,
					  0x899195771ef17d8d };
	static const uint64_t second[] = { 0x5d78dfc8ebae19d0, 0xc47c64b2310331e3,
					   0xa5d511f52d112f40 };

	(void)state;
	assert_true(worker_seed(0, 0) == 0xe220a8397b1dcdaf);
	/* The one seed that would give a sequence of nothing but zeros. */
	assert_true(worker_seed(-0x9e3779b97f4a7c15ULL, 0) == 1);
	w.random = worker_seed(7, 0);
	for (size_t i = 0; i < ARRAY_SIZE(first); i++)
		assert_true(ktstr_worker_random(&w) == first[i]);
	w.random = worker_seed(7, 1);
	for (size_t i = 0; i < ARRAY_SIZE(second); i++)
		assert_true(worker_random(&w) == second[i]);
}

static void spinning_counts_every_unit(void **state)
{
	(void)state;
	worker_spin(&w, 3 * WORKER_SPIN_UNITS + 5);
	assert_int_equal(w.work_units, 3 * WORKER_SPIN_UNITS + 5);
	worker_spin(&w, WORKER_SPIN_UNITS);
	worker_spin(&w, 0);
	assert_int_equal(w.work_units, 4 * WORKER_SPIN_UNITS + 5);
	/* Who was told to stop does not go on with a long spin. */
	stop();
	worker_spin(&w, UINT64_MAX);
	assert_int_equal(w.work_units, 5 * WORKER_SPIN_UNITS + 5);
	assert_true(worker_spin_until(&w, UINT64_MAX) > 0);
	assert_int_equal(w.work_units, 6 * WORKER_SPIN_UNITS + 5);
}

static void what_a_body_tells_is_counted(void **state)
{
	(void)state;
	w.index = 3;
	assert_int_equal(ktstr_worker_index(&w), 3);
	assert_false(ktstr_worker_should_stop(&w));
	ktstr_worker_did(&w, 40);
	ktstr_worker_did(&w, 2);
	assert_int_equal(w.work_units, 42);
	assert_int_equal(w.iterations, 2);
	assert_int_equal(atomic_load(&lines[0].iterations), 2);
	assert_int_equal(report->phases[0].work_units, 42); /* told at once */
	assert_int_equal(report->phases[0].iterations, 2);
	ktstr_worker_woke(&w, 1000);
	assert_int_equal(report->phases[0].wakes.count, 1);
	assert_int_equal(report->phases[0].wakes.max, 1000);
	assert_int_equal(atomic_load(&lines[0].has_wakes), 1);
	assert_int_equal(atomic_load(&lines[0].has_timers), 0);
	worker_ticked(&w, 7);
	assert_int_equal(report->phases[0].timers.max, 7);
	assert_int_equal(atomic_load(&lines[0].has_timers), 1);
	/* Clocks of two CPUs may differ: a wake is never before its cause. */
	worker_woke_since(&w, 100, 90);
	worker_woke_since(&w, 100, 130);
	assert_int_equal(report->phases[0].wakes.min, 0);
	assert_int_equal(report->phases[0].wakes.count, 3);
	stop();
	assert_true(ktstr_worker_should_stop(&w));
}

/* The first is the cause; what follows from it is not told. */
static void the_first_problem_stays(void **state)
{
	(void)state;
	assert_int_equal(worker_problem(&w, EPERM, "policy %s", "SCHED_FIFO"), -EPERM);
	assert_string_equal(report->problem, "policy SCHED_FIFO: Operation not permitted");
	assert_int_equal(worker_problem(&w, ENOMEM, "later"), -ENOMEM);
	assert_int_equal(worker_problem(&w, 0, "later"), -EINVAL);
	assert_string_equal(report->problem, "policy SCHED_FIFO: Operation not permitted");
	report->problem[0] = '\0';
	assert_int_equal(worker_problem(&w, 0, "no cgroup"), -EINVAL);
	assert_string_equal(report->problem, "no cgroup");
}

/* As many signals as were asked for, each to the partner, and the time until one was taken. */
static void a_storm_sends_all_its_signals(void **state)
{
	(void)state;
	w.args[0] = 16;
	w.args[1] = 5;
	assert_int_equal(signal_storm_prepare(&w), 0);
	assert_int_equal(atomic_load(&lines[0].word), 1);
	/* The partner has no handler yet: a signal would kill it. */
	atomic_store(&lines[1].pid, getpid());
	atomic_store(&lines[1].state, WORKER_RUNNING);
	signal_storm_iterate(&w);
	assert_int_equal(w.work_units, 5);
	atomic_store(&lines[1].word, 1);
	atomic_store(&lines[0].stamp_ns, clock_mono_ns());
	signal_storm_iterate(&w);
	assert_int_equal(w.work_units, 5 + 16 + 5);
	assert_int_equal(report->phases[0].wakes.count, 1);
	signal_storm_iterate(&w);
	assert_int_equal(report->phases[0].wakes.count, 1); /* nobody set a time */
	/* One that has ended gets none: its number may be another's. */
	atomic_store(&lines[1].state, WORKER_RUNNING + 1);
	signal_storm_iterate(&w);
	assert_int_equal(w.work_units, 5 + 2 * (16 + 5) + 5);
	signal(SIGUSR2, SIG_DFL);
}

/* Ticks come by the clock from the start on; one that was slept through is left out. */
static void a_timer_is_late_for_its_own_tick_only(void **state)
{
	const uint64_t period_ns = 10 * NSEC_PER_SEC;
	uint64_t begin_ns = clock_mono_ns(), next_ns;

	(void)state;
	w.args[0] = period_ns / 1000;
	assert_int_equal(timer_latency_prepare(&w), 0);
	w.start_ns = clock_mono_ns() - 10 * period_ns - period_ns / 2;
	timer_latency_iterate(&w);
	assert_int_equal(report->phases[0].timers.count, 1);
	assert_true(report->phases[0].timers.min >= 9 * period_ns + period_ns / 2);
	assert_true(report->phases[0].timers.max <= clock_mono_ns() - w.start_ns - period_ns);
	memcpy(&next_ns, w.state, sizeof(next_ns));
	assert_true(next_ns > begin_ns && next_ns <= clock_mono_ns() + period_ns);
	assert_int_equal((next_ns - w.start_ns) % period_ns, 0);
	assert_int_equal(w.work_units, 64); /* something is done at each tick */
	/* The next one is to come: who is told to stop before it is not late. */
	stop();
	timer_latency_iterate(&w);
	assert_int_equal(report->phases[0].timers.count, 1);
}

/* Time in which it waited is no gap: it ends where somebody woke it, not where it began. */
static void waiting_is_no_gap(void **state)
{
	uint64_t begin_ns = clock_mono_ns(), stamp_ns;
	int fds[2], status;
	pid_t pid;

	(void)state;
	worker_sleep_ns(&w, NSEC_PER_MSEC);
	assert_true(w.last_checkpoint_ns >= begin_ns + NSEC_PER_MSEC);
	assert_int_equal(report->phases[0].wakes.count, 1);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		clock_sleep_ns(5 * NSEC_PER_MSEC);
		stamp_ns = clock_mono_ns();
		_exit(write(fds[1], &stamp_ns, sizeof(stamp_ns)) != sizeof(stamp_ns));
	}
	assert_true(worker_wait_file(&w, fds[0], POLLIN));
	assert_int_equal(read(fds[0], &stamp_ns, sizeof(stamp_ns)), sizeof(stamp_ns));
	assert_true(w.last_checkpoint_ns >= stamp_ns);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	/* Who is told to stop has not got what it waited for. */
	stop();
	assert_false(worker_wait_file(&w, fds[0], POLLIN));
	assert_false(worker_wait_change(&w, &lines[1].word, 0));
	assert_true(worker_wait_change(&w, &lines[1].word, 1)); /* it has changed already */
	close(fds[0]);
	close(fds[1]);
}

/* By node where the kernel tells it; all of them together on a machine with one. */
static void pages_of_a_worker_are_counted(void **state)
{
	uint64_t by_node[WORKER_MAX_NODES] = {}, together[WORKER_MAX_NODES] = {}, sum = 0;
	bool is_told = access("/proc/self/numa_maps", R_OK) == 0;

	(void)state;
	assert_int_equal(numa_read_pages(true, by_node), is_told);
	for (size_t i = 0; i < WORKER_MAX_NODES; i++)
		sum += by_node[i];
	assert_int_equal(sum > 0, is_told);
	assert_true(numa_read_pages(false, together));
	assert_true(together[0] > 0);
	assert_int_equal(together[1], 0);
}

/* One CPU after the other of those that were allowed, and in the end all of them again. */
static void affinities_change_and_come_back(void **state)
{
	cpu_set_t before, now, used;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	CPU_ZERO(&used);
	w.random = worker_seed(1, 0);
	assert_int_equal(affinity_churn_prepare(&w), 0);
	for (int i = 0; i < 20; i++) {
		affinity_churn_iterate(&w);
		assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
		assert_int_equal(CPU_COUNT(&now), 1);
		CPU_OR(&used, &used, &now);
	}
	assert_true(CPU_COUNT(&used) > 1 || CPU_COUNT(&before) == 1);
	CPU_OR(&used, &used, &before);
	assert_true(CPU_EQUAL(&used, &before));
	assert_int_equal(report->phases[0].wakes.count, 20); /* it yields each time */
	affinity_churn_finish(&w);
	assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
	assert_true(CPU_EQUAL(&now, &before));
	assert_string_equal(report->problem, "");
}

/* Real-time only for those who may be. */
static void policies_take_turns_and_end_as_usual(void **state)
{
	static const int order[] = { SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, SCHED_FIFO, SCHED_RR };
	const struct sched_param realtime = { .sched_priority = 1 }, usual = {};
	size_t count = sched_setscheduler(0, SCHED_FIFO, &realtime) == 0 ? 5 : 2;

	(void)state;
	assert_int_equal(sched_setscheduler(0, SCHED_OTHER, &usual), 0);
	assert_int_equal(policy_churn_prepare(&w), 0);
	assert_int_equal(sched_getscheduler(0), SCHED_OTHER);
	for (size_t i = 0; i < 2 * count; i++) {
		policy_churn_iterate(&w);
		assert_int_equal(sched_getscheduler(0), order[i % count]);
	}
	policy_churn_finish(&w);
	assert_int_equal(sched_getscheduler(0), SCHED_OTHER);
	assert_int_equal(report->phases[0].wakes.count, 2 * count);
	assert_string_equal(report->problem, "");
}

/* A byte to the partner and one from it; a partner that is gone is a problem. */
static void a_pair_exchanges_bytes(void **state)
{
	int fds[4];
	char byte;

	(void)state;
	assert_int_equal(pipe2(fds, O_NONBLOCK | O_CLOEXEC), 0);
	assert_int_equal(pipe2(fds + 2, O_NONBLOCK | O_CLOEXEC), 0);
	w.fds = fds;
	w.args[0] = 20;
	assert_int_equal(write(fds[1], "x", 1), 1);
	pipe_io_iterate(&w);
	assert_int_equal(w.work_units, 20);
	assert_int_equal(report->phases[0].wakes.count, 1);
	assert_int_equal(read(fds[2], &byte, 1), 1);
	assert_int_equal(read(fds[0], &byte, 1), -1); /* it was taken */
	assert_string_equal(report->problem, "");
	close(fds[2]);
	signal(SIGPIPE, SIG_IGN);
	stop();
	pipe_io_iterate(&w);
	signal(SIGPIPE, SIG_DFL);
	assert_string_equal(report->problem, "write to the partner: Broken pipe");
	assert_int_equal(report->phases[0].wakes.count, 1);
	close(fds[0]);
	close(fds[1]);
	close(fds[3]);
}

/* The first of a team is real-time, where it may be; the others stay as they are. */
static void only_the_tormentor_is_realtime(void **state)
{
	const struct sched_param usual = {};

	(void)state;
	w.member = 1;
	assert_int_equal(rt_starvation_prepare(&w), 0);
	assert_int_equal(sched_getscheduler(0), SCHED_OTHER);
	w.member = 0;
	assert_int_equal(rt_starvation_prepare(&w), 0);
	if (report->problem[0])
		assert_string_equal(report->problem,
				    "policy SCHED_FIFO 1: Operation not permitted");
	else
		assert_int_equal(sched_getscheduler(0), SCHED_FIFO);
	assert_int_equal(sched_setscheduler(0, SCHED_OTHER, &usual), 0);
}

/* What one writes the other reads, and a queue that is full or empty is waited for in vain after a stop. */
static void a_queue_takes_what_is_produced(void **state)
{
	int fds[2];
	uint64_t stamp;

	(void)state;
	assert_int_equal(pipe2(fds, O_NONBLOCK | O_CLOEXEC), 0);
	w.fds = fds;
	w.args[0] = 1;
	w.args[2] = 10;
	assert_int_equal(producer_consumer_prepare(&w), 0);
	assert_int_equal(fcntl(fds[0], F_GETPIPE_SZ), 4096);
	producer_consumer_iterate(&w);
	producer_consumer_iterate(&w);
	assert_int_equal(w.work_units, 2);
	w.member = 1;
	producer_consumer_iterate(&w);
	assert_int_equal(w.work_units, 2 + 1 + 10);
	assert_int_equal(report->phases[0].wakes.count, 1);
	assert_int_equal(read(fds[0], &stamp, sizeof(stamp)), sizeof(stamp));
	assert_int_equal(read(fds[0], &stamp, sizeof(stamp)), -1);
	stop();
	producer_consumer_iterate(&w);
	assert_int_equal(report->phases[0].wakes.count, 1);
	w.member = 0;
	while (write(fds[1], &stamp, sizeof(stamp)) > 0)
		;
	producer_consumer_iterate(&w);
	assert_int_equal(w.work_units, 2 + 1 + 10);
	assert_string_equal(report->problem, "");
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_sequence_of_a_seed_never_changes),
		TEST(spinning_counts_every_unit),
		TEST(what_a_body_tells_is_counted),
		TEST(the_first_problem_stays),
		TEST(a_storm_sends_all_its_signals),
		TEST(a_timer_is_late_for_its_own_tick_only),
		TEST(waiting_is_no_gap),
		TEST(pages_of_a_worker_are_counted),
		TEST(a_pair_exchanges_bytes),
		TEST(only_the_tormentor_is_realtime),
		TEST(affinities_change_and_come_back),
		TEST(policies_take_turns_and_end_as_usual),
		TEST(a_queue_takes_what_is_produced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
