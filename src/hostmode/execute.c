// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a scenario in a child process; the verdict is returned as JSON in a memory file. The
 * executor of run/ is for many jobs of test programs at once, which reserve CPUs and memory and
 * whose stderr is kept until they end. Here is one run at a time, on the terminal.
 */
#include "hostmode/execute.h"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>

#include "base/finding.h"
#include "cgroup/cgroup.h"
#include "check/check.h"
#include "scenario/catalog.h"
#include "scenario/ctx.h"

#define SETTLE_MS 500
#define PAUSE_MS 200
#define POLL_MS 100
/* Far longer than a run may take: a stalled scheduler must not block the other runs. */
#define LIMIT_MS(duration) (4 * (duration) + 60000)

static int check_controllers(const char *mount)
{
	static const char *const needed[] = { "cpuset", "cpu" };
	_str_ struct str there = {};

	root_read_line(mount, &there, "cgroup.controllers");
	for (size_t i = 0; i < ARRAY_SIZE(needed); i++)
		if (!str_has_word(str_get(&there), needed[i]))
			return err_set(EOPNOTSUPP,
				       "the cgroup v2 tree at %s has no %s controller (cgroup v1 "
				       "has it): " FIX_CGROUP2 ", or "
				       "run this in a VM with `ktstr shell -i ktstr`",
				       mount, needed[i]);
	return 0;
}

int host_check(const struct roots *roots, char **cgroup_parent)
{
	_str_ struct str base = {};
	int rc = host_base_dir(roots, &base) ?: check_controllers(str_get(&base));

	if (rc < 0)
		return rc;
	if (access(str_get(&base), W_OK) != 0)
		return err_sys(errno, "cannot make cgroups in %s, run it as root", str_get(&base));
	*cgroup_parent = str_fmt("%s/ktstr-%d", str_get(&base), getpid());
	return *cgroup_parent ? 0 : err_no_memory();
}

/* ---- in the child ---- */

static int run_body(const struct host_run *run, const struct ctx_options *options,
		    struct ktstr_result *res)
{
	struct ktstr_ctx ctx;
	int rc = ctx_init(&ctx, options), finished;

	if (rc < 0)
		return rc;
	rc = run->scenario->run(run->scenario->what, &ctx, res);
	ctx_report(&ctx, rc, res);
	finished = ctx_finish(&ctx);
	if (finished < 0)
		result_add(res, DETAIL_OTHER, KTSTR_FAILED, "%s", err_text(finished));
	return 0;
}

/* A test that is expected to fail passes if it failed. */
static void turn_around(struct ktstr_result *res)
{
	if (res->verdict == KTSTR_PASSED) {
		result_add(res, DETAIL_OTHER, KTSTR_FAILED,
			   "expected an error, and there was none");
	} else if (res->verdict == KTSTR_FAILED) {
		vec_each(struct detail, d, &res->details)
			d->verdict = KTSTR_PASSED;
		res->verdict = KTSTR_PASSED;
	}
}

static void judge(const struct host_run *run, const struct ctx_options *options,
		  struct ktstr_result *res)
{
	int rc = run_body(run, options, res);

	if (rc < 0)
		result_add(res, DETAIL_OTHER, KTSTR_FAILED, "%s", err_text(rc));
	result_close(res);
	if (run->scenario->expects_error)
		turn_around(res);
}

static void child_main(const struct host_run *run, const struct ctx_options *options, int out)
{
	struct ktstr_result res;
	struct str text = {};
	struct json json;
	int rc;

	result_init(&res);
	judge(run, options, &res);
	json_init(&json, &text, false);
	result_to_json(&res, &json);
	rc = str_check(&text);
	rc = rc ?: fd_write_all(out, text.s, text.len);
	fflush(NULL);
	_exit(rc < 0);
}

/* ---- in the parent ---- */

static int start(struct child *c, const struct host_run *run, const struct ctx_options *options,
		 int out)
{
	c->pid = child_fork(SIGKILL, "start a process for a scenario");
	if (c->pid == 0)
		child_main(run, options, out);
	return c->pid < 0 ? c->pid : 0;
}

