// SPDX-License-Identifier: GPL-2.0-only
/* Schedulers that do not attach, that fork, and what comes before and after their lives. */
#include "played_scheduler.h"

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
	assert_int_equal(now.now_ns, 11 * SECOND + NSEC_PER_MSEC); /* all of them at once */
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
	/* Each look takes eleven milliseconds, until nothing has come for ten. */
	assert_int_equal(now.now_ns, 15 * SECOND + 4 * NSEC_PER_MSEC);
	assert_int_equal(s.report.attach_limit_s, 4);
	scheduler_finish(&s);
}

static void many_stops_do_not_keep_it_from_looking(void **state)
{
	(void)state;
	init_with("KTSTR_SCHED_ATTACH_S=4\n");
	now.can_follow = now.traces = true;
	now.signals_left = 500;
	scheduler_prepare(&s);
	assert_int_equal(now.waits, 200);
	assert_true(now.looks >= 200);
	scheduler_finish(&s);
}

static void nobody_is_prepared_where_none_is_wanted(void **state)
{
	(void)state;
	now.args = NULL;
	init_with("");
	now.can_follow = true;
	scheduler_prepare(&s);
	assert_false(s.is_prepared);
	assert_int_equal(now.starts, 0);
	close(now.output[0]);
	close(now.kmsg[0]);
	scheduler_finish(&s);
	expect_calls("");
}

/* ---- further ends ---- */

static void one_that_is_watched_is_followed_until_it_is_attached(void **state)
{
	(void)state;
	now.events = soon;
	now.traces = true;
	init_with("KTSTR_SCHED_WATCHDOG_S=7\n");
	assert_true(scheduler_start(&s));
	expect_calls("follow;attached ops=a\npid=77\nattach_ns=55000000\n;let go;programs;");
	scheduler_finish(&s);
}

static void the_host_sees_that_it_is_there(void **state)
{
	struct channel_header h = { .capacity = 4096 };

	(void)state;
	report.channel.header = &h;
	begin("");
	assert_int_equal(h.slot1, CHANNEL_SLOT_SCHEDULER_UP);
	report.channel.header = NULL;
	scheduler_finish(&s);
}

/* With a ring that is nearly full, a megabyte of its log is sent. */
static void a_long_log_is_cut_to_what_there_is_room_for(void **state)
{
	static char much[65536];
	struct channel_header h = { .capacity = 4096 };
	struct run_watcher w;

	(void)state;
	now.memory_bytes = 96ULL << 20;
	memset(much, 'x', sizeof(much));
	w = begin("");
	assert_int_equal(s.log.half, 4 << 20);
	for (int i = 0; i < 17; i++) {
		assert_int_equal(write(now.output[1], much, sizeof(much)), sizeof(much));
		w.look(w.ctx, PAYLOAD);
	}
	report.channel.header = &h;
	scheduler_finish(&s);
	report.channel.header = NULL;
	expect_json("\"log_bytes\":1114112,\"log_omitted_bytes\":65536");
	assert_non_null(strstr(str_get(&now.calls), "\n--- 65536 bytes omitted ---\n"));
}

