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

void gates_close(struct ktstr_result *r)
{
	uint32_t blind = r->gates_asked & ~r->gates_measured;

	for (int i = 0; i < GATE_COUNT; i++)
		if (blind >> i & 1)
			result_add(r, DETAIL_BENCHMARK, KTSTR_INCONCLUSIVE,
				   "%s could not be judged: %s", gates[i].field, gates[i].why);
}
