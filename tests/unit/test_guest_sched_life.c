// SPDX-License-Identifier: GPL-2.0-only
/* The life of a scheduler in a guest, with a kernel, a process and a clock that the test plays. */
#include "played_scheduler.h"

static void one_that_works_is_attached_and_detached(void **state)
{
	(void)state;
	now.disable = "off";
	now.events = soon;
	init_with("");
	assert_int_equal(s.report.attach_limit_s, 33);
	assert_int_equal(s.report.return_limit_s, 33);
	assert_true(scheduler_start(&s));
	assert_int_equal(now.policy, SCHED_FIFO | SCHED_RESET_ON_FORK);
	assert_int_equal(now.priority, 1);
	assert_int_equal(s.report.attach_ns, 50 * NSEC_PER_MSEC);
	assert_string_equal(s.report.ops, "a");
	expect_calls("attached ops=a\npid=77\nattach_ns=50000000\n;programs;");
	setenv(GUEST_SCHED_PID, "1", 1); /* of whoever began the test */
	scheduler_begin_payload(&s);
	assert_string_equal(getenv(GUEST_SCHED_PID), "77");
	assert_int_equal(s.report.stage, SCHED_STAGE_PAYLOAD);
	assert_true(write(now.output[1], "said\n", 5) == 5);
	now.dump = "a dump\n";
	scheduler_finish(&s);
	expect_calls("kill 77 2;forget 77;log said\n;dump a dump\n;report;run off;");
	expect_json("{\"end\":\"ran\"");
	expect_json("\"stage\":\"detach\"");
	expect_json("\"log_bytes\":5,\"log_omitted_bytes\":0,\"dump_bytes\":7");
	expect_line("");
	expect_logs("");
	assert_true(now.has_sought);
	assert_int_equal(s.trace.fd, -1);
}

static void one_that_does_not_go_is_killed(void **state)
{
	uint64_t began;

	(void)state;
	begin("");
	now.ends_on_int = false;
	began = now.now_ns;
	scheduler_finish(&s);
	expect_calls("kill 77 2;kill 77 9;forget 77;report;");
	/* Five seconds, and a step for the signal that nobody survives. */
	assert_int_equal(now.now_ns - began, 5 * SECOND + 10 * NSEC_PER_MSEC);
	expect_json("{\"end\":\"killed\"");
}

static void one_that_dies_takes_the_payload_along(void **state)
{
	struct run_watcher w;

	(void)state;
	w = begin("");
	pass(SECOND);
	w.reaped(w.ctx, PID + 1, SIGSEGV);
	look_for(&w, 100);
	assert_false(s.report.has_ended);
	ends(PID, SIGSEGV);
	w.reaped(w.ctx, PID, SIGSEGV);
	look_for(&w, 1100);
	expect_calls("");
	look_for(&w, 100);
	expect_calls("exit -11;");
	assert_true(strncmp(str_get(&now.ended_file), "{\"end\":\"died\"", 13) == 0);
	look_for(&w, 900);
	expect_calls("");
	look_for(&w, 100);
	expect_calls("kill -500 15;");
	look_for(&w, 1900);
	expect_calls("");
	look_for(&w, 100);
	expect_calls("kill -500 9;");
	expect_logs("the scheduler is gone: signal 15 to the payload\n"
		    "the scheduler is gone: signal 9 to the payload\n");
	scheduler_finish(&s);
	expect_json("{\"end\":\"died\"");
	expect_json("\"stage\":\"payload\"");
	expect_json("\"ended_ns\":1100000000");
	expect_json("\"signal\":11");
	expect_json("\"payload_signal\":9");
}

static void an_end_with_a_reason_is_told_at_once(void **state)
{
	struct run_watcher w;
	uint64_t began;

	(void)state;
	w = begin("");
	pass(SECOND);
	log_kernel(DISABLED("runtime error"));
	log_kernel("3,2,1,-;sched_ext: a: invalid DSQ ID 0x1234\n");
	now.state.is_active = now.state.is_enabled = false;
	look_for(&w, 100);
	expect_calls("exit 0;");
	/* Its process has a second to end by itself. */
	began = now.now_ns;
	scheduler_finish(&s);
	assert_int_equal(now.now_ns - began, SECOND + 10 * NSEC_PER_MSEC);
	expect_calls("kill 77 2;forget 77;report;");
	expect_json("{\"end\":\"error\"");
	expect_json("invalid DSQ ID 0x1234");
	assert_true(s.report.has_outlived);
}

static void one_whose_process_follows_has_not_outlived_its_end(void **state)
{
	static const struct event follows[] = { { 50, attaches }, { 2000, goes_with_3 }, {} };
	struct run_watcher w;

	(void)state;
	now.events = follows;
	w = begin("");
	pass(SECOND);
	log_kernel(DISABLED("runtime error"));
	look_for(&w, 100);
	scheduler_finish(&s);
	assert_false(s.report.has_outlived);
	expect_json("{\"end\":\"error\"");
	expect_json("\"exit_code\":3");
}

