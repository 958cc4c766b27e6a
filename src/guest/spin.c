// SPDX-License-Identifier: GPL-2.0-only
/* Runs a spinning worker on each CPU. */
#include "guest/parts.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define SCHED_CLASS_EXT 7 /* SCHED_EXT */
#define MAX_MS 3600000
#define WAIT_FACTOR 4 /* extra time for workers of a bad scheduler */

/* In shared memory, so that the progress of a worker that never answers is known. */
struct spinner {
	unsigned int cpu;
	uint64_t ran_ns; /* CPU time there; 0 = it never ran */
};

static void spin(uint64_t until_ns, volatile struct spinner *me)
{
	struct sched_param p = {};
	cpu_set_t only;

	CPU_ZERO(&only);
	CPU_SET(me->cpu, &only);
	if (sched_setscheduler(0, SCHED_CLASS_EXT, &p) < 0 && errno != EINVAL)
		fprintf(stderr, "enter SCHED_EXT: %s\n", strerror(errno));
	if (sched_setaffinity(0, sizeof(only), &only) < 0) {
		fprintf(stderr, "go to cpu%u: %s\n", me->cpu, strerror(errno));
		_exit(1);
	}
	do
		me->ran_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	while (clock_mono_ns() < until_ns);
	_exit(0);
}

static int judge(const volatile struct spinner *spinners, int count)
{
	int status = 0;

	for (int i = 0; i < count; i++) {
		printf("worker on cpu%u: %.1f ms\n", spinners[i].cpu,
		       (double)spinners[i].ran_ns / NSEC_PER_MSEC);
		if (spinners[i].ran_ns == 0)
			status = 1;
	}
	fflush(stdout);
	return status;
}

/* Creates one for each usable CPU. Returns NULL if out of memory. */
static volatile struct spinner *make_spinners(int *count)
{
	volatile struct spinner *spinners;
	unsigned int cpu = 0;
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof(cpus), &cpus) < 0)
		return NULL;
	*count = CPU_COUNT(&cpus);
	spinners = mmap(NULL, (size_t)*count * sizeof(*spinners), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (spinners == MAP_FAILED)
		return NULL;
	for (int i = 0; i < *count; i++, cpu++) {
		while (!CPU_ISSET(cpu, &cpus))
			cpu++;
		spinners[i].cpu = cpu;
	}
	return spinners;
}

int spin_run(const char *milliseconds)
{
	volatile struct spinner *spinners;
	uint64_t ms, begin = clock_mono_ns();
	int count;

	if (!milliseconds || parse_u64(milliseconds, &ms) < 0 || ms == 0 || ms > MAX_MS) {
		fprintf(stderr, "a number of milliseconds is wanted\n");
		return 2;
	}
	spinners = make_spinners(&count);
	if (!spinners)
		return 2;
	for (int i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid == 0)
			spin(begin + ms * NSEC_PER_MSEC, &spinners[i]);
		if (pid < 0)
			return 2;
	}
	while (clock_mono_ns() < begin + WAIT_FACTOR * ms * NSEC_PER_MSEC) {
		if (waitpid(-1, NULL, WNOHANG) < 0)
			break;
		clock_sleep_ns(10 * NSEC_PER_MSEC);
	}
	return judge(spinners, count);
}
