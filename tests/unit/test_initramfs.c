// SPDX-License-Identifier: GPL-2.0-only
/* The guest's file system: what it holds, its identity, its cache, the memory it needs. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "elf_maker.h"
#include "guest/parts.h"
#include "vm/initramfs.h"
#include "vm/initramfs_plan.h"

static int setup(void **state)
{
	char *dir = unit_temp_create();
	_free_ char *cache = str_fmt("%s/cache", dir);

	setenv("KTSTR_CACHE_DIR", cache, 1);
	*state = dir;
	return 0;
}

static int teardown(void **state)
{
	unsetenv("KTSTR_CACHE_DIR");
	unsetenv("KTSTR_BUSYBOX_PATH");
	unit_temp_remove(*state);
	return 0;
}

static void need_busybox(void)
{
	_free_ char *path = NULL;

	if (busybox_find(&path) < 0) {
		print_message("skip: %s\n", err_text(-ENOENT));
		skip();
	}
}

/* Unpacks base and suffix below dir/out as the kernel would: one after the other. */
static void unpack(const char *dir, const struct initramfs_base *base, const struct str *suffix)
{
	_free_ char *out = str_fmt("%s/out", dir);
	_str_ struct str bytes = {};

	assert_int_equal(file_make_dirs(out, 0755), 0);
	assert_int_equal(file_read(base->path, &bytes), 0);
	assert_int_equal(bytes.len, base->packed_bytes);
	assert_int_equal(unpack_newc(out, bytes.s, bytes.len), 0);
	assert_int_equal(unpack_newc(out, suffix->s, suffix->len), 0);
}

static void expect_file(const char *dir, const char *name, const char *text)
{
	_free_ char *path = str_fmt("%s/out%s", dir, name);
	_str_ struct str content = {};

	assert_int_equal(file_read(path, &content), 0);
	assert_string_equal(str_get(&content), text);
}

static void the_guest_program_is_inside(void **state)
{
	size_t len;
	const char *bytes = guest_program(&len);

	(void)state;
	assert_true(len > 100000);
	assert_true(len < 1 << 20);
	assert_memory_equal(bytes, "\177ELF", 4);
}

static void base_and_suffix_hold_what_was_asked_for(void **state)
{
	static const char *const args[] = { "/test", "--name", "with blank", NULL };
	static const char *const environment[] = { "A=1", "B=x y", NULL };
	const struct initramfs_file extra = { .path = "/opt/data", .data = "xyz", .len = 3 };
	const char *dir = *state;
	_free_ char *tool = str_fmt("%s/tool", dir), *busybox = str_fmt("%s/out/bin/busybox", dir);
	_cleanup_(include_files_finish) struct include_files includes = {};
	struct initramfs_base base;
	_str_ struct str suffix = {};
	struct stat st;

	need_busybox();
	unit_write(dir, "tool", "the tool");
	assert_int_equal(include_files_resolve(&includes, (const char *const[]){ tool }, 1), 0);
	assert_int_equal(initramfs_base_get(&(struct initramfs_base_spec){ .includes = &includes },
					    &base),
			 0);
	assert_int_equal(
		initramfs_suffix_add(&(struct initramfs_run){ .settings = "KTSTR_MODE=run\n",
							      .exec_command = "true",
							      .args = args,
							      .environ = environment,
							      .files = &extra,
							      .file_count = 1 },
				     &suffix),
		0);
	unpack(dir, &base, &suffix);
	expect_file(dir, "/include-files/tool", "the tool");
	expect_file(dir, "/.ktstr_run", "KTSTR_MODE=run\n");
	expect_file(dir, "/args", "/test\n--name\nwith blank\n");
	expect_file(dir, "/env", "A=1\nB=x y\n");
	expect_file(dir, "/exec_cmd", "true");
	expect_file(dir, "/opt/data", "xyz");
	expect_file(dir, "/.ktstr_init_ok", "");
	assert_int_equal(stat(busybox, &st), 0);
	assert_true(base.unpacked_bytes >= (uint64_t)st.st_size);
	assert_true(base.unpacked_bytes < base.packed_bytes + 64 * 4096);
	initramfs_base_finish(&base);
}

