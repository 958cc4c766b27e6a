// SPDX-License-Identifier: GPL-2.0-only
/* The private apt, with an apt-get that the test plays: whom it asks, and what is told when that fails. */
#include "unit.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include "base/err.h"
#include "kernel/parts.h"
#include "kernel_fixture.h"

#define ROOT fixture_path("cache")

/* From now on apt-get is this script; its arguments are in the file "asked". */
static void play(const char *script)
{
	_free_ char *text = str_fmt("#!/bin/sh\nprintf '%%s\\n' \"$@\" >'%s'\n%s\n",
				    fixture_path("asked"), script);
	const char *path = fixture_path("bin/apt-get");

	assert_non_null(text);
	fixture_mkdir(fixture_path("bin"));
	fixture_write(path, text);
	assert_int_equal(chmod(path, 0755), 0);
}

static int setup(void **state)
{
	_free_ char *path = NULL;
	int rc = kernel_fixture_setup(state);

	path = str_fmt("%s:/usr/bin:/bin", fixture_path("bin"));
	assert_non_null(path);
	setenv("PATH", path, 1);
	fixture_write(fixture_path("keyring"), "");
	setenv("KTSTR_DEBIAN_KEYRING", fixture_path("keyring"), 1);
	unsetenv("KTSTR_DEBIAN_URL");
	return rc;
}

static void expect_text(const char *path, const char *part, bool is_there)
{
	_str_ struct str text = {};

	assert_int_equal(file_read(path, &text), 0);
	if (!strstr(str_get(&text), part) == is_there)
		fail_msg("%s: %s", part, str_get(&text));
}

static void expect_url(const char *url)
{
	_apt_ struct apt a = {};
	int rc = apt_open(&a, ROOT);

	if (rc < 0)
		fail_msg("%s", err_text(rc));
	assert_string_equal(a.url, url);
	expect_text(fixture_path("cache/.apt/sources/kernels.sources"), url, true);
}

static void expect_error(int rc, int errnum, const char *text)
{
	assert_int_equal(rc, -errnum);
	if (!strstr(err_text(rc), text))
		fail_msg("not '%s': %s", text, err_text(rc));
}

static void expect_refused(const char *text)
{
	_apt_ struct apt a = {};

	expect_error(apt_open(&a, ROOT), ENOTSUP, text);
	assert_null(a.url);
}

/* One that says it is Debian is better than one that is only called so. */
static void the_archive_is_the_one_that_the_machine_uses(void **state)
{
	(void)state;
	play("echo 'Other|Other|http://other/x/'; echo '||http://named/debian//'; echo nonsense\n"
	     "echo 'Debian|Debian Security|http://sec/'; echo 'Debian|Debian|http://real/archive//'");
	expect_url("http://real/archive");
	apt_forget(ROOT);
	play("echo 'Other|Other|http://other/debianish'; echo '||http://named/debian/'\n"
	     "echo '||http://second/debian'");
	expect_url("http://named/debian");
}

/* For a day: to ask takes longer than all the rest. */
static void the_answer_is_kept_until_it_is_forgotten_or_old(void **state)
{
	struct utimbuf yesterday = { .modtime = time(NULL) - 25L * 60 * 60 };

	(void)state;
	play("echo 'Debian|Debian|http://one'");
	expect_url("http://one");
	play("echo 'Debian|Debian|http://two'");
	expect_url("http://one");
	apt_forget(ROOT);
	expect_url("http://two");
	play("echo 'Debian|Debian|http://three'");
	assert_int_equal(utime(fixture_path("cache/.apt/url"), &yesterday), 0);
	expect_url("http://three");
	setenv("KTSTR_DEBIAN_URL", "http://own", 1);
	expect_url("http://own");
}

static void a_machine_without_an_archive_is_told_why(void **state)
{
	(void)state;
	play("echo 'Other|Other|http://other/ubuntu'; echo '||/debian'");
	expect_refused("has no Debian archive");
	play("exit 0");
	expect_refused("has no Debian archive");
	unlink(fixture_path("bin/apt-get"));
	setenv("PATH", fixture_path("bin"), 1);
	expect_refused("there is no apt-get here, so no images of a distribution are available");
}

static void packages_are_not_taken_unchecked(void **state)
{
	(void)state;
	play("echo 'Debian|Debian|http://one'");
	unlink(fixture_path("keyring"));
	expect_refused("keyring is not there, so no package can be checked");
	fixture_write(fixture_path("keyring"), "");
	expect_url("http://one");
	expect_text(fixture_path("cache/.apt/sources/kernels.sources"), fixture_path("keyring"),
		    true);
}

