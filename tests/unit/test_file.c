// SPDX-License-Identifier: GPL-2.0-only
/* Whole files, atomic replacement, reads below a root. */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/roots.h"

/* The next writes are interrupted by a signal, or take that many bytes at most; then as always. */
static int interrupted_writes;
static size_t largest_write = SIZE_MAX;

ssize_t __real_write(int fd, const void *data, size_t len);
ssize_t __wrap_write(int fd, const void *data, size_t len);

ssize_t __wrap_write(int fd, const void *data, size_t len)
{
	if (interrupted_writes > 0) {
		interrupted_writes--;
		errno = EINTR;
		return -1;
	}
	return __real_write(fd, data, MIN(len, largest_write));
}

static int setup(void **state)
{
	*state = unit_temp_create();
	return 0;
}

static int teardown(void **state)
{
	unit_temp_remove(*state);
	return 0;
}

static size_t count_entries(const char *dir)
{
	_closedir_ DIR *d = opendir(dir);
	size_t count = 0;

	for (struct dirent *e; (e = readdir(d));)
		count += e->d_name[0] != '.' || e->d_name[1] != '\0';
	return count - 1; /* ".." */
}

static void replace_writes_the_whole_file(void **state)
{
	_free_ char *path = str_fmt("%s/f", (char *)*state);
	_str_ struct str text = {};
	struct stat st;

	assert_int_equal(file_replace(path, "old", 3, 0640), 0);
	assert_int_equal(file_replace(path, "new text", 8, 0640), 0);
	assert_int_equal(file_read(path, &text), 0);
	assert_string_equal(str_get(&text), "new text");
	assert_int_equal(count_entries(*state), 1);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777 & ~0640, 0);
}

static void a_signal_ends_no_write(void **state)
{
	_free_ char *path = str_fmt("%s/f", (char *)*state);
	_str_ struct str text = {};

	interrupted_writes = 2;
	assert_int_equal(file_replace(path, "after a signal", 14, 0640), 0);
	assert_int_equal(interrupted_writes, 0);
	assert_int_equal(file_read(path, &text), 0);
	assert_string_equal(str_get(&text), "after a signal");
}

static void a_write_goes_on_where_it_ended(void **state)
{
	_free_ char *path = str_fmt("%s/f", (char *)*state);
	_str_ struct str text = {};
	int rc;

	largest_write = 3;
	rc = file_replace(path, "in four parts", 13, 0640);
	largest_write = SIZE_MAX;
	assert_int_equal(rc, 0);
	assert_int_equal(file_read(path, &text), 0);
	assert_string_equal(str_get(&text), "in four parts");
}

/* What is not a regular file is written as it is, or not at all: nothing takes its place. */
static void a_socket_cannot_be_written(void **state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	_close_ int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	struct file_atomic f;
	struct stat st;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", (char *)*state);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(file_atomic_open(&f, address.sun_path, 0640), -ENXIO);
	assert_non_null(strstr(err_text(-ENXIO), "open "));
	assert_int_equal(lstat(address.sun_path, &st), 0);
	assert_true(S_ISSOCK(st.st_mode));
}

static void an_unfinished_file_leaves_the_old_one(void **state)
{
	_free_ char *path = str_fmt("%s/f", (char *)*state);
	_str_ struct str text = {};
	struct file_atomic f;

	assert_int_equal(file_replace(path, "old", 3, 0644), 0);
	assert_int_equal(file_atomic_open(&f, path, 0644), 0);
	assert_int_equal(file_atomic_write(&f, "half", 4), 0);
	assert_int_equal(count_entries(*state), 2);
	file_atomic_finish(&f);
	assert_int_equal(count_entries(*state), 1);
	assert_int_equal(file_read(path, &text), 0);
	assert_string_equal(str_get(&text), "old");
}

