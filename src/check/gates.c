// SPDX-License-Identifier: GPL-2.0-only
/* Records which thresholds had a measurement to be compared with. */
#include "check/parts.h"

static const struct {
	const char *field, *why;
} gates[] = {
#define X(id, field, why) [GATE_##id] = { field, why },
	GATES(X)
#undef X
};

void gate_note(struct ktstr_result *r, enum gate gate, bool is_measured)
{
	r->gates_asked |= 1U << gate;
	if (is_measured)
		r->gates_measured |= 1U << gate;
}

void gate_measure(struct ktstr_result *r, enum gate gate)
{
	r->gates_measured |= 1U << gate;
}

static bool is_tighter(double own, double usual)
{
	double limit;

	return limit_of(own, &limit) && limit < usual;
}

/* Without events, all thresholds of events have been reported already. */
static bool has_events(const struct ktstr_result *r)
{
	vec_each(const struct phase_stats, p, &r->phases)
		if (p->events.is_known)
			return true;
	return false;
}

void result_ask(struct ktstr_result *r, const struct ktstr_assert *own)
{
	const struct ktstr_assert *usual = &assert_defaults;

	if (is_tighter((double)own->max_p99_timer_lateness_ns,
		       (double)usual->max_p99_timer_lateness_ns))
		r->gates_asked |= 1U << GATE_TIMER_LATENESS;
	if (is_tighter(own->max_spread_pct, SPREAD_LIMIT))
		r->gates_asked |= 1U << GATE_SPREAD;
	if (!has_events(r))
		return;
	if (is_tighter(own->max_share_error_pct, usual->max_share_error_pct))
		r->gates_asked |= 1U << GATE_SHARE_ERROR;
	if (is_tighter(own->max_even_share_error_pct, usual->max_even_share_error_pct))
		r->gates_asked |= 1U << GATE_EVEN_SHARE_ERROR;
	if (is_tighter(own->max_wakeup_wait_ratio, usual->max_wakeup_wait_ratio))
		r->gates_asked |= 1U << GATE_WAKEUP_WAIT_RATIO;
	if (is_tighter(own->max_needless_wakeup_pct, usual->max_needless_wakeup_pct))
		r->gates_asked |= 1U << GATE_NEEDLESS_WAKEUPS;
}

void gates_close(struct ktstr_result *r)
{
	uint32_t blind = r->gates_asked & ~r->gates_measured;

	for (int i = 0; i < GATE_COUNT; i++)
		if (blind >> i & 1)
			result_add(r, DETAIL_BENCHMARK, KTSTR_INCONCLUSIVE,
				   "%s could not be judged: %s", gates[i].field, gates[i].why);
}
