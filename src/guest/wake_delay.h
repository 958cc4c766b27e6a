/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Wakeups that take longer: between the moment that somebody decides to wake a task
 * and the moment that a scheduler hears of it. Which ones, and how much longer, is a
 * function of the seed alone. It is done in the kernel, before any scheduler is asked,
 * so it hits every task under each of them.
 */
#ifndef KTSTR_GUEST_WAKE_DELAY_H
#define KTSTR_GUEST_WAKE_DELAY_H

#include <stdint.h>

#define WAKE_DELAY_ONE_IN 8 /* wakeups */
#define WAKE_DELAY_MAX_US 100000

/*
 * From now on, for as long as this process lives, one wakeup in eight takes up to so
 * much longer. -EINVAL for more than WAKE_DELAY_MAX_US; else what the kernel refused.
 */
int wake_delay_start(uint64_t seed, uint32_t longest_us);

#endif
