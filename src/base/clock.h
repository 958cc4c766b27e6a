/* SPDX-License-Identifier: GPL-2.0-only */
/* Time as 64-bit nanoseconds. */
#ifndef KTSTR_BASE_CLOCK_H
#define KTSTR_BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#define NSEC_PER_MSEC 1000000ULL
#define NSEC_PER_SEC 1000000000ULL

uint64_t clock_mono_ns(void);
uint64_t clock_wall_ns(void);

/* 2026-07-04T22:00:48Z with the given number of fraction digits (0..9). */
#define CLOCK_TEXT_SIZE 40
void clock_format_utc(uint64_t wall_ns, int digits, char out[static CLOCK_TEXT_SIZE]);

#endif
