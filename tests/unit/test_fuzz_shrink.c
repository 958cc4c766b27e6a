// SPDX-License-Identifier: GPL-2.0-only
/* Failures made smaller, with guests that fail when they run certain operations. */
#include "unit.h"

#include "base/util.h"
#include "fuzz/parts.h"
#include "fuzz_equal.h"

/* A guest fails with `needs`, in a scenario behind one with `after` where there is one. */
static enum fuzz_op_kind needs, after;
static bool tells_which;   /* it is known which scenario was the last */
static bool passes_always; /* the failure does not come again */
static unsigned int guests;
static size_t longest;

static bool has_op(const struct fuzz_input *in, enum fuzz_op_kind kind)
{
	for (size_t i = 0; i < in->count; i++)
		if (in->ops[i].kind == kind)
			return true;
	return false;
}

static void run_chain(struct fuzz_chain *c, struct trial *t)
{
	bool is_after = after == FUZZ_OP_COUNT;
	size_t failed = c->count;

	for (size_t i = 0; i < c->count && failed == c->count; i++) {
		if (is_after && has_op(&c->inputs[i], needs))
			failed = i;
		is_after |= has_op(&c->inputs[i], after);
	}
	c->ended = tells_which ? failed : c->count;
	*t = (struct trial){ .is_done = true, .status = TEST_PASSED };
	if (failed < c->count && !passes_always) {
		t->status = TEST_FAILED;
		t->signature = strdup("Stuck: stuck #ms");
		t->text = strdup("it is stuck");
	}
}

int __wrap_fuzz_batch_run(struct fuzz *f, struct fuzz_batch *b);

int __wrap_fuzz_batch_run(struct fuzz *f, struct fuzz_batch *b)
{
	(void)f;
	for (size_t i = 0; i < b->count; i++) {
		run_chain(&b->chains[i], &b->trials[i]);
		longest = MAX(longest, b->chains[i].count);
		guests++;
	}
	return 0;
}

#define INPUT(...)                                                                   \
	{                                                                            \
		.seed = 7, .count = ARRAY_SIZE(((struct fuzz_op[]){ __VA_ARGS__ })), \
		.ops = { __VA_ARGS__ }                                               \
	}

static const struct fuzz_input large =
	INPUT({ FUZZ_OP_GROUP, { 0, 7 } }, { FUZZ_OP_GROUP, { 1, 3 } }, { FUZZ_OP_STEP, { 50 } },
	      { FUZZ_OP_RESTART }, { FUZZ_OP_SPAWN, { 1, 5 } }, { FUZZ_OP_STEP, { 20 } },
	      { FUZZ_OP_OFFLINE, { 0 } }, { FUZZ_OP_STOP, { 1 } });
static const struct fuzz_input plain = INPUT({ FUZZ_OP_GROUP, { 0, 7 } }, { FUZZ_OP_STEP, { 50 } });
static const struct fuzz_input before =
	INPUT({ FUZZ_OP_GROUP, { 0, 7 } }, { FUZZ_OP_STEP, { 50 } }, { FUZZ_OP_RESTART });

static struct fuzz fuzz;
static struct fuzz_failure failure;

static int set_up(void **state)
{
	(void)state;
	needs = FUZZ_OP_OFFLINE;
	after = FUZZ_OP_COUNT;
	tells_which = true;
	passes_always = false;
	guests = 0;
	longest = 0;
	fuzz = (struct fuzz){ .deadline_ns = UINT64_MAX };
	failure = (struct fuzz_failure){ .input = large, .signature = strdup("Stuck") };
	fuzz_input_repair(&failure.input);
	return failure.signature ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	fuzz_failure_finish(&failure);
	return 0;
}

static void what_a_failure_does_not_need_goes(void **state)
{
	(void)state;
	failure.input.machine = 2;
	assert_int_equal(fuzz_shrink(&fuzz, &failure), 0);
	assert_true(has_op(&failure.input, FUZZ_OP_OFFLINE));
	assert_false(has_op(&failure.input, FUZZ_OP_RESTART));
	assert_false(has_op(&failure.input, FUZZ_OP_SPAWN));
	assert_int_equal(failure.input.machine, 0);
	assert_int_equal(failure.input.seed, 7);
	/* One group, two steps, and what it needs: as few as a valid input with it has. */
	assert_true(failure.input.count <= 4);
	assert_true(guests <= 60 + 2);
	assert_int_equal(failure.tries, guests);
	assert_int_equal(fuzz.shrinking, guests);
}

static void changes_of_nice_values_become_simple(void **state)
{
	(void)state;
	needs = FUZZ_OP_SET_NICE;
	failure.input = (struct fuzz_input)INPUT({ FUZZ_OP_GROUP, { 0, 3 } },
						 { FUZZ_OP_GROUP, { 1, 3 } },
						 { FUZZ_OP_STEP, { 50 } }, { FUZZ_OP_STOP, { 0 } },
						 { FUZZ_OP_SET_NICE, { 1, 3 } });
	fuzz_input_repair(&failure.input);
	assert_int_equal(fuzz_shrink(&fuzz, &failure), 0);
	assert_int_equal(failure.input.count, 4);
	assert_int_equal(failure.input.ops[2].kind, FUZZ_OP_SET_NICE);
	assert_int_equal(failure.input.ops[2].args[1], 0);
}

