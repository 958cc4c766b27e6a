// SPDX-License-Identifier: GPL-2.0-only
/* Where tests are found, which of two files is taken, and what is said of those that are not. */
#include "unit.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/json.h"
#include "base/map_file.h"
#include "program/protocol.h"
#include "run/parts.h"

#ifdef __aarch64__
#define OWN_MACHINE EM_AARCH64
#define OTHER_MACHINE EM_X86_64
#define OTHER_NAME "x86_64"
#else
#define OWN_MACHINE EM_X86_64
#define OTHER_MACHINE EM_AARCH64
#define OTHER_NAME "aarch64"
#endif

/* ---- what is played: compilers and programs ---- */

static struct str compiled; /* "path " of each file */
static struct str asked;    /* the same of each program that was asked for its tests */
static const char *uncompilable, *mute;
static bool makes_tests; /* what is compiled has tests */
static char *dir;
static int here_fd;

int __wrap_source_compile(const char *path, const struct source_options *how, char **program);
int __wrap_child_output(const char *const *argv, uint64_t limit_ns, struct str *out);

/* ---- files ---- */

struct made_elf {
	uint16_t machine, type;
	const char *section;
	bool has_interpreter;
};

static const struct made_elf a_test = { OWN_MACHINE, ET_EXEC, PROGRAM_SECTION, false };

static void put_elf(const char *name, const struct made_elf *e)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segments[2];
		Elf64_Shdr sections[3];
		char names[64];
	} file = { .header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					    ELFDATA2LSB, EV_CURRENT },
			       .e_type = e->type,
			       .e_machine = e->machine,
			       .e_version = EV_CURRENT,
			       .e_ehsize = sizeof(Elf64_Ehdr),
			       .e_phoff = sizeof(Elf64_Ehdr),
			       .e_phentsize = sizeof(Elf64_Phdr),
			       .e_phnum = 2,
			       .e_shentsize = sizeof(Elf64_Shdr),
			       .e_shnum = 3,
			       .e_shstrndx = 1 } };
	_free_ char *path = NULL;
	FILE *f;

	file.header.e_shoff = (size_t)((char *)file.sections - (char *)&file);
	file.segments[0].p_type = PT_LOAD;
	file.segments[1].p_type = e->has_interpreter ? PT_INTERP : PT_NOTE;
	file.sections[1].sh_type = SHT_STRTAB;
	file.sections[1].sh_offset = (size_t)(file.names - (char *)&file);
	file.sections[1].sh_size = sizeof(file.names);
	file.sections[2].sh_type = SHT_PROGBITS;
	file.sections[2].sh_name = 1;
	snprintf(file.names + 1, sizeof(file.names) - 1, "%s", e->section);
	unit_write(dir, name, "");
	path = str_fmt("%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(&file, sizeof(file), 1, f), 1);
	fclose(f);
	assert_int_equal(chmod(path, 0755), 0);
}

static void put_test(const char *name)
{
	put_elf(name, &a_test);
}

static void put_text(const char *name, const char *text, mode_t mode)
{
	_free_ char *path = str_fmt("%s/%s", dir, name);

	unit_write(dir, name, text);
	assert_int_equal(chmod(path, mode), 0);
}

#define SOURCE "KTSTR_TEST(x) { }\n"

static void put_source(const char *name)
{
	put_text(name, SOURCE, 0644);
}

/* So many seconds after the epoch. */
static void set_time(const char *name, time_t seconds, long ns)
{
	const struct timespec times[2] = { { seconds, ns }, { seconds, ns } };

	assert_int_equal(utimensat(AT_FDCWD, name, times, 0), 0);
}

