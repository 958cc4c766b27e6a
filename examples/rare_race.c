// SPDX-License-Identifier: GPL-2.0-only
/*
 * A planted bug that few interleavings show: a writer fills in a pair in two steps, and
 * a reader that looks at the wrong moment sees half of it. Nothing but chance keeps
 * the reader away.
 */
#include <ktstr/ktstr.h>

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define ROUNDS 20
#define PERIOD_NS 2000000
#define LATER_NS 200000 /* usually the writer is done long before */
#define WINDOW 2000 /* turns of a loop between the two steps */

static struct {
	atomic_uint first, second;
} pair;
static atomic_uint torn;

static void sleep_until(struct timespec *t, long ns)
{
	t->tv_nsec += ns;
	t->tv_sec += t->tv_nsec / 1000000000;
	t->tv_nsec %= 1000000000;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, t, NULL);
}

static void *writer(void *start)
{
	struct timespec t = *(const struct timespec *)start;

	for (unsigned int i = 1; i <= ROUNDS; i++) {
		sleep_until(&t, PERIOD_NS);
		atomic_store(&pair.first, i);
		for (volatile int k = 0; k < WINDOW; k++)
			;
		atomic_store(&pair.second, i);
	}
	return NULL;
}

static void *reader(void *start)
{
	struct timespec t = *(const struct timespec *)start;

	sleep_until(&t, PERIOD_NS + LATER_NS);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		unsigned int first = atomic_load(&pair.first);

		if (first != atomic_load(&pair.second))
			atomic_fetch_add(&torn, 1);
		sleep_until(&t, PERIOD_NS);
	}
	return NULL;
}

KTSTR_TEST(rare_race, .llcs = 1, .cores = 2, .threads = 1, .duration_ms = 300)
{
	struct timespec start;
	pthread_t threads[2];

	(void)ctx;
	clock_gettime(CLOCK_MONOTONIC, &start);
	pthread_create(&threads[0], NULL, writer, &start);
	pthread_create(&threads[1], NULL, reader, &start);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	if (atomic_load(&torn))
		ktstr_result_fail(res, "the reader saw half a pair %u times", atomic_load(&torn));
	else
		ktstr_result_pass(res);
	return 0;
}
