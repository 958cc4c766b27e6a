// SPDX-License-Identifier: GPL-2.0-only
/*
 * `ktstr watch-tests`: repeats `ktstr test` whenever a test's file or its scheduler changes. Each
 * round is a separate process, which exits as `ktstr test` would; failed tests run first in the
 * next round.
 */
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/wait.h>

#include "cli/options.h"
#include "cli/table.h"
#include "run/discover.h"
#include "stats/runs.h"

#define CLEAR_SCREEN "\033[2J\033[H"
/* A compiler or an editor may write several files: wait until there are no more changes. */
#define SETTLE_MS 200
#define LOOK_MS 500

struct watched {
	int directory; /* its inotify watch descriptor */
	char *name;    /* in the directory; "" = every file */
};

struct watch {
	struct test_call *test;
	int fd;
	VEC(struct watched) files;
	struct texts failed; /* names of tests that failed in the last round */
	struct str changed;  /* the file that triggered this round */
};

static void forget_files(struct watch *w)
{
	for (size_t i = 0; i < w->files.count; i++)
		free(w->files.items[i].name);
	w->files.count = 0;
}

static void watch_finish(struct watch *w)
{
	forget_files(w);
	free(w->files.items);
	texts_finish(&w->failed);
	str_finish(&w->changed);
	if (w->fd >= 0)
		close(w->fd);
}

static bool is_watched(const struct watch *w, int directory, const char *name)
{
	for (size_t i = 0; i < w->files.count; i++)
		if (w->files.items[i].directory == directory &&
		    (!*w->files.items[i].name || str_eq(w->files.items[i].name, name)))
			return true;
	return false;
}

/* Watches the directory: editors and compilers replace the file. */
static int add_file(struct watch *w, const char *path)
{
	const char *slash = strrchr(path, '/');
	_free_ char *dir = slash ? strndup(path, (size_t)(slash + 1 - path)) : strdup("./");
	_free_ char *name = strdup(slash ? slash + 1 : path);
	int directory, rc;

	if (!name || !dir)
		return err_no_memory();
	directory = inotify_add_watch(w->fd, dir, IN_CLOSE_WRITE | IN_MOVED_TO);
	if (directory < 0)
		return err_sys(errno, "watch %s", dir);
	if (is_watched(w, directory, name))
		return 0;
	rc = vec_push(&w->files, ((struct watched){ directory, name }));
	if (rc == 0)
		take_ptr(&name);
	return rc;
}

static int add_path(struct watch *w, const char *path)
{
	_free_ char *inside = str_fmt("%s/", path);

	if (!inside)
		return err_no_memory();
	return add_file(w, access(inside, F_OK) == 0 ? inside : path);
}

static int add_schedulers(struct watch *w, const struct test_program *p)
{
	struct scheduler_search where = { .program = p->path,
					  .profile = w->test->options.scheduler_profile };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < p->probe.schedulers.count; i++) {
		_free_ char *path = NULL;
		const char *source;

		/* A missing one is reported by the run. */
		if (scheduler_find(&p->probe.schedulers.items[i], &where, &path, &source) < 0)
			err_clear();
		if (path)
			rc = add_file(w, path);
	}
	return rc;
}

/* A file that does not compile declares nothing: only the file itself is watched. */
static int add_programs(struct watch *w)
{
	const struct runner_options *o = &w->test->options;
	_cleanup_(test_programs_finish) struct test_programs programs = {};
	struct discover_options how = { .skips_broken = true };
	int rc = 0;

	if (discover_programs(o->paths, o->path_count, &how, &programs) < 0) {
		err_clear();
		return 0;
	}
	for (size_t i = 0; rc == 0 && i < programs.items.count; i++) {
		rc = add_file(w, test_program_origin(&programs.items.items[i]));
		rc = rc ?: add_schedulers(w, &programs.items.items[i]);
	}
	return rc;
}

static int find_files(struct watch *w)
{
	const struct runner_options *o = &w->test->options;
	int rc = 0;

	forget_files(w);
	for (size_t i = 0; rc == 0 && i < o->path_count; i++)
		rc = add_path(w, o->paths[i]);
	if (rc == 0 && o->path_count == 0 && access("tests/", F_OK) == 0)
		rc = add_file(w, "tests/");
	return rc ?: add_programs(w);
}

static void note_failed(struct watch *w)
{
	_runs_ struct runs runs = {};
	struct run *run;

	if (runs_open_latest(&runs, NULL, &run) < 0) {
		err_clear();
		return;
	}
	texts_finish(&w->failed);
	for (size_t i = 0; i < run->sidecars.count; i++)
		if (run->sidecars.items[i]->outcome == KTSTR_FAILED)
			texts_add_once(&w->failed, run->sidecars.items[i]->name);
}

