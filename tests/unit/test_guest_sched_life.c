// SPDX-License-Identifier: GPL-2.0-only
/* The life of a scheduler in a guest, with a kernel, a process and a clock that the test plays. */
#include "played_scheduler.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>

/* ---- scenes ---- */

static int setup(void **state)
{
	(void)state;
	memset(&s, 0, sizeof(s));
	memset(&now, 0, sizeof(now));
	now.now_ns = 11 * SECOND;
	now.state.is_there = true;
	now.args = "/scheduler\0-v";
	now.args_len = sizeof("/scheduler\0-v");
	now.ends_on_int = now.ends_on_kill = true;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, now.kmsg), 0);
	assert_int_equal(pipe2(now.output, O_NONBLOCK), 0);
	now.sysrq = memfd_create("sysrq", 0);
	report.control = memfd_create("control", 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	close(now.kmsg[1]);
	close(now.output[1]);
	close(now.sysrq);
	cleanup_fd(&report.control);
	str_finish(&now.calls);
	str_finish(&now.ended_file);
	str_finish(&json);
	json = (struct str){};
	return 0;
}

static void log_kernel(const char *record)
{
	assert_int_equal(write(now.kmsg[1], record, strlen(record)), strlen(record));
}

static void attaches(void)
{
	now.state.is_active = now.state.is_enabled = true;
	snprintf(now.state.ops, sizeof(now.state.ops), "a");
	log_kernel(ENABLED);
}

static void goes_with_3(void)
{
	ends(PID, EXITED(3));
}

static void attaches_by_a_child(void)
{
	now.holder = 88;
	attaches();
}

static void goes_well(void)
{
	now.ended = PID;
	now.status = EXITED(0);
}

static void init_with(const char *settings)
{
	struct settings set = {};

	str_add(&set.text, settings);
	assert_int_equal(scheduler_init(&s, &set), 0);
	str_finish(&set.text);
}

static void expect_calls(const char *wanted)
{
	assert_string_equal(str_get(&now.calls), wanted);
	str_reset(&now.calls);
}

static void expect_json(const char *part)
{
	if (!strstr(str_get(&json), part))
		fail_msg("no %s in %s", part, str_get(&json));
}

static void expect_line(const char *begin)
{
	char line[512] = {};

	assert_true(pread(report.control, line, sizeof(line) - 1, 0) >= 0);
	if (strncmp(line, begin, strlen(begin)) != 0)
		fail_msg("not %s: %s", begin, line);
}

static const struct event soon[] = { { 50, attaches }, {} };

/* Attached, and its payload runs. */
static struct run_watcher begin(const char *settings)
{
	if (!now.events)
		now.events = soon;
	init_with(settings);
	assert_true(s.is_wanted);
	assert_true(scheduler_start(&s));
	scheduler_begin_payload(&s);
	str_reset(&now.calls);
	return scheduler_watcher(&s);
}

/* Time passes while the payload runs. */
static void look_for(const struct run_watcher *w, uint64_t ms)
{
	for (uint64_t i = 0; i < ms; i += 100) {
		pass(100 * NSEC_PER_MSEC);
		w->look(w->ctx, PAYLOAD);
	}
}

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
	unsetenv(GUEST_SCHED_PID);
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
	assert_in_range(now.now_ns - began, 5 * SECOND, 5 * SECOND + SECOND / 10);
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
	look_for(&w, 1000);
	expect_calls("");
	look_for(&w, 200);
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

	(void)state;
	w = begin("");
	pass(SECOND);
	log_kernel(DISABLED("runtime error"));
	log_kernel("3,2,1,-;sched_ext: a: invalid DSQ ID 0x1234\n");
	now.state.is_active = now.state.is_enabled = false;
	look_for(&w, 100);
	expect_calls("exit 0;");
	/* Its process has a second to end by itself. */
	scheduler_finish(&s);
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

/* ---- those that never attach ---- */

static void expect_no_attach(const struct event *events, const char *end, const char *line)
{
	_free_ char *first = str_fmt("{\"end\":\"%s\"", end);

	now.events = events;
	init_with("KTSTR_SCHED_ATTACH_S=4\n");
	assert_false(scheduler_start(&s));
	scheduler_finish(&s);
	expect_json(first);
	expect_json("\"stage\":\"attach\"");
	expect_line(line);
}

