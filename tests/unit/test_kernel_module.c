// SPDX-License-Identifier: GPL-2.0-only
/* Modules: where they are looked for, in which forms, and what is said without one. */
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
#include "kernel/archive.h"
#include "kernel/module.h"
#include "kernel_fixture.h"

#define NAME "drivers/block/virtio_blk"

static void expect_module(const struct kernel_image *k, const char *text)
{
	_str_ struct str module = {};

	assert_int_equal(kernel_module_get(k, NAME, "ktstr", &module), 0);
	assert_string_equal(str_get(&module), text);
}

static void expect_none(const struct kernel_image *k, int errnum, const char *text)
{
	_str_ struct str module = {};
	int rc = kernel_module_get(k, NAME, "ktstr", &module);

	assert_int_equal(rc, -errnum);
	assert_string_equal(err_text(rc), text);
}

static void a_built_tree_has_it_plain_or_packed(void **state)
{
	_free_ char *tree = strdup(fixture_path("tree"));
	_free_ char *pack = str_fmt("gzip %s/" NAME ".ko", tree);
	struct kernel_image k = { .source_tree = tree };

	(void)state;
	fixture_mkdir(fixture_path("tree/drivers/block"));
	expect_none(&k, ENOENT, "this kernel comes without a module virtio_blk");
	fixture_write(fixture_path("tree/" NAME ".ko"), "as it was built");
	expect_module(&k, "as it was built");
	assert_int_equal(system(pack), 0); /* NOLINT(cert-env33-c): a fixture */
	expect_module(&k, "as it was built");
	fixture_write(fixture_path("tree/" NAME ".ko"), "");
	expect_module(&k, "");
}

static void a_cache_entry_keeps_it(void **state)
{
	_free_ char *metadata = fixture_metadata("6.14.2", "2026-07-04T23:06:12Z", "");
	struct kernel_image k = { .key = "6.14.2-tarball-x86_64-kcabc" };

	(void)state;
	fixture_entry(k.key, metadata, "");
	expect_none(&k, ENOENT, "this kernel comes without a module virtio_blk");
	fixture_write(fixture_path("cache/%s/virtio_blk.ko", k.key), "kept");
	expect_module(&k, "kept");
}

static void a_file_that_unpacks_to_too_much_is_refused(void **state)
{
	_str_ struct str text = {};
	int rc;

	(void)state;
	fixture_write(fixture_path("long"), "0123456789");
	assert_int_equal(archive_read_file(fixture_path("long"), 10, &text), 0);
	assert_string_equal(str_get(&text), "0123456789");
	rc = archive_read_file(fixture_path("long"), 9, &text);
	assert_int_equal(rc, -EFBIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_built_tree_has_it_plain_or_packed,
						kernel_fixture_setup, kernel_fixture_teardown),
		cmocka_unit_test_setup_teardown(a_cache_entry_keeps_it, kernel_fixture_setup,
						kernel_fixture_teardown),
		cmocka_unit_test_setup_teardown(a_file_that_unpacks_to_too_much_is_refused,
						kernel_fixture_setup, kernel_fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
