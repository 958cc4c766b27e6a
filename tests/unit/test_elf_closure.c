// SPDX-License-Identifier: GPL-2.0-only
/* Which libraries a program gets, and what becomes of files that are no programs. */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/err.h"
#include "base/file.h"
#include "base/map_file.h"
#include "elf_maker.h"
#include "vm/elf_closure.h"

struct place {
	char *dir;
	struct elf_closure closure;
	struct elf_search search; /* nothing of this machine */
};

static int setup(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	p->dir = unit_temp_create();
	p->search = (struct elf_search){ .library_path = "", .cache_path = "/nonexistent" };
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	struct place *p = *state;

	elf_closure_finish(&p->closure);
	unit_temp_remove(p->dir);
	free(p);
	return 0;
}

static int add(struct place *p, const char *name)
{
	_free_ char *path = str_fmt("%s/%s", p->dir, name);

	return elf_closure_add(&p->closure, &p->search, path);
}

/* "name=path how; ..." with the directory left out. */
static void expect_libraries(struct place *p, const char *expected)
{
	_str_ struct str got = {};

	for (size_t i = 0; i < p->closure.count; i++) {
		const struct elf_library *l = &p->closure.libraries[i];
		const char *path = l->path;

		if (str_starts(path, p->dir))
			path += strlen(p->dir) + 1;
		str_addf(&got, "%s%s (%s)", i ? "; " : "", path, elf_found_by_text(l->how));
	}
	assert_string_equal(str_get(&got), expected);
}

static void needed_libraries_are_followed(void **state)
{
	struct place *p = *state;
	_free_ char *libs = str_fmt("%s/lib", p->dir);

	elf_make_file(p->dir, "prog",
		      &(struct elf_made){ .runpath = "$ORIGIN/lib", .needed = { "liba.so" } });
	elf_make_file(p->dir, "lib/liba.so",
		      &(struct elf_made){ .runpath = libs, .needed = { "libb.so", "libc1.so" } });
	elf_make_file(p->dir, "lib/libb.so", &(struct elf_made){ .needed = { "liba.so" } });
	elf_make_file(p->dir, "lib/libc1.so", &(struct elf_made){});
	assert_int_equal(add(p, "prog"), 0);
	expect_libraries(p, "lib/liba.so (RUNPATH); lib/libb.so (RUNPATH); lib/libc1.so (RUNPATH)");
	assert_int_equal(p->closure.missing.count, 0);
	/* $ORIGIN of the program leads elsewhere in the guest, so the linker must be told. */
	assert_int_equal(p->closure.search_dirs.count, 1);
	assert_string_equal(p->closure.search_dirs.items[0], libs);
	assert_string_equal(p->closure.libraries[0].directory, "$ORIGIN/lib");
}

static void a_runpath_is_for_its_own_object_only(void **state)
{
	struct place *p = *state;

	elf_make_file(p->dir, "prog",
		      &(struct elf_made){ .runpath = "${ORIGIN}/lib", .needed = { "libk1.so" } });
	elf_make_file(p->dir, "lib/libk1.so", &(struct elf_made){ .needed = { "libk2.so" } });
	elf_make_file(p->dir, "lib/libk2.so", &(struct elf_made){});
	assert_int_equal(add(p, "prog"), 0);
	expect_libraries(p, "lib/libk1.so (RUNPATH)");
	assert_int_equal(p->closure.missing.count, 1);
	assert_string_equal(p->closure.missing.items[0].name, "libk2.so");
	assert_non_null(strstr(p->closure.missing.items[0].needed_by, "lib/libk1.so"));
}

static void an_rpath_is_for_all_that_come_after(void **state)
{
	struct place *p = *state;

	elf_make_file(p->dir, "prog",
		      &(struct elf_made){ .rpath = "$ORIGIN/lib", .needed = { "libk1.so" } });
	elf_make_file(p->dir, "lib/libk1.so", &(struct elf_made){ .needed = { "libk2.so" } });
	elf_make_file(p->dir, "lib/libk2.so", &(struct elf_made){});
	assert_int_equal(add(p, "prog"), 0);
	expect_libraries(p, "lib/libk1.so (RPATH); lib/libk2.so (RPATH)");
}