static void one_that_does_not_attach_is_ended(void **state)
{
	(void)state;
	expect_no_attach(NULL, "not_attached", "SCHEDULER_NOT_ATTACHED: scheduler did not attach");
	expect_json("within 4 s");
	assert_in_range(now.now_ns, 15 * SECOND, 15 * SECOND + SECOND / 10);
	expect_calls("kill 77 2;forget 77;report;");
}

static void one_that_dies_before_says_so(void **state)
{
	static const struct event early[] = { { 1000, goes_with_3 }, {} };

	(void)state;
	now.has_orphans = true; /* of a status that is not 0 they are nothing */
	assert_true(write(now.output[1], "last words\n", 11) == 11);
	expect_no_attach(early, "died", "SCHEDULER_DIED: ");
	expect_json("\"exit_code\":3");
	assert_in_range(now.now_ns, 12 * SECOND, 12 * SECOND + SECOND / 10);
	assert_non_null(strstr(s.report.last_words, "last words"));
	expect_calls("forget 77;log last words\n;report;");
}

static void one_that_cannot_be_executed_says_so(void **state)
{
	(void)state;
	now.cannot_start = true;
	close(now.output[0]);
	expect_no_attach(NULL, "not_started", "SCHEDULER_DIED: ");
	expect_json("it is no program");
}

static void another_scheduler_is_in_the_way(void **state)
{
	(void)state;
	now.state.is_active = true;
	init_with("");
	assert_false(scheduler_start(&s));
	assert_int_equal(now.starts, 0);
	assert_string_equal(s.report.other_ops, "(unnamed)");
	snprintf(now.state.ops, sizeof(now.state.ops), "b");
	assert_false(scheduler_start(&s));
	assert_string_equal(s.report.other_ops, "b");
	now.state = (struct scx_state){};
	s.report.other_ops[0] = '\0';
	assert_false(scheduler_start(&s));
	assert_true(s.report.lacks_sched_ext);
	assert_string_equal(s.report.other_ops, "");
	assert_int_equal(now.starts, 0);
	s.is_wanted = false;
	close(now.output[0]);
	scheduler_finish(&s);
	close(now.kmsg[0]);
}

/* ---- those that fork ---- */

/* Known to hold it when its parent goes, or only when it is attached. */
static void a_child_may_hold_it(void **state)
{
	static const struct event forks[] = { { 30, goes_well }, { 300, attaches_by_a_child }, {} };

	now.has_orphans = true;
	now.holder = *state ? 88 : 0;
	now.events = forks;
	init_with("");
	assert_true(scheduler_start(&s));
	assert_true(s.report.has_forked_away);
	assert_false(s.report.has_status);
	assert_int_equal(s.report.pid, 88);
	scheduler_begin_payload(&s);
	assert_string_equal(getenv(GUEST_SCHED_PID), "88");
	scheduler_finish(&s);
	assert_non_null(strstr(str_get(&now.calls), "kill 88 2;"));
	expect_json("{\"end\":\"ran\"");
	expect_json("\"forked_away\":true");
}

static void a_child_holds_it_from_the_start(void **state)
{
	*state = &now;
	a_child_may_hold_it(state);
}

static void the_kernel_alone_may_hold_it(void **state)
{
	struct run_watcher w;
	char asked[8] = {};

	(void)state;
	w = begin("");
	w.reaped(w.ctx, PID, EXITED(0));
	assert_true(s.report.has_forked_away);
	assert_int_equal(s.report.pid, 0);
	look_for(&w, 3000);
	assert_false(s.report.has_ended);
	scheduler_finish(&s);
	assert_int_equal(pread(now.sysrq, asked, sizeof(asked), 0), 1);
	assert_string_equal(asked, "S");
}

static void another_one_does_not_hold_it(void **state)
{
	struct run_watcher w;

	(void)state;
	w = begin("");
	now.state.ops[0] = 'b';
	w.reaped(w.ctx, PID, EXITED(0));
	assert_false(s.report.has_forked_away);
	assert_true(s.report.has_status);
	scheduler_finish(&s);
	expect_json("\"exit_code\":0");
}

