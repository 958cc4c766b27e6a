// SPDX-License-Identifier: GPL-2.0-only
/* What gdb is answered about a guest of two CPUs. */
#include "unit.h"

#include "watch/parts.h"
#include "debug/parts.h"

#define MEMORY 0xffff888000000000ULL
#define MEMORY_BYTES 16

static bool fake_registers(void *ctx, unsigned int cpu, uint64_t out[DEBUG_REGISTER_COUNT])
{
	(void)ctx;
	memset(out, 0, DEBUG_REGISTER_COUNT * sizeof(*out));
	out[DEBUG_rax] = 0x1122 + cpu;
	out[DEBUG_rip] = 0xffffffff81000000ULL;
	out[DEBUG_gs] = 7;
	return cpu == 0;
}

static size_t fake_memory(void *ctx, unsigned int cpu, uint64_t address, void *out, size_t len)
{
	size_t there = address - MEMORY < MEMORY_BYTES ? MEMORY + MEMORY_BYTES - address : 0;

	(void)ctx;
	(void)cpu;
	there = MIN(there, len);
	memset(out, 0xab, there);
	return there;
}

static bool fake_write(void *ctx, unsigned int cpu, uint64_t address, const void *data, size_t len)
{
	(void)ctx;
	(void)cpu;
	return address == MEMORY && len == 2 && memcmp(data, "\x01\xff", 2) == 0;
}

static void fake_name(void *ctx, unsigned int cpu, struct str *out)
{
	(void)ctx;
	str_addf(out, "CPU %u", cpu);
}

static void fake_monitor(void *ctx, const char *command, struct str *out)
{
	(void)ctx;
	if (*command)
		str_addf(out, "<%s>", command);
}

static const struct server_guest guest = { .cpu_count = 2,
					   .registers = fake_registers,
					   .memory = fake_memory,
					   .write = fake_write,
					   .cpu_name = fake_name,
					   .monitor = fake_monitor };
static const struct debug_stop stop = { .event = { .position = 4096, .reason = DEBUG_PLACE } };

static struct server new_server(const struct debug_stop *at, bool is_beginning)
{
	struct server s = { .guest = &guest };

	server_set_stop(&s, at, is_beginning);
	return s;
}

static enum server_next ask(struct server *s, const char *packet, struct str *reply)
{
	str_reset(reply);
	return server_answer(s, packet, strlen(packet), reply);
}

#define EXPECT(s, packet, next, text)                            \
	do {                                                     \
		_str_ struct str reply_ = {};                    \
		assert_int_equal(ask(s, packet, &reply_), next); \
		assert_string_equal(str_get(&reply_), text);     \
	} while (0)

static void it_offers_to_go_backwards(void **state)
{
	struct server s = new_server(&stop, false);
	_str_ struct str reply = {};

	(void)state;
	ask(&s, "qSupported:multiprocess+;swbreak+", &reply);
	assert_non_null(strstr(str_get(&reply), "ReverseStep+;ReverseContinue+"));
	EXPECT(&s, "bc", SERVER_BACK, "");
	EXPECT(&s, "bs", SERVER_STEP_BACK, "");
	EXPECT(&s, "vMustReplyEmpty", SERVER_STAY, "");
	EXPECT(&s, "", SERVER_STAY, "");
	assert_false(s.no_ack);
	EXPECT(&s, "QStartNoAckMode", SERVER_STAY, "OK");
	assert_true(s.no_ack);
}

