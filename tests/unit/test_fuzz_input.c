// SPDX-License-Identifier: GPL-2.0-only
/* Inputs of `ktstr fuzz`: whatever is made of them is a scenario, and reads as it was written. */
#include "unit.h"

#include <ktstr/ktstr.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "fuzz_equal.h"
#include "scenfile/scenfile.h"

#define MANY 500

/* The reader of scenario files takes it, and ours reads the same input. */
static void check_valid(const struct fuzz_input *in)
{
	_cleanup_(arena_finish) struct arena arena = {};
	_str_ struct str text = {};
	struct fuzz_input again = *in, back;
	struct scenfile file;

	fuzz_input_repair(&again);
	assert_true(fuzz_input_equal(in, &again));
	fuzz_input_add_yaml(in, &text);
	if (scenfile_parse("in", str_get(&text), text.len, &arena, &file) < 0)
		fail_msg("%s\n%s", err_text(-EINVAL), str_get(&text));
	assert_non_null(file.run.backdrop.defs->name);
	assert_int_equal(fuzz_input_parse("in", str_get(&text), &back), 0);
	if (!fuzz_input_equal(in, &back)) {
		_str_ struct str other = {};

		fuzz_input_add_yaml(&back, &other);
		/* Work that is left out is spelled as another: then the text is the same. */
		assert_string_equal(str_get(&text), str_get(&other));
	}
}

/* Workers of real-time policies, or who take one: nobody else may be kept from running by them. */
static void check_realtime(const struct fuzz_input *in)
{
	_str_ struct str text = {};
	unsigned int policies = 0, teams = 0;

	fuzz_input_add_yaml(in, &text);
	for (const char *at = str_get(&text); (at = strstr(at, ", policy: { ")); at++)
		policies++;
	for (const char *at = str_get(&text); (at = strstr(at, "RtStarvation")); at++) {
		const char *line = at, *workers;

		while (line[-1] != '\n')
			line--;
		workers = strstr(line, "workers: ");
		assert_non_null(workers);
		teams += (unsigned int)atoi(workers + strlen("workers: ")) / 2;
	}
	assert_true(policies <= 1 && teams <= 3);
	assert_true(policies * 33 + teams * 20 <= 60);
}

/* Who moves between cgroups is in one of the test. */
static void check_movers(const struct fuzz_input *in)
{
	_str_ struct str text = {};

	fuzz_input_add_yaml(in, &text);
	for (const char *at = str_get(&text); (at = strstr(at, "CgroupAttachStorm")); at++) {
		const char *line = at;

		while (line[-1] != '\n')
			line--;
		assert_false(str_starts(line, "      - spawn_host: "));
	}
}

static uint32_t kinds_of(const struct fuzz_input *in)
{
	uint32_t kinds = 0;

	for (size_t op = 0; op < in->count; op++)
		kinds |= UINT32_C(1) << in->ops[op].kind;
	return kinds;
}

static void inputs_at_random_are_scenarios(void **state)
{
	struct fuzz_random r = { 1 };
	struct fuzz_input in, other;
	uint32_t kinds = 0, strategies = 0;
	unsigned int lengths[2] = {};

	(void)state;
	for (int i = 0; i < MANY; i++) {
		fuzz_input_make(&in, &r);
		fuzz_input_make(&other, &r);
		check_valid(&in);
		kinds |= kinds_of(&in);
		fuzz_input_mutate(&in, &r);
		check_valid(&in);
		fuzz_input_splice(&in, &other, &r);
		check_valid(&in);
		kinds |= kinds_of(&in);
		assert_true(fuzz_input_ms(&in) >= 100);
		lengths[in.ops[in.count - 1].args[0] + 1 >= FUZZ_LONG_MS]++;
		assert_true(in.seed);
		strategies |= UINT32_C(1) << in.strategy;
		check_realtime(&in);
		check_movers(&in);
	}
	assert_int_equal(strategies, 7);
	/* Both kinds of last steps, and every row of the table are used. */
	assert_true(lengths[0] > MANY / 10 && lengths[1] > MANY / 10);
	assert_int_equal(kinds, (UINT32_C(1) << FUZZ_OP_COUNT) - 1);
}

