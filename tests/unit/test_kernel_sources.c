// SPDX-License-Identifier: GPL-2.0-only
/* Release index, archive addresses, checksums, and the list of distribution kernels. */
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
#include "kernel/distro.h"
#include "kernel/releases.h"
#include "kernel/tarball.h"
#include "kernel_fixture.h"

static char index_text[] =
	"{\"releases\": [{\"moniker\": \"mainline\", \"version\": \"7.1-rc2\"},"
	"{\"moniker\": \"stable\", \"version\": \"7.0.3\"},"
	"{\"moniker\": \"stable\", \"version\": \"6.19.12\"},"
	"{\"moniker\": \"longterm\", \"version\": \"6.12.60\"},"
	"{\"moniker\": \"linux-next\", \"version\": \"next-20260101\"},"
	"{\"moniker\": \"linux-next\", \"version\": \"9.9.9\"},"
	"{\"moniker\": 5, \"version\": \"6.6.6\"}, {\"moniker\": \"stable\"}, null]}";

static const char *newest(const struct kernel_releases *r, const char *series)
{
	static char text[KERNEL_VERSION_TEXT_SIZE];
	const struct kernel_release *row;
	struct kernel_version v;

	assert_int_equal(kernel_version_parse(series, &v), 0);
	row = kernel_releases_newest(r, &v);
	if (!row)
		return "none";
	kernel_version_format(&row->version, text);
	return text;
}

static void test_releases(void **state)
{
	_kernel_releases_ struct kernel_releases r = {};
	char text[KERNEL_VERSION_TEXT_SIZE];
	struct kernel_version v;

	(void)state;
	assert_int_equal(kernel_releases_parse(index_text, strlen(index_text), &r), 0);
	assert_int_equal(r.count, 4);
	/* 7.0.3 is newer, but its patch level is below 8. */
	assert_int_equal(kernel_releases_latest(&r, &v), 0);
	kernel_version_format(&v, text);
	assert_string_equal(text, "6.19.12");
	assert_string_equal(newest(&r, "7.0"), "7.0.3");
	assert_string_equal(newest(&r, "7.1"), "7.1-rc2");
	assert_string_equal(newest(&r, "9.9"), "none");
	assert_string_equal(newest(&r, "6.6"), "none");
}

static void test_release_faults(void **state)
{
	static const char *const texts[] = {
		"",    "{", "[]", "{\"releases\": {}}", "{\"releases\": []}", "{\"releases\": [1]}",
		"{} x"
	};
	struct kernel_releases r;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		_free_ char *text = strdup(texts[i]);

		assert_int_equal(kernel_releases_parse(text, strlen(text), &r), -EINVAL);
	}
	assert_int_equal(kernel_releases_latest(&(struct kernel_releases){},
						&(struct kernel_version){}),
			 -ENOENT);
	assert_string_equal(err_text(-ENOENT), "no stable kernel with patch >= 8 found");
}

static void test_urls(void **state)
{
	static const struct {
		const char *version, *url;
	} rows[] = {
		{ "6.14.2", "https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.14.2.tar.xz" },
		{ "7.0", "https://cdn.kernel.org/pub/linux/kernel/v7.x/linux-7.0.tar.xz" },
		{ "6.15-rc3", "https://git.kernel.org/torvalds/t/linux-6.15-rc3.tar.gz" },
	};

	(void)state;
	unsetenv("KTSTR_CDN_URL");
	unsetenv("KTSTR_GIT_KERNEL_URL");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kernel_version v;
		_str_ struct str url = {};

		assert_int_equal(kernel_version_parse(rows[i].version, &v), 0);
		tarball_url(&v, &url);
		assert_string_equal(str_get(&url), rows[i].url);
	}
	setenv("KTSTR_CDN_URL", "http://mirror/x/", 1);
	{
		struct kernel_version v = { .major = 6, .minor = 1 };
		_str_ struct str url = {};

		tarball_url(&v, &url);
		assert_string_equal(str_get(&url),
				    "http://mirror/x/pub/linux/kernel/v6.x/linux-6.1.tar.xz");
	}
}

#define SUM_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define SUM_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static void test_sums(void **state)
{
	static const char sums[] = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n" SUM_A
				   "  linux-6.14.2.tar.xz\r\n" SUM_B "  linux-6.14.tar.xz\n" SUM_A
				   "  linux-6.14.2.tar.gz";
	char sum[65];

	(void)state;
	assert_true(tarball_find_sum(sums, "linux-6.14.2.tar.xz", sum));
	assert_string_equal(sum, SUM_A);
	assert_true(tarball_find_sum(sums, "linux-6.14.tar.xz", sum));
	assert_string_equal(sum, SUM_B);
	assert_true(tarball_find_sum(sums, "linux-6.14.2.tar.gz", sum));
	assert_false(tarball_find_sum(sums, "linux-6.14.3.tar.xz", sum));
	assert_false(tarball_find_sum(sums, "6.14.2.tar.xz", sum));
	assert_false(tarball_find_sum("", "x", sum));
}

