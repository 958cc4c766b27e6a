// SPDX-License-Identifier: GPL-2.0-only
/* Runs a declared test and determines its verdict. */
#include "program/parts.h"

#include "check/check.h"
#include "check/versus.h"
#include "observe/observer.h"
#include "program/protocol.h"
#include "scenario/ctx.h"
#include "work/workers.h"

/* Everything that ctx_init() borrows while the body runs. */
struct world {
	struct ctx_options options;
	struct ktstr_work_type work_type;
	struct ktstr_assert checks;
	VEC(const char *) scheduler_argv; /* texts are of sched_args */
	struct str sched_args, observe_problem;
};

static void world_finish(struct world *w)
{
	free(w->scheduler_argv.items);
	str_finish(&w->sched_args);
	str_finish(&w->observe_problem);
}

static bool is_in_guest(void)
{
	/* One byte longer than the path: that of another program may begin alike. */
	char self[sizeof(PROGRAM_GUEST_PATH)];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self));

	return len == (ssize_t)strlen(PROGRAM_GUEST_PATH) &&
	       memcmp(self, PROGRAM_GUEST_PATH, (size_t)len) == 0;
}

/* *pid stays as it is if there is no scheduler. */
static int read_scheduler_pid(pid_t *pid)
{
	const char *text = env_get("SCHED_PID");
	uint64_t value;

	if (!text)
		return 0;
	if (parse_u64(text, &value) < 0 || value == 0 || value > INT32_MAX)
		return err_set(EINVAL, "SCHED_PID: '%s' is not a process id", text);
	*pid = (pid_t)value;
	return 0;
}

/* Arguments are terminated by NUL; without the file, the scheduler cannot be restarted. */
static int read_scheduler_argv(struct world *w)
{
	const char *path = w->options.is_guest ? PROGRAM_GUEST_SCHED_ARGS :
						 env_get(PROGRAM_SCHED_ARGS_VARIABLE);
	int rc = path ? file_read_at(AT_FDCWD, path, &w->sched_args) : -ENOENT;

	if (rc == -ENOENT)
		return 0;
	if (rc < 0)
		return err_sys(-rc, "read %s", path);
	for (size_t at = 0; rc == 0 && at < w->sched_args.len;) {
		rc = vec_push(&w->scheduler_argv, w->sched_args.s + at);
		at += strlen(w->sched_args.s + at) + 1;
	}
	rc = rc ?: vec_push(&w->scheduler_argv, NULL);
	w->options.scheduler_argv = w->scheduler_argv.count > 1 ? w->scheduler_argv.items : NULL;
	return rc;
}

static bool has_flag(const char *flags, const char *name)
{
	size_t len = strlen(name);

	while (flags && *flags) {
		size_t here = strcspn(flags, "+");

		if (here == len && memcmp(flags, name, len) == 0)
			return true;
		flags += here + (flags[here] == '+');
	}
	return false;
}

static const char *scheduler_label(const struct ktstr_sched *s)
{
	if (!s)
		return NULL;
	if (s->binary)
		return s->binary;
	return s->binary_path ? s->binary_path : "kernel";
}

/* The process that started this program has attached the observer, or passes the reason why not. */
static void set_observer(struct world *w, const struct ktstr_test *t)
{
	const char *dir = w->options.is_guest ? OBSERVE_DIR : env_get(PROGRAM_OBSERVE_VARIABLE);

	w->options.observe_is_off = t->observe == KTSTR_OFF;
	if (w->options.observe_is_off)
		w->options.observe_problem = "switched off by .observe";
	else if (w->options.is_guest &&
		 file_read_at(AT_FDCWD, PROGRAM_GUEST_OBSERVE_PROBLEM, &w->observe_problem) == 0)
		w->options.observe_problem = str_get(&w->observe_problem);
	else if (dir)
		w->options.observe_dir = dir;
	else
		w->options.observe_problem = "only `ktstr run` and guests have an observer";
}

static int world_init(struct world *w, const struct ktstr_test *t, const struct body_options *o)
{
	const struct ktstr_sched *sched = t->scheduler;
	uint64_t seed = o->seed ? o->seed : t->seed;
	int rc;

	w->checks = test_assert(t);
	w->options = (struct ctx_options){
		.duration_ms = o->duration_ms ? o->duration_ms : test_duration_ms(t),
		.attach_timeout_ms = t->attach_timeout_s * UINT64_C(1000),
		.workers_per_cgroup = o->workers ? o->workers : t->workers_per_cgroup,
		.steps = o->steps,
		.hold_percent = o->hold_percent,
		.look_ms = o->look_ms,
		.without_cpu_controller = has_flag(o->flags, "no-ctrl"),
		.cgroup_parent = sched && sched->cgroup_parent ? sched->cgroup_parent + 1 : NULL,
		.scheduler_name = !sched || o->scheduler_name ? o->scheduler_name : sched->name,
		.checks = &w->checks,
		.seed = seed ? seed : 1,
		.is_guest = is_in_guest(),
		.is_repro = o->is_repro,
		.ignores_weights = sched && sched->ignores_weights,
		.has_snapshots = o->has_snapshots,
		.asks_by_channel = o->asks_by_channel,
	};
	set_observer(w, t);
	if (o->work_type) {
		rc = work_type_by_name(o->work_type, &w->work_type);
		if (rc < 0)
			return rc;
		w->options.work_type = &w->work_type;
	}
	rc = read_scheduler_pid(&w->options.scheduler_pid);
	return rc ?: read_scheduler_argv(w);
}

