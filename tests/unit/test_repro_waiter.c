// SPDX-License-Identifier: GPL-2.0-only
/* Who waits longest at the end of a trace, and since when a task waited in another run. */
#include "story_fixture.h"

#include <errno.h>

#include "base/err.h"
#include "repro/parts.h"
#include "trace/parts.h"

/* ---- the end of a trace ---- */

static void expect_waiter(uint32_t pid)
{
	assert_int_equal(repro_longest_waiter(&records), pid);
}

static void who_was_queued_first_waits_longest(void **state)
{
	(void)state;
	begin(&rp_victim);
	expect_waiter(0);
	add(TRACE_ENQUEUE, 0, 5, 0, 1, 0);
	add(TRACE_ENQUEUE, 0, 6, 0, 1, 0);
	expect_waiter(5);
	/* Moved to another queue it goes on waiting. */
	add(TRACE_ENQUEUE, 1, 5, 0, 1, 0);
	add(TRACE_ENQUEUE, 1, 6, 0, 1, 0);
	expect_waiter(5);
	/* However often that was, it is one wait. */
	add(TRACE_SWITCH, 0, 5, 0, 0, 0);
	expect_waiter(6);
	add(TRACE_SWITCH, 1, 6, 0, 0, 0);
	expect_waiter(0);
}

static void who_gets_a_cpu_waits_no_longer(void **state)
{
	(void)state;
	begin(NULL);
	add(TRACE_ENQUEUE, 0, 5, 0, 1, 0);
	add(TRACE_ENQUEUE, 0, 6, 0, 1, 0);
	add(TRACE_ENQUEUE, 0, 8, 0, 1, 0);
	/* 5 takes the CPU of the idle task, which waits for nothing. */
	add(TRACE_SWITCH, 0, 5, 0, 0, 0);
	expect_waiter(6);
	add(TRACE_SWITCH, 0, 6, 5, 0, 0);
	/* 5 could go on and had to leave. */
	expect_waiter(8);
	add(TRACE_SWITCH, 0, 8, 6, 1, 0);
	/* 6 went to sleep. */
	expect_waiter(5);
	add(TRACE_SWITCH, 0, 5, 8, 1, 0);
	expect_waiter(0);
}

static void who_sleeps_does_not_wait_even_if_it_was_queued(void **state)
{
	(void)state;
	begin(NULL);
	add(TRACE_ENQUEUE, 0, 5, 0, 1, 0);
	add(TRACE_ENQUEUE, 0, 6, 0, 1, 0);
	add(TRACE_SWITCH, 0, 7, 5, 1, 0);
	expect_waiter(6);
}

static void nobody_waits_in_what_is_no_trace(void **state)
{
	(void)state;
	begin(NULL);
	add(TRACE_ENQUEUE, 0, 5, 0, 1, 0);
	records.s[0] ^= 1;
	expect_waiter(0);
	assert_string_equal(err_text(-EINVAL), strerror(EINVAL)); /* it is no error, either */
}

/* ---- another run ---- */

static int tracer_rc;
static struct vm_session seen;

int __wrap_run_tracer_collect(const struct vm_session *session, const char *vmlinux,
			      run_tracer_take_fn *take, void *ctx, struct vm_result *result);

int __wrap_run_tracer_collect(const struct vm_session *session, const char *vmlinux,
			      run_tracer_take_fn *take, void *ctx, struct vm_result *result)
{
	assert_string_equal(vmlinux, "/k/vmlinux");
	seen = *session;
	*result = (struct vm_result){};
	return tracer_rc < 0 ? tracer_rc : take(ctx, records.s, records.len);
}

static int hear(void *ctx, const struct channel_frame *frame)
{
	(void)ctx;
	(void)frame;
	return -EIO;
}

static void the_wait_of_a_task_has_its_beginning(void **state)
{
	struct vm_session session = { .on_frame = hear,
				      .spec.topology = { 1, 1, RP_CPUS, 1 },
				      .watcher = (void *)&session,
				      .plugin = (void *)&session };
	uint64_t from_ns = 0;

	(void)state;
	tracer_rc = 0;
	begin(NULL);
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	now_ns += 5000;
	add(TRACE_SWITCH, 0, RP_VICTIM, 7, 0, 0);
	assert_int_equal(repro_find_wait(&session, "/k/vmlinux", RP_VICTIM, &from_ns), 0);
	assert_int_equal(from_ns, 1100);
	/* Nobody else looks at that run. */
	assert_null(seen.watcher);
	assert_null(seen.plugin);
	assert_null(seen.on_frame);
	assert_int_equal(repro_find_wait(&session, "/k/vmlinux", 77, &from_ns), -ENOENT);
	assert_string_equal(err_text(-ENOENT), "task 77 did not wait for a CPU in this run");
	tracer_rc = -EIO;
	assert_int_equal(repro_find_wait(&session, "/k/vmlinux", RP_VICTIM, &from_ns), -EIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(who_was_queued_first_waits_longest),
		TEST(who_gets_a_cpu_waits_no_longer),
		TEST(who_sleeps_does_not_wait_even_if_it_was_queued),
		TEST(nobody_waits_in_what_is_no_trace),
		TEST(the_wait_of_a_task_has_its_beginning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
