// SPDX-License-Identifier: GPL-2.0-only
/* From raw profiles to reports, with tools of LLVM that write down what they are told. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "base/paths.h"
#include "base/texts.h"
#include "run/parts.h"

static char *dir, *old_path;
static int here_fd;

/* Its words, and those of the list of profiles. One whose directory has a file "stupid" fails. */
static const char profdata[] =
	"#!/bin/sh\n"
	"PATH=/usr/bin:/bin\n"
	"me=$(basename $0)\n"
	"echo \"$me $*\" >>$LOG\n"
	"[ -e $(dirname $0)/stupid-$me ] && { echo \"$me: bad magic\nmore\" >&2; exit 1; }\n"
	"while [ $# -gt 0 ]; do [ $1 = -f ] && list=$2; [ $1 = -o ] && out=$2; "
	"shift; done\n"
	"cp $list $out\n";
static const char cov[] = "#!/bin/sh\n"
			  "PATH=/usr/bin:/bin\n"
			  "echo \"$(basename $0) $*\" >>$LOG\n"
			  "[ -e $(dirname $0)/broken ] && exit 4\n"
			  "echo the report\n";
static const char clang[] = "#!/bin/sh\n"
			    "case $0 in *clang-18) echo /lib/x/libclang_rt.profile.a;; *) echo "
			    "libclang_rt.profile.a;; esac\n";

static void put_tool(const char *name, const char *text)
{
	_free_ char *path = str_fmt("tools/%s", name);

	unit_write(dir, path, text);
	assert_int_equal(chmod(path, 0755), 0);
}

static int start(void **state)
{
	_free_ char *made = unit_temp_create(), *tools = NULL, *log = NULL;
	static const char *const cleared[] = { "LLVM_PROFDATA", "LLVM_COV", "LLVM_PROFILE_FILE",
					       "CC" };

	(void)state;
	dir = realpath(made, NULL);
	here_fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(chdir(dir), 0);
	old_path = strdup(getenv("PATH"));
	tools = str_fmt("%s/tools", dir);
	log = str_fmt("%s/log", dir);
	setenv("PATH", tools, 1);
	setenv("LOG", log, 1);
	for (size_t i = 0; i < ARRAY_SIZE(cleared); i++)
		unsetenv(cleared[i]);
	assert_int_equal(mkdir("tools", 0755), 0);
	unit_write(dir, "cov/a.profraw", "");
	unit_write(dir, "cov/b.profraw", "");
	unit_write(dir, "cov/.profraw", "");
	unit_write(dir, "cov/c.txt", "");
	unit_write(dir, "program", "");
	unit_write(dir, "other", "");
	unit_write(dir, "cov/objects", "program\ngone\nother\n");
	return 0;
}

static int stop(void **state)
{
	(void)state;
	setenv("PATH", old_path, 1);
	free(old_path);
	assert_int_equal(fchdir(here_fd), 0);
	close(here_fd);
	unsetenv("LLVM_PROFILE_FILE");
	unit_temp_remove(dir);
	return 0;
}

#define IN_DIR(f) cmocka_unit_test_setup_teardown(f, start, stop)

static void put_both(const char *suffix)
{
	_free_ char *a = str_fmt("llvm-profdata%s", suffix), *b = str_fmt("llvm-cov%s", suffix);

	put_tool(a, profdata);
	put_tool(b, cov);
}

static char *file_text(const char *path)
{
	struct str text = {};

	if (file_read_at(AT_FDCWD, path, &text) < 0)
		str_reset(&text);
	return text.s ? str_take(&text) : strdup("");
}

static void expect_part(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("expected '%s' in '%s'", part, text);
}

static void all_profiles_are_merged_and_reported(void **state)
{
	static const struct {
		enum coverage_format format;
		const char *ignore, *words;
	} rows[] = {
		{ COVERAGE_TABLE, NULL, "llvm-cov report -instr-profile=" },
		{ COVERAGE_TEXT, "x.*",
		  "llvm-cov show -format=text -ignore-filename-regex=x.* -instr" },
		{ COVERAGE_LCOV, NULL, "llvm-cov export -format=lcov -instr" },
		{ COVERAGE_JSON, NULL, "llvm-cov export -format=text -instr" },
		{ COVERAGE_HTML, NULL, "llvm-cov show -format=html -output-dir=out -instr" },
	};
	_free_ char *merged = NULL, *expected = str_fmt("cov/a.profraw\ncov/b.profraw\n");

	(void)state;
	put_both("");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct coverage_report r = { .format = rows[i].format,
						   .output = "out",
						   .ignore = rows[i].ignore };
		_free_ char *log = NULL, *text = NULL;

		unlink("log");
		unlink("out");
		assert_int_equal(coverage_write_report("cov", &r), 0);
		log = file_text("log");
		expect_part(log,
			    "llvm-profdata merge -sparse -failure-mode=all -f cov/.profiles -o "
			    "cov/merged.profdata\n");
		expect_part(log, rows[i].words);
		/* The first program has no option; one that is gone is left out. */
		expect_part(log, "-instr-profile=cov/merged.profdata program -object other\n");
		text = file_text("out");
		assert_string_equal(text, rows[i].format == COVERAGE_HTML ? "" : "the report\n");
	}
	merged = file_text("cov/merged.profdata");
	assert_string_equal(merged, expected);
	assert_true(access("cov/.profiles", F_OK) < 0);
}

