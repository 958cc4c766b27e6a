// SPDX-License-Identifier: GPL-2.0-only
/* When periodic snapshots are due, and a process that stands still for one. */
#include "unit.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "watch/parts.h"

#define S 1000000000ULL

static void periods_lie_between_a_tenth_and_nine(void **state)
{
	struct snapshots_plan p = { .wish = { .periodic = 3, .duration_ns = 10 * S } };

	(void)state;
	assert_int_equal(snapshots_next(&p), SNAPSHOTS_NEVER);
	snapshots_begin(&p, 100 * S);
	for (unsigned int i = 0; i < 3; i++) {
		char name[SNAPSHOTS_NAME], expected[SNAPSHOTS_NAME];

		assert_int_equal(snapshots_next(&p), (103 + 2 * i) * S);
		snprintf(expected, sizeof(expected), "periodic_00%u", i);
		snapshots_take(&p, name);
		assert_string_equal(name, expected);
	}
	assert_int_equal(snapshots_next(&p), SNAPSHOTS_NEVER);
}

static void the_last_beginning_counts_until_there_is_a_snapshot(void **state)
{
	struct snapshots_plan p = { .wish = { .periodic = 1, .duration_ns = 10 * S } };

	(void)state;
	snapshots_begin(&p, 0);
	snapshots_begin(&p, 20 * S);
	assert_int_equal(snapshots_next(&p), 25 * S);
	p.wish.periodic = 2;
	p.taken = 1;
	snapshots_begin(&p, 40 * S);
	assert_true(snapshots_next(&p) < 40 * S);
}

static void time_in_which_the_guest_stood_still_does_not_count(void **state)
{
	struct snapshots_plan p = { .wish = { .periodic = 1, .duration_ns = 10 * S } };

	(void)state;
	snapshots_begin(&p, 20 * S);
	snapshots_delay(&p, 3 * S);
	assert_int_equal(snapshots_next(&p), 28 * S);
}

static void nothing_is_due_without_a_wish(void **state)
{
	struct snapshots_plan p = {};

	(void)state;
	snapshots_begin(&p, 1);
	assert_int_equal(snapshots_next(&p), SNAPSHOTS_NEVER);
}

/* A process that counts, for a few seconds at most. */
static pid_t start_counting(volatile uint64_t *count)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	alarm(20);
	for (;;) {
		++*count;
		usleep(100);
	}
}

static bool does_move(const volatile uint64_t *count, int tries)
{
	uint64_t before = *count;

	for (int i = 0; i < tries && *count == before; i++)
		usleep(1000);
	return *count != before;
}

static void a_frozen_guest_stands_still_and_goes_on(void **state)
{
	volatile uint64_t *count = mmap(NULL, sizeof(*count), PROT_READ | PROT_WRITE,
					MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct vm vm = {};

	(void)state;
	assert_true(count != MAP_FAILED);
	vm.child.pid = start_counting(count);
	assert_true(vm.child.pid > 0);
	assert_true(does_move(count, 10000));
	assert_true(guest_freeze(&vm, false));
	assert_false(does_move(count, 50));
	guest_thaw(&vm, false);
	assert_true(does_move(count, 10000));
	kill(vm.child.pid, SIGKILL);
	waitpid(vm.child.pid, NULL, 0);
	munmap((void *)count, sizeof(*count));
}

static void a_guest_that_has_ended_is_not_frozen(void **state)
{
	struct vm vm = { .child.pid = fork() };

	(void)state;
	if (vm.child.pid == 0)
		_exit(0);
	assert_true(vm.child.pid > 0);
	waitid(P_PID, (id_t)vm.child.pid, &(siginfo_t){}, WEXITED | WNOWAIT);
	assert_false(guest_freeze(&vm, false));
	assert_int_equal(waitpid(vm.child.pid, NULL, 0), vm.child.pid);
}

/* What QEMU was told; its answers are there before. */
static void qemu_is_told_to_stop_a_guest(void **state)
{
	static const char answers[] = "{\"event\":\"STOP\"}\n{\"return\":{}}\n{\"return\":{}}\n";
	struct vm vm = {};
	char told[128] = "";
	int ends[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	qmp_init(&vm.qmp, ends[0]);
	assert_int_equal(write(ends[1], answers, sizeof(answers) - 1), sizeof(answers) - 1);
	assert_true(guest_freeze(&vm, true));
	assert_true(guest_thaw(&vm, true));
	assert_true(read(ends[1], told, sizeof(told) - 1) > 0);
	assert_string_equal(told, "{\"execute\":\"stop\"}\n{\"execute\":\"cont\"}\n");
	/* One that does not answer any more. */
	signal(SIGPIPE, SIG_IGN);
	close(ends[1]);
	assert_false(guest_freeze(&vm, true));
	qmp_finish(&vm.qmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(periods_lie_between_a_tenth_and_nine),
		cmocka_unit_test(the_last_beginning_counts_until_there_is_a_snapshot),
		cmocka_unit_test(time_in_which_the_guest_stood_still_does_not_count),
		cmocka_unit_test(nothing_is_due_without_a_wish),
		cmocka_unit_test(a_frozen_guest_stands_still_and_goes_on),
		cmocka_unit_test(qemu_is_told_to_stop_a_guest),
		cmocka_unit_test(a_guest_that_has_ended_is_not_frozen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
