// SPDX-License-Identifier: GPL-2.0-only
/* Which threads are listed, and how workers read them: of made-up trees, taskstats is played. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "ctprof/capture_parts.h"

#define MANY 150 /* threads: more than two ranges */

/* ---- what is played ---- */

struct taskstats_client {
	bool is_open;
};

static struct played {
	const char *refused; /* a directory that may not be opened, and why */
	int why_refused;
	struct taskstats_client clients[8];
	atomic_uint opened, closed, asked, filled;
	int open_error;
	uint32_t shortest; /* a thread whose answer is too short to have a version */
	uint32_t untold;   /* one whose answer has no numbers of schedstat */
} played;

int __real_openat(int dir, const char *name, int flags, ...);
int __wrap_openat(int dir, const char *name, int flags, ...);
int __wrap_taskstats_open(struct taskstats_client **out);
void __wrap_taskstats_close(struct taskstats_client *c);
void __wrap_taskstats_ask(struct taskstats_client *c, const uint32_t *tids, size_t count,
			  taskstats_answer answer, void *context);
unsigned int __wrap_taskstats_version(const void *payload, size_t len);
void __wrap_taskstats_fill(const void *payload, size_t len, const struct taskstats_gates *gates,
			   struct thread_record *t);
bool __wrap_taskstats_fill_schedstat(const void *payload, size_t len, struct thread_record *t);

int __wrap_openat(int dir, const char *name, int flags, ...)
{
	va_list ap;
	mode_t mode;

	if (played.refused && str_eq(name, played.refused)) {
		errno = played.why_refused;
		return -1;
	}
	va_start(ap, flags);
	mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	return __real_openat(dir, name, flags, mode);
}

int __wrap_taskstats_open(struct taskstats_client **out)
{
	if (played.open_error)
		return played.open_error;
	*out = &played.clients[played.opened++];
	(*out)->is_open = true;
	return 0;
}

void __wrap_taskstats_close(struct taskstats_client *c)
{
	if (!c)
		return;
	assert_true(c->is_open);
	c->is_open = false;
	played.closed++;
}

/* Refuses some threads by their last digit; the payload is the number of the thread. */
static int error_of(uint32_t tid)
{
	static const int errors[10] = {
		[1] = EPERM, [2] = ESRCH, [3] = ETIMEDOUT, [4] = 300, [5] = ESRCH
	};

	return errors[tid % 10];
}

void __wrap_taskstats_ask(struct taskstats_client *c, const uint32_t *tids, size_t count,
			  taskstats_answer answer, void *context)
{
	assert_true(c->is_open);
	assert_in_range(count, 1, TASKSTATS_BATCH);
	for (size_t i = count; i-- > 0;) {
		unsigned char payload[1000] = {};
		struct taskstats_reply reply = { .error = error_of(tids[i]),
						 .payload = payload,
						 .len = tids[i] % 10 == 6 ? sizeof(payload) : 700 };

		memcpy(payload, &tids[i], sizeof(tids[i]));
		answer(context, i, &reply);
		played.asked++;
	}
}

static void expect_payload(const void *payload, size_t len, uint32_t tid)
{
	assert_int_equal(len, tid % 10 == 6 ? 768 : 700);
	assert_memory_equal(payload, &tid, sizeof(tid));
}

unsigned int __wrap_taskstats_version(const void *payload, size_t len)
{
	uint32_t tid;

	memcpy(&tid, payload, sizeof(tid));
	return len == 0 || tid == played.shortest ? 0 : 14;
}

void __wrap_taskstats_fill(const void *payload, size_t len, const struct taskstats_gates *gates,
			   struct thread_record *t)
{
	expect_payload(payload, len, t->tid);
	assert_true(gates->delay_block);
	t->taskstats_measured = true;
	played.filled++;
}