static void a_runpath_switches_the_rpath_off(void **state)
{
	struct place *p = *state;

	elf_make_file(p->dir, "prog",
		      &(struct elf_made){ .rpath = "$ORIGIN/lib",
					  .runpath = "$ORIGIN/other",
					  .needed = { "libk1.so" } });
	elf_make_file(p->dir, "lib/libk1.so", &(struct elf_made){});
	assert_int_equal(add(p, "prog"), 0);
	assert_int_equal(p->closure.missing.count, 1);
}

/* Also that of those who asked for it: the linker then looks at no RPATH at all. */
static void a_runpath_switches_inherited_rpaths_off(void **state)
{
	struct place *p = *state;

	elf_make_file(p->dir, "prog",
		      &(struct elf_made){ .rpath = "$ORIGIN/lib", .needed = { "libk1.so" } });
	elf_make_file(p->dir, "lib/libk1.so",
		      &(struct elf_made){ .runpath = "$ORIGIN/other", .needed = { "libk2.so" } });
	elf_make_file(p->dir, "lib/libk2.so", &(struct elf_made){});
	assert_int_equal(add(p, "prog"), 0);
	expect_libraries(p, "lib/libk1.so (RPATH)");
	assert_int_equal(p->closure.missing.count, 1);
	assert_string_equal(p->closure.missing.items[0].name, "libk2.so");
}

static void the_environment_comes_before_the_runpath(void **state)
{
	struct place *p = *state;
	_free_ char *path = str_fmt("/nonexistent:%s/env", p->dir);

	elf_make_file(p->dir, "prog",
		      &(struct elf_made){ .runpath = "$ORIGIN/lib",
					  .needed = { "libk1.so", "libk2.so" } });
	elf_make_file(p->dir, "lib/libk1.so", &(struct elf_made){});
	elf_make_file(p->dir, "lib/libk2.so", &(struct elf_made){});
	elf_make_file(p->dir, "env/libk1.so", &(struct elf_made){});
	p->search.library_path = path;
	assert_int_equal(add(p, "prog"), 0);
	expect_libraries(p, "env/libk1.so (LD_LIBRARY_PATH); lib/libk2.so (RUNPATH)");
}

static void lib_and_platform_are_expanded(void **state)
{
	struct place *p = *state;

	elf_make_file(p->dir, "prog",
		      &(struct elf_made){ .runpath = "$ORIGIN/$LIB:$ORIGIN/${PLATFORM}/x",
					  .needed = { "libk1.so", "libk2.so" } });
	elf_make_file(p->dir, "lib64/libk1.so", &(struct elf_made){});
#if defined(__x86_64__)
	elf_make_file(p->dir, "x86_64/x/libk2.so", &(struct elf_made){});
#else
	elf_make_file(p->dir, "aarch64/x/libk2.so", &(struct elf_made){});
#endif
	assert_int_equal(add(p, "prog"), 0);
	assert_int_equal(p->closure.count, 2);
	assert_int_equal(p->closure.missing.count, 0);
}

static void links_are_packed_under_both_names(void **state)
{
	struct place *p = *state;
	_free_ char *link = str_fmt("%s/lib/libk.so.1", p->dir);

	elf_make_file(p->dir, "prog",
		      &(struct elf_made){ .runpath = "$ORIGIN/bin/../lib",
					  .needed = { "libk.so.1" } });
	elf_make_file(p->dir, "lib/libk.so.1.2.3", &(struct elf_made){ .soname = "libk.so.1" });
	unit_write(p->dir, "bin/x", "");
	assert_int_equal(symlink("libk.so.1.2.3", link), 0);
	assert_int_equal(add(p, "prog"), 0);
	assert_int_equal(p->closure.count, 1);
	assert_string_equal(p->closure.libraries[0].path, link);
	assert_string_equal(strrchr(p->closure.libraries[0].canonical, '/'), "/libk.so.1.2.3");
}