/* Where the base has none of them; and not twice. */
static void files_of_a_run_are_in_its_suffix(void **state)
{
	const char *dir = *state;
	_free_ char *tool = str_fmt("%s/tool", dir), *out = str_fmt("%s/out", dir);
	_cleanup_(include_files_finish) struct include_files includes = {};
	_str_ struct str suffix = {}, without = {};
	struct initramfs_run run = { .includes = &includes };

	unit_write(dir, "tool", "the tool");
	assert_int_equal(include_files_resolve(&includes, (const char *const[]){ tool }, 1), 0);
	assert_int_equal(initramfs_suffix_add(&run, &suffix), 0);
	assert_int_equal(file_make_dirs(out, 0755), 0);
	assert_int_equal(unpack_newc(out, suffix.s, suffix.len), 0);
	expect_file(dir, "/include-files/tool", "the tool");
	run.has_includes = true;
	assert_int_equal(initramfs_suffix_add(&run, &without), 0);
	assert_null(memmem(without.s, without.len, "the tool", 8));
}

static void the_mark_of_completeness_comes_last(void **state)
{
	_str_ struct str suffix = {};
	const char *mark, *other;

	(void)state;
	assert_int_equal(initramfs_suffix_add(&(struct initramfs_run){ .settings = "x=1\n",
								       .exec_command = "true" },
					      &suffix),
			 0);
	mark = memmem(suffix.s, suffix.len, ".ktstr_init_ok", 14);
	other = memmem(suffix.s, suffix.len, "exec_cmd", 8);
	assert_non_null(mark);
	assert_true(mark > other);
	assert_non_null(memmem(mark, (size_t)(suffix.s + suffix.len - mark), "TRAILER!!!", 10));
}

static void equal_inputs_give_equal_archives(void **state)
{
	const struct initramfs_run run = { .settings = "A=1\n", .exec_command = "x" };
	struct initramfs_base first, second;
	_str_ struct str a = {}, b = {};
	struct stat before, after;
	uint64_t bytes;

	(void)state;
	need_busybox();
	assert_int_equal(initramfs_suffix_add(&run, &a), 0);
	assert_int_equal(initramfs_suffix_add(&run, &b), 0);
	assert_int_equal(initramfs_suffix_measure(&run, &bytes), 0);
	assert_int_equal(bytes, a.len);
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.s, b.s, a.len);
	assert_int_equal(initramfs_base_get(&(struct initramfs_base_spec){}, &first), 0);
	assert_int_equal(stat(first.path, &before), 0);
	assert_int_equal(initramfs_base_get(&(struct initramfs_base_spec){}, &second), 0);
	assert_int_equal(stat(second.path, &after), 0);
	assert_string_equal(first.key, second.key);
	assert_int_equal(before.st_ino, after.st_ino); /* it was not built again */
	initramfs_base_finish(&first);
	initramfs_base_finish(&second);
	/* No descriptor is left that somebody could close once more. */
	assert_true(!first.path && !first.key && first.lock_fd == -1);
}

static void key_for(const char *dir, const char *name, const char *content, mode_t mode, char **key)
{
	_free_ char *tool = str_fmt("%s/%s", dir, name);
	_cleanup_(include_files_finish) struct include_files includes = {};
	struct initramfs_base base;

	unit_write(dir, name, content);
	assert_int_equal(chmod(tool, mode), 0);
	assert_int_equal(include_files_resolve(&includes, (const char *const[]){ tool }, 1), 0);
	assert_int_equal(initramfs_base_get(&(struct initramfs_base_spec){ .includes = &includes },
					    &base),
			 0);
	*key = strdup(base.key);
	initramfs_base_finish(&base);
}