bool __wrap_taskstats_fill_schedstat(const void *payload, size_t len, struct thread_record *t)
{
	uint32_t tid;

	memcpy(&tid, payload, sizeof(tid));
	expect_payload(payload, len, tid);
	if (tid == played.untold)
		return false;
	t->values[M_run_time_ns].u = tid;
	thread_set_measured(t, M_run_time_ns);
	return true;
}

/* Masks of CPUs by the number of the thread; 0 = the kernel does not answer. */
static const struct {
	long len;
	unsigned char mask[16];
} masks[8] = {
	[1] = { 8, { 0x2f } }, [2] = { 8, { 0x2f } },  [3] = { 8, { 0x01, 0x80 } },
	[4] = { 8, { 0x2f } }, [5] = { 16, { 0x2f } }, [6] = { -1, {} },
};

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

long __wrap_syscall(long number, ...)
{
	long arguments[3];
	va_list ap;

	va_start(ap, number);
	for (size_t i = 0; i < ARRAY_SIZE(arguments); i++)
		arguments[i] = va_arg(ap, long);
	va_end(ap);
	if (number != SYS_sched_getaffinity)
		return __real_syscall(number, arguments[0], arguments[1], arguments[2]);
	assert_in_range(arguments[0], 1, 7);
	memcpy((void *)arguments[2], masks[arguments[0]].mask, sizeof(masks[0].mask));
	return masks[arguments[0]].len;
}

/* ---- a tree ---- */

static char *dir;
static struct capture_opts opts;
static struct walk_list list;
static struct snapshot s;
static int proc_fd = -1;

static int set_up(void **state)
{
	(void)state;
	played = (struct played){};
	dir = unit_temp_create();
	opts = (struct capture_opts){ .roots = { .proc = dir, .sys = dir, .cgroup = dir } };
	proc_fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return proc_fd < 0;
}

static int tear_down(void **state)
{
	(void)state;
	walk_list_finish(&list);
	snapshot_finish(&s);
	s = (struct snapshot){};
	cleanup_fd(&proc_fd);
	unit_temp_remove(dir);
	return 0;
}

static void put(unsigned int tgid, unsigned int tid, const char *name, const char *text)
{
	_free_ char *path = str_fmt("%u/task/%u/%s", tgid, tid, name);

	unit_write(dir, path, text);
}

/* Its name, or "" and no time of start: then it has ended. */
static void put_thread(unsigned int tgid, unsigned int tid, const char *name)
{
	_free_ char *stat = str_fmt("%u (%s) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 %d\n", tid,
				    name, *name ? 9 : 0);

	put(tgid, tid, "stat", stat);
	put(tgid, tid, "cgroup", "0::/a\n");
}

static void put_threads(unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		_free_ char *name = str_fmt("t%u", i);

		put_thread(100 + i / 7 * 7, 100 + i, name);
	}
}

static int list_threads(void)
{
	walk_list_finish(&list);
	return walk_list_threads(&list, &opts, proc_fd);
}

static int read_threads(const struct taskstats_gates *gates, unsigned int workers)
{
	snapshot_finish(&s);
	s = (struct snapshot){};
	assert_int_equal(list_threads(), 0);
	return walk_read_threads(&s, &opts, &list, proc_fd, gates, workers);
}

static void expect_list(const char *expected)
{
	_str_ struct str got = {};

	assert_int_equal(list_threads(), 0);
	for (size_t i = 0; i < list.count; i++)
		str_addf(&got, "%s%u/%u", i ? " " : "", list.items[i].tgid, list.items[i].tid);
	assert_string_equal(str_get(&got), expected);
}

/* ---- the list ---- */