/* A library that is found and does not fit is passed over, as the linker does. */
static void foreign_libraries_are_passed_over(void **state)
{
	struct place *p = *state;

	elf_make_file(p->dir, "prog",
		      &(struct elf_made){ .runpath = "$ORIGIN/bad:$ORIGIN/good",
					  .needed = { "libk1.so" } });
	unit_write(p->dir, "bad/libk1.so", "\177ELF\1 and so on, 32-bit");
	elf_make_file(p->dir, "good/libk1.so", &(struct elf_made){});
	assert_int_equal(add(p, "prog"), 0);
	expect_libraries(p, "good/libk1.so (RUNPATH)");
}

static void the_interpreter_and_its_neighbours_are_used(void **state)
{
	struct place *p = *state;
	_free_ char *interpreter = str_fmt("%s/own/bin/ld.so", p->dir);

	elf_make_file(p->dir, "own/bin/ld.so", &(struct elf_made){ .soname = "ld.so" });
	elf_make_file(p->dir, "own/lib/libk1.so", &(struct elf_made){ .needed = { "ld.so" } });
	elf_make_file(p->dir, "prog",
		      &(struct elf_made){ .interpreter = interpreter, .needed = { "libk1.so" } });
	assert_int_equal(add(p, "prog"), 0);
	expect_libraries(p,
			 "own/bin/ld.so (interpreter); own/lib/libk1.so (beside the interpreter)");
	assert_int_equal(p->closure.missing.count, 0);
}

static void what_is_missing_is_told_in_one_line(void **state)
{
	struct place *p = *state;
	_str_ struct str text = {};
	_free_ char *expected =
		str_fmt("shared libraries not found: libno1.so (needed by %s/prog), "
			"libno2.so (needed by %s/prog)",
			p->dir, p->dir);

	elf_make_file(p->dir, "prog", &(struct elf_made){ .needed = { "libno1.so", "libno2.so" } });
	assert_int_equal(add(p, "prog"), 0);
	elf_closure_describe_missing(&p->closure, &text);
	assert_string_equal(str_get(&text), expected);
}

static void two_programs_share_libraries(void **state)
{
	struct place *p = *state;

	elf_make_file(p->dir, "one",
		      &(struct elf_made){ .runpath = "$ORIGIN", .needed = { "libk1.so" } });
	elf_make_file(p->dir, "two",
		      &(struct elf_made){ .runpath = "$ORIGIN", .needed = { "libk1.so" } });
	elf_make_file(p->dir, "libk1.so", &(struct elf_made){});
	assert_int_equal(add(p, "one"), 0);
	assert_int_equal(add(p, "two"), 0);
	assert_int_equal(p->closure.count, 1);
}

static void files_that_are_no_programs_are_told_apart(void **state)
{
	struct place *p = *state;
	_str_ struct str cut = {};
	_free_ char *path = str_fmt("%s/cut", p->dir);

	unit_write(p->dir, "text", "just text");
	unit_write(p->dir, "empty", "");
	unit_write(p->dir, "narrow", "\177ELF\1\1\1 32-bit, as if");
	elf_make(&(struct elf_made){ .needed = { "libk1.so" } }, &cut);
	assert_int_equal(file_replace(path, cut.s, cut.len - 100, 0755), 0);
	assert_int_equal(add(p, "text"), -ENOEXEC);
	assert_int_equal(add(p, "empty"), -ENOEXEC);
	assert_int_equal(add(p, "narrow"), -ENOTSUP);
	assert_non_null(strstr(err_text(-ENOTSUP), "/narrow: 32-bit ELF file"));
	assert_int_equal(add(p, "cut"), -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), "/cut: damaged ELF file"));
	assert_int_equal(add(p, "none"), -ENOENT);
}