static void a_log_has_a_part_of_the_memory(void **state)
{
	static const struct {
		uint64_t memory, half;
	} rows[] = { { 0, 512 << 10 },
		     { 1 << 20, 512 << 10 },
		     { 24 << 20, 1 << 20 },
		     { 24ULL << 30, 8 << 20 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		now.memory_bytes = rows[i].memory;
		init_with("");
		assert_int_equal(s.log.half, rows[i].half);
	}
	s.is_wanted = false;
	close(now.output[0]);
	close(now.kmsg[0]);
	scheduler_finish(&s);
}

static void loads_another_program(void)
{
	now.newest_program++;
}

/* By the boot it had 33 s, and 66 from the program that came after 20. */
static void one_that_loads_programs_has_more_time(void **state)
{
	static const struct event later[] = { { 20000, loads_another_program }, {} };

	(void)state;
	now.events = later;
	init_with("");
	assert_false(scheduler_start(&s));
	assert_int_equal(now.now_ns, 97 * SECOND + 10 * NSEC_PER_MSEC);
	assert_int_equal(s.report.attach_limit_s, 86);
	scheduler_finish(&s);
	expect_json("within 86 s");
}

/* What was loaded before is not its own. */
static void one_that_loads_nothing_has_its_time(void **state)
{
	(void)state;
	now.newest_program = 7;
	init_with("");
	assert_false(scheduler_start(&s));
	assert_int_equal(now.now_ns, 44 * SECOND + 10 * NSEC_PER_MSEC);
	scheduler_finish(&s);
	expect_json("within 33 s");
}

static void is_taken_down(void)
{
	log_kernel(DISABLED("runtime error"));
}

static void one_that_is_taken_down_before_says_so(void **state)
{
	static const struct event early[] = { { 1000, is_taken_down }, {} };

	(void)state;
	expect_no_attach(early, "error", "SCHEDULER_DIED: the kernel took the scheduler down: ");
	expect_json("\"attached\":false");
}

static void is_logged_as_enabled(void)
{
	log_kernel(ENABLED);
}

/* After its time nothing that it does counts. */
static void one_that_is_late_has_not_attached(void **state)
{
	static const struct event late[] = { { 4500, is_logged_as_enabled }, {} };

	(void)state;
	now.ends_on_int = false;
	expect_no_attach(late, "not_attached", "SCHEDULER_NOT_ATTACHED: ");
	expect_json("\"attached\":false");
}

static void leaves_at_once(void)
{
	attaches();
	log_kernel(DISABLED("unregistered from BPF"));
}

static void one_that_left_is_attached_when_it_is_back(void **state)
{
	static const struct event twice[] = { { 50, leaves_at_once }, { 300, attaches }, {} };

	(void)state;
	now.events = twice;
	init_with("");
	assert_true(scheduler_start(&s));
	assert_int_equal(s.report.attach_ns, 300 * NSEC_PER_MSEC);
	scheduler_finish(&s);
	expect_json("\"absence_count\":0");
}

/* Nobody is left who could attach it. */
static void one_that_goes_without_a_child_has_died(void **state)
{
	static const struct event early[] = { { 1000, goes_well }, {} };

	(void)state;
	now.events = early;
	init_with("");
	assert_false(scheduler_start(&s));
	assert_int_equal(now.now_ns, 12 * SECOND);
	scheduler_finish(&s);
	expect_json("{\"end\":\"died\"");
	expect_json("\"exit_code\":0");
	expect_json("\"ended_ns\":null");
}

/* When it goes because it was told to, nobody inherits it. */
static void at_its_end_nobody_is_its_heir(void **state)
{
	(void)state;
	begin("");
	now.holder = 88;
	scheduler_finish(&s);
	expect_calls("kill 77 2;forget 77;report;");
	expect_json("\"pid\":77,\"forked_away\":false");
}

static void its_own_words_tell_of_an_end_that_nobody_else_told(void **state)
{
	static const char words[] = "EXIT: unregistered from user space (bye)\n";

	(void)state;
	begin("");
	assert_int_equal(write(now.output[1], words, strlen(words)), strlen(words));
	scheduler_finish(&s);
	expect_json("\"exit\":{\"kind\":64,\"reason\":\"unregistered from user space\","
		    "\"message\":\"bye\",\"source\":\"scheduler log\"}");
	assert_string_equal(s.report.last_words, "");
}

static void one_that_the_verifier_refuses_says_so(void **state)
{
	static const struct event early[] = { { 1000, goes_with_3 }, {} };
	static const char words[] =
		"prog 'p': -- BEGIN PROG LOAD LOG --\nno\nprocessed 1\nEXIT: x\n";

	(void)state;
	assert_int_equal(write(now.output[1], words, strlen(words)), strlen(words));
	expect_no_attach(early, "verifier", "SCHEDULER_DIED: ");
	expect_json("\"exit\":null");
}

static void no_commands_are_no_program(void **state)
{
	(void)state;
	now.enable = now.disable = "";
	now.args = NULL;
	init_with("");
	close(now.output[0]);
	close(now.kmsg[0]);
	scheduler_finish(&s);
	expect_calls("");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
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
		HERE(many_stops_do_not_keep_it_from_looking),
		HERE(nobody_is_prepared_where_none_is_wanted),
		HERE(one_that_is_watched_is_followed_until_it_is_attached),
		HERE(the_host_sees_that_it_is_there),
		HERE(a_long_log_is_cut_to_what_there_is_room_for),
		HERE(a_log_has_a_part_of_the_memory),
		HERE(one_that_loads_programs_has_more_time),
		HERE(one_that_loads_nothing_has_its_time),
		HERE(one_that_is_taken_down_before_says_so),
		HERE(one_that_is_late_has_not_attached),
		HERE(one_that_left_is_attached_when_it_is_back),
		HERE(one_that_goes_without_a_child_has_died),
		HERE(at_its_end_nobody_is_its_heir),
		HERE(its_own_words_tell_of_an_end_that_nobody_else_told),
		HERE(one_that_the_verifier_refuses_says_so),
		HERE(no_commands_are_no_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
