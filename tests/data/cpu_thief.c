// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes a CPU away for 0.6 s of every second, for a minute at most and no longer than its parent
 * lives. It looks at the clock itself: under a real-time policy nobody else may get to end it.
 */
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

int main(void)
{
	uint64_t end = now_ms() + 60000;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (now_ms() < end) {
		uint64_t rest = now_ms() + 600;

		while (now_ms() < rest)
			;
		usleep(400000);
	}
	return 0;
}
