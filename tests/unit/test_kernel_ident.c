// SPDX-License-Identifier: GPL-2.0-only
/* The grammar of kernel identifiers. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/util.h"
#include "kernel/ident.h"

static void test_kinds(void **state)
{
	static const struct {
		const char *text;
		enum kernel_id_kind kind;
	} rows[] = {
		{ "git+https://example.org/linux.git#main", KERNEL_ID_GIT },
		{ "git+https://example.org/a#b#v6.14", KERNEL_ID_GIT },
		{ "6.12..6.14", KERNEL_ID_RANGE },
		{ "6.12.1..=6.14-rc2", KERNEL_ID_RANGE },
		{ "6.14..6.14", KERNEL_ID_RANGE },
		{ "6.14.9..6.14", KERNEL_ID_RANGE },
		{ "../linux", KERNEL_ID_PATH },
		{ ".", KERNEL_ID_PATH },
		{ "..", KERNEL_ID_PATH },
		{ "..6.14", KERNEL_ID_PATH },
		{ "6.12/linux", KERNEL_ID_PATH },
		{ "~/linux", KERNEL_ID_PATH },
		{ "/usr/src/linux", KERNEL_ID_PATH },
		{ "6.14", KERNEL_ID_VERSION },
		{ "6.14.2", KERNEL_ID_VERSION },
		{ "6.15-rc3", KERNEL_ID_VERSION },
		{ "6.14.2-rc1", KERNEL_ID_VERSION },
		{ "18446744073709551615.0", KERNEL_ID_VERSION },
		{ "18446744073709551616.0", KERNEL_ID_KEY },
		{ "6", KERNEL_ID_KEY },
		{ "6.", KERNEL_ID_KEY },
		{ "6.14.", KERNEL_ID_KEY },
		{ "6.14.2.1", KERNEL_ID_KEY },
		{ "6.14-rc", KERNEL_ID_KEY },
		{ "6.14-3", KERNEL_ID_KEY },
		{ "6.x", KERNEL_ID_KEY },
		{ "v6.14", KERNEL_ID_KEY },
		{ "6.12..", KERNEL_ID_KEY },
		{ "6.12..x", KERNEL_ID_KEY },
		{ "6.12..6.13..6.14", KERNEL_ID_KEY },
		{ "linux", KERNEL_ID_KEY },
		{ "6.14.2-tarball-x86_64-kc01234567", KERNEL_ID_KEY },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_kernel_id_ struct kernel_id id;

		if (kernel_id_parse(rows[i].text, &id) != 0 || id.kind != rows[i].kind)
			fail_msg("'%s' is of kind %d, expected %d", rows[i].text, (int)id.kind,
				 (int)rows[i].kind);
	}
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *sentence;
	} rows[] = {
		{ "", "the kernel identifier is empty" },
		{ "git+https://example.org/x", "a git source is git+URL#REF" },
		{ "git+#x", "a git source is git+URL#REF" },
		{ "git+url#", "a git source is git+URL#REF" },
		{ "git+", "a git source is git+URL#REF" },
		{ "git+url#tag=", "is not the name of a git reference" },
		{ "git+url#-x", "is not the name of a git reference" },
		{ "git+url#sha=123", "40 hexadecimal digits" },
		{ "6.14..6.12",
		  "inverted kernel range '6.14..6.12': 6.14 is newer than 6.12; did you "
		  "mean 6.12..6.14?" },
		{ "6.15..6.15-rc3", "inverted kernel range" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kernel_id id;

		assert_int_equal(kernel_id_parse(rows[i].text, &id), -EINVAL);
		if (!strstr(err_text(-EINVAL), rows[i].sentence))
			fail_msg("'%s': %s", rows[i].text, err_text(-EINVAL));
	}
}

static void test_git_parts(void **state)
{
	_kernel_id_ struct kernel_id id;

	(void)state;
	assert_int_equal(kernel_id_parse("git+https://h/a#b#branch=for/next", &id), 0);
	assert_string_equal(id.url, "https://h/a#b");
	assert_string_equal(id.ref, "for/next");
	assert_int_equal(id.ref_kind, KERNEL_REF_BRANCH);
	kernel_id_finish(&id);
	assert_int_equal(kernel_id_parse("git+u#sha=0123456789abcdef0123456789ABCDEF01234567", &id),
			 0);
	assert_int_equal(id.ref_kind, KERNEL_REF_SHA);
	kernel_id_finish(&id);
	assert_int_equal(kernel_id_parse("git+u#v6.14", &id), 0);
	assert_int_equal(id.ref_kind, KERNEL_REF_ANY);
}

static void test_home(void **state)
{
	_kernel_id_ struct kernel_id id;

	(void)state;
	setenv("HOME", "/home/me", 1);
	assert_int_equal(kernel_id_parse("~/linux", &id), 0);
	assert_string_equal(id.text, "/home/me/linux");
	kernel_id_finish(&id);
	assert_int_equal(kernel_id_parse("~other/linux", &id), 0);
	assert_string_equal(id.text, "~other/linux");
}

static void test_list(void **state)
{
	_kernel_id_list_ struct kernel_id_list list = {};

	(void)state;
	assert_int_equal(kernel_id_list_add(&list, "6.14, ,6.12..6.13,,./linux,"), 0);
	assert_int_equal(list.count, 3);
	assert_int_equal(list.items[0].kind, KERNEL_ID_VERSION);
	assert_int_equal(list.items[1].kind, KERNEL_ID_RANGE);
	assert_string_equal(list.items[2].text, "./linux");
	assert_int_equal(kernel_id_list_add(&list, "key"), 0);
	assert_int_equal(list.count, 4);
	assert_int_equal(kernel_id_list_add(&list, " , "), -EINVAL);
	assert_int_equal(kernel_id_list_add(&list, "6.14,git+x"), -EINVAL);
}

static struct kernel_version version(const char *text)
{
	struct kernel_version v;

	assert_int_equal(kernel_version_parse(text, &v), 0);
	return v;
}

static void test_order(void **state)
{
	static const char *const ascending[] = { "5.19",     "6.0",	   "6.9.12", "6.12-rc1",
						 "6.12-rc9", "6.12-rc10",  "6.12",   "6.12.1",
						 "6.12.10",  "6.13.1-rc1", "6.13.1", "7.0",
						 "10.0" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ascending); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(ascending); k++) {
			struct kernel_version a = version(ascending[i]), b = version(ascending[k]);
			int order = kernel_version_compare(&a, &b);

			if ((i < k && order >= 0) || (i > k && order <= 0) || (i == k && order))
				fail_msg("%s against %s: %d", ascending[i], ascending[k], order);
		}
	}
}

static void test_ranges(void **state)
{
	static const struct {
		const char *version, *start, *end;
		bool is_in;
	} rows[] = {
		{ "6.13", "6.12", "6.14", true },	 { "6.12", "6.12", "6.14", true },
		{ "6.14.9", "6.12", "6.14", true },	 { "6.14.9", "6.12", "6.14.8", false },
		{ "6.15-rc1", "6.12", "6.14", false },	 { "6.14-rc1", "6.12", "6.14", true },
		{ "6.11.9", "6.12", "6.14", false },	 { "6.12.0", "6.12.1", "6.14", false },
		{ "6.14.1", "6.12", "6.14-rc3", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kernel_version v = version(rows[i].version), s = version(rows[i].start),
				      e = version(rows[i].end);

		if (kernel_version_in_range(&v, &s, &e) != rows[i].is_in)
			fail_msg("%s in %s..%s", rows[i].version, rows[i].start, rows[i].end);
	}
}

static void test_format(void **state)
{
	static const char *const texts[] = { "6.14", "6.14.0", "6.15-rc3", "6.14.2-rc1",
					     ("18446744073709551615.18446744073709551615."
					      "18446744073709551615-rc18446744073709551615") };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct kernel_version v = version(texts[i]);
		char text[KERNEL_VERSION_TEXT_SIZE];

		kernel_version_format(&v, text);
		assert_string_equal(text, texts[i]);
	}
}

static void test_sanitize(void **state)
{
	static const struct {
		const char *raw, *label;
	} rows[] = {
		{ "6.14.2", "kernel_6_14_2" },
		{ "6.15-rc3", "kernel_6_15_rc3" },
		{ "--A..b__c--", "kernel_a_b_c" },
		{ "git_o_r_for/next", "kernel_git_o_r_for_next" },
		{ "", "kernel_" },
		{ "\xc3\xa9x", "kernel_x" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_str_ struct str out = {};

		kernel_label_sanitize(&out, rows[i].raw);
		assert_string_equal(str_get(&out), rows[i].label);
	}
}

static void test_raw_labels(void **state)
{
	static const struct {
		const char *id, *raw;
	} rows[] = {
		{ "6.14.2", "6.14.2" },
		{ "6.14.2-tarball-x86_64-kc01234567", "6.14.2" },
		{ "7.0.13-debian-cloud-x86_64", "7.0.13" },
		{ "v6.14-git-0123456-x86_64-kc0", "v6.14" },
		{ "local-0123456-x86_64-kc0", "local_012345" },
		{ "local-unknown-01234567-x86_64-kc0", "local_unknown" },
		{ "git+https://example.org/torvalds/linux.git#v6.14", "git_torvalds/linux_v6.14" },
		{ "git+git@example.org:tj/sched_ext#for-next", "git_tj/sched_ext_for-next" },
	};
	_kernel_id_ struct kernel_id id;
	_str_ struct str path = {};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_kernel_id_ struct kernel_id one;
		_str_ struct str out = {};

		assert_int_equal(kernel_id_parse(rows[i].id, &one), 0);
		assert_int_equal(kernel_label_raw(&out, &one, false), 0);
		assert_string_equal(str_get(&out), rows[i].raw);
	}
	assert_int_equal(kernel_id_parse("/usr/../usr/share", &id), 0);
	assert_int_equal(kernel_label_raw(&path, &id, true), 0);
	/* CRC-32 of "/usr/share" */
	assert_string_equal(str_get(&path), "path_share_611e3c_dirty");
	kernel_id_finish(&id);
	assert_int_equal(kernel_id_parse("/not/there", &id), 0);
	assert_int_equal(kernel_label_raw(&path, &id, false), -ENOENT);
}

