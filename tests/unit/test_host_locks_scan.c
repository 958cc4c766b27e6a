// SPDX-License-Identifier: GPL-2.0-only
/* Lock files of all kinds, found in directories and among open files of played processes. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "host/reserve.h"

static char *dir;
static struct lock_places places;
static struct roots roots;
static struct str locks; /* what /proc/locks says */

static char *below(const char *name)
{
	char *path = str_fmt("%s/%s", dir, name);

	assert_non_null(path);
	return path;
}

static int setup(void **state)
{
	_free_ char *made = unit_temp_create();

	(void)state;
	dir = realpath(made, NULL);
	roots = (struct roots){ .proc = below("proc") };
	places = (struct lock_places){ .dirs = { below("locks"), below("locks"), below("cache"),
						 below("runs"), below("queue") } };
	err_clear();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	lock_places_finish(&places);
	free((char *)roots.proc);
	str_finish(&locks);
	locks = (struct str){};
	unit_temp_remove(dir);
	return 0;
}

/* A line of /proc/locks about a file that exists. */
static void lock_stat(const struct stat *st, const char *mode, int pid)
{
	str_addf(&locks, "1: FLOCK ADVISORY %s %d %02x:%02x:%llu 0 EOF\n", mode, pid,
		 major(st->st_dev), minor(st->st_dev), ULL(st->st_ino));
	unit_write(dir, "proc/locks", str_get(&locks));
}

static void add_locked(const char *name, const char *mode, int pid)
{
	_free_ char *path = below(name);
	struct stat st;

	if (access(path, F_OK) < 0)
		unit_write(dir, name, "");
	assert_int_equal(stat(path, &st), 0);
	lock_stat(&st, mode, pid);
}

static const char *const kind_names[LOCK_KINDS] = { "llc", "cpu", "cache", "run", "queue" };

static void add_row(struct str *out, enum lock_kind kind, const struct lock_row *row)
{
	str_addf(out, "%s %s", kind_names[kind], row->key);
	if (row->number)
		str_addf(out, "=%llu", ULL(row->number));
	if (row->has_node)
		str_addf(out, " node%u", row->node);
	if (row->is_stale)
		str_add(out, " stale");
	if (row->has_age)
		str_add(out, " aged");
	for (size_t i = 0; i < row->holders.count; i++)
		str_addf(out, " %d%s", row->holders.items[i].pid,
			 row->holders.items[i].is_exclusive ? "!" : "");
	str_addc(out, '\n');
}

static void expect_rows(const struct topology *t, const char *expected)
{
	_locks_scan_ struct locks_scan s = {};
	_str_ struct str text = {};
	int rc = locks_scan(&s, &places, &roots, t);

	if (rc < 0)
		fail_msg("%s", err_text(rc));
	for (enum lock_kind kind = 0; kind < LOCK_KINDS; kind++)
		for (size_t i = 0; i < s.kinds[kind].count; i++)
			add_row(&text, kind, &s.kinds[kind].items[i]);
	assert_string_equal(str_get(&text), expected);
}