static void threads_are_listed_in_their_order(void **state)
{
	(void)state;
	put_thread(20, 20, "a");
	put_thread(20, 9, "b");
	put_thread(20, 1000, "c");
	put_thread(3, 3, "d");
	put_thread(4294967295U, 5, "e");
	unit_write(dir, "7/comm", "no threads");
	unit_write(dir, "0/task/1/stat", "");
	unit_write(dir, "8x/task/1/stat", "");
	unit_write(dir, "4294967296/task/1/stat", "");
	unit_write(dir, "3/task/0/stat", "");
	unit_write(dir, "3/task/x/stat", "");
	expect_list("3/3 20/9 20/20 20/1000 4294967295/5");
	assert_int_equal(list.hidden, 0);
}

static void processes_that_may_not_be_listed_are_hidden(void **state)
{
	static const int errors[] = { EACCES, EPERM, ENOENT };

	(void)state;
	put_thread(3, 3, "a");
	put_thread(4, 4, "b");
	put_thread(5, 5, "c");
	played.refused = "4/task";
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		played.why_refused = errors[i];
		expect_list("3/3 5/5");
		assert_int_equal(list.hidden, errors[i] != ENOENT);
	}
}

static void a_tree_without_processes_is_refused(void **state)
{
	_free_ char *expected =
		str_fmt("no process to be seen in %s: is procfs mounted there?", dir);

	(void)state;
	unit_write(dir, "0/task/1/stat", "");
	assert_int_equal(list_threads(), -ENOENT);
	assert_string_equal(err_text(-ENOENT), expected);
	assert_int_equal(list.count, 0);
}

/* Any thread may be named, in any order and twice: its process counts. */
static void chosen_processes_are_listed_once(void **state)
{
	static const uint32_t pids[] = { 21, 3, 20, 7, 8, 3 };
	_free_ char *expected = str_fmt("no process 9 in %s", dir);

	(void)state;
	opts.pids = pids;
	opts.pid_count = ARRAY_SIZE(pids);
	put_thread(20, 20, "a");
	put_thread(20, 21, "b");
	put_thread(3, 3, "c");
	put_thread(4, 4, "not chosen");
	put_thread(7, 7, "d");
	put_thread(8, 8, "e");
	unit_write(dir, "21/status", "Name:\tx\nTgid:\t20\nPid:\t21\n");
	unit_write(dir, "20/status", "Name:\tx\nTgid: \t20\n");
	unit_write(dir, "3/status", "Name:\tx\nTgid:\t3\n");
	unit_write(dir, "7/status", "Name:\tx\nTgid:\t4294967299\n");
	unit_write(dir, "8/status", "Tgid:\t4\n"); /* not at the beginning of a line */
	expect_list("3/3 7/7 8/8 20/20 20/21");
	opts.pids = (const uint32_t[]){ 3, 9, 20 };
	opts.pid_count = 3;
	assert_int_equal(list_threads(), -ESRCH);
	assert_string_equal(err_text(-ESRCH), expected);
	assert_int_equal(list.count, 0);
}

/* ---- reading them ---- */

static void every_thread_is_read_whoever_reads_it(void **state)
{
	(void)state;
	put_threads(MANY);
	for (unsigned int workers = 0; workers <= 5; workers++) {
		assert_int_equal(read_threads(NULL, workers), 0);
		assert_int_equal(s.thread_count, MANY);
		for (unsigned int i = 0; i < MANY; i++) {
			const struct thread_record *t = &s.threads[i];
			_free_ char *name = str_fmt("t%u", i);

			assert_int_equal(t->tid, 100 + i);
			assert_int_equal(t->tgid, 100 + i / 7 * 7);
			assert_string_equal(t->comm, name);
			assert_string_equal(t->cgroup, "/a");
			assert_false(t->delay_block_active || t->cpu_delay_active);
			assert_false(t->xacct_active || t->taskstats_measured);
			assert_int_equal(t->unread[FILE_STAT], 0);
			assert_int_equal(t->unread[FILE_IO], ENOENT);
		}
		assert_true(s.parse.is_known);
		assert_int_equal(s.parse.tids_walked, MANY);
		assert_int_equal(s.parse.vanished_threads, 0);
		assert_int_equal(s.parse.by_file[FILE_IO], MANY);
		assert_int_equal(s.parse.by_file[FILE_SCHED], MANY);
		assert_int_equal(s.parse.by_file[FILE_STAT], 0);
		/* That of a process is tried once. */
		assert_int_equal(s.parse.by_file[FILE_SMAPS_ROLLUP], (MANY + 6) / 7);
		assert_int_equal(s.parse.read_failures, 4 * MANY + (MANY + 6) / 7);
		assert_false(s.taskstats.is_known);
		assert_false(s.taskstats.delayacct.is_known);
	}
	assert_int_equal(played.opened, 0);
}

