// SPDX-License-Identifier: GPL-2.0-only
/* From identifiers, or none at all, to a kernel; without network. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/util.h"
#include "kernel/cache.h"
#include "kernel/kernel.h"
#include "kernel/parts.h"
#include "kernel_fixture.h"

static int setup(void **state)
{
	int rc = kernel_fixture_setup(state);

	if (rc == 0) {
		fixture_mkdir(fixture_path("work/here"));
		fixture_mkdir(fixture_path("modules/6.0-host"));
		fixture_mkdir(fixture_path("boot"));
	}
	return rc;
}

static int discover(struct kernel_image *out)
{
	return discover_in(&(struct discover_places){ .here = fixture_path("work/here"),
						      .modules = fixture_path("modules"),
						      .boot = fixture_path("boot"),
						      .release = "6.0-host" },
			   out);
}

static void expect_discovered(const char *image)
{
	_kernel_image_ struct kernel_image k = {};
	int rc = discover(&k);

	if (rc < 0)
		fail_msg("expected %s: %s", image, err_text(rc));
	assert_string_equal(k.image, image);
}

static void expect_refused(const char *sentence)
{
	_kernel_image_ struct kernel_image k = {};
	int rc = discover(&k);

	assert_true(rc < 0);
	if (!strstr(err_text(rc), sentence))
		fail_msg("expected '%s', got '%s'", sentence, err_text(rc));
}

static void put(const char *key, const char *version, const char *built_at)
{
	_free_ char *text = fixture_metadata(version, built_at, "");

	fixture_entry(key, text, "");
}

static int running(struct kernel_image *out)
{
	return discover_running_in(&(struct discover_places){ .here = "/nowhere",
							      .modules = fixture_path("modules"),
							      .boot = fixture_path("boot"),
							      .release = "6.0-host" },
				   out);
}

/* --kernel host is the kernel that runs here, and no other. */
static void test_running_kernel(void **state)
{
	_kernel_image_ struct kernel_image none = {}, debian = {}, fedora = {};
	int rc;

	(void)state;
	fixture_image("%s", fixture_path("boot/vmlinuz"));
	fixture_image("%s", fixture_path("boot/vmlinuz-5.0-other"));
	rc = running(&none);
	assert_int_equal(rc, -ENOENT);
	assert_non_null(strstr(err_text(rc), "the running kernel 6.0-host has no image here"));
	fixture_image("%s", fixture_path("boot/vmlinuz-6.0-host"));
	assert_int_equal(running(&debian), 0);
	assert_string_equal(debian.image, fixture_path("boot/vmlinuz-6.0-host"));
	fixture_image("%s", fixture_path("modules/6.0-host/vmlinuz"));
	assert_int_equal(running(&fedora), 0);
	assert_string_equal(fedora.image, fixture_path("modules/6.0-host/vmlinuz"));
}

/* Wherever it is, an image that only root may read is there. */
static void test_running_kernel_is_hidden(void **state)
{
	static const char *const places[] = { "modules/6.0-host/vmlinuz", "boot/vmlinuz-6.0-host" };
	uid_t was = getuid(), other = was ? was : 65534;

	(void)state;
	assert_int_equal(chmod(fixture_path("."), 0711), 0);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		_kernel_image_ struct kernel_image none = {};
		int rc;

		fixture_image("%s", fixture_path("%s", places[i]));
		assert_int_equal(chmod(fixture_path("%s", places[i]), 0), 0);
		/* Root may read everything. */
		assert_int_equal(setresuid(other, other, was), 0);
		rc = running(&none);
		assert_int_equal(setresuid(was, was, was), 0);
		assert_int_equal(rc, -EACCES);
		assert_non_null(strstr(err_text(rc), "may be read by root only"));
		assert_non_null(strstr(err_text(rc), fixture_path("%s", places[i])));
		assert_int_equal(unlink(fixture_path("%s", places[i])), 0);
	}
}