static void the_name_of_a_lock_file_says_its_kind_and_key(void **state)
{
	static const char *const names[] = {
		"locks/ktstr-llc-0.lock",
		"locks/ktstr-llc-10.lock",
		"locks/ktstr-llc-9.lock",
		"locks/ktstr-cpu-3.lock",
		"locks/ktstr-llc-.lock",
		"locks/ktstr-llc-x.lock",
		"locks/ktstr-cpu-1.lockx",
		"locks/xktstr-cpu-1.lock",
		"locks/other",
		"cache/b.lock",
		"cache/a.lock",
		"cache/.lock",
		"cache/a",
		"runs/7.lock",
		"queue/ticket-0000000012",
		"queue/ticket-",
		"queue/ticket-0000000002",
		"queue/note",
		"queue/ticket-2.lock",
		"cache/deep/hidden.lock/x",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		unit_write(dir, names[i], "");
	expect_rows(NULL, "llc 0\nllc 9=9\nllc 10=10\ncpu 3=3\ncache a\ncache b\nrun 7\n"
			  "queue 0000000002=2\nqueue 0000000012=12\n");
}

static void llcs_and_cpus_have_the_node_that_the_topology_says(void **state)
{
	static const char *const names[] = {
		"locks/ktstr-llc-1.lock",
		"locks/ktstr-llc-2.lock",
		"locks/ktstr-cpu-0.lock",
		"locks/ktstr-cpu-3.lock",
		"locks/ktstr-cpu-4.lock",
		"cache/a.lock",
		"runs/b.lock",
		"queue/ticket-0",
	};
	_topology_ struct topology t = {};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		unit_write(dir, names[i], "");
	assert_int_equal(topology_from_notation(&t, "2n2l2c1t"), 0);
	expect_rows(&t, "llc 1=1 node1\nllc 2=2\ncpu 0 node0\ncpu 3=3 node1\ncpu 4=4\n"
			"cache a\nrun b\nqueue 0\n");
}

static void holders_belong_to_the_file_that_they_lock(void **state)
{
	(void)state;
	add_locked("locks/ktstr-llc-0.lock", "READ", 12);
	add_locked("locks/ktstr-llc-1.lock", "WRITE", 11);
	add_locked("locks/ktstr-llc-0.lock", "READ", 10);
	unit_write(dir, "locks/ktstr-llc-2.lock", "");
	expect_rows(NULL, "llc 0 aged 10 12\nllc 1=1 aged 11!\nllc 2=2\n");
}

static void the_age_of_a_lock_is_that_of_its_file(void **state)
{
	static const struct {
		int64_t offset_s;
		uint64_t least, most;
	} rows[] = { { -7200, 7200, 7500 }, { -1, 1, 300 }, { 7200, 0, 0 } };
	_free_ char *path = below("cache/a.lock");

	(void)state;
	add_locked("cache/a.lock", "WRITE", 5);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		time_t then = (time_t)(clock_wall_ns() / NSEC_PER_SEC) + rows[i].offset_s;
		const struct timespec times[2] = { { then, 500 }, { then, 500 } };
		_locks_scan_ struct locks_scan s = {};
		const struct lock_rows *found = &s.kinds[LOCK_CACHE];

		assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
		assert_int_equal(locks_scan(&s, &places, &roots, NULL), 0);
		assert_int_equal(found->count, 1);
		assert_true(found->items[0].has_age);
		assert_in_range(found->items[0].age_ns / NSEC_PER_SEC, rows[i].least, rows[i].most);
	}
}

static void missing_directories_have_no_locks_and_others_are_told(void **state)
{
	_free_ char *cache = NULL;

	(void)state;
	expect_rows(NULL, "");
	/* Not searched at all. */
	unit_write(dir, "cache/a.lock", "");
	cache = take_ptr(&places.dirs[LOCK_CACHE]);
	expect_rows(NULL, "");
	/* A file in the place of a directory is told, and the others are shown. */
	unit_write(dir, "locks", "");
	unit_write(dir, "runs/x.lock", "");
	expect_rows(NULL, "run x\n");
}

/* A process has the file open, though it has no name any more. */
static int hold_deleted(const char *name, int pid, const char *mode, bool is_listed)
{
	_free_ char *path = below(name);
	_free_ char *folder = str_fmt("proc/%d/fd", pid);
	_free_ char *keep = str_fmt("%s/keep", folder);
	_free_ char *link = NULL, *target = NULL;
	struct stat st;
	int fd;

	unit_write(dir, name, "");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(fstat(fd, &st), 0);
	unit_write(dir, keep, "");
	if (is_listed) {
		/* The link of the kernel says where it was; it also leads to the file. */
		target = str_fmt("/proc/self/fd/%d", fd);
		link = str_fmt("%s/proc/%d/fd/%d", dir, pid, fd);
		assert_int_equal(symlink(target, link), 0);
	}
	lock_stat(&st, mode, pid);
	return fd;
}

/* Played processes have links of links: what the last one says is what the kernel would. */
ssize_t __wrap_readlinkat(int at, const char *path, char *buffer, size_t size);
ssize_t __real_readlinkat(int at, const char *path, char *buffer, size_t size);

ssize_t __wrap_readlinkat(int at, const char *path, char *buffer, size_t size)
{
	ssize_t len = __real_readlinkat(at, path, buffer, size);
	char next[PATH_MAX];

	if (len <= 0 || strncmp(buffer, "/proc/self/fd/", 14) != 0)
		return len;
	memcpy(next, buffer, (size_t)len);
	next[len] = '\0';
	return readlink(next, buffer, size);
}

