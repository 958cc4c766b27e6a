// SPDX-License-Identifier: GPL-2.0-only
/* What becomes of the records of a run when the next one begins. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/str.h"
#include "base/util.h"
#include "record/sidecar.h"
#include "run/parts.h"
#include "unit.h"

#define ONE "1111 /one/scx\n"
#define TWO "2222 /two/scx\n"

static int setup(void **state)
{
	*state = unit_temp_create();
	setenv("KTSTR_RUNS_ROOT", *state, 1);
	unsetenv("KTSTR_SIDECAR_DIR");
	return 0;
}

static int teardown(void **state)
{
	unit_temp_remove(*state);
	return 0;
}

/* Makes the directory ready and puts a record into it. */
static void run_with(const char *epoch, const char *schedulers, unsigned int history)
{
	_run_dir_ struct run_dir d = {};

	assert_int_equal(run_dir_open(&(struct run_dir_request){ .kernel = "7.0",
								 .project_commit = "1a2b3c4",
								 .epoch = epoch,
								 .history = history,
								 .schedulers = schedulers },
				      &d),
			 0);
	unit_write(d.path, str_eq(epoch, "a") ? "a" SIDECAR_SUFFIX : "b" SIDECAR_SUFFIX, "{}");
	usleep(2000); /* the name of a kept run is its time in milliseconds */
}

/* Directories of runs, and records in all of them. */
static void expect_runs(const char *root, size_t runs, size_t records)
{
	_closedir_ DIR *dir = opendir(root);
	size_t found = 0, files = 0;
	struct dirent *e;

	while ((e = readdir(dir))) {
		_free_ char *path = str_fmt("%s/%s", root, e->d_name);
		_closedir_ DIR *run = str_starts(e->d_name, "7.0-1a2b3c4") ? opendir(path) : NULL;

		found += run != NULL;
		while (run && (e = readdir(run)))
			files += strstr(e->d_name, SIDECAR_SUFFIX) != NULL;
	}
	assert_int_equal(found, runs);
	assert_int_equal(files, records);
}

/* Both parts of a run's name come from elsewhere. */
static void a_run_stays_below_its_root(void **state)
{
	static const char *const names[][2] = { { "7.0", "x/../../../outside" },
						{ "../7.0", "1a2b3c4" },
						{ "7.0", "a\nb" },
						{ "7.0", "\033[2J" } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_run_dir_ struct run_dir d = {};
		int rc = run_dir_open(&(struct run_dir_request){ .kernel = names[i][0],
								 .project_commit = names[i][1],
								 .epoch = "a" },
				      &d);

		assert_int_equal(rc, -EINVAL);
		assert_non_null(strstr(err_text(rc), "KTSTR_PROJECT_COMMIT"));
		assert_null(d.path);
	}
}

static void the_next_run_replaces_the_records_of_the_same_schedulers(void **state)
{
	run_with("a", ONE TWO, 0);
	expect_runs(*state, 1, 1);
	run_with("b", TWO ONE, 0);
	expect_runs(*state, 1, 1);
	run_with("c", ONE TWO, 1);
	expect_runs(*state, 2, 2);
}

static void open_run(struct run_dir *d, const char *epoch, unsigned int history)
{
	assert_int_equal(run_dir_open(&(struct run_dir_request){ .kernel = "7.0",
								 .project_commit = "1a2b3c4",
								 .epoch = epoch,
								 .history = history,
								 .schedulers = ONE },
				      d),
			 0);
	usleep(2000); /* the name of a run beside another is its time in milliseconds */
}

/* Two runs at the same time, as of two terminals; a third one when they have ended. */
static void a_run_that_goes_on_keeps_its_directory(void **state)
{
	_free_ char *usual = str_fmt("%s/7.0-1a2b3c4", (char *)*state);
	_free_ char *record = str_fmt("%s/a" SIDECAR_SUFFIX, usual);
	struct run_dir first = {}, second = {}, same = {};

	open_run(&first, "a", 0);
	assert_string_equal(first.path, usual);
	unit_write(first.path, "a" SIDECAR_SUFFIX, "{}");
	open_run(&second, "b", 0);
	assert_string_not_equal(second.path, usual);
	assert_true(str_starts(second.path, usual));
	assert_int_equal(access(record, F_OK), 0);
	unit_write(second.path, "b" SIDECAR_SUFFIX, "{}");
	expect_runs(*state, 2, 2);
	/* Another process of the first one. */
	open_run(&same, "a", 0);
	assert_string_equal(same.path, usual);
	run_dir_finish(&first);
	/* One of both still writes. A history does not remove what goes on, either. */
	open_run(&first, "c", 1);
	assert_string_not_equal(first.path, usual);
	assert_int_equal(access(record, F_OK), 0);
	run_dir_finish(&same);
	run_dir_finish(&first);
	open_run(&first, "d", 1);
	assert_string_equal(first.path, usual);
	assert_int_equal(access(second.path, F_OK), 0);
	run_dir_finish(&first);
	run_dir_finish(&second);
}

