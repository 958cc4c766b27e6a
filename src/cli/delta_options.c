// SPDX-License-Identifier: GPL-2.0-only
/* Options of `ktstr perf-delta`: what is run and how it is judged. */
#include "cli/options.h"

#include "host/plan.h"
#include "stats/registry.h"

#define UNTIL_SURE_RUNS 5
#define LABEL_LEN 12

void delta_call_finish(struct delta_call *d)
{
	policy_finish(&d->judge.policy);
	select_option_finish(&d->select);
	baseline_finish(&d->baseline);
	for (int side = 0; side < 2; side++) {
		side_filter_finish(&d->filters[side]);
		free(d->labels[side]);
		free(d->programs[side]);
		free(d->args[side]);
	}
	free(d->paths);
	free(d->kernels);
	free(d->must_fail);
}

/* ---- judgement ---- */

static int read_percent(const struct cli_call *call, const char *option, double *share)
{
	const char *text = cli_text(call, option);
	double percent;

	if (!text)
		return 0;
	if (policy_parse_percent(text, &percent) < 0)
		return cli_usage_error(call, "--%s takes a percentage such as 10, not %s", option,
				       cli_quoted(text));
	*share = percent / 100;
	return 0;
}

static int read_confidence(const struct cli_call *call, struct delta_options *o)
{
	double share = 0;
	int rc = read_percent(call, "confidence", &share);

	if (rc)
		return rc;
	if (share < 0.5 || share >= 1)
		return cli_usage_error(call, "--confidence is a percentage from 50 to 99.99");
	o->alpha = 1 - share;
	return 0;
}

static int read_policy(const struct cli_call *call, struct policy *p)
{
	const char *path = cli_text(call, "policy");
	double share = 0;
	int rc;

	if (path)
		return policy_read(p, path);
	rc = read_percent(call, "threshold", &share);
	p->has_default = cli_is_given(call, "threshold");
	p->default_percent = 100 * share;
	return rc;
}

static int read_must_fail(struct delta_call *d, const struct cli_call *call)
{
	int rc = cli_collect(call, "must-fail", &d->must_fail, &d->judge.must_fail_count);

	for (size_t i = 0; i < d->judge.must_fail_count && rc == 0; i++)
		rc = registry_require(d->must_fail[i]);
	d->judge.must_fail = d->must_fail;
	return rc == -EINVAL ? cli_usage_error(call, "--must-fail: %s", err_text(rc)) : rc;
}

static int read_phases(const struct cli_call *call, struct delta_options *o)
{
	if (cli_flag(call, "no-phases"))
		o->phases = DELTA_PHASES_NONE;
	else if (cli_flag(call, "phases-only"))
		o->phases = DELTA_PHASES_ONLY;
	o->is_steps_only = cli_flag(call, "steps-only");
	o->phase = cli_text(call, "phase");
	o->has_phase_threshold = cli_is_given(call, "phase-threshold");
	return read_percent(call, "phase-threshold", &o->phase_threshold);
}

static int read_judge(struct delta_call *d, const struct cli_call *call)
{
	int rc = read_confidence(call, &d->judge);

	d->judge.fail_threshold = (size_t)cli_number(call, "fail-threshold");
	rc = rc ?: read_policy(call, &d->judge.policy);
	rc = rc ?: read_must_fail(d, call);
	rc = rc ?: read_percent(call, "noise-limit", &d->judge.noise_limit);
	return rc ? rc : read_phases(call, &d->judge);
}

/* ---- the sides ---- */

static const char *const scheduler_options[] = { "a-scheduler", "b-scheduler" };
static const char *const arg_options[] = { "a-arg", "b-arg" };

/* Includes the arguments: the sides may differ only in them. */
static char *label_of(const char *program, const char *const *args, size_t count)
{
	_str_ struct str label = {};

	str_add(&label, program);
	for (size_t i = 0; i < count; i++)
		str_addf(&label, " %s", args[i]);
	return str_take(&label);
}

static int read_scheduler(struct delta_call *d, const struct cli_call *call, int side)
{
	struct fresh_side *s = &d->request.sides[side];
	const char *program = cli_text(call, scheduler_options[side]);
	int rc = side_filter_add(&d->filters[side], DIMENSION_SCHEDULER, program);

	rc = rc ?: cli_collect(call, arg_options[side], &d->args[side], &s->arg_count);
	s->args = d->args[side];
	d->labels[side] = rc < 0 ? NULL : label_of(program, s->args, s->arg_count);
	if (rc < 0 || !d->labels[side])
		return err_no_memory();
	if (!d->runs)
		return s->arg_count ?
			       cli_usage_error(call,
					       "--%s needs --noise-adjust N: records are not run",
					       arg_options[side]) :
			       0;
	d->programs[side] = realpath(program, NULL);
	if (!d->programs[side])
		return err_sys(errno, "use the scheduler %s", program);
	s->scheduler = d->programs[side];
	s->name = basename(program);
	return 0;
}

static int read_schedulers(struct delta_call *d, const struct cli_call *call)
{
	static const char *const of_commits[] = { "base", "base-ref", "build" };
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(of_commits); i++)
		if (cli_is_given(call, of_commits[i]))
			return cli_usage_error(call,
					       "--%s is of commits, --a-scheduler of schedulers",
					       of_commits[i]);
	d->judge.is_by_scheduler = true;
	for (int side = 0; side < 2 && rc == 0; side++)
		rc = read_scheduler(d, call, side);
	return rc;
}