/* Runs the body; all errors become part of the result. */
static void run_in(struct ktstr_ctx *ctx, const struct ktstr_test *t, bool is_versus,
		   struct ktstr_result *res)
{
	int rc = 0, rc_end;

	if (t->offline_cpus)
		rc = ctx_offline_list(ctx, t->offline_cpus);
	rc = rc ?: ctx_tell_begin(ctx);
	if (rc == 0)
		rc = is_versus ? ctx_run_versus(ctx, res, t->run) : t->run(ctx, res);
	ctx_report(ctx, rc, res);
	rc_end = ctx_finish(ctx);
	if (rc_end < 0)
		result_add(res, DETAIL_OTHER, KTSTR_INCONCLUSIVE, "cleaning up: %s",
			   err_text(rc_end));
	if (res->verdict != KTSTR_SKIPPED)
		result_ask(res, &t->assert);
	result_close(res);
}

int body_write_result(const char *path, const struct ktstr_result *res)
{
	_str_ struct str text = {};
	struct json j;
	int rc;

	if (!path)
		return 0;
	json_init(&j, &text, false);
	result_to_json(res, &j);
	str_addc(&text, '\n');
	rc = str_check(&text);
	return rc ?: file_replace(path, text.s, text.len, 0644);
}

static void print_skips(const struct ktstr_result *res)
{
	bool has_reason = false;

	for (size_t i = 0; i < res->details.count; i++) {
		if (res->details.items[i].verdict != KTSTR_SKIPPED)
			continue;
		fprintf(stderr, "ktstr: SKIP: %s\n", res->details.items[i].message);
		has_reason = true;
	}
	if (!has_reason)
		fprintf(stderr, "ktstr: SKIP: no check applied\n");
}

static void print_failure(const struct ktstr_test *t, const struct ktstr_result *res,
			  struct str *text)
{
	struct ktstr_topology topology = test_topology(t);
	_str_ struct str notation = {};
	struct result_title title = { .test = t->name, .scheduler = scheduler_label(t->scheduler) };

	add_topology_notation(&notation, &topology);
	title.topology = str_get(&notation);
	if (t->expect_err && res->verdict == KTSTR_PASSED)
		title.outcome = "passed, but an error was expected";
	result_add_failure_text(res, &title, text);
}

static void print_outcome(const struct ktstr_test *t, const struct ktstr_result *res,
			  enum ktstr_verdict verdict)
{
	_versus_ struct versus versus = {};
	_str_ struct str text = {};

	if (verdict == KTSTR_SKIPPED && res->verdict == KTSTR_SKIPPED)
		print_skips(res);
	if (verdict == KTSTR_FAILED || verdict == KTSTR_INCONCLUSIVE)
		print_failure(t, res, &text);
	if (versus_collect(res, &versus) == 0)
		versus_add_table(&versus, &text);
	fputs(str_get(&text), stderr);
}

static int exit_code(enum ktstr_verdict verdict)
{
	if (verdict == KTSTR_FAILED)
		return PROGRAM_FAILED;
	return verdict == KTSTR_INCONCLUSIVE ? PROGRAM_INCONCLUSIVE : PROGRAM_PASSED;
}

int body_run(const struct ktstr_test *t, const struct body_options *o)
{
	_cleanup_(world_finish) struct world world = {};
	_cleanup_(result_finish) struct ktstr_result res = {};
	struct ktstr_ctx ctx = {};
	enum ktstr_verdict verdict;
	int rc = world_init(&world, t, o);

	result_init(&res);
	if (rc < 0)
		return rc;
	check_set_release(o->is_release || t->is_release);
	check_set_sim(o->is_sim);
	/* Init may ask the body to end: what was measured until then is still reported. */
	if (world.options.is_guest)
		interrupt_install();
	rc = ctx_init(&ctx, &world.options);
	if (rc < 0)
		return rc;
	run_in(&ctx, t, o->is_versus || t->versus == KTSTR_EEVDF, &res);
	rc = body_write_result(o->result_path, &res);
	if (rc < 0)
		return rc;
	verdict = verdict_expected(res.verdict, t->expect_err, t->allow_inconclusive);
	if (!o->is_quiet)
		print_outcome(t, &res, verdict);
	return exit_code(verdict);
}
