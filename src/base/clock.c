// SPDX-License-Identifier: GPL-2.0-only
/* Clocks and RFC 3339 timestamps. */
#include "base/clock.h"

#include "base/base.h"

static uint64_t read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

uint64_t clock_mono_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t clock_wall_ns(void)
{
	return read_clock(CLOCK_REALTIME);
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
		snprintf(out + len, CLOCK_TEXT_SIZE - len, ".%0*lluZ", digits,
			 (unsigned long long)fraction);
	else
		snprintf(out + len, CLOCK_TEXT_SIZE - len, "Z");
}
