// SPDX-License-Identifier: GPL-2.0-only
/* Lock files: modes, who is in the way, places that are refused, death of holders. */
#include "unit.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

static long fake_magic;

/* A file system of the test's choice under every path. */
static int fake_statfs(const char *path, struct statfs *fs)
{
	int rc = statfs(path, fs);

	if (rc == 0 && fake_magic)
		fs->f_type = fake_magic;
	return rc;
}

#define statfs(path, fs) fake_statfs(path, fs)
#include "host/lockfile.c"
#undef statfs

static char *dir, *path;

static int setup(void **state)
{
	(void)state;
	dir = unit_temp_create();
	path = str_fmt("%s/a.lock", dir);
	fake_magic = 0;
	err_clear();
	return path ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	free(path);
	unit_temp_remove(dir);
	return 0;
}

/* A process that holds the lock until it is killed; returns once it does. */
static pid_t start_holder(bool exclusive)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		int fd = lockfile_take(path, exclusive, 0);

		if (fd < 0 || write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static void end_holder(pid_t pid)
{
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void files_are_for_everybody_whatever_the_umask(void **state)
{
	mode_t before = umask(0077);
	_close_ int fd = lockfile_open(path);
	struct stat st;

	(void)state;
	umask(before);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0666);
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDWR);
}

static void missing_directories_are_made(void **state)
{
	_free_ char *deep = str_fmt("%s/x/y/b.lock", dir);
	_close_ int fd = lockfile_open(deep);

	(void)state;
	assert_true(fd >= 0);
}

static void shared_holders_coexist(void **state)
{
	_close_ int a = lockfile_take(path, false, 0);
	_close_ int b = lockfile_take(path, false, 0);
	_close_ int c = lockfile_take(path, true, 0);

	(void)state;
	assert_true(a >= 0);
	assert_true(b >= 0);
	assert_int_equal(c, -EWOULDBLOCK);
}

static void busy_lock_names_its_holder(void **state)
{
	pid_t pid = start_holder(true);
	_free_ char *who = str_fmt("pid %d (", pid);
	int fd = lockfile_take(path, false, 0);

	(void)state;
	assert_int_equal(fd, -EWOULDBLOCK);
	assert_non_null(strstr(err_text(fd), who));
	assert_non_null(strstr(err_text(fd), "a.lock is held by"));
	assert_non_null(strstr(err_text(fd), "test_lockfile"));
	end_holder(pid);
}

static void waiting_ends_with_the_time_it_took(void **state)
{
	pid_t pid = start_holder(false);
	uint64_t start = clock_mono_ns();
	int fd = lockfile_take(path, true, 150 * NSEC_PER_MSEC);

	(void)state;
	assert_int_equal(fd, -EWOULDBLOCK);
	assert_true(clock_mono_ns() - start >= 150 * NSEC_PER_MSEC);
	assert_non_null(strstr(err_text(fd), "is still held after"));
	end_holder(pid);
}

static void killed_holder_frees_the_lock(void **state)
{
	pid_t pid = start_holder(true);
	int fd = lockfile_take(path, true, 0);

	(void)state;
	assert_int_equal(fd, -EWOULDBLOCK);
	end_holder(pid);
	fd = lockfile_take(path, true, 0);
	assert_true(fd >= 0);
	close(fd);
}

static void waiter_gets_the_lock_when_the_holder_dies(void **state)
{
	pid_t holder = start_holder(true), waiter = fork();
	int status;

	(void)state;
	assert_true(waiter >= 0);
	if (waiter == 0)
		_exit(lockfile_take(path, true, 60 * NSEC_PER_SEC) >= 0 ? 0 : 1);
	end_holder(holder);
	assert_int_equal(waitpid(waiter, &status, 0), waiter);
	assert_int_equal(status, 0);
}

static void deleted_file_is_noticed(void **state)
{
	_close_ int stale = lockfile_open(path);
	int fd;

	(void)state;
	assert_int_equal(unlink(path), 0);
	assert_int_equal(lockfile_acquire(stale, true, 0), -ESTALE);
	fd = lockfile_take(path, true, 0);
	assert_true(fd >= 0);
	close(fd);
}

