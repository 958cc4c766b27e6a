// SPDX-License-Identifier: GPL-2.0-only
/* What the options of `ktstr perf-delta` ask for. */
#include "cli_run.h"

#include <errno.h>

#include "cli/cmd_perf_delta.c"
#include "stats/registry.h"

static struct baseline_request asked;
static char wanted_accel[32];
static enum vm_accel accel;
static int baseline_rc, allowed_rc;
static size_t allowed_cpus, qemu_requests;

int __wrap_baseline_find(const struct baseline_request *r, struct baseline *to);
int __wrap_vm_qemu_find(enum vm_arch arch, struct vm_qemu *out);
int __wrap_vm_accel_choose(const char *wanted, const struct vm_qemu *qemu, enum vm_arch arch,
			   enum vm_accel fallback, enum vm_accel *out, struct str *no_kvm);
int __wrap_budget_read_allowed(struct cpulist *allowed, const struct roots *roots);

int __wrap_baseline_find(const struct baseline_request *r, struct baseline *to)
{
	asked = *r;
	*to = (struct baseline){ .base = strdup("0123456789abcdef"),
				 .head = strdup("fedcba9876543210") };
	return baseline_rc < 0 ? err_set(-baseline_rc, "no such commit") : 0;
}

int __wrap_vm_qemu_find(enum vm_arch arch, struct vm_qemu *out)
{
	(void)arch;
	*out = (struct vm_qemu){};
	qemu_requests++;
	return 0;
}

int __wrap_vm_accel_choose(const char *wanted, const struct vm_qemu *qemu, enum vm_arch arch,
			   enum vm_accel fallback, enum vm_accel *out, struct str *no_kvm)
{
	(void)qemu;
	(void)arch;
	assert_int_equal(fallback, VM_ACCEL_SIM);
	assert_null(no_kvm);
	snprintf(wanted_accel, sizeof(wanted_accel), "%s", wanted ? wanted : "-");
	*out = accel;
	return 0;
}

int __wrap_budget_read_allowed(struct cpulist *allowed, const struct roots *roots)
{
	(void)roots;
	*allowed = (struct cpulist){ .count = allowed_cpus };
	return allowed_rc < 0 ? err_set(-allowed_rc, "unreadable") : 0;
}

static int start(void **state)
{
	(void)state;
	accel = VM_ACCEL_SIM;
	baseline_rc = allowed_rc = 0;
	allowed_cpus = 6;
	qemu_requests = 0;
	unsetenv("KTSTR_SEED");
	unsetenv("KTSTR_NO_PERF_MODE");
	return 0;
}

static int stop(void **state)
{
	(void)state;
	cli_forget();
	return 0;
}

#define READ(f) cmocka_unit_test_setup_teardown(f, start, stop)

static void (*look)(const struct delta_call *d);

static int read_options(const struct cli_call *call)
{
	struct delta_call d = {};
	int rc = delta_call_read(&d, call);

	if (rc == 0 && look)
		look(&d);
	delta_call_finish(&d);
	return rc;
}

/* The words after "perf-delta" mean what see() expects. */
static void expect(const char *words, void (*see)(const struct delta_call *d))
{
	_free_ char *line = str_fmt("perf-delta %s", words);
	int rc;

	look = see;
	rc = cli_catch(line, read_options);
	if (rc)
		fail_msg("%s: %d: %s%s", words, rc, rc < 0 ? err_text(rc) : "", cli_err);
}

static void see_defaults(const struct delta_call *d)
{
	const struct runner_options *o = &d->request.options;

	assert_int_equal(d->runs, 0);
	assert_int_equal(d->seed, 1);
	assert_true(d->judge.alpha > 0.0499 && d->judge.alpha < 0.0501);
	assert_true(d->judge.noise_limit == 0);
	assert_int_equal(d->judge.fail_threshold, 5);
	assert_false(d->judge.policy.has_default);
	assert_int_equal(d->judge.must_fail_count, 0);
	assert_int_equal(d->judge.phases, 0);
	assert_false(d->judge.is_steps_only || d->judge.has_phase_threshold);
	assert_null(d->judge.phase);
	assert_false(d->judge.is_by_scheduler);
	/* Twelve digits of a commit are enough to tell it. */
	assert_string_equal(d->judge.labels[0], "0123456789ab");
	assert_string_equal(d->judge.labels[1], "fedcba987654");
	assert_string_equal(d->request.sides[0].commit, "0123456789abcdef");
	assert_string_equal(d->request.sides[1].commit, "fedcba9876543210");
	for (int side = 0; side < 2; side++) {
		const struct side_filter *f = &d->filters[side];

		assert_int_equal(f->values[DIMENSION_PROJECT_COMMIT].count, 1);
		assert_string_equal(f->values[DIMENSION_PROJECT_COMMIT].items[0],
				    d->request.sides[side].commit);
		assert_int_equal(f->values[DIMENSION_KERNEL].count, 0);
		assert_int_equal(f->values[DIMENSION_ACCEL].count, 0);
	}
	assert_string_equal(o->label, "ktstr");
	assert_string_equal(o->scheduler_profile, "release");
	assert_string_equal(o->profile->name, "default");
	assert_ptr_equal(o->format, &run_report_human);
	assert_true(o->is_quiet);
	assert_false(d->request.is_quiet || o->include_eol || o->no_perf_mode);
	assert_int_equal(o->path_count, 0);
	assert_int_equal(o->kernel_count, 0);
	assert_int_equal(o->choice.substring_count, 0);
	assert_null(d->request.build);
	assert_int_equal(d->request.jobs, 0);
}