static int read_commits(struct delta_call *d, const struct cli_call *call)
{
	const struct baseline_request r = { .base = cli_text(call, "base"),
					    .base_ref = cli_text(call, "base-ref"),
					    .default_branch = cli_text(call, "default-branch") };
	int rc = baseline_find(&r, &d->baseline);
	const char *const commits[] = { d->baseline.base, d->baseline.head };

	for (int side = 0; side < 2 && rc == 0; side++) {
		d->request.sides[side].commit = commits[side];
		d->labels[side] = strndup(commits[side], LABEL_LEN);
		rc = d->labels[side] ? side_filter_add(&d->filters[side], DIMENSION_PROJECT_COMMIT,
						       commits[side]) :
				       err_no_memory();
	}
	return rc;
}

static int read_sides(struct delta_call *d, const struct cli_call *call)
{
	int rc = cli_is_given(call, "a-scheduler") ? read_schedulers(d, call) :
						     read_commits(d, call);

	d->judge.labels[0] = d->labels[0];
	d->judge.labels[1] = d->labels[1];
	return rc;
}

/* ---- runs ---- */

static int choose_accel(struct delta_call *d, const char *wanted)
{
	_cleanup_(vm_qemu_finish) struct vm_qemu qemu = {};
	enum vm_accel accel = VM_ACCEL_SIM;
	int rc = vm_qemu_find(vm_arch_host(), &qemu);

	rc = rc ?: vm_accel_choose(wanted, &qemu, vm_arch_host(), VM_ACCEL_SIM, &accel, NULL);
	if (rc < 0)
		return rc;
	d->request.is_sim = accel == VM_ACCEL_SIM;
	d->request.options.accel = vm_accel_name(accel);
	d->request.options.choice.is_performance_only = accel == VM_ACCEL_KVM;
	return 0;
}

/* As many parallel runs as CPUs: each is one busy thread. */
static size_t cpus_allowed(void)
{
	_cleanup_(cpulist_finish) struct cpulist allowed = {};

	if (budget_read_allowed(&allowed, &roots_live) < 0) {
		err_clear();
		return 1;
	}
	return allowed.count;
}

static void read_choice(struct delta_call *d, struct variants_choice *c)
{
	d->part[0] = d->select.part;
	c->substrings = d->part;
	c->substring_count = d->select.part != NULL;
	c->filter = &d->select.filter;
}

static int read_request(struct delta_call *d, const struct cli_call *call)
{
	struct fresh_request *r = &d->request;
	struct runner_options *o = &r->options;
	int rc = knob_options(call, &o->knobs);

	r->build = cli_text(call, "build");
	r->binary = cli_text(call, "binary");
	r->is_quiet = cli_flag(call, "quiet");
	r->jobs = (size_t)cli_number(call, "jobs");
	o->label = call->program;
	o->include_eol = cli_flag(call, "include-eol");
	o->no_perf_mode = cli_flag(call, "no-perf-mode") || run_mode_env_no_perf();
	o->scheduler_profile = "release";
	o->profile = run_profile_by_name("default");
	o->format = run_report_format_by_name("human");
	o->is_quiet = true;
	read_choice(d, &o->choice);
	rc = rc ?: cli_collect(call, "path", &d->paths, &o->path_count);
	rc = rc ?: cli_collect(call, "kernel", &d->kernels, &o->kernel_count);
	o->paths = d->paths;
	o->kernels = d->kernels;
	if (rc == 0 && d->runs)
		rc = choose_accel(d, cli_text(call, "accel"));
	if (rc == 0 && d->runs && !r->jobs)
		r->jobs = cpus_allowed();
	return rc;
}

/* For records, kernel and accelerator are filters. */
static int read_filters(struct delta_call *d, const struct cli_call *call)
{
	const char *accel = cli_text(call, "accel");
	int rc = 0;

	for (int side = 0; side < 2 && rc == 0; side++) {
		for (size_t i = 0; i < cli_count(call, "kernel") && rc == 0; i++)
			rc = side_filter_add(&d->filters[side], DIMENSION_KERNEL,
					     cli_nth(call, "kernel", i));
		if (rc == 0 && accel)
			rc = side_filter_add(&d->filters[side], DIMENSION_ACCEL, accel);
	}
	return rc;
}

static size_t runs_wanted(const struct cli_call *call)
{
	if (cli_flag(call, "dual-run"))
		return 1;
	if (cli_is_given(call, "noise-adjust"))
		return (size_t)cli_number(call, "noise-adjust");
	return cli_flag(call, "until-sure") ? UNTIL_SURE_RUNS : 0;
}

int delta_call_read(struct delta_call *d, const struct cli_call *call)
{
	int rc = read_judge(d, call);

	d->runs = runs_wanted(call);
	if (rc == 0 && !d->runs && cli_is_given(call, "build"))
		rc = cli_usage_error(call, "--build needs --noise-adjust N: records are not built");
	rc = rc ?: seed_option(call, &d->seed);
	rc = rc ?: select_option_read(&d->select, call);
	rc = rc ?: read_sides(d, call);
	rc = rc ?: read_request(d, call);
	return rc ? rc : read_filters(d, call);
}
