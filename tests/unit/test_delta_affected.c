// SPDX-License-Identifier: GPL-2.0-only
/* Dependency files, and what of a change is a document. */
#include "unit.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "base/texts.h"
#include "base/util.h"
#include "delta/affected.h"

/* "target<source ..." */
static void expect_parsed(const char *text, const char *expected)
{
	_cleanup_(dependencies_finish) struct dependencies d = {};
	_str_ struct str got = {};

	assert_int_equal(dependencies_parse(&d, text, "/top"), 0);
	for (size_t i = 0; i < d.items.count; i++)
		str_addf(&got, "%s%s<%s", i ? " " : "", d.items.items[i].target,
			 d.items.items[i].source);
	assert_string_equal(str_get(&got), expected);
}

static void rules_of_make_are_read(void **state)
{
	(void)state;
	expect_parsed("build/scx_a.o: src/a.c \\\n  src/a.h \\\n ./b.h\n\nsrc/a.h:\nsrc/b.h:\n",
		      "scx_a<src/a.c scx_a<src/a.h scx_a<b.h");
	expect_parsed("x.bpf.o: /top/bpf/x.c /usr/include/y.h\ny.o: y.c\n",
		      "x<bpf/x.c x</usr/include/y.h y<y.c");
	expect_parsed("x.o: with\\ blank.c\n", "x<with blank.c");
	expect_parsed("x.o:\\\na.c\\\nb.c", "x<a.c x<b.c");
	expect_parsed("", "");
	expect_parsed("no rule at all\n", "");
	expect_parsed("\\", "");
	expect_parsed("a:\\", "");
	expect_parsed(":\n", "");
	expect_parsed(": a\n", "<a");
}

/* All of them below a directory, but for what is git's own. */
static void rules_are_found_in_files_of_compilers(void **state)
{
	_cleanup_(dependencies_finish) struct dependencies d = {};
	_str_ struct str got = {};
	char *dir = unit_temp_create();

	(void)state;
	unit_write(dir, "build/a.d", "a.o: a.c\n");
	unit_write(dir, "build/deep/b.d", "b.o: b.c c.h\n");
	unit_write(dir, ".d", "hidden.o: hidden.c\n");
	unit_write(dir, "x.dd", "other.o: other.c\n");
	unit_write(dir, "x.d/y.txt", "text.o: text.c\n");
	unit_write(dir, "d", "short.o: short.c\n");
	unit_write(dir, ".git/objects/z.d", "git.o: git.c\n");
	unit_write(dir, "sub/.git/z.d", "git.o: git.c\n");
	assert_int_equal(dependencies_find(&d, dir), 0);
	assert_int_equal(d.items.count, 4);
	for (size_t i = 0; i < d.items.count; i++)
		str_addf(&got, "%s<%s ", d.items.items[i].target, d.items.items[i].source);
	assert_non_null(strstr(str_get(&got), "a<a.c "));
	assert_non_null(strstr(str_get(&got), "b<b.c b<c.h "));
	assert_null(strstr(str_get(&got), "git"));
	assert_null(strstr(str_get(&got), "other"));
	unit_temp_remove(dir);
}

static void documents_are_told_by_their_names(void **state)
{
	static const char *const documents[] = { "README.md", "docs/x.png", "a/b.rst", "LICENSE",
						 "Documentation/x" };
	static const char *const others[] = { "a.c", "CMakeLists.txt", "x/docs/a.c", ".md",
					      "md",  "docs/example.c" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(documents); i++)
		assert_true(affected_is_document(documents[i]));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(affected_is_document(others[i]));
}

/* ---- what a change touches ---- */

static struct probe_sched scheds[] = {
	{ .name = "mine", .binary = "scx_mine" },
	{ .name = "other", .binary_path = "/opt/bin/scx_other" },
	{ .name = "plain" },
};
static struct probe_test tests_of_program[] = {
	{ .name = "naps", .file = "/top/tests/naps.c", .scheduler = "mine" },
	{ .name = "herd", .file = "/top/tests/herd.c", .scheduler = "other" },
	{ .name = "bare", .file = "tests/bare.c" },
};
static struct test_program program = {
	.name = "suite",
	.source = "/top/tests/suite.yaml",
	.probe = { .schedulers = { scheds, ARRAY_SIZE(scheds) },
		   .tests = { tests_of_program, ARRAY_SIZE(tests_of_program) } },
};