/* Rich ones have nearly as many operations as there is room for; repairing drops some. */
static void rich_inputs_are_scenarios(void **state)
{
	struct fuzz_random r = { 1 };
	size_t plain = 0, rich = 0;

	(void)state;
	for (int i = 0; i < MANY; i++) {
		struct fuzz_input in;

		fuzz_input_make(&in, &r);
		plain += in.count;
		fuzz_input_enrich(&in, &r);
		rich += in.count;
		check_valid(&in);
		check_realtime(&in);
		check_movers(&in);
	}
	assert_true(rich > plain * 3 / 2);
}

static struct fuzz_input input_of(const struct fuzz_op *ops, size_t count)
{
	struct fuzz_input in = { .seed = 5, .count = count };

	memcpy(in.ops, ops, count * sizeof(*ops));
	fuzz_input_repair(&in);
	return in;
}
#define INPUT(...)                                        \
	input_of((const struct fuzz_op[]){ __VA_ARGS__ }, \
		 sizeof((const struct fuzz_op[]){ __VA_ARGS__ }) / sizeof(struct fuzz_op))

static bool has_same_ops(const struct fuzz_input *a, const struct fuzz_input *b)
{
	return a->count == b->count && memcmp(a->ops, b->ops, a->count * sizeof(a->ops[0])) == 0;
}

/* A scenario that runs a second time brings nothing; one that was changed often has grown. */
static void changes_make_a_difference(void **state)
{
	struct fuzz_random r = { 1 };
	unsigned int same = 0;
	size_t before = 0, grown = 0;

	(void)state;
	for (int i = 0; i < MANY; i++) {
		struct fuzz_input in, was;

		fuzz_input_make(&in, &r);
		before += in.count;
		was = in;
		fuzz_input_mutate(&in, &r);
		same += has_same_ops(&in, &was);
		assert_true(in.seed != was.seed);
		for (int n = 0; n < 10; n++)
			fuzz_input_mutate(&in, &r);
		grown += in.count;
	}
	assert_true(same <= MANY / 100);
	assert_true(2 * grown > 3 * before);
}

/* How many kinds of work and of operations so few inputs have. */
static void count_kinds(bool is_guided, uint64_t seed, unsigned int *works, unsigned int *ops)
{
	struct fuzz_uses uses = {};
	struct fuzz_random r = { seed, is_guided ? &uses : NULL };
	bool has_work[FUZZ_CLASSES] = {};
	uint32_t kinds = 0;

	for (int i = 0; i < 60; i++) {
		struct fuzz_input in;

		fuzz_input_make(&in, &r);
		kinds |= kinds_of(&in);
		for (size_t n = 0; n < in.count; n++)
			if (in.ops[n].kind == FUZZ_OP_GROUP)
				has_work[in.ops[n].args[2] / FUZZ_AMOUNTS] = true;
	}
	for (size_t i = 0; i < FUZZ_CLASSES; i++)
		*works += has_work[i];
	*ops += (unsigned int)__builtin_popcount(kinds);
}

static void what_was_tried_least_comes_first(void **state)
{
	unsigned int works[2] = {}, ops[2] = {};

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++)
		for (int is_guided = 0; is_guided < 2; is_guided++)
			count_kinds(is_guided, seed, &works[is_guided], &ops[is_guided]);
	assert_true(10 * works[1] > 11 * works[0]);
	assert_true(ops[1] > ops[0]);
}

/* The groups of both, steps of the first and then of the other; the last step is one alone. */
static void parts_of_two_are_in_their_order(void **state)
{
	const struct fuzz_op step = { FUZZ_OP_STEP, { 9 } };
	const struct fuzz_input a = INPUT({ FUZZ_OP_GROUP, { 0, 1 } }, step,
					  { FUZZ_OP_FREEZE, { 0 } }, step,
					  { FUZZ_OP_UNFREEZE, { 0 } }),
				b = INPUT({ FUZZ_OP_GROUP, { 1, 1 } }, step, { FUZZ_OP_RESTART });
	struct fuzz_random r = { 1 };
	unsigned int whole = 0;

	(void)state;
	for (int i = 0; i < 100; i++) {
		struct fuzz_input in = a;

		fuzz_input_splice(&in, &b, &r);
		check_valid(&in);
		assert_true(in.ops[0].args[0] == 0 && in.ops[1].kind == FUZZ_OP_GROUP);
		assert_int_equal(in.ops[1].args[0], 1);
		/* Freezing and thawing, then the restart. */
		if (in.count == 9) {
			assert_int_equal(in.ops[3].kind, FUZZ_OP_FREEZE);
			assert_int_equal(in.ops[5].kind, FUZZ_OP_UNFREEZE);
			assert_int_equal(in.ops[7].kind, FUZZ_OP_RESTART);
			whole++;
		}
	}
	assert_true(whole > 10 && whole < 90);
}