/* The places of the machine, from the last to the first. */
static void test_machine_places(void **state)
{
	static const char *const places[] = {
		"boot/vmlinuz",
		"boot/vmlinuz-6.0-host",
		"modules/6.0-host/vmlinuz",
		"modules/6.0-host/build/arch/x86/boot/bzImage",
		"work/linux/arch/x86/boot/bzImage",
		"work/here/linux/bzImage",
		"work/here/linux/arch/x86/boot/bzImage",
	};

	(void)state;
	expect_refused("no kernel found");
	expect_refused("KTSTR_TEST_KERNEL to a bzImage");
	expect_refused("set KTSTR_KERNEL to a source tree, version or cache key");
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		char *directory = strdup(fixture_path("%s", places[i]));

		*strrchr(directory, '/') = '\0';
		fixture_mkdir(directory);
		free(directory);
		fixture_write(fixture_path("%s", places[i]), "not a kernel");
		if (i > 0 && !str_eq(places[i], "work/here/linux/arch/x86/boot/bzImage")) {
			_kernel_image_ struct kernel_image k = {};

			assert_int_equal(discover(&k), 0); /* passed over */
		}
		fixture_image("%s", fixture_path("%s", places[i]));
		if (str_eq(places[i], "work/linux/arch/x86/boot/bzImage"))
			expect_discovered(fixture_path("work/here/../linux/arch/x86/boot/bzImage"));
		else
			expect_discovered(fixture_path("%s", places[i]));
	}
}

static void test_cache_before_machine(void **state)
{
	(void)state;
	fixture_image("%s", fixture_path("boot/vmlinuz"));
	fixture_entry(
		"stale",
		"{\"version\": \"9.0\", \"source\": {\"type\": \"tarball\"}, \"arch\": \"x86_64\", "
		"\"image_name\": \"bzImage\", \"config_hash\": null, \"built_at\": \"2027\", "
		"\"ktstr_kconfig_hash\": \"0\", \"has_vmlinux\": false, "
		"\"vmlinux_stripped\": false}",
		"");
	expect_discovered(fixture_path("boot/vmlinuz"));
	/* The highest usable version, not the one that was stored last. */
	put("high", "6.12.1", "2026-01-01T00:00:00Z");
	put("last", "6.11.1", "2026-01-02T00:00:00Z");
	expect_discovered(fixture_path("cache/high/bzImage"));
}

static void test_environment(void **state)
{
	(void)state;
	put("key-1", "6.12.1", "2026-01-01T00:00:00Z");
	put("key-2", "6.14.2", "2026-01-02T00:00:00Z");
	setenv("KTSTR_KERNEL", "6.12", 1);
	expect_discovered(fixture_path("cache/key-1/bzImage"));
	setenv("KTSTR_KERNEL", "key-2", 1);
	expect_discovered(fixture_path("cache/key-2/bzImage"));
	setenv("KTSTR_KERNEL", fixture_path("cache/key-2"), 1);
	expect_discovered(fixture_path("cache/key-2/bzImage"));
	/* A kernel that was named is never replaced by another one. */
	setenv("KTSTR_KERNEL", "6.13.7", 1);
	expect_refused("KTSTR_KERNEL names kernel '6.13.7', which is not in the cache");
	fixture_write(fixture_path("cache/key-1/metadata.json"), "{");
	setenv("KTSTR_KERNEL", "key-1", 1);
	expect_refused("KTSTR_KERNEL: the cached kernel 'key-1' is corrupt: ");
	put("key-1", "6.12.1", "2026-01-01T00:00:00Z");
	setenv("KTSTR_KERNEL", "6.12..6.14", 1);
	expect_refused("it takes a path, a version or a cache key");
	setenv("KTSTR_KERNEL", fixture_path("work"), 1);
	expect_refused("neither arch/x86/boot/bzImage nor bzImage is there");
	setenv("KTSTR_KERNEL_LIST", "a=key-1;b=key-2", 1);
	expect_discovered(fixture_path("cache/key-1/bzImage"));
	setenv("KTSTR_KERNEL_LIST", "nonsense", 1);
	expect_refused("it takes LABEL=PATH;...");

	setenv("KTSTR_TEST_KERNEL", "", 1);
	expect_refused("KTSTR_TEST_KERNEL is empty");
	setenv("KTSTR_TEST_KERNEL", fixture_path("absent"), 1);
	expect_refused("absent: No such file or directory");
	fixture_write(fixture_path("text"), "text");
	setenv("KTSTR_TEST_KERNEL", fixture_path("text"), 1);
	expect_refused("KTSTR_TEST_KERNEL: ");
	fixture_image("%s", fixture_path("image"));
	setenv("KTSTR_TEST_KERNEL", fixture_path("image"), 1);
	expect_discovered(fixture_path("image"));
}

