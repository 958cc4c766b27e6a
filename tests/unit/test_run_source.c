// SPDX-License-Identifier: GPL-2.0-only
/* C files that become programs: with which compiler and words, when again, and where they are kept. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "run/parts.h"

static char *dir;
static int here_fd;

char *__wrap_path_own_directory(void);
char *__wrap_coverage_find_clang(void);

/* Where this program seems to be. */
char *__wrap_path_own_directory(void)
{
	return str_fmt("%s/bin", dir);
}

char *__wrap_coverage_find_clang(void)
{
	return str_fmt("%s/clang", dir);
}

/* Writes its words down, and the file itself instead of a program. */
static const char compiler[] = "#!/bin/sh\n"
			       "PATH=/usr/bin:/bin\n"
			       "for last; do case $last in -o) is_out=1;; *) "
			       "[ \"$is_out\" ] && out=$last; is_out=;; *.c) ;; esac; done\n"
			       "for word; do case $word in *.c) source=$word;; esac; done\n"
			       "echo \"$(basename $PWD): $(basename $0) $@\" >>$LOG\n"
			       "grep -q broken $source && exit 1\n"
			       "[ \"$out\" ] && grep -q unlinkable $source && exit 1\n"
			       "if [ \"$out\" ]; then cp $source $out; else cat $source; fi\n";

static void put_program(const char *name, const char *text)
{
	_free_ char *path = str_fmt("%s/%s", dir, name);

	unit_write(dir, name, text);
	assert_int_equal(chmod(path, 0755), 0);
}

static int start(void **state)
{
	_free_ char *made = unit_temp_create(), *log = NULL, *cc = NULL;

	(void)state;
	dir = realpath(made, NULL);
	here_fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(chdir(dir), 0);
	log = str_fmt("%s/log", dir);
	cc = str_fmt("%s/mycc", dir);
	setenv("LOG", log, 1);
	setenv("CC", cc, 1);
	setenv("KTSTR_CACHE_DIR", dir, 1);
	setenv("XDG_CACHE_HOME", dir, 1);
	put_program("mycc", compiler);
	put_program("clang", compiler);
	unit_write(dir, "bin/libktstr.a", "library");
	unit_write(dir, "include/ktstr/ktstr.h", "");
	unit_write(dir, "src/mine.c", "int x;\n");
	return 0;
}

static int stop(void **state)
{
	(void)state;
	source_release();
	unsetenv("CC");
	unsetenv("KTSTR_CACHE_DIR");
	assert_int_equal(fchdir(here_fd), 0);
	close(here_fd);
	unit_temp_remove(dir);
	return 0;
}

#define IN_DIR(f) cmocka_unit_test_setup_teardown(f, start, stop)

/* What the compiler was told since the last time, without the directory of the test. */
static char *words(void)
{
	struct str text = {}, out = {};

	if (file_read_at(AT_FDCWD, "log", &text) == 0) {
		const char *at = text.s, *next;

		for (; (next = strstr(at, dir)); at = next + strlen(dir)) {
			str_addn(&out, at, (size_t)(next - at));
			str_add(&out, "DIR");
		}
		str_add(&out, at);
	}
	unlink("log");
	str_finish(&text);
	return out.s ? str_take(&out) : strdup("");
}

static char *compile(const struct source_options *how)
{
	char *program;
	int rc = source_compile("src/mine.c", how, &program);

	if (rc < 0)
		fail_msg("%s", err_text(rc));
	assert_int_equal(access(program, X_OK), 0);
	return program;
}

static void expect_part(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("expected '%s' in '%s'", part, text);
}

/* In the file's own directory, without its name: the same file is the same program anywhere. */
static void a_file_is_compiled_against_the_library_beside_us(void **state)
{
	_free_ char *program = compile(&(struct source_options){}), *said = words();

	(void)state;
	assert_true(str_ends(program, "/mine"));
	expect_part(said, "mycc -std=gnu17 -D_GNU_SOURCE -g -O0 -Wall -Werror=override-init "
			  "-Werror=incompatible-pointer-types -isystem DIR/bin/../include "
			  "-fno-working-directory -E DIR/src/mine.c\n");
	expect_part(said, "src: mycc -std=gnu17 ");
	expect_part(said, " -isystem DIR/bin/../include -fmacro-prefix-map=DIR/src/= -static -o ");
	expect_part(said, " DIR/src/mine.c DIR/bin/libktstr.a -lm -lpthread\n");
}

static void options_become_words(void **state)
{
	_free_ char *release = compile(&(struct source_options){ .is_release = true });
	_free_ char *of_release = words(), *of_counting = NULL, *counting = NULL, *plain = NULL;

	(void)state;
	expect_part(of_release, " -O2 ");
	assert_null(strstr(of_release, "-O0"));
	assert_null(strstr(of_release, COVERAGE_COMPILE_FLAG));
	counting = compile(&(struct source_options){ .is_instrumented = true });
	of_counting = words();
	/* Coverage is clang's, whatever CC is. */
	expect_part(of_counting, "clang -std=gnu17 ");
	expect_part(of_counting, " -Werror=initializer-overrides ");
	expect_part(of_counting, " " COVERAGE_COMPILE_FLAG " " COVERAGE_MAPPING_FLAG " ");
	assert_null(strstr(of_counting, "-fno-working-directory"));
	assert_null(strstr(of_counting, "mycc"));
	/* Each is another program. */
	plain = compile(&(struct source_options){});
	assert_string_not_equal(release, counting);
	assert_string_not_equal(release, plain);
	assert_string_not_equal(counting, plain);
}