static void kinds_of_operations_can_be_left_out(void **state)
{
	const uint32_t kinds = FUZZ_OP(OFFLINE) | FUZZ_OP(ONLINE) | FUZZ_OP(SPAWN);
	struct fuzz_random r = { 1 };
	struct fuzz_input in;
	unsigned int dropped = 0;

	(void)state;
	for (int i = 0; i < MANY; i++) {
		fuzz_input_make(&in, &r);
		dropped += fuzz_input_has(&in, kinds);
		fuzz_input_drop(&in, kinds);
		assert_false(fuzz_input_has(&in, kinds));
		check_valid(&in);
	}
	assert_true(dropped > MANY / 10);
}

static void the_same_seed_makes_the_same_inputs(void **state)
{
	struct fuzz_random a = { 7 }, b = { 7 }, c = { 8 };
	struct fuzz_input x, y, z;

	(void)state;
	fuzz_input_make(&x, &a);
	fuzz_input_make(&y, &b);
	fuzz_input_make(&z, &c);
	assert_true(fuzz_input_equal(&x, &y));
	assert_false(fuzz_input_equal(&x, &z));
}

static void any_bytes_are_repaired(void **state)
{
	struct fuzz_random r = { 3 };

	(void)state;
	for (int i = 0; i < MANY; i++) {
		struct fuzz_input in;
		uint32_t *words = (uint32_t *)&in;

		for (size_t n = 0; n < sizeof(in) / sizeof(*words); n++)
			words[n] = (uint32_t)fuzz_random_next(&r);
		fuzz_input_repair(&in);
		check_valid(&in);
	}
}

static void what_is_not_possible_is_dropped(void **state)
{
	const struct fuzz_op group = { FUZZ_OP_GROUP, { 0, 1 } }, step = { FUZZ_OP_STEP, { 9 } };
	struct fuzz_input in;

	(void)state;
	/* In place of a group or a CPU that is not there another one is meant. */
	in = INPUT(group, step, { FUZZ_OP_FREEZE, { 1 } });
	assert_int_equal(in.count, 4);
	assert_int_equal(in.ops[2].args[0], 0);
	in = INPUT(group, { FUZZ_OP_GROUP, { 1, 1 } }, step, { FUZZ_OP_REMOVE, { 1 } },
		   { FUZZ_OP_STOP, { 1 } });
	assert_int_equal(in.count, 6);
	assert_int_equal(in.ops[4].args[0], 0);
	in = INPUT(group, step, { FUZZ_OP_OFFLINE, { 1 } });
	assert_int_equal(in.ops[2].args[0], 0);
	/* One that is offline cannot go again, and does not come twice. */
	in = INPUT(group, step, { FUZZ_OP_OFFLINE, { 0 } }, { FUZZ_OP_OFFLINE, { 0 } },
		   { FUZZ_OP_ONLINE, { 0 } }, { FUZZ_OP_ONLINE, { 0 } });
	assert_int_equal(in.count, 5);
	/* The last group stays, frozen ones are left alone, nothing is moved to itself. */
	in = INPUT(group, step, { FUZZ_OP_REMOVE, { 0 } });
	assert_int_equal(in.count, 2);
	in = INPUT(group, step, { FUZZ_OP_FREEZE, { 0 } }, { FUZZ_OP_STOP, { 0 } },
		   { FUZZ_OP_UNFREEZE, { 0 } });
	assert_int_equal(in.count, 5);
	in = INPUT(group, step, { FUZZ_OP_MOVE, { 0, 0 } });
	assert_int_equal(in.count, 2);
	/* Operations before a step have no place; a second group of the same name neither. */
	in = INPUT(group, { FUZZ_OP_STOP, { 0 } }, group, step);
	assert_int_equal(in.count, 2);
}