/* "schedulers | tests | doubt" of a change of these files. */
static void expect_touched(const char *files, const char *rules, const char *expected)
{
	const struct test_programs programs = { .items = { .items = &program, .count = 1 } };
	_cleanup_(dependencies_finish) struct dependencies d = {};
	_texts_ struct texts changed = {};
	_str_ struct str got = {};
	struct affected a;

	for (const char *at = files; *at; at += strcspn(at, " "), at += *at == ' ') {
		_free_ char *one = strndup(at, strcspn(at, " "));

		assert_int_equal(texts_add(&changed, one), 0);
	}
	assert_int_equal(dependencies_parse(&d, rules, "/top"), 0);
	assert_int_equal(affected_find(&a, &changed, &d, &programs), 0);
	for (size_t i = 0; i < a.schedulers.count; i++)
		str_addf(&got, "%s ", a.schedulers.items[i]);
	str_add(&got, "|");
	for (size_t i = 0; i < a.tests.count; i++)
		str_addf(&got, " %s", a.tests.items[i]);
	if (a.doubt)
		str_addf(&got, " | %s", a.doubt);
	if (strcmp(str_get(&got), expected))
		fail_msg("%s: '%s', not '%s'", files, str_get(&got), expected);
	affected_finish(&a);
}

#define ALL "mine other plain | naps herd bare | "

static void names_of_files_tell_whom_they_touch(void **state)
{
	(void)state;
	expect_touched("", "", "|");
	expect_touched("README.md docs/x.png", "", "|");
	/* By a directory, by the file up to its first dot, with either of - and _. */
	expect_touched("scheds/scx_mine/main.c", "", "mine | naps");
	expect_touched("scheds/scx-mine.bpf.c", "", "mine | naps");
	expect_touched("mine/x.c", "", "mine | naps");
	expect_touched("src/scx_other.c", "", "other | herd");
	expect_touched("plain/a.c", "", "plain |");
	expect_touched("scx_other/a.c scx_mine/b.c README.md", "", "other mine | herd naps");
	/* A name is a whole part. */
	expect_touched("scx_mine2/a.c", "", ALL "scx_mine2/a.c");
	expect_touched("scx_min/a.c", "", ALL "scx_min/a.c");
	expect_touched("tcx_mine/a.c", "", ALL "tcx_mine/a.c");
	expect_touched("nine/a.c", "", ALL "nine/a.c");
	expect_touched("scx.mine/a.c", "", ALL "scx.mine/a.c");
	/* A test by its own file, or by that of its program. */
	expect_touched("tests/naps.c", "", "mine | naps");
	expect_touched("naps.c", "", "mine | naps");
	expect_touched("ests/naps.c", "", ALL "ests/naps.c");
	expect_touched("tests/bare.c", "", "| bare");
	expect_touched("top/tests/bare.c", "", ALL "top/tests/bare.c");
	expect_touched("tests/suite.yaml", "", "mine other | naps herd bare");
	/* The first that nobody knows makes it all. */
	expect_touched("tests/bare.c Makefile x.c", "", ALL "Makefile");
}

static void rules_tell_whom_files_touch(void **state)
{
	static const char rules[] = "build/scx_mine.o: lib/queue.c scx_mine/main.c\n"
				    "build/scx-other.bpf.o: lib/queue.c\n"
				    "build/suite.o: lib/suite.h\nbuild/helper.o: lib/help.c\n";

	(void)state;
	expect_touched("lib/queue.c", rules, "mine other | naps herd");
	/* With rules the name of a directory says nothing. */
	expect_touched("scx_mine/main.c", rules, "mine | naps");
	expect_touched("scx_mine/notes.c", rules, ALL "scx_mine/notes.c");
	expect_touched("plain/a.c", rules, "plain |");
	/* Of something that may be linked into anything. */
	expect_touched("lib/help.c", rules, ALL "lib/help.c");
	expect_touched("tests/bare.c", "build/helper.o: tests/bare.c\n", ALL "tests/bare.c");
	expect_touched("tests/bare.c", "build/suite.o: tests/bare.c\n", "| bare");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_of_make_are_read),
		cmocka_unit_test(rules_are_found_in_files_of_compilers),
		cmocka_unit_test(documents_are_told_by_their_names),
		cmocka_unit_test(names_of_files_tell_whom_they_touch),
		cmocka_unit_test(rules_tell_whom_files_touch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
