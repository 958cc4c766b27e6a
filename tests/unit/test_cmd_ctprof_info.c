// SPDX-License-Identifier: GPL-2.0-only
/* What `ktstr ctprof info` tells of a snapshot: documents with one thing more or less in them. */
#include "cli_run.h"

#include <errno.h>
#include <zstd.h>

#include "base/cleanup.h"
#include "base/file.h"

static char *dir;
static int here_fd;

static int start(void **state)
{
	(void)state;
	dir = unit_temp_create();
	here_fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(chdir(dir), 0);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	assert_int_equal(fchdir(here_fd), 0);
	close(here_fd);
	unit_temp_remove(dir);
	cli_forget();
	return 0;
}

#define IN_DIR(f) cmocka_unit_test_setup_teardown(f, start, stop)

/* Text with ' instead of ", as a snapshot. */
static void put(const char *name, const char *json)
{
	_free_ char *text = strdup(json), *packed = NULL;
	size_t room = ZSTD_compressBound(strlen(json)), len;

	for (char *c = text; (c = strchr(c, '\'')); c++)
		*c = '"';
	packed = malloc(room);
	len = ZSTD_compress(packed, room, text, strlen(text), 1);
	assert_false(ZSTD_isError(len));
	assert_int_equal(file_replace(name, packed, len, 0644), 0);
}

/* A document without its line breaks. */
static void pack(char *json)
{
	char *to = json;

	for (const char *c = json; *c; c++)
		if (*c == '\n')
			c += strspn(c + 1, " ");
		else if (*c != ' ' || c[-1] != ':' || c[-2] != '"')
			*to++ = *c;
	*to = '\0';
}

/* Each row is a whole snapshot, and what is in its text. */
struct row {
	const char *json, *text;
};

static void expect_rows(const char *command, const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		put("s", rows[i].json);
		assert_int_equal(cli_run(command), 0);
		if (strstr(command, "--json"))
			pack(cli_out);
		expect_in(cli_out, rows[i].text);
	}
}

#define OF(members) "{'schema_version':1,'threads':[]," members "}"
#define OLD(members) "{'threads':[]," members "}"

static void text_expects(const struct row *rows, size_t count)
{
	expect_rows("ctprof info s", rows, count);
}

static void json_expects(const struct row *rows, size_t count)
{
	expect_rows("ctprof info --json s", rows, count);
}

static void its_origin_is_told(void **state)
{
	static const struct row rows[] = {
		{ OF("'x':1"),
		  "s\n  captured    at an unknown time\n  schema      1\n"
		  "  host        not recorded\n  boot        of unknown id\n"
		  "  sched_ext   not in this kernel\n  threads     no threads in s\n" },
		{ OF("'captured_at_unix_ns':1783202448765000000"),
		  "  captured    2026-07-04T22:00:48.765Z\n" },
		{ OF("'tool':'ktstr 9'"), "  captured    at an unknown time by ktstr 9\n" },
		{ OF("'capture_ms':412"), "  captured    at an unknown time in 412 ms\n" },
		{ OF("'tool':'\\u001b'"), "  captured    at an unknown time by \\x1b\n" },
		{ OLD("'x':1"),
		  "  schema      none: written by an older tool, whose zeros may be gaps\n"
		  "  host        not recorded by this older format\n"
		  "  boot        not recorded by this older format\n"
		  "  sched_ext   not recorded by this older format\n" },
	};

	(void)state;
	text_expects(rows, ARRAY_SIZE(rows));
}

static void its_host_is_told(void **state)
{
	static const struct row rows[] = {
		{ OF("'host':{'kernel_name':'Linux','kernel_release':'6.16','arch':'x86_64'}"),
		  "  host        Linux 6.16 x86_64\n  boot " },
		{ OF("'host':{}"), "  host        unknown kernel\n" },
		{ OF("'host':{'kernel_name':'L','kernel_release':'6','arch':'x','online_cpus':2}"),
		  "  host        L 6 x, 2 CPUs\n" },
		{ OF("'host':{'kernel_name':'L','kernel_release':'6','arch':'x','numa_nodes':1}"),
		  "  host        L 6 x, 1 NUMA node\n" },
		{ OF("'host':{'kernel_name':'L','kernel_release':'6','arch':'x','numa_nodes':2}"),
		  "  host        L 6 x, 2 NUMA nodes\n" },
		{ OF("'host':{'cpu_model':'Some CPU','total_memory_kb':3071}"),
		  "\n  cpu         Some CPU\n  memory      2 MiB\n" },
		{ OF("'sched_ext':{'state':'enabled','ops':'scx_simple'}"),
		  "  sched_ext   enabled, scheduler scx_simple\n" },
		{ OF("'sched_ext':{'state':'disabled'}"), "  sched_ext   disabled\n" },
		{ OF("'sched_ext':{'ops':'a'}"), "  sched_ext   unknown state, scheduler a\n" },
	};

	(void)state;
	text_expects(rows, ARRAY_SIZE(rows));
}