static void contents_and_modes_make_the_key_and_times_do_not(void **state)
{
	_free_ char *one = NULL, *other = NULL, *mode = NULL, *again = NULL;

	need_busybox();
	key_for(*state, "tool", "content", 0644, &one);
	key_for(*state, "tool", "contents", 0644, &other);
	key_for(*state, "tool", "content", 0755, &mode);
	key_for(*state, "tool", "content", 0644, &again);
	assert_string_not_equal(one, other);
	assert_string_not_equal(one, mode);
	assert_string_equal(one, again);
	/* The end of a name is not the beginning of its content. */
	free(other);
	key_for(*state, "toolc", "ontent", 0644, &other);
	assert_string_not_equal(one, other);
}

static void a_damaged_base_is_built_again(void **state)
{
	struct initramfs_base base, again;
	uint64_t size;

	(void)state;
	need_busybox();
	assert_int_equal(initramfs_base_get(&(struct initramfs_base_spec){}, &base), 0);
	size = base.packed_bytes;
	assert_int_equal(truncate(base.path, (off_t)size / 2), 0);
	initramfs_base_finish(&base);
	assert_int_equal(initramfs_base_get(&(struct initramfs_base_spec){}, &again), 0);
	assert_int_equal(again.packed_bytes, size);
	initramfs_base_finish(&again);
}

/* Who adds something makes room for it: others go that were not used for longer. */
static void a_new_base_makes_room_for_itself(void **state)
{
	const char *dir = *state;
	_free_ char *old = str_fmt("%s/cache/.initramfs/old.cpio", dir);
	const struct timespec long_ago[] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };
	struct initramfs_base base;
	struct stat st;

	need_busybox();
	setenv("KTSTR_CACHE_LIMIT", "1kib", 1);
	unit_write(dir, "cache/.initramfs/old.cpio", "x");
	assert_int_equal(initramfs_base_get(&(struct initramfs_base_spec){}, &base), 0);
	assert_int_equal(access(old, F_OK), -1);
	/* This one is in use. */
	assert_int_equal(access(base.path, F_OK), 0);
	/* Whoever finds one there adds nothing. */
	unit_write(dir, "cache/.initramfs/old.cpio", "x");
	initramfs_base_finish(&base);
	assert_int_equal(initramfs_base_get(&(struct initramfs_base_spec){}, &base), 0);
	assert_int_equal(access(old, F_OK), 0);
	/* It was used now, and is not the one that goes next. */
	assert_int_equal(utimensat(AT_FDCWD, base.path, long_ago, 0), 0);
	initramfs_base_finish(&base);
	assert_int_equal(initramfs_base_get(&(struct initramfs_base_spec){}, &base), 0);
	assert_int_equal(stat(base.path, &st), 0);
	assert_true(st.st_atim.tv_sec > 1000000000);
	assert_int_equal(st.st_mtim.tv_sec, 1000000000);
	initramfs_base_finish(&base);
	unsetenv("KTSTR_CACHE_LIMIT");
}

/* Eight at once: all get the same archive, and nothing else is left in the cache. */
static void concurrent_runs_share_one_base(void **state)
{
	_free_ char *cache = str_fmt("%s/cache/.initramfs", (char *)*state);
	size_t archives = 0, others = 0;

	need_busybox();
	for (int i = 0; i < 8; i++) {
		if (fork() == 0) {
			struct initramfs_base base;
			int rc = initramfs_base_get(&(struct initramfs_base_spec){}, &base);

			_exit(rc == 0 && base.packed_bytes > 0 ? 0 : 1);
		}
	}
	for (int status; wait(&status) > 0;)
		assert_int_equal(status, 0);
	{
		_closedir_ DIR *dir = opendir(cache);

		for (struct dirent *e; (e = readdir(dir));) {
			if (strstr(e->d_name, ".cpio") && !strstr(e->d_name, ".lock"))
				archives++;
			else if (e->d_name[0] != '.' && !strstr(e->d_name, ".lock"))
				others++;
		}
	}
	assert_int_equal(archives, 1);
	assert_int_equal(others, 0);
}

