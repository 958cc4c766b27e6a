// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr perf-delta`: checks whether HEAD is slower than its baseline. */
#include "cli/options.h"
#include "cli/rows_test.h"
#include "delta/fresh.h"
#include "host/plan.h"
#include "stats/registry.h"

#define UNTIL_SURE_RUNS 5
#define LABEL_LEN 12

/* ---- the command line ---- */

struct delta_call {
	struct delta_options judge;
	struct fresh_request request;
	struct side_filter filters[2]; /* of existing records */
	struct select_option select;
	struct baseline baseline;
	uint64_t seed;
	size_t runs; /* new runs per side; 0 = use existing records */

	/* Owned. */
	char *labels[2], *programs[2];
	const char **paths, **kernels, **must_fail, **args[2];
	const char *part[1];
};

static void delta_call_finish(struct delta_call *d)
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

/* 0, EXIT_USAGE after the problem was printed, or a negative errno. */
static int delta_call_read(struct delta_call *d, const struct cli_call *call)
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

/* ---- the comparison ---- */

struct measuring {
	const struct cli_call *call;
	struct delta_call options;
	struct runs runs[2];
	delta_side sides[2];
	struct delta_report report;
};

static void forget(struct measuring *m)
{
	delta_report_finish(&m->report);
	for (int side = 0; side < 2; side++) {
		free(m->sides[side].items);
		m->sides[side] = (delta_side){};
		runs_finish(&m->runs[side]);
	}
}

static void measuring_finish(struct measuring *m)
{
	forget(m);
	delta_call_finish(&m->options);
}

/* ---- existing records ---- */

static int pool(struct measuring *m)
{
	struct runs *all = &m->runs[0];
	int rc = runs_list(all, cli_text(m->call, "dir")) ?: runs_load(all);

	for (int side = 0; side < 2 && rc == 0; side++)
		rc = side_filter_resolve_commits(&m->options.filters[side], all);
	vec_each_while(const struct run, run, &all->items, rc == 0) {
		run_warn_about_problems(run);
		vec_each_ptr_while(const struct sidecar, s, &run->sidecars, rc == 0) {
			for (int side = 0; side < 2 && rc == 0; side++)
				if (delta_wants(s) &&
				    side_filter_matches(&m->options.filters[side], s) &&
				    select_option_has(&m->options.select, s))
					rc = vec_push(&m->sides[side], s);
		}
	}
	return rc < 0 ? rc : delta_compare(m->sides, &m->options.judge, &m->report);
}

/* ---- new runs ---- */

static int judge_fresh(struct measuring *m, const struct fresh *f)
{
	int rc;

	forget(m);
	rc = fresh_load(f, m->runs, m->sides);
	return rc ?: delta_compare(m->sides, &m->options.judge, &m->report);
}

/* Number of further runs that fit into the budget, estimated from those so far. */
static size_t runs_that_fit(uint64_t budget_ns, uint64_t spent_ns, size_t done, size_t wanted)
{
	double left = (double)budget_ns - (double)spent_ns;

	if (!budget_ns)
		return wanted;
	return left > 0 ? MIN(wanted, (size_t)(left * (double)done / (double)spent_ns)) : 0;
}

/* Doubles the number of runs each time: few looks, which share the error probability. */
static int run_until_sure(struct measuring *m, struct fresh *f, size_t count, uint64_t start)
{
	size_t max = (size_t)cli_number(m->call, "max-runs"), done = count;
	uint64_t budget = cli_number(m->call, "budget");
	int rc;

	m->options.judge.looks = 1;
	for (size_t n = count; n < max; n = MIN(2 * n, max))
		m->options.judge.looks++;
	rc = judge_fresh(m, f);
	while (rc == 0 && done < max && delta_may_decide(&m->report, max)) {
		size_t wanted = MIN(done, max - done);
		size_t more = runs_that_fit(budget, clock_mono_ns() - start, done, wanted);

		if (!more)
			break;
		rc = fresh_run(f, m->options.seed + done, more);
		done += more;
		rc = rc ?: judge_fresh(m, f);
		/*
		 * A truncated round is the last look: its share of the error probability is the
		 * last one.
		 */
		if (more < wanted)
			break;
	}
	return rc;
}

static int measure(struct measuring *m)
{
	_fresh_ struct fresh f = {};
	size_t count = m->options.runs;
	uint64_t start = clock_mono_ns();
	int rc = fresh_open(&f, &m->options.request) ?: fresh_run(&f, m->options.seed, count);

	if (rc < 0)
		return rc;
	rc = cli_flag(m->call, "until-sure") ? run_until_sure(m, &f, count, start) :
					       judge_fresh(m, &f);
	if (rc == 0 && !cli_flag(m->call, "quiet"))
		log_note("%s: records in %s", log_label(), f.records);
	return rc;
}

/* ---- result ---- */

static int print(const struct cli_call *call, const struct delta_report *r)
{
	struct printout o;
	int rc = 0;

	output_begin(&o, call);
	o.is_raw = true;
	if (o.is_json)
		delta_json(r, &o.json);
	else
		rc = delta_text(r, term_has_colour(stdout), &o.text);
	return output_end(&o, rc);
}