static void a_failure_that_does_not_come_again_stays_as_it_is(void **state)
{
	struct fuzz_input was = failure.input;

	(void)state;
	passes_always = true;
	assert_int_equal(fuzz_shrink(&fuzz, &failure), 0);
	assert_true(fuzz_input_equal(&failure.input, &was));
	assert_true(guests > 0);
	/* Each smaller form ran once. */
	guests = 0;
	assert_int_equal(fuzz_shrink(&fuzz, &failure), 0);
	assert_int_equal(failure.tries, 2 * guests);
}

static void nothing_runs_when_the_time_is_over(void **state)
{
	(void)state;
	fuzz.deadline_ns = 0;
	assert_int_equal(fuzz_shrink(&fuzz, &failure), 0);
	assert_int_equal(guests, 0);
}

/* What has to run before it has the machine that it had. */
static void what_ran_before_runs_each_time(void **state)
{
	struct fuzz_input first = before;

	(void)state;
	after = FUZZ_OP_RESTART;
	fuzz_input_repair(&first);
	failure.input.machine = first.machine = 2;
	assert_int_equal(vec_push(&failure.before, first), 0);
	assert_int_equal(fuzz_shrink(&fuzz, &failure), 0);
	assert_int_equal(longest, 2);
	assert_int_equal(failure.input.machine, 2);
	assert_true(failure.input.count <= 4 && has_op(&failure.input, FUZZ_OP_OFFLINE));
	assert_int_equal(failure.before.count, 1);
}

/* ---- which of a chain ---- */

/* A chain of `count` scenarios: plain ones, but those with these indices. Seeds count from 1. */
static void isolate(size_t count, size_t cause, size_t failing, bool *is_confirmed)
{
	_free_ struct fuzz_chain *c = calloc(1, sizeof(*c));

	assert_non_null(c);
	c->count = count;
	for (size_t i = 0; i < count; i++) {
		c->inputs[i] = i == cause ? before : i == failing ? large : plain;
		c->inputs[i].seed = (uint32_t)i + 1;
		fuzz_input_repair(&c->inputs[i]);
	}
	c->ended = tells_which ? failing : count;
	assert_int_equal(fuzz_isolate(&fuzz, c, &failure, is_confirmed), 0);
	assert_int_equal(failure.tries, guests);
}

static void the_last_alone_is_tried_first(void **state)
{
	bool is_confirmed;

	(void)state;
	isolate(9, SIZE_MAX, 6, &is_confirmed);
	assert_true(is_confirmed);
	assert_int_equal(guests, 1);
	assert_int_equal(failure.input.seed, 7);
	assert_int_equal(failure.before.count, 0);
	assert_string_equal(failure.signature, "Stuck");
	assert_string_equal(failure.text, "it is stuck");
}

static void who_has_to_run_before_is_kept(void **state)
{
	bool is_confirmed;

	(void)state;
	after = FUZZ_OP_RESTART;
	isolate(9, 5, 7, &is_confirmed);
	assert_true(is_confirmed);
	assert_int_equal(failure.input.seed, 8);
	assert_int_equal(failure.before.count, 1);
	assert_int_equal(failure.before.items[0].seed, 6);
}

/* In the first half, where halving finds nothing. */
static void who_has_to_run_before_may_be_the_first(void **state)
{
	bool is_confirmed;

	(void)state;
	after = FUZZ_OP_RESTART;
	isolate(9, 0, 8, &is_confirmed);
	assert_true(is_confirmed);
	assert_int_equal(failure.input.seed, 9);
	assert_int_equal(failure.before.count, 1);
	assert_int_equal(failure.before.items[0].seed, 1);
}

/* A guest that died does not tell which it was: either half may have it. */
static void one_of_many_is_found_by_halves(void **state)
{
	(void)state;
	tells_which = false;
	for (size_t failing = 0; failing < 16; failing++) {
		bool is_confirmed;

		guests = 0;
		failure.tries = 0;
		isolate(16, SIZE_MAX, failing, &is_confirmed);
		assert_true(is_confirmed);
		assert_int_equal(failure.input.seed, failing + 1);
		assert_int_equal(failure.before.count, 0);
		assert_true(guests <= 8);
	}
}

static void what_fails_once_only_is_not_confirmed(void **state)
{
	bool is_confirmed = true;

	(void)state;
	passes_always = true;
	isolate(4, SIZE_MAX, 2, &is_confirmed);
	assert_false(is_confirmed);
	assert_true(guests > 0);
	assert_null(failure.text);
	assert_int_equal(failure.before.count, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(what_a_failure_does_not_need_goes),
		TEST(changes_of_nice_values_become_simple),
		TEST(a_failure_that_does_not_come_again_stays_as_it_is),
		TEST(nothing_runs_when_the_time_is_over),
		TEST(what_ran_before_runs_each_time),
		TEST(the_last_alone_is_tried_first),
		TEST(who_has_to_run_before_is_kept),
		TEST(who_has_to_run_before_may_be_the_first),
		TEST(one_of_many_is_found_by_halves),
		TEST(what_fails_once_only_is_not_confirmed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