static bool has_file(const char *dir, const char *name)
{
	_free_ char *path = str_fmt("%s/%s", dir, name);

	return access(path, F_OK) == 0;
}

/* A dump of a test that is not run again, or under another name, would pass for the new run's. */
static void what_lay_beside_the_records_goes_with_them(void **state)
{
	static const char *const names[] = {
		"a-1.failure-dump.json",
		"a-1.core",
		"a-1.trace.html",
		"a-1.snapshots.json",
		"a-1.auto-repro.json",
		"a-1.repro.failure-dump.json",
		"junit.xml",
	};
	_free_ char *dir = str_fmt("%s/7.0-1a2b3c4", (char *)*state);

	run_with("a", ONE, 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		unit_write(dir, names[i], "{}");
	unit_write(dir, "notes.txt", "");
	run_with("a", ONE, 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_true(has_file(dir, names[i]));
	run_with("b", ONE, 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_false(has_file(dir, names[i]));
	assert_true(has_file(dir, "notes.txt"));
}

/* So many earlier ones, the newest of them, and the one that was made last. */
static void a_history_has_an_end(void **state)
{
	static const char *const epochs[] = { "a", "b", "c", "d", "e" };

	for (size_t i = 0; i < ARRAY_SIZE(epochs); i++) {
		run_with(epochs[i], ONE, 2);
		expect_runs(*state, MIN(i, (size_t)2) + 1, MIN(i, (size_t)2) + 1);
	}
	run_with("f", ONE, 1);
	expect_runs(*state, 2, 2);
}

static void records_of_another_scheduler_are_kept(void **state)
{
	run_with("a", ONE, 0);
	run_with("b", TWO, 0);
	expect_runs(*state, 2, 2);
	run_with("c", ONE TWO, 0);
	expect_runs(*state, 2, 2);
	run_with("d", ONE, 0);
	expect_runs(*state, 3, 3);
	run_with("e", NULL, 0);
	expect_runs(*state, 4, 4);
	/* Nothing is lost with a run that had no scheduler of its own. */
	run_with("f", ONE, 0);
	expect_runs(*state, 4, 4);
}

static void runs_of_one_epoch_are_one(void **state)
{
	run_with("a", ONE, 0);
	run_with("a", TWO, 0);
	expect_runs(*state, 1, 1);
	run_with("b", TWO, 0);
	expect_runs(*state, 2, 2);
}

static void run_shell(const char *command)
{
	assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): a fixture */
}

#define GIT "git -c user.name=x -c user.email=x@example.org -c commit.gpgsign=false "

static void expect_commit(const char *expected)
{
	struct project_commit c;

	assert_int_equal(project_commit_read(&c), 0);
	if (expected)
		assert_string_equal(c.text, expected);
	else
		assert_null(c.text);
	project_commit_finish(&c);
	assert_null(c.text);
}

static void a_run_is_named_after_the_commit_and_its_changes(void **state)
{
	_free_ char *before = getcwd(NULL, 0);
	_free_ char *dirty = NULL;
	struct project_commit clean;
	const char *dir = *state;

	unsetenv("KTSTR_PROJECT_COMMIT");
	setenv("GIT_CEILING_DIRECTORIES", dir, 1);
	unit_write(dir, "project/file", "one\n");
	assert_int_equal(chdir(dir), 0);
	assert_int_equal(chdir("project"), 0);
	expect_commit(NULL);
	run_shell("git init -q . && git add file");
	expect_commit(NULL);
	run_shell(GIT "commit -q -m one");
	assert_int_equal(project_commit_read(&clean), 0);
	assert_int_equal(strlen(clean.text), 7);
	assert_int_equal(strspn(clean.text, "0123456789abcdef"), 7);
	unit_write(".", "untracked", "");
	expect_commit(clean.text);
	unit_write(".", "file", "two\n");
	dirty = str_fmt("%s-dirty", clean.text);
	expect_commit(dirty);
	setenv("KTSTR_PROJECT_COMMIT", "given", 1);
	expect_commit("given");
	unsetenv("KTSTR_PROJECT_COMMIT");
	unsetenv("GIT_CEILING_DIRECTORIES");
	project_commit_finish(&clean);
	assert_int_equal(chdir(before), 0);
}

/* Seeds of the run before have directories of their own, whose records count as well. */
static void records_of_seeds_are_replaced_with_the_others(void **state)
{
	_run_dir_ struct run_dir first = {}, second = {};
	_free_ char *seed = NULL, *other = NULL, *path = NULL;

	(void)state;
	open_run(&first, "a", 0);
	seed = str_fmt("%s/" RUN_SEED_DIR "7", first.path);
	other = str_fmt("%s/other", first.path);
	unit_write(seed, "a" SIDECAR_SUFFIX, "{}");
	unit_write(seed, "b" SIDECAR_SUFFIX, "{}");
	unit_write(seed, "notes", "");
	unit_write(first.path, "c" SIDECAR_SUFFIX, "{}");
	unit_write(other, "d" SIDECAR_SUFFIX, "{}");
	path = strdup(first.path);
	run_dir_finish(&first);
	open_run(&second, "b", 0);
	assert_string_equal(second.path, path);
	assert_true(access(seed, F_OK) < 0);
	assert_int_equal(access(other, F_OK), 0);
}

static void names_of_records_end_like_them(void **state)
{
	(void)state;
	assert_true(run_dir_is_record("a" SIDECAR_SUFFIX));
	assert_false(run_dir_is_record(SIDECAR_SUFFIX));
	assert_false(run_dir_is_record("a" SIDECAR_SUFFIX "x"));
	assert_false(run_dir_is_record("a"));
	assert_false(run_dir_is_record(""));
}

/* A list that somebody else put there may name any program. */
static void a_list_of_programs_is_ours_after_it_was_marked(void **state)
{
	_free_ char *list = str_fmt("%s/list", (char *)*state),
		    *link = str_fmt("%s/link", (char *)*state);

	setenv("XDG_CACHE_HOME", *state, 1);
	run_programs_mark(list);
	assert_false(run_programs_are_ours(list));
	unit_write(*state, "list", "/a/program\n");
	assert_false(run_programs_are_ours(list));
	run_programs_mark(list);
	assert_true(run_programs_are_ours(list));
	assert_int_equal(symlink("list", link), 0);
	run_programs_mark(link);
	assert_false(run_programs_are_ours(link));
	unsetenv("XDG_CACHE_HOME");
}

/* An attempt that is kept has to be replayable from its own directory. */
static void a_kept_attempt_has_the_list_of_programs(void **state)
{
	_free_ char *path = NULL, *missing = NULL,
		    *expected = str_fmt("%s/" RUN_ATTEMPTS_DIR "/2", (char *)*state);
	_free_ char *list = str_fmt("%s/" RUN_PROGRAMS_FILE, expected);
	_str_ struct str text = {};

	unit_write(*state, RUN_PROGRAMS_FILE, "/a/program\n");
	assert_int_equal(run_dir_of_attempt(*state, 2, &path), 0);
	assert_string_equal(path, expected);
	assert_int_equal(file_read_at(AT_FDCWD, list, &text), 0);
	assert_string_equal(str_get(&text), "/a/program\n");
	assert_int_equal(run_dir_of_attempt("/dev/null", 1, &missing), -ENOTDIR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			the_next_run_replaces_the_records_of_the_same_schedulers, setup, teardown),
		cmocka_unit_test_setup_teardown(a_run_that_goes_on_keeps_its_directory, setup,
						teardown),
		cmocka_unit_test_setup_teardown(what_lay_beside_the_records_goes_with_them, setup,
						teardown),
		cmocka_unit_test_setup_teardown(records_of_seeds_are_replaced_with_the_others,
						setup, teardown),
		cmocka_unit_test(names_of_records_end_like_them),
		cmocka_unit_test_setup_teardown(a_list_of_programs_is_ours_after_it_was_marked,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_history_has_an_end, setup, teardown),
		cmocka_unit_test_setup_teardown(records_of_another_scheduler_are_kept, setup,
						teardown),
		cmocka_unit_test_setup_teardown(runs_of_one_epoch_are_one, setup, teardown),
		cmocka_unit_test_setup_teardown(a_run_stays_below_its_root, setup, teardown),
		cmocka_unit_test_setup_teardown(a_run_is_named_after_the_commit_and_its_changes,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_kept_attempt_has_the_list_of_programs, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