static int write_file(const char *path, int (*make)(const struct delta_report *, struct str *),
		      const struct delta_report *r)
{
	_str_ struct str out = {};
	int rc = path ? make(r, &out) : 0;

	return rc < 0 || !path ? rc : file_replace(path, str_get(&out), out.len, 0644);
}

static int write_files(const struct cli_call *call, const struct delta_report *r)
{
	_str_ struct str page = {};
	int rc = write_file(cli_text(call, "junit"), delta_junit, r);

	rc = rc ?: write_file(cli_text(call, "html"), delta_html, r);
	delta_github(r, &page);
	github_append(&page);
	return rc;
}

static int exit_of(const struct measuring *m)
{
	switch (m->report.outcome) {
	case DELTA_FAILED:
		return EXIT_FAILED;
	case DELTA_CANNOT_TELL:
		return EXIT_INCONCLUSIVE;
	case DELTA_NO_DATA:
		return m->options.runs ? EXIT_NOTHING_RAN : EXIT_OK;
	case DELTA_PASSED:
		break;
	}
	return EXIT_OK;
}

static void tell_no_data(const struct measuring *m)
{
	static const char *const names[] = { "A", "B" };
	const char *label = log_label();

	for (int side = 0; side < 2; side++)
		if (!m->sides[side].count)
			log_note("%s: notice: no record of side %s (%s)%s", label, names[side],
				 m->options.judge.labels[side],
				 m->options.runs ? "" :
						   "; --noise-adjust N --kernel ID makes them");
}

static void tell_no_phase(const struct measuring *m)
{
	const char *wanted = m->options.judge.phase;

	vec_each(const struct delta_row, row, &m->report.rows)
		if (row->phase)
			return;
	if (wanted && m->report.tests)
		log_note("%s: notice: no test has a phase %s with figures", log_label(),
			 cli_quoted(wanted));
}

static int cmd_perf_delta_run(const struct cli_call *call)
{
	_cleanup_(measuring_finish) struct measuring m = { .call = call };
	int rc = delta_call_read(&m.options, call);

	rc = rc ?: output_check_file(cli_text(call, "junit"));
	rc = rc ?: output_check_file(cli_text(call, "html"));
	if (rc)
		return rc;
	interrupt_install();
	rc = m.options.runs ? measure(&m) : pool(&m);
	if (rc == -EINTR)
		return EXIT_INTERRUPTED;
	if (rc < 0)
		return rc;
	if (m.report.outcome == DELTA_NO_DATA)
		tell_no_data(&m);
	tell_no_phase(&m);
	rc = print(call, &m.report) ?: write_files(call, &m.report);
	return rc < 0 ? rc : exit_of(&m);
}

