// SPDX-License-Identifier: GPL-2.0-only
/*
 * Workers against what they are made of. Prints two lines of numbers for
 * bench-workers:
 *
 *	spawn OURS BARE		ns for COUNT workers, and for as many fork/exit
 *	spin OURS BARE		CpuSpin iterations per CPU second, and those of the
 *				same loop without telemetry
 *
 * usage: workers COUNT ROUNDS
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "work/workers.h"

/* Short and often: on a shared machine only some of them are undisturbed. */
#define SPIN_NS (40 * NSEC_PER_MSEC)
#define SPIN_ROUNDS 5
#define SPIN_UNITS 1024

static void check(int rc)
{
	if (rc >= 0)
		return;
	fprintf(stderr, "error: %s\n", err_text(rc));
	exit(1);
}

static struct workers *spawn(struct ktstr_work_type type, unsigned int count)
{
	const struct ktstr_work work = { .work_type = type };
	const struct workers_spec spec = { .work = &work, .count = count, .seed = 1 };
	struct workers *w;

	check(workers_spawn(&spec, &w));
	return w;
}

static void do_nothing(struct ktstr_worker *w, void *arg)
{
	(void)w;
	(void)arg;
}

/* They do no work: what is timed is spawning, starting and collecting. */
static uint64_t time_workers(unsigned int count)
{
	const struct ktstr_work_type nothing = KTSTR_CUSTOM("nothing", do_nothing, NULL);
	uint64_t start = clock_mono_ns();
	struct workers *w = spawn(nothing, count);

	workers_start(w);
	workers_stop_all(&w, 1);
	for (unsigned int i = 0; i < count; i++)
		if (workers_report(w, i)->end != WORKER_COMPLETED)
			check(err_set(EIO, "worker %u was lost", i));
	workers_free(w);
	return clock_mono_ns() - start;
}

static uint64_t time_forks(unsigned int count)
{
	uint64_t start = clock_mono_ns();

	for (unsigned int i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		if (pid < 0)
			check(err_sys(errno, "fork"));
		waitpid(pid, NULL, 0);
	}
	return clock_mono_ns() - start;
}

/* ---- the cost of being measured ---- */

static double time_spin_worker(void)
{
	const struct ktstr_work_type spin = KTSTR_CPU_SPIN;
	struct workers *w = spawn(spin, 1);
	const struct worker_counts *c = &workers_report(w, 0)->total;
	struct timespec wait = { .tv_nsec = SPIN_NS };
	double rate;

	workers_start(w);
	nanosleep(&wait, NULL);
	workers_stop_all(&w, 1);
	rate = (double)c->iterations / (double)c->cpu_time_ns * NSEC_PER_SEC;
	workers_free(w);
	return rate;
}

__attribute__((noinline, aligned(64))) static void relax(uint64_t times)
{
	while (times--)
		__builtin_ia32_pause();
}

/* The same units in a process of its own, until a shared word says stop. */
static double time_bare_spin(void)
{
	struct shared {
		_Atomic uint32_t stop;
		uint64_t iterations, cpu_ns;
	} *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct timespec wait = { .tv_nsec = SPIN_NS }, used;
	double rate;
	pid_t pid = fork();

	if (pid == 0) {
		while (!atomic_load_explicit(&s->stop, memory_order_relaxed)) {
			relax(SPIN_UNITS);
			s->iterations++;
		}
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
		s->cpu_ns = (uint64_t)used.tv_sec * NSEC_PER_SEC + (uint64_t)used.tv_nsec;
		_exit(0);
	}
	nanosleep(&wait, NULL);
	s->stop = 1;
	waitpid(pid, NULL, 0);
	rate = (double)s->iterations / (double)s->cpu_ns * NSEC_PER_SEC;
	munmap(s, sizeof(*s));
	return rate;
}

int main(int argc, char **argv)
{
	unsigned int count, rounds;

	if (argc != 3) {
		fprintf(stderr, "usage: workers COUNT ROUNDS\n");
		return 2;
	}
	count = (unsigned int)atoi(argv[1]);
	rounds = (unsigned int)atoi(argv[2]);
	for (unsigned int i = 0; i < rounds; i++)
		printf("spawn %llu %llu\n", (unsigned long long)time_workers(count),
		       (unsigned long long)time_forks(count));
	for (unsigned int i = 0; i < SPIN_ROUNDS * rounds; i++)
		printf("spin %.0f %.0f\n", time_spin_worker(), time_bare_spin());
	return 0;
}
