/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * By what two failures are the same: their sentences without the numbers in them, and
 * without the names of tasks, which the kernel writes as NAME[PID] and checks as NAME (tid TID).
 * "worker 17 stuck 3500ms on cpu 1" and "worker 9 stuck 3012ms on cpu 0" are one bug.
 */
#ifndef KTSTR_STATS_SIGNATURE_H
#define KTSTR_STATS_SIGNATURE_H

#include "base/base.h"

/*
 * Appends the text with every number, and every list of numbers, replaced by '#', and names by
 * TASK.
 */
void signature_add_text(struct str *out, const char *text);

#endif
