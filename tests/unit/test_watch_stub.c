// SPDX-License-Identifier: GPL-2.0-only
/* QEMU's gdb stub, here a socket into which its answers were put before. */
#include "unit.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"
#include "watch/parts.h"

static struct stub stub;
static const struct trace_watch places[] = { { 0xffffffff83d0eee8, 4 }, { 0xffffc90000123458, 8 } };

static int set_up(void **state)
{
	(void)state;
	return stub_open(&stub);
}

static int tear_down(void **state)
{
	(void)state;
	stub_close(&stub);
	return 0;
}

static void say(const char *data)
{
	_str_ struct str packet = {};

	packet_add(&packet, data, strlen(data));
	assert_int_equal(write(stub.theirs, packet.s, packet.len), packet.len);
}

/* All that was sent to QEMU, acknowledgements included. */
static void expect_heard(const char *text)
{
	char heard[512] = "";
	ssize_t n = recv(stub.theirs, heard, sizeof(heard) - 1, MSG_DONTWAIT);

	assert_true(n >= 0 || errno == EAGAIN);
	assert_string_equal(heard, text);
}

static void watch(void)
{
	say("OK");
	say("OK");
	assert_int_equal(stub_watch(&stub, &places[0]), 0);
	assert_int_equal(stub_watch(&stub, &places[1]), 0);
	expect_heard("$Z2,ffffffff83d0eee8,4#ae+$Z2,ffffc90000123458,8#47+");
	assert_true(stub.is_held && stub.watch_count == 2);
	assert_true(stub_go_on(&stub));
	assert_false(stub.is_held);
	expect_heard("$c#63");
}

static void a_write_is_told_by_its_place(void **state)
{
	(void)state;
	watch();
	assert_false(stub_has_news(&stub));
	say("T05thread:01;watch:ffffc90000123458;");
	assert_true(stub_has_news(&stub));
	stub_await_stop(&stub, 0);
	assert_true(stub.is_held && stub.has_hit);
	assert_int_equal(stub.hit, 1);
	expect_heard("+");
	stub_go_on(&stub);
	assert_false(stub.has_hit);
	say("T05thread:02;watch:ffffffff83d0eee8;");
	stub_await_stop(&stub, 0);
	assert_true(stub.has_hit && stub.hit == 0);
}

/* Where the stop comes first: the one CPU does its write, and nobody else anything. */
static void a_write_that_follows_its_stop_is_waited_for(void **state)
{
	(void)state;
	watch();
	stub.stops_before = true;
	say("T05thread:02;watch:ffffc90000123458;");
	say("OK");
	say("T05thread:02;");
	say("OK");
	stub_await_stop(&stub, 0);
	assert_true(stub.is_held && stub.has_hit);
	assert_int_equal(stub.hit, 1);
	expect_heard("+$z2,ffffc90000123458,8#67+$vCont;s:02#54+$Z2,ffffc90000123458,8#47+");
	/* A stop that tells of no CPU is one all the same. */
	stub_go_on(&stub);
	say("T05watch:ffffc90000123458;");
	stub_await_stop(&stub, 0);
	assert_true(stub.has_hit);
}

static void other_stops_are_no_writes(void **state)
{
	static const char *const others[] = { "T02thread:01;", "T05thread:01;",
					      "T05thread:01;watch:;",
					      "T05thread:01;watch:ffffffff83d0eef0;" };

	(void)state;
	watch();
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		say(others[i]);
		stub_await_stop(&stub, 0);
		assert_true(stub.is_held && !stub.has_hit);
		stub_go_on(&stub);
	}
	/* Nothing has come, or no packet that tells of a stop. */
	stub_await_stop(&stub, 0);
	say("OK");
	stub_await_stop(&stub, 0);
	assert_false(stub.is_held);
}

static void places_that_a_processor_cannot_watch_are_refused(void **state)
{
	static const struct trace_watch bad[] = {
		{ 0x1000, 24 }, { 0x1000, 3 }, { 0x1002, 4 }, { 0x1004, 8 }, { 0x1000, 16 }
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(stub_watch(&stub, &bad[i]), -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), "16 bytes cannot be watched by the processor"));
	expect_heard("");
}

static void as_many_are_watched_as_there_is_room_for(void **state)
{
	(void)state;
	for (size_t i = 0; i < TRACE_MAX_WATCHES; i++) {
		say("OK");
		assert_int_equal(stub_watch(&stub, &(struct trace_watch){ 0x1000 + i, 1 }), 0);
	}
	assert_int_equal(stub_watch(&stub, &places[0]), -EINVAL);
	assert_int_equal(stub.watch_count, TRACE_MAX_WATCHES);
	assert_int_equal(stub.watches[0].address, 0x1000);
}

/* From its first byte to its last. */
static void a_place_is_all_of_its_bytes(void **state)
{
	static const struct {
		const char *address;
		bool is_hit;
	} rows[] = { { "ffffffff83d0eee7", false },
		     { "ffffffff83d0eee8", true },
		     { "ffffffff83d0eeeb", true },
		     { "ffffffff83d0eeec", false } };

	(void)state;
	watch();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_free_ char *stop = str_fmt("T05watch:%s;thread:01;", rows[i].address);

		say(stop);
		stub_await_stop(&stub, 0);
		assert_int_equal(stub.has_hit, rows[i].is_hit);
	}
}