static void stops_say_why(void **state)
{
	struct debug_stop at = { .event = { .reason = DEBUG_STEPPED }, .cpu = 1 };
	struct server s = new_server(&at, false);

	(void)state;
	EXPECT(&s, "?", SERVER_STAY, "T05thread:2;");
	/* Other packets that begin so are not known. */
	EXPECT(&s, "?x", SERVER_STAY, "");
	EXPECT(&s, "gx", SERVER_STAY, "");
	at.event.reason = DEBUG_PLACE;
	EXPECT(&s, "?", SERVER_STAY, "T05thread:2;swbreak:;");
	at.event = (struct debug_event){ 1, DEBUG_WATCH, 0x1000, DEBUG_WATCH_WRITE };
	EXPECT(&s, "?", SERVER_STAY, "T05thread:2;watch:1000;");
	at.event.access = DEBUG_WATCH_READ;
	EXPECT(&s, "?", SERVER_STAY, "T05thread:2;rwatch:1000;");
	at.event.access = DEBUG_WATCH_READ | DEBUG_WATCH_WRITE;
	EXPECT(&s, "?", SERVER_STAY, "T05thread:2;awatch:1000;");
	at.event.reason = DEBUG_INTERRUPTED;
	EXPECT(&s, "?", SERVER_STAY, "T02thread:2;");
	server_set_stop(&s, &at, true);
	EXPECT(&s, "?", SERVER_STAY, "T02thread:2;replaylog:begin;");
	/* There are two CPUs. */
	at.cpu = 2;
	server_set_stop(&s, &at, false);
	EXPECT(&s, "?", SERVER_STAY, "T02thread:1;");
}

static void registers_are_those_of_the_thread_that_is_asked_for(void **state)
{
	struct server s = new_server(&stop, false);
	_str_ struct str reply = {};

	(void)state;
	ask(&s, "g", &reply);
	assert_int_equal(reply.len, 2 * (17 * 8 + 7 * 4));
	assert_memory_equal(reply.s, "2211000000000000", 16);
	EXPECT(&s, "p0", SERVER_STAY, "2211000000000000");
	EXPECT(&s, "p10", SERVER_STAY, "00000081ffffffff");
	EXPECT(&s, "p17", SERVER_STAY, "07000000");
	EXPECT(&s, "p18", SERVER_STAY, "xxxxxxxx");
	EXPECT(&s, "p", SERVER_STAY, "E16");
	EXPECT(&s, "Hg2", SERVER_STAY, "OK");
	EXPECT(&s, "g", SERVER_STAY, "E0e");
	EXPECT(&s, "p0", SERVER_STAY, "E0e");
	EXPECT(&s, "qC", SERVER_STAY, "QC2");
	EXPECT(&s, "Hg0", SERVER_STAY, "OK");
	EXPECT(&s, "Hg-1", SERVER_STAY, "OK");
	EXPECT(&s, "Hg3", SERVER_STAY, "E16");
	EXPECT(&s, "Hx1", SERVER_STAY, "E16");
	EXPECT(&s, "qC", SERVER_STAY, "QC1");
}

static void memory_is_read_as_far_as_it_goes(void **state)
{
	struct server s = new_server(&stop, false);

	(void)state;
	EXPECT(&s, "mffff888000000000,2", SERVER_STAY, "abab");
	EXPECT(&s, "mffff88800000000e,ffffffffffffffff", SERVER_STAY, "abab");
	EXPECT(&s, "mffff888000000010,1", SERVER_STAY, "E0e");
	EXPECT(&s, "mffff888000000000", SERVER_STAY, "E16");
	EXPECT(&s, "m,1", SERVER_STAY, "E16");
}

static void nothing_is_written_unless_it_may(void **state)
{
	static const char *const packets[] = { "G00", "P0=1", "Mffff888000000000,2:01ff" };
	struct server s = new_server(&stop, false);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(packets); i++)
		EXPECT(&s, packets[i], SERVER_STAY,
		       "E.a run of ktstr debug cannot be changed: it would not be the same run "
		       "any more");
	assert_non_null(strstr(s.note, "--write"));
	assert_false(s.is_written);
	EXPECT(&s, "bc", SERVER_BACK, "");
	EXPECT(&s, "Xffff888000000000,0:", SERVER_STAY, "");
}

static void a_run_that_was_written_to_has_no_way_back(void **state)
{
	struct server s = new_server(&stop, false);
	_str_ struct str reply = {};

	(void)state;
	s.may_write = true;
	EXPECT(&s, "P0=1", SERVER_STAY,
	       "E.a run of ktstr debug cannot be changed: it would not be the same run any more");
	EXPECT(&s, "Mffff888000000000,2:01", SERVER_STAY, "E16");
	EXPECT(&s, "Mffff888000000000,2:01f", SERVER_STAY, "E16");
	EXPECT(&s, "Mffff888000000010,2:01ff", SERVER_STAY, "E0e");
	assert_null(s.note);
	EXPECT(&s, "bs", SERVER_STEP_BACK, "");
	EXPECT(&s, "Mffff888000000000,2:01ff", SERVER_STAY, "OK");
	assert_true(s.is_written);
	assert_non_null(strstr(s.note, "not the run of the record any more"));
	assert_int_equal(ask(&s, "bc", &reply), SERVER_STAY);
	assert_true(str_starts(str_get(&reply), "E.a run that was written to"));
	assert_int_equal(ask(&s, "bs", &reply), SERVER_STAY);
	assert_true(str_starts(str_get(&reply), "E.a run that was written to"));
	EXPECT(&s, "c", SERVER_CONTINUE, "");
}

