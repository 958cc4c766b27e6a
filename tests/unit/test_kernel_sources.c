// SPDX-License-Identifier: GPL-2.0-only
/* Release index, archive addresses, checksums, and the list of distribution kernels. */
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
#include "kernel/distro.h"
#include "kernel/parts.h"
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

static void test_best_package_of_a_version(void **state)
{
	/* Each row is better than those before it: of all up to it, it is taken. */
	static const char *const rows[] = {
		"linux-image-7.0.13-rt-amd64-unsigned 7.0.13-9",
		"linux-image-7.0.13-rt-amd64 7.0.13-9",
		"linux-binary-7.0.13-rt-amd64 7.0.13-9",
		"linux-image-7.0.13-amd64-unsigned 7.0.13-9",
		"linux-image-7.0.13-amd64 7.0.13-9",
		"linux-binary-7.0.13-amd64 7.0.13-9",
		"linux-image-7.0.13-cloud-amd64-unsigned 7.0.13-8",
		"linux-image-7.0.13-cloud-amd64 7.0.13-8",
		"linux-binary-7.0.13-cloud-amd64 7.0.13-7",
		"linux-binary-7.0.13-cloud-amd64 7.0.13-8",
	};
	static const char *const flavours[] = { "rt",	   "rt",    "rt",    "generic", "generic",
						"generic", "cloud", "cloud", "cloud",	"cloud" };
	_str_ struct str text = {};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_distro_list_ struct distro_list list = {};
		_free_ char *taken = NULL;

		str_addf(&text, "%s s 1048576\n", rows[i]);
		assert_int_equal(distro_list_parse(str_get(&text), "amd64", &list), 0);
		assert_int_equal(list.count, 1);
		taken = str_fmt("%s %s", list.items[0].image.name, list.items[0].image.version);
		assert_string_equal(taken, rows[i]);
		assert_string_equal(list.items[0].flavour, flavours[i]);
		assert_int_equal(list.items[0].image.size, 1048576);
	}
}

static void test_packages_without_a_kernel(void **state)
{
	static const char *const rows[] = {
		"linux-binary-7.0.13-amd64 7.0.13-1 s 1048575",
		"linux-binary-7.0.13-amd64 7.0.13.1-1 s 1048576",
		"linux-binary-7.0.13-amd64 7.1~rc1-1 s 1048576",
		"linux-binary-7.0.13-arm64 7.0.13-1 s 1048576",
		"linux-binary-7.0.13-amd64-dbg 7.0.13-1 s 1048576",
		"linux-binary-amd64 7.0.13-1 s 1048576",
		"linux-binary-7.0.13-amd64 7.0.13-1 s",
		"linux-binary-7.0.13-amd64 7.0.13-1 s 1048576 x",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_distro_list_ struct distro_list list = {};

		assert_int_equal(distro_list_parse(rows[i], "amd64", &list), 0);
		assert_int_equal(list.count, 0);
	}
}

/* Its only commit, and a tag that is an object of its own. */
#define MAKE_REPOSITORY                                                           \
	"cd %s && git init -q -b main . && git -c user.name=x -c user.email=x@x " \
	"commit -q --allow-empty -m one && git -c user.name=x -c user.email=x@x " \
	"tag -m tagged v1 && git rev-parse HEAD > .git/head"

static void test_clone_is_of_the_commit_that_was_asked_for(void **state)
{
	_free_ char *repository = strdup(fixture_path("repository"));
	_free_ char *command = str_fmt(MAKE_REPOSITORY, repository);
	_free_ char *text = str_fmt("git+file://%s#v1", repository);
	_kernel_id_ struct kernel_id id;
	_str_ struct str head = {};
	char hash[41];
	int rc;

	(void)state;
	fixture_mkdir(repository);
	assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): a fixture */
	assert_int_equal(file_read(fixture_path("repository/.git/head"), &head), 0);
	str_trim_end(&head);
	assert_int_equal(kernel_id_parse(text, &id), 0);
	assert_int_equal(git_source_tip(&id, hash), 0);
	assert_string_equal(hash, str_get(&head));
	fixture_mkdir(fixture_path("clone"));
	assert_int_equal(git_source_clone(&id, hash, fixture_path("clone"), "ktstr"), 0);
	assert_int_equal(access(fixture_path("clone/.git/HEAD"), F_OK), 0);
	fixture_mkdir(fixture_path("moved"));
	hash[0] = hash[0] == '0' ? '1' : '0';
	rc = git_source_clone(&id, hash, fixture_path("moved"), "ktstr");
	assert_int_equal(rc, -EAGAIN);
	assert_non_null(strstr(err_text(rc), "moved while it was cloned; try again"));
	fixture_mkdir(fixture_path("without"));
	free(id.ref);
	id.ref = strdup("v2");
	assert_int_equal(git_source_tip(&id, hash), -ENOENT);
	rc = git_source_clone(&id, hash, fixture_path("without"), "ktstr");
	assert_int_equal(rc, -EIO);
	assert_non_null(strstr(err_text(rc), "git cannot read file://"));
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
		cmocka_unit_test(test_releases),
		cmocka_unit_test(test_release_faults),
		cmocka_unit_test(test_urls),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_distro_list),
		cmocka_unit_test(test_index),
		cmocka_unit_test(test_best_package_of_a_version),
		cmocka_unit_test(test_packages_without_a_kernel),
		cmocka_unit_test(test_clone_is_of_the_commit_that_was_asked_for),
	};

	return cmocka_run_group_tests(tests, kernel_fixture_setup, kernel_fixture_teardown);
}