#define UP(ticks) OF("'boot_id':'b','user_hz':100,'uptime_clock_ticks':" #ticks)

/* In its two largest units. */
static void its_uptime_is_told(void **state)
{
	static const struct row rows[] = {
		{ UP(0), "  boot        b, up 0 s\n" },
		{ UP(5999), "b, up 59 s\n" },
		{ UP(6000), "b, up 1 min 0 s\n" },
		{ UP(359999), "b, up 59 min 59 s\n" },
		{ UP(360000), "b, up 1 h 0 min\n" },
		{ UP(8639999), "b, up 23 h 59 min\n" },
		{ UP(8640000), "b, up 1 d 0 h\n" },
		{ UP(20000000), "b, up 2 d 7 h\n" },
		{ OF("'boot_id':'b','uptime_clock_ticks':5"), "  boot        b\n" },
		{ OF("'boot_id':'b','user_hz':0,'uptime_clock_ticks':5"), "  boot        b\n" },
		{ OF("'boot_id':'b','user_hz':5"), "  boot        b\n" },
		{ OF("'user_hz':1,'uptime_clock_ticks':5"),
		  "  boot        of unknown id, up 5 s\n" },
	};

	(void)state;
	text_expects(rows, ARRAY_SIZE(rows));
}

#define THREAD(tid, tgid, more) "{'tid':" #tid ",'tgid':" #tgid ",'minflt':1" more "}"
#define THREADS(threads, more) "{'schema_version':1,'threads':[" threads "]" more "}"

static void its_threads_are_counted(void **state)
{
	static const struct row rows[] = {
		{ THREADS(THREAD(1, 1, ""), ""),
		  "  threads     1, in 1 process and 0 cgroups; 0 of the kernel\n" },
		{ THREADS(THREAD(1, 1, "") "," THREAD(2, 1, ""), ",'cgroup_stats':{'/':{}}"),
		  "  threads     2, in 1 process and 1 cgroup; 0 of the kernel\n" },
		{ THREADS(THREAD(1, 1, "") "," THREAD(3, 3, ",'is_kernel_thread':true"),
			  ",'cgroup_stats':{'/':{},'/a':{}}"),
		  "  threads     2, in 2 processes and 2 cgroups; 1 of the kernel\n" },
		{ "{'threads':[" THREAD(1, 1, "") "]}",
		  "  threads     1, in 1 process and 0 cgroups\n" },
		{ "{'threads':[" THREAD(1, 1, ",'is_kernel_thread':true") "]}",
		  "  threads     1, in 1 process and 0 cgroups; 1 of the kernel\n" },
		{ THREADS(THREAD(1, 1, ""), ",'zero_filled':true"),
		  "\n  zero-filled what could not be read is 0 in this file; here it counts as not\n"
		  "              measured\n" },
		{ THREADS(THREAD(1, 1, ",'majflt':99999999999999999999999"), ""),
		  "\n  misfits     numbers that do not fit their field: 1; they count as not "
		  "measured\n" },
		{ THREADS(THREAD(1, 1, ",'voluntary_csw':1"), ""),
		  "\n  coverage\n    stat              1/1 threads\n    status            1/1 threads\n" },
		{ THREADS(THREAD(1, 1, ""),
			  ",'unread':{'rchar':{'threads':1,'reason':'so\\u001b'}}"),
		  "    io                0/1 threads: so\\x1b\n" },
	};

	(void)state;
	text_expects(rows, ARRAY_SIZE(rows));
}

