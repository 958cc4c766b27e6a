// SPDX-License-Identifier: GPL-2.0-only
/* Holders from recorded /proc/locks and mountinfo, and from the real ones. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/lock_holders.h"

static const char recorded_locks[] = "1: FLOCK  ADVISORY  READ 21606 fe:00:10953382 0 EOF\n"
				     "1: -> FLOCK  ADVISORY  WRITE 700 fe:00:10953382 0 EOF\n"
				     "2: FLOCK  ADVISORY  WRITE 21605 fe:00:10953222 0 EOF\n"
				     "3: POSIX  ADVISORY  WRITE 900 fe:00:10953222 0 EOF\n"
				     "4: OFDLCK ADVISORY  READ -1 fe:00:10953222 0 EOF\n"
				     "5: FLOCK  ADVISORY  READ 21607 FE:00:10953382 0 EOF\n"
				     "6: FLOCK  ADVISORY  READ 21606 fe:00:10953382 0 EOF\n";

static struct lock_entry at(unsigned int minor_number, uint64_t inode)
{
	return (struct lock_entry){ .major = 0xfe, .minor = minor_number, .inode = inode };
}

static void holders_are_matched_by_device_and_inode(void **state)
{
	_lock_table_ struct lock_table t = { .roots = { .proc = "/nonexistent" } };
	_lock_holders_ struct lock_holders h = {}, other = {};
	struct lock_entry id = at(0, 10953382), elsewhere = at(1, 10953382);

	(void)state;
	assert_int_equal(lock_table_parse(&t, recorded_locks, ""), 0);
	assert_int_equal(lock_table_find_id(&t, &id, &h), 0);
	assert_int_equal(h.count, 2);
	assert_int_equal(h.items[0].pid, 21606);
	assert_false(h.items[0].is_exclusive);
	assert_int_equal(h.items[1].pid, 21607);
	assert_int_equal(lock_table_find_id(&t, &elsewhere, &other), 0);
	assert_int_equal(other.count, 0);
}

static void writers_are_exclusive_and_other_kinds_of_locks_do_not_count(void **state)
{
	_lock_table_ struct lock_table t = { .roots = { .proc = "/nonexistent" } };
	_lock_holders_ struct lock_holders h = {};
	struct lock_entry id = at(0, 10953222);

	(void)state;
	assert_int_equal(lock_table_parse(&t, recorded_locks, ""), 0);
	assert_int_equal(lock_table_find_id(&t, &id, &h), 0);
	assert_int_equal(h.count, 1);
	assert_int_equal(h.items[0].pid, 21605);
	assert_true(h.items[0].is_exclusive);
}

static void malformed_lines_are_skipped(void **state)
{
	_lock_table_ struct lock_table t = {};

	(void)state;
	assert_int_equal(lock_table_parse(&t,
					  "\n"
					  "1:\n"
					  "1: FLOCK\n"
					  "1: FLOCK ADVISORY WRITE x fe:00:1 0 EOF\n"
					  "1: FLOCK ADVISORY WRITE 99999999999 fe:00:1 0 EOF\n"
					  "1: FLOCK ADVISORY WRITE 1 fe:00 0 EOF\n"
					  "1: FLOCK ADVISORY WRITE 1 :00:1 0 EOF\n"
					  "1: FLOCK ADVISORY WRITE 1 fe:00:x 0 EOF\n"
					  "1: FLOCK ADVISORY WRITE 1 fe:00:7 0 EOF",
					  "a b\n1 2 x:y / /m\n1 2 3:4 /\n5 6 7:8 / /ok rw\n"),
			 0);
	assert_int_equal(t.entries.count, 1);
	assert_int_equal(t.entries.items[0].inode, 7);
	assert_int_equal(t.mounts.count, 1);
	assert_string_equal(t.mounts.items[0].path, "/ok");
}

/* Mount points around a real directory, so that the inode is real and the device recorded. */
static void the_longest_mount_gives_the_device(void **state)
{
	char *dir = unit_temp_create();
	_free_ char *file = str_fmt("%s/with blank/x.lock", dir);
	_free_ char *mounts = str_fmt("1 0 8:1 / / rw - ext4 a rw\n"
				      "2 1 0:33 /sub %s/with\\040blank rw - btrfs b rw\n"
				      "3 1 0:99 / %s/with rw - tmpfs c rw\n",
				      dir, dir);
	_lock_table_ struct lock_table t = {};
	struct lock_entry id;
	struct stat st;

	(void)state;
	unit_write(dir, "with blank/x.lock", "");
	unit_write(dir, "y.lock", "");
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(lock_table_parse(&t, "", mounts), 0);
	assert_true(lock_table_identify(&t, file, &id));
	assert_int_equal(id.major, 0);
	assert_int_equal(id.minor, 33);
	assert_int_equal(id.inode, st.st_ino);
	free(file);
	file = str_fmt("%s/y.lock", dir);
	assert_true(lock_table_identify(&t, file, &id));
	assert_int_equal(id.major, 8);
	assert_int_equal(id.minor, 1);
	unit_temp_remove(dir);
}

static void later_mounts_hide_earlier_ones(void **state)
{
	_lock_table_ struct lock_table t = {};
	struct lock_entry id;

	(void)state;
	assert_int_equal(lock_table_parse(&t, "", "1 0 8:1 / / rw\n2 1 8:2 / / rw\n"), 0);
	assert_true(lock_table_identify(&t, "/proc/self/exe", &id));
	assert_int_equal(id.minor, 2);
}

