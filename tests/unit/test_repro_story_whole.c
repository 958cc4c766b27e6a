// SPDX-License-Identifier: GPL-2.0-only
/* One story in full, for people and for programs: every kind of event, and both CPUs. */
#include "story_fixture.h"

#include "base/json.h"
#include "repro/parts.h"

#define NO_DSQ (1ULL << 63)
#define LOCAL_DSQ (1ULL << 63 | 2)

static void tell_everything(void)
{
	begin(&rp_victim);
	add(TRACE_SWITCH, 1, 7, 0, 0, 0);
	add(TRACE_WAKEUP, 0, RP_VICTIM, 7, 0, 0);
	add(TRACE_MIGRATE, 0, RP_VICTIM, 1, 0, 0);
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add_program(0, RP_VICTIM, RP_ENQUEUE, 1, NO_DSQ, 1);
	add_call(0, RP_VICTIM, "dispatch_enqueue", LOCAL_DSQ);
	add(TRACE_SWITCH, 0, RP_VICTIM, 7, 0, 0);
	now_ns += 1000;
	add(TRACE_SWITCH, 0, 7, RP_VICTIM, 0, 0);
	add(TRACE_DEQUEUE, 0, RP_VICTIM, 0, 1, 0);
	now_ns += 2000;
	add(TRACE_ENQUEUE, 1, RP_VICTIM, 0, 1, 0);
	add_program(1, RP_VICTIM, RP_ENQUEUE, 1, 1, 3);
	add_call(1, RP_VICTIM, "dispatch_enqueue", 3);
	add_program(1, 7, RP_DISPATCH, 0, NO_DSQ, NO_DSQ);
	add_call(1, 7, "scx_bpf_dsq_move_to_local", 0);
	now_ns += 3000;
	add(TRACE_SWITCH, 1, 0, 7, 1, 0);
	add_program(0, 7, RP_DISPATCH, 0, NO_DSQ, NO_DSQ);
	add_call(0, 7, "scx_bpf_dsq_move_to_local", 5);
	add_call(0, 7, "scx_bpf_dsq_move_to_local", 5);
	now_ns += 4000;
	add(TRACE_ENTER, 0, 7, 0, RP_DISPATCH, 0);
	add(TRACE_LINE, 0, 7, 0, RP_DISPATCH + 1, 0);
	add(TRACE_LEAVE, 0, 7, 0, RP_DISPATCH, 0);
	add_call(0, 7, "scx_vexit", 0);
	read_it();
}

static void people_are_told_everything(void **state)
{
	static const char expected[] =
		"=== AUTO-PROBE: scx_exit fired === at 0.000016s on cpu0, ERROR_STALL\n"
		"\n"
		"task: victim[115]\n"
		"  0.000001s cpu0  woken by other[7]\n"
		"  0.000001s cpu0  moves to cpu1\n"
		"  0.000001s cpu0  runnable\n"
		"  0.000002s cpu0  demo_enqueue: demo.bpf.c:11  if (is_lost(p))\n"
		"  0.000002s cpu0  put into SCX_DSQ_LOCAL\n"
		"  0.000002s cpu0  runs after other[7]\n"
		"  0.000003s cpu0  other[7] takes its place, it stays runnable\n"
		"  0.000004s cpu0  no longer runnable\n"
		"  0.000006s cpu1  runnable\n"
		"  demo_enqueue                                                  demo.bpf.c:11\n"
		"    at 0.000006s on cpu1\n"
		"    task_struct *p\n"
		"      pid         115 (victim)\n"
		"      dsq_id      DSQ(0x1)                 →  DSQ(0x3)\n"
		"    enq_flags     WAKEUP\n"
		"    returns       -2\n"
		"    executed:\n"
		"      demo.bpf.c:10  void BPF_PROG(demo_enqueue)\n"
		"      demo.bpf.c:11  if (is_lost(p))\n"
		"      demo.bpf.c:10  void BPF_PROG(demo_enqueue)\n"
		"  0.000007s cpu1  put into DSQ(0x3)\n"
		"\n"
		"waited 0.000s from 0.000003s on, in DSQ(0x3) since 0.000007s\n"
		"it may run on 0x3(0-1), which did instead:\n"
		"  cpu0: idle 0.0%, 1 switches; ran other[7] 100.0%; asked DSQ(0x5) 2 times\n"
		"  its first dispatch at 0.000011s:\n"
		"    executed:\n"
		"      demo.bpf.c:20  void BPF_PROG(demo_dispatch)\n"
		"      demo.bpf.c:21  pull(0);\n"
		"      demo.bpf.c:20  void BPF_PROG(demo_dispatch)\n"
		"  its last dispatch at 0.000016s:\n"
		"    executed:\n"
		"      demo.bpf.c:20  void BPF_PROG(demo_dispatch)\n"
		"  cpu1: idle 43.1%, 1 switches; ran other[7] 56.9%; asked DSQ(0x0) 1 times\n"
		"  its first dispatch at 0.000007s went as that of cpu0 at 0.000011s\n";
	_str_ struct str text = {};

	(void)state;
	tell_everything();
	repro_add_end(&story, 1026, &text);
	assert_string_equal(str_get(&text), expected);
}