static void workers_are_whole_teams_and_not_too_many(void **state)
{
	unsigned int herd = FUZZ_WORK(KTSTR_WORK_THUNDERING_HERD, 0);
	struct fuzz_input in = INPUT({ FUZZ_OP_GROUP, { 0, 2, herd } });

	(void)state;
	assert_int_equal(in.ops[0].args[1] + 1, 8);
	in = INPUT({ FUZZ_OP_GROUP, { 0, 23 } }, { FUZZ_OP_GROUP, { 1, 23 } },
		   { FUZZ_OP_GROUP, { 2, 0 } });
	assert_int_equal(in.count, 3);
	/* A real-time task rests now and then, and is alone. */
	in = INPUT({ FUZZ_OP_GROUP, { 0, 9, 0, 4 } });
	assert_int_equal(in.ops[0].args[1], 0);
	assert_int_equal(in.ops[0].args[2], FUZZ_WORK(KTSTR_WORK_BURSTY, 1));
}

static const char simple[] = "# ktstr fuzz: seed 5\n"
			     "topology: 1n1l2c1t\n"
			     "checks: { max_spread_pct: off }\n"
			     "cgroups:\n"
			     "  - { name: g0, workers: 2 }\n"
			     "steps:\n"
			     "  - hold: 10ms\n"
			     "    allow_backdrop: true\n"
			     "    ops:\n"
			     "      - freeze_cgroup: g0\n"
			     "  - hold: 100ms\n";

static void an_input_is_written_as_yaml_and_as_c(void **state)
{
	struct fuzz_input in = INPUT({ FUZZ_OP_GROUP, { 0, 1 } }, { FUZZ_OP_STEP, { 9 } },
				     { FUZZ_OP_FREEZE, { 0 } });
	char *const args[] = { "--say", "a\"b" };
	struct fuzz_program p = { .name = "fuzz_3",
				  .scheduler = "/x/scx_mine",
				  .args = args,
				  .arg_count = 2,
				  .ignores_weights = true,
				  .why = "bad */ end" };
	_str_ struct str yaml = {}, c = {};

	(void)state;
	fuzz_input_add_yaml(&in, &yaml);
	assert_string_equal(str_get(&yaml), simple);
	fuzz_inputs_add_c(&in, 1, &p, &c);
	assert_string_equal(
		str_get(&c),
		"/* Written by `ktstr fuzz`: bad *  end */\n#include <ktstr/ktstr.h>\n\n"
		"KTSTR_SCHEDULER(under_test, .name = \"scx_mine\",\n"
		"\t\t.binary_path = \"/x/scx_mine\",\n"
		"\t\t.sched_args = KTSTR_ARGS(\"--say\", \"a\\042b\"),\n"
		"\t\t.ignores_weights = true);\n\n"
		"KTSTR_TEST(fuzz_3, .scheduler = &under_test, .numa_nodes = 1, .llcs = 1, .cores = 2,\n"
		"\t   .threads = 1, .duration_ms = 110, .watchdog_timeout_s = 2, .accel = \"sim\", "
		".seed = 5,\n\t   .assert = { .max_spread_pct = KTSTR_OFF })\n{\n"
		"\treturn ktstr_run_scenario(ctx, res, &(struct ktstr_scenario_run){\n"
		"\t\t.backdrop = { .defs = KTSTR_CGROUPS(\n"
		"\t\t\t{ .name = \"g0\", .workers = 2 }) },\n"
		"\t\t.steps = KTSTR_STEPS(\n"
		"\t\t\t{ .hold = KTSTR_FIXED_MS(10), .allow_backdrop = true, .ops = KTSTR_OPS(\n"
		"\t\t\t\tKTSTR_FREEZE(\"g0\")) },\n"
		"\t\t\t{ .hold = KTSTR_FIXED_MS(100) }) });\n}\n");
}

static size_t count_texts(const char *text, const char *what)
{
	size_t count = 0;

	for (; (text = strstr(text, what)); text++)
		count++;
	return count;
}