static void its_tallies_are_told(void **state)
{
	static const struct row rows[] = {
		{ OF("'x':1"), "\n  parse       no tally\n" },
		{ OLD("'x':1"), "\n  parse       not recorded by this older format\n" },
		{ OF("'parse_summary':{'tids_walked':4,'read_failures':0}"),
		  "\n  parse       4 tids walked, 0 read failures\n" },
		{ OF("'parse_summary':{'tids_walked':4,'read_failures':7,'read_failures_by_file':"
		     "{'io':4,'stat':3}}"),
		  "\n  parse       4 tids walked, 7 read failures (io 4, stat 3)\n" },
		{ OF("'parse_summary':{'tids_walked':4,'read_failures':1,'read_failures_by_file':"
		     "{'io':1},'vanished_threads':1}"),
		  "\n  parse       4 tids walked, 1 read failure (io 1); 1 thread exited before it\n"
		  "              could be read\n" },
		{ OF("'parse_summary':{'tids_walked':4,'read_failures':0,'vanished_threads':2}"),
		  "\n  parse       4 tids walked, 0 read failures; 2 threads exited before they could\n"
		  "              be read\n" },
		{ OF("'parse_summary':{'tids_walked':1,'read_failures':0}"),
		  "\n  parse       1 tid walked, 0 read failures\n" },
		{ OF("'x':1"), "\n  taskstats   no tally\n" },
		{ OF("'taskstats_summary':{'ok_count':1,'eperm_count':2,'esrch_count':3,"
		     "'other_err_count':4}"),
		  "\n  taskstats   1 ok, 2 EPERM, 3 ESRCH, 4 other errors\n" },
		{ OF("'taskstats_summary':{'ok_count':1,'struct_version':16}"),
		  "\n  taskstats   1 ok, 0 EPERM, 0 ESRCH, 0 other errors; struct version 16\n" },
		{ OF("'x':1"), "\n  jemalloc    no tally\n" },
		{ OF("'probe_summary':{'tgids_walked':1,'jemalloc_detected':3,'probed_ok':4,"
		     "'failed':5,'not_inspected':2}"),
		  "\n  jemalloc    1 process walked, 2 not inspected, 3 with jemalloc, 4 read, 5\n"
		  "              failed\n" },
		{ OF("'probe_summary':{'tgids_walked':2,'failed':1,'dominant_failure':'x'}"),
		  "\n  jemalloc    2 processes walked, 0 not inspected, 0 with jemalloc, 0 read, 1\n"
		  "              failed, mostly x\n" },
		{ OF("'probe_summary':{'stopped_ns':250999,'longest_stop_ns':90000}"),
		  "\n              targets were stopped for 250 µs in all, 90 µs at most\n" },
	};

	(void)state;
	text_expects(rows, ARRAY_SIZE(rows));
	put("s", OF("'probe_summary':{'stopped_ns':250999}"));
	assert_int_equal(cli_run("ctprof info s"), 0);
	assert_null(strstr(cli_out, "stopped for"));
}

#define DOCUMENT(text) "\"snapshots\":[{" text