static void open_apt(struct apt *a, const char *script)
{
	setenv("KTSTR_DEBIAN_URL", "http://archive", 1);
	assert_int_equal(apt_open(a, ROOT), 0);
	play(script);
}

/* Everything of it lies in the cache, and nothing of the machine's is read or written. */
static void it_keeps_to_its_own_directories(void **state)
{
	/* Nothing of the machine's, nothing that is not needed, and no waiting for nobody. */
	static const char *const settings[] = {
		"\nDir::Etc::sourcelist=/dev/null\n",
		"\nDir::Etc::preferences=/dev/null\n",
		"\nDir::Etc::preferencesparts=/dev/null\n",
		"/cache/.apt/status\n",
		"/cache/.apt/cache\n",
		"\nAcquire::Languages=none\n",
		"\nAcquire::Retries=0\n",
		"\nAcquire::http::Timeout=4\n",
		"\nAcquire::https::Timeout=4\n",
		"\nAPT::Sandbox::User=root\n",
		"\nAPT::Update::Error-Mode=any\n",
		"\nAcquire::AllowReleaseInfoChange=true\n",
	};
	const char *asked = fixture_path("asked");
	_apt_ struct apt a = {};
	_str_ struct str out = {};

	(void)state;
	open_apt(&a, "echo 'sid /lists/Packages'");
	assert_int_equal(apt_update(&a, "ktstr"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		expect_text(asked, settings[i], true);
	expect_text(asked, "/cache/.apt/state\n", true);
	expect_text(asked, "/cache/.apt/sources\n", true);
	expect_text(asked, "\nupdate\n", true);
	assert_int_equal(apt_indexes(&a, &out), 0);
	assert_string_equal(str_get(&out), "sid /lists/Packages\n");
	expect_text(asked, "\nCreated-By: Packages\n", true);
	expect_text(asked, "/cache/.apt/state\n", true);
}

/* The first complaint: the later ones follow from it. */
static void the_first_complaint_is_told(void **state)
{
	static const struct {
		const char *script, *text;
	} rows[] = {
		{ "echo Reading; echo 'E: first' >&2; echo 'E: second'; exit 100",
		  "read the package archive: first" },
		{ "echo 'W: a warning'; echo 'E: x'; exit 1", "archive: a warning" },
		{ "echo Get:1; echo 'Err:2 http://x'; exit 1", "archive: Err:2 http://x" },
		{ "echo; echo 'something else'; exit 1", "archive: " },
		{ "echo 'something else'; echo more; exit 1", "archive: something else" },
		{ "exit 3", "archive: apt-get failed" },
	};
	_apt_ struct apt a = {};

	(void)state;
	open_apt(&a, "");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		play(rows[i].script);
		expect_error(apt_update(&a, "ktstr"), ENETUNREACH, rows[i].text);
		assert_null(strstr(err_text(-ENETUNREACH), "second"));
		assert_null(strstr(err_text(-ENETUNREACH), "more"));
	}
}

static int download(const struct apt *a, struct str *path)
{
	str_reset(path);
	return apt_download(a, "linux-image", "7.0-1", 5 << 20, fixture_path("down"), "kernel",
			    path);
}

static void a_package_is_the_file_that_apt_leaves(void **state)
{
	_apt_ struct apt a = {};
	_str_ struct str path = {};

	(void)state;
	open_apt(&a, "touch .deb note linux-image_7.0-1_amd64.deb");
	assert_int_equal(download(&a, &path), -ENOENT); /* the directory is the caller's to make */
	fixture_mkdir(fixture_path("down"));
	assert_int_equal(download(&a, &path), 0);
	assert_string_equal(str_get(&path),
			    fixture_path("down/linux-image/linux-image_7.0-1_amd64.deb"));
	expect_text(fixture_path("asked"), "\ndownload\nlinux-image=7.0-1\n", true);
	assert_int_equal(download(&a, &path), 0); /* again: the directory is there */
	unlink(str_get(&path));
	play("touch .deb");
	expect_error(download(&a, &path), EIO, "apt-get left no package in ");
	play("echo 'E: no such version'; exit 100");
	expect_error(download(&a, &path), EIO, "download the package: no such version");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, kernel_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_archive_is_the_one_that_the_machine_uses),
		TEST(the_answer_is_kept_until_it_is_forgotten_or_old),
		TEST(a_machine_without_an_archive_is_told_why),
		TEST(packages_are_not_taken_unchecked),
		TEST(it_keeps_to_its_own_directories),
		TEST(the_first_complaint_is_told),
		TEST(a_package_is_the_file_that_apt_leaves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