static void test_same_labels(void **state)
{
	static const char *const raw[] = { "6.14", "6.15-rc3", "6.15.rc3" };

	(void)state;
	assert_int_equal(kernel_label_check(raw, 2), 0);
	assert_int_equal(kernel_label_check(raw, 3), -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), "kernels '6.15-rc3' and '6.15.rc3' would both be "
						  "called kernel_6_15_rc3"));
}

static void test_nearest(void **state)
{
	static const char *const known[] = { "6.12.1", "7.0.1", "6.14.2", "6.14.2", "6.9", "7.2" };
	static const struct {
		const char *wanted, *near;
	} rows[] = {
		{ "6.13", "7.0.1, 6.14.2, 6.12.1, 6.9" },
		{ "9.0", "7.2, 7.0.1" },
		{ "1.0", "6.12.1, 6.9" },
		{ "6.14.2", "7.2, 7.0.1, 6.14.2, 6.12.1" },
	};
	_nearest_ struct nearest n = {};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		struct kernel_version v = version(known[i]);

		nearest_add(&n, &v);
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kernel_version v = version(rows[i].wanted);
		_str_ struct str out = {};

		nearest_format(&n, &v, &out);
		assert_string_equal(str_get(&out), rows[i].near);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),	    cmocka_unit_test(test_refused),
		cmocka_unit_test(test_git_parts),   cmocka_unit_test(test_home),
		cmocka_unit_test(test_list),	    cmocka_unit_test(test_order),
		cmocka_unit_test(test_ranges),	    cmocka_unit_test(test_format),
		cmocka_unit_test(test_sanitize),    cmocka_unit_test(test_raw_labels),
		cmocka_unit_test(test_same_labels), cmocka_unit_test(test_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
