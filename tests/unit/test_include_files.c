// SPDX-License-Identifier: GPL-2.0-only
/* Arguments of -i: what they bring, and the sentence for each mistake. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "elf_maker.h"
#include "vm/initramfs.h"

struct place {
	char *dir;
	char *back; /* where the test was started */
	struct include_files files;
};

static int setup(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	p->dir = unit_temp_create();
	p->back = getcwd(NULL, 0);
	assert_int_equal(chdir(p->dir), 0);
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	struct place *p = *state;

	assert_int_equal(chdir(p->back), 0);
	include_files_finish(&p->files);
	unit_temp_remove(p->dir);
	free(p->back);
	free(p);
	return 0;
}

#define resolve(p, ...)                                                          \
	include_files_resolve(&(p)->files, (const char *const[]){ __VA_ARGS__ }, \
			      ARRAY_SIZE(((const char *const[]){ __VA_ARGS__ })))

static void expect_guest_paths(const struct place *p, const char *expected)
{
	_str_ struct str got = {};

	for (size_t i = 0; i < p->files.count; i++)
		str_addf(&got, "%s%s", i ? " " : "", p->files.files[i].guest_path);
	assert_string_equal(str_get(&got), expected);
}

static void expect_warning(const struct place *p, const char *text)
{
	if (!strstr(str_get(&p->files.warnings), text))
		fail_msg("expected '%s' in '%s'", text, str_get(&p->files.warnings));
}

static void a_file_keeps_its_name_and_mode(void **state)
{
	struct place *p = *state;

	unit_write(".", "sub/tool", "text");
	assert_int_equal(chmod("sub/tool", 0751), 0);
	assert_int_equal(resolve(p, "sub/tool"), 0);
	expect_guest_paths(p, "/include-files/tool");
	assert_int_equal(p->files.files[0].mode, 0751);
	assert_string_equal(p->files.files[0].host_path, "sub/tool");
	assert_false(p->files.files[0].is_elf);
	assert_string_equal(str_get(&p->files.warnings), "");
}

static void modules_are_known_by_their_names(void **state)
{
	static const struct {
		const char *name;
		bool is_module;
	} cases[] = { { "a.ko", true },	   { "b.ko.xz", true },	  { "c.ko.zst", true },
		      { "d.ko.gz", true }, { "e.ko.txt", false }, { "ko", false },
		      { ".ko", true },	   { "f.so", false } };
	struct place *p = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_free_ char *path = str_fmt("./%s", cases[i].name);

		unit_write(".", cases[i].name, "");
		assert_int_equal(resolve(p, path), 0);
		assert_int_equal(include_files_have_modules(&p->files), cases[i].is_module);
		include_files_finish(&p->files);
	}
}

static void a_directory_is_walked(void **state)
{
	struct place *p = *state;

	unit_write(".", "dir/b", "");
	unit_write(".", "dir/deep/er/c", "");
	unit_write(".", "dir/a", "");
	unit_write(".", "elsewhere/linked", "");
	assert_int_equal(symlink("../elsewhere", "dir/link"), 0);
	assert_int_equal(mkfifo("dir/fifo", 0600), 0);
	assert_int_equal(resolve(p, "./dir/"), 0);
	expect_guest_paths(p, "/include-files/dir/a /include-files/dir/b "
			      "/include-files/dir/deep/er/c /include-files/dir/link/linked");
}

static void the_current_directory_has_a_name(void **state)
{
	struct place *p = *state;
	_free_ char *expected = str_fmt("/include-files/%s/sub/f", strrchr(p->dir, '/') + 1);

	unit_write(".", "sub/f", "");
	assert_int_equal(resolve(p, "."), 0);
	expect_guest_paths(p, expected);
	include_files_finish(&p->files);
	assert_int_equal(chdir("sub"), 0);
	assert_int_equal(resolve(p, ".."), 0);
	expect_guest_paths(p, expected);
}

static void an_empty_directory_is_warned_about(void **state)
{
	struct place *p = *state;

	assert_int_equal(mkdir("none", 0755), 0);
	assert_int_equal(resolve(p, "./none"), 0);
	assert_string_equal(str_get(&p->files.warnings),
			    "-i ./none: directory contains no regular files\n");
}

