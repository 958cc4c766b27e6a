// SPDX-License-Identifier: GPL-2.0-only
/* A worker per CPU that does nothing but run. */
#include "guest/spin.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/parse.h"

#define SCHED_CLASS_EXT 7 /* SCHED_EXT */
#define MAX_MS 3600000
#define WAIT_FACTOR 4 /* workers of a bad scheduler are waited for that much longer */

static uint64_t cpu_time_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

static void spin(uint64_t until_ns, volatile uint64_t *ran_ns)
{
	struct sched_param p = {};

	if (sched_setscheduler(0, SCHED_CLASS_EXT, &p) < 0 && errno != EINVAL)
		fprintf(stderr, "enter SCHED_EXT: %s\n", strerror(errno));
	do
		*ran_ns = cpu_time_ns();
	while (clock_mono_ns() < until_ns);
	_exit(0);
}

static int judge(const volatile uint64_t *ran_ns, long count)
{
	int status = 0;

	for (long i = 0; i < count; i++) {
		printf("worker %ld: %.1f ms on a CPU\n", i, (double)ran_ns[i] / NSEC_PER_MSEC);
		if (ran_ns[i] == 0)
			status = 1;
	}
	fflush(stdout);
	return status;
}

int spin_run(const char *milliseconds)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);
	volatile uint64_t *ran_ns;
	uint64_t ms, begin = clock_mono_ns();
	const struct timespec step = { .tv_nsec = 10 * NSEC_PER_MSEC };

	if (!milliseconds || parse_u64(milliseconds, &ms) < 0 || ms == 0 || ms > MAX_MS) {
		fprintf(stderr, "a number of milliseconds is wanted\n");
		return 2;
	}
	ran_ns = mmap(NULL, (size_t)count * sizeof(*ran_ns), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (ran_ns == MAP_FAILED)
		return 2;
	for (long i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid == 0)
			spin(begin + ms * NSEC_PER_MSEC, &ran_ns[i]);
		if (pid < 0)
			return 2;
	}
	while (clock_mono_ns() < begin + WAIT_FACTOR * ms * NSEC_PER_MSEC) {
		if (waitpid(-1, NULL, WNOHANG) < 0)
			break;
		nanosleep(&step, NULL);
	}
	return judge(ran_ns, count);
}