static void threads_that_end_meanwhile_leave_no_gap(void **state)
{
	(void)state;
	put_threads(10);
	put_thread(100, 100, "");
	put_thread(100, 103, "");
	unit_write(dir, "100/task/104/comm", "named");
	put(100, 105, "stat", "no such line");
	assert_int_equal(read_threads(NULL, 2), 0);
	assert_int_equal(s.thread_count, 7);
	assert_int_equal(s.threads[0].tid, 101);
	assert_int_equal(s.threads[2].tid, 104);
	assert_int_equal(s.threads[3].tid, 106);
	assert_int_equal(s.threads[6].tid, 109);
	assert_int_equal(s.parse.tids_walked, 10);
	assert_int_equal(s.parse.vanished_threads, 3);
}

static void expect_chosen(const char *expected, uint64_t walked)
{
	_str_ struct str got = {};

	assert_int_equal(read_threads(NULL, 1), 0);
	for (size_t i = 0; i < s.thread_count; i++)
		str_addf(&got, "%s%u", i ? " " : "", s.threads[i].tid);
	assert_string_equal(str_get(&got), expected);
	assert_int_equal(s.parse.tids_walked, walked);
}

static void threads_are_chosen_by_name_and_cgroup(void **state)
{
	static const char *const names[] = { "ser*", "w[0-9]" }, *const groups[] = { "/b*" },
				 *const escaped[] = { "/a\\x2db" };

	(void)state;
	put_thread(1, 1, "server");
	put_thread(1, 2, "w");
	put_thread(3, 3, "other");
	put_thread(3, 4, "w7");
	put_thread(3, 5, "");
	put(3, 4, "cgroup", "0::/b/c\n");
	expect_chosen("1 2 3 4", 5);
	opts.comm_globs = names;
	opts.comm_glob_count = ARRAY_SIZE(names);
	expect_chosen("1 2 4", 3);
	assert_int_equal(s.parse.vanished_threads, 1);
	opts.comm_glob_count = 1;
	expect_chosen("1 2", 2);
	opts.comm_glob_count = 0;
	opts.cgroup_globs = groups;
	opts.cgroup_glob_count = 1;
	expect_chosen("4", 1);
	put(3, 4, "cgroup", "0::/a\\x2db\n");
	opts.cgroup_globs = escaped;
	expect_chosen("4", 1);
	opts.comm_globs = names;
	opts.comm_glob_count = 1;
	expect_chosen("", 0);
}

static void names_come_out_of_stat_or_comm(void **state)
{
	(void)state;
	put_thread(1, 1, " a) (b ");
	put_thread(1, 2, "x\\ny");
	put(1, 2, "comm", "x\ny\n");
	unit_write(dir, "1/comm", "not asked for\n");
	put_thread(3, 4, "follower"); /* of a leader that is not there */
	put_thread(3, 5, "another");
	unit_write(dir, "3/comm", " leader \n");
	put_thread(6, 7, "alone");
	put(8, 8, "stat", "nothing");
	put(8, 8, "comm", "\n");
	put(8, 8, "cgroup", "0::/a\n");
	assert_int_equal(read_threads(NULL, 1), 0);
	assert_int_equal(s.thread_count, 5);
	assert_string_equal(s.threads[0].comm, "a) (b");
	assert_string_equal(s.threads[0].pcomm, "a) (b");
	assert_string_equal(s.threads[1].comm, "x\ny");
	assert_string_equal(s.threads[1].pcomm, "a) (b");
	assert_string_equal(s.threads[2].comm, "follower");
	assert_string_equal(s.threads[2].pcomm, "leader");
	assert_string_equal(s.threads[3].pcomm, "leader");
	assert_string_equal(s.threads[4].pcomm, "");
}

