// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr run` with scenarios that the test plays: what is asked for, run and told. */
#include "cli_run.h"

#include <errno.h>

#include "cli/cmd_run.c"

struct played_run {
	const char *name, *skip;
	enum ktstr_verdict verdict;
	bool tells; /* its probes do */
};

static const struct played_run *plays;
static size_t play_count;
static struct host_plan_options planned;
static struct host_scenario scenario;
static struct host_options options; /* of the last run */
static struct str noted, ran;	    /* "name " and "name* " with probes */
static char functions[64], kernel_dir[64];
static size_t reserved, interrupted_after, executed;
static int plan_rc, execute_rc;
static bool has_budget, is_smt_host, is_probing, has_problem;

int __wrap_topology_read(struct topology *t, const struct roots *roots);
int __wrap_host_options_scenarios(const struct cli_call *call, struct host_scenarios *out);
int __wrap_host_plan_build(struct host_plan *plan, const struct host_scenarios *scenarios,
			   const struct host_plan_options *o);
int __wrap_host_check(const struct roots *roots, char **cgroup_parent);
int __wrap_reservation_acquire(struct reservation *r, const struct reserve_request *q);
int __wrap_budget_read_allowed(struct cpulist *allowed, const struct roots *roots);
void __wrap_host_observer_start(struct host_observer *o);
int __wrap_host_probes_start(struct host_probes *p, const char *names);
int __wrap_host_probes_end(struct host_probes *p, const struct ktstr_result *res, const char *dir,
			   struct str *story);
void __wrap_host_probes_finish(struct host_probes *p);
int __wrap_host_execute(const struct host_run *run, const struct host_options *o,
			struct ktstr_result *res, double *seconds);
int __wrap_interrupt_check(void);
void __wrap_interrupt_install(void);
void __wrap_log_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

int __wrap_topology_read(struct topology *t, const struct roots *roots)
{
	(void)roots;
	*t = (struct topology){ .cpu_count = 2, .llc_count = 3, .node_count = 4 };
	t->cpus = calloc(2, sizeof(*t->cpus));
	t->llcs = calloc(3, sizeof(*t->llcs));
	t->nodes = calloc(4, sizeof(*t->nodes));
	assert_true(t->cpus && t->llcs && t->nodes);
	t->cpus[1].id = 1;
	t->cpus[1].core = is_smt_host ? 0 : 1;
	return 0;
}

int __wrap_host_options_scenarios(const struct cli_call *call, struct host_scenarios *out)
{
	(void)call;
	scenario = (struct host_scenario){ .name = "steady", .duration_ms = 9, .workers = 8 };
	return vec_push(&out->list, scenario);
}

int __wrap_host_plan_build(struct host_plan *plan, const struct host_scenarios *scenarios,
			   const struct host_plan_options *o)
{
	planned = *o;
	scenario = scenarios->list.items[0];
	*plan = (struct host_plan){ .estimate_s = (double)o->duration_ms / 1000,
				    .has_budget = has_budget };
	plan->budget = (struct selection_summary){
		.chosen = 2, .total = 9, .used_s = 30, .budget_s = 40, .covered = 5, .coverable = 6
	};
	for (size_t i = 0; i < play_count; i++) {
		const struct host_run run = { .scenario = &scenario,
					      .profile_name = "default",
					      .name = plays[i].name,
					      .skip = plays[i].skip };

		assert_int_equal(vec_push(&plan->runs, run), 0);
	}
	return plan_rc < 0 ? err_set(-plan_rc, "no such \033scenario") : 0;
}

int __wrap_host_check(const struct roots *roots, char **cgroup_parent)
{
	(void)roots;
	*cgroup_parent = strdup("/own");
	return 0;
}

int __wrap_reservation_acquire(struct reservation *r, const struct reserve_request *q)
{
	*r = (struct reservation){};
	assert_int_equal(q->mode, RUN_BUDGETED);
	assert_true(q->is_whole_machine);
	assert_int_equal(q->budget, 7);
	assert_int_equal(q->topology->cpu_count, 2);
	reserved++;
	return 0;
}

int __wrap_budget_read_allowed(struct cpulist *allowed, const struct roots *roots)
{
	(void)roots;
	*allowed = (struct cpulist){ .count = 7 };
	return 0;
}