static void a_test_runs_what_has_to_run_before(void **state)
{
	struct fuzz_input in[] = { INPUT({ FUZZ_OP_GROUP, { 1, 1 } }),
				   INPUT({ FUZZ_OP_GROUP, { 0, 1 } }) };
	struct fuzz_program p = { .name = "fuzz_1", .scheduler = "/x/scx_mine", .why = "" };
	_str_ struct str c = {};

	(void)state;
	in[1].seed = 9;
	fuzz_input_lengthen(&in[1]);
	fuzz_inputs_add_c(in, 2, &p, &c);
	assert_int_equal(count_texts(str_get(&c), "\tktstr_run_scenario(ctx, res, "), 1);
	assert_int_equal(count_texts(str_get(&c), "\treturn ktstr_run_scenario(ctx, res, "), 1);
	assert_true(strstr(str_get(&c), "\"g1\"") < strstr(str_get(&c), "\"g0\""));
	assert_non_null(strstr(str_get(&c), ".duration_ms = 1200, "));
	assert_non_null(strstr(str_get(&c), ".seed = 9,"));
}

static unsigned int last_ms(const struct fuzz_input *in)
{
	return in->ops[in->count - 1].args[0] + 1;
}

static void everybody_has_a_turn_in_the_last_step(void **state)
{
	struct fuzz_input few = INPUT({ FUZZ_OP_GROUP, { 0, 1 } }),
			  some = INPUT({ FUZZ_OP_GROUP, { 0, 9 } }),
			  limited = INPUT({ FUZZ_OP_GROUP, { 0, 1, 0, 0, 0, 0, 0, 0, 1 } });

	(void)state;
	assert_int_equal(last_ms(&few), 100);
	assert_int_equal(last_ms(&some), 300);
	assert_int_equal(last_ms(&limited), 700);
	/* A fifth of a CPU is not for many. */
	limited = INPUT({ FUZZ_OP_GROUP, { 0, 20, 0, 0, 0, 0, 0, 0, 1 } },
			{ FUZZ_OP_GROUP, { 1, 20 } }, { FUZZ_OP_GROUP, { 2, 20 } },
			{ FUZZ_OP_GROUP, { 3, 20 } });
	assert_int_equal(limited.count, 4);
	assert_int_equal(limited.ops[0].args[1] + 1, 2);
	/* Those of a step end with it; one that starts none may be short. */
	some = INPUT({ FUZZ_OP_GROUP, { 0, 1 } }, { FUZZ_OP_STEP, { 0 } },
		     { FUZZ_OP_SPAWN, { 0, 2 } }, { FUZZ_OP_STEP, { 0 } }, { FUZZ_OP_RESTART });
	assert_int_equal(some.ops[1].args[0] + 1, 150);
	assert_int_equal(some.ops[3].args[0] + 1, 1);
	/* What is long stays long, whatever else changes. */
	fuzz_input_lengthen(&few);
	check_valid(&few);
	assert_int_equal(last_ms(&few), FUZZ_LONG_MS);
}

/* Both kinds count, by their number and by their weight. */
static void groups_may_have_two_kinds_of_workers(void **state)
{
	struct fuzz_input in = INPUT({ FUZZ_OP_UNEQUAL, { 0, 3, 5, 1 } }),
			  limited = INPUT({ FUZZ_OP_UNEQUAL, { 0, 3, 5, 0, 0, 0, 1 } });
	_str_ struct str yaml = {}, c = {};
	struct fuzz_program p = { .name = "fuzz_1", .scheduler = "/x/scx_mine", .why = "" };

	(void)state;
	check_valid(&in);
	assert_int_equal(last_ms(&in), 300);
	fuzz_input_add_yaml(&in, &yaml);
	assert_non_null(strstr(str_get(&yaml), "  - { name: g0, works: [{ workers: 4 }, "
					       "{ workers: 6, nice: -5 }] }\n"));
	fuzz_inputs_add_c(&in, 1, &p, &c);
	assert_non_null(strstr(str_get(&c), ".works = KTSTR_WORKS({ .workers = 4 }, "
					    "{ .workers = 6, .nice = -5 })"));
	assert_true(limited.ops[0].args[1] == 0 && limited.ops[0].args[2] == 0);
	/* Beside so many that are so heavy others are too light, and are left out. */
	in = INPUT({ FUZZ_OP_UNEQUAL, { 0, 7, 7, 1 } }, { FUZZ_OP_UNEQUAL, { 1, 7, 7, 0 } });
	assert_int_equal(in.count, 2);
}

