// SPDX-License-Identifier: GPL-2.0-only
/* What a bisection goes through: kernels of a cache, programs, and commits of a real repository. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "explore/explore.h"
#include "kernel_fixture.h"

static char before[4096];

static void sh(const char *command)
{
	/* NOLINTNEXTLINE(cert-env33-c): a repository is made */
	if (system(command) != 0)
		fail_msg("failed: %s", command);
}

/* Five commits: the second does not build, the third makes no program. */
static int start(void **state)
{
	assert_non_null(getcwd(before, sizeof(before)));
	kernel_fixture_setup(state);
	fixture_mkdir(fixture_path("repo"));
	assert_int_equal(chdir(fixture_path("repo")), 0);
	setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
	sh("git init -q . && git config user.name x && git config user.email x@y");
	sh("for i in 1 2 3 4 5; do echo $i >number; git add number;"
	   " git commit -qm \"number $i\"; git tag c$i; done");
	return 0;
}

static int stop(void **state)
{
	assert_int_equal(chdir(before), 0);
	return kernel_fixture_teardown(state);
}

static void expect_names(const struct candidates *c, const char *expected)
{
	_str_ struct str got = {};

	for (size_t i = 0; i < c->names.count; i++)
		str_addf(&got, "%s%s", i ? " " : "",
			 c->kind == CANDIDATE_COMMIT ? c->subjects.items[i] : c->names.items[i]);
	assert_string_equal(str_get(&got), expected);
}

static void put(const char *key, const char *version)
{
	_free_ char *text = fixture_metadata(version, "2026-01-01T00:00:00Z", "");

	fixture_entry(key, text, "");
}

static void kernels_are_all_between_the_ends_and_the_ends(void **state)
{
	struct candidates c = {};

	(void)state;
	put("a", "6.14.2");
	put("b", "6.12.9");
	put("c", "6.12.1");
	put("d", "6.16.1");
	assert_int_equal(candidates_of_kernels(&c, "6.12.1", "6.15.3", false, "ktstr"), 0);
	expect_names(&c, "6.12.1 6.12.9 6.14.2 6.15.3");
	candidates_finish(&c);
	/* An end that nobody has any more is where it belongs. */
	assert_int_equal(candidates_of_kernels(&c, "6.11.3", "6.14.5", false, "ktstr"), 0);
	expect_names(&c, "6.11.3 6.12.1 6.12.9 6.14.2 6.14.5");
	candidates_finish(&c);
	/* A series is not a version, and an end that is listed is there once. */
	assert_int_equal(candidates_of_kernels(&c, "6.12", "6.14.2", false, "ktstr"), 0);
	expect_names(&c, "6.12.1 6.12.9 6.14.2");
	candidates_finish(&c);
	assert_int_equal(candidates_of_kernels(&c, "master", "6.14.2", false, "ktstr"), -EINVAL);
	candidates_finish(&c);
}

static void programs_have_to_be_there(void **state)
{
	const char *const files[] = { "/bin/true", "/bin/sh" }, *const bad[] = { "/bin/true",
										 "number" };
	struct candidates c = {};
	_free_ char *path = NULL;

	(void)state;
	assert_int_equal(candidates_of_programs(&c, files, 2), 0);
	expect_names(&c, "/bin/true /bin/sh");
	assert_int_equal(candidates_make_program(&c, 0, &path), 0);
	assert_int_equal(path[0], '/');
	assert_int_equal(access(path, X_OK), 0);
	candidates_finish(&c);
	assert_int_equal(candidates_of_programs(&c, bad, 2), -EACCES);
	candidates_finish(&c);
}

static void commits_go_from_good_to_bad(void **state)
{
	struct candidates c = {};

	(void)state;
	assert_int_equal(candidates_of_commits(&c, "c2", "c4"), 0);
	expect_names(&c, "number 2 number 3 number 4");
	assert_int_equal(strlen(c.names.items[0]), 40);
	candidates_finish(&c);
	/* The same commit is one; the other way round is told. */
	assert_int_equal(candidates_of_commits(&c, "c2", "c2"), 0);
	expect_names(&c, "number 2");
	candidates_finish(&c);
	assert_int_equal(candidates_of_commits(&c, "c4", "c2"), -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), "did you mean --good c2 --bad c4?"));
	candidates_finish(&c);
	assert_int_equal(candidates_of_commits(&c, "nothing", "c2"), -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), "git log -1 failed"));
	candidates_finish(&c);
}

static void each_commit_is_built_in_a_tree_of_its_own(void **state)
{
	static const char build[] = "case $(cat number) in 3) exit 2 ;; 4) exit 0 ;; esac;"
				    " mkdir -p out && cp /bin/true out/scheduler";
	struct candidates c = { .build = build, .binary = "out/scheduler" };
	_free_ char *path = NULL, *number = NULL, *tree = NULL;
	_str_ struct str text = {};

	(void)state;
	assert_int_equal(candidates_of_commits(&c, "c2", "c5"), 0);
	assert_int_equal(candidates_make_program(&c, 0, &path), 0);
	tree = strdup(c.tree.path);
	assert_true(str_starts(path, tree));
	assert_int_equal(access(path, X_OK), 0);
	number = str_fmt("%s/number", tree);
	assert_int_equal(file_read(number, &text), 0);
	assert_string_equal(str_get(&text), "2\n");
	free(path);
	/* What an earlier commit left behind is not taken for what this one made. */
	path = NULL;
	assert_int_equal(candidates_make_program(&c, 1, &path), CANDIDATE_FAILS);
	assert_null(path);
	assert_int_equal(candidates_make_program(&c, 2, &path), CANDIDATE_LACKS_PROGRAM);
	free(path);
	assert_int_equal(candidates_make_program(&c, 3, &path), 0);
	assert_string_equal(c.tree.path, tree);
	candidates_finish(&c);
	assert_int_equal(access(tree, F_OK), -1);
	sh("test $(git worktree list | wc -l) = 1");
	/* The tree of the user is as it was. */
	sh("test $(cat number) = 5 && git diff --quiet");
}

#define IN_REPO(f) cmocka_unit_test_setup_teardown(f, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(kernels_are_all_between_the_ends_and_the_ends,
						kernel_fixture_setup, kernel_fixture_teardown),
		IN_REPO(programs_have_to_be_there),
		IN_REPO(commits_go_from_good_to_bad),
		IN_REPO(each_commit_is_built_in_a_tree_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
