/* SPDX-License-Identifier: GPL-2.0-only */
/* How long a step lasts. */
#ifndef KTSTR_SCENARIO_HOLD_H
#define KTSTR_SCENARIO_HOLD_H

#include "scenario/ctx.h"

/* -EINVAL with a sentence for a step that could not be held as it says. */
int hold_validate(const struct ktstr_step *step);
/* Not for KTSTR_HOLD_LOOP. */
uint64_t hold_ms(const struct ktstr_ctx *ctx, const struct ktstr_hold *hold);

#endif
