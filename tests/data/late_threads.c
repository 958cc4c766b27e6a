// SPDX-License-Identifier: GPL-2.0-only
/*
 * A busy host, for QEMU alone (LD_PRELOAD): its main thread wakes up for nothing, and all of
 * its threads come late to their locks, at random.
 */
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#define THOUSAND 1000

static int (*real_lock)(pthread_mutex_t *);
static int (*real_ppoll)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
static __thread uint64_t state;

__attribute__((constructor)) static void find_functions(void)
{
	real_lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
	real_ppoll = dlsym(RTLD_NEXT, "ppoll");
}

static uint64_t random_below(uint64_t limit)
{
	struct timespec t;

	if (!state) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		state = (uint64_t)t.tv_nsec << 20 ^ (uint64_t)(uintptr_t)&t;
	}
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % limit;
}

static void come_late(unsigned int in_thousand)
{
	struct timespec t = { 0, (long)random_below(200 * THOUSAND) };

	if (random_below(THOUSAND) < in_thousand)
		nanosleep(&t, NULL);
}

int pthread_mutex_lock(pthread_mutex_t *m)
{
	if (!real_lock)
		find_functions();
	come_late(100);
	return real_lock(m);
}

int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *limit, const sigset_t *signals)
{
	struct timespec soon = { 0, (long)(20 + random_below(100)) * THOUSAND };
	int rc;

	if (!real_ppoll)
		find_functions();
	rc = real_ppoll(fds, count, limit || random_below(THOUSAND) < 100 ? limit : &soon, signals);
	come_late(500);
	return rc;
}
