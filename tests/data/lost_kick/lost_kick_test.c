// SPDX-License-Identifier: GPL-2.0-only
/*
 * What finds the race of lost_kick: a boss that never sleeps wakes two helpers in turn, the
 * next one as soon as the one before has answered. A helper that is woken while the other
 * CPU goes idle may be left in the queue.
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <ktstr/ktstr.h>

#define LONGEST_NS 100000000LL

KTSTR_SCHEDULER(lost_kick, .name = "lost_kick", .binary = "lost_kick",
		.topology = KTSTR_TOPO(1, 1, 2, 1));

static struct helper {
	atomic_uint asked, answered;
} helpers[2];

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void *help(void *arg)
{
	struct helper *h = arg;
	unsigned int seen = 0;

	while (seen != UINT32_MAX) {
		syscall(SYS_futex, &h->asked, FUTEX_WAIT, seen, NULL, NULL, 0);
		seen = atomic_load(&h->asked);
		atomic_store(&h->answered, seen);
	}
	return NULL;
}

/* 0, or how long the answer did not come. */
static long long ask(struct helper *h, unsigned int what)
{
	long long begun = now_ns();

	atomic_store(&h->asked, what);
	syscall(SYS_futex, &h->asked, FUTEX_WAKE, 1, NULL, NULL, 0);
	while (atomic_load(&h->answered) != what)
		if (now_ns() - begun > LONGEST_NS)
			return now_ns() - begun;
	return 0;
}

KTSTR_TEST(lost_kick_test, .scheduler = &lost_kick, .duration_ms = 100)
{
	long long end = now_ns() + (long long)ktstr_duration_ms(ctx) * 1000000, late = 0;
	pthread_t threads[2];
	unsigned int i = 0;

	for (int k = 0; k < 2; k++)
		if (pthread_create(&threads[k], NULL, help, &helpers[k]))
			return ktstr_fail(ctx, "no helper");
	for (; !late && now_ns() < end; i++)
		late = ask(&helpers[i % 2], i + 1);
	for (int k = 0; k < 2; k++)
		ask(&helpers[k], UINT32_MAX);
	if (late)
		ktstr_result_fail(res, "a helper was woken and did not run for %lld ms",
				  late / 1000000);
	else
		ktstr_result_pass(res);
	ktstr_result_metric(res, "rounds", i, KTSTR_HIGHER_BETTER, "");
	for (int k = 0; k < 2; k++)
		pthread_join(threads[k], NULL);
	return 0;
}
