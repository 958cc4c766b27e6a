/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sched_ext's stall limit, set for a scheduler that is attached and did not choose
 * it itself. The kernel offers no way to, so the host writes the variable while the
 * machine stands still: here is found out where it is.
 */
#ifndef KTSTR_GUEST_SCX_WATCHDOG_H
#define KTSTR_GUEST_SCX_WATCHDOG_H

#include "guest/sched_report.h"

/* Fills in the rest of w, of which seconds is given. */
void scx_watchdog_set(struct sched_watchdog *w);

#endif