/* Arguments of groups: workers, work, policy, affinity, nice. */
static void nobody_is_too_light_for_a_turn(void **state)
{
	struct fuzz_input heavy = INPUT({ FUZZ_OP_GROUP, { 0, 0, 0, 0, 0, 4 } }),
			  crowd = INPUT({ FUZZ_OP_GROUP, { 0, 15, 0, 0, 0, 3 } },
					{ FUZZ_OP_GROUP, { 1, 0, 0, 0, 0, 3 } }),
			  idle = INPUT({ FUZZ_OP_GROUP, { 0, 2, 0, 2 } },
				       { FUZZ_OP_GROUP, { 1, 2 } });

	(void)state;
	assert_int_equal(fuzz_type_count(FUZZ_TYPE_NICE), 6);
	/* nice -20 is as heavy as 86 others. */
	assert_int_equal(heavy.ops[0].args[5], 0);
	assert_int_equal(crowd.ops[0].args[5], 3);
	assert_int_equal(crowd.ops[1].args[5], 0);
	/* Beside SCHED_IDLE all are of it. */
	assert_int_equal(idle.ops[0].args[3], 2);
	assert_int_equal(idle.ops[1].args[3], 2);
}

static void nice_values_change_and_leave_everybody_a_turn(void **state)
{
	const struct fuzz_op group = { FUZZ_OP_GROUP, { 0, 1 } }, step = { FUZZ_OP_STEP, { 9 } };
	struct fuzz_input in = INPUT(group, step, { FUZZ_OP_SET_NICE, { 0, 2 } });
	struct fuzz_program p = { .name = "fuzz_1", .scheduler = "/x/scx_mine", .why = "" };
	_str_ struct str yaml = {}, c = {};

	(void)state;
	check_valid(&in);
	fuzz_input_add_yaml(&in, &yaml);
	assert_non_null(strstr(str_get(&yaml), "\n      - set_nice: { cgroup: g0, nice: -5 }\n"));
	fuzz_inputs_add_c(&in, 1, &p, &c);
	assert_non_null(strstr(str_get(&c), "KTSTR_SET_NICE(\"g0\", -5)"));
	/* 24 of nice -5 weigh as much as 73, and others were of nice 0 and 5 before. */
	in = INPUT({ FUZZ_OP_GROUP, { 0, 23 } }, step, { FUZZ_OP_SET_NICE, { 0, 2 } });
	assert_false(fuzz_input_has(&in, FUZZ_OP(SET_NICE)));
	in = INPUT({ FUZZ_OP_GROUP, { 0, 9, 0, 0, 0, 1 } }, step, { FUZZ_OP_SET_NICE, { 0, 2 } },
		   { FUZZ_OP_SET_NICE, { 0, 0 } });
	assert_int_equal(in.count, 4);
	assert_int_equal(in.ops[2].args[1], 0);
	/* Beside SCHED_IDLE nobody may weigh more. */
	in = INPUT({ FUZZ_OP_GROUP, { 0, 0, 0, 2 } }, step, { FUZZ_OP_SET_NICE, { 0, 0 } });
	assert_false(fuzz_input_has(&in, FUZZ_OP(SET_NICE)));
	/* The nice value of a real-time task counts once it is of another policy. */
	in = INPUT({ FUZZ_OP_GROUP, { 0, 0, 0, 4 } }, step, { FUZZ_OP_SET_NICE, { 0, 1 } },
		   { FUZZ_OP_SET_POLICY, { 0, 1 } }, { FUZZ_OP_SET_NICE, { 0, 1 } });
	assert_int_equal(in.ops[2].args[1], 0);
	assert_int_equal(in.ops[4].args[1], 1);
}

static void expect_refused(const char *text, const char *why)
{
	struct fuzz_input in;

	err_clear();
	assert_int_equal(fuzz_input_parse("f", text, &in), -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), why));
}

