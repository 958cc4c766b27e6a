// SPDX-License-Identifier: GPL-2.0-only
/* The document of --ktstr-probe: there and back, and what is no such document. */
#include "unit.h"

#include <errno.h>

#include "base/err.h"
#include "guest/protocol.h"
#include "program/parts.h"
#include "program/protocol.h"

static int body(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	(void)ctx;
	(void)res;
	return 0;
}

static const struct ktstr_flag flags[] = {
	{ .name = "llc", .args = KTSTR_ARGS("--llc") },
	{ .name = "steal", .requires_flags = KTSTR_ARGS("llc") },
	{},
};
static const struct ktstr_sched sched = {
	.name = "s",
	.binary = "scx_s",
	.flags = flags,
	.kargs = KTSTR_ARGS("quiet"),
	.sysctls = KTSTR_SYSCTLS({ "kernel.x", "1" }),
	.config_file_def = KTSTR_ARGS("--config={file}", "/c"),
};
static const struct ktstr_payload payload = { .binary = "fio", .output = KTSTR_OUT_JSON };
static const struct ktstr_test test = {
	.name = "t",
	.file = "a \"file\".c",
	.line = 7,
	.scheduler = &sched,
	.run = body,
	.nodes = KTSTR_NODES({ .llcs = 1, .memory_mib = 64 }, { .memory_mib = 32 }),
	.distances = (const uint8_t[]){ 10, 30, 30, 10 },
	.payload = &payload,
	.min_numa_nodes = 2,
	.max_numa_nodes = 2,
	.required_flags = KTSTR_ARGS("steal"),
	.assert = { .max_gap_ms = KTSTR_ZERO, .isolation = KTSTR_OFF, .max_spread_pct = 7.25 },
	.seed = UINT64_MAX,
	.offline_cpus = "1",
};

static char *describe(void)
{
	const struct ktstr_test *const tests[] = { &test };
	const struct program_entries entries = { .tests = tests, .test_count = 1 };
	struct probe p = {};
	struct str text = {};
	struct json j;

	assert_int_equal(describe_program(&p, &entries), 0);
	for (size_t i = 0; i < p.problems.count; i++)
		fail_msg("%s", p.problems.items[i]);
	json_init(&j, &text, false);
	probe_to_json(&p, &j);
	assert_int_equal(str_check(&text), 0);
	probe_finish(&p);
	return str_take(&text);
}

static void test_there_and_back(void **state)
{
	char *first = describe(), *work = strdup(first);
	struct probe p = {};
	struct str text = {};
	const struct probe_test *t;
	struct json j;

	(void)state;
	assert_int_equal(probe_from_json(&p, work, strlen(work)), 0);
	json_init(&j, &text, false);
	probe_to_json(&p, &j);
	assert_string_equal(text.s, first);
	t = probe_find_test(&p, "t");
	assert_non_null(t);
	assert_true(t->assert.max_gap_ms == KTSTR_ZERO);
	assert_int_equal(t->assert.isolation, KTSTR_OFF);
	assert_true(t->assert.max_spread_pct == 7.25);
	assert_true(t->seed == UINT64_MAX);
	assert_int_equal(t->topology.numa_nodes, 2);
	assert_int_equal(t->topology.llcs, 1);
	assert_int_equal(t->distances.count, 4);
	/* A scheduler that only the test knows is told as well. */
	assert_non_null(probe_find_sched(&p, "s"));
	assert_int_equal(probe_find_sched(&p, "s")->flags.items[1].requires_flags.count, 1);
	assert_null(probe_find_test(&p, "u"));
	probe_finish(&p);
	str_finish(&text);
	free(first);
	free(work);
}

static void test_bad_documents(void **state)
{
	static const struct {
		const char *text, *problem;
	} cases[] = {
		{ "", "at byte 0" },
		{ "[1]", "expected an object" },
		{ "{\"schema_version\":1,\"tests\":[{}]}", "test 0 has no name" },
		{ "{\"schema_version\":1,\"schedulers\":[{}]}", "scheduler 0 has no name" },
		{ "{\"schema_version\":9}", "schema version 9" },
		{ "{\"schema_version\":1,\"tests\":{}}", "another kind" },
		{ "{\"schema_version\":1,\"tests\":[{\"name\":\"a\",\"duration_ms\":-1}]}",
		  "another kind" },
		{ "{\"schema_version\":1,\"tests\":[{\"name\":\"a\",\"assert\":{"
		  "\"max_gap_ms\":-5}}]}",
		  "expected a threshold" },
		{ "{\"schema_version\":1,\"tests\":[{\"name\":\"a\",\"assert\":{"
		  "\"max_gap_ms\":2e26}}]}",
		  "expected a threshold" },
		{ "{\"schema_version\":1,\"problems\":[7]}", "another kind" },
		{ "{\"schema_version\":1,\"tests\":[{\"name\":\"a\",\"nodes\":[{"
		  "\"memory_mib\":4294967296}]}]}",
		  "another kind" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *work = strdup(cases[i].text);
		struct probe p = {};

		assert_int_equal(probe_from_json(&p, work, strlen(work)), -EINVAL);
		if (!strstr(err_text(-EINVAL), cases[i].problem))
			fail_msg("case %zu: '%s' lacks '%s'", i, err_text(-EINVAL),
				 cases[i].problem);
		probe_finish(&p);
		free(work);
	}
}

/* Two rooms that may not include each other have to mean the same files. */
static void test_names_agree_with_the_guest(void **state)
{
	(void)state;
	assert_string_equal(PROGRAM_GUEST_SCHED_ARGS, GUEST_SCHED_ARGS);
	assert_string_equal(PROGRAM_GUEST_RESULT, GUEST_RESULT_FILE);
	assert_string_equal("SCHED_PID", GUEST_SCHED_PID);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_bad_documents),
		cmocka_unit_test(test_names_agree_with_the_guest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