void __wrap_host_observer_start(struct host_observer *o)
{
	if (has_problem)
		str_add(&o->problem, "no BPF");
	else
		snprintf(o->dir, sizeof(o->dir), "/observed");
}

int __wrap_host_probes_start(struct host_probes *p, const char *names)
{
	*p = (struct host_probes){};
	is_probing = true;
	snprintf(functions, sizeof(functions), "%s", names ? names : "-");
	return 0;
}

int __wrap_host_probes_end(struct host_probes *p, const struct ktstr_result *res, const char *dir,
			   struct str *story)
{
	(void)p;
	(void)res;
	snprintf(kernel_dir, sizeof(kernel_dir), "%s", dir ? dir : "-");
	str_add(story, plays[executed - 1].tells ? REPRO_TOLD "it ended\n" : "probes: nothing\n");
	is_probing = false;
	return 0;
}

void __wrap_host_probes_finish(struct host_probes *p)
{
	(void)p;
}

int __wrap_host_execute(const struct host_run *run, const struct host_options *o,
			struct ktstr_result *res, double *seconds)
{
	options = *o;
	assert_string_equal(o->cgroup_parent, "/own");
	assert_string_equal(o->observe_problem, has_problem ? "no BPF" : "");
	assert_int_equal(o->observe_dir == NULL, has_problem);
	for (executed = 1; !str_eq(plays[executed - 1].name, run->name); executed++)
		;
	str_addf(&ran, "%s%s ", run->name, is_probing ? "*" : "");
	*seconds = 1.5;
	if (plays[executed - 1].verdict == KTSTR_PASSED)
		result_pass(res);
	else
		result_add(res, DETAIL_OTHER, plays[executed - 1].verdict, "why\nit is so");
	return execute_rc < 0 ? err_set(-execute_rc, "no cgroup") : 0;
}

int __wrap_interrupt_check(void)
{
	return interrupted_after && executed >= interrupted_after ? -EINTR : 0;
}

void __wrap_interrupt_install(void)
{
}

void __wrap_log_note(const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	str_addf(&noted, "%s\n", text);
}

static int start(void **state)
{
	static const struct played_run one[] = { { "one", .verdict = KTSTR_PASSED } };

	(void)state;
	plays = one;
	play_count = 1;
	reserved = interrupted_after = executed = 0;
	plan_rc = execute_rc = 0;
	has_budget = is_smt_host = is_probing = has_problem = false;
	unsetenv("KTSTR_NO_PERF_MODE");
	return 0;
}

static int stop(void **state)
{
	(void)state;
	str_finish(&noted);
	str_finish(&ran);
	cli_forget();
	return 0;
}

#define PLAYED(f) cmocka_unit_test_setup_teardown(f, start, stop)
#define PLAY(...)                                                         \
	do {                                                              \
		static const struct played_run rows_[] = { __VA_ARGS__ }; \
		plays = rows_;                                            \
		play_count = ARRAY_SIZE(rows_);                           \
	} while (0)

static void expect(const char *words, int status)
{
	_free_ char *line = str_fmt("run %s", words);
	int rc;

	str_reset(&noted);
	str_reset(&ran);
	executed = 0;
	rc = cli_run(line);
	if (rc != status)
		fail_msg("%s: %d: %s%s", words, rc, rc < 0 ? err_text(rc) : "", cli_err);
}

/* ---- what is asked for ---- */

static void a_plan_is_made_for_this_machine(void **state)
{
	(void)state;
	expect("", 0);
	assert_null(planned.filter);
	assert_int_equal(planned.profiles, HOST_PROFILES_ALL);
	assert_true(planned.budget_s == 0);
	assert_int_equal(planned.duration_ms, 20000);
	assert_int_equal(planned.workers, 4);
	assert_true(planned.cpus == 2 && planned.llcs == 3 && planned.nodes == 4);
	assert_false(planned.has_smt);
	assert_true(scenario.duration_ms == 9 && scenario.workers == 8);
	assert_int_equal(reserved, 1);
	assert_int_equal(options.duration_ms, 20000);
	assert_null(options.work_type);
	assert_false(options.is_verbose);
	assert_string_equal(str_get(&noted), "ktstr: 1 runs, about 20s\nktstr: [1/1] one\n");
	is_smt_host = has_problem = true;
	expect("--duration 30 --workers 5 --filter cpuset --budget 60 --no-perf-mode --seed 77 "
	       "--work-type YieldHeavy --verbose",
	       0);
	assert_string_equal(planned.filter, "cpuset");
	assert_true(planned.budget_s == 60 && planned.has_smt);
	assert_true(planned.duration_ms == 30000 && planned.workers == 5);
	/* They count more than what a scenario says. */
	assert_true(scenario.duration_ms == 0 && scenario.workers == 0);
	assert_int_equal(reserved, 1);
	assert_int_equal(options.seed, 77);
	assert_non_null(options.work_type);
	assert_true(options.is_verbose);
	setenv("KTSTR_NO_PERF_MODE", "1", 1);
	expect("", 0);
	unsetenv("KTSTR_NO_PERF_MODE");
	assert_int_equal(reserved, 1);
}