static void abort_all_removes_open_temporaries(void **state)
{
	_free_ char *path = str_fmt("%s/f", (char *)*state);
	struct file_atomic f;

	assert_int_equal(file_atomic_open(&f, path, 0644), 0);
	assert_int_equal(count_entries(*state), 1);
	file_atomic_abort_all();
	assert_int_equal(count_entries(*state), 0);
	file_atomic_finish(&f);
}

static void a_missing_directory_is_named(void **state)
{
	_free_ char *path = str_fmt("%s/none/f", (char *)*state);

	assert_int_equal(file_replace(path, "x", 1, 0644), -ENOENT);
	assert_non_null(strstr(err_text(-ENOENT), "/none/f: No such file or directory"));
}

static void a_device_is_written_directly(void **state)
{
	(void)state;
	assert_int_equal(file_replace("/dev/null", "x", 1, 0644), 0);
	assert_int_equal(file_replace("/dev/full", "x", 1, 0644), -ENOSPC);
	assert_string_equal(err_text(-ENOSPC), "write /dev/full: No space left on device");
	assert_int_equal(access("/dev/null", W_OK), 0);
}

/* It leads to a file where output is redirected, and that one may have more in it. */
static void standard_output_is_written_directly(void **state)
{
	_free_ char *path = str_fmt("%s/f", (char *)*state);
	_close_ int saved = dup(STDOUT_FILENO), fd = -1;
	_str_ struct str text = {};
	struct file_atomic f;
	int rc;

	unit_write(*state, "f", "first, ");
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	assert_true(fd >= 0 && fflush(stdout) == 0);
	dup2(fd, STDOUT_FILENO);
	rc = file_atomic_open(&f, "/dev/stdout", 0644);
	dup2(saved, STDOUT_FILENO);
	assert_int_equal(rc, 0);
	assert_null(f.temp);
	assert_int_equal(file_atomic_write(&f, "second", 6), 0);
	assert_int_equal(file_atomic_commit(&f), 0);
	file_atomic_finish(&f);
	assert_int_equal(file_read(path, &text), 0);
	assert_string_equal(str_get(&text), "first, second");
}

static void assert_text(const char *path, const char *expected)
{
	_str_ struct str text = {};

	assert_int_equal(file_read(path, &text), 0);
	assert_string_equal(str_get(&text), expected);
}

