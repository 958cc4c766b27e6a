/* SPDX-License-Identifier: GPL-2.0-only */
/* Decides whether a figure changed by more than its two gates, and for better or for worse. */
#ifndef KTSTR_CHECK_CHANGE_H
#define KTSTR_CHECK_CHANGE_H

#include "base/base.h"

enum change {
	CHANGE_NONE,
	CHANGE_REGRESSION,
	CHANGE_IMPROVEMENT,
	CHANGE_NEUTRAL, /* of a figure of which neither direction is better; set by callers */
};

/* Gates per figure: absolute, relative. A change below either gate is noise. */
#define GATES_SPREAD_PCT 5, 0.25
#define GATES_GAP_MS 500, 0.5
#define GATES_MIGRATIONS 10, 0.3
#define GATES_P99_WAKE_US 50, 0.25
#define GATES_MEDIAN_WAKE_US 20, 0.25
#define GATES_ITERATIONS 100, 0.1
#define GATES_MEAN_RUN_DELAY_US 50, 0.25
#define GATES_WORST_DELAY_US 100, 0.5
#define GATES_SHARE_PCT 5, 0.1
#define GATES_CPU_TIME_MS 100, 0.1
#define GATES_IDLE_WAIT_PCT 5, 0.5
#define GATES_BUSY_PCT 5, 0.1
#define GATES_UNPICKED_MS 100, 0.5
#define GATES_WORST_WAIT_US 5000, 0.5
#define GATES_P99_WAIT_US 1000, 0.75

/* A change counts if it reaches both gates. From a zero baseline every change is infinite. */
enum change change_of(double a, double b, double gate_abs, double gate_rel, bool is_higher_better);

#endif