static void profiles_depend_on_where_scenarios_are_from(void **state)
{
	static const struct {
		const char *words;
		enum host_profiles profiles;
	} rows[] = {
		{ "--file f", HOST_PROFILES_BASE },
		{ "--load l", HOST_PROFILES_BASE },
		{ "--file f --profiles all", HOST_PROFILES_ALL },
		{ "--profiles default", HOST_PROFILES_BASE },
		{ "--profiles all", HOST_PROFILES_ALL },
		{ "--flags llc", HOST_PROFILES_EXACT },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		expect(rows[i].words, 0);
		assert_int_equal(planned.profiles, rows[i].profiles);
		assert_int_equal(planned.exact != 0, rows[i].profiles == HOST_PROFILES_EXACT);
	}
}

static void times_have_two_units(void **state)
{
	static const struct {
		const char *words, *text;
	} rows[] = {
		{ "--duration 59", "about 59s\n" },	  { "--duration 60", "about 1m 0s\n" },
		{ "--duration 3599", "about 59m 59s\n" }, { "--duration 3600", "about 1h 0m\n" },
		{ "--duration 7320", "about 2h 2m\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		expect(rows[i].words, 0);
		expect_in(str_get(&noted), rows[i].text);
	}
	has_budget = true;
	expect("", 0);
	expect_in(str_get(&noted),
		  "ktstr budget: 2/9 tests, 30/40s used, 5/6 configurations covered\n");
}

static void words_that_mean_nothing_are_refused(void **state)
{
	static const struct {
		const char *words, *message;
	} rows[] = {
		{ "--budget 0", "invalid value '0' for --budget: expected a number of seconds" },
		{ "--flags none", "error: " },
		{ "--work-type none", "error: " },
		{ "--kernel-dir d", "--kernel-dir needs --repro or --auto-repro" },
		{ "--probe-stack f", "--probe-stack needs --repro or --auto-repro" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		expect(rows[i].words, 2);
		expect_in(cli_err, rows[i].message);
	}
	plan_rc = -ENOENT;
	expect("--filter x", 4);
	expect_in(cli_err, "error: no such \\x1bscenario\n");
	expect("", -ENOENT);
}

/* ---- lists ---- */

static void runs_are_listed(void **state)
{
	(void)state;
	PLAY({ "one", .verdict = KTSTR_PASSED }, { "two", "too \033small" });
	expect("--list-runs", 0);
	assert_string_equal(cli_out, "one\ntwo (skipped: too \\x1bsmall)\n");
	assert_string_equal(str_get(&ran), "");
	expect("--list-runs --json", 0);
	expect_in(cli_out, "\"scenario_name\": \"one\",");
	expect_in(cli_out, "\"scenario\": \"steady\",");
	expect_in(cli_out, "\"profile\": \"default\",");
	expect_in(cli_out, "\"skip\": null");
	expect_in(cli_out, "\"skip\": \"too ");
	assert_int_equal(reserved, 0);
}

/* ---- results ---- */

static void each_run_is_told_with_what_repeats_it(void **state)
{
	(void)state;
	PLAY({ "one", .verdict = KTSTR_PASSED }, { "two", "too small" },
	     { "three", .verdict = KTSTR_INCONCLUSIVE }, { "four", .verdict = KTSTR_FAILED });
	expect("--seed 7", 1);
	assert_string_equal(cli_out, "[PASS] one (1.5s)\n"
				     "[SKIP] two (0.0s)\n  too small\n"
				     "[INCONCLUSIVE] three (1.5s)\n  why\n  it is so\n  seed 7\n"
				     "[FAIL] four (1.5s)\n  why\n  it is so\n  seed 7\n"
				     "\n1/4 passed (1 skipped, 1 failed, 1 inconclusive)\n");
	assert_string_equal(str_get(&ran), "one three four ");
}

static void totals_decide_the_status(void **state)
{
	(void)state;
	PLAY({ "a", .verdict = KTSTR_PASSED }, { "b", .verdict = KTSTR_PASSED });
	expect("", 0);
	expect_in(cli_out, "\n2/2 passed\n");
	PLAY({ "a", .verdict = KTSTR_PASSED }, { "b", .verdict = KTSTR_FAILED });
	expect("", 1);
	expect_in(cli_out, "\n1/2 passed\n");
	PLAY({ "a", .verdict = KTSTR_PASSED }, { "b", .verdict = KTSTR_INCONCLUSIVE });
	expect("", 3);
	expect_in(cli_out, "\n1/2 passed (0 skipped, 0 failed, 1 inconclusive)\n");
	PLAY({ "a", .verdict = KTSTR_PASSED }, { "b", "no" });
	expect("", 0);
	expect_in(cli_out, "\n1/2 passed (1 skipped, 0 failed)\n");
	PLAY({ "a", "no" });
	expect("", 4);
	execute_rc = -EIO;
	PLAY({ "a", .verdict = KTSTR_PASSED });
	expect("", -EIO);
}

static void a_run_that_ends_early_tells_what_was_not_run(void **state)
{
	_free_ char *dir = unit_temp_create(), *words = NULL, *path = NULL;
	_str_ struct str junit = {};

	(void)state;
	PLAY({ "a", .verdict = KTSTR_FAILED }, { "b", .verdict = KTSTR_PASSED },
	     { "c", .verdict = KTSTR_PASSED });
	path = str_fmt("%s/junit.xml", dir);
	words = str_fmt("--fail-fast --json --junit %s", path);
	expect(words, 1);
	assert_string_equal(str_get(&ran), "a ");
	expect_in(cli_out, "\"verdict\": \"fail\",");
	expect_in(cli_out, "\"reason\": \"not run: a run failed before (--fail-fast)\"");
	assert_int_equal(file_read(path, &junit), 0);
	expect_in(str_get(&junit), "not run: a run failed before (--fail-fast)");
	expect_in(str_get(&junit), "tests=\"3\" failures=\"1\"");
	expect("", 1);
	assert_string_equal(str_get(&ran), "a b c ");
	interrupted_after = 2;
	expect("--json", 130);
	assert_string_equal(str_get(&ran), "a b ");
	expect_in(cli_out, "\"reason\": \"not run: interrupted\"");
	expect_in(str_get(&noted), "ktstr: interrupted: 1 of 3 runs were not done\n");
	unit_temp_remove(take_ptr(&dir));
}

/* ---- the report itself ---- */

/* One run with figures, one that was not made. */
static int report(const struct cli_call *call)
{
	const struct host_run run = { .scenario = &scenario, .profile_name = "p", .name = "a/p" };
	struct host_report r = { .is_json = cli_flag(call, "json"),
				 .junit = cli_text(call, "junit"),
				 .seed = 5 };
	struct ktstr_result res;
	int rc;

	scenario.name = "a";
	result_init(&res);
	result_add(&res, DETAIL_STUCK, KTSTR_FAILED, "stuck \033");
	assert_int_equal(vec_push(&res.cgroups,
				  ((struct cgroup_stats){ .name = strdup("cg"), .iterations = 3 })),
			 0);
	host_report_init(&r);
	assert_int_equal(host_report_status(&r), EXIT_NOTHING_RAN);
	rc = host_report_add(&r, &run, &res, 2.5, "a story\n\nof it\n");
	r.totals.selected = 2;
	host_report_add_unrun(&r, &run, "not run: why");
	rc = rc ?: host_report_end(&r);
	assert_true(r.totals.failed == 1 && r.totals.passed == 0 && r.totals.seconds == 2.5);
	assert_int_equal(host_report_status(&r), EXIT_FAILED);
	host_report_finish(&r);
	result_finish(&res);
	return rc;
}

static void a_report_has_three_forms(void **state)
{
	_free_ char *dir = unit_temp_create(), *line = NULL, *path = NULL;
	_str_ struct str junit = {};

	(void)state;
	assert_int_equal(cli_catch("run", report), 0);
	assert_true(str_starts(cli_out, "[FAIL] a/p (2.5s)\n  stuck \\x1b\n  a story\n\n  of it\n"
					"  "));
	expect_in(cli_out, "cg");
	assert_true(str_ends(cli_out, "\n  seed 5\n\n0/1 passed\n"));
	assert_int_equal(cli_catch("run --json", report), 0);
	assert_true(str_starts(
		cli_out,
		"[\n  {\n    \"scenario_name\": \"a/p\",\n    \"scenario\": \"a\",\n"
		"    \"profile\": \"p\",\n    \"verdict\": \"fail\",\n"
		"    \"passed\": false,\n    \"skipped\": false,\n"
		"    \"duration_s\": 2.5,\n    \"seed\": 5,\n    \"details\": [\n"
		"      {\n        \"kind\": \"Stuck\",\n        \"message\": \"stuck \\u001b\"\n"
		"      }\n    ],\n    \"auto_repro\": \"a story\\n\\nof it\\n\",\n"
		"    \"stats\": {"));
	assert_true(str_ends(cli_out,
			     "  {\n    \"scenario_name\": \"a/p\",\n    \"scenario\": \"a\",\n"
			     "    \"profile\": \"p\",\n    \"verdict\": \"not_run\",\n"
			     "    \"reason\": \"not run: why\"\n  }\n]\n"));
	path = str_fmt("%s/junit.xml", dir);
	line = str_fmt("run --junit %s", path);
	assert_int_equal(cli_catch(line, report), 0);
	assert_int_equal(file_read(path, &junit), 0);
	expect_in(str_get(&junit), "tests=\"2\" failures=\"1\"");
	expect_in(str_get(&junit), "a story\n\n  of it\n");
	expect_in(str_get(&junit), "  seed 5\n");
	expect_in(str_get(&junit), "ktstr::host");
	expect_in(str_get(&junit), "2.500");
	expect_in(str_get(&junit), "not run: why");
	assert_int_equal(cli_catch("run --junit /none/x", report), -ENOENT);
	unit_temp_remove(take_ptr(&dir));
}

/* ---- probes ---- */

static void probes_are_in_every_run_or_in_a_second_one(void **state)
{
	(void)state;
	PLAY({ "a", .verdict = KTSTR_FAILED }, { "b", .verdict = KTSTR_PASSED },
	     { "c", .verdict = KTSTR_PASSED, .tells = true });
	expect("--repro --kernel-dir /k --probe-stack f,g", 1);
	assert_string_equal(str_get(&ran), "a* b* c* ");
	assert_string_equal(functions, "f,g");
	assert_string_equal(kernel_dir, "/k");
	/* Of a run that passed, only what ended its scheduler is of interest. */
	expect_in(cli_out, "[FAIL] a (1.5s)\n  why\n  it is so\n  probes: nothing\n");
	expect_in(cli_out, "[PASS] b (1.5s)\n[PASS] c (1.5s)\n  " REPRO_TOLD "it ended\n");
	expect("--auto-repro", 1);
	assert_string_equal(str_get(&ran), "a a* b c ");
	assert_string_equal(functions, "-");
	assert_string_equal(kernel_dir, "-");
	expect_in(str_get(&noted), "ktstr: a once more, with probes\n");
	expect_in(cli_out, "  probes: nothing\n");
	expect("--repro --auto-repro", 1);
	assert_string_equal(str_get(&ran), "a* b* c* ");
	expect("--repro --json", 1);
	expect_in(cli_out, "\"auto_repro\": \"probes: nothing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLAYED(a_plan_is_made_for_this_machine),
		PLAYED(profiles_depend_on_where_scenarios_are_from),
		PLAYED(times_have_two_units),
		PLAYED(words_that_mean_nothing_are_refused),
		PLAYED(runs_are_listed),
		PLAYED(each_run_is_told_with_what_repeats_it),
		PLAYED(totals_decide_the_status),
		PLAYED(a_run_that_ends_early_tells_what_was_not_run),
		PLAYED(a_report_has_three_forms),
		PLAYED(probes_are_in_every_run_or_in_a_second_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