/* Returns its status as child_wait() does, -ETIMEDOUT, or -EINTR. */
static int wait_for(struct child *c, uint64_t limit_ms)
{
	uint64_t end_ns = clock_mono_ns() + limit_ms * NSEC_PER_MSEC;
	int rc;

	do
		rc = child_wait(c, POLL_MS * NSEC_PER_MSEC);
	while (rc == -ETIMEDOUT && clock_mono_ns() < end_ns && (rc = interrupt_check()) == 0);
	return rc;
}

static int read_result(int out, struct ktstr_result *res)
{
	_str_ struct str text = {};
	_free_ char *path = str_fmt("/proc/self/fd/%d", out);
	int rc = path ? file_read(path, &text) : err_no_memory();

	if (rc == 0)
		rc = text.len ? result_from_json(res, text.s, text.len) :
				err_set(ENODATA, "it left no result");
	return rc;
}

/* Removes what a killed child could not remove itself. */
static void remove_leftovers(const struct host_options *options)
{
	const char *dir = options->cgroup_parent;
	_str_ struct str mount = {};

	if (cgroup_find_mount(&roots_live, &mount) < 0)
		return;
	if (access(dir, F_OK) == 0 && cgroup_remove_tree(str_get(&mount), dir) < 0)
		log_warn("run", "%s is left behind: `ktstr cleanup` removes it", dir);
}

static void take_verdict(int status, int out, struct ktstr_result *res)
{
	int rc;

	if (status > 128) {
		result_add(res, DETAIL_OTHER, KTSTR_FAILED,
			   "the scenario was killed by signal %d (%s)", status - 128,
			   strsignal(status - 128));
		return;
	}
	rc = read_result(out, res);
	if (rc < 0)
		result_add(res, DETAIL_OTHER, KTSTR_FAILED,
			   "the scenario ended without a verdict: %s", err_text(rc));
}

static void fill_options(struct ctx_options *o, const struct host_run *run,
			 const struct host_options *options, struct ktstr_assert *checks)
{
	const struct host_scenario *s = run->scenario;

	*checks = assert_defaults;
	if (s->checks)
		assert_merge(checks, s->checks);
	*o = (struct ctx_options){
		.topology = options->topology,
		.cgroup_parent = options->cgroup_parent,
		.without_cpu_controller = run->profile & FLAG_NO_CTRL,
		.duration_ms = s->duration_ms ? s->duration_ms : options->duration_ms,
		.settle_ms = SETTLE_MS,
		.workers_per_cgroup = s->workers ? s->workers : options->workers,
		.work_type = options->work_type,
		.checks = checks,
		.seed = options->seed,
		.observe_dir = options->observe_dir,
		.observe_problem = options->observe_problem,
		.is_verbose = options->is_verbose,
	};
}

static int execute(const struct host_run *run, const struct ctx_options *options, int out,
		   struct ktstr_result *res)
{
	_cleanup_(child_finish) struct child child = {};
	uint64_t limit_ms = LIMIT_MS(options->duration_ms);
	int rc = start(&child, run, options, out) ?: wait_for(&child, limit_ms);

	if (rc == -ETIMEDOUT) {
		result_add(res, DETAIL_OTHER, KTSTR_FAILED, "no end after %llu s, killed",
			   ULL(limit_ms) / 1000);
		return 0;
	}
	if (rc < 0)
		return rc;
	take_verdict(rc, out, res);
	return 0;
}

int host_execute(const struct host_run *run, const struct host_options *options,
		 struct ktstr_result *res, double *seconds)
{
	_close_ int out = memfd_create("ktstr-result", MFD_CLOEXEC);
	uint64_t start_ns = clock_mono_ns();
	struct ktstr_assert checks;
	struct ctx_options ctx_options;
	int rc;

	if (out < 0)
		return err_sys(errno, "make a file for the result");
	fill_options(&ctx_options, run, options, &checks);
	poll(NULL, 0, SETTLE_MS);
	rc = execute(run, &ctx_options, out, res);
	*seconds = (double)(clock_mono_ns() - start_ns) / (double)NSEC_PER_SEC;
	remove_leftovers(options);
	poll(NULL, 0, PAUSE_MS);
	return rc;
}
