/* SPDX-License-Identifier: GPL-2.0-only */
/* Time as 64-bit nanoseconds. */
#ifndef KTSTR_BASE_CLOCK_H
#define KTSTR_BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define NSEC_PER_MSEC 1000000ULL
#define NSEC_PER_SEC 1000000000ULL

uint64_t clock_ns(clockid_t id);
uint64_t clock_mono_ns(void);
uint64_t clock_wall_ns(void);

/* Sleeps for a time, or until a time of the monotonic clock. -EINTR if interrupted by a signal. */
int clock_sleep_ns(uint64_t ns);
int clock_sleep_until_ns(uint64_t mono_ns);

/* 2026-07-04T22:00:48Z with the given number of fraction digits (0..9). */
#define CLOCK_TEXT_SIZE 40
void clock_format_utc(uint64_t wall_ns, int digits, char out[static CLOCK_TEXT_SIZE]);

#endif
