// SPDX-License-Identifier: GPL-2.0-only
/* What a failure dump says: each section of documents with one thing in it, and what is left out. */
#include "unit.h"

#include <errno.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/json_tree.h"
#include "watch/parts.h"

/* Text with ' instead of ", as a document. */
static const struct json_node *read_dump(struct arena *arena, const char *text)
{
	char *copy = arena_copy(arena, text, strlen(text));
	const struct json_node *dump;

	assert_non_null(copy);
	for (char *c = copy; (c = strchr(c, '\'')); c++)
		*c = '"';
	dump = json_tree_read(arena, copy, strlen(copy));
	if (!dump)
		fail_msg("%s: %s", err_text(-EINVAL), text);
	return dump;
}

struct row {
	const char *json, *expected;
};

static void expect_section(const char *title, const struct dump_limits *limits,
			   const struct row *rows, size_t count)
{
	const struct dump_section *s =
		array_find(dump_sections, ARRAY_SIZE(dump_sections), title, title);

	assert_non_null(s);
	for (size_t i = 0; i < count; i++) {
		_cleanup_(arena_finish) struct arena arena = {};
		_str_ struct str out = {};

		s->add(read_dump(&arena, rows[i].json), limits, &out);
		assert_string_equal(str_get(&out), rows[i].expected);
	}
}

#define AT(members) "{'snapshots':[{'trigger':'now'," members "}]}"
#define TASK_A "{'pid':7,'comm':'a','wait_ns':1550000}"
#define TASK_B "{'pid':8,'comm':'b','wait_ns':2000000}"
#define TASK_C "{'pid':9,'comm':'c'}"