static void command_lines_are_cut_at_100_characters(void **state)
{
	char *dir = unit_temp_create();
	_lock_table_ struct lock_table t = {};
	_lock_holders_ struct lock_holders h = {};
	_str_ struct str text = {}, expected = {};
	struct roots roots = { .proc = dir };
	struct lock_entry id = at(0, 5);

	(void)state;
	str_add(&text, "prog ");
	str_add(&expected, "prog ");
	for (int i = 0; i < 120; i++)
		str_add(&text, "é");
	for (int i = 0; i < 95; i++)
		str_add(&expected, "é");
	unit_write(dir, "41/cmdline", str_get(&text));
	unit_write(dir, "42/cmdline", "");
	unit_write(dir, "42/comm", "kworker/0:1\n");
	unit_write(dir, "locks",
		   "1: FLOCK ADVISORY READ 41 fe:00:5 0 EOF\n"
		   "2: FLOCK ADVISORY READ 42 fe:00:5 0 EOF\n"
		   "3: FLOCK ADVISORY READ 43 fe:00:5 0 EOF\n");
	assert_int_equal(lock_table_read(&t, &roots), 0);
	assert_int_equal(lock_table_find_id(&t, &id, &h), 0);
	assert_int_equal(h.count, 3);
	assert_string_equal(h.items[0].cmdline, str_get(&expected));
	assert_string_equal(h.items[1].cmdline, "[kworker/0:1]");
	assert_null(h.items[2].cmdline);
	str_reset(&text);
	lock_holder_add(&text, &h.items[2]);
	assert_string_equal(str_get(&text), "43 (ended or hidden)");
	unit_temp_remove(dir);
}

static void arguments_are_joined_and_control_characters_shown(void **state)
{
	char *dir = unit_temp_create();
	_free_ char *path = str_fmt("%s/9/cmdline", dir);
	_lock_table_ struct lock_table t = {};
	_lock_holders_ struct lock_holders h = {};
	_str_ struct str text = {};
	struct roots roots = { .proc = dir };
	struct lock_entry id = at(0, 5);
	FILE *f;

	(void)state;
	unit_write(dir, "9/cmdline", "");
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite("make\0-j2\0a\nb\0", 1, 13, f), 13);
	fclose(f);
	unit_write(dir, "locks", "1: FLOCK ADVISORY READ 9 fe:00:5 0 EOF\n");
	assert_int_equal(lock_table_read(&t, &roots), 0);
	assert_int_equal(lock_table_find_id(&t, &id, &h), 0);
	lock_holders_add(&text, &h);
	assert_string_equal(str_get(&text), "pid 9 (make -j2 a\\x0ab)");
	unit_temp_remove(dir);
}

static void our_own_lock_is_found_on_this_machine(void **state)
{
	char *dir = unit_temp_create();
	_free_ char *path = str_fmt("%s/x.lock", dir);
	_close_ int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	_lock_table_ struct lock_table t = {};
	_lock_holders_ struct lock_holders h = {};

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_SH), 0);
	assert_int_equal(lock_table_read(&t, &roots_live), 0);
	assert_int_equal(lock_table_find(&t, path, &h), 0);
	assert_int_equal(h.count, 1);
	assert_int_equal(h.items[0].pid, getpid());
	assert_false(h.items[0].is_exclusive);
	assert_non_null(strstr(h.items[0].cmdline, "test_lock_holders"));
	unit_temp_remove(dir);
}

/* A job of a runner does not wait for others where the runner or another job holds the lock. */
static void holders_of_the_same_run_are_not_others(void **state)
{
	char *dir = unit_temp_create();
	_free_ char *path = str_fmt("%s/x.lock", dir);
	_close_ int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	_str_ struct str text = {};
	int status = 0;
	pid_t job;

	(void)state;
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_true(lock_holders_describe_others(path, &text));
	assert_non_null(strstr(str_get(&text), "test_lock_holders"));
	job = fork();
	if (job == 0)
		_exit(lock_holders_describe_others(path, &text) ? 1 : 0);
	assert_int_equal(waitpid(job, &status, 0), job);
	assert_int_equal(status, 0);
	unit_temp_remove(dir);
}

static void missing_file_and_missing_proc_have_no_holders(void **state)
{
	struct roots nowhere = { .proc = "/nonexistent" };
	_lock_table_ struct lock_table t = {};
	_lock_holders_ struct lock_holders h = {};
	_str_ struct str text = {};

	(void)state;
	assert_int_equal(lock_table_read(&t, &nowhere), 0);
	assert_int_equal(lock_table_find(&t, "/nonexistent/x.lock", &h), 0);
	assert_int_equal(h.count, 0);
	lock_holders_add(&text, &h);
	assert_string_equal(str_get(&text), "a process that /proc/locks does not show");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holders_are_matched_by_device_and_inode),
		cmocka_unit_test(writers_are_exclusive_and_other_kinds_of_locks_do_not_count),
		cmocka_unit_test(malformed_lines_are_skipped),
		cmocka_unit_test(the_longest_mount_gives_the_device),
		cmocka_unit_test(later_mounts_hide_earlier_ones),
		cmocka_unit_test(command_lines_are_cut_at_100_characters),
		cmocka_unit_test(arguments_are_joined_and_control_characters_shown),
		cmocka_unit_test(our_own_lock_is_found_on_this_machine),
		cmocka_unit_test(holders_of_the_same_run_are_not_others),
		cmocka_unit_test(missing_file_and_missing_proc_have_no_holders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