static void a_bare_name_is_looked_up_in_path_only(void **state)
{
	struct place *p = *state;
	_free_ char *path = str_fmt("%s/first:%s/second", p->dir, p->dir);
	_free_ char *expected = str_fmt("%s/second/tool", p->dir);
	_free_ char *old = strdup(getenv("PATH"));

	unit_write(".", "tool", "here");
	unit_write(".", "first/tool", "not executable");
	unit_write(".", "second/tool", "executable");
	assert_int_equal(chmod("second/tool", 0755), 0);
	setenv("PATH", path, 1);
	assert_int_equal(resolve(p, "tool"), 0);
	assert_string_equal(p->files.files[0].host_path, expected);
	include_files_finish(&p->files);
	assert_int_equal(unlink("second/tool"), 0);
	assert_int_equal(resolve(p, "tool"), -ENOENT);
	assert_string_equal(err_text(-ENOENT),
			    "-i tool: not found in filesystem or PATH; for the one in this "
			    "directory write ./tool");
	assert_int_equal(resolve(p, "no-such-tool"), -ENOENT);
	assert_string_equal(err_text(-ENOENT), "-i no-such-tool: not found in filesystem or PATH");
	setenv("PATH", old, 1);
}

/* They are sorted, and some characters come before the dot of the directory itself. */
static void names_of_any_characters_come_along(void **state)
{
	struct place *p = *state;

	unit_write(".", "d/#first", "x");
	unit_write(".", "d/+second", "x");
	unit_write(".", "d/...", "x");
	unit_write(".", "d/.hidden", "x");
	assert_int_equal(resolve(p, "./d"), 0);
	expect_guest_paths(p, "/include-files/d/#first /include-files/d/+second "
			      "/include-files/d/... /include-files/d/.hidden");
}

static void a_path_must_exist(void **state)
{
	struct place *p = *state;

	assert_int_equal(resolve(p, "./none"), -ENOENT);
	assert_string_equal(err_text(-ENOENT), "--include-files path not found: ./none");
	assert_int_equal(resolve(p, "a/b"), -ENOENT);
	assert_string_equal(err_text(-ENOENT), "--include-files path not found: a/b");
	assert_int_equal(resolve(p, ""), -EINVAL);
	assert_int_equal(resolve(p, "/"), -EINVAL);
	assert_string_equal(err_text(-EINVAL), "-i /: the whole file system cannot be included");
}

static void one_target_twice_is_refused(void **state)
{
	struct place *p = *state;

	unit_write(".", "a/x", "1");
	unit_write(".", "b/x", "2");
	assert_int_equal(resolve(p, "b/x", "a/x"), -EEXIST);
	assert_string_equal(err_text(-EEXIST),
			    "duplicate include path /include-files/x: a/x and b/x");
	assert_int_equal(p->files.count, 0);
}

static void a_cycle_of_links_ends(void **state)
{
	struct place *p = *state;

	unit_write(".", "dir/sub/f", "");
	assert_int_equal(symlink("..", "dir/sub/up"), 0);
	assert_int_equal(symlink("self", "dir/self"), 0);
	assert_int_equal(symlink("nowhere", "dir/dangling"), 0);
	assert_int_equal(resolve(p, "./dir"), 0);
	expect_guest_paths(p, "/include-files/dir/sub/f");
	expect_warning(p, "./dir/sub/up leads back to a directory above it, left out\n");
	expect_warning(p, "./dir/self leads nowhere, left out\n");
	expect_warning(p, "./dir/dangling leads nowhere, left out\n");
	include_files_finish(&p->files);
	assert_int_equal(resolve(p, "dir/self"), -ELOOP);
	assert_non_null(strstr(err_text(-ELOOP), "-i dir/self: "));
}

static void special_files_are_refused(void **state)
{
	struct place *p = *state;

	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(resolve(p, "./fifo"), -EINVAL);
	assert_string_equal(err_text(-EINVAL), "-i ./fifo: neither a regular file nor a directory");
}

static void an_unreadable_file_is_named(void **state)
{
	struct place *p = *state;
	bool is_root = getuid() == 0;

	unit_write(".", "dir/secret", "");
	assert_int_equal(chmod("dir/secret", 0), 0);
	assert_int_equal(chmod(".", 0755), 0);
	if (is_root) /* who may read everything; so be somebody else for a moment */
		assert_int_equal(setresuid(65534, 65534, 0), 0);
	assert_int_equal(resolve(p, "./dir"), -EACCES);
	if (is_root)
		assert_int_equal(setresuid(0, 0, 0), 0);
	assert_string_equal(err_text(-EACCES), "-i ./dir: read ./dir/secret: Permission denied");
}

