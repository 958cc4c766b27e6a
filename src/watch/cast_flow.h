/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What registers and stack slots of a function hold, as far as types are concerned, from its beginning
 * on. Where ways meet a value stays known that is the same on all of them. What loads, stores and calls
 * tell about fields of 64 bits goes to the evidence, once nothing changes any more.
 */
#ifndef KTSTR_WATCH_CAST_FLOW_H
#define KTSTR_WATCH_CAST_FLOW_H

#include "watch/cast_evidence.h"

/*
 * steps: instructions that may still be looked at. A function that is too long, or is no function,
 * tells nothing. -ENOMEM only.
 */
int cast_flow_run(struct evidence *e, const struct bpf_function *f, size_t *steps);

#endif