static void a_deleted_lock_file_is_found_by_its_holder(void **state)
{
	int fds[8];

	(void)state;
	unit_write(dir, "locks/ktstr-llc-2.lock", "");
	fds[0] = hold_deleted("locks/ktstr-llc-2.lock", 7, "WRITE", true);
	unit_write(dir, "locks/ktstr-llc-2.lock", "");
	fds[1] = hold_deleted("locks/ktstr-cpu-5.lock", 8, "READ", true);
	fds[2] = hold_deleted("cache/kernel.lock", 8, "READ", true);
	fds[3] = hold_deleted("runs/run.lock", 9, "WRITE", true);
	/* These are no locks of ours, or nobody has them open. */
	fds[4] = hold_deleted("cache/deep/x.lock", 10, "READ", true);
	fds[5] = hold_deleted("cache/unseen.lock", 10, "READ", false);
	fds[6] = hold_deleted("cache-not/x.lock", 10, "READ", true);
	fds[7] = hold_deleted("queue/ticket-3", 10, "WRITE", true);
	expect_rows(NULL, "llc 2=2\nllc 2=2 stale 7!\ncpu 5=5 stale 8\ncache kernel stale 8\n"
			  "run run stale 9!\n");
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		close(fds[i]);
}

static void a_deleted_file_with_two_holders_is_one_row(void **state)
{
	int fd = hold_deleted("cache/kernel.lock", 8, "READ", true);
	struct stat st;

	(void)state;
	assert_int_equal(fstat(fd, &st), 0);
	lock_stat(&st, "READ", 6);
	expect_rows(NULL, "cache kernel stale 6 8\n");
	close(fd);
}

/* A file that was deleted under one name and has another one is still there. */
static void a_file_with_another_name_is_not_deleted(void **state)
{
	_free_ char *path = below("cache/a.lock"), *other = below("other");
	_free_ char *link = below("proc/4/fd/3");
	struct stat st;
	int fd;

	(void)state;
	unit_write(dir, "cache/a.lock", "");
	unit_write(dir, "proc/4/fd/0", "");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(rename(path, other), 0);
	assert_int_equal(fstat(fd, &st), 0);
	lock_stat(&st, "READ", 4);
	unit_write(dir, "cache/a.lock (deleted)", "");
	assert_int_equal(symlink("../../../cache/a.lock (deleted)", link), 0);
	expect_rows(NULL, "");
	close(fd);
}

static void expect_places(const char *llc, const char *cache, const char *run, const char *queue)
{
	struct lock_places p;

	assert_int_equal(lock_places_from_env(&p), 0);
	assert_string_equal(p.dirs[LOCK_LLC], llc);
	assert_string_equal(p.dirs[LOCK_CPU], llc);
	assert_string_equal(p.dirs[LOCK_CACHE], cache);
	assert_string_equal(p.dirs[LOCK_RUN], run);
	assert_string_equal(p.dirs[LOCK_QUEUE], queue);
	lock_places_finish(&p);
	assert_null(p.dirs[LOCK_LLC]);
}

static void the_environment_says_where_locks_are(void **state)
{
	_free_ char *kernels = NULL, *cache = NULL;

	(void)state;
	setenv("KTSTR_CACHE_DIR", "/k", 1);
	kernels = path_kernel_cache();
	cache = str_fmt("%s/.locks", kernels);
	unsetenv("KTSTR_LOCK_DIR");
	unsetenv("KTSTR_RUNS_ROOT");
	unsetenv("CARGO_TARGET_DIR");
	expect_places("/tmp", cache, "target/ktstr/.locks", "/tmp/" QUEUE_DIR);
	setenv("CARGO_TARGET_DIR", "/t", 1);
	setenv("KTSTR_LOCK_DIR", "/l", 1);
	expect_places("/l", cache, "/t/ktstr/.locks", "/l/" QUEUE_DIR);
	setenv("KTSTR_RUNS_ROOT", "/r", 1);
	expect_places("/l", cache, "/r/.locks", "/l/" QUEUE_DIR);
	unsetenv("KTSTR_RUNS_ROOT");
	unsetenv("CARGO_TARGET_DIR");
	unsetenv("KTSTR_LOCK_DIR");
	unsetenv("KTSTR_CACHE_DIR");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(the_name_of_a_lock_file_says_its_kind_and_key),
		TEST(llcs_and_cpus_have_the_node_that_the_topology_says),
		TEST(holders_belong_to_the_file_that_they_lock),
		TEST(the_age_of_a_lock_is_that_of_its_file),
		TEST(missing_directories_have_no_locks_and_others_are_told),
		TEST(a_deleted_lock_file_is_found_by_its_holder),
		TEST(a_deleted_file_with_two_holders_is_one_row),
		TEST(a_file_with_another_name_is_not_deleted),
		TEST(the_environment_says_where_locks_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