static void programs_are_told_everything(void **state)
{
	static const char expected[] =
		"{\"pid\":115,\"comm\":\"victim\",\"scheduler_exit\":true,"
		"\"end_ns\":15800,\"waits_from_ns\":3500,\"truncated\":false,"
		"\"events\":[{\"type\":\"wakeup\",\"time_ns\":1200,\"cpu\":0,\"pid\":115,"
		"\"other\":7,\"value\":0},{\"type\":\"migrate\",\"time_ns\":1300,\"cpu\":0,"
		"\"pid\":115,\"other\":1,\"value\":0},{\"type\":\"enqueue\","
		"\"time_ns\":1400,\"cpu\":0,\"pid\":115,\"other\":0,\"value\":1},{"
		"\"type\":\"program\",\"time_ns\":1500,\"cpu\":0,\"pid\":115,"
		"\"name\":\"demo_enqueue\",\"op\":\"enqueue\",\"end_ns\":2100,"
		"\"result\":4294967294,\"arguments\":{\"p\":0,\"enq_flags\":1},"
		"\"fields\":{\"dsq_id\":[9223372036854775808,1]},\"lines\":[{"
		"\"file\":\"demo.bpf.c\",\"line\":10,"
		"\"text\":\"void BPF_PROG(demo_enqueue)\"},{\"file\":\"demo.bpf.c\","
		"\"line\":11,\"text\":\"if (is_lost(p))\"},{\"file\":\"demo.bpf.c\","
		"\"line\":10,\"text\":\"void BPF_PROG(demo_enqueue)\"}]},{"
		"\"type\":\"call\",\"time_ns\":2300,\"cpu\":0,\"pid\":115,"
		"\"name\":\"dispatch_enqueue\",\"number\":9223372036854775810},{"
		"\"type\":\"switch\",\"time_ns\":2400,\"cpu\":0,\"pid\":115,\"other\":7,"
		"\"value\":0},{\"type\":\"switch\",\"time_ns\":3500,\"cpu\":0,\"pid\":7,"
		"\"other\":115,\"value\":0},{\"type\":\"dequeue\",\"time_ns\":3600,"
		"\"cpu\":0,\"pid\":115,\"other\":0,\"value\":1},{\"type\":\"enqueue\","
		"\"time_ns\":5700,\"cpu\":1,\"pid\":115,\"other\":0,\"value\":1},{"
		"\"type\":\"program\",\"time_ns\":5800,\"cpu\":1,\"pid\":115,"
		"\"name\":\"demo_enqueue\",\"op\":\"enqueue\",\"end_ns\":6400,"
		"\"result\":4294967294,\"arguments\":{\"p\":0,\"enq_flags\":1},"
		"\"fields\":{\"dsq_id\":[1,3]},\"lines\":[{\"file\":\"demo.bpf.c\","
		"\"line\":10,\"text\":\"void BPF_PROG(demo_enqueue)\"},{"
		"\"file\":\"demo.bpf.c\",\"line\":11,\"text\":\"if (is_lost(p))\"},{"
		"\"file\":\"demo.bpf.c\",\"line\":10,"
		"\"text\":\"void BPF_PROG(demo_enqueue)\"}]},{\"type\":\"call\","
		"\"time_ns\":6600,\"cpu\":1,\"pid\":115,\"name\":\"dispatch_enqueue\","
		"\"number\":3}],\"cpus\":[{\"cpu\":0,\"switches\":1,\"idle_ns\":0,"
		"\"other_ns\":0,\"ran\":[{\"pid\":7,\"comm\":\"other\",\"ns\":12300}],"
		"\"asked\":[{\"dsq\":5,\"count\":2}],\"first_dispatch\":{"
		"\"type\":\"program\",\"time_ns\":10600,\"cpu\":0,\"pid\":7,"
		"\"name\":\"demo_dispatch\",\"op\":\"dispatch\",\"end_ns\":11200,"
		"\"result\":null,\"arguments\":{\"cpu\":0,\"prev\":0},\"fields\":{"
		"\"dsq_id\":[9223372036854775808,9223372036854775808]},\"lines\":[{"
		"\"file\":\"demo.bpf.c\",\"line\":20,"
		"\"text\":\"void BPF_PROG(demo_dispatch)\"},{\"file\":\"demo.bpf.c\","
		"\"line\":21,\"text\":\"pull(0);\"},{\"file\":\"demo.bpf.c\",\"line\":20,"
		"\"text\":\"void BPF_PROG(demo_dispatch)\"}]},\"last_dispatch\":{"
		"\"type\":\"program\",\"time_ns\":15500,\"cpu\":0,\"pid\":7,"
		"\"name\":\"demo_dispatch\",\"op\":\"dispatch\",\"end_ns\":15700,"
		"\"result\":null,\"arguments\":{\"cpu\":0,\"prev\":0},\"fields\":{},"
		"\"lines\":[{\"file\":\"demo.bpf.c\",\"line\":20,"
		"\"text\":\"void BPF_PROG(demo_dispatch)\"}]}},{\"cpu\":1,"
		"\"switches\":1,\"idle_ns\":5300,\"other_ns\":0,\"ran\":[{\"pid\":7,"
		"\"comm\":\"other\",\"ns\":7000}],\"asked\":[{\"dsq\":0,\"count\":1}],"
		"\"first_dispatch\":{\"type\":\"program\",\"time_ns\":6700,\"cpu\":1,"
		"\"pid\":7,\"name\":\"demo_dispatch\",\"op\":\"dispatch\",\"end_ns\":7300,"
		"\"result\":null,\"arguments\":{\"cpu\":0,\"prev\":0},\"fields\":{"
		"\"dsq_id\":[9223372036854775808,9223372036854775808]},\"lines\":[{"
		"\"file\":\"demo.bpf.c\",\"line\":20,"
		"\"text\":\"void BPF_PROG(demo_dispatch)\"},{\"file\":\"demo.bpf.c\","
		"\"line\":21,\"text\":\"pull(0);\"},{\"file\":\"demo.bpf.c\",\"line\":20,"
		"\"text\":\"void BPF_PROG(demo_dispatch)\"}]},\"last_dispatch\":{"
		"\"type\":\"program\",\"time_ns\":6700,\"cpu\":1,\"pid\":7,"
		"\"name\":\"demo_dispatch\",\"op\":\"dispatch\",\"end_ns\":7300,"
		"\"result\":null,\"arguments\":{\"cpu\":0,\"prev\":0},\"fields\":{"
		"\"dsq_id\":[9223372036854775808,9223372036854775808]},\"lines\":[{"
		"\"file\":\"demo.bpf.c\",\"line\":20,"
		"\"text\":\"void BPF_PROG(demo_dispatch)\"},{\"file\":\"demo.bpf.c\","
		"\"line\":21,\"text\":\"pull(0);\"},{\"file\":\"demo.bpf.c\",\"line\":20,"
		"\"text\":\"void BPF_PROG(demo_dispatch)\"}]}}]}";
	_str_ struct str text = {};
	struct json j;

	(void)state;
	tell_everything();
	json_init(&j, &text, false);
	story_to_json(&story, &j);
	assert_string_equal(str_get(&text), expected);
}

/* Without an exit it is the longest wait; without that, nothing came of it. */
static void the_end_is_what_was_looked_for(void **state)
{
	_str_ struct str wait = {}, none = {};

	(void)state;
	begin(&rp_victim);
	rp_scene.time_ns = 0;
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	now_ns += 2500000;
	add(TRACE_SWITCH, 1, RP_VICTIM, 7, 1, 0);
	read_it();
	repro_add_end(&story, 0, &wait);
	if (!str_starts(
		    str_get(&wait),
		    "=== AUTO-PROBE: longest wait === until 0.002501s on cpu1\n\ntask: victim[115]\n"))
		fail_msg("%s", str_get(&wait));
	begin(&rp_victim);
	read_it();
	repro_add_end(&story, 0, &none);
	assert_string_equal(str_get(&none), "scheduler ran normally (crash did not reproduce)\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(people_are_told_everything),
		TEST(programs_are_told_everything),
		TEST(the_end_is_what_was_looked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