static void what_is_no_input_is_refused(void **state)
{
	_str_ struct str many = {};

	(void)state;
	expect_refused("", "f: no scenario of `ktstr fuzz`");
	expect_refused("# ktstr fuzz: seed 5\n", "f: no scenario");
	expect_refused("  - { name: g0, workers: 2 }\n", "f: no scenario");
	expect_refused("# ktstr fuzz: seed 0\n", "f:1: the seed");
	expect_refused("# ktstr fuzz: seed 4294967296\n", "f:1: the seed");
	expect_refused("# ktstr fuzz: seed 5\ntopology: 9n9l9c9t\n", "f:2: the topology");
	expect_refused("topology: 1n1l2c1tx\n", "f:1: the topology");
	expect_refused("  - { name: g9, workers: 2 }\n", "f:1: no line");
	expect_refused("  - { name: g0, workers: 99 }\n", "f:1: no line");
	expect_refused("  - { name: g0, workers: 2, work: Nothing }\n", "f:1: no line");
	expect_refused("      - freeze_cgroup: g0 \n", "f:1: no line");
	str_add(&many, "# ktstr fuzz: seed 5\n");
	for (int i = 0; i <= FUZZ_MAX_OPS; i++)
		str_add(&many, "  - hold: 5ms\n");
	expect_refused(str_get(&many), "f:26: more than 24 operations");
}

static void smaller_forms_end_and_are_valid(void **state)
{
	struct fuzz_random r = { 11 };

	(void)state;
	for (int i = 0; i < 20; i++) {
		struct fuzz_input in, form;
		unsigned int n = 0;

		fuzz_input_make(&in, &r);
		for (; fuzz_input_smaller(&in, n, &form); n++) {
			check_valid(&form);
			assert_true(form.count <= in.count || n == 0);
			assert_true(form.machine <= in.machine);
			assert_int_equal(form.seed, in.seed);
		}
		assert_true(n < 500);
	}
}

/* A failure that needs one operation is found whatever else there is. */
static void shrinking_leaves_what_is_needed(void **state)
{
	struct fuzz_input in = INPUT({ FUZZ_OP_GROUP, { 0, 7 } }, { FUZZ_OP_GROUP, { 1, 3 } },
				     { FUZZ_OP_STEP, { 50 } }, { FUZZ_OP_RESTART },
				     { FUZZ_OP_SPAWN, { 1, 5 } }, { FUZZ_OP_STEP, { 20 } },
				     { FUZZ_OP_OFFLINE, { 0 } }, { FUZZ_OP_STOP, { 1 } });
	bool is_changed = true;

	(void)state;
	while (is_changed) {
		struct fuzz_input form;

		is_changed = false;
		for (unsigned int n = 0; fuzz_input_smaller(&in, n, &form); n++) {
			bool has_it = false;

			for (size_t i = 0; i < form.count; i++)
				has_it |= form.ops[i].kind == FUZZ_OP_OFFLINE;
			if (!has_it || !fuzz_input_is_smaller(&form, &in))
				continue;
			in = form;
			is_changed = true;
		}
	}
	assert_int_equal(in.count, 4);
	assert_int_equal(in.ops[0].kind, FUZZ_OP_GROUP);
	assert_int_equal(in.ops[1].kind, FUZZ_OP_STEP);
	assert_int_equal(in.ops[1].args[0], 0);
	assert_int_equal(in.ops[2].kind, FUZZ_OP_OFFLINE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inputs_at_random_are_scenarios),
		cmocka_unit_test(rich_inputs_are_scenarios),
		cmocka_unit_test(changes_make_a_difference),
		cmocka_unit_test(what_was_tried_least_comes_first),
		cmocka_unit_test(parts_of_two_are_in_their_order),
		cmocka_unit_test(kinds_of_operations_can_be_left_out),
		cmocka_unit_test(the_same_seed_makes_the_same_inputs),
		cmocka_unit_test(any_bytes_are_repaired),
		cmocka_unit_test(what_is_not_possible_is_dropped),
		cmocka_unit_test(workers_are_whole_teams_and_not_too_many),
		cmocka_unit_test(an_input_is_written_as_yaml_and_as_c),
		cmocka_unit_test(a_test_runs_what_has_to_run_before),
		cmocka_unit_test(everybody_has_a_turn_in_the_last_step),
		cmocka_unit_test(groups_may_have_two_kinds_of_workers),
		cmocka_unit_test(nobody_is_too_light_for_a_turn),
		cmocka_unit_test(nice_values_change_and_leave_everybody_a_turn),
		cmocka_unit_test(what_is_no_input_is_refused),
		cmocka_unit_test(smaller_forms_end_and_are_valid),
		cmocka_unit_test(shrinking_leaves_what_is_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