static const char packages[] =
	"# http://archive/debian\n"
	"linux-binary-7.0.12+deb13-cloud-amd64 7.0.12-2~bpo13+1 tb 13000000\n"
	"linux-binary-7.0.13+deb13-amd64 7.0.13-1~bpo13+1 tb 13600000\n"
	"linux-binary-7.0.13+deb13-rt-amd64 7.0.13-1~bpo13+1 tb 13600000\n"
	"linux-binary-7.0.13+deb13-cloud-amd64 7.0.13-1~bpo13+1 tb 13100000\n"
	"linux-image-7.0.13+deb13-cloud-amd64 7.0.13-1~bpo13+1 tb 1900\n"
	"linux-base-7.0.13+deb13-cloud-amd64 7.0.13-1~bpo13+1 tb 1000000\n"
	"linux-base-7.0.12+deb13-cloud-amd64 7.0.12-1 tb 1000000\n"
	"linux-image-6.16.12+deb13-cloud-amd64-unsigned 6.16.12-1 tb 51000000\n"
	"linux-image-6.16.12+deb13-cloud-amd64 6.16.12-1 tb 51000000\n"
	"linux-image-6.1.0-44-amd64 6.1.164-1 bw 60000000\n"
	"linux-image-7.3-cloud-amd64 7.3~rc2-1~exp1 exp 13000000\n"
	"linux-image-7.0.13+deb13-cloud-arm64 7.0.13-1 tb 40000000\n"
	"linux-image-amd64 7.0.13-1 tb 40000000\n"
	"not a line\n"
	"linux-binary-7.9-cloud-amd64 7.9-1 tb many\n";

static void test_distro_list(void **state)
{
	static const struct {
		const char *version, *flavour, *image, *base;
	} rows[] = {
		{ "7.0.13", "cloud", "linux-binary-7.0.13+deb13-cloud-amd64",
		  "linux-base-7.0.13+deb13-cloud-amd64" },
		{ "7.0.12", "cloud", "linux-binary-7.0.12+deb13-cloud-amd64", NULL },
		{ "6.16.12", "cloud", "linux-image-6.16.12+deb13-cloud-amd64", NULL },
		{ "6.1.164", "generic", "linux-image-6.1.0-44-amd64", NULL },
	};
	_distro_list_ struct distro_list list = {};

	(void)state;
	assert_int_equal(distro_list_parse(packages, "amd64", &list), 0);
	assert_int_equal(list.count, ARRAY_SIZE(rows));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char version[KERNEL_VERSION_TEXT_SIZE];

		kernel_version_format(&list.items[i].version, version);
		assert_string_equal(version, rows[i].version);
		assert_string_equal(list.items[i].flavour, rows[i].flavour);
		assert_string_equal(list.items[i].image.name, rows[i].image);
		assert_int_equal(list.items[i].base.name != NULL, rows[i].base != NULL);
		if (rows[i].base)
			assert_string_equal(list.items[i].base.name, rows[i].base);
	}
}

static void test_index(void **state)
{
	_str_ struct str lines = {};

	(void)state;
	fixture_write(fixture_path("Packages"),
		      "Package: bash\nVersion: 5\nSize: 1\n\n"
		      "Package: linux-binary-7.0.13+deb13-cloud-amd64\nSource: linux\n"
		      "Version: 7.0.13-1\nDescription: x\n Package: not-this\nSize: 13\n\n"
		      "Package: linux-image-7.0.13-dbg\nVersion: 1\nSize: 1\n\n"
		      "Package: linux-base-7.0.13\nVersion: 7.0.13-1\nSize: 2");
	assert_int_equal(distro_index_read(fixture_path("Packages"), "sid", &lines), 0);
	assert_string_equal(str_get(&lines),
			    "linux-binary-7.0.13+deb13-cloud-amd64 7.0.13-1 sid 13\n"
			    "linux-base-7.0.13 7.0.13-1 sid 2\n");
	str_reset(&lines);
	fixture_write(fixture_path("Packages"), "");
	assert_int_equal(distro_index_read(fixture_path("Packages"), "sid", &lines), 0);
	assert_int_equal(lines.len, 0);
	assert_true(distro_index_read(fixture_path("absent"), "sid", &lines) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_releases),    cmocka_unit_test(test_release_faults),
		cmocka_unit_test(test_urls),	    cmocka_unit_test(test_sums),
		cmocka_unit_test(test_distro_list), cmocka_unit_test(test_index),
	};

	return cmocka_run_group_tests(tests, kernel_fixture_setup, kernel_fixture_teardown);
}
