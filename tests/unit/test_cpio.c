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

/* A file of that many bytes, of which there are others; the header in digits of either case. */
static void add_entry(struct str *out, const char *digits, const char *name, unsigned int name_size,
		      const char *data, unsigned int size)
{
	_str_ struct str header = {};

	str_addf(&header, "070701%08x%s", 1, digits);
	str_addf(&header, "%08x%08x%08x%08x%08X", 0, 0, 1, 0, size);
	str_addf(&header, "%08x%08x%08x%08x%08X%08x", 0, 0, 0, 0, name_size, 0);
	assert_int_equal(header.len, 110);
	str_addn(out, header.s, header.len);
	str_addn(out, name, strlen(name) + 1);
	str_repeat(out, '\0', (4 - out->len % 4) % 4);
	str_addn(out, data, strlen(data));
	str_repeat(out, '\0', (4 - out->len % 4) % 4);
}

#define FILE_755 "000081ed"

static void expect_damage(const char *dir, const struct str *a, size_t len, const char *what)
{
	_free_ char *exact = malloc(len + 1), *text = str_fmt("damaged archive: %s", what);

	memcpy(exact, a->s, len);
	assert_int_equal(unpack_newc(dir, exact, len), -EINVAL);
	assert_string_equal(err_text(-EINVAL), text);
}

static void each_damage_is_told(void **state)
{
	_str_ struct str a = {}, unnamed = {}, endless = {}, odd = {};
	char kept;

	add_entry(&a, FILE_755, "abcde", 6, "12345", 5);
	expect_damage(*state, &a, 0, "it ends inside a header");
	expect_damage(*state, &a, 109, "it ends inside a header");
	expect_damage(*state, &a, 110, "it ends inside a name");
	expect_damage(*state, &a, 115, "it ends inside a name");
	expect_damage(*state, &a, 116, "it ends inside a file");
	expect_damage(*state, &a, 120, "it ends inside a file");
	/* The last byte of a file is all that there has to be of it. */
	expect_damage(*state, &a, 121, "it ends inside a header");
	check_file(*state, "abcde", 0755, "12345");
	expect_damage(*state, &a, a.len, "it ends inside a header");
	kept = a.s[5];
	a.s[5] = '2';
	expect_damage(*state, &a, a.len, "an entry does not begin where it should");
	a.s[5] = kept;
	for (int i = 0; i < 8; i++) {
		a.s[14 + i] = i % 2 ? 'g' : '\0';
		expect_damage(*state, &a, a.len, "a number is not one");
		a.s[14 + i] = FILE_755[i];
	}
	a.s[54] = ' ';
	expect_damage(*state, &a, a.len, "a number is not one");
	add_entry(&unnamed, FILE_755, "abcd", 0, "", 0);
	expect_damage(*state, &unnamed, unnamed.len, "it ends inside a name");
	add_entry(&endless, FILE_755, "abcd", 4, "", 0);
	expect_damage(*state, &endless, endless.len, "it ends inside a name");
	add_entry(&odd, FILE_755, "", 1, "", 0);
	expect_damage(*state, &odd, odd.len, "an entry leads out of it");
}

/* Digits of either case, all bits of a mode, and names that only look as if they led away. */
static void entries_are_unpacked_as_they_are(void **state)
{
	static const char *const names[] = { "..x", "x..", "...", "y.", "a..b" };
	_free_ char *behind = str_fmt("%s/behind", (char *)*state);
	_str_ struct str a = {};
	struct stat st;

	add_entry(&a, "00008DED", "ten", 4, "0123456789", 10);
	add_entry(&a, "000081b6", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 31, "", 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		add_entry(&a, "00008180", names[i], (unsigned int)strlen(names[i]) + 1, "abc", 3);
	add_entry(&a, "00008180", "TRAILER!!!", 11, "", 0);
	add_entry(&a, "00008180", "behind", 7, "", 0);
	assert_int_equal(unpack_newc(*state, a.s, a.len), 0);
	check_file(*state, "ten", 06755, "0123456789");
	check_file(*state, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 0666, "");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		check_file(*state, names[i], 0600, "abc");
	assert_int_equal(stat(behind, &st), -1);
}

/* What is in the way of a file stays there, and so does a directory that is there already. */
static void what_cannot_be_unpacked_is_told(void **state)
{
	_str_ struct str over = {}, below = {}, again = {}, link = {};
	_free_ char *inside = str_fmt("%s/dir/inside", (char *)*state);
	_free_ char *replace = str_fmt("replace %s/dir: Is a directory", (char *)*state);
	_free_ char *unpack =
		str_fmt("unpack %s/no/file: No such file or directory", (char *)*state);
	_free_ char *links =
		str_fmt("unpack %s/no/link: No such file or directory", (char *)*state);

	unit_write(*state, "dir/inside", "text");
	assert_int_equal(chmod(inside, 0640), 0);
	add_entry(&over, FILE_755, "dir", 4, "", 0);
	assert_int_equal(unpack_newc(*state, over.s, over.len), -EISDIR);
	assert_string_equal(err_text(-EISDIR), replace);
	add_entry(&below, FILE_755, "no/file", 8, "", 0);
	assert_int_equal(unpack_newc(*state, below.s, below.len), -ENOENT);
	assert_string_equal(err_text(-ENOENT), unpack);
	add_entry(&link, "0000a1ff", "no/link", 8, "x", 1);
	assert_int_equal(unpack_newc(*state, link.s, link.len), -ENOENT);
	assert_string_equal(err_text(-ENOENT), links);
	add_entry(&again, "000041ed", "dir", 4, "", 0);
	add_entry(&again, "00008180", "TRAILER!!!", 11, "", 0);
	assert_int_equal(unpack_newc(*state, again.s, again.len), 0);
	check_file(*state, "dir/inside", 0640, "text");
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
		IN_DIRECTORY(each_damage_is_told),
		IN_DIRECTORY(entries_are_unpacked_as_they_are),
		IN_DIRECTORY(what_cannot_be_unpacked_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