static void a_file_of_2_gib_is_refused(void **state)
{
	struct place *p = *state;
	_close_ int fd = open("big", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	assert_int_equal(ftruncate(fd, 1LL << 31), 0);
	assert_int_equal(resolve(p, "./big"), -EFBIG);
	assert_string_equal(err_text(-EFBIG), "-i ./big: ./big has 2048 MiB; files for the guest "
					      "must be smaller than 2048 MiB");
}

static void programs_for_others_are_copied_with_a_warning(void **state)
{
	struct place *p = *state;
	_str_ struct str image = {};

	unit_write(".", "narrow", "\177ELF\1\1\1 a 32-bit program");
	elf_make(&(struct elf_made){ .needed = { "libx.so" } }, &image);
	assert_int_equal(file_replace("cut", image.s, image.len - 60, 0755), 0);
	assert_int_equal(resolve(p, "./narrow", "./cut"), 0);
	assert_int_equal(p->files.count, 2);
	expect_warning(p, "-i ./narrow: ./narrow: 32-bit ELF file, the guest is 64-bit; copied "
			  "without libraries\n");
	expect_warning(p, "-i ./cut: ./cut: damaged ELF file: ");
}

static void libraries_come_along_and_missing_ones_are_told(void **state)
{
	struct place *p = *state;
	_free_ char *missing =
		str_fmt("shared library not found: libno-such.so (needed by %s/prog)\n", p->dir);
	_str_ struct str why = {};

	elf_make_file(".", "prog",
		      &(struct elf_made){ .runpath = "$ORIGIN/lib",
					  .needed = { "libk1.so", "libno-such.so" } });
	elf_make_file(".", "lib/libk1.so", &(struct elf_made){});
	assert_int_equal(resolve(p, "./prog"), 0);
	assert_int_equal(p->files.libraries.count, 1);
	assert_string_equal(str_get(&p->files.warnings), missing);
	include_files_explain(&p->files, &why);
	assert_non_null(strstr(str_get(&why), "/include-files/prog\n  is:        ./prog\n"
					      "  asked for: -i ./prog\n"));
	assert_non_null(strstr(str_get(&why), "found by:  RUNPATH ($ORIGIN/lib)\n"));
	assert_non_null(strstr(str_get(&why), "libno-such.so\n  needed by: "));
}

static void scripts_without_interpreter_are_warned_about(void **state)
{
	struct place *p = *state;

	if (access("/bin/busybox", X_OK) < 0) {
		print_message("skip: no busybox here\n");
		skip();
	}
	unit_write(".", "good", "#!/bin/sh\n");
	unit_write(".", "also-good", "#! /usr/bin/env awk -f\n");
	unit_write(".", "perl", "#!/usr/bin/perl -w\n");
	unit_write(".", "env", "#!/usr/bin/env -S python3 -u\n");
	unit_write(".", "odd", "#!");
	assert_int_equal(resolve(p, "./good", "./also-good", "./perl", "./env", "./odd"), 0);
	assert_string_equal(
		str_get(&p->files.warnings),
		"-i ./env: ./env is a script for python3, which the guest does not have\n"
		"-i ./perl: ./perl is a script for /usr/bin/perl, which the guest does "
		"not have\n");
	/* Another file that is included is one, if it can be run. */
	include_files_finish(&p->files);
	unit_write(".", "python3", "");
	unit_write(".", "other", "");
	assert_int_equal(chmod("other", 0755), 0);
	assert_int_equal(resolve(p, "./env", "./python3", "./other"), 0);
	expect_warning(p, "./env is a script for python3");
	include_files_finish(&p->files);
	assert_int_equal(chmod("python3", 0755), 0);
	assert_int_equal(resolve(p, "./env", "./python3", "./other"), 0);
	assert_string_equal(str_get(&p->files.warnings), "");
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_PLACE(a_file_keeps_its_name_and_mode),
		IN_PLACE(modules_are_known_by_their_names),
		IN_PLACE(a_directory_is_walked),
		IN_PLACE(the_current_directory_has_a_name),
		IN_PLACE(an_empty_directory_is_warned_about),
		IN_PLACE(a_bare_name_is_looked_up_in_path_only),
		IN_PLACE(a_path_must_exist),
		IN_PLACE(names_of_any_characters_come_along),
		IN_PLACE(one_target_twice_is_refused),
		IN_PLACE(a_cycle_of_links_ends),
		IN_PLACE(special_files_are_refused),
		IN_PLACE(an_unreadable_file_is_named),
		IN_PLACE(a_file_of_2_gib_is_refused),
		IN_PLACE(programs_for_others_are_copied_with_a_warning),
		IN_PLACE(libraries_come_along_and_missing_ones_are_told),
		IN_PLACE(scripts_without_interpreter_are_warned_about),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
