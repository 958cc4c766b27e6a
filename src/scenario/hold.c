// SPDX-License-Identifier: GPL-2.0-only
/* Holds of steps, validated before anything is changed. */
#include "scenario/run.h"

#include <math.h>

static bool starts_workers(const struct ktstr_step *step)
{
	if (step->defs && step->defs->name)
		return true;
	for (const struct ktstr_op *op = step->ops; op && op->kind != KTSTR_OP_END; op++)
		if (op->kind == KTSTR_OP_SPAWN || op->kind == KTSTR_OP_SPAWN_HOST ||
		    op->kind == KTSTR_OP_ADD_CGROUP_DEF)
			return true;
	return false;
}

int hold_validate(const struct ktstr_step *step)
{
	const struct ktstr_hold *h = &step->hold;

	switch (h->kind) {
	case KTSTR_HOLD_NONE:
		if (starts_workers(step))
			return err_set(EINVAL, "hold: required, because the step starts workers "
					       "(.hold = KTSTR_HOLD_FULL)");
		return 0;
	case KTSTR_HOLD_FRAC:
		if (!isfinite(h->frac) || h->frac <= 0)
			return err_set(EINVAL,
				       "hold: a fraction must be finite and above 0, not %g",
				       h->frac);
		return 0;
	case KTSTR_HOLD_SETTLE_FRAC:
		if (!isfinite(h->frac) || h->frac < 0)
			return err_set(EINVAL,
				       "hold: a fraction must be finite and not negative, not %g",
				       h->frac);
		return 0;
	case KTSTR_HOLD_FIXED:
		return h->ms ? 0 : err_set(EINVAL, "hold: a fixed time must not be zero");
	case KTSTR_HOLD_LOOP:
		return h->ms ? 0 : err_set(EINVAL, "hold: the interval of a loop must not be zero");
	}
	return err_set(EINVAL, "hold: there is no kind %d", (int)h->kind);
}

/* Scales fixed times by hold_percent; fractions scale with the duration by themselves. */
static uint64_t part_of(const struct ktstr_ctx *ctx, uint64_t ms)
{
	uint64_t part = ms * ctx->hold_percent / 100;

	return ctx->hold_percent && ms ? MAX(part, (uint64_t)1) : ms;
}

uint64_t hold_ms(const struct ktstr_ctx *ctx, const struct ktstr_hold *hold)
{
	switch (hold->kind) {
	case KTSTR_HOLD_FRAC:
		return (uint64_t)((double)ctx->duration_ms * hold->frac);
	case KTSTR_HOLD_SETTLE_FRAC:
		return part_of(ctx, ctx->settle_ms) +
		       (uint64_t)((double)ctx->duration_ms * hold->frac);
	case KTSTR_HOLD_FIXED:
		return part_of(ctx, hold->ms);
	case KTSTR_HOLD_NONE:
	case KTSTR_HOLD_LOOP:
		break;
	}
	return 0;
}