int __wrap_source_compile(const char *path, const struct source_options *how, char **program)
{
	const struct made_elf without = { OWN_MACHINE, ET_EXEC, "other", false };
	_free_ char *name = strdup(strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
	_free_ char *made = NULL;

	assert_false(how->is_instrumented);
	str_addf(&compiled, "%s ", path);
	if (uncompilable && strstr(path, uncompilable))
		return err_set(EINVAL, "%s does not compile", path);
	name[strlen(name) - 2] = '\0';
	made = str_fmt(".made/%s", name);
	put_elf(made, makes_tests ? &a_test : &without);
	*program = str_fmt("%s/%s", dir, made);
	return 0;
}

int __wrap_child_output(const char *const *argv, uint64_t limit_ns, struct str *out)
{
	struct probe p = { .schema_version = 1, .ktstr = "1" };
	struct json j;

	assert_string_equal(argv[1], PROGRAM_PROBE);
	assert_int_equal(limit_ns, DISCOVER_PROBE_LIMIT_NS);
	str_addf(&asked, "%s ", argv[0] + strlen(dir) + 1);
	if (mute && strstr(argv[0], mute))
		return 0;
	if (strstr(argv[0], "ends_badly"))
		return 3;
	json_init(&j, out, false);
	probe_to_json(&p, &j);
	return 0;
}

/* ---- looking ---- */

static int start(void **state)
{
	_free_ char *made = unit_temp_create();

	(void)state;
	dir = realpath(made, NULL);
	here_fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(chdir(dir), 0);
	setenv("XDG_CACHE_HOME", dir, 1);
	unsetenv("KTSTR_TEST_DIR");
	uncompilable = mute = NULL;
	makes_tests = true;
	return 0;
}

static int stop(void **state)
{
	(void)state;
	assert_int_equal(fchdir(here_fd), 0);
	close(here_fd);
	unit_temp_remove(dir);
	str_finish(&compiled);
	str_finish(&asked);
	return 0;
}

#define IN_DIR(f) cmocka_unit_test_setup_teardown(f, start, stop)

static struct str names; /* "name=origin " of each program that was found */
static char told[4096];	 /* on stderr */

/* The command has -E. */
static bool has_filter;

static int discover(const char *const *paths, size_t count, bool skips_broken)
{
	const struct discover_options o = { .skips_broken = skips_broken,
					    .has_filter = has_filter };
	int real = dup(STDERR_FILENO), to = memfd_create("stderr", MFD_CLOEXEC), rc;
	struct test_programs found;
	ssize_t len;

	str_reset(&compiled);
	str_reset(&asked);
	str_reset(&names);
	dup2(to, STDERR_FILENO);
	rc = discover_programs(paths, count, &o, &found);
	dup2(real, STDERR_FILENO);
	close(real);
	len = pread(to, told, sizeof(told) - 1, 0);
	told[MAX(len, 0)] = '\0';
	close(to);
	for (size_t i = 0; rc == 0 && i < found.items.count; i++)
		str_addf(&names, "%s=%s ", found.items.items[i].name,
			 test_program_origin(&found.items.items[i]) + strlen(dir) + 1);
	if (rc == 0)
		test_programs_finish(&found);
	return rc;
}

static void expect_found(const char *path, const char *expected, const char *said)
{
	int rc = discover(&path, path ? 1 : 0, false);

	if (rc < 0)
		fail_msg("%s", err_text(rc));
	assert_string_equal(str_get(&names), expected);
	assert_string_equal(told, said);
	str_finish(&names);
	names = (struct str){};
}

static void expect_error(const char *path, int error, const char *part)
{
	assert_int_equal(discover(&path, 1, false), -error);
	if (!strstr(err_text(-error), part))
		fail_msg("expected '%s' in '%s'", part, err_text(-error));
	str_finish(&names);
	names = (struct str){};
}

static void what_is_given_must_be_a_test(void **state)
{
	const struct made_elf library = { OWN_MACHINE, ET_DYN, PROGRAM_SECTION, false };
	const struct made_elf pie = { OWN_MACHINE, ET_DYN, PROGRAM_SECTION, true };
	const struct made_elf plain = { OWN_MACHINE, ET_EXEC, "other", false };
	const struct made_elf foreign = { OTHER_MACHINE, ET_EXEC, PROGRAM_SECTION, false };
	const struct made_elf unknown = { EM_RISCV, ET_EXEC, PROGRAM_SECTION, false };

	(void)state;
	put_test("mine");
	expect_found("mine", "mine=mine ", "");
	put_elf("pie", &pie);
	expect_found("pie", "pie=pie ", "");
	put_elf("library.so", &library);
	expect_error("library.so", EINVAL, "library.so is not a test program: it has no section");
	put_elf("plain", &plain);
	expect_error("plain", EINVAL, "plain is not a test program");
	put_text("script", "#!/bin/sh\n", 0755);
	expect_error("script", EINVAL, "script is not a test program");
	put_elf("foreign", &foreign);
	expect_error("foreign", ENOEXEC,
		     "foreign is a test program for another architecture (" OTHER_NAME ")");
	put_elf("unknown", &unknown);
	expect_error("unknown", ENOEXEC, "for another architecture (unknown)");
	expect_error("nothing", ENOENT, "nothing");
	/* Nobody may start it. */
	put_test("data");
	assert_int_equal(chmod("data", 0644), 0);
	expect_error("data", EINVAL, "data is not a test program");
}

/* A name of a test is no file, and is told how to be given. */
static void a_name_in_the_place_of_a_file_is_told(void **state)
{
	static const struct {
		const char *word, *message;
	} rows[] = {
		{ "two_cgroups",
		  "there is no file 'two_cgroups'; -E 'test(=two_cgroups)' selects" },
		{ "ktstr/Two2", "there is no file 'ktstr/Two2'; -E 'test(=" },
		{ "two.c", "open two.c" },
		{ "dir/two", "open dir/two" },
		{ "ktstr/", "open ktstr/" },
		{ "a-b", "open a-b" },
	};

	(void)state;
	has_filter = true;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		expect_error(rows[i].word, ENOENT, rows[i].message);
	has_filter = false;
	expect_error(rows[0].word, ENOENT, "open two_cgroups");
	/* What is there is meant, whatever went wrong before. */
	has_filter = true;
	put_test("two_cgroups");
	errno = ENOENT;
	expect_found("two_cgroups", "two_cgroups=two_cgroups ", "");
	has_filter = false;
}

static void a_c_file_that_is_given_is_compiled(void **state)
{
	(void)state;
	put_source("mine.c");
	expect_found("mine.c", "mine=mine.c ", "");
	assert_string_equal(str_get(&compiled), "mine.c ");
	makes_tests = false;
	expect_error("mine.c", ENODATA, "mine.c has no test in it: nothing uses KTSTR_TEST");
	uncompilable = "mine";
	expect_error("mine.c", EINVAL, "mine.c does not compile");
	/* The name of a file alone makes none. */
	put_text(".c", "", 0644);
	expect_error(".c", EINVAL, ".c is not a test program");
}

static void a_scenario_file_that_is_given_becomes_a_program(void **state)
{
	(void)state;
	put_text("two.yaml", "cgroups:\n  - name: a\n    workers: 1\n", 0644);
	expect_found("two.yaml", "two=two.yaml ", "");
	put_text("bad.yml", "cgroups: 7\n", 0644);
	expect_error("bad.yml", EINVAL, "bad.yml:1");
	put_text("flags.yaml", "flags: [llc]\ncgroups:\n  - name: a\n    workers: 1\n", 0644);
	expect_error("flags.yaml", EINVAL, "flags and excluded_flags are for `ktstr run`");
	/* Not every such file of a directory is a scenario. */
	expect_found(".", "", "");
}

static void endings_of_scenario_files_follow_a_name(void **state)
{
	static const struct {
		const char *path;
		size_t expected;
	} rows[] = { { "a.yaml", 5 },  { "a.yml", 4 },	 { "x/a.json", 5 }, { ".yaml", 0 },
		     { "x/.yaml", 0 }, { "a.yamlx", 0 }, { "yaml", 0 },	    { "", 0 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(scenario_ending(rows[i].path), rows[i].expected);
}

static void directories_are_searched_to_their_depths(void **state)
{
	(void)state;
	put_test("t/b");
	put_test("t/a");
	put_test("t/deep/c");
	put_test("t/.hidden");
	put_test("t/.git/d");
	put_test("t/kept/e");
	put_text("t/kept/CACHEDIR.TAG", "", 0644);
	put_text("t/notes.txt", "KTSTR_TEST", 0644);
	assert_int_equal(symlink("b", "t/link"), 0);
	assert_int_equal(symlink("../t", "t/loop"), 0);
	assert_int_equal(symlink("nowhere", "t/broken"), 0);
	expect_found("t", "a=t/a b=t/b c=t/deep/c ", "");
	put_test("1/2/3/4/5/6/7/8/9/deep");
	expect_found("1", "deep=1/2/3/4/5/6/7/8/9/deep ", "");
	put_test("0/1/2/3/4/5/6/7/8/9/deep");
	expect_found("0", "", "");
}

static const char *unreadable;
static int unreadable_error;

int __real_scandir(const char *path, struct dirent ***out, int (*filter)(const struct dirent *),
		   int (*compare)(const struct dirent **, const struct dirent **));
int __wrap_scandir(const char *path, struct dirent ***out, int (*filter)(const struct dirent *),
		   int (*compare)(const struct dirent **, const struct dirent **));

int __wrap_scandir(const char *path, struct dirent ***out, int (*filter)(const struct dirent *),
		   int (*compare)(const struct dirent **, const struct dirent **))
{
	if (!unreadable || !str_eq(path, unreadable))
		return __real_scandir(path, out, filter, compare);
	errno = unreadable_error;
	return -1;
}

/* Of others, inside of what is searched; one that is named has to be read. */
static void directories_that_may_not_be_read_are_passed_over(void **state)
{
	(void)state;
	put_test("dir/mine");
	put_test("dir/theirs/other");
	unreadable = "dir/theirs";
	unreadable_error = EACCES;
	expect_found("dir", "mine=dir/mine ", "ktstr: left out (cannot be read): dir/theirs\n");
	expect_error("dir/theirs", EACCES, "read directory dir/theirs");
	unreadable_error = EIO;
	expect_error("dir", EIO, "read directory dir/theirs");
	unreadable = NULL;
}

static void what_is_passed_over_is_told_once(void **state)
{
	const struct made_elf plain = { OWN_MACHINE, ET_EXEC, "other", false };
	const struct made_elf foreign = { OTHER_MACHINE, ET_EXEC, PROGRAM_SECTION, false };

	(void)state;
	put_test("t/mine");
	put_elf("t/plain", &plain);
	put_text("t/helper.c", "int x;\n", 0644);
	put_elf("t/strange", &foreign);
	expect_found("t", "mine=t/mine ",
		     "ktstr: left out (no test): t/helper.c and 1 more\n"
		     "ktstr: left out (for another architecture): t/strange\n");
	/* What only seemed to have tests is one of them. */
	put_source("t/seems.c");
	makes_tests = false;
	expect_found("t", "mine=t/mine ",
		     "ktstr: left out (no test): t/helper.c and 2 more\n"
		     "ktstr: left out (for another architecture): t/strange\n");
}

#define LARGEST ((off_t)16 << 20)

static void set_size(const char *name, off_t size)
{
	assert_int_equal(truncate(name, size), 0);
}

/* Nobody has written that; a program may be as large as it wants. */
static void only_large_c_files_are_left_out(void **state)
{
	(void)state;
	put_source("t/large.c");
	put_test("t/program");
	set_size("t/large.c", LARGEST);
	set_size("t/program", LARGEST + 1);
	expect_found("t", "program=t/program large=t/large.c ", "");
	expect_found("t/large.c", "large=t/large.c ", "");
	set_size("t/large.c", LARGEST + 1);
	expect_found("t", "program=t/program ",
		     "ktstr: left out (a C file of more than 16 MiB): t/large.c\n");
	expect_error("t/large.c", EFBIG, "t/large.c is larger than 16 MiB: not compiled");
	expect_found("t/program", "program=t/program ", "");
}

/* For whomever: this user's is not the only one. */
static void programs_may_be_started_by_somebody(void **state)
{
	static const struct {
		mode_t mode;
		bool is_program;
	} rows[] = { { 0755, true }, { 0645, true },  { 0654, true },
		     { 0744, true }, { 0644, false }, { 0666, false } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		put_test("t/mine");
		assert_int_equal(chmod("t/mine", rows[i].mode), 0);
		expect_found("t", rows[i].is_program ? "mine=t/mine " : "", "");
	}
}

static const char *unmappable;
static int map_error;

int __real_map_file_open(struct map_file *m, const char *path);
int __wrap_map_file_open(struct map_file *m, const char *path);

int __wrap_map_file_open(struct map_file *m, const char *path)
{
	if (!unmappable || !str_eq(path, unmappable))
		return __real_map_file_open(m, path);
	return err_set(map_error, "cannot read %s", path);
}

static void files_that_may_not_be_read_are_passed_over(void **state)
{
	static const struct {
		int error;
		const char *told;
	} rows[] = { { EACCES, "ktstr: left out (cannot be read): t/theirs\n" },
		     { EPERM, "ktstr: left out (cannot be read): t/theirs\n" },
		     { EIO, "" } };

	(void)state;
	put_test("t/mine");
	put_test("t/theirs");
	unmappable = "t/theirs";
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		map_error = rows[i].error;
		expect_found("t", "mine=t/mine ", rows[i].told);
	}
	map_error = EPERM;
	expect_error("t/theirs", EACCES, "read t/theirs");
	unmappable = NULL;
}

/* One that was asked for is not replaced, and its silence is an error. */
static void what_is_given_is_kept(void **state)
{
	const char *const both[] = { "t/mine", "t" }, *const source[] = { "t/mute.c" };
	const char *const directory[] = { "t" };

	(void)state;
	put_test("t/mine");
	put_source("t/mine.c");
	set_time("t/mine.c", 200, 0);
	set_time("t/mine", 100, 0);
	assert_int_equal(discover(both, 2, false), 0);
	assert_string_equal(str_get(&asked), "t/mine .made/mine ");
	put_source("t/mute.c");
	mute = "mute";
	assert_int_equal(discover(directory, 1, true), 0);
	assert_string_equal(str_get(&names), "mine=t/mine.c ");
	assert_int_equal(discover(source, 1, true), -EINVAL);
	str_finish(&names);
	names = (struct str){};
}

static void the_project_is_searched_in_tests_and_build(void **state)
{
	const struct made_elf plain = { OWN_MACHINE, ET_EXEC, "other", false };

	(void)state;
	expect_found(NULL, "", "");
	put_test("tests/a");
	put_test("build/b");
	put_test("other/c");
	/* Build directories are full of them. */
	put_elf("build/tool", &plain);
	expect_found(NULL, "a=tests/a b=build/b ", "");
	put_elf("tests/tool", &plain);
	expect_found(NULL, "a=tests/a b=build/b ", "ktstr: left out (no test): tests/tool\n");
	setenv("KTSTR_TEST_DIR", "other", 1);
	expect_found(NULL, "c=other/c ", "");
	unsetenv("KTSTR_TEST_DIR");
}

static void the_project_is_the_nearest_repository_above(void **state)
{
	(void)state;
	put_test("tests/a");
	put_text("src/deep/x.txt", "", 0644);
	assert_int_equal(chdir("src/deep"), 0);
	expect_found(NULL, "", "");
	assert_int_equal(mkdir("../../.git", 0755), 0);
	expect_found(NULL, "a=tests/a ", "");
	/* Its own directories count more. */
	put_test("src/deep/build/own");
	expect_found(NULL, "own=src/deep/build/own ", "");
}

/* One is made from the other: the newer one is taken. */
static void of_a_c_file_and_its_program_the_newer_one_is_taken(void **state)
{
	static const struct {
		time_t source, program;
		long source_ns, program_ns;
		const char *expected;
	} rows[] = {
		{ 100, 200, 0, 0, "mine=tests/mine " },	  { 200, 100, 0, 0, "mine=tests/mine.c " },
		{ 100, 100, 0, 0, "mine=tests/mine " },	  { 100, 100, 7, 6, "mine=tests/mine.c " },
		{ 100, 100, 6, 7, "mine=tests/mine " },	  { 100, 200, 7, 6, "mine=tests/mine " },
		{ 200, 100, 6, 7, "mine=tests/mine.c " },
	};

	(void)state;
	put_test("tests/mine");
	put_source("tests/mine.c");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		set_time("tests/mine.c", rows[i].source, rows[i].source_ns);
		set_time("tests/mine", rows[i].program, rows[i].program_ns);
		expect_found(NULL, rows[i].expected, "");
	}
	/* One of a longer name is another one. */
	put_test("tests/mine_too");
	set_time("tests/mine.c", 200, 0);
	set_time("tests/mine", 100, 0);
	set_time("tests/mine_too", 300, 0);
	expect_found(NULL, "mine_too=tests/mine_too mine=tests/mine.c ", "");
}

static void one_that_does_not_compile_is_an_error_unless_another_is_looked_for(void **state)
{
	const char *const tests[] = { "tests" };

	(void)state;
	put_test("tests/good");
	put_source("tests/bad.c");
	uncompilable = "bad";
	expect_error("tests", EINVAL, "bad.c does not compile");
	assert_int_equal(discover(tests, 1, true), 0);
	assert_string_equal(str_get(&names), "good=tests/good ");
	assert_string_equal(told, "ktstr: left out (does not compile): tests/bad.c\n");
	str_finish(&names);
	names = (struct str){};
}

static void one_that_does_not_answer_is_an_error_unless_another_is_looked_for(void **state)
{
	const char *const tests[] = { "tests" }, *const given[] = { "tests/mute" };

	(void)state;
	put_test("tests/good");
	put_test("tests/mute");
	mute = "mute";
	expect_error("tests", EINVAL, "--ktstr-probe has no answer: is there a main() in it?");
	assert_int_equal(discover(tests, 1, true), 0);
	assert_string_equal(str_get(&names), "good=tests/good ");
	assert_non_null(strstr(told, "left out ("));
	assert_int_equal(discover(given, 1, true), -EINVAL);
	put_test("tests/ends_badly");
	expect_error("tests/ends_badly", EINVAL, "ended with status 3");
	str_finish(&names);
	names = (struct str){};
}

static void a_program_that_is_found_twice_is_one(void **state)
{
	const char *const twice[] = { "t/mine", "t", "./t/mine" };

	(void)state;
	put_test("t/mine");
	assert_int_equal(discover(twice, 3, false), 0);
	assert_string_equal(str_get(&names), "mine=t/mine ");
	assert_string_equal(str_get(&asked), "t/mine ");
	str_finish(&names);
	names = (struct str){};
}

/* By as much of their paths as it takes. */
static void programs_of_one_name_are_told_apart(void **state)
{
	(void)state;
	put_test("t/x/mine");
	put_test("t/y/mine");
	put_test("t/other");
	put_test("t/y/a/same");
	put_test("t/z/a/same");
	expect_found("t",
		     "other=t/other x/mine=t/x/mine y/a/same=t/y/a/same y/mine=t/y/mine "
		     "z/a/same=t/z/a/same ",
		     "");
}

static void instrumented_programs_have_the_section_of_clang(void **state)
{
	const struct made_elf counting = { OWN_MACHINE, ET_EXEC, "__llvm_covmap", false };

	(void)state;
	put_test("plain");
	put_elf("counting", &counting);
	assert_false(program_is_instrumented("plain"));
	assert_true(program_is_instrumented("counting"));
	assert_false(program_is_instrumented("nothing"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(what_is_given_must_be_a_test),
		IN_DIR(a_name_in_the_place_of_a_file_is_told),
		IN_DIR(a_c_file_that_is_given_is_compiled),
		IN_DIR(a_scenario_file_that_is_given_becomes_a_program),
		cmocka_unit_test(endings_of_scenario_files_follow_a_name),
		IN_DIR(directories_are_searched_to_their_depths),
		IN_DIR(directories_that_may_not_be_read_are_passed_over),
		IN_DIR(what_is_passed_over_is_told_once),
		IN_DIR(only_large_c_files_are_left_out),
		IN_DIR(programs_may_be_started_by_somebody),
		IN_DIR(files_that_may_not_be_read_are_passed_over),
		IN_DIR(what_is_given_is_kept),
		IN_DIR(the_project_is_searched_in_tests_and_build),
		IN_DIR(the_project_is_the_nearest_repository_above),
		IN_DIR(of_a_c_file_and_its_program_the_newer_one_is_taken),
		IN_DIR(one_that_does_not_compile_is_an_error_unless_another_is_looked_for),
		IN_DIR(one_that_does_not_answer_is_an_error_unless_another_is_looked_for),
		IN_DIR(a_program_that_is_found_twice_is_one),
		IN_DIR(programs_of_one_name_are_told_apart),
		IN_DIR(instrumented_programs_have_the_section_of_clang),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