/* Every byte of a small program changed, every length cut: no crash, no endless loop. */
static void damage_of_every_kind_is_survived(void **state)
{
	_str_ struct str image = {};

	(void)state;
	elf_make(&(struct elf_made){ .interpreter = "/lib/ld.so",
				     .soname = "me",
				     .rpath = "/a:/b",
				     .needed = { "libk1.so", "libk2.so" } },
		 &image);
	for (size_t at = 0; at < image.len; at++) {
		for (int value = 0; value < 256; value += 51) {
			_cleanup_(arena_finish) struct arena memory = {};
			struct elf_image parsed;
			char kept = image.s[at];

			image.s[at] = (char)value;
			elf_image_parse((uint8_t *)image.s, image.len, &memory, &parsed);
			image.s[at] = kept;
		}
	}
	for (size_t len = 0; len < image.len; len++) {
		_cleanup_(arena_finish) struct arena memory = {};
		_free_ uint8_t *cut = malloc(len + 1);
		struct elf_image parsed;

		memcpy(cut, image.s, len);
		assert_true(elf_image_parse(cut, len, &memory, &parsed) < 0);
	}
}

static void the_linker_cache_is_read(void **state)
{
	_map_file_ struct map_file cache = {};
	_str_ struct str path = {};

	(void)state;
	if (map_file_open(&cache, "/etc/ld.so.cache") < 0) {
		print_message("skip: no ld.so.cache here\n");
		skip();
	}
	assert_int_equal(ld_cache_find(cache.data, cache.size, "libc.so.6", &path), 0);
	assert_int_equal(access(str_get(&path), R_OK), 0);
	assert_int_equal(ld_cache_find(cache.data, cache.size, "libno-such.so.9", &path), -ENOENT);
	for (size_t len = 0; len < cache.size; len += 97) {
		_free_ uint8_t *cut = malloc(len + 1);
		_str_ struct str ignored = {};

		memcpy(cut, cache.data, len);
		ld_cache_find(cut, len, "libc.so.6", &ignored);
	}
}

