// SPDX-License-Identifier: GPL-2.0-only
/* Work trees and builds in them: git, the build's process and the clock are played. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/git.h"
#include "base/interrupt.h"
#include "base/str.h"
#include "explore/explore.h"

static struct str calls; /* of git, and of the build */
static int git_rc, start_rc, end_rc;
static unsigned int waits; /* until the build ends */
static unsigned int interrupted_at;
static uint64_t now_ns;
static char *dir;

int __wrap_git_output(struct str *out, const char *const *argv);
bool __wrap_git_quietly(struct str *out, const char *const *argv);
int __wrap_child_start(struct child *c, const struct child_opts *o);
int __wrap_child_wait(struct child *c, uint64_t timeout_ns);
void __wrap_child_finish(struct child *c);
int __wrap_interrupt_check(void);
uint64_t __wrap_clock_mono_ns(void);

static void tell(const char *const *argv)
{
	str_add(&calls, calls.len ? "; " : "");
	for (size_t i = 0; argv[i]; i++)
		str_addf(&calls, "%s%s", i ? " " : "", argv[i]);
}

int __wrap_git_output(struct str *out, const char *const *argv)
{
	(void)out;
	tell(argv);
	return git_rc ? err_set(-git_rc, "git failed") : 0;
}

bool __wrap_git_quietly(struct str *out, const char *const *argv)
{
	assert_null(out);
	tell(argv);
	return true;
}

int __wrap_child_start(struct child *c, const struct child_opts *o)
{
	(void)c;
	tell(o->argv);
	str_addf(&calls, " in %s", o->directory);
	assert_int_equal(o->stdout_fd, STDERR_FILENO);
	return start_rc ? err_set(-start_rc, "no process") : 0;
}

/* A tick of 100 ms each. */
int __wrap_child_wait(struct child *c, uint64_t timeout_ns)
{
	(void)c;
	assert_int_equal(timeout_ns, 100 * NSEC_PER_MSEC);
	now_ns += timeout_ns;
	if (!waits)
		return end_rc;
	waits--;
	return -ETIMEDOUT;
}

void __wrap_child_finish(struct child *c)
{
	(void)c;
	str_add(&calls, "; finished");
}

int __wrap_interrupt_check(void)
{
	return interrupted_at && interrupted_at-- == 1 ? -EINTR : 0;
}

uint64_t __wrap_clock_mono_ns(void)
{
	return now_ns;
}

static int start(void **state)
{
	(void)state;
	git_rc = start_rc = end_rc = 0;
	waits = interrupted_at = 0;
	now_ns = NSEC_PER_SEC;
	dir = unit_temp_create();
	return 0;
}

static int stop(void **state)
{
	(void)state;
	str_finish(&calls);
	calls = (struct str){};
	unit_temp_remove(dir);
	return 0;
}

static void trees_are_made_switched_moved_and_removed(void **state)
{
	_free_ char *from = str_fmt("%s/from", dir), *to = str_fmt("%s/to", dir);
	_free_ char *expected = str_fmt("git worktree add --quiet --detach --force %s c1; "
					"git -C %s checkout --quiet --force --detach c2; "
					"git worktree repair %s; "
					"git worktree remove --force %s",
					from, from, to, to);
	struct worktree w = {};

	(void)state;
	assert_int_equal(worktree_make(&w, from, "c1"), 0);
	assert_string_equal(w.path, from);
	assert_int_equal(worktree_switch(&w, "c2"), 0);
	assert_int_equal(mkdir(from, 0700), 0);
	assert_int_equal(worktree_move(&w, to), 0);
	assert_string_equal(w.path, to);
	assert_int_equal(access(to, F_OK), 0);
	worktree_finish(&w);
	assert_null(w.path);
	assert_string_equal(str_get(&calls), expected);
	/* Nothing is left to remove. */
	worktree_finish(&w);
	assert_string_equal(str_get(&calls), expected);
}

static void a_tree_that_cannot_be_made_is_none(void **state)
{
	struct worktree w = {};

	(void)state;
	git_rc = -EINVAL;
	assert_int_equal(worktree_make(&w, dir, "c1"), -EINVAL);
	assert_null(w.path);
	w.path = strdup(dir);
	assert_int_equal(worktree_switch(&w, "c1"), -EINVAL);
	free(w.path);
}

static void a_tree_that_cannot_be_moved_stays(void **state)
{
	_free_ char *from = str_fmt("%s/none", dir), *to = str_fmt("%s/to", dir);
	struct worktree w = { .path = strdup(from) };

	(void)state;
	assert_int_equal(worktree_move(&w, to), -ENOENT);
	assert_string_equal(w.path, from);
	assert_string_equal(str_get(&calls), "");
	free(w.path);
}

static void builds_are_waited_for(void **state)
{
	struct worktree w = { .path = (char *)"/tree" };

	(void)state;
	waits = 3;
	end_rc = 7;
	assert_int_equal(worktree_build(&w, "make it"), 7);
	assert_string_equal(str_get(&calls), "sh -c make it in /tree; finished");
	assert_int_equal(now_ns, NSEC_PER_SEC + 400 * NSEC_PER_MSEC);
	start_rc = -ENOENT;
	assert_int_equal(worktree_build(&w, "make it"), -ENOENT);
}

