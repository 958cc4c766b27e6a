/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * By what two failures are the same: their sentences without the numbers in them, and
 * without the names of tasks, which the kernel writes as NAME[PID].
 * "worker 17 stuck 3500ms on cpu 1" and "worker 9 stuck 3012ms on cpu 0" are one bug.
 */
#ifndef KTSTR_EXPLORE_SIGNATURE_H
#define KTSTR_EXPLORE_SIGNATURE_H

#include "base/str.h"
#include "check/result.h"

/* Appends the text with every number, and every list of numbers, as '#', names as TASK. */
void signature_add_text(struct str *out, const char *text);

/*
 * Appends the kinds and sentences of all that made the result bad, each once, in the
 * order of the alphabet: which one came first is often chance. Nothing for a good one.
 */
int signature_add(struct str *out, const struct ktstr_result *r);

#endif
