// SPDX-License-Identifier: GPL-2.0-only
/* Finding and asking for the stall limit. */
#include "guest/scx_watchdog.h"

#include <stdio.h>

void scx_watchdog_set(struct sched_watchdog *w)
{
	snprintf(w->problem, sizeof(w->problem), "not asked for yet");
}