static void threads_are_cpus(void **state)
{
	struct server s = new_server(&stop, false);

	(void)state;
	EXPECT(&s, "qfThreadInfo", SERVER_STAY, "m1,2");
	EXPECT(&s, "qsThreadInfo", SERVER_STAY, "l");
	EXPECT(&s, "qThreadExtraInfo,2", SERVER_STAY, "4350552031");
	EXPECT(&s, "qThreadExtraInfo,3", SERVER_STAY, "E16");
	EXPECT(&s, "T2", SERVER_STAY, "OK");
	EXPECT(&s, "T3", SERVER_STAY, "E16");
}

static void points_come_and_go(void **state)
{
	struct server s = new_server(&stop, false);

	(void)state;
	EXPECT(&s, "Z0,ffffffff81000000,1", SERVER_STAY, "OK");
	EXPECT(&s, "Z1,ffffffff81000000,1", SERVER_STAY, "OK");
	EXPECT(&s, "Z0,10,1;cmds:1", SERVER_STAY, "OK");
	assert_int_equal(s.place_count, 2);
	EXPECT(&s, "z0,ffffffff81000000,1", SERVER_STAY, "OK");
	assert_int_equal(s.place_count, 1);
	assert_int_equal(s.places[0], 0x10);
	EXPECT(&s, "Z2,20,8", SERVER_STAY, "OK");
	EXPECT(&s, "Z2,20,8", SERVER_STAY, "OK");
	EXPECT(&s, "Z4,20,8", SERVER_STAY, "OK");
	assert_int_equal(s.watch_count, 2);
	EXPECT(&s, "z2,20,8", SERVER_STAY, "OK");
	assert_int_equal(s.watch_count, 1);
	assert_int_equal(s.watches[0].access, DEBUG_WATCH_READ | DEBUG_WATCH_WRITE);
	EXPECT(&s, "Z5,20,8", SERVER_STAY, "E16");
	EXPECT(&s, "Z0,20", SERVER_STAY, "E16");
	EXPECT(&s, "z", SERVER_STAY, "E16");
}

/* The last one takes the place of the one that is removed. */
static void points_are_removed_one_by_one(void **state)
{
	struct server s = new_server(&stop, false);

	(void)state;
	for (unsigned int i = 1; i <= 4; i++) {
		_free_ char *place = str_fmt("Z0,%x,1", i), *watch = str_fmt("Z2,%x,8", i);

		EXPECT(&s, place, SERVER_STAY, "OK");
		EXPECT(&s, watch, SERVER_STAY, "OK");
	}
	EXPECT(&s, "z0,2,1", SERVER_STAY, "OK");
	EXPECT(&s, "z2,2,8", SERVER_STAY, "OK");
	EXPECT(&s, "z2,3,4", SERVER_STAY, "OK");
	EXPECT(&s, "z3,3,8", SERVER_STAY, "OK");
	assert_int_equal(s.place_count, 3);
	assert_true(s.places[0] == 1 && s.places[1] == 4 && s.places[2] == 3);
	assert_int_equal(s.watch_count, 3);
	assert_true(s.watches[0].address == 1 && s.watches[1].address == 4 &&
		    s.watches[2].address == 3);
	EXPECT(&s, "z0,3,1", SERVER_STAY, "OK");
	EXPECT(&s, "z2,3,8", SERVER_STAY, "OK");
	assert_true(s.place_count == 2 && s.watch_count == 2);
	assert_true(s.watches[1].bytes == 8 && s.watches[1].access == DEBUG_WATCH_WRITE);
}

