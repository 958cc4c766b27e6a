// SPDX-License-Identifier: GPL-2.0-only
/* Work of teams, one member at a time: what it does to the others, and when it waits for them. */
#include "unit.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "worker_by_hand.h"

static struct team_line team;

/* A member of a team of two; told to stop, it waits for nobody. */
static void be(unsigned int member, bool is_stopped)
{
	w.team = &team;
	w.team_size = 2;
	w.member = member;
	w.line = &lines[member];
	w.work_units = 0;
	atomic_store(&shared.stop, is_stopped);
}

static uint64_t wakes(void)
{
	return report->phases[0].wakes.count;
}

static int set_up_team(void **state)
{
	team = (struct team_line){};
	return set_up(state);
}

static void a_pair_hands_the_turn_over(void **state)
{
	(void)state;
	w.args[0] = 30;
	be(0, true);
	futex_ping_pong_iterate(&w);
	assert_int_equal(atomic_load(&team.word), 1);
	assert_int_equal(w.work_units, 30);
	be(1, true);
	futex_ping_pong_iterate(&w);
	assert_int_equal(atomic_load(&team.word), 0);
	assert_int_equal(wakes(), 0); /* nobody answered */
}

static void a_fan_out_is_one_message_to_all(void **state)
{
	(void)state;
	w.args[1] = 10;
	assert_int_equal(seen_prepare(&w), 0);
	be(0, false);
	futex_fan_out_iterate(&w);
	assert_int_equal(atomic_load(&team.word), 1);
	assert_int_equal(w.work_units, 10 + 256);
	be(1, false);
	futex_fan_out_iterate(&w); /* there is a message already */
	assert_int_equal(w.work_units, 10);
	be(1, true);
	futex_fan_out_iterate(&w); /* and no second one */
	assert_int_equal(wakes(), 0);
	assert_int_equal(atomic_load(&team.word), 1);
}

static void a_chain_passes_its_token_on(void **state)
{
	uint64_t begin_ns = clock_mono_ns();

	(void)state;
	w.args[1] = 20;
	assert_int_equal(seen_prepare(&w), 0);
	be(0, false);
	wake_chain_iterate(&w); /* the first one begins */
	assert_int_equal(atomic_load(&lines[1].word), 1);
	assert_true(atomic_load(&lines[1].stamp_ns) >= begin_ns);
	assert_int_equal(w.work_units, 20);
	assert_int_equal(wakes(), 0);
	be(0, true);
	wake_chain_iterate(&w); /* it has not come round */
	assert_int_equal(atomic_load(&lines[1].word), 1);
	assert_int_equal(w.work_units, 0);
	be(0, false);
	atomic_store(&lines[0].word, 1);
	atomic_store(&lines[0].stamp_ns, clock_mono_ns());
	wake_chain_iterate(&w);
	assert_int_equal(wakes(), 1);
	assert_int_equal(atomic_load(&lines[1].word), 2);
}

static void a_herd_is_woken_when_all_have_come(void **state)
{
	(void)state;
	w.args[1] = 40;
	be(0, true);
	thundering_herd_iterate(&w); /* nobody is there */
	assert_int_equal(atomic_load(&team.word), 0);
	assert_int_equal(w.work_units, 0);
	be(1, true);
	thundering_herd_iterate(&w);
	assert_int_equal(atomic_load(&team.arrived), 1);
	assert_int_equal(wakes(), 0);
	be(0, false);
	thundering_herd_iterate(&w);
	assert_int_equal(atomic_load(&team.word), 1);
	assert_int_equal(atomic_load(&team.arrived), 0);
	assert_int_equal(w.work_units, 40);
}