static void sections_have_an_order(void **state)
{
	static const struct {
		const char *title;
		bool is_detail;
	} rows[] = {
		{ "cpus", true },	    { "vcpus", false },	 { "queues", false },
		{ "tasks", true },	    { "maps", false },	 { "programs", false },
		{ "sched_ext dump", true }, { "console", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_string_equal(dump_sections[i].title, rows[i].title);
		assert_int_equal(dump_sections[i].is_detail, rows[i].is_detail);
	}
}

/* The title of a moment: its name counts more than its number, which counts from 1. */
static void moments_have_names(void **state)
{
	static const struct row rows[] = {
		{ "{}", "" },
		{ "{'snapshots':[]}", "" },
		{ "{'snapshots':[{}]}", "at ?:\n" },
		{ AT("'name':'first'"), "at now first:\n" },
		{ AT("'name':'first','tag':3"), "at now first:\n" },
		{ AT("'name':'0','tag':3"), "at now 3:\n" },
		{ AT("'tag':1"), "at now 1:\n" },
		{ AT("'tag':0"), "at now:\n" },
		{ AT("'name':'\\u001b['"), "at now \\x1b[:\n" },
		{ "{'snapshots':[{'trigger':'a'},{'trigger':'b'}]}", "at a:\nat b:\n" },
	};

	(void)state;
	expect_section("tasks", &dump_whole, rows, ARRAY_SIZE(rows));
}

#define NOBODY "0 runnable tasks; the longest wait:\n  nobody waits\n"

static void queues_have_their_tasks(void **state)
{
	static const struct row rows[] = {
		{ AT("'dsqs':[]"), "at now:\n" NOBODY },
		{ AT("'dsqs':[{'kind':'user','id':119,'length':0,'tasks':[]}]"),
		  "at now:\n" NOBODY },
		{ AT("'dsqs':[{'kind':'user','id':119,'length':0,'unreadable':true}]"),
		  "at now:\nDSQ 0x77: 0 tasks (its list is unreadable)\n" NOBODY },
		{ AT("'dsqs':[{'kind':'user','id':119,'length':1,'tasks':[" TASK_C "]}]"),
		  "at now:\nDSQ 0x77: 1 task\n  c:9\n" NOBODY },
		{ AT("'dsqs':[{'kind':'local','cpu':3,'length':2,'tasks':[" TASK_A "," TASK_B
		     "]}]"),
		  "at now:\nlocal DSQ of cpu3: 2 tasks\n  a:7 waited 1.6ms\n  b:8 waited 2.0ms\n" NOBODY },
		{ AT("'dsqs':[{'kind':'global','node':1,'length':3,'tasks':[" TASK_A "," TASK_B
		     "," TASK_C "]}]"),
		  "at now:\nglobal DSQ of node 1: 3 tasks\n  a:7 waited 1.6ms\n  b:8 waited 2.0ms\n"
		  "  and 1 more\n" NOBODY },
		/* Time in a queue of one's own counts only there. */
		{ AT("'dsqs':[{'kind':'user','id':1,'length':1,'tasks':[{'pid':1,'comm':'x',"
		     "'vtime':5,'state':'running','dsq':4}]}]"),
		  "at now:\nDSQ 0x1: 1 task\n  x:1 vtime=5\n" NOBODY },
		{ AT("'dsqs':[{'kind':'local','cpu':0,'length':1,'tasks':[{'pid':1,'comm':'x',"
		     "'vtime':5}]}]"),
		  "at now:\nlocal DSQ of cpu0: 1 task\n  x:1\n" NOBODY },
	};
	const struct dump_limits two = { .tasks = 2 };

	(void)state;
	expect_section("queues", &two, rows, ARRAY_SIZE(rows));
}

#define LONGEST "tasks; the longest wait:\n"

static void the_longest_wait_is_named(void **state)
{
	static const struct row rows[] = {
		{ AT("'runnable':[" TASK_A "]"),
		  "at now:\n1 runnable task; the longest wait:\n  a:7 waited 1.6ms\n" },
		{ AT("'runnable':[" TASK_A "," TASK_B "]"),
		  "at now:\n2 runnable " LONGEST "  b:8 waited 2.0ms\n" },
		{ AT("'runnable':[" TASK_C "," TASK_B "," TASK_A "]"),
		  "at now:\n3 runnable " LONGEST "  b:8 waited 2.0ms\n" },
		{ AT("'runnable':[" TASK_C "]"),
		  "at now:\n1 runnable task; the longest wait:\n  nobody waits\n" },
		/* The first of equals; one that just began to wait, waits. */
		{ AT("'runnable':[{'pid':1,'comm':'x','wait_ns':0},{'pid':2,'comm':'y',"
		     "'wait_ns':0}]"),
		  "at now:\n2 runnable " LONGEST "  x:1 waited 0.0ms\n" },
	};

	(void)state;
	expect_section("queues", &dump_whole, rows, ARRAY_SIZE(rows));
}

static void tasks_tell_where_they_are(void **state)
{
	static const struct row rows[] = {
		{ AT("'runnable':[{'pid':1,'comm':'x','state':'running','dsq':7}]"),
		  "at now:\n  x:1 runs\n" },
		{ AT("'runnable':[{'pid':1,'comm':'x','state':'moving','dsq':7}]"),
		  "at now:\n  x:1 between CPUs\n" },
		{ AT("'runnable':[{'pid':1,'comm':'x','state':'waiting','dsq':7}]"),
		  "at now:\n  x:1 in DSQ 0x7\n" },
		{ AT("'runnable':[{'pid':1,'comm':'x','dsq':9223372036854775809}]"),
		  "at now:\n  x:1 in global DSQ\n" },
		{ AT("'runnable':[{'pid':1,'comm':'x','dsq':9223372036854775810}]"),
		  "at now:\n  x:1 in local DSQ\n" },
		{ AT("'runnable':[{'pid':1,'comm':'x'}]"), "at now:\n  x:1\n" },
		{ AT("'runnable':[{'pid':1,'comm':'x','vtime':2,'slice_ns':3,'weight':4,'cpu':5,"
		     "'cpus':'0-1','cgroup':'/c','wait_ns':6000000}]"),
		  "at now:\n  x:1 waited 6.0ms vtime=2 slice=3ns weight=4 cpu5 of 0-1 /c\n" },
	};

	(void)state;
	expect_section("tasks", &dump_whole, rows, ARRAY_SIZE(rows));
}

static void cpus_have_numbers_and_events(void **state)
{
	static const struct row rows[] = {
		{ AT("'cpus':[{'cpu':0,'nr_running':1,'scx_nr_running':2,'local_dsq_depth':3,"
		     "'rq_clock':4,'switches':5},{'cpu':1}]"),
		  "at now:\n  cpu0: nr_running=1 scx_nr_running=2 local_dsq_depth=3 rq_clock=4 "
		  "switches=5\n  cpu1:\n" },
		{ AT("'cpus':[{'cpu':0,'event_counters':{'a':0,'b':2,'c':null,'d':-3,'e':1}}]"),
		  "at now:\n  cpu0:\n    b=2 d=-3 e=1\n" },
		{ AT("'cpus':[{'cpu':0,'event_counters':{'a':0}}]"), "at now:\n  cpu0:\n" },
	};

	(void)state;
	expect_section("cpus", &dump_whole, rows, ARRAY_SIZE(rows));
}

#define REGISTERS "'registers':{'rax':1,'rip':18446744071578845456}"

static void vcpus_have_a_place(void **state)
{
	static const struct row brief[] = {
		{ "{}", "" },
		{ "{'vcpus':[{'cpu':2," REGISTERS "}]}", "cpu2: rip=0xffffffff81000110\n" },
		{ "{'vcpus':[{'cpu':0," REGISTERS ",'is_halted':true,'backtrace':['f+0x1',"
		  "'g']}]}",
		  "cpu0: rip=0xffffffff81000110 halted\n  f+0x1\n  g\n" },
		{ "{'vcpus':[{'cpu':0,'registers':{'rip':9223372036854775807}}]}",
		  "cpu0: rip=0x7fffffffffffffff in user space\n" },
		{ "{'vcpus':[{'cpu':0,'registers':{'pc':9223372036854775808,'rip':1}}]}",
		  "cpu0: pc=0x8000000000000000\n" },
		{ "{'vcpus':[{'cpu':0}]}", "cpu0:\n" },
		{ "{'vcpus':[{'cpu':0},{'cpu':1}]}", "cpu0:\ncpu1:\n" },
		{ "{'vcpus':[{'cpu':0},{'cpu':1},{'cpu':2},{'cpu':3}]}",
		  "cpu0:\ncpu1:\nand 2 more\n" },
	};
	static const struct row whole[] = {
		{ "{'vcpus':[{'cpu':0," REGISTERS "}]}", "cpu0: rax=0x1 rip=0xffffffff81000110\n" },
	};
	const struct dump_limits two = { .tasks = 2 };

	(void)state;
	expect_section("vcpus", &two, brief, ARRAY_SIZE(brief));
	expect_section("vcpus", &dump_whole, whole, ARRAY_SIZE(whole));
}

static void programs_have_their_costs(void **state)
{
	static const struct row rows[] = {
		{ "{'programs':[{'name':'short','verified_insns':12,'cnt':4,'nsecs':42,"
		  "'misses':3}]}",
		  "short           verified_insns=12 cnt=4 10ns/call misses=3\n" },
		{ "{'programs':[{'name':'x','cnt':0,'nsecs':0,'misses':0}]}",
		  "x               cnt=0\n" },
		{ "{'programs':[{'name':'x','cnt':2}]}", "x               calls are not known\n" },
		{ "{'programs':[{'name':'fifteen_letters','cnt':0,'nsecs':0}]}",
		  "fifteen_letters cnt=0\n" },
		{ "{'programs':[{'name':'sixteen__letters','cnt':0,'nsecs':0}]}",
		  "sixteen__letters cnt=0\n" },
		{ "{'programs':[{'name':'\\u001b','cnt':0,'nsecs':0}]}",
		  "\\x1b            cnt=0\n" },
		/* Of the whole dump, and of each of its moments. */
		{ "{'programs':[{'name':'a'}],'snapshots':[{'programs':[{'name':'b'}]},{},"
		  "{'programs_truncated':true}]}",
		  "a               calls are not known\nb               calls are not known\n"
		  "there are more programs, or some of them cannot be read\n" },
	};

	(void)state;
	expect_section("programs", &dump_whole, rows, ARRAY_SIZE(rows));
}

static void texts_of_others_are_marked(void **state)
{
	static const struct row kernel[] = {
		{ "{'sched_ext_dump':'a\\n\\u001bb'}", "  | a\n  | \\x1bb\n" },
		{ "{'sched_ext_dump':null}", "" },
		{ "{}", "" },
	};
	static const struct row console[] = { { "{'console':'c'}", "  | c\n" } };

	(void)state;
	expect_section("sched_ext dump", &dump_whole, kernel, ARRAY_SIZE(kernel));
	expect_section("console", &dump_whole, console, ARRAY_SIZE(console));
}

/* ---- maps ---- */

#define MAP(name, more) "{'name':'" name "','type':'hash','max_entries':2," more "}"
#define NUMBER(n) "{'value':" #n "}"
#define ENTRY(key, value) "{'key':" NUMBER(key) ",'value':" NUMBER(value) "}"

static void maps_have_entries(void **state)
{
	static const struct row rows[] = {
		{ "{'maps':[{}]}", "map ? (unknown type, 0 entries)\n" },
		{ "{'maps':[{'name':'m','type':'array','max_entries':1,'truncated':true}]}",
		  "map m (array, 1 entry), partly unreadable or too long\n" },
		{ "{'maps':[" MAP("m", "'entries_unavailable':'no types'") "]}",
		  "map m (hash, 2 entries)\n  no types\n" },
		{ "{'maps':[" MAP("m", "'entries':[" ENTRY(1, 2) "," ENTRY(3, 0) "]") "]}",
		  "map m (hash, 2 entries)\n  [1] = 2\n  [3] = 0\n" },
		{ "{'maps':[" MAP("m", "'entries':[" ENTRY(1, 2) "," ENTRY(3, 4) "," ENTRY(
					       5, 6) "," ENTRY(7, 8) "]") "]}",
		  "map m (hash, 2 entries)\n  [1] = 2\n  [3] = 4\n  and 2 more\n" },
		{ "{'maps':[" MAP(
			  "m",
			  "'entries':[{'key':" NUMBER(1) ",'percpu':[{'cpu':0,'value':" NUMBER(
				  5) "},{'cpu':2,'value':" NUMBER(6) "},{'cpu':3,'value':" NUMBER(7) "}]}]") "]}",
		  "map m (hash, 2 entries)\n  [1] cpu0 = 5\n  [1] cpu2 = 6\n  and 1 more\n" },
		{ "{'maps':[" MAP("seen", "'observer':true") "]}", "" },
		{ "{'maps':[" MAP("a", "'x':1") "],'maps_truncated':true,'snapshots':[{'maps':[" MAP(
			  "b", "'x':1") "]}]}",
		  "map a (hash, 2 entries)\n"
		  "there are more maps, or some of them cannot be read\n"
		  "map b (hash, 2 entries)\n" },
	};
	static const struct row tight[] = {
		{ "{'maps':[" MAP("a", "'x':1") "," MAP("b", "'x':1") "," MAP("c", "'x':1") "]}",
		  "map a (hash, 2 entries)\nmap b (hash, 2 entries)\nand more\n" },
		{ "{'maps':[" MAP("a", "'x':1") "]}", "map a (hash, 2 entries)\n" },
	};
	const struct dump_limits limits = {
		.values = 2, .variables = 2, .columns = 400, .bytes = SIZE_MAX
	};
	/* One map is 24 bytes. */
	const struct dump_limits small = { .values = 2, .variables = 2, .bytes = 25 };

	(void)state;
	expect_section("maps", &limits, rows, ARRAY_SIZE(rows));
	expect_section("maps", &small, tight, ARRAY_SIZE(tight));
}

#define VARIABLE(name, value) "{'name':'" name "','value':" NUMBER(value) "}"
#define SECTION(members)                                                        \
	"{'maps':[" MAP("m",                                                    \
			"'entries':[{'key':" NUMBER(0) ",'value':{'type_name':" \
						       "'.bss','members':[" members "]}}]") "]}"

static void variables_of_sections_have_lines(void **state)
{
	static const struct row rows[] = {
		{ SECTION(VARIABLE("a", 1) "," VARIABLE("zero", 0) "," VARIABLE("b", 2)),
		  "map m (hash, 2 entries)\n  a = 1\n  b = 2\n" },
		{ SECTION(VARIABLE("a", 1) "," VARIABLE("b", 2) "," VARIABLE("c", 3)),
		  "map m (hash, 2 entries)\n  a = 1\n  b = 2\n  and 1 more\n" },
		/* Other types, and maps of more entries, are no section. */
		{ "{'maps':[" MAP("m", "'entries':[{'key':" NUMBER(
					       0) ",'value':{'type_name':'s',"
						  "'members':[" VARIABLE("a", 1) "]}}]") "]}",
		  "map m (hash, 2 entries)\n  [0] = {a=1}\n" },
		{ "{'maps':[" MAP("m", "'entries':[{'key':" NUMBER(
					       0) ",'value':{'type_name':'.s',"
						  "'members':[" VARIABLE("a", 1) "]}}," ENTRY(
							  1, 2) "]") "]}",
		  "map m (hash, 2 entries)\n  [0] = {a=1}\n  [1] = 2\n" },
	};
	const struct dump_limits limits = {
		.values = 9, .variables = 2, .columns = 400, .bytes = SIZE_MAX
	};

	(void)state;
	expect_section("maps", &limits, rows, ARRAY_SIZE(rows));
}

#define HEX_34 "0123456789abcdef0123456789abcdef01"

static void values_are_written_on_a_line(void **state)
{
	static const struct {
		const char *json, *brief, *whole;
	} rows[] = {
		{ "{'value':7}", "7", NULL },
		{ "{'value':-7}", "-7", NULL },
		{ "{'value':true}", "true", NULL },
		{ "{'value':false}", "false", NULL },
		{ "{'value':null}", "?", NULL },
		{ "{'value':'a\\nb'}", "a\\x0ab", NULL },
		{ "{'value':123456789012345678901234567890}", "123456789012345678901234567890",
		  NULL },
		{ "{}", "?", NULL },
		{ "{'variant':'BUSY','reason':'r'}", "BUSY", NULL },
		{ "{'reason':'too deep'}", "too deep", NULL },
		{ "{'hex':'00ff'}", "0x00ff", NULL },
		{ "{'hex':'00ffxx'}", "0x00ff", NULL },
		{ "{'hex':'0123456789abcdef0123456789abcdef'}",
		  "0x0123456789abcdef0123456789abcdef", NULL },
		{ "{'hex':'" HEX_34 "'}", "0x0123456789abcdef0123456789abcdef... (17 bytes)",
		  "0x" HEX_34 },
		{ "{'hex':'" HEX_34 "','text':'words'}", "\"words\"", NULL },
		{ "{'kind':'ptr','value':255}", "0xff", NULL },
		{ "{'kind':'int','value':255}", "255", NULL },
		{ "{'kind':'ptr','value':255,'cast_annotation':'cast'}", "0xff (cast)", NULL },
		{ "{'kind':'ptr','value':255,'deref_skipped_reason':'far'}", "0xff [chase: far]",
		  NULL },
		{ "{'kind':'ptr','value':0,'deref_skipped_reason':'far'}", "0x0", NULL },
		{ "{'kind':'ptr','value':255,'deref':{'kind':'int','value':3,'type_name':'u32'}}",
		  "0xff → u32: 3", NULL },
		{ "{'kind':'ptr','value':255,'deref':{'kind':'int','value':3,'type_name':''}}",
		  "0xff → 3", NULL },
		{ "{'members':[" VARIABLE("a", 1) "," VARIABLE("", 2) "," VARIABLE("z", 0) "]}",
		  "{a=1 2}", NULL },
		{ "{'elements':[" NUMBER(0) "," NUMBER(5) "," NUMBER(6) "]}", "{[1]=5 [2]=6}",
		  NULL },
		{ "{'members':[],'elements':[]}", "{}", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(arena_finish) struct arena arena = {};
		const struct json_node *value = read_dump(&arena, rows[i].json);
		_str_ struct str brief = {}, whole = {};

		dump_add_value(value, 400, &brief);
		assert_string_equal(str_get(&brief), rows[i].brief);
		dump_add_value(value, SIZE_MAX, &whole);
		assert_string_equal(str_get(&whole), rows[i].whole ? rows[i].whole : rows[i].brief);
	}
}

/* It ends between two members, once the line is as long as that. */
static void long_values_are_cut(void **state)
{
	static const struct {
		size_t columns;
		const char *expected;
	} rows[] = {
		{ 0, "at {{ ...}" },	    { 4, "at {{a=1 ...}" },
		{ 5, "at {{a=1 b=2 ...}" }, { 8, "at {{a=1 b=2 ...}" },
		{ 9, "at {{a=1 b=2 c=3}" }, { SIZE_MAX, "at {{a=1 b=2 c=3}" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(arena_finish) struct arena arena = {};
		_str_ struct str out = {};

		str_add(&out, "at {");
		dump_add_value(read_dump(&arena, "{'members':[" VARIABLE("a", 1) "," VARIABLE(
							 "b", 2) "," VARIABLE("c", 3) "]}"),
			       rows[i].columns, &out);
		assert_string_equal(str_get(&out), rows[i].expected);
	}
}

static void zero_is_known_in_every_form(void **state)
{
	static const struct {
		const char *json;
		bool is_zero;
	} rows[] = {
		{ "{'value':0}", true },
		{ "{'value':1}", false },
		{ "{'value':-1}", false },
		{ "{'value':false}", true },
		{ "{'value':true}", false },
		{ "{'value':''}", false },
		{ "{'hex':'0000'}", true },
		{ "{'hex':'0010'}", false },
		{ "{'members':[" VARIABLE("a", 0) "]}", true },
		{ "{'members':[" VARIABLE("a", 0) "," VARIABLE("b", 1) "]}", false },
		{ "{'members':[]}", true },
		{ "{'elements':[" NUMBER(0) "]}", true },
		{ "{'elements':[" NUMBER(0) "," NUMBER(1) "]}", false },
		{ "{'elements':[]}", true },
		/* What cannot be told is shown. */
		{ "{'reason':'too deep'}", false },
		{ "{}", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(arena_finish) struct arena arena = {};

		assert_int_equal(dump_is_zero(read_dump(&arena, rows[i].json)), rows[i].is_zero);
	}
}

static const char two_maps[] =
	"{'maps':[" MAP("mine.bss", "'entries':[" ENTRY(1, 2) "]") "],'snapshots':[{'maps':[" MAP(
		"other", "'x':1") "," MAP("late.bss", "'x':1") "]}]}";

static void one_map_is_named_by_its_end(void **state)
{
	_cleanup_(arena_finish) struct arena arena = {};
	const struct json_node *dump = read_dump(&arena, two_maps);
	_str_ struct str out = {};

	(void)state;
	assert_int_equal(dump_add_map(dump, ".bss", &out), 0);
	assert_string_equal(str_get(&out), "map mine.bss (hash, 2 entries)\n  [1] = 2\n"
					   "map late.bss (hash, 2 entries)\n");
	str_reset(&out);
	assert_int_equal(dump_add_map(dump, "other", &out), 0);
	assert_string_equal(str_get(&out), "map other (hash, 2 entries)\n");
	assert_int_equal(dump_add_map(dump, "none", &out), -ENOENT);
	assert_string_equal(err_text(-ENOENT), "the dump has no map 'none' (captured maps: "
					       "[mine.bss, other, late.bss])");
}

/* ---- one task ---- */

static const char two_moments[] =
	"{'maps':[{'name':'s','type':'task_storage','max_entries':1,'entries':[" ENTRY(6, 1) "," ENTRY(
		7,
		2) "]}," MAP("h",
			     "'entries':[" ENTRY(
				     7,
				     3) "]") "],'snapshots':[{'trigger':'a','runnable':[{'pid':6,'comm':'x'},{'pid':7,'comm':'y',"
					     "'dsq':119,'state':null,'weight':5}]},{'trigger':'b','runnable':[{'pid':7,'comm':'y',"
					     "'dsq':'?','cpus':'0-1'}]}]}";

static void one_task_is_shown_at_all_moments(void **state)
{
	_cleanup_(arena_finish) struct arena arena = {};
	const struct json_node *dump = read_dump(&arena, two_moments);
	_str_ struct str out = {};

	(void)state;
	assert_int_equal(dump_add_task(dump, 7, &out), 0);
	assert_string_equal(str_get(&out),
			    "at a:\ny:7\n  pid: 7\n  comm: y\n  dsq: DSQ 0x77\n  weight: 5\n"
			    "at b:\ny:7\n  pid: 7\n  comm: y\n  dsq: ?\n  cpus: 0-1\n"
			    "map s (task_storage, 1 entry)\n  [7] = 2\n");
	assert_int_equal(dump_add_task(dump, 8, &out), -ENOENT);
	assert_string_equal(err_text(-ENOENT), "the dump has no runnable task 8 (runnable tasks: "
					       "[x:6, y:7, y:7])");
}

static void of_many_tasks_some_are_named(void **state)
{
	static const struct {
		unsigned int count;
		const char *end;
	} rows[] = { { 20, "x:19])" }, { 21, "x:19 and 1 more])" }, { 22, "x:19 and 2 more])" } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(arena_finish) struct arena arena = {};
		_str_ struct str json = {}, out = {};

		str_add(&json, "{'snapshots':[{'runnable':[");
		for (unsigned int k = 0; k < rows[i].count; k++)
			str_addf(&json, "%s{'pid':%u,'comm':'x'}", k ? "," : "", k);
		str_add(&json, "]}]}");
		assert_int_equal(dump_add_task(read_dump(&arena, str_get(&json)), 99, &out),
				 -ENOENT);
		assert_true(str_ends(err_text(-ENOENT), rows[i].end));
	}
	err_clear();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_have_an_order),
		cmocka_unit_test(moments_have_names),
		cmocka_unit_test(queues_have_their_tasks),
		cmocka_unit_test(the_longest_wait_is_named),
		cmocka_unit_test(tasks_tell_where_they_are),
		cmocka_unit_test(cpus_have_numbers_and_events),
		cmocka_unit_test(vcpus_have_a_place),
		cmocka_unit_test(programs_have_their_costs),
		cmocka_unit_test(texts_of_others_are_marked),
		cmocka_unit_test(maps_have_entries),
		cmocka_unit_test(variables_of_sections_have_lines),
		cmocka_unit_test(values_are_written_on_a_line),
		cmocka_unit_test(long_values_are_cut),
		cmocka_unit_test(zero_is_known_in_every_form),
		cmocka_unit_test(one_map_is_named_by_its_end),
		cmocka_unit_test(one_task_is_shown_at_all_moments),
		cmocka_unit_test(of_many_tasks_some_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