static void there_is_an_end_to_points(void **state)
{
	struct server s = new_server(&stop, false);
	_str_ struct str reply = {};

	(void)state;
	for (unsigned int i = 0; i < DEBUG_MAX_PLACES + DEBUG_MAX_WATCHES; i++) {
		_free_ char *packet = str_fmt("Z%d,%x,1", i < DEBUG_MAX_PLACES ? 0 : 2, i + 1);

		EXPECT(&s, packet, SERVER_STAY, "OK");
	}
	ask(&s, "Z0,ffff,1", &reply);
	assert_true(str_starts(str_get(&reply), "E.there are as many"));
	ask(&s, "Z3,ffff,1", &reply);
	assert_true(str_starts(str_get(&reply), "E.there are as many"));
}

static void it_goes_on_as_it_is_told(void **state)
{
	struct server s = new_server(&stop, false);
	static const char *const longer[] = { "cx",
					      "sx",
					      "bcx",
					      "bsx",
					      "qCx",
					      "qfThreadInfox",
					      "qsThreadInfox",
					      "QStartNoAckModex" };

	(void)state;
	EXPECT(&s, "vCont?", SERVER_STAY, "vCont;c;C;s;S");
	EXPECT(&s, "vCont;c", SERVER_CONTINUE, "");
	EXPECT(&s, "vCont;c:-1", SERVER_CONTINUE, "");
	EXPECT(&s, "vCont;s:2;c", SERVER_STEP, "");
	assert_int_equal(s.step_cpu, 1);
	EXPECT(&s, "vCont;S05:1;c:-1", SERVER_STEP, "");
	assert_int_equal(s.step_cpu, 0);
	EXPECT(&s, "vCont", SERVER_STAY, "E16");
	EXPECT(&s, "vCont;t", SERVER_STAY, "E16");
	EXPECT(&s, "vCont;s:9", SERVER_STAY, "E16");
	EXPECT(&s, "c", SERVER_CONTINUE, "");
	EXPECT(&s, "s", SERVER_STEP, "");
	EXPECT(&s, "C05", SERVER_CONTINUE, "");
	EXPECT(&s, "Hg2", SERVER_STAY, "OK");
	EXPECT(&s, "S05", SERVER_STEP, "");
	assert_int_equal(s.step_cpu, 1);
	EXPECT(&s, "vCont;c;s:1;s:2", SERVER_STEP, "");
	assert_int_equal(s.step_cpu, 0);
	EXPECT(&s, "bs", SERVER_STEP_BACK, "");
	assert_int_equal(s.step_cpu, 1);
	EXPECT(&s, "vCont;C;s:1", SERVER_STAY, "E16");
	EXPECT(&s, "vCont;c;", SERVER_CONTINUE, "");
	/* No packets of their own. */
	for (size_t i = 0; i < ARRAY_SIZE(longer); i++)
		EXPECT(&s, longer[i], SERVER_STAY, "");
	EXPECT(&s, "vKill;1", SERVER_LEAVE, "OK");
	EXPECT(&s, "qAttached:1", SERVER_STAY, "1");
	EXPECT(&s, "D", SERVER_LEAVE, "OK");
	EXPECT(&s, "k", SERVER_LEAVE, "");
}

static void commands_of_ours_are_passed_on(void **state)
{
	struct server s = new_server(&stop, false);

	(void)state;
	EXPECT(&s, "qRcmd,7271", SERVER_STAY, "3c72713e");
	EXPECT(&s, "qRcmd,", SERVER_STAY, "OK");
	EXPECT(&s, "qRcmd,7", SERVER_STAY, "E16");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_offers_to_go_backwards),
		cmocka_unit_test(stops_say_why),
		cmocka_unit_test(registers_are_those_of_the_thread_that_is_asked_for),
		cmocka_unit_test(memory_is_read_as_far_as_it_goes),
		cmocka_unit_test(nothing_is_written_unless_it_may),
		cmocka_unit_test(a_run_that_was_written_to_has_no_way_back),
		cmocka_unit_test(threads_are_cpus),
		cmocka_unit_test(points_come_and_go),
		cmocka_unit_test(points_are_removed_one_by_one),
		cmocka_unit_test(there_is_an_end_to_points),
		cmocka_unit_test(it_goes_on_as_it_is_told),
		cmocka_unit_test(commands_of_ours_are_passed_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