static bool is_link(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

static void a_link_stays_and_its_target_is_written(void **state)
{
	_free_ char *dir = str_fmt("%s/d", (char *)*state);
	_free_ char *file = str_fmt("%s/d/file", (char *)*state);
	_free_ char *link = str_fmt("%s/link", (char *)*state);
	_free_ char *second = str_fmt("%s/second", (char *)*state);

	assert_int_equal(file_make_dirs(dir, 0755), 0);
	assert_int_equal(symlink("d/file", link), 0);
	assert_int_equal(symlink(link, second), 0);
	assert_int_equal(file_replace(link, "new", 3, 0644), 0); /* no such file yet */
	assert_text(file, "new");
	assert_int_equal(file_replace(second, "again", 5, 0644), 0);
	assert_text(file, "again");
	assert_true(is_link(link));
	assert_true(is_link(second));
	assert_int_equal(count_entries(*state), 3);
	assert_int_equal(count_entries(dir), 1);
}

static void links_that_lead_nowhere_are_errors(void **state)
{
	_free_ char *loop = str_fmt("%s/loop", (char *)*state);
	_free_ char *lost = str_fmt("%s/lost", (char *)*state);
	_free_ char *null = str_fmt("%s/null", (char *)*state);

	assert_int_equal(symlink("loop", loop), 0);
	assert_int_equal(symlink("none/file", lost), 0);
	assert_int_equal(symlink("/dev/null", null), 0);
	assert_int_equal(file_replace(loop, "x", 1, 0644), -ELOOP);
	assert_non_null(strstr(err_text(-ELOOP), "/loop: Too many levels"));
	assert_int_equal(file_replace(lost, "x", 1, 0644), -ENOENT);
	assert_int_equal(file_replace(null, "x", 1, 0644), 0);
	assert_true(is_link(loop) && is_link(lost) && is_link(null));
}

static bool kernel_protects_links(void)
{
	_str_ struct str on = {};

	return file_read_at(AT_FDCWD, "/proc/sys/fs/protected_symlinks", &on) == 0 &&
	       str_starts(str_get(&on), "1");
}

/* What others planted in a directory for everybody is not followed, not even by root. */
static void refuse_link_of_another_user(void **state)
{
	_free_ char *dir = str_fmt("%s/shared", (char *)*state);
	_free_ char *link = str_fmt("%s/shared/link", (char *)*state);
	_free_ char *victim = str_fmt("%s/victim", (char *)*state);

	unit_write(*state, "victim", "kept");
	assert_int_equal(mkdir(dir, 0755), 0);
	assert_int_equal(chmod(dir, 01777), 0);
	assert_int_equal(symlink(victim, link), 0);
	assert_int_equal(lchown(link, 65534, 65534), 0);
	assert_int_equal(file_replace(link, "x", 1, 0644), -EACCES);
	assert_text(victim, "kept");
}

/* skip() does not come back: whoever calls it owns nothing. */
static void a_link_of_another_user_is_refused(void **state)
{
	if (geteuid() != 0 || !kernel_protects_links()) {
		print_message("SKIP: needs root and fs.protected_symlinks=1\n");
		skip();
	}
	refuse_link_of_another_user(state);
}

static void make_dirs_creates_every_level_and_accepts_existing_ones(void **state)
{
	_free_ char *path = str_fmt("%s/a/b/c", (char *)*state);
	_free_ char *blocked = str_fmt("%s/file/x", (char *)*state);
	struct stat st;

	assert_int_equal(file_make_dirs(path, 0755), 0);
	assert_int_equal(file_make_dirs(path, 0755), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	unit_write(*state, "file", "");
	assert_int_equal(file_make_dirs(blocked, 0755), -ENOTDIR);
}

static void reads_below_a_root(void **state)
{
	_str_ struct str text = {};
	uint64_t value;

	unit_write(*state, "sys/cpu3/level", "3\n");
	unit_write(*state, "sys/empty", "\n");
	unit_write(*state, "sys/word", "  word \n");
	assert_int_equal(root_read_u64(*state, &value, "sys/cpu%d/level", 3), 0);
	assert_int_equal(value, 3);
	assert_int_equal(root_read_u64(*state, &value, "sys/word"), -EINVAL);
	assert_int_equal(root_read_u64(*state, &value, "sys/none"), -ENOENT);
	assert_int_equal(root_read_line(*state, &text, "sys/empty"), -ENODATA);
	str_reset(&text);
	assert_int_equal(root_read_line(*state, &text, "sys/word"), 0);
	assert_string_equal(str_get(&text), "  word");
}

static void a_name_longer_than_a_path_is_refused(void **state)
{
	_str_ struct str text = {}, name = {};

	str_repeat(&name, 'n', 5000);
	assert_int_equal(root_read(*state, &text, "%s", str_get(&name)), -ENAMETOOLONG);
}

static void a_file_without_a_name_is_refused(void **state)
{
	_cleanup_(file_atomic_finish) struct file_atomic f = {};
	int rc = file_atomic_open(&f, "", 0644);

	(void)state;
	assert_int_equal(rc, -EINVAL);
	assert_string_equal(err_text(rc), "the name of the file to write is empty");
}

static void a_fifo_in_the_place_of_a_file_is_not_waited_for(void **state)
{
	_free_ char *fifo = str_fmt("%s/fifo", (char *)*state), *file = NULL;
	_str_ struct str text = {};

	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(file_read_regular(fifo, &text), -EINVAL);
	assert_int_equal(file_read_regular(*state, &text), -EINVAL);
	assert_false(file_read_fresh(fifo, 60, &text));
	file = str_fmt("%s/file", (char *)*state);
	assert_int_equal(file_read_regular(file, &text), -ENOENT);
	unit_write(*state, "file", "text");
	assert_int_equal(file_read_regular(file, &text), 0);
	assert_string_equal(str_get(&text), "text");
}

static void a_file_of_the_future_is_not_fresh(void **state)
{
	_free_ char *file = str_fmt("%s/file", (char *)*state);
	struct timespec times[2] = { { .tv_nsec = UTIME_NOW }, {} };
	static const struct {
		long offset_s;
		bool is_fresh;
	} rows[] = { { -10, true }, { -100, false }, { 10, true }, { 86400, false } };

	unit_write(*state, "file", "text");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_str_ struct str text = {};

		times[1].tv_sec = time(NULL) + rows[i].offset_s;
		assert_int_equal(utimensat(AT_FDCWD, file, times, 0), 0);
		assert_int_equal(file_read_fresh(file, 50, &text), rows[i].is_fresh);
	}
}

static void a_file_without_end_is_refused(void **state)
{
	_str_ struct str text = {};
	int rc;

	(void)state;
	str_add(&text, "before");
	assert_int_equal(file_read_at(AT_FDCWD, "/dev/zero", &text), -EFBIG);
	assert_memory_equal(text.s, "before", 7);
	str_reset(&text);
	rc = file_read("/dev/zero", &text);
	assert_int_equal(rc, -EFBIG);
	assert_string_equal(err_text(rc),
			    "read /dev/zero: larger than 256 MiB, the limit for this file");
}

static void the_largest_file_is_read(void **state)
{
	_free_ char *path = str_fmt("%s/f", (char *)*state);
	const size_t limit = (size_t)FILE_WHOLE_MAX_MIB << 20;
	_str_ struct str text = {};

	assert_int_equal(file_replace(path, "", 0, 0600), 0);
	assert_int_equal(truncate(path, (off_t)limit), 0);
	assert_int_equal(file_read(path, &text), 0);
	assert_int_equal(text.len, limit);
	str_reset(&text);
	assert_int_equal(truncate(path, (off_t)limit + 1), 0);
	assert_int_equal(file_read_regular(path, &text), -EFBIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_without_a_name_is_refused),
		cmocka_unit_test(a_file_without_end_is_refused),
		cmocka_unit_test_setup_teardown(the_largest_file_is_read, setup, teardown),
		cmocka_unit_test_setup_teardown(replace_writes_the_whole_file, setup, teardown),
		cmocka_unit_test_setup_teardown(a_socket_cannot_be_written, setup, teardown),
		cmocka_unit_test_setup_teardown(a_signal_ends_no_write, setup, teardown),
		cmocka_unit_test_setup_teardown(a_write_goes_on_where_it_ended, setup, teardown),
		cmocka_unit_test_setup_teardown(an_unfinished_file_leaves_the_old_one, setup,
						teardown),
		cmocka_unit_test_setup_teardown(abort_all_removes_open_temporaries, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_missing_directory_is_named, setup, teardown),
		cmocka_unit_test_setup_teardown(a_device_is_written_directly, setup, teardown),
		cmocka_unit_test_setup_teardown(standard_output_is_written_directly, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_link_stays_and_its_target_is_written, setup,
						teardown),
		cmocka_unit_test_setup_teardown(links_that_lead_nowhere_are_errors, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_link_of_another_user_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(
			make_dirs_creates_every_level_and_accepts_existing_ones, setup, teardown),
		cmocka_unit_test_setup_teardown(reads_below_a_root, setup, teardown),
		cmocka_unit_test_setup_teardown(a_fifo_in_the_place_of_a_file_is_not_waited_for,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_file_of_the_future_is_not_fresh, setup, teardown),
		cmocka_unit_test_setup_teardown(a_name_longer_than_a_path_is_refused, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
