// SPDX-License-Identifier: GPL-2.0-only
/*
 * Workers against what they are made of. Prints two lines of numbers for
 * bench-workers:
 *
 *	spawn OURS BARE		ns for COUNT workers, and for as many fork/exit
 *	spin OURS BARE		ns for some iterations of CpuSpin, and for as many of
 *				the same loop without telemetry
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
#include "base/util.h"
#include "work/types.h"

#define SPIN_UNITS 1024
#define SPIN_ITERATIONS 80
#define SPIN_PIECES 200

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

static uint64_t time_measured(struct ktstr_worker *w, const struct work_type_row *type)
{
	uint64_t start = clock_mono_ns();

	for (int i = 0; i < SPIN_ITERATIONS && !worker_should_stop(w); i++) {
		type->iterate(w);
		worker_iterated(w);
	}
	return clock_mono_ns() - start;
}

static uint64_t time_bare(const struct ktstr_worker *w)
{
	uint64_t start = clock_mono_ns();

	for (int i = 0; i < SPIN_ITERATIONS && !worker_should_stop(w); i++)
		worker_relax(SPIN_UNITS);
	return clock_mono_ns() - start;
}

/*
 * The loop of a CpuSpin worker and the same without telemetry, in turns and in pieces
 * so short that on a shared machine some of either are undisturbed.
 */
static void spin_in_turns(struct ktstr_worker *w, void *arg)
{
	const struct work_type_row *type = work_type_row(KTSTR_WORK_CPU_SPIN);
	uint64_t *best = arg, measured, bare;

	best[0] = best[1] = UINT64_MAX;
	for (int i = 0; i < SPIN_PIECES; i++) {
		measured = time_measured(w, type);
		bare = time_bare(w);
		ktstr_worker_rested(w);
		best[0] = MIN(best[0], measured);
		best[1] = MIN(best[1], bare);
	}
	atomic_store((_Atomic uint64_t *)&best[2], 1);
}

static void time_spin(void)
{
	uint64_t *best = mmap(NULL, 3 * sizeof(*best), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const struct ktstr_work_type turns = KTSTR_CUSTOM("spin", spin_in_turns, best);
	const struct timespec pause = { .tv_nsec = 10 * NSEC_PER_MSEC };
	struct workers *w = spawn(turns, 1);

	workers_start(w);
	while (!atomic_load((_Atomic uint64_t *)&best[2]))
		nanosleep(&pause, NULL);
	workers_stop_all(&w, 1);
	workers_free(w);
	printf("spin %llu %llu\n", (unsigned long long)best[0], (unsigned long long)best[1]);
	munmap(best, 3 * sizeof(*best));
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
	for (unsigned int i = 0; i < rounds; i++)
		time_spin();
	return 0;
}
