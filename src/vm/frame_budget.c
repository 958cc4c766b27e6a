// SPDX-License-Identifier: GPL-2.0-only
/* Limits by kind of frame. */
#include "vm/engine.h"

#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)
#define IS_NOT_KEPT UINT64_MAX /* written out immediately, or only the last value is kept */

/* The last row applies to all other kinds. */
static const struct {
	uint32_t type;
	uint64_t limit;
} budgets[] = {
	{ CHANNEL_STDOUT, IS_NOT_KEPT },
	{ CHANNEL_STDERR, IS_NOT_KEPT },
	{ CHANNEL_COVERAGE, IS_NOT_KEPT },
	{ CHANNEL_PULSE, IS_NOT_KEPT },
	{ CHANNEL_EXIT, IS_NOT_KEPT },
	{ CHANNEL_LOST, IS_NOT_KEPT },
	{ CHANNEL_TEST_RESULT, MIB(16) },
	{ CHANNEL_SCHED_REPORT, MIB(16) },
	{ CHANNEL_STIMULUS, KIB(160) },
	{ CHANNEL_SCHED_LOG, MIB(17) },
	{ CHANNEL_SCHED_DUMP, MIB(4) },
	{ CHANNEL_LOG, MIB(1) },
	{ CHANNEL_CRASH, KIB(64) },
	{ CHANNEL_PROBE_RECORDS, MIB(16) },
	{ 0, MIB(1) },
};

_Static_assert(ARRAY_SIZE(budgets) <= FRAME_BUDGET_KINDS, "FRAME_BUDGET_KINDS");

static size_t row_of(uint32_t type)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(budgets) - 1 && budgets[i].type != type)
		i++;
	return i;
}

/* Headers count, too: many empty frames must not be free. */
bool frame_budget_take(struct frame_budget *b, struct channel_frame *frame)
{
	const uint64_t head = sizeof(struct channel_frame_header);
	size_t row = row_of(frame->type);
	uint64_t limit = budgets[row].limit, room = limit - MIN(b->sent[row], limit);

	b->sent[row] += head + frame->length;
	if (room < head)
		return false;
	frame->length = (uint32_t)MIN(frame->length, room - head);
	return true;
}

void frame_budget_describe(const struct frame_budget *b, struct str *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(budgets); i++) {
		char type[8] = "other";

		if (b->sent[i] <= budgets[i].limit)
			continue;
		if (budgets[i].type)
			channel_type_format(budgets[i].type, type);
		str_addf(out,
			 "channel: the guest sent %llu bytes in frames of kind %s: the first %llu "
			 "are kept\n",
			 ULL(b->sent[i]), type, ULL(budgets[i].limit));
	}
}