/* Profiles are read by the LLVM of their compiler: others are tried, from the newest on. */
static void the_first_pair_that_understands_the_profiles_is_taken(void **state)
{
	_free_ char *log = NULL;

	(void)state;
	put_both("");
	put_both("-19");
	put_both("-11");
	put_tool("llvm-profdata-20", profdata); /* without its other half */
	unit_write(dir, "tools/stupid-llvm-profdata", "");
	unit_write(dir, "tools/stupid-llvm-profdata-19", "");
	assert_int_equal(coverage_write_report("cov", &(struct coverage_report){ .output = "out" }),
			 0);
	log = file_text("log");
	expect_part(log, "llvm-profdata merge");
	expect_part(log, "\nllvm-profdata-19 merge");
	expect_part(log, "\nllvm-profdata-11 merge");
	expect_part(log, "\nllvm-cov-11 report ");
	assert_null(strstr(log, "-20"));
	unit_write(dir, "tools/stupid-llvm-profdata-11", "");
	assert_int_equal(coverage_write_report("cov", &(struct coverage_report){ .output = "out" }),
			 -EINVAL);
	expect_part(err_text(-EINVAL), "tools/llvm-profdata cannot merge the profiles: "
				       "llvm-profdata: bad magic. Profiles are read by");
}

static void tools_can_be_named(void **state)
{
	_free_ char *log = NULL;

	(void)state;
	assert_int_equal(coverage_check_tools(), -ENOENT);
	expect_part(err_text(-ENOENT), "which are not installed");
	put_both("");
	put_tool("mine", profdata);
	put_tool("llvm-profdata-10", profdata); /* too old to be looked for */
	assert_int_equal(coverage_check_tools(), 0);
	setenv("LLVM_PROFDATA", "mine", 1);
	assert_int_equal(coverage_write_report("cov", &(struct coverage_report){ .output = "out" }),
			 0);
	log = file_text("log");
	expect_part(log, "mine merge");
	expect_part(log, "llvm-cov report");
	setenv("LLVM_COV", "none", 1);
	assert_int_equal(coverage_check_tools(), -ENOENT);
	expect_part(err_text(-ENOENT), "'mine' or 'none' is not a program");
	unsetenv("LLVM_COV");
	unsetenv("LLVM_PROFDATA");
}

static void what_is_missing_is_told(void **state)
{
	const struct coverage_report r = { .output = "out" };

	(void)state;
	put_both("");
	unit_write(dir, "tools/broken", "");
	assert_int_equal(coverage_write_report("cov", &r), -EINVAL);
	expect_part(err_text(-EINVAL), "llvm-cov report ended with status 4");
	assert_int_equal(unlink("program") + unlink("other"), 0);
	assert_int_equal(coverage_write_report("cov", &r), -ENOENT);
	expect_part(err_text(-ENOENT), "none of the programs that the profiles are of");
	unlink("cov/objects");
	assert_int_equal(coverage_write_report("cov", &r), -ENOENT);
	expect_part(err_text(-ENOENT), "does not list the programs of the profiles");
	assert_int_equal(unlink("cov/a.profraw") + unlink("cov/b.profraw"), 0);
	assert_int_equal(coverage_write_report("cov", &r), -ENOENT);
	expect_part(err_text(-ENOENT), "no profile in cov: ");
	assert_int_equal(coverage_write_report("nowhere", &r), -ENOENT);
}

/* One directory is read once: a profile that is merged twice counts twice. */
static void profiles_of_the_environment_are_read_as_well(void **state)
{
	static const struct {
		const char *pattern;
		size_t count;
	} rows[] = { { "cov/%p.profraw", 2 },
		     { "./cov/../cov/%p", 2 },
		     { "more/%p.profraw", 3 },
		     { "%p.profraw", 2 },
		     { "none/%p", 2 } };

	(void)state;
	unit_write(dir, "more/x.profraw", "");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_texts_ struct texts files = {};

		setenv("LLVM_PROFILE_FILE", rows[i].pattern, 1);
		assert_int_equal(coverage_files_list("cov", &files), 0);
		assert_int_equal(files.count, rows[i].count);
	}
}