static void documents_have_all_of_it(void **state)
{
	static const struct row rows[] = {
		{ OF("'x':1"),
		  DOCUMENT("\"path\":\"s\",\"schema_version\":1,\"tool\":null,"
			   "\"captured_at_unix_ns\":null,\"capture_ms\":null,\"boot_id\":null,"
			   "\"uptime_clock_ticks\":null,\"user_hz\":null,\"host\":null,"
			   "\"sched_ext_state\":null,\"sched_ext_ops\":null,\"threads\":0,"
			   "\"processes\":0,\"kernel_threads\":0,\"cgroups\":0,"
			   "\"zero_filled\":false,\"out_of_range\":0,\"coverage\":[") },
		{ "{'tool':'t','captured_at_unix_ns':5,'capture_ms':6,'boot_id':'b',"
		  "'uptime_clock_ticks':7,'user_hz':8,'sched_ext':{'state':'on','ops':'o'},"
		  "'cgroup_stats':{'/':{}},'zero_filled':true,'threads':[" THREAD(1, 1, "") "," THREAD(
			  3, 3, ",'is_kernel_thread':true,'majflt':99999999999999999999999") "]}",
		  DOCUMENT("\"path\":\"s\",\"schema_version\":null,\"tool\":\"t\","
			   "\"captured_at_unix_ns\":5,\"capture_ms\":6,\"boot_id\":\"b\","
			   "\"uptime_clock_ticks\":7,\"user_hz\":8,\"host\":null,"
			   "\"sched_ext_state\":\"on\",\"sched_ext_ops\":\"o\",\"threads\":2,"
			   "\"processes\":2,\"kernel_threads\":1,\"cgroups\":1,"
			   "\"zero_filled\":true,\"out_of_range\":1,\"coverage\":[") },
		{ OF("'host':{'kernel_name':'L'}"), "\"host\":{\"kernel_name\":\"L\"" },
		{ THREADS(THREAD(1, 1, ""), ",'unread':{'rchar':{'threads':1,'reason':'so'}}"),
		  "{\"family\":\"io\",\"measured\":0,\"total\":1,\"reason\":\"so\"}" },
		{ THREADS(THREAD(1, 1, ""), ""),
		  "\"coverage\":[{\"family\":\"stat\",\"measured\":1,\"total\":1,\"reason\":null},{" },
		{ OF("'parse_summary':{'tids_walked':1,'read_failures':2,'read_failures_by_file':"
		     "{'io':3},'negative_dotted_values':0,'impossible_values':5,"
		     "'vanished_threads':6,'hides_processes':true}"),
		  "\"parse\":{\"is_known\":true,\"tids_walked\":1,\"read_failures\":2,"
		  "\"read_failures_by_file\":{" },
		{ OF("'parse_summary':{'read_failures_by_file':{'io':3},'negative_dotted_values':4,"
		     "'impossible_values':5,'vanished_threads':6,'hides_processes':true}"),
		  "},\"negative_dotted_values\":4,\"impossible_values\":5,\"vanished_threads\":6,"
		  "\"hides_processes\":true,\"has_foreign_pids\":false,\"diagnosis\":\"" },
		{ OF("'parse_summary':{'read_failures_by_file':{'io':3}}"), "\"io\":3," },
		{ OF("'parse_summary':{'has_foreign_pids':true}"),
		  "\"hides_processes\":false,\"has_foreign_pids\":true,\"diagnosis\":" },
		{ OF("'taskstats_summary':{'ok_count':1,'eperm_count':2,'esrch_count':3,"
		     "'other_err_count':4,'struct_version':5}"),
		  "\"taskstats\":{\"is_known\":true,\"ok_count\":1,\"eperm_count\":2,"
		  "\"esrch_count\":3,\"other_err_count\":4,\"struct_version\":5,\"diagnosis\":" },
		{ OF("'x':1"), "\"taskstats\":{\"is_known\":false,\"diagnosis\":\"" },
		{ OF("'x':1"), "\"probe\":{\"is_known\":false,\"diagnosis\":\"" },
		{ OF("'x':1"), "\"parse\":{\"is_known\":false,\"diagnosis\":" },
		{ OF("'probe_summary':{'tgids_walked':1,'jemalloc_detected':2,'probed_ok':3,"
		     "'failed':4,'not_inspected':5,'dominant_failure':'x','stopped_ns':6,"
		     "'longest_stop_ns':7}"),
		  "\"probe\":{\"is_known\":true,\"tgids_walked\":1,\"jemalloc_detected\":2,"
		  "\"probed_ok\":3,\"failed\":4,\"not_inspected\":5,\"dominant_failure\":\"x\","
		  "\"stopped_ns\":6,\"longest_stop_ns\":7,\"diagnosis\":" },
	};

	(void)state;
	json_expects(rows, ARRAY_SIZE(rows));
}

static void several_are_told_one_after_the_other(void **state)
{
	(void)state;
	put("s", OF("'tool':'first'"));
	put("t", OF("'tool':'second'"));
	assert_int_equal(cli_run("ctprof info s t"), 0);
	assert_true(str_starts(cli_out, "s\n"));
	expect_in(cli_out, "\n\nt\n  captured    at an unknown time by second\n");
	/* Good ones are told before a bad one ends it; of a document there is all or nothing. */
	assert_int_equal(cli_run("ctprof info s none t"), -ENOENT);
	expect_in(err_text(-ENOENT), "load none: ");
	expect_in(cli_out, "by first\n");
	assert_null(strstr(cli_out, "second"));
	assert_int_equal(cli_run("ctprof info --json s t"), 0);
	pack(cli_out);
	expect_in(cli_out, "\"tool\":\"first\"");
	expect_in(cli_out, "},{\"path\":\"t\",\"schema_version\":1,\"tool\":\"second\"");
	assert_int_equal(cli_run("ctprof info --json s none"), -ENOENT);
	assert_string_equal(cli_out, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(its_origin_is_told),
		IN_DIR(its_host_is_told),
		IN_DIR(its_uptime_is_told),
		IN_DIR(its_threads_are_counted),
		IN_DIR(its_tallies_are_told),
		IN_DIR(documents_have_all_of_it),
		IN_DIR(several_are_told_one_after_the_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