static void one_that_comes_back_has_not_ended(void **state)
{
	struct run_watcher w;

	(void)state;
	w = begin("KTSTR_SCHED_RETURN_S=5\n");
	assert_int_equal(s.report.return_limit_s, 5);
	pass(SECOND);
	log_kernel(DISABLED("unregistered from BPF"));
	now.state.is_active = now.state.is_enabled = false;
	look_for(&w, 3000);
	expect_calls("");
	attaches();
	look_for(&w, 100);
	assert_false(s.report.has_ended);
	assert_int_equal(s.report.absence_count, 1);
	/* And one that left when the payload ended is waited for. */
	log_kernel(DISABLED("unregistered from BPF"));
	now.state.is_active = now.state.is_enabled = false;
	scheduler_finish(&s);
	expect_json("{\"end\":\"unregistered\"");
}

/* Without a log of the kernel its state alone tells. */
static void a_state_tells_where_no_log_does(void **state)
{
	struct run_watcher w;

	(void)state;
	close(now.kmsg[0]);
	now.kmsg[0] = -1;
	now.events = (const struct event[]){ { 0, NULL } };
	now.state = (struct scx_state){ .is_there = true };
	init_with("");
	assert_int_equal(now.starts, 0);
	s.report.pid = PID;
	s.kmsg = -1;
	s.report.has_attached = true;
	s.report.stage = SCHED_STAGE_PAYLOAD;
	w = scheduler_watcher(&s);
	assert_int_equal(w.period_ms, 100);
	w.look(w.ctx, PAYLOAD);
	assert_int_equal(s.presence.left_ns, now.now_ns);
	now.state.is_active = now.state.is_enabled = true;
	w.look(w.ctx, PAYLOAD);
	assert_int_not_equal(s.presence.left_ns, 0); /* it has no name yet */
	now.state.ops[0] = 'a';
	w.look(w.ctx, PAYLOAD);
	assert_int_equal(s.presence.left_ns, 0);
	close(now.output[0]);
	s.is_wanted = false;
	scheduler_finish(&s);
}

static void what_is_released_does_not_end_the_payload(void **state)
{
	struct run_watcher w;

	(void)state;
	w = begin("");
	now.is_released = true;
	ends(PID, EXITED(0));
	w.reaped(w.ctx, PID, EXITED(0));
	look_for(&w, 9000);
	expect_calls("");
	scheduler_finish(&s);
	expect_json("{\"end\":\"released\"");
}

static void the_watcher_wakes_for_output_and_log(void **state)
{
	struct pollfd fds[4];
	struct run_watcher w;

	(void)state;
	w = begin("");
	assert_int_equal(w.add_fds(w.ctx, fds, 4), 2);
	assert_int_equal(fds[0].fd, s.output);
	assert_int_equal(fds[1].fd, s.kmsg);
	assert_true(fds[0].events == POLLIN && fds[1].events == POLLIN);
	assert_int_equal(w.add_fds(w.ctx, fds, 1), 1);
	/* One that closes its output has said all. */
	look_for(&w, 100);
	assert_int_equal(s.output, now.output[0]);
	close(now.output[1]);
	now.output[1] = -1;
	look_for(&w, 100);
	assert_int_equal(s.output, -1);
	scheduler_finish(&s);
}

/* Whatever the kernel still shows. */
static void a_failure_has_no_heir(void **state)
{
	struct run_watcher w;

	(void)state;
	w = begin("");
	now.holder = 88;
	w.reaped(w.ctx, PID, EXITED(3));
	assert_true(s.report.has_status);
	assert_false(s.report.has_forked_away);
	now.state.is_active = now.state.is_enabled = false;
	scheduler_finish(&s);
	expect_json("\"forked_away\":false");
	expect_json("\"exit_code\":3");
}

static void attaches_and_dies(void)
{
	attaches();
	now.ended = PID;
	now.status = EXITED(3);
}

static void one_that_is_gone_when_the_test_begins_left_then(void **state)
{
	static const struct event both[] = { { 50, attaches_and_dies }, {} };

	(void)state;
	now.events = both;
	begin("");
	assert_true(s.report.has_status);
	assert_int_equal(s.presence.left_ns, now.now_ns);
	assert_int_equal(s.presence.payload_ns, now.now_ns);
	now.state.is_active = now.state.is_enabled = false;
	scheduler_finish(&s);
	expect_json("\"ended_ns\":0,");
}

/* At one look: what was overwritten meanwhile is left out, and a byte is output, too. */
static void all_that_there_is_is_read(void **state)
{
	struct run_watcher w;

	(void)state;
	w = begin("");
	assert_int_equal(write(now.output[1], "x", 1), 1);
	now.lost_records = 1;
	log_kernel(DISABLED("runtime error"));
	w.look(w.ctx, PAYLOAD);
	assert_int_equal(now.lost_records, 0);
	assert_true(s.report.has_ended);
	assert_int_equal(s.log.total, 1);
	assert_int_equal(s.output, now.output[0]);
	close(now.kmsg[1]); /* there is nothing more of it */
	now.kmsg[1] = -1;
	w.look(w.ctx, PAYLOAD);
	scheduler_finish(&s);
	expect_calls("exit 0;kill 77 2;forget 77;log x;report;");
}

