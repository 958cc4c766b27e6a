// SPDX-License-Identifier: GPL-2.0-only
/* The configuration of a kernel: its own, the one in its image, or what the image proves. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/file.h"
#include "base/util.h"
#include "kernel/cache.h"
#include "kernel/kernel.h"
#include "kernel/parts.h"
#include "kernel_fixture.h"

#define FACTS                                                                             \
	CONFIG_FACTS_MARK "\nCONFIG_64BIT=y\nCONFIG_X86=y\nCONFIG_X86_64=y\n"             \
			  "CONFIG_DEBUG_INFO_BTF=y\nCONFIG_CGROUPS=y\nCONFIG_CPUSETS=y\n" \
			  "CONFIG_SCHED_CORE=y\nCONFIG_SMP=y\n"

static void open_entry(const char *key, const char *image_options, struct kernel_image *k)
{
	_free_ char *metadata = fixture_metadata("6.14.2", "2026-01-01T00:00:00Z", "");

	fixture_entry(key, metadata, image_options);
	assert_int_equal(cache_open(fixture_path("cache"), key, k), 0);
}

static void expect_config(const struct kernel_image *k, const char *text)
{
	_str_ struct str out = {};

	assert_int_equal(kernel_config_read(k, &out), 0);
	assert_string_equal(str_get(&out), text);
}

static void expect_file(const char *path, const char *text)
{
	_str_ struct str out = {};

	assert_int_equal(file_read(path, &out), 0);
	assert_string_equal(str_get(&out), text);
}

/* The evidence in the image of the fixture: a function, two members, an enumerator. */
static void facts_are_derived_and_kept(void **state)
{
	_kernel_image_ struct kernel_image k = {};
	const char *kept;

	(void)state;
	open_entry("derived", "", &k);
	expect_config(&k, FACTS);
	kept = fixture_path("cache/derived/config.derived-1");
	expect_file(kept, FACTS);
	/* What is kept is believed, unless it is not ours. */
	fixture_write(kept, CONFIG_FACTS_MARK "\nCONFIG_KEPT=y\n");
	expect_config(&k, CONFIG_FACTS_MARK "\nCONFIG_KEPT=y\n");
	fixture_write(kept, "");
	expect_config(&k, FACTS);
	expect_file(kept, FACTS);
	/* It is not taken for the kernel's own. */
	kernel_image_finish(&k);
	assert_int_equal(cache_open(fixture_path("cache"), "derived", &k), 0);
	assert_null(k.config);
}

static void types_are_not_needed_for_the_machine(void **state)
{
	_kernel_image_ struct kernel_image k = {};

	(void)state;
	open_entry("plain", "--no-btf", &k);
	expect_config(&k, CONFIG_FACTS_MARK "\nCONFIG_64BIT=y\nCONFIG_X86=y\nCONFIG_X86_64=y\n");
}

static void the_embedded_one_is_better(void **state)
{
	_kernel_image_ struct kernel_image k = {};

	(void)state;
	open_entry("embedded", "--embed CONFIG_HZ=1000", &k);
	expect_config(&k, "CONFIG_HZ=1000");
	/* It is the kernel's own: from now on the entry has one. */
	expect_file(fixture_path("cache/embedded/config"), "CONFIG_HZ=1000");
	kernel_image_finish(&k);
	assert_int_equal(cache_open(fixture_path("cache"), "embedded", &k), 0);
	assert_string_equal(k.config, fixture_path("cache/embedded/config"));
}

static void its_own_is_best(void **state)
{
	_kernel_image_ struct kernel_image k = {};

	(void)state;
	open_entry("own", "--embed CONFIG_HZ=1000", &k);
	fixture_write(fixture_path("cache/own/config"), "CONFIG_HZ=300\n");
	kernel_image_finish(&k);
	assert_int_equal(cache_open(fixture_path("cache"), "own", &k), 0);
	expect_config(&k, "CONFIG_HZ=300\n");
}

/* Outside of the cache nothing is left behind. */
static void an_image_alone_is_looked_into(void **state)
{
	struct kernel_image k = {};

	(void)state;
	fixture_mkdir(fixture_path("alone"));
	fixture_image("%s", fixture_path("alone/bzImage"));
	k.image = (char *)fixture_path("alone/bzImage");
	expect_config(&k, FACTS);
	assert_int_equal(access(fixture_path("alone/config.derived-1"), F_OK), -1);
}

static void what_is_embedded_may_be_damaged(void **state)
{
	static const char *const not_there[] = {
		"",
		"IKCFG_ST",
		"IKCFG_STIKCFG_ED",
		"IKCFG_ST no gzip, but long enoughIKCFG_ED",
		"IKCFG_ST\x1f\x8b and no end of it at all",
	};
	static const char damaged[] =
		"IKCFG_ST\x1f\x8b\x08\x00 damaged, with a size:\x10\0\0\0IKCFG_ED";
	_str_ struct str out = {};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(not_there); i++)
		assert_int_equal(config_embedded_add(not_there[i], strlen(not_there[i]), &out),
				 -ENOENT);
	assert_int_equal(config_embedded_add(damaged, sizeof(damaged) - 1, &out), -EINVAL);
	assert_int_equal(out.len, 0);
	assert_int_equal(config_facts_add("no ELF", 6, &out), -EINVAL);
	assert_int_equal(out.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts_are_derived_and_kept),
		cmocka_unit_test(types_are_not_needed_for_the_machine),
		cmocka_unit_test(the_embedded_one_is_better),
		cmocka_unit_test(its_own_is_best),
		cmocka_unit_test(an_image_alone_is_looked_into),
		cmocka_unit_test(what_is_embedded_may_be_damaged),
	};

	return cmocka_run_group_tests(tests, kernel_fixture_setup, kernel_fixture_teardown);
}