/* A cgroup that holds whole processes is read once for each. */
static void a_cgroup_is_that_of_the_whole_process(void **state)
{
	_free_ char *root = str_fmt("%s/cgroup", dir);

	(void)state;
	for (unsigned int tid = 1; tid <= 4; tid++)
		put_thread(tid <= 2 ? 1 : 3, tid, "x");
	put(1, 2, "cgroup", "0::/b\n");
	put(3, 3, "cgroup", "0::/c\n");
	put(3, 4, "cgroup", "0::/b\n");
	opts.cgroup2 = root;
	unit_write(root, "a/cgroup.type", "domain\n");
	unit_write(root, "c/cgroup.type", "domain threaded\n");
	assert_int_equal(read_threads(NULL, 1), 0);
	assert_string_equal(s.threads[0].cgroup, "/a");
	assert_string_equal(s.threads[1].cgroup, "/a");
	assert_string_equal(s.threads[2].cgroup, "/c");
	assert_string_equal(s.threads[3].cgroup, "/b");
	opts.cgroup2 = NULL;
	assert_int_equal(read_threads(NULL, 1), 0);
	assert_string_equal(s.threads[1].cgroup, "/b");
}

static void files_too_large_or_empty_are_failures(void **state)
{
	_free_ char *large = malloc(1 << 16);

	(void)state;
	put_thread(1, 1, "x");
	memset(large, ' ', (1 << 16) - 1);
	memcpy(large, "rchar: 1\n", 9);
	large[(1 << 16) - 1] = '\0';
	put(1, 1, "io", large);
	put(1, 1, "schedstat", "");
	put(1, 1, "sched", "garbage");
	unit_write(dir, "1/task/1/status/x", "");
	unit_write(dir, "1/smaps_rollup/x", "");
	assert_int_equal(read_threads(NULL, 1), 0);
	assert_int_equal(s.threads[0].unread[FILE_IO], EFBIG);
	assert_int_equal(s.threads[0].unread[FILE_SCHEDSTAT], ENODATA);
	assert_int_equal(s.threads[0].unread[FILE_STATUS], EISDIR);
	assert_int_equal(s.threads[0].unread[FILE_SMAPS_ROLLUP], EISDIR);
	assert_int_equal(s.threads[0].unread[FILE_CGROUP], 0);
	large[(1 << 16) - 2] = '\0';
	put(1, 1, "io", large);
	put(1, 1, "cgroup", "9:cpu:/v1\n");
	assert_int_equal(read_threads(NULL, 1), 0);
	assert_int_equal(s.threads[0].unread[FILE_IO], 0);
	assert_int_equal(s.threads[0].values[M_rchar].u, 1);
	assert_int_not_equal(s.threads[0].unread[FILE_CGROUP], 0);
	assert_null(s.threads[0].cgroup);
}

/* In the form of the system call, whatever the list in status looks like. */
static void affinity_comes_from_the_list_in_status(void **state)
{
	static const struct {
		const char *list, *cpus;
	} rows[] = {
		{ "0-3,5", "0-3,5" },
		{ "5,0,1,2,3", "0-3,5" },
		{ "7", "7" },
		{ "x", NULL },
	};

	(void)state;
	put_thread(1, 1, "x");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_free_ char *status =
			str_fmt("Name:\tx\nCpus_allowed_list:\t%s\nThreads:\t3\n", rows[i].list);
		const struct thread_record *t;

		put_thread(1, 1, "x");
		put(1, 1, "status", status);
		assert_int_equal(read_threads(NULL, 1), 0);
		t = &s.threads[0];
		assert_int_equal(thread_has(t, M_cpu_affinity), rows[i].cpus != NULL);
		if (rows[i].cpus)
			assert_string_equal(t->values[M_cpu_affinity].s, rows[i].cpus);
	}
}

