// SPDX-License-Identifier: GPL-2.0-only
/* Clocks and RFC 3339 timestamps. */
#include "base/clock.h"

#include "base/base.h"

uint64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

uint64_t clock_mono_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t clock_wall_ns(void)
{
	return clock_ns(CLOCK_REALTIME);
}

static int sleep_for(uint64_t ns, int flags)
{
	const struct timespec ts = { .tv_sec = (time_t)(ns / NSEC_PER_SEC),
				     .tv_nsec = (long)(ns % NSEC_PER_SEC) };

	return -clock_nanosleep(CLOCK_MONOTONIC, flags, &ts, NULL);
}

int clock_sleep_ns(uint64_t ns)
{
	return sleep_for(ns, 0);
}

int clock_sleep_until_ns(uint64_t mono_ns)
{
	return sleep_for(mono_ns, TIMER_ABSTIME);
}

void clock_format_utc(uint64_t wall_ns, int digits, char out[static CLOCK_TEXT_SIZE])
{
	time_t seconds = (time_t)(wall_ns / NSEC_PER_SEC);
	uint64_t fraction = wall_ns % NSEC_PER_SEC;
	struct tm tm;
	size_t len;

	gmtime_r(&seconds, &tm);
	len = strftime(out, CLOCK_TEXT_SIZE, "%Y-%m-%dT%H:%M:%S", &tm);
	for (int i = digits; i < 9; i++)
		fraction /= 10;
	if (digits > 0)
		snprintf(out + len, CLOCK_TEXT_SIZE - len, ".%0*lluZ", digits, ULL(fraction));
	else
		snprintf(out + len, CLOCK_TEXT_SIZE - len, "Z");
}