/* ---- before it ---- */

static void what_is_wanted_is_read(void **state)
{
	struct settings none = {};
	int rc;

	(void)state;
	now.enable = "on";
	init_with("KTSTR_SCHED_ATTACH_S=86401\nKTSTR_SCHED_WATCHDOG_S=7\nKTSTR_SCHED_CGROUP=x/y\n");
	expect_calls("run on;mkdir /sys/fs/cgroup/x/y;");
	assert_true(s.output == -1 && s.kmsg == -1 && s.trace.fd == -1);
	assert_int_equal(s.report.attach_limit_s, 33);
	assert_false(s.attach.is_fixed);
	assert_int_equal(s.attach.limit_ns, 33 * SECOND);
	assert_true(s.report.watchdog.is_wanted);
	assert_int_equal(s.report.watchdog.seconds, 7);
	assert_string_equal(s.report.program, "/scheduler");
	assert_string_equal(s.argv[1], "-v");
	assert_true(s.log.half >= BOUNDED_TEXT_HALF && s.log.half <= 8 << 20);
	str_reset(&s.args);
	init_with("KTSTR_SCHED_ATTACH_S=86400\nKTSTR_SCHED_CGROUP=/z\n");
	expect_calls("run on;mkdir /sys/fs/cgroup/z;");
	assert_int_equal(s.report.attach_limit_s, 86400);
	assert_int_equal(s.report.return_limit_s, 86400);
	assert_true(s.attach.is_fixed);
	assert_false(s.report.watchdog.is_wanted);
	now.command_status = 3;
	rc = scheduler_init(&s, &none);
	assert_int_equal(rc, -EIO);
	assert_non_null(strstr(err_text(rc), "status 3"));
	now.enable = NULL;
	now.args_len--;
	assert_int_equal(scheduler_init(&s, &none), -EINVAL);
	now.args = NULL;
	s.is_wanted = false;
	assert_int_equal(scheduler_init(&s, &none), 0);
	assert_false(s.is_wanted);
	close(now.output[0]);
	close(now.kmsg[0]);
	scheduler_finish(&s);
}

static void one_is_prepared_up_to_its_registering(void **state)
{
	(void)state;
	now.events = soon;
	init_with("");
	scheduler_prepare(&s); /* where that moment cannot be told */
	assert_false(s.is_prepared);
	now.can_follow = now.traces = true;
	now.stops_left = 3;
	scheduler_prepare(&s);
	assert_true(s.is_prepared && s.is_started);
	expect_calls("follow;stop;stop;stop;");
	init_with("KTSTR_SCHED_WATCHDOG_S=9\n"); /* the limits of this run, and nothing else */
	assert_int_equal(s.report.watchdog.seconds, 9);
	expect_calls("");
	assert_true(scheduler_start(&s));
	assert_int_equal(now.starts, 1);
	assert_true(strncmp(str_get(&now.calls), "release;", 8) == 0);
	scheduler_finish(&s);
	expect_json("{\"end\":\"ran\"");
}

static void one_that_never_registers_is_not_waited_for_long(void **state)
{
	(void)state;
	init_with("KTSTR_SCHED_ATTACH_S=4\n");
	now.can_follow = now.traces = true;
	scheduler_prepare(&s);
	assert_in_range(now.now_ns, 15 * SECOND, 15 * SECOND + SECOND);
	assert_int_equal(s.report.attach_limit_s, 4);
	scheduler_finish(&s);
}

#define HERE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

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
		HERE(one_that_does_not_attach_is_ended),
		HERE(one_that_dies_before_says_so),
		HERE(one_that_cannot_be_executed_says_so),
		HERE(another_scheduler_is_in_the_way),
		HERE(a_child_may_hold_it),
		HERE(a_child_holds_it_from_the_start),
		HERE(the_kernel_alone_may_hold_it),
		HERE(another_one_does_not_hold_it),
		HERE(what_is_wanted_is_read),
		HERE(one_is_prepared_up_to_its_registering),
		HERE(one_that_never_registers_is_not_waited_for_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
