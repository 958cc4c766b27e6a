/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers as tables show them: 92.457K, 22ticks, 7.500GiB.
 *
 * A value takes the largest unit that it reaches as it is, before rounding, and
 * then shows three decimals: 999999999 ns are 1000.000ms. In its base unit it
 * is shown exactly.
 */
#ifndef KTSTR_CTPROF_NUMBER_H
#define KTSTR_CTPROF_NUMBER_H

#include "ctprof/metric.h"

void number_add(struct str *out, enum metric_ladder ladder, uint64_t value);
void number_add_signed(struct str *out, enum metric_ladder ladder, int64_t value);

/* candidate - baseline with its sign, exact for all values: +92.457K, -11, +0ticks. */
void number_add_delta(struct str *out, enum metric_ladder ladder, uint64_t baseline,
		      uint64_t candidate);

/*
 * Computed values: ratios with three decimals, others with two in their base
 * unit. Without a ladder whole numbers are plain and others have one decimal:
 * they are the middles of ranges. NaN, which stands for absent, is "-".
 */
void number_add_real(struct str *out, enum metric_ladder ladder, double value);
void number_add_real_delta(struct str *out, enum metric_ladder ladder, double delta);

/* +1063.1%; NaN is "-". */
void number_add_percent(struct str *out, double percent);

/* A PSI average, kept in hundredths of a percent: 18.59%. */
void number_add_psi(struct str *out, uint32_t hundredths);

#endif
