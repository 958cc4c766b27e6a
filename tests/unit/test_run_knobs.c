// SPDX-License-Identifier: GPL-2.0-only
/* Options of a run as words, and words as options. */
#include "unit.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "run/parts.h"

static struct str noted;

void __wrap_vm_accel_check_sim_option(enum vm_accel accel, const char *option);

void __wrap_vm_accel_check_sim_option(enum vm_accel accel, const char *option)
{
	assert_int_equal(accel, VM_ACCEL_TCG);
	str_addf(&noted, "%s ", option);
}

/* Splits at spaces; the words live in `text`. */
static size_t split(char *text, const char *words[static 8])
{
	size_t count = 0;

	for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
		words[count++] = word;
	return count;
}

#define SIZE(member) sizeof(((struct run_knobs *)NULL)->member)
#define NUMBER(member) offsetof(struct run_knobs, member), SIZE(member)

/* Each alone is that option and no other, and is written as it was read. */
static void each_option_has_its_place(void **state)
{
	static const struct {
		const char *words;
		size_t offset, size;
		uint64_t value;
	} rows[] = {
		{ "--sim-shift 3", NUMBER(shift), 3 },
		{ "--sim-shift 0", NUMBER(shift), 0 },
		{ "--sim-slice 500", NUMBER(slice_us), 500 },
		{ "--sim-slice 0", NUMBER(slice_us), 0 },
		{ "--sim-jitter", NUMBER(has_jitter), 1 },
		{ "--sim-delays 4", NUMBER(delays), 4 },
		{ "--sim-delays 4294967295", NUMBER(delays), UINT32_MAX },
		{ "--sim-wake-delays 5", NUMBER(wake_delay_us), 5 },
		{ "--cold", NUMBER(is_cold), 1 },
		{ "--release", NUMBER(is_release), 1 },
		{ "--versus-eevdf", NUMBER(versus_eevdf), 1 },
		{ "KTSTR_VERBOSE=1", NUMBER(is_verbose), 1 },
		{ "--duration 1500ms", NUMBER(duration_ms), 1500 },
		{ "--workers 6", NUMBER(workers), 6 },
		{ "--steps 1,3-5,64", NUMBER(steps), 1 | 7U << 2 | UINT64_C(1) << 63 },
		{ "--hold-percent 50", NUMBER(hold_percent), 50 },
		{ "--eevdf", NUMBER(is_eevdf), 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_free_ char *text = strdup(rows[i].words), *joined = NULL;
		struct run_knobs k, expected = RUN_KNOBS_DEFAULT;
		_str_ struct str out = {};
		const char *words[8];
		size_t count = split(text, words);

		assert_int_equal(run_knobs_parse(&k, words, count), 0);
		memcpy((char *)&expected + rows[i].offset, &rows[i].value, rows[i].size);
		assert_memory_equal(&k, &expected, sizeof(k));
		run_knobs_add_words(&k, &out);
		joined = strdup(str_get(&out));
		for (char *c = joined; (c = strchr(c, '\n')); c++)
			*c = c[1] ? ' ' : '\0';
		assert_string_equal(joined, rows[i].words);
	}
}

static void expect_texts(const char *words_text, const char *expected)
{
	_free_ char *text = strdup(words_text), *joined = NULL;
	_str_ struct str out = {};
	const char *words[8];
	struct run_knobs k;

	assert_int_equal(run_knobs_parse(&k, words, split(text, words)), 0);
	run_knobs_add_words(&k, &out);
	joined = strdup(str_get(&out));
	for (char *c = joined; (c = strchr(c, '\n')); c++)
		*c = c[1] ? ' ' : '\0';
	assert_string_equal(joined, expected);
}

static void options_with_texts_are_written_as_they_were_read(void **state)
{
	(void)state;
	expect_texts("--strategy walk", "--strategy walk");
	expect_texts("--strategy pct --depth 1", "--strategy pct --depth 1");
	expect_texts("--strategy pct --depth 8 --events 9", "--strategy pct --depth 8 --events 9");
	expect_texts("--topology 1,2,3,4", "--topology 1,2,3,4");
	expect_texts("--nextest-profile ci", "--nextest-profile ci");
	expect_texts("--scheduler-name mine -- -v --cold", "--scheduler-name mine -- -v --cold");
	/* What older records have. */
	expect_texts("--verbose", "KTSTR_VERBOSE=1");
	/* In the order of the table. */
	expect_texts("--cold --sim-shift 2", "--sim-shift 2 --cold");
	expect_texts("", "");
}

static void words_that_are_no_options_are_named(void **state)
{
	static const struct {
		const char *words, *message;
	} rows[] = {
		{ "--cold --colder",
		  "'--colder' is not an option that a run can be repeated with" },
		{ "--workers", "--workers lacks its value" },
		{ "--cold --duration", "--duration lacks its value" },
		{ "--workers x", "'x' is not a value of --workers" },
		{ "--workers 4294967296", "'4294967296' is not a value of --workers" },
		{ "--duration x", "'x' is not a value of --duration" },
		{ "--strategy none", "there is no strategy 'none'" },
		{ "--nextest-profile none", "there is no profile 'none'" },
		{ "--strategy pct", "--depth must be 1 to 8" },
		{ "--strategy pct --depth 9", "--depth must be 1 to 8" },
		{ "--strategy walk --depth 1", "--depth and --events are for --strategy pct" },
		{ "--events 1", "--depth and --events are for --strategy pct" },
		{ "--steps 0", "'0' is not a list of steps from 1 to 64, such as 1,3-5" },
		{ "--steps 65", "'65' is not a list of steps from 1 to 64, such as 1,3-5" },
		{ "--steps x", "'x' is not a list of steps from 1 to 64, such as 1,3-5" },
		{ "--sim-shift 5", "--sim-shift must be 0 to 4" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_free_ char *text = strdup(rows[i].words);
		const char *words[8];
		struct run_knobs k;

		assert_int_equal(run_knobs_parse(&k, words, split(text, words)), -EINVAL);
		assert_string_equal(err_text(-EINVAL), rows[i].message);
	}
}

/* A time that is longer than any number is a time, and other values have 32 bits. */
static void durations_are_longer_than_numbers(void **state)
{
	const char *words[] = { "--duration", "5000000s" };
	struct run_knobs k;

	(void)state;
	assert_int_equal(run_knobs_parse(&k, words, 2), 0);
	assert_int_equal(k.duration_ms, 5000000000);
}

static void names_of_strategies_are_listed(void **state)
{
	static const char *const expected[] = { "random", "walk", "pct" };
	const char *const *names = run_strategy_names(), *found = NULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_string_equal(names[i], expected[i]);
		assert_int_equal(run_strategy_parse(expected[i], &found), 0);
		assert_ptr_equal(found, names[i]);
	}
	assert_null(names[ARRAY_SIZE(expected)]);
}

/* Options of sim, and of them only those that were given. */
static void options_of_sim_are_told_elsewhere(void **state)
{
	struct run_knobs k = RUN_KNOBS_DEFAULT;

	(void)state;
	k.is_cold = true;
	run_knobs_check_accel(&k, VM_ACCEL_TCG);
	assert_string_equal(str_get(&noted), "");
	k.delays = 3;
	k.shift = 0;
	run_knobs_check_accel(&k, VM_ACCEL_TCG);
	assert_string_equal(str_get(&noted), "--sim-shift --sim-delays ");
	str_reset(&noted);
	k = RUN_KNOBS_DEFAULT;
	k.strategy = "walk";
	run_knobs_check_accel(&k, VM_ACCEL_TCG);
	assert_string_equal(str_get(&noted), "--strategy ");
	str_finish(&noted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_option_has_its_place),
		cmocka_unit_test(options_with_texts_are_written_as_they_were_read),
		cmocka_unit_test(words_that_are_no_options_are_named),
		cmocka_unit_test(durations_are_longer_than_numbers),
		cmocka_unit_test(names_of_strategies_are_listed),
		cmocka_unit_test(options_of_sim_are_told_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
