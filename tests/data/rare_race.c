// SPDX-License-Identifier: GPL-2.0-only
/*
 * A planted bug that ordinary runs hardly ever show: a writer fills in a pair
 * in two steps, and a reader that comes late enough sees half of it. Nothing but time
 * keeps the two apart, and a delay of the writer takes that away.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include <ktstr/ktstr.h>

#define PERIOD_NS 2000000
#define LATER_NS 200000 /* usually the writer is done long before */
#define WINDOW 1000	/* turns of a loop between the two steps */

static struct {
	atomic_uint first, second;
} pair;
static atomic_uint torn;
static unsigned int rounds;
static long long latest_ns; /* of the writer */

static void sleep_until(struct timespec *t, long ns)
{
	t->tv_nsec += ns;
	t->tv_sec += t->tv_nsec / 1000000000;
	t->tv_nsec %= 1000000000;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, t, NULL);
}

static void note_lateness(const struct timespec *t)
{
	struct timespec now;
	long long late;

	clock_gettime(CLOCK_MONOTONIC, &now);
	late = (now.tv_sec - t->tv_sec) * 1000000000LL + now.tv_nsec - t->tv_nsec;
	if (late > latest_ns)
		latest_ns = late;
}

static void *write_pairs(void *start)
{
	struct timespec t = *(const struct timespec *)start;

	for (unsigned int i = 1; i <= rounds; i++) {
		sleep_until(&t, PERIOD_NS);
		note_lateness(&t);
		atomic_store(&pair.first, i);
		for (volatile int k = 0; k < WINDOW; k++)
			;
		atomic_store(&pair.second, i);
	}
	return NULL;
}

static void *read_pairs(void *start)
{
	struct timespec t = *(const struct timespec *)start;

	sleep_until(&t, LATER_NS);
	for (unsigned int i = 1; i <= rounds; i++) {
		sleep_until(&t, PERIOD_NS);
		if (atomic_load(&pair.first) != atomic_load(&pair.second))
			atomic_fetch_add(&torn, 1);
	}
	return NULL;
}

KTSTR_TEST(rare_race, .llcs = 1, .cores = 2, .threads = 1, .duration_ms = 40)
{
	struct timespec start;
	pthread_t writer, reader;

	rounds = (unsigned int)(ktstr_duration_ms(ctx) * 1000000 / PERIOD_NS) + 1;
	clock_gettime(CLOCK_MONOTONIC, &start);
	if (pthread_create(&writer, NULL, write_pairs, &start))
		return ktstr_fail(ctx, "no writer");
	if (pthread_create(&reader, NULL, read_pairs, &start))
		return ktstr_fail(ctx, "no reader");
	pthread_setname_np(writer, "writer");
	pthread_setname_np(reader, "reader");
	pthread_join(writer, NULL);
	pthread_join(reader, NULL);
	ktstr_result_metric(res, "writer_lateness_us", (double)latest_ns / 1000, KTSTR_LOWER_BETTER,
			    "us");
	if (atomic_load(&torn))
		ktstr_result_fail(res, "the reader saw half a pair, in %u of %u rounds",
				  atomic_load(&torn), rounds);
	else
		ktstr_result_pass(res);
	return 0;
}
