// SPDX-License-Identifier: GPL-2.0-only
/* Configurations, versions in Makefiles, tools. */
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
#include "kernel/build.h"

static const char config[] = "CONFIG_A=y\n# CONFIG_B is not set\nCONFIG_HZ=250\nCONFIG_HZ=1000\n"
			     "CONFIG_NAME=\"x y\"\nCONFIG_M=m";

static void test_get(void **state)
{
	_str_ struct str value = {};

	(void)state;
	assert_true(kconfig_value(config, "CONFIG_HZ", &value));
	assert_string_equal(str_get(&value), "1000");
	str_reset(&value);
	assert_true(kconfig_value(config, "CONFIG_M", &value));
	assert_string_equal(str_get(&value), "m");
	assert_false(kconfig_value(config, "CONFIG_B", &value));
	assert_false(kconfig_value(config, "CONFIG_H", &value));
}

static void test_has_all(void **state)
{
	static const struct {
		const char *fragment;
		bool has;
	} rows[] = {
		{ "", true },
		{ "# a comment\n\n", true },
		{ "CONFIG_A=y\n# CONFIG_B is not set\n", true },
		{ "CONFIG_HZ=1000\nCONFIG_NAME=\"x y\"", true },
		{ "CONFIG_HZ=250", false },
		{ "# CONFIG_UNHEARD_OF is not set", true },
		{ "# CONFIG_A is not set", false },
		{ "CONFIG_B=y", false },
		{ "CONFIG_A=yes", false },
		{ "CONFIG_M=y", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (kconfig_has_all(config, rows[i].fragment) != rows[i].has)
			fail_msg("'%s'", rows[i].fragment);
}

/* The fragment satisfies the check that every build has to pass. */
static void test_fragment(void **state)
{
	static const char *const needed[] = { "CONFIG_VIRTIO_PCI",    "CONFIG_TASK_DELAY_ACCT",
					      "CONFIG_PVPANIC_PCI",   "CONFIG_RD_LZ4",
					      "CONFIG_IKCONFIG_PROC", "CONFIG_ACPI_HMAT" };
	size_t len;
	const char *text = kconfig_fragment(&len);
	_str_ struct str value = {};

	(void)state;
	assert_int_equal(strlen(text), len);
	assert_int_equal(kconfig_check(text), 0);
	assert_true(kconfig_has_all(text, text));
	for (size_t i = 0; i < ARRAY_SIZE(needed); i++)
		if (!kconfig_value(text, needed[i], &value))
			fail_msg("%s is not in the fragment", needed[i]);
	assert_int_equal(strlen(kconfig_hash()), 8);
}

static void test_check(void **state)
{
	(void)state;
	assert_int_equal(kconfig_check("CONFIG_BPF_SYSCALL=y\nCONFIG_FTRACE=y\n"
				       "CONFIG_KPROBE_EVENTS=y\nCONFIG_BPF_EVENTS=m\n"
				       "CONFIG_SCHED_CLASS_EXT=y\n"),
			 -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), "CONFIG_DEBUG_INFO_BTF (needs pahole 1.16"));
	assert_non_null(strstr(err_text(-EINVAL), "CONFIG_BPF_EVENTS (needs"));
	assert_null(strstr(err_text(-EINVAL), "CONFIG_FTRACE"));
}

static void test_makefile(void **state)
{
	static const struct {
		const char *text, *version;
	} rows[] = {
		{ "# x\nVERSION = 6\nPATCHLEVEL = 14\nSUBLEVEL = 2\nEXTRAVERSION =\n", "6.14.2" },
		{ "VERSION = 7\nPATCHLEVEL = 0\nSUBLEVEL = 0\nEXTRAVERSION =\n", "7.0" },
		{ "VERSION=7\nPATCHLEVEL=1\nSUBLEVEL=0\nEXTRAVERSION=-rc4\n", "7.1-rc4" },
		{ "VERSION = 6\nPATCHLEVEL = 14\nSUBLEVEL = 2\nEXTRAVERSION = -mine", "6.14.2" },
		{ "PATCHLEVEL = 14\n", NULL },
		{ "VERSION = six\nPATCHLEVEL = 14\n", NULL },
		{ "", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char text[KERNEL_VERSION_TEXT_SIZE];
		struct kernel_version v;
		bool found = source_tree_parse_version(rows[i].text, &v);

		assert_int_equal(found, rows[i].version != NULL);
		if (!found)
			continue;
		kernel_version_format(&v, text);
		assert_string_equal(text, rows[i].version);
	}
}

static void test_pahole(void **state)
{
	(void)state;
	assert_int_equal(make_parse_pahole("v1.24\n"), 124);
	assert_int_equal(make_parse_pahole("1.26"), 126);
	assert_int_equal(make_parse_pahole("v2.0"), 200);
	assert_int_equal(make_parse_pahole("v1.9"), 109);
	assert_int_equal(make_parse_pahole(""), -1);
	assert_int_equal(make_parse_pahole("vx.y"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_get),	 cmocka_unit_test(test_has_all),
		cmocka_unit_test(test_fragment), cmocka_unit_test(test_check),
		cmocka_unit_test(test_makefile), cmocka_unit_test(test_pahole),

	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