static void records_of_two_commits_are_compared_by_default(void **state)
{
	(void)state;
	expect("", see_defaults);
	assert_null(asked.base);
	assert_null(asked.base_ref);
	assert_string_equal(asked.default_branch, "main");
	/* Nothing is run. */
	assert_int_equal(qemu_requests, 0);
	expect("--base v1 --default-branch trunk", NULL);
	assert_string_equal(asked.base, "v1");
	assert_string_equal(asked.default_branch, "trunk");
	expect("--base-ref v2", NULL);
	assert_string_equal(asked.base_ref, "v2");
	baseline_rc = -EINVAL;
	assert_int_equal(cli_catch("perf-delta", read_options), -EINVAL);
	assert_string_equal(err_text(-EINVAL), "no such commit");
}

static void see_judge(const struct delta_call *d)
{
	assert_true(d->judge.alpha > 0.0999 && d->judge.alpha < 0.1001);
	assert_true(d->judge.policy.has_default && d->judge.policy.default_percent == 12.5);
	assert_int_equal(d->judge.fail_threshold, 3);
	assert_true(d->judge.noise_limit == 0.25);
	assert_int_equal(d->judge.must_fail_count, 2);
	assert_string_equal(d->judge.must_fail[1], "total_wait_ms");
	assert_int_equal(d->judge.phases, DELTA_PHASES_ONLY);
	assert_true(d->judge.is_steps_only);
	assert_string_equal(d->judge.phase, "2");
	assert_true(d->judge.has_phase_threshold && d->judge.phase_threshold == 0.5);
}

static void see_no_phases(const struct delta_call *d)
{
	assert_int_equal(d->judge.phases, DELTA_PHASES_NONE);
}

static void options_decide_what_counts(void **state)
{
	(void)state;
	expect("--confidence 90 --threshold 12.5 --fail-threshold 3 --noise-limit 25 --must-fail "
	       "max_dsq_depth --must-fail total_wait_ms --phases-only --steps-only --phase 2 "
	       "--phase-threshold 50",
	       see_judge);
	expect("--no-phases", see_no_phases);
}

static void see_two_runs(const struct delta_call *d)
{
	assert_int_equal(d->runs, 7);
	assert_int_equal(d->request.jobs, 6);
	assert_true(d->request.is_sim);
	assert_string_equal(d->request.options.accel, "sim");
	assert_false(d->request.options.choice.is_performance_only);
}

static void see_one_run(const struct delta_call *d)
{
	assert_int_equal(d->runs, 1);
	assert_int_equal(d->request.jobs, 3);
	assert_false(d->request.is_sim);
	assert_string_equal(d->request.options.accel, "kvm");
	assert_true(d->request.options.choice.is_performance_only);
}

static void see_growing_runs(const struct delta_call *d)
{
	assert_int_equal(d->runs, 5);
	assert_int_equal(d->request.jobs, 1);
	assert_false(d->request.is_sim);
	assert_false(d->request.options.choice.is_performance_only);
}

static void runs_are_made_when_they_are_asked_for(void **state)
{
	(void)state;
	expect("--kernel 7.0 --noise-adjust 7", see_two_runs);
	assert_string_equal(wanted_accel, "-");
	accel = VM_ACCEL_KVM;
	expect("--kernel 7.0 --dual-run --jobs 3 --accel kvm", see_one_run);
	assert_string_equal(wanted_accel, "kvm");
	/* CPUs that cannot be counted are one. */
	accel = VM_ACCEL_TCG;
	allowed_rc = -EIO;
	expect("--kernel 7.0 --until-sure", see_growing_runs);
}

static void see_request(const struct delta_call *d)
{
	const struct runner_options *o = &d->request.options;

	assert_int_equal(d->seed, 9);
	assert_string_equal(d->request.build, "make");
	assert_string_equal(d->request.binary, "b/scx");
	assert_true(d->request.is_quiet && o->include_eol && o->no_perf_mode);
	assert_int_equal(o->path_count, 2);
	assert_string_equal(o->paths[1], "q");
	assert_int_equal(o->kernel_count, 2);
	assert_string_equal(o->kernels[1], "7.2");
	assert_int_equal(o->choice.substring_count, 1);
	assert_string_equal(o->choice.substrings[0], "name");
	assert_ptr_equal(o->choice.filter, &d->select.filter);
	assert_true(o->knobs.is_cold);
}

static void what_is_run_is_handed_on(void **state)
{
	(void)state;
	expect("--seed 9 --build make --binary b/scx --quiet --include-eol --no-perf-mode p q "
	       "--kernel 7.0 --kernel 7.2 -E name --dual-run --cold",
	       see_request);
}

