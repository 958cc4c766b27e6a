// SPDX-License-Identifier: GPL-2.0-only
/* Of two that want the same CPU each waits; one that is not there never did. */
#include "vm/engine.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"

#define ENOUGH_NS 50000000LL

static pid_t spin_on(int cpu)
{
	struct timespec used = {};
	pid_t pid = fork();
	cpu_set_t set;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	while (used.tv_sec == 0 && used.tv_nsec < ENOUGH_NS)
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	pause();
	_exit(0);
}

static bool has_used_enough(pid_t pid)
{
	struct timespec used = {};
	clockid_t clock;

	return clock_getcpuclockid(pid, &clock) == 0 && clock_gettime(clock, &used) == 0 &&
	       used.tv_nsec >= ENOUGH_NS;
}

static void waiting_is_counted(void **state)
{
	const struct timespec nap = { .tv_nsec = 1000000 };
	int cpu = sched_getcpu();
	pid_t a = spin_on(cpu), b = spin_on(cpu);

	(void)state;
	while (!has_used_enough(a) || !has_used_enough(b))
		nanosleep(&nap, NULL);
	assert_true(vm_starved_ns(a) + vm_starved_ns(b) > 0);
	kill(a, SIGKILL);
	kill(b, SIGKILL);
	waitpid(a, NULL, 0);
	waitpid(b, NULL, 0);
	assert_int_equal(vm_starved_ns(a), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waiting_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
