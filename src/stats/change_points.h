/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a series of figures changed its level: optimal partitioning (Jackson et al. 2005, and what
 * PELT finds) for changes of the mean. A level costs 3 log n times the variance of the noise, which is
 * told from the differences of neighbours. What Welch's t-test does not separate from the level before
 * it at 1 % is no change.
 */
#ifndef KTSTR_STATS_CHANGE_POINTS_H
#define KTSTR_STATS_CHANGE_POINTS_H

#include <stddef.h>

/* A level lasts for so many figures at least. */
#define CHANGE_POINTS_MIN 3

/*
 * at[] (as many as count) gets the first figure of each level but the first, in order; *found how
 * many there are. -ENOMEM with a message.
 */
int change_points_find(const double *values, size_t count, size_t *at, size_t *found);

#endif
