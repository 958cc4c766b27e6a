// SPDX-License-Identifier: GPL-2.0-only
/* The cache: metadata, keys, listing, stores, choosing entries. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/util.h"
#include "kernel/build.h"
#include "kernel/cache.h"
#include "kernel/parts.h"
#include "kernel_fixture.h"

static int setup(void **state)
{
	return kernel_fixture_setup(state);
}

static int teardown(void **state)
{
	return kernel_fixture_teardown(state);
}

static void expect_text(const char *a, const char *b)
{
	if (!a || !b)
		assert_ptr_equal(a, b);
	else
		assert_string_equal(a, b);
}

static void round_trip(const struct kernel_meta *meta)
{
	_kernel_meta_ struct kernel_meta back = {};
	_str_ struct str text = {}, reason = {};

	kernel_meta_write(meta, &text);
	assert_int_equal(kernel_meta_parse(text.s, text.len, &back, &reason), CACHE_OK);
	expect_text(back.version, meta->version);
	assert_int_equal(back.source, meta->source);
	expect_text(back.git_hash, meta->git_hash);
	expect_text(back.git_ref, meta->git_ref);
	expect_text(back.source_tree, meta->source_tree);
	expect_text(back.package, meta->package);
	expect_text(back.package_version, meta->package_version);
	expect_text(back.suite, meta->suite);
	expect_text(back.built_at, meta->built_at);
	expect_text(back.extra_kconfig_hash, meta->extra_kconfig_hash);
	expect_text(back.release, meta->release);
	assert_int_equal(back.has_vmlinux, meta->has_vmlinux);
	assert_int_equal(back.has_vmlinux_origin, meta->has_vmlinux_origin);
	assert_int_equal(back.source_vmlinux_size, meta->source_vmlinux_size);
	assert_int_equal(back.has_scx, meta->has_scx);
	assert_int_equal(back.btf, meta->btf);
	assert_int_equal(back.unsound_kfuncs, meta->unsound_kfuncs);
}

static void test_metadata_round_trip(void **state)
{
	struct kernel_meta tarball = { .version = "6.14.2",
				       .source = KERNEL_SOURCE_TARBALL,
				       .arch = "x86_64",
				       .image_name = "bzImage",
				       .built_at = "2026-07-04T23:06:12Z" };
	struct kernel_meta git = tarball, local = tarball, distro = tarball;

	(void)state;
	round_trip(&tarball);
	git.source = KERNEL_SOURCE_GIT;
	git.git_hash = "0123";
	git.git_ref = "for/\"next\"";
	git.extra_kconfig_hash = "01234567";
	round_trip(&git);
	local.source = KERNEL_SOURCE_LOCAL;
	local.version = NULL;
	local.source_tree = "/usr/src/linux";
	local.has_vmlinux = local.has_vmlinux_origin = true;
	local.source_vmlinux_size = 1ULL << 40;
	local.has_scx = KERNEL_NO;
	round_trip(&local);
	distro.source = KERNEL_SOURCE_DISTRO;
	distro.package = "p";
	distro.package_version = "1~2";
	distro.suite = "sid";
	distro.release = "7.0.13+deb13";
	distro.has_scx = KERNEL_YES;
	distro.btf = KERNEL_BTF_UNSOUND;
	distro.unsound_kfuncs = 19;
	round_trip(&distro);
}

/* No part of a document is a document, and nothing is read beyond its end. */
static void test_metadata_cut(void **state)
{
	_free_ char *text = fixture_metadata("6.14.2", "2026-07-04T23:06:12Z", "");

	(void)state;
	for (size_t len = 0; len < strlen(text); len++) {
		_free_ char *cut = malloc(len + 1);
		_kernel_meta_ struct kernel_meta meta = {};
		_str_ struct str reason = {};

		assert_non_null(cut);
		memcpy(cut, text, len);
		cut[len] = '\0';
		assert_int_equal(kernel_meta_parse(cut, len, &meta, &reason), CACHE_TRUNCATED);
		assert_true(reason.len > 0);
	}
}

static void test_root(void **state)
{
	_free_ char *root = NULL;

	(void)state;
	assert_int_equal(cache_root(&root), 0);
	assert_string_equal(root, fixture_path("cache"));
	free(take_ptr(&root));
	setenv("KTSTR_CACHE_DIR", "", 1);
	setenv("XDG_CACHE_HOME", "/x", 1);
	assert_int_equal(cache_root(&root), 0);
	assert_string_equal(root, "/x/ktstr/kernels");
	free(take_ptr(&root));
	unsetenv("XDG_CACHE_HOME");
	setenv("HOME", "/h", 1);
	assert_int_equal(cache_root(&root), 0);
	assert_string_equal(root, "/h/.cache/ktstr/kernels");
}

