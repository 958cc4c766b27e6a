// SPDX-License-Identifier: GPL-2.0-only
/* What becomes of a result when the host has read its payloads' text. */
#include "unit.h"

#include <sys/stat.h>

#include "base/str.h"
#include "check/result.h"
#include "payload/payload.h"
#include "run/parts.h"

static int setup(void **state)
{
	*state = unit_temp_create();
	setenv("KTSTR_CACHE_DIR", *state, 1);
	setenv("KTSTR_MODEL_OFFLINE", "1", 1);
	return 0;
}

static int teardown(void **state)
{
	unsetenv("KTSTR_LLM_CMD");
	unit_temp_remove(*state);
	return 0;
}

/* A stub in the place of a model; a result that was good so far and leaves one text to it. */
static void extract(const char *dir, const char *answer, char *request, struct ktstr_result *res)
{
	_free_ char *script = str_fmt("#!/bin/sh\ncat >/dev/null\necho '%s'\n", answer);
	_free_ char *stub = str_fmt("%s/stub", dir);

	unit_write(dir, "stub", script);
	assert_int_equal(chmod(stub, 0755), 0);
	setenv("KTSTR_LLM_CMD", stub, 1);
	result_init(res);
	assert_int_equal(vec_push(&res->extractions, request), 0);
	assert_int_equal(run_extract_metrics(res), 0);
}

static char *request_of(const char *checks)
{
	char *text = str_fmt("{\"payload\":\"prose\",\"run_index\":3,\"stdout\":\"it took sixty\","
			     "\"stderr\":\"\"%s}",
			     checks);

	assert_non_null(text);
	return text;
}

static void metrics_of_a_model_are_judged_and_kept(void **state)
{
	static const char checks[] =
		",\"metrics\":[{\"name\":\"p99\",\"polarity\":1,\"target\":40,\"unit\":\"us\"}],"
		"\"checks\":[{\"kind\":%d,\"metric\":\"p99\",\"high\":%d}]";
	static const struct {
		int high;
		enum ktstr_verdict verdict;
	} rows[] = { { 60, KTSTR_PASSED }, { 50, KTSTR_FAILED } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_free_ char *list = str_fmt(checks, KTSTR_CHECK_MAX, rows[i].high);
		const struct named_metric *m;
		struct ktstr_result res;

		extract(*state, "{\"p99\": 60}", request_of(list), &res);
		assert_int_equal(res.verdict, rows[i].verdict);
		assert_int_equal(res.details.count, rows[i].verdict == KTSTR_FAILED);
		if (res.details.count)
			assert_string_equal(res.details.items[0].message,
					    "metric 'p99' = 60 exceeds maximum 50");
		assert_int_equal(res.metrics.count, 1);
		m = &res.metrics.items[0];
		assert_string_equal(m->name, "p99");
		assert_string_equal(m->unit, "us");
		assert_string_equal(m->source, "llm");
		assert_string_equal(m->stream, "stdout");
		assert_string_equal(m->payload, "prose");
		assert_true(m->value == 60 && m->target == 40);
		assert_int_equal(m->polarity, 1);
		assert_int_equal(m->run_index, 3);
		result_finish(&res);
	}
}

/* Metrics that nothing is said about are no reason to pass. */
static void metrics_without_checks_decide_nothing(void **state)
{
	struct ktstr_result res;

	extract(*state, "{\"p99\": 60}", request_of(""), &res);
	assert_int_equal(res.verdict, KTSTR_SKIPPED);
	assert_int_equal(res.details.count, 0);
	assert_int_equal(res.metrics.count, 1);
	result_finish(&res);
}

static void what_cannot_be_read_is_inconclusive(void **state)
{
	struct ktstr_result res;

	result_init(&res);
	assert_int_equal(vec_push(&res.extractions, request_of("")), 0);
	unsetenv("KTSTR_LLM_CMD");
	assert_int_equal(run_extract_metrics(&res), 0);
	assert_int_equal(res.verdict, KTSTR_INCONCLUSIVE);
	assert_int_equal(res.details.count, 1);
	assert_non_null(strstr(res.details.items[0].message, "KTSTR_LLM_CMD is not set"));
	result_finish(&res);
	extract(*state, "{\"p99\": 60}", strdup("{}"), &res);
	assert_int_equal(res.verdict, KTSTR_INCONCLUSIVE);
	assert_int_equal(res.details.count, 1);
	assert_int_equal(res.metrics.count, 0);
	result_finish(&res);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(metrics_of_a_model_are_judged_and_kept, setup,
						teardown),
		cmocka_unit_test_setup_teardown(metrics_without_checks_decide_nothing, setup,
						teardown),
		cmocka_unit_test_setup_teardown(what_cannot_be_read_is_inconclusive, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