/* In the process of the round: runs failed tests first, and all tests if these pass now. */
static int run_tests(struct watch *w)
{
	_cleanup_(filter_finish) struct filter failed = {};
	struct runner_options again = w->test->options;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < w->failed.count; i++) {
		_free_ char *expression = str_fmt("test(%s)", w->failed.items[i]);

		rc = expression ? filter_option_add(&failed, expression) : err_no_memory();
	}
	again.choice.filter = &failed;
	if (rc == 0 && w->failed.count)
		rc = runner_run(&again);
	if (rc == RUN_EXIT_FAILED)
		output_line("the other tests run when these pass");
	return rc == 0 || rc == RUN_EXIT_NOTHING ? runner_run(&w->test->options) : rc;
}

static int await_round(struct watch *w, pid_t pid)
{
	int rc;

	while (waitpid(pid, NULL, 0) < 0)
		if (errno == EINTR)
			kill(pid, SIGTERM);
	rc = interrupt_check();
	if (rc < 0)
		return rc;
	note_failed(w);
	output_line("watching %zu file%s; Ctrl-C ends", w->files.count,
		    w->files.count == 1 ? "" : "s");
	fflush(stdout);
	return 0;
}

/* Returns whether one of the files has changed: others in the directory may change all the time. */
static bool read_events(struct watch *w)
{
	char buffer[16384] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t len = read(w->fd, buffer, sizeof(buffer));
	bool is_ours = false;

	for (char *p = buffer; p < buffer + len;) {
		const struct inotify_event *e = (void *)p;

		if (e->len && is_watched(w, e->wd, e->name)) {
			str_reset(&w->changed);
			str_add(&w->changed, e->name);
			is_ours = true;
		}
		p += sizeof(*e) + e->len;
	}
	return is_ours;
}

static int await_change(struct watch *w)
{
	struct pollfd ready = { .fd = w->fd, .events = POLLIN };
	uint64_t last_ns = 0;

	str_reset(&w->changed);
	for (;;) {
		int n = poll(&ready, 1, w->changed.len ? SETTLE_MS : LOOK_MS);
		int rc = interrupt_check();

		if (rc < 0)
			return rc;
		if (n > 0 && read_events(w))
			last_ns = clock_mono_ns();
		if (w->changed.len && clock_mono_ns() - last_ns >= SETTLE_MS * NSEC_PER_MSEC)
			return str_check(&w->changed);
	}
}

static void tell_round(const struct watch *w)
{
	if (!w->changed.len)
		return;
	if (term_knows_escapes(stdout))
		fputs(CLEAR_SCREEN, stdout);
	output_line("---- %s changed ----", cli_quoted(str_get(&w->changed)));
	fflush(stdout);
}

/* A path that is wrong from the start is an error, not one to wait for. */
static int check_paths(const struct runner_options *o)
{
	for (size_t i = 0; i < o->path_count; i++)
		if (access(o->paths[i], F_OK) < 0)
			return err_sys(errno, "watch %s", o->paths[i]);
	return 0;
}

static int cmd_watch_tests_run(const struct cli_call *call)
{
	_cleanup_(test_call_finish) struct test_call test = { .call = call };
	_cleanup_(watch_finish) struct watch w = { .test = &test, .fd = -1 };
	int rc = test_call_read(&test);
	pid_t pid;

	rc = rc ?: check_paths(&test.options);
	if (rc)
		return rc;
	w.fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (w.fd < 0)
		return err_sys(errno, "watch files");
	interrupt_install();
	while (rc == 0) {
		source_release();
		rc = find_files(&w);
		tell_round(&w);
		pid = rc < 0 ? 0 : child_fork(SIGTERM, "start a run");
		if (pid < 0)
			return pid;
		if (rc == 0 && pid == 0)
			return run_tests(&w);
		rc = rc ?: await_round(&w, pid);
		rc = rc ?: await_change(&w);
	}
	return rc == -EINTR ? RUN_EXIT_INTERRUPTED : rc;
}

/* clang-format off */
const struct cli_cmd cmd_watch_tests = {
	.name = "watch-tests", .summary = "run tests again whenever they or their scheduler change",
	.about = "Runs tests like `ktstr test`, with the same options, and reruns them whenever "
		 "one of their C files or programs, or the program of a scheduler, changes, until "
		 "interrupted. Tests that failed in the last round run first; the others follow "
		 "once those pass.",
	.params = cli_test_params,
	.examples = CLI_EXAMPLES(
		{ "watch-tests mine.c", "while you work on the test, or on the scheduler that it declares" }),
	.holds_resources = true,
	.exits = CLI_EXITS({ "130", "interrupted, the usual end" }),
	.rest = &cli_test_rest, .run = cmd_watch_tests_run,
};
/* clang-format on */