/* Options differ in their last letters, and compilers in their names alone. */
static void each_word_of_the_compiler_counts(void **state)
{
	_free_ char *cc = str_fmt("%s/urcc", dir),
		    *own = getenv("CC") ? strdup(getenv("CC")) : NULL;
	_free_ char *plain = compile(&(struct source_options){}), *release = NULL, *other = NULL;

	(void)state;
	release = compile(&(struct source_options){ .is_release = true });
	assert_string_not_equal(plain, release);
	put_program("urcc", compiler);
	setenv("CC", cc, 1);
	other = compile(&(struct source_options){});
	assert_string_not_equal(plain, other);
	setenv("CC", own, 1);
	free(other);
	other = compile(&(struct source_options){});
	assert_string_equal(plain, other);
}

static void only_names_that_end_like_c_are_sources(void **state)
{
	static const struct {
		const char *name;
		bool expected;
	} rows[] = {
		{ "a.c", true }, { "dir/naps.c", true }, { ".c", false },  { "c", false },
		{ "", false },	 { "a.cc", false },	 { "a.h", false }, { "abc", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (source_is_one(rows[i].name) != rows[i].expected)
			fail_msg("'%s'", rows[i].name);
}

static size_t count_lines(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

static void what_was_compiled_is_kept_until_something_changes(void **state)
{
	_free_ char *first = compile(&(struct source_options){}), *second = NULL, *third = NULL;
	_free_ char *fourth = NULL, *said = words();

	(void)state;
	assert_int_equal(count_lines(said), 2);
	second = compile(&(struct source_options){});
	assert_string_equal(first, second);
	free(said);
	said = words(); /* what it includes has to be looked at */
	assert_int_equal(count_lines(said), 1);
	unit_write(dir, "src/mine.c", "int y;\n");
	third = compile(&(struct source_options){});
	assert_string_not_equal(first, third);
	unit_write(dir, "bin/libktstr.a", "another library");
	fourth = compile(&(struct source_options){});
	assert_string_not_equal(third, fourth);
	/* The cache says what it is, beside the directories of its programs. */
	*strrchr(fourth, '/') = '\0';
	*strrchr(fourth, '/') = '\0';
	free(third);
	third = str_fmt("%s/CACHEDIR.TAG", fourth);
	assert_int_equal(access(third, R_OK), 0);
}

static void what_does_not_compile_is_told(void **state)
{
	_free_ char *said = NULL;
	char *program = (char *)"none";

	(void)state;
	unit_write(dir, "src/mine.c", "broken\n");
	assert_int_equal(source_compile("src/mine.c", &(struct source_options){}, &program),
			 -EINVAL);
	expect_part(err_text(-EINVAL), "/src/mine.c does not compile");
	assert_null(program);
	/* It is not tried again with other words. */
	said = words();
	assert_int_equal(count_lines(said), 1);
	unit_write(dir, "src/mine.c", "unlinkable\n");
	assert_int_equal(source_compile("src/mine.c", &(struct source_options){}, &program),
			 -EINVAL);
	expect_part(err_text(-EINVAL), "/src/mine.c does not compile");
	assert_int_equal(source_compile("src/none.c", &(struct source_options){}, &program),
			 -ENOENT);
	expect_part(err_text(-ENOENT), "read src/none.c");
}

static void library_and_headers_are_where_they_are_built_or_installed(void **state)
{
	static const struct {
		const char *library, *header;
		int expected;
		const char *text;
	} rows[] = {
		{ "bin/libktstr.a", "include/ktstr/ktstr.h", 0, NULL },
		{ "libktstr.a", "include/ktstr/ktstr.h", 0, NULL },
		{ "lib/libktstr.a", "include/ktstr/ktstr.h", 0, NULL },
		{ "other/libktstr.a", "include/ktstr/ktstr.h", -ENOENT, "libktstr.a is needed" },
		{ "bin/libktstr.a", "include/ktstr.h", -ENOENT, "ktstr/ktstr.h is needed" },
	};

	(void)state;
	unlink("bin/libktstr.a");
	unlink("include/ktstr/ktstr.h");
	assert_int_equal(source_check(), -ENOENT);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unit_write(dir, rows[i].library, "");
		unit_write(dir, rows[i].header, "");
		unit_write(dir, "bin/x", "");
		assert_int_equal(source_check(), rows[i].expected);
		if (rows[i].text)
			expect_part(err_text(-ENOENT), rows[i].text);
		unlink(rows[i].library);
		unlink(rows[i].header);
	}
}

/* CC, gcc, clang, cc: the first there is. */
static void the_first_compiler_there_is_is_taken(void **state)
{
	static const char *const names[] = { "gcc", "clang", "cc" };
	_free_ char *path = str_fmt("%s/tools", dir), *old = strdup(getenv("PATH"));

	(void)state;
	assert_int_equal(mkdir("tools", 0755), 0);
	unsetenv("CC");
	setenv("PATH", path, 1);
	assert_int_equal(source_check(), -ENOENT);
	expect_part(err_text(-ENOENT), "no C compiler found");
	for (size_t i = ARRAY_SIZE(names); i-- > 0;) {
		_free_ char *tool = str_fmt("tools/%s", names[i]), *program = NULL, *said = NULL;
		_free_ char *expected = str_fmt(": %s -std", names[i]);

		put_program(tool, compiler);
		program = compile(&(struct source_options){ .is_release = i == 1 });
		said = words();
		expect_part(said, expected);
		/* Each understands its own words. */
		expect_part(said,
			    i == 1 ? " -Werror=initializer-overrides " : " -Werror=override-init ");
		assert_int_equal(strstr(said, "-fno-working-directory") != NULL, i != 1);
	}
	setenv("PATH", old, 1);
}

static void a_program_that_exists_as_bytes_is_kept_by_its_content(void **state)
{
	_free_ char *a = NULL, *b = NULL, *again = NULL, *text = NULL;
	struct str bytes = {};

	(void)state;
	assert_int_equal(source_keep("mine", "#!a", 3, &a), 0);
	assert_int_equal(source_keep("mine", "#!b", 3, &b), 0);
	assert_int_equal(source_keep("mine", "#!a", 3, &again), 0);
	assert_string_equal(a, again);
	assert_string_not_equal(a, b);
	assert_int_equal(file_read_at(AT_FDCWD, b, &bytes), 0);
	text = str_take(&bytes);
	assert_string_equal(text, "#!b");
	assert_int_equal(access(a, X_OK), 0);
}

static char *parent_of(const char *path)
{
	return strndup(path, (size_t)(strrchr(path, '/') - path));
}

/* Whether nobody holds the directory of a program. */
static bool is_free(const char *program)
{
	_free_ char *parent = parent_of(program);
	_close_ int fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

/* Who cleans the cache leaves programs in use alone, and begins with those not used for long. */
static void programs_in_use_are_held(void **state)
{
	static const struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	_free_ char *a = NULL, *b = NULL, *again = NULL, *parent = NULL;
	struct stat st;

	(void)state;
	assert_int_equal(source_keep("mine", "#!a", 3, &a), 0);
	assert_int_equal(source_keep("mine", "#!b", 3, &b), 0);
	assert_false(is_free(a));
	assert_false(is_free(b));
	source_release();
	assert_true(is_free(a));
	assert_true(is_free(b));
	parent = parent_of(a);
	assert_int_equal(utimensat(AT_FDCWD, parent, old, 0), 0);
	assert_int_equal(source_keep("mine", "#!a", 3, &again), 0);
	assert_string_equal(a, again);
	assert_int_equal(stat(parent, &st), 0);
	assert_true(st.st_mtime > 1000);
	assert_false(is_free(a));
	assert_true(is_free(b));
}

/* A link, or a program that nobody may start, is made again where that is possible. */
static void programs_that_are_not_ours_are_not_used(void **state)
{
	_free_ char *a = NULL, *again = NULL;
	struct stat st;

	(void)state;
	assert_int_equal(source_keep("mine", "#!a", 3, &a), 0);
	source_release();
	assert_int_equal(unlink(a), 0);
	assert_int_equal(symlink("/bin/true", a), 0);
	/* In the cache of this user, where the first one is of another. */
	assert_int_equal(source_keep("mine", "#!a", 3, &again), 0);
	assert_string_not_equal(again, a);
	assert_int_equal(lstat(again, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(st.st_mode & 0777, 0755);
	source_release();
	assert_int_equal(unlink(again), 0);
	assert_int_equal(symlink("/bin/true", again), 0);
	free(take_ptr(&again));
	assert_int_equal(source_keep("mine", "#!a", 3, &again), -EACCES);
	assert_null(again);
	unsetenv("KTSTR_CACHE_DIR");
	assert_int_equal(source_keep("mine", "#!a", 3, &again), -EACCES);
	assert_null(again);
	err_clear();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(a_file_is_compiled_against_the_library_beside_us),
		IN_DIR(options_become_words),
		IN_DIR(each_word_of_the_compiler_counts),
		cmocka_unit_test(only_names_that_end_like_c_are_sources),
		IN_DIR(what_was_compiled_is_kept_until_something_changes),
		IN_DIR(what_does_not_compile_is_told),
		IN_DIR(library_and_headers_are_where_they_are_built_or_installed),
		IN_DIR(the_first_compiler_there_is_is_taken),
		IN_DIR(a_program_that_exists_as_bytes_is_kept_by_its_content),
		IN_DIR(programs_in_use_are_held),
		IN_DIR(programs_that_are_not_ours_are_not_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
