// SPDX-License-Identifier: GPL-2.0-only
/* Which image of the archive is fetched, with an apt-get that the test plays. */
#include "unit.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "kernel/distro.h"
#include "kernel/parts.h"
#include "kernel_fixture.h"

/* It has one index, and packages of its own directory. */
static int set_up(void **state)
{
	_free_ char *script = NULL, *path = NULL;
	int rc = kernel_fixture_setup(state);

	script = str_fmt("#!/bin/sh\nfor word; do\n\tcase $word in\n"
			 "\tupdate) echo update >>'%s' ;;\n"
			 "\tindextargets) echo 'sid %s'; exit ;;\n"
			 "\tdownload) shift $(($# - 1)); echo $1 >>'%s'; name=${1%%%%=*}\n"
			 "\t\tcp \"%s/$name\" got.deb 2>/dev/null || "
			 "{ echo 'E: it is gone'; exit 100; } ;;\n"
			 "\tesac\ndone\n",
			 fixture_path("updates"), fixture_path("Packages"), fixture_path("asked"),
			 fixture_path("pool"));
	path = str_fmt("%s:/usr/bin:/bin", fixture_path("bin"));
	assert_true(script && path);
	fixture_mkdir(fixture_path("bin"));
	fixture_mkdir(fixture_path("pool"));
	fixture_mkdir(fixture_path("made/boot"));
	fixture_write(fixture_path("bin/apt-get"), script);
	assert_int_equal(chmod(fixture_path("bin/apt-get"), 0755), 0);
	fixture_write(fixture_path("keyring"), "");
	setenv("KTSTR_DEBIAN_KEYRING", fixture_path("keyring"), 1);
	setenv("PATH", path, 1);
	return rc;
}

/* The package of this version of the kernel, with an image made with these options; NULL = without one. */
static void put_package(const char *version, const char *options)
{
	_free_ char *command =
		str_fmt("cd '%s' && tar -czf data.tar.gz ./boot && echo 2.0 >debian-binary && "
			"ar rc '%s/linux-binary-%s-cloud-amd64' debian-binary data.tar.gz && "
			"rm -f boot/* && printf 'Package: linux-binary-%s-cloud-amd64\\nVersion: "
			"%s-1\\nSize: 9000000\\n\\n' >>'%s'",
			fixture_path("made"), fixture_path("pool"), version, version, version,
			fixture_path("Packages"));

	if (options)
		fixture_image("%s %s", options, fixture_path("made/boot/vmlinuz-%s", version));
	fixture_write(fixture_path("made/boot/config-%s", version), "CONFIG_A=y\n");
	assert_non_null(command);
	assert_int_equal(system(command), 0);
}

static int fetch(const char *version, char **key)
{
	struct kernel_version v;

	if (version)
		assert_int_equal(kernel_version_parse(version, &v), 0);
	return distro_fetch(fixture_path("cache"), version ? &v : NULL, false, "ktstr", key);
}

static void expect_key(const char *version, const char *expected)
{
	_free_ char *key = NULL;
	int rc = fetch(version, &key);

	if (rc < 0)
		fail_msg("%s: %s", expected, err_text(rc));
	assert_string_equal(key, expected);
}

static void expect_error(const char *version, int errnum, const char *text)
{
	_free_ char *key = NULL;
	int rc = fetch(version, &key);

	assert_int_equal(rc, -errnum);
	if (!strstr(err_text(rc), text))
		fail_msg("not '%s': %s", text, err_text(rc));
}

static void expect_lines(const char *name, const char *text)
{
	_str_ struct str lines = {};

	assert_int_equal(file_read(fixture_path("%s", name), &lines), 0);
	assert_string_equal(str_get(&lines), text);
}

static void expect_asked(const char *text)
{
	expect_lines("asked", text);
}

/* One whose types no scheduler can be loaded with is taken where there is no other. */
static void the_newest_that_can_be_used_is_fetched(void **state)
{
	(void)state;
	if (strcmp(apt_arch(), "amd64") != 0)
		skip();
	put_package("7.0.1", "");
	put_package("7.0.2", "--unsound 4");
	expect_key("7.0", "7.0.1-debian-cloud-x86_64");
	expect_asked("linux-binary-7.0.2-cloud-amd64=7.0.2-1\n"
		     "linux-binary-7.0.1-cloud-amd64=7.0.1-1\n");
	assert_int_equal(access(fixture_path("cache/7.0.1-debian-cloud-x86_64/config"), F_OK), 0);
	/* What is in the cache is not fetched again. */
	unlink(fixture_path("asked"));
	expect_key(NULL, "7.0.1-debian-cloud-x86_64");
	expect_key("7.0.2", "7.0.2-debian-cloud-x86_64");
	assert_int_equal(access(fixture_path("asked"), F_OK), -1);
	expect_error("6.18", ENOENT, "there is no image of Linux 6.18 in the Debian archive");
	expect_error("7.1-rc2", ENOENT, "no release candidates");
	/* The list of today is read once; that of another archive is another one. */
	expect_lines("updates", "update\n");
	setenv("KTSTR_DEBIAN_URL", "http://127.0.0.1:2", 1);
	expect_key("7.0", "7.0.1-debian-cloud-x86_64");
	expect_lines("updates", "update\nupdate\n");
}

static void a_package_without_an_image_is_told(void **state)
{
	(void)state;
	if (strcmp(apt_arch(), "amd64") != 0)
		skip();
	put_package("7.0.1", NULL);
	expect_error("7.0", EINVAL, "package linux-binary-7.0.1-cloud-amd64 holds no kernel image");
	/* One that went away since the list was made: it is read again, once. */
	unlink(fixture_path("pool/linux-binary-7.0.1-cloud-amd64"));
	expect_error("7.0", EIO, "download the package: it is gone");
	expect_asked("linux-binary-7.0.1-cloud-amd64=7.0.1-1\n"
		     "linux-binary-7.0.1-cloud-amd64=7.0.1-1\n"
		     "linux-binary-7.0.1-cloud-amd64=7.0.1-1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_newest_that_can_be_used_is_fetched, set_up,
						kernel_fixture_teardown),
		cmocka_unit_test_setup_teardown(a_package_without_an_image_is_told, set_up,
						kernel_fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