static void both_archives_become_one_file(void **state)
{
	struct initramfs_base base;
	_str_ struct str suffix = {};
	struct stat st;
	char tail[10];
	int fd;

	(void)state;
	need_busybox();
	assert_int_equal(initramfs_base_get(&(struct initramfs_base_spec){}, &base), 0);
	assert_int_equal(
		initramfs_suffix_add(&(struct initramfs_run){ .settings = "A=1\n" }, &suffix), 0);
	fd = initramfs_open(&base, &suffix);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, base.packed_bytes + suffix.len);
	assert_int_equal(pread(fd, tail, 6, (off_t)base.packed_bytes), 6);
	assert_memory_equal(tail, "070701", 6);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
	initramfs_base_finish(&base);
}

static void libraries_in_unusual_places_are_announced(void **state)
{
	const char *dir = *state;
	_free_ char *prog = str_fmt("%s/prog", dir);
	_free_ char *expected = str_fmt("KTSTR_LIBRARY_PATH=%s/lib\n", dir);
	_cleanup_(include_files_finish) struct include_files includes = {};
	_str_ struct str suffix = {};
	struct initramfs_base base;

	need_busybox();
	elf_make_file(dir, "prog",
		      &(struct elf_made){ .runpath = "$ORIGIN/lib", .needed = { "libk1.so" } });
	elf_make_file(dir, "lib/libk1.so", &(struct elf_made){});
	assert_int_equal(include_files_resolve(&includes, (const char *const[]){ prog }, 1), 0);
	assert_int_equal(initramfs_base_get(&(struct initramfs_base_spec){ .includes = &includes },
					    &base),
			 0);
	assert_int_equal(
		initramfs_suffix_add(&(struct initramfs_run){ .includes = &includes }, &suffix), 0);
	unpack(dir, &base, &suffix);
	expect_file(dir, "/.ktstr_base", expected);
	expect_file(dir, "/.ktstr_run", expected);
	initramfs_base_finish(&base);
}

static void a_scheduler_must_have_its_libraries(void **state)
{
	const char *dir = *state;
	_free_ char *path = str_fmt("%s/sched", dir), *none = str_fmt("%s/none", dir);
	struct initramfs_base base;

	need_busybox();
	elf_make_file(dir, "sched", &(struct elf_made){ .needed = { "libno-such.so" } });
	assert_int_equal(initramfs_base_get(&(struct initramfs_base_spec){ .scheduler = path },
					    &base),
			 -ENOENT);
	assert_non_null(strstr(err_text(-ENOENT), "shared library not found: libno-such.so"));
	assert_int_equal(initramfs_base_get(&(struct initramfs_base_spec){ .scheduler = none },
					    &base),
			 -ENOENT);
	assert_non_null(strstr(err_text(-ENOENT), "scheduler: read "));
}

static void a_line_break_in_an_argument_is_refused(void **state)
{
	static const char *const args[] = { "/test", "two\nlines", NULL };
	_str_ struct str suffix = {};

	(void)state;
	assert_int_equal(initramfs_suffix_add(&(struct initramfs_run){ .args = args }, &suffix),
			 -EINVAL);
	assert_string_equal(err_text(-EINVAL),
			    "argument 2 of the guest program has a line break in it");
}

static void two_files_in_one_place_are_refused(void **state)
{
	const struct initramfs_file files[] = { { .path = "/x", .data = "1", .len = 1 },
						{ .path = "/x", .data = "2", .len = 1 } };
	_str_ struct str suffix = {};

	(void)state;
	assert_int_equal(
		initramfs_suffix_add(&(struct initramfs_run){ .files = files, .file_count = 2 },
				     &suffix),
		-EEXIST);
	assert_string_equal(err_text(-EEXIST), "two files want to be /x in the guest");
}

