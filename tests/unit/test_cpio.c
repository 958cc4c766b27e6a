// SPDX-License-Identifier: GPL-2.0-only
/* newc archives: what is written, that it never varies, and that others can read it. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/err.h"
#include "base/file.h"
#include "guest/parts.h"
#include "vm/initramfs_plan.h"

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

/* An archive with one entry of each kind. */
static void write_sample(struct str *out)
{
	_cleanup_(cpio_finish) struct cpio c;

	cpio_init(&c, cpio_sink_str(out));
	assert_int_equal(cpio_add_bytes(&c, "/a/b/file", 0750, "12345", 5), 0);
	assert_int_equal(cpio_add_directory(&c, "/a/empty", 0700), 0);
	assert_int_equal(cpio_add_link(&c, "/a/link", "b/file"), 0);
	assert_int_equal(cpio_begin(&c, "/pieces", 0644, 6), 0);
	assert_int_equal(cpio_put(&c, "one", 3), 0);
	assert_int_equal(cpio_put(&c, "two", 3), 0);
	assert_int_equal(cpio_add_bytes(&c, "/zero", 0600, "", 0), 0);
	assert_int_equal(cpio_end(&c), 0);
	assert_int_equal(c.packed_bytes, out->len);
	assert_int_equal(c.unpacked_bytes, 2 * 4096);
}

static void check_file(const char *dir, const char *name, unsigned int mode, const char *text)
{
	_free_ char *path = str_fmt("%s/%s", dir, name);
	_str_ struct str content = {};
	struct stat st;

	assert_int_equal(file_read(path, &content), 0);
	assert_string_equal(str_get(&content), text);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, mode);
}

