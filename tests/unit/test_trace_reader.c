// SPDX-License-Identifier: GPL-2.0-only
/* What the reader of a trace passes on, and what it refuses. */
#include "unit.h"

#include <errno.h>

#include "base/err.h"
#include "made_trace.h"
#include "trace/parts.h"

static struct str told;
static int ends_with;

/* Each event with what is known of its task. */
static int tell(void *ctx, const struct trace_reader *r, const struct trace_record *e)
{
	const struct trace_task *t = trace_task(r, e->pid);
	const char *cgroup = trace_cgroup_name(r, t->cgroup);

	assert_ptr_equal(ctx, &trace);
	str_addf(&told, "%u '%s' %s\n", e->pid, t->name, cgroup ? cgroup : "-");
	return ends_with;
}

static int walk(size_t len)
{
	str_reset(&told);
	return trace_walk(&trace, len, tell, &trace);
}

static int set_up(void **state)
{
	(void)state;
	ends_with = 0;
	begin();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	str_finish(&told);
	err_clear();
	return 0;
}

static void tasks_are_known_when_an_event_comes(void **state)
{
	(void)state;
	add(5, TRACE_SWITCH, 0, 0, 7, 0);
	add(5, TRACE_SWITCH, 0, 7, 0, 0);
	add_text(TRACE_NAME, 7, "sixteen-letters!");
	add_text(TRACE_CGROUP_NAME, 0, "/a");
	add(5, TRACE_CGROUP, 0, 7, 0, 0);
	/* There is no such cgroup: it stays where it was. */
	add(6, TRACE_CGROUP, 0, 7, 1, 0);
	add_text(TRACE_CGROUP_NAME, 1, "/b");
	add_text(TRACE_NAME, 7, "short");
	add(6, TRACE_CGROUP, 0, 7, 1, 0);
	add(6, TRACE_SWITCH, 0, 8, 0, 0);
	assert_int_equal(walk(size_of_trace()), 0);
	assert_string_equal(str_get(&told), "0 'idle' -\n7 '' -\n7 'sixteen-letters!' /a\n"
					    "7 'sixteen-letters!' /a\n7 'short' /b\n8 '' -\n");
}

static void only_whole_records_are_read(void **state)
{
	(void)state;
	add(5, TRACE_SWITCH, 0, 1, 0, 0);
	add(6, TRACE_SWITCH, 0, 2, 0, 0);
	assert_int_equal(walk(size_of_trace() - 1), 0);
	assert_string_equal(str_get(&told), "1 '' -\n");
	assert_int_equal(walk(sizeof(trace.header)), 0);
	assert_string_equal(str_get(&told), "");
	assert_int_equal(walk(sizeof(trace.header) - 1), -EINVAL);
	assert_string_equal(err_text(-EINVAL), "not a trace: it has no header");
}

static void the_one_who_is_told_may_end_it(void **state)
{
	(void)state;
	add(5, TRACE_SWITCH, 0, 1, 0, 0);
	add(6, TRACE_SWITCH, 0, 2, 0, 0);
	ends_with = -ECANCELED;
	assert_int_equal(walk(size_of_trace()), -ECANCELED);
	assert_string_equal(str_get(&told), "1 '' -\n");
}

static void records_have_bounds(void **state)
{
	static const struct {
		uint16_t type, cpu;
		uint32_t pid;
		const char *message;
	} rows[] = {
		{ TRACE_TYPES - 1, TRACE_MAX_CPU - 1, TRACE_MAX_PID, NULL },
		{ TRACE_SWITCH, 0, 0, NULL },
		{ 0, 0, 0, "not a trace: a record is of no known type" },
		{ TRACE_TYPES, 0, 0, "not a trace: a record is of no known type" },
		{ TRACE_SWITCH, TRACE_MAX_CPU, 0,
		  "not a trace: a record names an impossible task or CPU" },
		{ TRACE_SWITCH, 0, TRACE_MAX_PID + 1,
		  "not a trace: a record names an impossible task or CPU" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		begin();
		add(5, rows[i].type, rows[i].cpu, rows[i].pid, 0, 0);
		assert_int_equal(walk(size_of_trace()), rows[i].message ? -EINVAL : 0);
		if (rows[i].message)
			assert_string_equal(err_text(-EINVAL), rows[i].message);
	}
}

static void events_do_not_go_back_in_time(void **state)
{
	(void)state;
	add(6, TRACE_SWITCH, 0, 1, 0, 0);
	add(5, TRACE_SWITCH, 0, 2, 0, 0);
	assert_int_equal(walk(size_of_trace()), -EINVAL);
	assert_string_equal(err_text(-EINVAL),
			    "not a trace: an event is older than the one before it");
	assert_string_equal(str_get(&told), "1 '' -\n");
}

static void headers_are_of_this_version(void **state)
{
	uint32_t *const fields[] = { &trace.header.magic, &trace.header.version,
				     &trace.header.record_size };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		begin();
		++*fields[i];
		assert_int_equal(walk(size_of_trace()), -EINVAL);
		assert_string_equal(err_text(-EINVAL), "not a trace of this version");
	}
}

/* Pieces of a name belong to the newest cgroup, and its number is the next one. */
static void cgroups_come_in_their_order(void **state)
{
	static const struct {
		uint32_t last;
		int rc;
	} rows[] = { { 0, -EINVAL }, { 1, 0 }, { 2, 0 }, { 3, -EINVAL } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		begin();
		add_text(TRACE_CGROUP_NAME, 0, "/a");
		add_text(TRACE_CGROUP_NAME, 1, "/sixteen-letters");
		add_text(TRACE_CGROUP_NAME, rows[i].last, "-b");
		add(5, TRACE_CGROUP, 0, 7, 1, 0);
		assert_int_equal(walk(size_of_trace()), rows[i].rc);
		if (rows[i].last == 1)
			assert_string_equal(str_get(&told), "7 '' /sixteen-letters-b\n");
		else if (rows[i].rc == 0)
			assert_string_equal(str_get(&told), "7 '' /sixteen-letters\n");
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(tasks_are_known_when_an_event_comes), TEST(only_whole_records_are_read),
		TEST(the_one_who_is_told_may_end_it),	   TEST(records_have_bounds),
		TEST(events_do_not_go_back_in_time),	   TEST(headers_are_of_this_version),
		TEST(cgroups_come_in_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