static void expect_error(const char *id, const struct kernel_resolve_opts *opts,
			 const char *sentence)
{
	_kernel_image_ struct kernel_image k = {};
	int rc = kernel_resolve(id, opts, &k);

	assert_true(rc < 0);
	if (!strstr(err_text(rc), sentence))
		fail_msg("%s: expected '%s', got '%s'", id, sentence, err_text(rc));
}

static void expect_key(const char *id, const char *key)
{
	_kernel_image_ struct kernel_image k = {};
	int rc = kernel_resolve(id, NULL, &k);

	if (rc < 0)
		fail_msg("%s: %s", id, err_text(rc));
	assert_string_equal(k.key, key);
}

static void test_resolve(void **state)
{
	_kernel_image_ struct kernel_image k = {};

	(void)state;
	put("6.12.1-x", "6.12.1", "2026-01-01T00:00:00Z");
	put("6.12.9-x", "6.12.9", "2026-01-01T00:00:00Z");
	put("6.14.2-x", "6.14.2", "2026-01-01T00:00:00Z");
	expect_key("6.12", "6.12.9-x");
	expect_key("6.12.1", "6.12.1-x");
	expect_key("6.14.2-x", "6.14.2-x");
	expect_key(" 6.14.2-x ,,", "6.14.2-x");
	/* A range that is one kernel is that kernel; the cache stands in for the index. */
	expect_key("6.13..6.15", "6.14.2-x");
	expect_error("6.12..6.15", NULL,
		     "'6.12..6.15' is 3 kernels, and only one can be taken here: "
		     "6.12.1, 6.12.9, 6.14.2");
	expect_error("6.12,6.14", NULL,
		     "2 kernels are named, and only one can be taken here: 6.12, 6.14");
	expect_error("no-such-key", NULL, "no kernel 'no-such-key' in the cache");
	expect_error("no-such-key", NULL, "see `ktstr kernel list`");
	expect_error("6.12..", NULL, "no kernel '6.12..' in the cache");
	expect_error("", NULL, "the kernel identifier is empty");
	expect_error(fixture_path("absent"), NULL, "absent: No such file or directory");
	expect_error(fixture_path("work"), NULL, "is not a kernel source tree");

	/* What is not available is answered with what can; a tree's version stands for nothing. */
	fixture_entry("local-abc",
		      "{\"version\": \"6.13.7\", \"source\": {\"type\": \"local\"}, \"arch\": "
		      "\"x86_64\", \"image_name\": \"bzImage\", \"config_hash\": null, "
		      "\"built_at\": \"2027\", \"ktstr_kconfig_hash\": null, \"has_vmlinux\": "
		      "false, \"vmlinux_stripped\": false}",
		      "");
	expect_error("6.13.7", NULL, "Linux 6.13.7 is not available: ");
	expect_error("6.13.7", NULL, "; the nearest available: 6.14.2, 6.12.9, 6.12.1");

	fixture_image("%s", fixture_path("raw"));
	expect_error(fixture_path("raw"), NULL,
		     "raw kernel images are taken by `cargo ktstr shell` only");
	assert_int_equal(kernel_resolve(fixture_path("raw"),
					&(struct kernel_resolve_opts){ .allow_raw_image = true },
					&k),
			 0);
	assert_string_equal(k.image, fixture_path("raw"));
	assert_null(k.key);
}