static void test_keys(void **state)
{
	_free_ char *tarball = key_tarball("6.14.2", "");
	_free_ char *git = key_git("for/next", "0123456789", "deadbeef");
	_free_ char *local = key_local("0123456789", "", "");
	_free_ char *configured = key_local("0123456789", "cafe0123", "");
	_free_ char *unknown = key_local_unknown("/usr/share", "");
	_free_ char *odd = key_git("..a-b_C.9~/\xc3\xa9", "abc", "");
	char expected[128];

	(void)state;
	snprintf(expected, sizeof(expected), "6.14.2-tarball-%s-kc%s", cache_arch(),
		 kconfig_hash());
	assert_string_equal(tarball, expected);
	snprintf(expected, sizeof(expected), "for_next-git-0123456-%s-kc%s-xkcdeadbeef",
		 cache_arch(), kconfig_hash());
	assert_string_equal(git, expected);
	snprintf(expected, sizeof(expected), "local-0123456-%s-kc%s", cache_arch(), kconfig_hash());
	assert_string_equal(local, expected);
	snprintf(expected, sizeof(expected), "local-0123456-%s-cfgcafe0123-kc%s", cache_arch(),
		 kconfig_hash());
	assert_string_equal(configured, expected);
	snprintf(expected, sizeof(expected), "local-unknown-611e3c64-%s-kc%s", cache_arch(),
		 kconfig_hash());
	assert_string_equal(unknown, expected);
	/* Whatever a reference is called, the key is the name of a directory that is not hidden. */
	snprintf(expected, sizeof(expected), "_.a-b_C.9____-git-abc-%s-kc%s", cache_arch(),
		 kconfig_hash());
	assert_string_equal(odd, expected);
}

static void put(const char *key, const char *version, const char *built_at, const char *more)
{
	_free_ char *text = fixture_metadata(version, built_at, more);

	fixture_entry(key, text, "");
}

#define DISTRO_SOUND ", \"has_scx\": true, \"btf\": \"ok\""
#define DISTRO_UNSOUND ", \"has_scx\": true, \"btf\": \"unsound\", \"unsound_kfuncs\": 2"

/* An entry of the archive; the second "source" replaces the first. */
static void put_distro(const char *key, const char *version, const char *facts)
{
	_free_ char *text =
		str_fmt("{\"version\": \"%s\", \"source\": {\"type\": \"distro\", "
			"\"package\": \"p\", \"package_version\": \"1\", \"suite\": \"s\"}, "
			"\"arch\": \"x86_64\", \"image_name\": \"bzImage\", "
			"\"config_hash\": null, \"built_at\": \"2026-01-01T00:00:00Z\", "
			"\"ktstr_kconfig_hash\": null, \"has_vmlinux\": false, "
			"\"vmlinux_stripped\": false%s}",
			version, facts);

	fixture_entry(key, text, "");
}

static const char *found(const char *version, bool only_usable)
{
	_cache_list_ struct cache_list list = {};
	static char key[64];
	const struct cache_entry *e;
	struct kernel_version v;

	assert_int_equal(cache_list_read(fixture_path("cache"), &list), 0);
	assert_int_equal(kernel_version_parse(version, &v), 0);
	e = lookup_version(&list, &v, only_usable);
	snprintf(key, sizeof(key), "%s", e ? e->key : "none");
	return key;
}

static void test_lookup(void **state)
{
	(void)state;
	put("built", "7.0.12", "2026-07-01T00:00:00Z", "");
	put("extra", "7.0.14", "2026-07-05T00:00:00Z", ", \"extra_kconfig_hash\": \"01234567\"");
	put_distro("sound", "7.0.13", DISTRO_SOUND);
	put_distro("twin", "7.0.12", DISTRO_SOUND);
	put_distro("unsound", "7.0.15", DISTRO_UNSOUND);
	assert_string_equal(found("7.0", true), "sound");
	assert_string_equal(found("7.0", false), "unsound");
	assert_string_equal(found("7.0.12", true), "built");
	assert_string_equal(found("7.0.15", true), "none");
	assert_string_equal(found("7.0.15", false), "unsound");
	assert_string_equal(found("7.0.14", false), "none");
	assert_string_equal(found("6.9", false), "none");
}

static void test_list_order(void **state)
{
	_cache_list_ struct cache_list list = {};

	(void)state;
	put("b", "6.1", "2026-07-02T00:00:00Z", "");
	put("a", "6.1", "2026-07-02T00:00:00Z", "");
	put("c", "6.1", "2026-07-03T00:00:00Z", "");
	fixture_mkdir(fixture_path("cache/corrupt"));
	fixture_mkdir(fixture_path("cache/.hidden"));
	assert_int_equal(cache_list_read(fixture_path("cache"), &list), 0);
	assert_int_equal(list.count, 4);
	assert_string_equal(list.items[0].key, "c");
	assert_string_equal(list.items[1].key, "a");
	assert_string_equal(list.items[2].key, "b");
	assert_int_equal(list.items[3].fault, CACHE_MISSING);
	assert_string_equal(lookup_highest(&list)->key, "c");
}