/* Who is told to stop while it waits has no lock, and releases none. */
static void a_mutex_is_released_by_its_owner_only(void **state)
{
	(void)state;
	w.args[1] = 3;
	w.args[2] = 50;
	be(0, false);
	mutex_contention_iterate(&w);
	assert_int_equal(atomic_load(&team.word), 0);
	assert_int_equal(w.work_units, 53);
	assert_int_equal(wakes(), 0);
	atomic_store(&team.word, 1);
	be(0, true);
	mutex_contention_iterate(&w);
	assert_int_equal(atomic_load(&team.word), 1);
	assert_int_equal(w.work_units, 50);
	assert_int_equal(wakes(), 0);
}

/* The low one holds the lock longest, the medium one takes none, and the high one sleeps. */
static void roles_of_an_inversion_differ(void **state)
{
	enum { LOW, MEDIUM, HIGH };
	uint64_t begin_ns;

	(void)state;
	w.args[0] = 7;
	w.args[1] = 60;
	for (w.args[2] = 0; w.args[2] < 2; w.args[2]++) { /* without and with inheritance */
		be(LOW, false);
		priority_inversion_iterate(&w);
		assert_int_equal(w.work_units, 67);
		assert_int_equal(atomic_load(&team.word), 0);
		be(MEDIUM, false);
		atomic_store(&team.word, (uint32_t)getppid());
		priority_inversion_iterate(&w);
		assert_int_equal(w.work_units, 60);
		assert_int_equal(atomic_load(&team.word), getppid());
		atomic_store(&team.word, 0);
		w.member = HIGH;
		w.line = &lines[0];
		w.work_units = 0;
		begin_ns = clock_mono_ns();
		priority_inversion_iterate(&w);
		assert_int_equal(w.work_units, 7);
		assert_true(clock_mono_ns() - begin_ns >= NSEC_PER_MSEC);
	}
	assert_string_equal(report->problem, "");
}

static void on_alarm(int number)
{
	(void)number;
	worker_stop_signal = 1;
}

/* Waiting for longer than a slice of time is no problem, and a stop ends it without the lock. */
static void a_lock_of_another_is_waited_for_in_slices(void **state)
{
	const struct itimerval soon = { .it_value = { .tv_usec = 1500 * WORKER_WAIT_SLICE_MS } };
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0) {
		pause();
		_exit(0);
	}
	signal(SIGALRM, on_alarm);
	w.args[0] = 7;
	w.args[1] = 60;
	w.args[2] = 1;
	be(0, false);
	atomic_store(&team.word, (uint32_t)pid);
	assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
	priority_inversion_iterate(&w);
	assert_string_equal(report->problem, "");
	assert_int_equal(w.work_units, 60);
	assert_int_equal(wakes(), 0);
	assert_int_equal(atomic_load(&team.word) & 0x3fffffff, pid); /* FUTEX_TID_MASK */
	worker_stop_signal = 0;
	signal(SIGALRM, SIG_DFL);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* In a child: nobody comes back from a higher nice value. */
static int nice_of(unsigned int member, int own)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		be(0, false);
		w.member = member;
		work.nice = own;
		setpriority(PRIO_PROCESS, 0, own);
		priority_inversion_prepare(&w);
		_exit(report->nice == getpriority(PRIO_PROCESS, 0) ? report->nice : 99);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void the_least_important_is_the_nicest(void **state)
{
	(void)state;
	assert_int_equal(nice_of(0, 0), 15);
	assert_int_equal(nice_of(1, 0), 5);
	assert_int_equal(nice_of(2, 0), 0);
	assert_int_equal(nice_of(0, 3), 18);
	assert_int_equal(nice_of(0, 10), 19);
	assert_int_equal(nice_of(2, 10), 10);
}

#undef TEST
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up_team, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_pair_hands_the_turn_over),
		TEST(a_fan_out_is_one_message_to_all),
		TEST(a_chain_passes_its_token_on),
		TEST(a_herd_is_woken_when_all_have_come),
		TEST(a_mutex_is_released_by_its_owner_only),
		TEST(roles_of_an_inversion_differ),
		TEST(a_lock_of_another_is_waited_for_in_slices),
		TEST(the_least_important_is_the_nicest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
