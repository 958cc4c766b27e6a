// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every allocation of base, host and stats/runs fails once, one after the other. Nothing may
 * crash or leak (the sanitizer build looks), and each failure must be reported.
 */
#include "unit.h"

#include <errno.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/cpulist.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/table.h"
#include "base/text.h"
#include "base/vec.h"
#include "cli/cli.h"
#include "host/context.h"
#include "host/topology.h"
#include "stats/runs.h"

/* Allocations that still succeed; negative = all do. Counted for the calls that are wrapped. */
static long allowance = -1;
static long failures;

static bool refuses(void)
{
	if (allowance < 0)
		return false;
	if (allowance > 0) {
		allowance--;
		return false;
	}
	failures++;
	allowance = -1; /* one failure at a time */
	return true;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_reallocarray(void *p, size_t count, size_t size);
char *__real_strdup(const char *s);
char *__real_strndup(const char *s, size_t n);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_reallocarray(void *p, size_t count, size_t size);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t n);

void *__wrap_malloc(size_t size)
{
	return refuses() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return refuses() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return refuses() ? NULL : __real_realloc(p, size);
}

void *__wrap_reallocarray(void *p, size_t count, size_t size)
{
	return refuses() ? NULL : __real_reallocarray(p, count, size);
}

char *__wrap_strdup(const char *s)
{
	return refuses() ? NULL : __real_strdup(s);
}

char *__wrap_strndup(const char *s, size_t n)
{
	return refuses() ? NULL : __real_strndup(s, n);
}

static const char *temp_dir;

/* Runs the job with the first, second, ... allocation failing until none is left to fail. */
static void fail_each(int (*job)(void))
{
	for (long n = 0;; n++) {
		int rc;

		failures = 0;
		allowance = n;
		rc = job();
		allowance = -1;
		if (failures == 0) {
			assert_int_equal(rc, 0);
			assert_true(n > 0); /* the job does allocate */
			return;
		}
		if (rc == 0)
			fail_msg("allocation %ld failed and nobody noticed", n);
		assert_true(rc < 0);
	}
}

static int build_text(void)
{
	_str_ struct str s = {};
	struct json j;

	json_init(&j, &s, true);
	json_object(&j);
	for (int i = 0; i < 100; i++)
		json_put_string(&j, "key", "value \x01 µ");
	json_object_end(&j);
	text_wrap(&s, "some words to wrap", 2, 10);
	text_add_printable(&s, "\xff");
	return str_check(&s);
}

static int take_text(void)
{
	_free_ char *text = str_fmt("%d", 5);

	return text ? 0 : -ENOMEM;
}

static int push_numbers(void)
{
	VEC(int) v = {};
	int rc = 0;

	for (int i = 0; i < 100 && rc == 0; i++)
		rc = vec_push(&v, i);
	free(v.items);
	return rc;
}

static int fill_arena(void)
{
	struct arena a = {};
	int rc = 0;

	for (int i = 0; i < 3; i++)
		if (!arena_alloc(&a, 50000) || !arena_copy(&a, "x", 1))
			rc = -ENOMEM;
	arena_finish(&a);
	return rc;
}

static int parse_cpus(void)
{
	_cleanup_(cpulist_finish) struct cpulist l = {};

	return cpulist_parse("0-3,7", &l);
}

static int write_file(void)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/sub/f", temp_dir);
	if (file_make_dirs(temp_dir, 0755) < 0)
		return -ENOMEM;
	*strrchr(path, '/') = '\0';
	if (file_make_dirs(path, 0755) < 0)
		return -ENOMEM;
	path[strlen(path)] = '/';
	return file_replace(path, "text", 4, 0644);
}

static int print_table(void)
{
	static const char *const columns[] = { "A", "B" };
	_cleanup_(table_finish) struct table t = {};
	_str_ struct str out = {};
	int rc = table_init(&t, columns, 2);

	if (rc == 0)
		rc = table_heading(&t, "h");
	if (rc == 0)
		rc = table_row(&t);
	if (rc < 0)
		return rc;
	table_cellf(&t, 0, "%d", 1);
	table_cell(&t, 1, "two");
	rc = table_add(&t, &out);
	return rc < 0 ? rc : str_check(&out);
}

static int build_topology(void)
{
	_topology_ struct topology t = {};
	_str_ struct str out = {};
	int rc = topology_from_notation(&t, "2n4l2c2t");

	if (rc < 0)
		return rc;
	topology_add_notation(&t, &out);
	return str_check(&out);
}

static int parse_command_line(void)
{
	char *argv[] = { "ktstr", "topo", "--json", NULL };
	struct cli_call call;
	int rc = cli_parse(&call, 3, argv);

	cli_call_finish(&call);
	return rc;
}

static int run_child(void)
{
	static const char *const argv[] = { "echo", "hello", NULL };
	_str_ struct str out = {};
	int rc = child_output(argv, 20 * NSEC_PER_SEC, &out);

	return rc;
}

/* A run with a record that cannot be understood, which is told later. */
static int load_runs(void)
{
	struct runs runs;
	int rc;

	rc = runs_list(&runs, temp_dir);
	if (rc == 0)
		rc = runs_load(&runs);
	if (rc == 0) {
		assert_int_equal(runs.items.count, 1);
		assert_int_equal(runs.items.items[0].problems.count, 1);
		assert_non_null(runs.items.items[0].problems.items[0].path);
		assert_non_null(runs.items.items[0].problems.items[0].error);
	}
	runs_finish(&runs);
	return rc;
}

#define JOB(name)                        \
	static void name##_job(void **s) \
	{                                \
		(void)s;                 \
		fail_each(name);         \
	}

JOB(build_text)
JOB(take_text)
JOB(push_numbers)
JOB(fill_arena)
JOB(parse_cpus)
JOB(write_file)
JOB(print_table)
JOB(build_topology)
JOB(parse_command_line)
JOB(run_child)
JOB(load_runs)

/* Best effort by design: a field whose memory is missing may be unknown, nothing may break. */
static void reading_the_host_survives_every_failure(void **state)
{
	(void)state;
	for (long n = 0;; n++) {
		_host_context_ struct host_context h = {};
		int rc;

		failures = 0;
		allowance = n;
		rc = host_context_read(&h, &roots_live);
		allowance = -1;
		if (rc < 0)
			assert_int_equal(rc, -ENOMEM);
		if (failures == 0)
			return;
	}
}

static int setup(void **state)
{
	temp_dir = *state = unit_temp_create();
	return 0;
}

static int setup_run(void **state)
{
	setup(state);
	unit_write(temp_dir, "run/a.ktstr.json", "{");
	return 0;
}

static int teardown(void **state)
{
	unit_temp_remove(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(build_text_job),
		cmocka_unit_test(take_text_job),
		cmocka_unit_test(push_numbers_job),
		cmocka_unit_test(fill_arena_job),
		cmocka_unit_test(parse_cpus_job),
		cmocka_unit_test_setup_teardown(write_file_job, setup, teardown),
		cmocka_unit_test(print_table_job),
		cmocka_unit_test(build_topology_job),
		cmocka_unit_test(parse_command_line_job),
		cmocka_unit_test(run_child_job),
		cmocka_unit_test_setup_teardown(load_runs_job, setup_run, teardown),
		cmocka_unit_test(reading_the_host_survives_every_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