/* A watchpoint that stays cannot be stepped over; names of threads may be long. */
static void a_step_is_of_one_thread_without_its_watchpoint(void **state)
{
	static const char digits[] = "0123456789abcdef0123456789abcdef0123456789";
	_free_ char *stop = str_fmt("T05thread:%s;watch:ffffc90000123458;", digits);
	_free_ char *step = str_fmt("$vCont;s:%.32s#", digits);
	char heard[512] = "";

	(void)state;
	watch();
	stub.stops_before = true;
	say("T05thread:02;watch:ffffc90000123458;");
	say("E22");
	stub_await_stop(&stub, 0);
	assert_true(stub.has_hit);
	expect_heard("+$z2,ffffc90000123458,8#67+");
	say(stop);
	say("OK");
	say("T05thread:02;");
	say("OK");
	stub_await_stop(&stub, 0);
	assert_true(recv(stub.theirs, heard, sizeof(heard) - 1, MSG_DONTWAIT) > 0);
	assert_non_null(strstr(heard, step));
	/* Elsewhere the stop comes after the write. */
	stub.stops_before = false;
	say("T05thread:02;watch:ffffc90000123458;");
	stub_await_stop(&stub, 0);
	expect_heard("+");
}

/* Also one whose beginning came alone, or behind one that was damaged. */
static void a_packet_may_come_in_pieces(void **state)
{
	(void)state;
	watch();
	assert_int_equal(write(stub.theirs, "$", 1), 1);
	stub_await_stop(&stub, 0);
	assert_false(stub.is_held);
	assert_int_equal(write(stub.theirs, "T02#b6", 6), 6);
	stub_await_stop(&stub, 0);
	assert_true(stub.is_held);
	stub_go_on(&stub);
	assert_int_equal(write(stub.theirs, "$T02#00$T02#b6", 14), 14);
	stub_await_stop(&stub, 0);
	assert_true(stub.is_held);
}

/* ---- how long it waits ---- */

static uint64_t now_ns; /* 0 = the real one */
static int poll_ms;	/* how long it wanted to wait */

uint64_t __real_clock_mono_ns(void);
uint64_t __wrap_clock_mono_ns(void);
int __real_poll(struct pollfd *fds, nfds_t count, int timeout);
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout);

uint64_t __wrap_clock_mono_ns(void)
{
	return now_ns ? now_ns : __real_clock_mono_ns();
}

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout)
{
	poll_ms = timeout;
	return __real_poll(fds, count, now_ns ? 0 : timeout);
}

static void it_waits_as_long_as_it_is_told(void **state)
{
	static const struct {
		uint64_t limit_ns;
		int ms;
	} rows[] = { { 0, 0 },
		     { 1, 1 },
		     { NSEC_PER_MSEC - 1, 1 },
		     { NSEC_PER_MSEC, 2 },
		     { 7 * NSEC_PER_SEC, 7001 } };

	(void)state;
	watch();
	now_ns = 1000 * NSEC_PER_SEC;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		stub_await_stop(&stub, rows[i].limit_ns);
		assert_int_equal(poll_ms, rows[i].ms);
	}
	assert_false(stub_has_news(&stub));
	assert_int_equal(poll_ms, 0);
	/* QEMU has some time to answer. */
	assert_int_equal(stub_watch(&stub, &(struct trace_watch){ 0x1000, 1 }), -EINVAL);
	assert_int_equal(poll_ms, 5001);
	now_ns = 0;
}

static void a_stub_that_is_closed_has_no_news(void **state)
{
	(void)state;
	watch();
	say("T02thread:01;");
	stub_close(&stub);
	assert_int_equal(stub.ours, -1);
	assert_int_equal(stub.theirs, -1);
	assert_int_equal(stub.watch_count, 0);
	assert_false(stub_has_news(&stub));
}

static void what_qemu_refuses_is_not_watched(void **state)
{
	(void)state;
	say("OK");
	say("E22");
	assert_int_equal(stub_watch(&stub, &places[0]), 0);
	assert_int_equal(stub_watch(&stub, &places[1]), -EINVAL);
	assert_int_equal(stub.watch_count, 1);
}

static void watchpoints_are_removed(void **state)
{
	(void)state;
	watch();
	/* One more stop that nobody has waited for. */
	say("T02thread:01;");
	say("OK");
	say("OK");
	stub_unwatch(&stub);
	expect_heard("$z2,ffffffff83d0eee8,4#ce++$z2,ffffc90000123458,8#67+");
	assert_int_equal(stub.watch_count, 0);
}

static void a_qemu_that_is_gone_says_nothing(void **state)
{
	(void)state;
	close(stub.theirs);
	stub.theirs = -1;
	assert_int_equal(stub_watch(&stub, places), -EINVAL);
	stub_await_stop(&stub, NSEC_PER_SEC);
	assert_false(stub.is_held);
	assert_false(stub_go_on(&stub));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(a_write_is_told_by_its_place),
		TEST(a_write_that_follows_its_stop_is_waited_for),
		TEST(other_stops_are_no_writes),
		TEST(places_that_a_processor_cannot_watch_are_refused),
		TEST(as_many_are_watched_as_there_is_room_for),
		TEST(a_place_is_all_of_its_bytes),
		TEST(a_step_is_of_one_thread_without_its_watchpoint),
		TEST(a_packet_may_come_in_pieces),
		TEST(it_waits_as_long_as_it_is_told),
		TEST(a_stub_that_is_closed_has_no_news),
		TEST(what_qemu_refuses_is_not_watched),
		TEST(watchpoints_are_removed),
		TEST(a_qemu_that_is_gone_says_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