static void what_left_on_purpose_is_not_waited_for(void **state)
{
	uint64_t began;

	(void)state;
	begin("");
	now.is_released = true;
	log_kernel(DISABLED("unregistered from BPF"));
	now.state.is_active = now.state.is_enabled = false;
	began = now.now_ns;
	scheduler_finish(&s);
	assert_int_equal(now.now_ns - began, 10 * NSEC_PER_MSEC);
	expect_json("\"stage\":\"detach\"");
}

static void is_unloaded(void)
{
	now.state = (struct scx_state){ .is_there = true, .has_enable_seq = true, .enable_seq = 5 };
}

static void the_kernel_has_time_to_unload_it(void **state)
{
	static const struct event later[] = {
		{ 50, attaches }, { 1000, goes_well }, { 1500, is_unloaded }, {}
	};

	(void)state;
	now.events = later;
	now.ends_on_int = false;
	begin("");
	scheduler_finish(&s);
	assert_int_equal(now.now_ns, 12 * SECOND + SECOND / 2);
	expect_json("{\"end\":\"ran\"");
	expect_json("\"enable_seq\":5");
}

static void a_long_dump_is_cut(void **state)
{
	static char much[2 * BOUNDED_TEXT_HALF + 11];

	(void)state;
	memset(much, 'x', sizeof(much) - 1);
	begin("");
	now.dump = much;
	scheduler_finish(&s);
	expect_json("\"dump_bytes\":1048586,\"dump_omitted_bytes\":10}");
}

/* ---- what it does not take down ---- */

static void expect_not_asked(void)
{
	char asked[8];

	assert_int_equal(pread(now.sysrq, asked, sizeof(asked), 0), 0);
}

static void another_scheduler_stays(void **state)
{
	(void)state;
	attaches();
	init_with("");
	assert_false(scheduler_start(&s));
	scheduler_finish(&s);
	expect_not_asked();
	close(now.output[0]);
	close(now.kmsg[0]);
}

static void one_that_a_process_holds_is_not_taken_from_it(void **state)
{
	struct run_watcher w;

	(void)state;
	w = begin("");
	now.holder = 88;
	w.reaped(w.ctx, PID, EXITED(0));
	assert_int_equal(s.report.pid, 88);
	now.ends_on_int = now.ends_on_kill = false;
	scheduler_finish(&s);
	expect_calls("kill 88 2;kill 88 9;report;");
	expect_not_asked();
}

/* ---- remarks ---- */

static void what_does_not_work_is_told(void **state)
{
	struct run_watcher w;

	(void)state;
	now.disable = "off";
	now.has_no_priority = now.has_no_cgroups = true;
	w = begin("KTSTR_SCHED_CGROUP=x\nKTSTR_SCHED_ATTACH_S=x\n");
	assert_int_equal(s.report.attach_limit_s, 33);
	expect_logs("make the cgroup x: no place for it\n"
		    "init stays an ordinary task: Operation not permitted\n");
	w.reaped(w.ctx, PID, EXITED(0));
	close(now.sysrq);
	now.sysrq = __real_open("/dev/null", O_RDONLY | O_CLOEXEC);
	now.command_status = 4;
	scheduler_finish(&s);
	expect_logs("the pinned scheduler stays: Bad file descriptor\n"
		    "/sched_disable ended with status 4\n");
}

static void what_works_is_not_told(void **state)
{
	struct run_watcher w;

	(void)state;
	w = begin("KTSTR_SCHED_CGROUP=x\n");
	w.reaped(w.ctx, PID, EXITED(0));
	scheduler_finish(&s);
	expect_logs("");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		HERE(one_that_works_is_attached_and_detached),
		HERE(one_that_does_not_go_is_killed),
		HERE(one_that_dies_takes_the_payload_along),
		HERE(an_end_with_a_reason_is_told_at_once),
		HERE(one_whose_process_follows_has_not_outlived_its_end),
		HERE(one_that_comes_back_has_not_ended),
		HERE(a_state_tells_where_no_log_does),
		HERE(what_is_released_does_not_end_the_payload),
		HERE(the_watcher_wakes_for_output_and_log),
		HERE(a_failure_has_no_heir),
		HERE(one_that_is_gone_when_the_test_begins_left_then),
		HERE(all_that_there_is_is_read),
		HERE(what_left_on_purpose_is_not_waited_for),
		HERE(the_kernel_has_time_to_unload_it),
		HERE(a_long_dump_is_cut),
		HERE(another_scheduler_stays),
		HERE(one_that_a_process_holds_is_not_taken_from_it),
		HERE(what_does_not_work_is_told),
		HERE(what_works_is_not_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