/* Whatever number of entries a version has. */
static void test_range_names_each_version_once(void **state)
{
	(void)state;
	put("6.12.1-x", "6.12.1", "2026-01-01T00:00:00Z");
	put("6.14.2-x", "6.14.2", "2026-01-01T00:00:00Z");
	put("6.14.2-y", "6.14.2", "2026-01-02T00:00:00Z");
	expect_error("6.12..6.15", NULL,
		     "'6.12..6.15' is 2 kernels, and only one can be taken "
		     "here: 6.12.1, 6.14.2");
}

/* A kernel without sched_ext stands for its own version only: who names a series wants one with. */
static void test_series_is_one_that_can_be_used(void **state)
{
	(void)state;
	put("6.12.1-x", "6.12.1", "2026-01-01T00:00:00Z");
	fixture_entry("6.12.9-bare",
		      "{\"version\": \"6.12.9\", \"source\": {\"type\": \"distro\", \"package\": "
		      "\"p\", \"package_version\": \"1\", \"suite\": \"s\"}, \"arch\": \"x86_64\", "
		      "\"image_name\": \"bzImage\", \"config_hash\": null, \"built_at\": "
		      "\"2026-01-02T00:00:00Z\", \"ktstr_kconfig_hash\": null, \"has_vmlinux\": "
		      "false, \"vmlinux_stripped\": false, \"btf\": \"ok\", \"has_scx\": false}",
		      "");
	expect_key("6.12", "6.12.1-x");
	expect_key("6.12.9", "6.12.9-bare");
}

/* `kernel fetch` gets images; what was built here is no answer to it. */
static void test_nearest_images(void **state)
{
	const struct kernel_version wanted = {
		.major = 6, .minor = 12, .patch = 5, .has_patch = true
	};

	(void)state;
	put("6.12.1-x", "6.12.1", "2026-01-01T00:00:00Z");
	fixture_entry("6.12.9-image",
		      "{\"version\": \"6.12.9\", \"source\": {\"type\": \"distro\", \"package\": "
		      "\"p\", \"package_version\": \"1\", \"suite\": \"s\"}, \"arch\": \"x86_64\", "
		      "\"image_name\": \"bzImage\", \"config_hash\": null, \"built_at\": "
		      "\"2026-01-02T00:00:00Z\", \"ktstr_kconfig_hash\": null, \"has_vmlinux\": "
		      "false, \"vmlinux_stripped\": false, \"btf\": \"ok\", \"has_scx\": true}",
		      "");
	err_set(ENOENT, "none");
	kernel_err_nearest(-ENOENT, fixture_path("cache"), "test", &wanted, true);
	assert_string_equal(err_text(-ENOENT), "none; the nearest available: 6.12.9");
	err_set(ENOENT, "none");
	kernel_err_nearest(-ENOENT, fixture_path("cache"), "test", &wanted, false);
	assert_string_equal(err_text(-ENOENT), "none; the nearest available: 6.12.9, 6.12.1");
}

int main(void)
{
#define WITH_DIR(f) cmocka_unit_test_setup_teardown(f, setup, kernel_fixture_teardown)
	const struct CMUnitTest tests[] = {
		WITH_DIR(test_running_kernel),
		WITH_DIR(test_running_kernel_is_hidden),
		WITH_DIR(test_machine_places),
		WITH_DIR(test_cache_before_machine),
		WITH_DIR(test_environment),
		WITH_DIR(test_resolve),
		WITH_DIR(test_range_names_each_version_once),
		WITH_DIR(test_series_is_one_that_can_be_used),
		WITH_DIR(test_nearest_images),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
