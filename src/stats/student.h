/* SPDX-License-Identifier: GPL-2.0-only */
/* Student's t distribution. */
#ifndef KTSTR_STATS_STUDENT_H
#define KTSTR_STATS_STUDENT_H

/* The chance of a t at least this far from 0 on either side. An infinite t has none. */
double student_two_sided(double t, double degrees);

/* The t that a share (0.5 to 1) of all values stays below. */
double student_quantile(double share, double degrees);

#endif