/* The dynamic linker's own answer: "\tNAME => PATH (0x...)". */
static bool ldd_paths(const char *program, struct str *out)
{
	_str_ struct str text = {};
	char *save = NULL;

	if (child_output((const char *const[]){ "ldd", program, NULL }, UINT64_MAX, &text) != 0)
		return false;
	for (char *line = strtok_r(text.s, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *start = strstr(line, "=> /"), *end;
		char canonical[PATH_MAX];

		start = start ? start + 3 : strchr(line, '/');
		end = start ? strstr(start, " (0x") : NULL;
		if (!end)
			continue;
		*end = '\0';
		if (!realpath(start, canonical))
			return false;
		str_addf(out, "%s\n", canonical);
	}
	return true;
}

static bool has_line(const char *text, const char *line)
{
	_free_ char *wanted = str_fmt("%s\n", line);

	return strstr(text, wanted) != NULL;
}

static void compare_with_ldd(const char *program)
{
	_cleanup_(elf_closure_finish) struct elf_closure c = {};
	_str_ struct str oracle = {};
	size_t lines = 0, distinct = 0;

	if (elf_closure_add(&c, &(struct elf_search){}, program) < 0 ||
	    !ldd_paths(program, &oracle))
		return;
	for (size_t i = 0; i < c.count; i++)
		if (!has_line(str_get(&oracle), c.libraries[i].canonical))
			fail_msg("%s: ldd does not know %s", program, c.libraries[i].canonical);
	for (const char *s = str_get(&oracle); *s; s++)
		lines += *s == '\n';
	for (size_t i = 0; i < c.count; i++) {
		bool is_new = true;

		for (size_t k = 0; k < i; k++)
			is_new &= !str_eq(c.libraries[i].canonical, c.libraries[k].canonical);
		distinct += is_new;
	}
	if (distinct != lines)
		fail_msg("%s: ldd has %zu libraries, we have %zu", program, lines, distinct);
}

/*
 * A spread of what is installed, and this test itself. By their real paths: ldd
 * takes $ORIGIN from the name it is given, a started program from where it lies.
 */
static void closures_agree_with_ldd(void **state)
{
	struct dirent **entries = NULL;
	int count = scandir("/usr/bin", &entries, NULL, alphasort);
	int step = count / 24 + 1;
	char resolved[PATH_MAX];

	(void)state;
	if (access("/usr/bin/ldd", X_OK) < 0) {
		print_message("skip: no ldd here\n");
		skip();
	}
	assert_non_null(realpath("/proc/self/exe", resolved));
	compare_with_ldd(resolved);
	for (int i = 0; i < count; i++) {
		_free_ char *path = str_fmt("/usr/bin/%s", entries[i]->d_name);

		if (i % step == 0 && realpath(path, resolved))
			compare_with_ldd(resolved);
		free(entries[i]);
	}
	free(entries);
}

static void debug_sections_are_left_out(void **state)
{
	struct place *p = *state;
	_free_ char *path = str_fmt("%s/stripped", p->dir);
	_str_ struct str bytes = {}, output = {};
	_cleanup_(elf_strip_finish) struct elf_strip strip = {};
	_map_file_ struct map_file self = {};

	assert_int_equal(map_file_open(&self, "/proc/self/exe"), 0);
	assert_int_equal(elf_strip_plan(&strip, self.data, self.size), 0);
	assert_true(strip.size < self.size);
	for (size_t i = 0; i < strip.count; i++)
		str_addn(&bytes, strip.pieces[i].data, strip.pieces[i].len);
	assert_int_equal(bytes.len, strip.size);
	assert_int_equal(file_replace(path, bytes.s, bytes.len, 0755), 0);
	assert_int_equal(chmod(path, 0755), 0);
	/* It still runs, and what reads sections still understands it. */
	assert_int_equal(child_output((const char *const[]){ path, "--run-nothing", NULL },
				      UINT64_MAX, &output),
			 0);
	assert_string_equal(str_get(&output), "stripped and alive\n");
	elf_strip_finish(&strip);
	assert_int_equal(elf_strip_plan(&strip, (uint8_t *)bytes.s, bytes.len), -ENOENT);
}

static void a_program_with_a_file_behind_it_stays_whole(void **state)
{
	_str_ struct str bytes = {};
	struct elf_strip strip;
	_map_file_ struct map_file self = {};

	(void)state;
	assert_int_equal(map_file_open(&self, "/proc/self/exe"), 0);
	str_addn(&bytes, self.data, self.size);
	str_add(&bytes, "for the program to read");
	assert_int_equal(elf_strip_plan(&strip, (uint8_t *)bytes.s, bytes.len), -ENOENT);
}

static void nothing_to_strip_is_an_answer(void **state)
{
	_str_ struct str image = {};
	struct elf_strip strip;

	(void)state;
	assert_int_equal(elf_strip_plan(&strip, NULL, 0), -ENOENT);
	assert_int_equal(elf_strip_plan(&strip, (const uint8_t *)"text", 4), -ENOENT);
	elf_make(&(struct elf_made){ .needed = { "libk1.so" } }, &image);
	assert_int_equal(elf_strip_plan(&strip, (uint8_t *)image.s, image.len), -ENOENT);
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		IN_PLACE(needed_libraries_are_followed),
		IN_PLACE(a_runpath_is_for_its_own_object_only),
		IN_PLACE(an_rpath_is_for_all_that_come_after),
		IN_PLACE(a_runpath_switches_the_rpath_off),
		IN_PLACE(a_runpath_switches_inherited_rpaths_off),
		IN_PLACE(the_environment_comes_before_the_runpath),
		IN_PLACE(lib_and_platform_are_expanded),
		IN_PLACE(links_are_packed_under_both_names),
		IN_PLACE(foreign_libraries_are_passed_over),
		IN_PLACE(the_interpreter_and_its_neighbours_are_used),
		IN_PLACE(what_is_missing_is_told_in_one_line),
		IN_PLACE(two_programs_share_libraries),
		IN_PLACE(files_that_are_no_programs_are_told_apart),
		cmocka_unit_test(damage_of_every_kind_is_survived),
		cmocka_unit_test(the_linker_cache_is_read),
		cmocka_unit_test(closures_agree_with_ldd),
		IN_PLACE(debug_sections_are_left_out),
		cmocka_unit_test(a_program_with_a_file_behind_it_stays_whole),
		cmocka_unit_test(nothing_to_strip_is_an_answer),
	};

	if (argc == 2 && str_eq(argv[1], "--run-nothing")) {
		puts("stripped and alive");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