static void check_sample(const char *dir)
{
	_free_ char *link = str_fmt("%s/a/link", dir), *empty = str_fmt("%s/a/empty", dir);
	char target[64] = "";
	struct stat st;

	check_file(dir, "a/b/file", 0750, "12345");
	check_file(dir, "pieces", 0644, "onetwo");
	check_file(dir, "zero", 0600, "");
	assert_int_equal(readlink(link, target, sizeof(target) - 1), 6);
	assert_string_equal(target, "b/file");
	assert_int_equal(stat(empty, &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	assert_int_equal(st.st_mode & 07777, 0700);
}

static void equal_contents_give_equal_bytes(void **state)
{
	_str_ struct str a = {}, b = {};

	(void)state;
	write_sample(&a);
	write_sample(&b);
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.s, b.s, a.len);
	assert_int_equal(a.len % 512, 0);
}

static void times_and_owners_are_zero(void **state)
{
	_str_ struct str a = {};

	(void)state;
	write_sample(&a);
	/* magic, inode, mode, then uid and gid; the first entry is the directory "a". */
	assert_memory_equal(a.s, "07070100000001000041ed0000000000000000", 38);
	assert_memory_equal(a.s + 46, "00000000", 8); /* mtime */
	assert_memory_equal(a.s + 110, "a", 2);
}

static void our_own_unpacker_reads_it(void **state)
{
	_str_ struct str a = {};

	write_sample(&a);
	assert_int_equal(unpack_newc(*state, a.s, a.len), 0);
	check_sample(*state);
}

static void unpacking_twice_replaces_what_was_there(void **state)
{
	_str_ struct str a = {};

	write_sample(&a);
	assert_int_equal(unpack_newc(*state, a.s, a.len), 0);
	unit_write(*state, "pieces", "something else");
	assert_int_equal(unpack_newc(*state, a.s, a.len), 0);
	check_sample(*state);
}

/* An archiver that is not ours agrees on the format. */
static void another_archiver_reads_it(void **state)
{
	_free_ char *archive = str_fmt("%s/archive", (char *)*state);
	_free_ char *dir = str_fmt("%s/out", (char *)*state);
	_str_ struct str a = {}, output = {}, command = {};

	if (access("/bin/busybox", X_OK) < 0) {
		print_message("skip: no busybox here\n");
		skip();
	}
	write_sample(&a);
	assert_int_equal(file_replace(archive, a.s, a.len, 0644), 0);
	assert_int_equal(file_make_dirs(dir, 0755), 0);
	str_addf(&command, "cd '%s' && busybox cpio -idm <'%s' 2>&1", dir, archive);
	assert_int_equal(
		child_output((const char *const[]){ "/bin/sh", "-c", str_get(&command), NULL },
			     UINT64_MAX, &output),
		0);
	check_sample(dir);
}

static void one_name_twice_is_refused(void **state)
{
	_cleanup_(cpio_finish) struct cpio c;
	_str_ struct str out = {};

	(void)state;
	cpio_init(&c, cpio_sink_str(&out));
	assert_int_equal(cpio_add_bytes(&c, "/x/y", 0644, "1", 1), 0);
	assert_int_equal(cpio_add_bytes(&c, "/x/y", 0644, "1", 1), -EEXIST);
	assert_string_equal(err_text(-EEXIST), "/x/y is in the initramfs twice");
	assert_int_equal(cpio_add_directory(&c, "/x", 0755), 0);
}

static void impossible_paths_are_refused(void **state)
{
	static const char *const paths[] = { "relative", "/", "/dir/", "/a/../b", "/a//b", "" };
	_cleanup_(cpio_finish) struct cpio c;
	_str_ struct str out = {};

	(void)state;
	cpio_init(&c, cpio_sink_str(&out));
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		assert_int_equal(cpio_add_bytes(&c, paths[i], 0644, "", 0), -EINVAL);
	assert_int_equal(out.len, 0);
}

static void sizes_are_kept_to(void **state)
{
	_cleanup_(cpio_finish) struct cpio c;
	_str_ struct str out = {};

	(void)state;
	cpio_init(&c, cpio_sink_str(&out));
	assert_int_equal(cpio_begin(&c, "/big", 0644, CPIO_MAX_FILE + 1), -EFBIG);
	assert_int_equal(cpio_begin(&c, "/f", 0644, 3), 0);
	assert_int_equal(cpio_put(&c, "four", 4), -EINVAL);
	assert_int_equal(cpio_add_bytes(&c, "/g", 0644, "", 0), -EINVAL);
	assert_int_equal(cpio_end(&c), -EINVAL);
}

static void a_full_disk_is_an_error(void **state)
{
	_cleanup_(cpio_finish) struct cpio c;
	_close_ int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	cpio_init(&c, cpio_sink_fd(&fd));
	assert_int_equal(cpio_add_bytes(&c, "/f", 0644, "x", 1), -ENOSPC);
	assert_string_equal(err_text(-ENOSPC), "write the initramfs: No space left on device");
}

/* Every cut and every changed byte: an answer, never more than an answer. */
static void damaged_archives_are_survived(void **state)
{
	_str_ struct str a = {};

	write_sample(&a);
	for (size_t len = 0; len < a.len - 512; len += 7) {
		_free_ char *cut = malloc(len + 1);

		memcpy(cut, a.s, len);
		assert_int_equal(unpack_newc(*state, cut, len), -EINVAL);
	}
	for (size_t at = 0; at < 110; at++) {
		char kept = a.s[at];

		a.s[at] = 'X';
		unpack_newc(*state, a.s, a.len);
		a.s[at] = kept;
	}
}

static void an_entry_cannot_leave_its_root(void **state)
{
	static const char *const names[] = { "../x", "a/../../x", "/etc/x", "..", "a/.." };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_str_ struct str a = {};

		str_addf(&a, "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%s", 1,
			 0100644, 0, 0, 1, 0, 0, 0, 0, 0, 0, (unsigned int)strlen(names[i]) + 1, 0,
			 names[i]);
		str_repeat(&a, '\0', 16);
		assert_int_equal(unpack_newc(*state, a.s, a.len), -EINVAL);
		assert_string_equal(err_text(-EINVAL), "damaged archive: an entry leads out of it");
	}
}

static void devices_are_refused(void **state)
{
	_str_ struct str a = {};

	str_addf(&a, "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08xdev", 1, 0020644, 0,
		 0, 1, 0, 0, 0, 0, 0, 0, 4, 0);
	str_repeat(&a, '\0', 16);
	assert_int_equal(unpack_newc(*state, a.s, a.len), -EINVAL);
	assert_string_equal(err_text(-EINVAL),
			    "damaged archive: an entry is neither file, link nor directory");
}

#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_contents_give_equal_bytes),
		cmocka_unit_test(times_and_owners_are_zero),
		IN_DIRECTORY(our_own_unpacker_reads_it),
		IN_DIRECTORY(unpacking_twice_replaces_what_was_there),
		IN_DIRECTORY(another_archiver_reads_it),
		cmocka_unit_test(one_name_twice_is_refused),
		cmocka_unit_test(impossible_paths_are_refused),
		cmocka_unit_test(sizes_are_kept_to),
		cmocka_unit_test(a_full_disk_is_an_error),
		IN_DIRECTORY(damaged_archives_are_survived),
		IN_DIRECTORY(an_entry_cannot_leave_its_root),
		IN_DIRECTORY(devices_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
