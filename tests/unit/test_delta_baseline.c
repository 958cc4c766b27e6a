// SPDX-License-Identifier: GPL-2.0-only
/* Which commit of a real repository HEAD is compared with. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/git.h"
#include "delta/fresh.h"

static char *dir;
static int here_fd;

static void sh(const char *command)
{
	/* NOLINTNEXTLINE(cert-env33-c): a repository is made */
	if (system(command) != 0)
		fail_msg("failed: %s", command);
}

/* main: c1 c2 c3; topic, where HEAD is: c1 c2 t1; lonely: a history of its own. */
static int start(void **state)
{
	(void)state;
	dir = unit_temp_create();
	here_fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(chdir(dir), 0);
	setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
	unsetenv("GITHUB_BASE_REF");
	sh("git init -q -b main . && git config user.name x && git config user.email x@y");
	sh("for i in c1 c2 c3; do git commit -q --allow-empty -m $i; git tag $i; done");
	sh("git checkout -q -b topic c2 && git commit -q --allow-empty -m t1 && git tag t1");
	sh("git update-ref refs/remotes/origin/release c1");
	sh("git tag lonely $(git commit-tree -m alone $(git write-tree))");
	return 0;
}

static int stop(void **state)
{
	(void)state;
	assert_int_equal(fchdir(here_fd), 0);
	close(here_fd);
	unit_temp_remove(dir);
	unsetenv("GITHUB_BASE_REF");
	return 0;
}

#define IN_REPO(f) cmocka_unit_test_setup_teardown(f, start, stop)

static void expect_hash(const char *hash, const char *of)
{
	_str_ struct str commit = {};

	assert_int_equal(git_commit(of, &commit), 0);
	assert_string_equal(hash, str_get(&commit));
}

static void the_first_wish_decides(void **state)
{
	static const struct {
		const char *base, *base_ref, *github, *branch, *expected;
	} rows[] = {
		{ "c1", "main", "release", "main", "c1" }, { "c3", NULL, NULL, "main", "c3" },
		{ NULL, "main", "release", "c1", "c2" },   { NULL, NULL, "release", "main", "c1" },
		{ NULL, NULL, NULL, "main", "c2" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct baseline_request r = { .base = rows[i].base,
						    .base_ref = rows[i].base_ref,
						    .default_branch = rows[i].branch };
		struct baseline b;

		if (rows[i].github)
			setenv("GITHUB_BASE_REF", rows[i].github, 1);
		else
			unsetenv("GITHUB_BASE_REF");
		assert_int_equal(baseline_find(&r, &b), 0);
		expect_hash(b.base, rows[i].expected);
		expect_hash(b.head, "t1");
		baseline_finish(&b);
		assert_null(b.base);
	}
}

static void what_cannot_be_compared_is_an_error(void **state)
{
	static const struct {
		struct baseline_request request;
		const char *text;
	} rows[] = {
		{ { .base = "t1" }, "--base is HEAD itself (" },
		{ { .base_ref = "topic" }, "the merge base with --base-ref is HEAD itself (" },
		{ { .default_branch = "topic" },
		  "the merge base with --default-branch is HEAD itself (" },
		{ { .base_ref = "lonely" }, "HEAD and 'lonely' have no commit in common" },
		{ { .base = "nowhere" }, "nowhere" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct baseline b = { .base = dir, .head = dir };

		assert_int_equal(baseline_find(&rows[i].request, &b), -EINVAL);
		assert_true(!b.base && !b.head);
		if (!strstr(err_text(-EINVAL), rows[i].text))
			fail_msg("expected '%s' in '%s'", rows[i].text, err_text(-EINVAL));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_REPO(the_first_wish_decides),
		IN_REPO(what_cannot_be_compared_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