/* Threads of one process mostly have the same CPUs: then it is one text. */
static void affinity_is_asked_for_where_the_numbers_are_ours(void **state)
{
	static const char *const expected[] = {
		"0-3,5", "0-3,5", "0,15", "0-3,5", "0-3,5", "7", "7"
	};

	(void)state;
	for (unsigned int tid = 1; tid <= 7; tid++) {
		put_thread(1, tid, "x");
		put(1, tid, "status", "Name:\tx\nCpus_allowed_list:\t7\nThreads:\t3\n");
	}
	opts.roots.proc = roots_live.proc;
	assert_int_equal(read_threads(NULL, 1), 0);
	assert_int_equal(s.thread_count, 7);
	for (size_t i = 0; i < 7; i++)
		assert_string_equal(s.threads[i].values[M_cpu_affinity].s, expected[i]);
	assert_ptr_equal(s.threads[0].values[M_cpu_affinity].s,
			 s.threads[1].values[M_cpu_affinity].s);
	/* The number of threads is that of the process. */
	assert_int_equal(s.threads[0].values[M_nr_threads].u, 3);
	assert_false(thread_has(&s.threads[1], M_nr_threads));
}

/* They have none, which is no failure. */
static void memory_maps_are_those_of_living_leaders(void **state)
{
	static const struct {
		const char *stat;
		bool is_failure;
	} rows[] = {
		{ "1 (x) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 9\n", true },
		{ "1 (x) Z 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 9\n", false },
		{ "1 (x) X 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 9\n", false },
		{ "1 (x) S 1 1 1 0 -1 2097152 0 0 0 0 0 0 0 0 20 0 1 0 9\n", false },
	};

	(void)state;
	put_thread(1, 1, "x");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		put(1, 1, "stat", rows[i].stat);
		assert_int_equal(read_threads(NULL, 1), 0);
		assert_int_equal(s.threads[0].unread[FILE_SMAPS_ROLLUP],
				 rows[i].is_failure ? ENOENT : 0);
	}
	put_thread(1, 1, "x");
	opts.no_smaps = true;
	assert_int_equal(read_threads(NULL, 1), 0);
	assert_int_equal(s.threads[0].unread[FILE_SMAPS_ROLLUP], 0);
	opts.no_smaps = false;
	unit_write(dir, "1/smaps_rollup", "1-2 ---p 0 00:00 0 [rollup]\nRss:  5 kB\n");
	assert_int_equal(read_threads(NULL, 1), 0);
	assert_int_equal(s.threads[0].smaps_kib.count, 1);
	assert_int_equal(s.threads[0].smaps_kib.items[0].value, 5);
}

/* ---- with taskstats ---- */

static const struct taskstats_gates all_gates = {
	.cpu_delay = true, .delay_block = true, .xacct = true, .irq = true
};