/* clang-format off */
const struct cli_cmd cmd_perf_delta = {
	.name = "perf-delta", .summary = "tell whether HEAD is slower than its baseline",
	.about = "Compares the performance_mode tests (under tcg and sim: all tests) of HEAD (B) "
		 "with those of a baseline commit (A), or two builds of a scheduler. Existing "
		 "records are pooled; with --noise-adjust N both sides are checked out in "
		 "scratch work trees, built with --build, and run N times each. A metric "
		 "regressed if the difference is statistically significant and passes both gates "
		 "of stats list-metrics. In sim both sides run with the same seeds and are "
		 "compared in pairs: identical code shows no difference at all. If "
		 "$GITHUB_STEP_SUMMARY is set, the table is also written there.",
	.params = CLI_PARAMS(
		{ .name = "path", .is_arg = true, .is_repeatable = true, .kind = CLI_FILE, .value = "PATH",
		  .help = "test program, C file or directory, in the work trees [default: as for "
			  "`ktstr test`]" },
		{ .name = "base", .kind = CLI_STRING, .value = "COMMIT",
		  .help = "baseline [default: the merge base with origin/$GITHUB_BASE_REF, or with the default "
			  "branch]" },
		{ .name = "base-ref", .kind = CLI_STRING, .value = "REF", .excludes = "base",
		  .help = "use the merge base of HEAD and this commit as the baseline" },
		{ .name = "default-branch", .kind = CLI_STRING, .value = "NAME", .fallback = "main",
		  .help = "branch for the merge base, if no other option or variable names one" },
		{ .name = "noise-adjust", .kind = CLI_NUMBER, .value = "N", .min = 2, .max = 1000,
		  .needs = "kernel", .help = "run both sides N times; in sim with N seeds" },
		{ .name = "dual-run", .needs = "kernel", .excludes = "noise-adjust",
		  .help = "run both sides once, for a first look: a single run is never gated" },
		{ .name = "until-sure", .needs = "kernel", .excludes = "dual-run",
		  .help = "double the number of runs until each gated metric is decided, or "
			  "would need more than --max-runs" },
		{ .name = "max-runs", .kind = CLI_NUMBER, .value = "N", .fallback = "80", .min = 2, .max = 1000,
		  .needs = "until-sure", .help = "maximum number of runs per side" },
		{ .name = "budget", .kind = CLI_DURATION, .value = "DUR", .needs = "until-sure",
		  .help = "total time for builds and runs" },
		{ .name = "confidence", .kind = CLI_STRING, .value = "PERCENT", .fallback = "95",
		  .help = "confidence level of the comparison" },
		{ .name = "build", .kind = CLI_STRING, .value = "CMD",
		  .help = "command that builds what the tests need in each work tree" },
		{ .name = "binary", .kind = CLI_STRING, .value = "PATH", .needs = "build",
		  .help = "scheduler that --build builds, relative to the work tree [default: "
			  "where tests find theirs]" },
		{ .name = "a-scheduler", .kind = CLI_STRING, .value = "PROGRAM", .needs = "b-scheduler",
		  .help = "compare schedulers instead of commits: program of side A, or without runs its name in "
			  "the records" },
		{ .name = "b-scheduler", .kind = CLI_STRING, .value = "PROGRAM", .needs = "a-scheduler",
		  .help = "the same for side B" },
		{ .name = "a-arg", .kind = CLI_STRING, .value = "WORD", .is_repeatable = true,
		  .needs = "a-scheduler", .help = "argument for A's scheduler, instead of the "
			  "declared ones" },
		{ .name = "b-arg", .kind = CLI_STRING, .value = "WORD", .is_repeatable = true,
		  .needs = "b-scheduler", .help = "argument for B's scheduler" },
		{ .name = "threshold", .kind = CLI_STRING, .value = "PERCENT", .excludes = "policy",
		  .help = "relative change that counts, for all metrics" },
		{ .name = "policy", .kind = CLI_FILE, .value = "FILE",
		  .help = "the same by metric: {\"default_percent\":N,\"per_metric_percent\":{NAME:N}}" },
		{ .name = "fail-threshold", .kind = CLI_NUMBER, .value = "K", .fallback = "5", .min = 1,
		  .help = "number of regressed metrics that counts as a failure" },
		{ .name = "must-fail", .kind = CLI_STRING, .value = "METRIC", .is_repeatable = true,
		  .help = "fail if this metric regressed" },
		{ .name = "noise-limit", .kind = CLI_STRING, .value = "PERCENT",
		  .help = "do not gate a metric whose runs of one side differ by more than this" },
		{ .name = "no-phases", .help = "omit the table by phase" },
		{ .name = "phases-only", .excludes = "no-phases",
		  .help = "print only the table by phase; nothing is gated" },
		{ .name = "steps-only", .excludes = "no-phases", .help = "omit the phase named "
			"BASELINE" },
		{ .name = "phase", .kind = CLI_STRING, .value = "N", .excludes = "no-phases",
		  .help = "only the phase of this step: its number, or its name" },
		{ .name = "phase-threshold", .kind = CLI_STRING, .value = "PERCENT", .excludes = "no-phases",
		  .help = "relative change that counts in phases" },
		CLI_SELECT("only these tests"),
		{ .name = "kernel", .kind = CLI_STRING, .value = "ID", .is_repeatable = true,
		  .help = "kernel as for `ktstr test`; without runs, that of the records" },
		{ .name = "accel", .kind = CLI_CHOICE, .value = "ACCEL", .choices = cli_accel_names,
		  .help = "accelerator as for `ktstr test`; without runs, that of the records" },
		CLI_SEED("first seed"),
		CLI_KNOBS,
		{ .name = "jobs", .letter = 'j', .kind = CLI_NUMBER, .value = "N", .min = 1, .max = 512,
		  .help = "number of parallel runs in sim [default: number of CPUs]" },
		NO_PERF_ROW,
		INCLUDE_EOL_ROW,
		{ .name = "dir", .kind = CLI_DIR, .value = "DIR",
		  .help = "directory of run directories to pool [default: KTSTR_RUNS_ROOT, or ktstr below "
			  "CARGO_TARGET_DIR or target]" },
		CLI_JSON,
		{ .name = "junit", .kind = CLI_FILE, .value = "FILE", .help = "also write JUnit "
			"XML to this file" },
		{ .name = "html", .kind = CLI_FILE, .value = "FILE", .help = "also write an HTML "
			"page to this file" }),
	.examples = CLI_EXAMPLES(
		{ "perf-delta", "compare the records of HEAD with those of its baseline" },
		{ "perf-delta --noise-adjust 10 --kernel 7.0 --accel sim --build 'make -j4'",
		  "run ten seeds of both sides, as in CI of a pull request" },
		{ "perf-delta --until-sure --kernel 7.0 --must-fail total_wait_ms", "run until it "
			"is clear whether this metric regressed" },
		{ "perf-delta --noise-adjust 5 --kernel 7.0 --a-scheduler old/scx_my --b-scheduler new/scx_my",
		  "two builds of a scheduler" }),
	.exits = CLI_EXITS(
		{ "1", "also: --fail-threshold metrics regressed, or one of --must-fail did" },
		{ "3", "undecided; the last line says how many runs are needed" },
		{ "4", "nothing ran: no test is selected, or all were skipped" },
		{ "130", "interrupted" }),
	.holds_resources = true, .run = cmd_perf_delta_run,
};
/* clang-format on */