static void a_file_that_comes_twice_is_there_once(void **state)
{
	_free_ char *path = str_fmt("%s/text", (char *)*state);
	const struct initramfs_file x = { .path = "/x", .source = path };
	const struct initramfs_file y = { .path = "/y", .source = path };
	const struct initramfs_file files[] = { x, y }, again[] = { x, y, x, y, x };
	_str_ struct str once = {}, often = {};

	unit_write(*state, "text", "words");
	assert_int_equal(initramfs_suffix_add(
				 &(struct initramfs_run){ .files = files, .file_count = 2 }, &once),
			 0);
	assert_int_equal(
		initramfs_suffix_add(&(struct initramfs_run){ .files = again, .file_count = 5 },
				     &often),
		0);
	assert_int_equal(once.len, often.len);
	assert_memory_equal(once.s, often.s, once.len);
}

static void busybox_must_be_there_and_static(void **state)
{
	const char *dir = *state;
	_free_ char *dynamic = str_fmt("%s/busybox", dir), *none = str_fmt("%s/none", dir);
	_free_ char *path = NULL;

	elf_make_file(dir, "busybox", &(struct elf_made){ .needed = { "libc.so.6" } });
	setenv("KTSTR_BUSYBOX_PATH", dynamic, 1);
	assert_int_equal(busybox_find(&path), -ENOEXEC);
	assert_non_null(strstr(err_text(-ENOEXEC),
			       "is linked dynamically, the guest needs a static "
			       "one: install busybox-static"));
	setenv("KTSTR_BUSYBOX_PATH", none, 1);
	assert_int_equal(busybox_find(&path), -ENOENT);
	assert_non_null(strstr(err_text(-ENOENT), "KTSTR_BUSYBOX_PATH: read busybox "));
}

/* Worked by hand: ceil((ceil(10*90/9) + 60 + 30) * 64/63) + 256 + 16 = 194 + 272. */
static void the_memory_floor_follows_its_formula(void **state)
{
	const uint64_t mib = 1 << 20;

	(void)state;
	assert_int_equal(
		initramfs_memory_floor_mib(&(struct initramfs_memory){ .unpacked_bytes = 90 * mib,
								       .kernel_bytes = 60 * mib,
								       .packed_bytes = 30 * mib,
								       .channel_bytes = 16 * mib }),
		466);
	/* Every term is rounded up: a byte is a MiB, and 10/9 of one are two. */
	assert_int_equal(initramfs_memory_floor_mib(&(struct initramfs_memory){
				 .unpacked_bytes = 1, .kernel_bytes = 1, .packed_bytes = 1 }),
			 5 + 256);
	assert_int_equal(initramfs_memory_floor_mib(&(struct initramfs_memory){}), 256);
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_guest_program_is_inside),
		IN_PLACE(base_and_suffix_hold_what_was_asked_for),
		IN_PLACE(files_of_a_run_are_in_its_suffix),
		cmocka_unit_test(the_mark_of_completeness_comes_last),
		IN_PLACE(equal_inputs_give_equal_archives),
		IN_PLACE(contents_and_modes_make_the_key_and_times_do_not),
		IN_PLACE(a_damaged_base_is_built_again),
		IN_PLACE(a_new_base_makes_room_for_itself),
		IN_PLACE(concurrent_runs_share_one_base),
		IN_PLACE(both_archives_become_one_file),
		IN_PLACE(libraries_in_unusual_places_are_announced),
		IN_PLACE(a_scheduler_must_have_its_libraries),
		cmocka_unit_test(a_line_break_in_an_argument_is_refused),
		cmocka_unit_test(two_files_in_one_place_are_refused),
		IN_PLACE(a_file_that_comes_twice_is_there_once),
		IN_PLACE(busybox_must_be_there_and_static),
		cmocka_unit_test(the_memory_floor_follows_its_formula),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