static void test_default_kernel_is_the_highest_version(void **state)
{
	_cache_list_ struct cache_list list = {};

	(void)state;
	put("low", "6.19.9", "2026-07-09T00:00:00Z", "");
	put("candidate", "7.2-rc1", "2026-07-08T00:00:00Z", "");
	put("high", "7.2", "2026-07-01T00:00:00Z", "");
	put("tenth", "7.0.10", "2026-07-03T00:00:00Z", "");
	put("second", "7.0.2", "2026-07-04T00:00:00Z", "");
	fixture_mkdir(fixture_path("cache/corrupt"));
	assert_int_equal(cache_list_read(fixture_path("cache"), &list), 0);
	assert_string_equal(list.items[0].key, "low");
	assert_string_equal(lookup_highest(&list)->key, "high");
}

static void test_open_holds_lock(void **state)
{
	_kernel_image_ struct kernel_image k = {};
	int lock;

	(void)state;
	put("k", "6.14.2", "2026-07-02T00:00:00Z", "");
	assert_int_equal(cache_open(fixture_path("cache"), "k", &k), 0);
	assert_string_equal(k.version, "6.14.2");
	assert_string_equal(k.release, "6.14.2");
	assert_true(k.lock_fd > 0);
	assert_int_equal(cache_lock(fixture_path("cache"), "k", true, 0), -EWOULDBLOCK);
	kernel_image_finish(&k);
	lock = cache_lock(fixture_path("cache"), "k", true, 0);
	assert_true(lock >= 0);
	close(lock);
	assert_int_equal(cache_open(fixture_path("cache"), "absent", &k), -ENOENT);
	assert_int_equal(cache_open(fixture_path("cache"), "../cache/k", &k), -ENOENT);
	fixture_mkdir(fixture_path("cache/corrupt"));
	assert_int_equal(cache_open(fixture_path("cache"), "corrupt", &k), -ENOENT);
	assert_non_null(strstr(err_text(-ENOENT), "the cached kernel 'corrupt' is corrupt"));
}

static void test_store_replaces(void **state)
{
	struct kernel_meta meta = { .version = "6.14.3",
				    .source = KERNEL_SOURCE_TARBALL,
				    .arch = "x86_64",
				    .image_name = "bzImage",
				    .built_at = "2026-07-04T23:06:12Z" };
	_cache_entry_ struct cache_entry entry = {};
	const char *root = fixture_path("cache");

	(void)state;
	for (int round = 0; round < 2; round++) {
		_cache_temp_ struct cache_temp temp = { .fd = -1 };

		assert_int_equal(cache_temp_make(&temp, root), 0);
		fixture_image("%s/bzImage", temp.path);
		assert_int_equal(cache_store(&temp, root, "key", &meta), 0);
		assert_null(temp.path);
	}
	assert_int_equal(cache_entry_load(root, "key", &entry), 0);
	assert_int_equal(entry.fault, CACHE_OK);
	assert_string_equal(entry.meta.version, "6.14.3");
}

static void test_sweep(void **state)
{
	_cache_temp_ struct cache_temp living = { .fd = -1 };
	const char *root = fixture_path("cache");

	(void)state;
	fixture_mkdir(fixture_path("cache/.tmp-orphan/deep"));
	assert_int_equal(cache_temp_make(&living, root), 0);
	assert_int_equal(access(fixture_path("cache/.tmp-orphan"), F_OK), -1);
	cache_temp_sweep(root);
	assert_int_equal(access(living.path, F_OK), 0);
}

static void test_remove(void **state)
{
	int lock;

	(void)state;
	put("k", "6.14.2", "2026-07-02T00:00:00Z", "");
	lock = cache_lock(fixture_path("cache"), "k", false, 0);
	assert_true(lock >= 0);
	assert_int_equal(cache_remove(fixture_path("cache"), "k"), -EWOULDBLOCK);
	close(lock);
	assert_int_equal(cache_remove(fixture_path("cache"), "k"), 0);
	assert_int_equal(access(fixture_path("cache/k"), F_OK), -1);
	assert_int_equal(cache_remove(fixture_path("cache"), "k"), -ENOENT);
}

static void test_store_timeout(void **state)
{
	static const struct {
		const char *text;
		int rc;
		uint64_t ns;
	} rows[] = {
		{ "", 0, 60000000000 }, { "2m", 0, 120000000000 }, { "100ms", 0, 100000000 },
		{ "7", 0, 7000000000 }, { "soon", -EINVAL, 0 },	   { "-1", -EINVAL, 0 },
	};
	uint64_t ns;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		setenv("KTSTR_CACHE_STORE_LOCK_TIMEOUT", rows[i].text, 1);
		assert_int_equal(cache_store_timeout(&ns), rows[i].rc);
		if (rows[i].rc == 0)
			assert_int_equal(ns, rows[i].ns);
	}
	unsetenv("KTSTR_CACHE_STORE_LOCK_TIMEOUT");
}

int main(void)
{
#define WITH_DIR(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_metadata_round_trip),
		cmocka_unit_test(test_metadata_cut),
		cmocka_unit_test(test_keys),
		WITH_DIR(test_root),
		WITH_DIR(test_lookup),
		WITH_DIR(test_list_order),
		WITH_DIR(test_default_kernel_is_the_highest_version),
		WITH_DIR(test_open_holds_lock),
		WITH_DIR(test_store_replaces),
		WITH_DIR(test_sweep),
		WITH_DIR(test_remove),
		WITH_DIR(test_store_timeout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