static void each_remote_filesystem_is_refused_by_name(void **state)
{
	static const struct {
		long magic;
		const char *name;
	} cases[] = {
		{ 0x6969, "is on NFS" },      { 0xFF534D42, "is on CIFS" },
		{ 0xFE534D42, "is on SMB2" }, { 0x00C36400, "is on Ceph" },
		{ 0x6B414653, "is on AFS" },  { 0x65735546, "is on FUSE" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		fake_magic = cases[i].magic;
		assert_int_equal(lockfile_open(path), -EREMOTE);
		assert_non_null(strstr(err_text(-EREMOTE), cases[i].name));
		assert_non_null(
			strstr(err_text(-EREMOTE), "(tmpfs, ext4, xfs, btrfs, f2fs, bcachefs)"));
		assert_non_null(strstr(err_text(-EREMOTE), "KTSTR_LOCK_DIR"));
		assert_int_equal(access(path, F_OK), -1);
	}
}

static void unknown_filesystems_pass(void **state)
{
	(void)state;
	assert_int_equal(lockfile_check_filesystem(path, 0x01021994), 0);
	assert_int_equal(lockfile_check_filesystem(path, 0x12345678), 0);
}

static void symlinks_and_directories_are_no_lock_files(void **state)
{
	(void)state;
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_int_equal(lockfile_open(path), -ELOOP);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(lockfile_open(path), -EISDIR);
	assert_non_null(strstr(err_text(-EISDIR), "KTSTR_LOCK_DIR"));
}

static void overlong_name_is_refused(void **state)
{
	_free_ char *name = calloc(1, PATH_MAX + 1);

	(void)state;
	memset(name, 'a', PATH_MAX);
	assert_int_equal(lockfile_open(name), -ENAMETOOLONG);
}

/* Runs a check in a process of its own, which may give up rights; 77 = it cannot be run here. */
static void in_child(int (*check)(void))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(check());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		print_message("# skip: needs the rights of root\n");
		skip();
	}
	assert_int_equal(status, 0);
}

static bool is_refused(int errnum)
{
	int rc = lockfile_open(path);

	return rc == -errnum && strstr(err_text(rc), path) &&
	       strstr(err_text(rc), strerror(errnum)) && strstr(err_text(rc), "KTSTR_LOCK_DIR");
}

/* Another user, in the directory: the way to it is not open to him. */
static bool become_nobody(mode_t dir_mode)
{
	free(path);
	path = strdup("a.lock");
	return path && getuid() == 0 && chmod(dir, dir_mode) == 0 && chdir(dir) == 0 &&
	       setresuid(65534, 65534, 65534) == 0;
}

static int open_without_rights(void)
{
	if (!become_nobody(0755))
		return 77;
	return is_refused(EACCES) ? 0 : 1;
}

static int open_on_full_disk(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("none", dir, "tmpfs", 0, "nr_inodes=1") < 0)
		return 77;
	return is_refused(ENOSPC) ? 0 : 1;
}

static int open_on_read_only_disk(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("none", dir, "tmpfs", MS_RDONLY, NULL) < 0)
		return 77;
	return is_refused(EROFS) ? 0 : 1;
}

static void unwritable_directory_is_refused_with_the_remedy(void **state)
{
	(void)state;
	in_child(open_without_rights);
}

static void full_disk_is_refused_with_the_remedy(void **state)
{
	(void)state;
	in_child(open_on_full_disk);
}

static void read_only_disk_is_refused_with_the_remedy(void **state)
{
	(void)state;
	in_child(open_on_read_only_disk);
}

/* What fs.protected_regular is about: a sticky directory for all, the file of another user. */
static int open_in_sticky_directory(void)
{
	_close_ int fd = lockfile_take(path, false, 0);

	if (fd < 0 || !become_nobody(01777))
		return 77;
	return lockfile_take(path, false, 0) >= 0 ? 0 : 1;
}

static void other_users_files_in_sticky_directories_can_be_locked(void **state)
{
	(void)state;
	in_child(open_in_sticky_directory);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(files_are_for_everybody_whatever_the_umask),
		TEST(missing_directories_are_made),
		TEST(shared_holders_coexist),
		TEST(busy_lock_names_its_holder),
		TEST(waiting_ends_with_the_time_it_took),
		TEST(killed_holder_frees_the_lock),
		TEST(waiter_gets_the_lock_when_the_holder_dies),
		TEST(deleted_file_is_noticed),
		TEST(each_remote_filesystem_is_refused_by_name),
		TEST(unknown_filesystems_pass),
		TEST(symlinks_and_directories_are_no_lock_files),
		TEST(overlong_name_is_refused),
		TEST(unwritable_directory_is_refused_with_the_remedy),
		TEST(full_disk_is_refused_with_the_remedy),
		TEST(read_only_disk_is_refused_with_the_remedy),
		TEST(other_users_files_in_sticky_directories_can_be_locked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
