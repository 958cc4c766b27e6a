// SPDX-License-Identifier: GPL-2.0-only
/* Dependency files, and what of a change is a document. */
#include "unit.h"

#include "base/cleanup.h"
#include "base/str.h"
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_of_make_are_read),
		cmocka_unit_test(documents_are_told_by_their_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
