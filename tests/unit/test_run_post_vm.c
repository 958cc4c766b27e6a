// SPDX-License-Identifier: GPL-2.0-only
/* The test's program once more, after its VM: when it is asked, with what, and what its end means. */
#include "unit.h"

#include <signal.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "check/result.h"
#include "run/parts.h"

/* By the name of the test. Its own output tells what it was given. */
static const char script[] =
	"#!/bin/sh\n"
	"for result; do :; done\n"
	"case $2 in\n"
	"good) echo \"$@\"; cat $4; printf '{\"schema_version\":1,\"verdict\":\"pass\"}' >$result;;\n"
	"status) printf '{' >$result; exit 5;;\n"
	"mute) ;;\n"
	"killed) kill -SEGV $$;;\n"
	"hang) sleep 1000;;\n"
	"esac\n";

static uint64_t speed;

uint64_t __wrap_clock_mono_ns(void);

uint64_t __wrap_clock_mono_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return ((uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec) * speed;
}

#define PASS "{\"schema_version\":1,\"verdict\":\"pass\"}"
#define FAIL                                                                           \
	"{\"schema_version\":1,\"verdict\":\"fail\",\"details\":[{\"kind\":\"Other\"," \
	"\"verdict\":\"fail\",\"message\":\"no\"}]}"

static struct {
	char *dir;
	struct test_program program;
	struct probe_test test;
	struct probe_sched sched;
	struct variant variant;
	struct run_world world;
	struct run_knobs knobs;
	struct job job;
	struct outcome out;
} made;

static int start(void **state)
{
	(void)state;
	memset(&made, 0, sizeof(made));
	speed = 1;
	made.dir = unit_temp_create();
	unit_write(made.dir, "program", script);
	made.program.path = str_fmt("%s/program", made.dir);
	assert_int_equal(chmod(made.program.path, 0755), 0);
	made.test = (struct probe_test){ .name = "good", .has_post_vm = true };
	made.sched.name = "mine";
	made.variant = (struct variant){ .program = &made.program,
					 .test = &made.test,
					 .sched = &made.sched };
	made.world.accel = VM_ACCEL_KVM;
	made.job = (struct job){
		.world = &made.world, .variant = &made.variant, .knobs = &made.knobs, .event_fd = -1
	};
	return 0;
}

static int stop(void **state)
{
	(void)state;
	outcome_finish(&made.out);
	free(made.program.path);
	unit_temp_remove(made.dir);
	return 0;
}

#define MADE(f) cmocka_unit_test_setup_teardown(f, start, stop)

/* After a body with that result. What the program printed comes after its output. */
static void ask(const char *result, const char *problem)
{
	outcome_finish(&made.out);
	made.out = (struct outcome){};
	str_add(&made.out.result, result);
	str_add(&made.out.output, "body\n");
	assert_int_equal(post_vm_judge(&made.job, problem, &made.out), 0);
}

static void expect_asked(bool is_asked, bool is_failed)
{
	assert_int_equal(made.out.post_vm.len != 0, is_asked);
	assert_int_equal(strstr(str_get(&made.out.output), " --failed ") != NULL, is_failed);
	assert_true(str_starts(str_get(&made.out.output), "body\n"));
}

static void a_body_that_failed_is_looked_at_only_where_that_is_wanted(void **state)
{
	static const struct {
		const char *result;
		bool has_post_vm, is_unconditional, is_asked, is_failed;
	} rows[] = {
		{ PASS, true, false, true, false },   { FAIL, true, false, false, false },
		{ "", true, false, false, false },    { "{", true, false, false, false },
		{ PASS, false, false, false, false }, { PASS, false, true, true, false },
		{ FAIL, false, true, true, true },    { "", true, true, true, true },
		{ "{", false, true, true, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		made.test.has_post_vm = rows[i].has_post_vm;
		made.test.has_post_vm_unconditional = rows[i].is_unconditional;
		ask(rows[i].result, "");
		expect_asked(rows[i].is_asked, rows[i].is_failed);
	}
	/* Guest init's own workload has no program. */
	made.variant.program = NULL;
	ask(PASS, "");
	expect_asked(false, false);
}

static void the_program_gets_the_snapshots_or_why_there_are_none(void **state)
{
	(void)state;
	ask(PASS, "");
	assert_non_null(
		strstr(str_get(&made.out.output), "--ktstr-post-vm good --snapshots /proc/"));
	assert_non_null(
		strstr(str_get(&made.out.output),
		       "{\"snapshots\":[],\"snapshots_unavailable\":\"no snapshot was requested"));
	ask(PASS, "no symbols");
	assert_non_null(
		strstr(str_get(&made.out.output), "\"snapshots_unavailable\":\"no symbols\""));
	made.variant.sched = NULL;
	ask(PASS, "no symbols");
	assert_non_null(strstr(str_get(&made.out.output),
			       "they are taken of guests under a scheduler only"));
	outcome_finish(&made.out);
	made.out = (struct outcome){};
	str_add(&made.out.result, PASS);
	str_add(&made.out.snapshots, "{\"snapshots\":[1]}");
	assert_int_equal(post_vm_judge(&made.job, "", &made.out), 0);
	assert_non_null(strstr(str_get(&made.out.output), "{\"snapshots\":[1]}"));
	assert_string_equal(str_get(&made.out.post_vm), PASS);
}

static void an_end_without_a_result_is_a_failure(void **state)
{
	static const struct {
		const char *test, *why;
	} rows[] = {
		{ "status", "post_vm ended with status 5 and gave no result" },
		{ "mute", "post_vm ended with status 0 and gave no result" },
		{ "killed", "post_vm was killed by signal 11 (Segmentation fault)" },
		{ "hang", "post_vm did not end within 60 s" },
		{ "gone", "post_vm could not be run: " },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct ktstr_result r;

		made.test.name = rows[i].test;
		speed = strcmp(rows[i].test, "hang") == 0 ? 500 : 1;
		if (strcmp(rows[i].test, "gone") == 0) {
			free(made.program.path);
			made.program.path = strdup("/nowhere");
		}
		ask(PASS, "");
		result_init(&r);
		assert_int_equal(result_from_json(&r, made.out.post_vm.s, made.out.post_vm.len), 0);
		assert_int_equal(r.verdict, KTSTR_FAILED);
		assert_int_equal(r.details.count, 1);
		assert_true(str_starts(r.details.items[0].message, rows[i].why));
		result_finish(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE(a_body_that_failed_is_looked_at_only_where_that_is_wanted),
		MADE(the_program_gets_the_snapshots_or_why_there_are_none),
		MADE(an_end_without_a_result_is_a_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