static void builds_end_with_an_interrupt_or_after_an_hour(void **state)
{
	struct worktree w = { .path = (char *)"/tree" };

	(void)state;
	waits = 100;
	interrupted_at = 3;
	assert_int_equal(worktree_build(&w, "make"), -EINTR);
	assert_int_equal(now_ns, NSEC_PER_SEC + 300 * NSEC_PER_MSEC);
	now_ns = 0;
	waits = 100000;
	assert_int_equal(worktree_build(&w, "make"), -ETIMEDOUT);
	assert_int_equal(now_ns, 3600 * NSEC_PER_SEC);
}

static void scratch_directories_are_where_temporary_files_are(void **state)
{
	_free_ char *prefix = str_fmt("%s/x.", dir), *place = NULL, *none = str_fmt("%s/none", dir);

	(void)state;
	setenv("TMPDIR", dir, 1);
	place = worktree_scratch("x");
	assert_non_null(place);
	assert_true(str_starts(place, prefix));
	assert_int_equal(access(place, W_OK), 0);
	setenv("TMPDIR", none, 1);
	assert_null(worktree_scratch("x"));
	assert_non_null(strstr(err_text(-EIO), "for work trees: No such file or directory"));
	unsetenv("TMPDIR");
	free(place);
	place = worktree_scratch("ktstr-unit");
	assert_true(str_starts(place, "/tmp/ktstr-unit."));
	assert_int_equal(rmdir(place), 0);
}

/* ---- commits that are bisected ---- */

static void a_commit_that_cannot_be_checked_out_leaves_nothing(void **state)
{
	struct candidates c = { .kind = CANDIDATE_COMMIT, .build = "make", .binary = "out" };
	_free_ char *path = NULL;
	char *name = strdup("c1");

	(void)state;
	setenv("TMPDIR", dir, 1);
	git_rc = -EINVAL;
	c.names.items = &name;
	c.names.count = 1;
	assert_int_equal(candidates_make_program(&c, 0, &path), -EINVAL);
	assert_null(path);
	assert_null(c.tree.path);
	/* The directory is empty again, so that it can be removed. */
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(mkdir(dir, 0700), 0);
	setenv("TMPDIR", "/no/such/directory", 1);
	assert_int_equal(candidates_make_program(&c, 0, &path), -EIO);
	/* One that can be has its tree there. */
	setenv("TMPDIR", dir, 1);
	git_rc = 0;
	assert_int_equal(candidates_make_program(&c, 0, &path), CANDIDATE_LACKS_PROGRAM);
	assert_int_equal(access(c.tree.path, F_OK), 0);
	worktree_finish(&c.tree);
	unsetenv("TMPDIR");
	free(name);
}

/* Of the commit before; a directory in its place is nothing that a build makes. */
static void what_the_last_build_left_is_removed(void **state)
{
	struct candidates c = { .kind = CANDIDATE_COMMIT,
				.build = "make",
				.binary = "a/out",
				.tree = { .path = dir } };
	_free_ char *path = NULL, *built = str_fmt("%s/a/out", dir), *above = str_fmt("%s/a", dir);
	char *name = strdup("c1");
	int rc;

	(void)state;
	c.names.items = &name;
	c.names.count = 1;
	unit_write(dir, "a/out", "");
	assert_int_equal(candidates_make_program(&c, 0, &path), CANDIDATE_LACKS_PROGRAM);
	assert_int_equal(access(built, F_OK), -1);
	free(path);
	path = NULL;
	/* It is not there, and neither is its directory. */
	assert_int_equal(candidates_make_program(&c, 0, &path), CANDIDATE_LACKS_PROGRAM);
	free(path);
	path = NULL;
	assert_int_equal(rmdir(above), 0);
	unit_write(dir, "a", "");
	end_rc = 2;
	assert_int_equal(candidates_make_program(&c, 0, &path), CANDIDATE_FAILS);
	assert_int_equal(unlink(above), 0);
	str_reset(&calls);
	assert_int_equal(mkdir(above, 0700), 0);
	assert_int_equal(mkdir(built, 0700), 0);
	rc = candidates_make_program(&c, 0, &path);
	assert_true(rc == -EISDIR || rc == -EPERM);
	assert_string_equal(str_get(&calls), "");
	free(name);
}

#define PLAYED(f) cmocka_unit_test_setup_teardown(f, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLAYED(trees_are_made_switched_moved_and_removed),
		PLAYED(a_tree_that_cannot_be_made_is_none),
		PLAYED(a_tree_that_cannot_be_moved_stays),
		PLAYED(builds_are_waited_for),
		PLAYED(builds_end_with_an_interrupt_or_after_an_hour),
		PLAYED(scratch_directories_are_where_temporary_files_are),
		PLAYED(a_commit_that_cannot_be_checked_out_leaves_nothing),
		PLAYED(what_the_last_build_left_is_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