static void every_thread_is_asked_for(void **state)
{
	(void)state;
	put_threads(MANY);
	for (unsigned int workers = 1; workers <= 4; workers++) {
		played = (struct played){};
		assert_int_equal(read_threads(&all_gates, workers), 0);
		assert_int_equal(played.opened, MIN(workers, 3));
		assert_int_equal(played.closed, played.opened);
		assert_int_equal(played.asked, MANY);
		assert_int_equal(played.filled, MANY / 2);
		for (size_t i = 0; i < MANY; i++) {
			const struct thread_record *t = &s.threads[i];
			int error = error_of(t->tid);

			assert_int_equal(t->unread_taskstats, MIN(error, 255));
			assert_int_equal(t->taskstats_measured, !error);
			assert_true(t->cpu_delay_active && t->delay_block_active);
			assert_true(t->xacct_active);
			/* A thread that answers needs no such file. */
			assert_int_equal(t->unread[FILE_SCHEDSTAT], error ? ENOENT : 0);
			if (!error)
				assert_int_equal(t->values[M_run_time_ns].u, t->tid);
		}
		assert_true(s.taskstats.is_known);
		assert_int_equal(s.taskstats.ok, MANY / 2);
		assert_int_equal(s.taskstats.eperm, MANY / 10);
		assert_int_equal(s.taskstats.esrch, MANY / 5);
		assert_int_equal(s.taskstats.other, MANY / 5);
		assert_true(s.taskstats.struct_version.is_known);
		assert_int_equal(s.taskstats.struct_version.value, 14);
		assert_true(s.taskstats.delayacct.is_known);
		assert_int_equal(s.taskstats.delayacct.value, 1);
	}
}

static void gates_are_those_of_the_kernel(void **state)
{
	struct taskstats_gates gates = { .delay_block = true };

	(void)state;
	put_thread(1, 10, "x");
	put(1, 10, "schedstat", "5 6 7\n");
	assert_int_equal(read_threads(&gates, 1), 0);
	assert_false(s.threads[0].cpu_delay_active || s.threads[0].xacct_active);
	assert_true(s.threads[0].delay_block_active);
	assert_false(s.taskstats.delayacct.is_known);
	/* What the kernel does not account for, the file has. */
	assert_int_equal(s.threads[0].values[M_run_time_ns].u, 5);
	gates.cpu_delay = true;
	assert_int_equal(read_threads(&gates, 1), 0);
	assert_int_equal(s.threads[0].values[M_run_time_ns].u, 10);
	played.untold = 10;
	assert_int_equal(read_threads(&gates, 1), 0);
	assert_int_equal(s.threads[0].values[M_run_time_ns].u, 5);
	played.shortest = 10;
	assert_int_equal(read_threads(&gates, 1), 0);
	assert_false(s.taskstats.struct_version.is_known);
	assert_int_equal(s.taskstats.ok, 1);
}

static void without_a_client_nothing_is_read(void **state)
{
	(void)state;
	put_threads(3);
	played.open_error = -EMFILE;
	assert_int_equal(read_threads(&all_gates, 2), -EMFILE);
	assert_int_equal(s.thread_count, 0);
	assert_false(s.parse.is_known);
}

static void only_this_machine_can_be_asked(void **state)
{
	struct capture_opts live = { .roots = roots_live };

	(void)state;
	assert_true(capture_can_ask(&live));
	live.has_foreign_pids = true;
	assert_false(capture_can_ask(&live));
	assert_false(capture_can_ask(&opts));
}

#define HERE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		HERE(threads_are_listed_in_their_order),
		HERE(processes_that_may_not_be_listed_are_hidden),
		HERE(a_tree_without_processes_is_refused),
		HERE(chosen_processes_are_listed_once),
		HERE(every_thread_is_read_whoever_reads_it),
		HERE(threads_that_end_meanwhile_leave_no_gap),
		HERE(threads_are_chosen_by_name_and_cgroup),
		HERE(names_come_out_of_stat_or_comm),
		HERE(a_cgroup_is_that_of_the_whole_process),
		HERE(files_too_large_or_empty_are_failures),
		HERE(affinity_comes_from_the_list_in_status),
		HERE(affinity_is_asked_for_where_the_numbers_are_ours),
		HERE(memory_maps_are_those_of_living_leaders),
		HERE(every_thread_is_asked_for),
		HERE(gates_are_those_of_the_kernel),
		HERE(without_a_client_nothing_is_read),
		HERE(only_this_machine_can_be_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