static void cleaning_removes_what_is_ours(void **state)
{
	(void)state;
	unit_write(dir, "cov/merged.profdata", "");
	unit_write(dir, "cov/html/index.html", "");
	assert_int_equal(coverage_clean("cov", COVERAGE_CLEAN_PROFILES), 0);
	assert_true(access("cov/a.profraw", F_OK) < 0 && access("cov/b.profraw", F_OK) < 0);
	assert_int_equal(access("cov/merged.profdata", F_OK), 0);
	assert_int_equal(access("cov/objects", F_OK), 0);
	assert_int_equal(coverage_clean("cov", COVERAGE_CLEAN_REPORTS), 0);
	assert_true(access("cov/merged.profdata", F_OK) < 0 && access("cov/html", F_OK) < 0);
	assert_true(access("cov/objects", F_OK) < 0);
	/* Not what somebody else put there, nor programs that were not compiled here. */
	assert_int_equal(access("cov/c.txt", F_OK), 0);
	assert_int_equal(access("program", F_OK), 0);
	assert_int_equal(coverage_clean("nowhere", COVERAGE_CLEAN_REPORTS), 0);
}

/* Each in its own directory of the cache; elsewhere they are not ours. */
static void cleaning_removes_programs_that_were_compiled_here(void **state)
{
	static const char *const files[] = { "cache/ktstr/programs/a1/mine",
					     "cache/ktstr/programs/b2/mine",
					     "cache/ktstr/programs/c3/mine",
					     "cache/ktstr/programs-old/d4/mine",
					     "elsewhere/e5/mine" };
	_free_ char *root = str_fmt("%s/cache", dir), *lines = NULL, *part = NULL;

	(void)state;
	setenv("XDG_CACHE_HOME", root, 1);
	unsetenv("KTSTR_CACHE_DIR");
	part = path_cache_part("programs");
	assert_true(str_ends(part, "/cache/ktstr/programs"));
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		unit_write(dir, files[i], "");
	lines = str_fmt("%s/%s\nmine\n%s/%s\n%s/%s\n%s/%s\n", dir, files[4], dir, files[0], dir,
			files[3], dir, files[1]);
	unit_write(dir, "cov/objects", lines);
	assert_int_equal(coverage_clean("cov", COVERAGE_CLEAN_REPORTS), 0);
	assert_int_equal(access(files[0], F_OK), 0);
	unit_write(dir, "cov/objects", lines);
	assert_int_equal(coverage_clean("cov", COVERAGE_CLEAN_PROGRAMS), 0);
	assert_true(access("cache/ktstr/programs/a1", F_OK) < 0);
	assert_true(access("cache/ktstr/programs/b2", F_OK) < 0);
	for (size_t i = 2; i < ARRAY_SIZE(files); i++)
		assert_int_equal(access(files[i], F_OK), 0);
	assert_true(access("cov/objects", F_OK) < 0);
	/* Without a list there is nothing to remove. */
	assert_int_equal(coverage_clean("cov", COVERAGE_CLEAN_PROGRAMS), 0);
	unsetenv("XDG_CACHE_HOME");
}

static void clang_needs_its_runtime(void **state)
{
	_free_ char *found = NULL;

	(void)state;
	assert_null(coverage_find_clang());
	expect_part(err_text(-ENOENT), "coverage needs clang, which is not installed");
	put_tool("clang", clang);
	assert_null(coverage_find_clang());
	expect_part(err_text(-ENOENT), "tools/clang has no runtime for coverage");
	put_tool("clang-18", clang);
	found = coverage_find_clang();
	assert_non_null(found);
	assert_true(str_ends(found, "/clang-18"));
	/* The one that is named counts, if it is one. */
	setenv("CC", "clang", 1);
	assert_null(coverage_find_clang());
	setenv("CC", "gcc", 1);
	free(found);
	found = coverage_find_clang();
	assert_non_null(found);
	setenv("CC", "clang-18", 1);
	free(found);
	found = coverage_find_clang();
	assert_non_null(found);
	unsetenv("CC");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(all_profiles_are_merged_and_reported),
		IN_DIR(the_first_pair_that_understands_the_profiles_is_taken),
		IN_DIR(tools_can_be_named),
		IN_DIR(what_is_missing_is_told),
		IN_DIR(profiles_of_the_environment_are_read_as_well),
		IN_DIR(cleaning_removes_what_is_ours),
		IN_DIR(cleaning_removes_programs_that_were_compiled_here),
		IN_DIR(clang_needs_its_runtime),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
