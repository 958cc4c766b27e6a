// SPDX-License-Identifier: GPL-2.0-only
/*
 * A simulator run is a function of its inputs, and the seed is the only input without
 * another meaning. It delays the start of the run, so that everything after it meets the
 * ticks and each other at other moments: another interleaving, which is reproducible with
 * the same seed.
 */
#include "guest/parts.h"

#include <linux/random.h>
#include <sys/ioctl.h>

#define LONGEST_DELAY_NS 8000000
#define POOL_WORDS 8

_Static_assert(offsetof(struct rand_pool_info, buf) == 2 * sizeof(int), "see feed_pool()");

/* SplitMix64: all seeds, including 0 and adjacent ones, give sequences that look unrelated. */
uint64_t seed_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static void feed_pool(uint64_t seed)
{
	/* The layout of struct rand_pool_info: two ints, then the bytes. */
	struct {
		int entropy_bits, buffer_size;
		uint64_t words[POOL_WORDS];
	} feed = { .entropy_bits = POOL_WORDS * 64, .buffer_size = sizeof(feed.words) };
	_close_ int fd = open("/dev/random", O_WRONLY | O_CLOEXEC);

	seed = ~seed; /* a different sequence than that of the delay */
	for (size_t i = 0; i < POOL_WORDS; i++)
		feed.words[i] = seed_next(&seed);
	if (fd < 0 || ioctl(fd, RNDADDENTROPY, &feed) < 0)
		report_log("the seed did not reach the random pool");
}

void seed_apply(uint64_t seed)
{
	feed_pool(seed);
	/* The run starts 0 to 8 ms later: up to two ticks of the slowest clock. */
	clock_sleep_ns(seed_next(&seed) % LONGEST_DELAY_NS);
}
