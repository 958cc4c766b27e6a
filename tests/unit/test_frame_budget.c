// SPDX-License-Identifier: GPL-2.0-only
/* What the host keeps of a guest that never stops sending. */
#include "unit.h"

#include <string.h>

#include "base/util.h"
#include "trace/format.h"
#include "vm/engine.h"

#define FLOOD (600ULL << 20)
#define MOST_KEPT ((size_t)17 << 20) /* the log of a scheduler: 16 MiB, and heads of frames */

/* How much is kept of so many bytes, sent in frames of that length. */
static uint64_t kept_of(struct frame_budget *b, uint32_t type, uint64_t total, uint32_t length)
{
	uint64_t kept = 0;

	for (uint64_t sent = 0; sent < total;
	     sent += length + sizeof(struct channel_frame_header)) {
		struct channel_frame f = { .type = type, .length = length };

		if (frame_budget_take(b, &f))
			kept += f.length + sizeof(struct channel_frame_header);
		assert_true(f.length <= length);
	}
	return kept;
}

static void every_kind_that_is_kept_has_a_budget(void **state)
{
	static const uint32_t types[] = {
		CHANNEL_STIMULUS,
		CHANNEL_SCENARIO_START,
		CHANNEL_SCENARIO_END,
		CHANNEL_TEST_RESULT,
		CHANNEL_SCHED_EXIT,
		CHANNEL_SCHED_ATTACHED,
		CHANNEL_SCHED_REPORT,
		CHANNEL_SCHED_LOG,
		CHANNEL_SCHED_DUMP,
		CHANNEL_CRASH,
		CHANNEL_METRICS,
		CHANNEL_RAW_OUTPUT,
		CHANNEL_READY,
		CHANNEL_LOG,
		CHANNEL_TYPE('?', '?', '?', '?'),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct frame_budget b = {};

		assert_true(kept_of(&b, types[i], FLOOD, 1 << 20) <= MOST_KEPT);
		/* Frames without content take room, too. */
		b = (struct frame_budget){};
		assert_true(kept_of(&b, types[i], MOST_KEPT + (1 << 20), 0) <= MOST_KEPT);
	}
}

static void what_fits_is_whole_and_nothing_is_said(void **state)
{
	struct frame_budget b = {};
	struct channel_frame f = { .type = CHANNEL_LOG, .length = 1000 };
	_str_ struct str text = {};

	(void)state;
	assert_true(frame_budget_take(&b, &f));
	assert_int_equal(f.length, 1000);
	frame_budget_describe(&b, &text);
	assert_int_equal(text.len, 0);
}

/* The last of 65,536 records is the one that matters. */
static void all_records_of_probes_fit(void **state)
{
	const uint64_t total = 65536 * sizeof(struct trace_record) + (4 << 20);
	struct frame_budget b = {};

	(void)state;
	assert_true(kept_of(&b, CHANNEL_PROBE_RECORDS, total, 1 << 16) >= total);
}

static void the_first_frame_that_does_not_fit_is_cut_and_told(void **state)
{
	struct frame_budget b = {};
	struct channel_frame f = { .type = CHANNEL_CRASH, .length = 1 << 20 };
	_str_ struct str text = {};

	(void)state;
	assert_true(frame_budget_take(&b, &f));
	assert_int_equal(f.length, (64 << 10) - (int)sizeof(struct channel_frame_header));
	f.length = 1;
	assert_false(frame_budget_take(&b, &f));
	frame_budget_describe(&b, &text);
	assert_string_equal(str_get(&text),
			    "channel: the guest sent 1048609 bytes in frames of kind "
			    "CRSH: the first 65536 are kept\n");
	/* Another kind has its own. */
	f = (struct channel_frame){ .type = CHANNEL_LOG, .length = 10 };
	assert_true(frame_budget_take(&b, &f));
	assert_int_equal(f.length, 10);
}

static void output_is_handed_on_however_much_it_is(void **state)
{
	struct frame_budget b = {};
	_str_ struct str text = {};

	(void)state;
	assert_true(kept_of(&b, CHANNEL_STDOUT, FLOOD, 1 << 20) >= FLOOD);
	frame_budget_describe(&b, &text);
	assert_int_equal(text.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_that_is_kept_has_a_budget),
		cmocka_unit_test(what_fits_is_whole_and_nothing_is_said),
		cmocka_unit_test(all_records_of_probes_fit),
		cmocka_unit_test(the_first_frame_that_does_not_fit_is_cut_and_told),
		cmocka_unit_test(output_is_handed_on_however_much_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