static void see_filters(const struct delta_call *d)
{
	for (int side = 0; side < 2; side++) {
		const struct side_filter *f = &d->filters[side];

		assert_int_equal(f->values[DIMENSION_KERNEL].count, 2);
		assert_string_equal(f->values[DIMENSION_KERNEL].items[1], "7.2");
		assert_int_equal(f->values[DIMENSION_ACCEL].count, 1);
		assert_string_equal(f->values[DIMENSION_ACCEL].items[0], "tcg");
	}
}

static void kernels_and_accelerators_filter_records(void **state)
{
	(void)state;
	expect("--kernel 7.0 --kernel 7.2 --accel tcg", see_filters);
}

/* ---- schedulers ---- */

static void see_named(const struct delta_call *d)
{
	assert_true(d->judge.is_by_scheduler);
	assert_string_equal(d->judge.labels[0], "one");
	assert_string_equal(d->judge.labels[1], "two");
	assert_null(d->request.sides[0].scheduler);
	assert_null(d->request.sides[0].commit);
	assert_int_equal(d->filters[1].values[DIMENSION_SCHEDULER].count, 1);
	assert_string_equal(d->filters[1].values[DIMENSION_SCHEDULER].items[0], "two");
	assert_int_equal(d->filters[0].values[DIMENSION_PROJECT_COMMIT].count, 0);
}

static void see_programs(const struct delta_call *d)
{
	const struct fresh_side *s = d->request.sides;

	assert_string_equal(d->judge.labels[0], "/dev/../dev/null -v -w");
	assert_string_equal(d->judge.labels[1], "/dev/zero");
	assert_string_equal(s[0].scheduler, "/dev/null");
	assert_string_equal(s[0].name, "null");
	assert_int_equal(s[0].arg_count, 2);
	assert_string_equal(s[0].args[1], "-w");
	assert_string_equal(s[1].scheduler, "/dev/zero");
	assert_string_equal(s[1].name, "zero");
	assert_int_equal(s[1].arg_count, 0);
}

static void sides_may_be_schedulers(void **state)
{
	(void)state;
	expect("--a-scheduler one --b-scheduler two", see_named);
	expect("--a-scheduler /dev/../dev/null --b-scheduler /dev/zero --a-arg=-v --a-arg=-w "
	       "--kernel 7.0 --dual-run",
	       see_programs);
	assert_int_equal(cli_catch("perf-delta --a-scheduler /dev/none --b-scheduler /dev/zero "
				   "--kernel 7.0 --dual-run",
				   read_options),
			 -ENOENT);
	expect_in(err_text(-ENOENT), "use the scheduler /dev/none");
}

/* ---- what is refused ---- */

static void options_that_do_not_fit_are_refused(void **state)
{
	static const struct {
		const char *words, *message;
	} rows[] = {
		{ "--confidence x", "--confidence takes a percentage such as 10, not 'x'" },
		{ "--confidence 49.9", "--confidence is a percentage from 50 to 99.99" },
		{ "--confidence 100", "--confidence is a percentage from 50 to 99.99" },
		{ "--threshold=-1", "--threshold takes a percentage such as 10, not '-1'" },
		{ "--noise-limit x", "--noise-limit takes a percentage such as 10, not 'x'" },
		{ "--phase-threshold x",
		  "--phase-threshold takes a percentage such as 10, not 'x'" },
		{ "--must-fail none", "--must-fail: " },
		{ "--build make", "--build needs --noise-adjust N: records are not built" },
		{ "--a-scheduler a --b-scheduler b --a-arg x",
		  "--a-arg needs --noise-adjust N: records are not run" },
		{ "--a-scheduler a --b-scheduler b --b-arg x",
		  "--b-arg needs --noise-adjust N: records are not run" },
		{ "--a-scheduler a --b-scheduler b --base v1",
		  "--base is of commits, --a-scheduler of schedulers" },
		{ "--a-scheduler a --b-scheduler b --base-ref v1",
		  "--base-ref is of commits, --a-scheduler of schedulers" },
		{ "--a-scheduler a --b-scheduler b --kernel 7.0 --dual-run --build make",
		  "--build is of commits, --a-scheduler of schedulers" },
		{ "-E test(", "error: " },
	};

	(void)state;
	look = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_free_ char *line = str_fmt("perf-delta %s", rows[i].words);

		assert_int_equal(cli_catch(line, read_options), 2);
		expect_in(cli_err, rows[i].message);
	}
	expect("--confidence 50", NULL);
	setenv("KTSTR_SEED", "0", 1);
	assert_int_equal(cli_catch("perf-delta", read_options), -EINVAL);
	unsetenv("KTSTR_SEED");
	assert_int_equal(cli_catch("perf-delta --policy /dev/none", read_options), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		READ(records_of_two_commits_are_compared_by_default),
		READ(options_decide_what_counts),
		READ(runs_are_made_when_they_are_asked_for),
		READ(what_is_run_is_handed_on),
		READ(kernels_and_accelerators_filter_records),
		READ(sides_may_be_schedulers),
		READ(options_that_do_not_fit_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
