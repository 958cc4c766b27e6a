// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr run`: scenarios on this machine, under the scheduler that it has. */
#include <sys/random.h>

#include "cli/options.h"
#include "cli/table.h"
#include "host/budget.h"
#include "host/reserve.h"
#include "hostmode/execute.h"
#include "repro/repro.h"
#include "work/workers.h"

/* ---- output: a line per run, or one JSON document, and JUnit ---- */

struct host_report {
	bool is_json;
	const char *junit; /* path, or NULL */
	uint64_t seed;
	struct str document; /* for --json */
	struct json json;
	struct str cases; /* for --junit */
	struct run_totals totals;
};

/* By verdict_index(). */
static const struct {
	const char *mark;
	enum test_status status;
} verdicts[VERDICT_COUNT] = {
	[VERDICT_AT(KTSTR_FAILED)] = { "FAIL", TEST_FAILED },
	[VERDICT_AT(KTSTR_INCONCLUSIVE)] = { "INCONCLUSIVE", TEST_INCONCLUSIVE },
	[VERDICT_AT(KTSTR_PASSED)] = { "PASS", TEST_PASSED },
	[VERDICT_AT(KTSTR_SKIPPED)] = { "SKIP", TEST_SKIPPED },
};

static void host_report_init(struct host_report *r)
{
	json_init(&r->json, &r->document, true);
	if (r->is_json)
		json_array(&r->json);
}

static void host_report_finish(struct host_report *r)
{
	str_finish(&r->document);
	str_finish(&r->cases);
}

static void count(struct run_totals *t, enum ktstr_verdict verdict, double seconds)
{
	t->passed += verdict == KTSTR_PASSED;
	t->failed += verdict == KTSTR_FAILED;
	t->inconclusive += verdict == KTSTR_INCONCLUSIVE;
	t->skipped += verdict == KTSTR_SKIPPED;
	t->seconds += seconds;
}

static void open_json(struct json *j, const struct host_run *run)
{
	json_object(j);
	json_put_string(j, "scenario_name", run->name);
	json_put_string(j, "scenario", run->scenario->name);
	json_put_string(j, "profile", run->profile_name);
}

static void add_json(struct host_report *r, const struct host_run *run,
		     const struct ktstr_result *res, double seconds, const char *story)
{
	struct json *j = &r->json;

	open_json(j, run);
	json_put_string(j, "verdict", verdict_name(res->verdict));
	json_put_bool(j, "passed", res->verdict == KTSTR_PASSED);
	json_put_bool(j, "skipped", res->verdict == KTSTR_SKIPPED);
	json_put_double(j, "duration_s", seconds);
	json_put_u64(j, "seed", r->seed);
	json_put_array(j, "details");
	vec_each(const struct detail, d, &res->details) {
		json_object(j);
		json_put_string(j, "kind", detail_kind_name(d->kind));
		json_put_string(j, "message", d->message);
		json_object_end(j);
	}
	json_array_end(j);
	if (*story)
		json_put_string(j, "auto_repro", story);
	json_put_object(j, "stats");
	result_put_stats(res, j);
	json_object_end(j);
	json_object_end(j);
}

/* Indents each line by two blanks. */
static void add_indented(struct str *out, const char *text)
{
	text_each_line(l, text) {
		str_add(out, l.len ? "  " : "");
		str_addn(out, l.s, l.len);
		str_addc(out, '\n');
	}
}

/* Details, and for a failure what is needed to understand and to repeat it. */
static void add_explanation(struct str *out, const struct ktstr_result *res, uint64_t seed,
			    const char *story)
{
	for (size_t i = 0; i < res->details.count; i++)
		add_indented(out, res->details.items[i].message);
	add_indented(out, story);
	if (res->verdict > KTSTR_INCONCLUSIVE)
		return;
	if (res->cgroups.count) {
		_str_ struct str stats = {};

		result_add_stats_text(res, &stats);
		add_indented(out, str_get(&stats));
	}
	str_addf(out, "  seed %llu\n", ULL(seed));
}

static int print_text(const struct host_report *r, const struct host_run *run,
		      const struct ktstr_result *res, double seconds, const char *story)
{
	_str_ struct str raw = {}, out = {};
	int rc;

	str_addf(&raw, "[%s] %s (%.1fs)\n", verdicts[verdict_index(res->verdict)].mark, run->name,
		 seconds);
	add_explanation(&raw, res, r->seed, story);
	text_add_lines(&out, str_get(&raw));
	rc = str_check(&raw) ?: output_text(&out);
	return rc ?: output_flush();
}

static void add_case(struct host_report *r, const struct host_run *run,
		     const struct ktstr_result *res, double seconds, const char *story)
{
	_str_ struct str text = {};

	add_explanation(&text, res, r->seed, story);
	junit_add_case(&r->cases,
		       &(struct test_event){ .binary_id = "ktstr::host",
					     .name = run->name,
					     .status = verdicts[verdict_index(res->verdict)].status,
					     .seconds = seconds,
					     .text = str_get(&text) });
}

/* story: report of the probes, or "". */
static int host_report_add(struct host_report *r, const struct host_run *run,
			   const struct ktstr_result *res, double seconds, const char *story)
{
	count(&r->totals, res->verdict, seconds);
	if (r->junit)
		add_case(r, run, res, seconds, story);
	if (!r->is_json)
		return print_text(r, run, res, seconds, story);
	add_json(r, run, res, seconds, story);
	return str_check(&r->document);
}

/* Adds a planned run that was not started; only to the JUnit file and JSON. */
static void host_report_add_unrun(struct host_report *r, const struct host_run *run,
				  const char *why)
{
	const struct test_event e = {
		.binary_id = "ktstr::host", .name = run->name, .status = TEST_SKIPPED, .text = why
	};

	if (r->junit)
		junit_add_case(&r->cases, &e);
	if (!r->is_json)
		return;
	open_json(&r->json, run);
	json_put_string(&r->json, "verdict", "not_run");
	json_put_string(&r->json, "reason", why);
	json_object_end(&r->json);
}

static int print_totals(const struct run_totals *t)
{
	_str_ struct str out = {};

	str_addf(&out, "\n%zu/%zu passed", t->passed, run_totals_ended(t));
	if (t->skipped || t->inconclusive)
		str_addf(&out, " (%zu skipped, %zu failed", t->skipped, t->failed);
	if (t->inconclusive)
		str_addf(&out, ", %zu inconclusive", t->inconclusive);
	str_add(&out, t->skipped || t->inconclusive ? ")\n" : "\n");
	return output_text(&out);
}

static int write_junit(const struct host_report *r)
{
	_str_ struct str document = {};
	int rc = str_check(&r->cases);

	junit_add_document(&document, &r->cases, &r->totals);
	rc = rc ?: str_check(&document);
	return rc ?: file_replace(r->junit, document.s, document.len, 0644);
}

/* Prints the rest and writes the JUnit file. */
static int host_report_end(struct host_report *r)
{
	int rc = 0;

	if (r->junit)
		rc = write_junit(r);
	if (rc < 0)
		return rc;
	if (!r->is_json)
		return print_totals(&r->totals);
	json_array_end(&r->json);
	return output_json(&r->document);
}

/* Exit status that corresponds to the totals. */
static int host_report_status(const struct host_report *r)
{
	const struct run_totals *t = &r->totals;

	if (t->failed)
		return EXIT_FAILED;
	if (t->inconclusive)
		return EXIT_INCONCLUSIVE;
	return t->passed ? EXIT_OK : EXIT_NOTHING_RAN;
}

/* ---- the command ---- */

struct host_call {
	struct topology topology;
	struct host_scenarios scenarios;
	struct host_plan plan;
	struct host_options options;
	struct ktstr_work_type work_type;
	char *cgroup_parent;
	struct reservation reservation;
	struct host_observer observer;
	struct host_report report;
	const char *functions; /* further ones to probe, or NULL */
	const char *kernel_dir;
	struct repro_chain chain;
	struct str function_list;
	bool has_probes;  /* in every run */
	bool is_repeated; /* repeat failed runs with probes */
	size_t done;	  /* runs */
	bool is_fail_fast;
};

static void run_finish(struct host_call *r)
{
	repro_chain_finish(&r->chain);
	str_finish(&r->function_list);
	host_observer_finish(&r->observer);
	reservation_release(&r->reservation);
	host_report_finish(&r->report);
	host_plan_finish(&r->plan);
	host_scenarios_finish(&r->scenarios);
	topology_finish(&r->topology);
	free(r->cgroup_parent);
}

/* Converts any form of --probe-stack to names of functions. */
static int read_chain(struct host_call *r, const char *words)
{
	int rc = repro_chain_add_words(&r->chain, words);

	for (size_t i = 0; i < r->chain.functions.count; i++)
		str_addf(&r->function_list, "%s%s", i ? "," : "", r->chain.functions.items[i]);
	r->functions = str_get(&r->function_list);
	return rc ?: str_check(&r->function_list);
}

static int read_probes(struct host_call *r, const struct cli_call *call)
{
	static const char *const needing[] = { "kernel-dir", "probe-stack" };
	const char *words = cli_text(call, "probe-stack");

	r->has_probes = cli_flag(call, "repro");
	r->is_repeated = cli_flag(call, "auto-repro") && !r->has_probes;
	r->kernel_dir = cli_text(call, "kernel-dir");
	for (size_t i = 0; i < ARRAY_SIZE(needing); i++)
		if (cli_is_given(call, needing[i]) && !r->has_probes && !r->is_repeated)
			return cli_usage_error(call, "--%s needs --repro or --auto-repro",
					       needing[i]);
	return words ? read_chain(r, words) : 0;
}

static bool has_smt(const struct topology *t)
{
	for (size_t i = 0; i < t->cpu_count; i++)
		if (t->cpus[i].core != t->cpus[i].id)
			return true;
	return false;
}

/* A word that is not known is a mistake in the command, as a wrong number is. */
static int refuse_word(const struct cli_call *call, int rc)
{
	return rc == -EINVAL ? cli_usage_error(call, "%s", err_text(rc)) : rc;
}

static int read_profiles(const struct cli_call *call, struct host_plan_options *o)
{
	const char *flags = cli_text(call, "flags"), *wanted = cli_text(call, "profiles");
	bool is_own = cli_count(call, "file") || cli_count(call, "load");

	if (flags) {
		o->profiles = HOST_PROFILES_EXACT;
		return refuse_word(call, host_flags_parse(flags, &o->exact));
	}
	/* A scenario may declare the flags that it is about. */
	if (wanted ? str_eq(wanted, "default") : is_own)
		o->profiles = HOST_PROFILES_BASE;
	return 0;
}

static int read_budget(const struct cli_call *call, double *seconds)
{
	const char *text = cli_text(call, "budget");

	if (text && !selection_budget_parse(text, seconds))
		return cli_usage_error(
			call,
			"invalid value '%s' for --budget: expected a number of seconds above 0",
			text);
	return 0;
}

/* Options override the settings of scenarios. */
static void override_scenarios(const struct cli_call *call, struct host_scenarios *s)
{
	for (size_t i = 0; i < s->list.count; i++) {
		if (cli_is_given(call, "duration"))
			s->list.items[i].duration_ms = 0;
		if (cli_is_given(call, "workers"))
			s->list.items[i].workers = 0;
	}
}

static int make_plan(struct host_call *r, const struct cli_call *call)
{
	struct host_plan_options o = {
		.filter = cli_text(call, "filter"),
		.duration_ms = r->options.duration_ms,
		.workers = r->options.workers,
		.nodes = (unsigned int)r->topology.node_count,
		.llcs = (unsigned int)r->topology.llc_count,
		.cpus = (unsigned int)r->topology.cpu_count,
		.has_smt = has_smt(&r->topology),
	};
	int rc = read_profiles(call, &o) ?: read_budget(call, &o.budget_s);

	rc = rc ?: host_options_scenarios(call, &r->scenarios);
	if (rc)
		return rc;
	override_scenarios(call, &r->scenarios);
	return host_plan_build(&r->plan, &r->scenarios, &o);
}

static uint64_t fresh_seed(void)
{
	uint32_t seed;

	if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		seed = (uint32_t)getpid();
	return seed;
}

static int read_options(struct host_call *r, const struct cli_call *call)
{
	const char *work_type = cli_text(call, "work-type");
	int rc;

	r->options = (struct host_options){
		.topology = &r->topology,
		.duration_ms = cli_number(call, "duration") * 1000,
		.workers = (unsigned int)cli_number(call, "workers"),
		.seed = cli_is_given(call, "seed") ? cli_number(call, "seed") : fresh_seed(),
		.is_verbose = cli_flag(call, "verbose"),
	};
	if (work_type) {
		rc = work_type_by_name(work_type, &r->work_type);
		if (rc < 0)
			return refuse_word(call, rc);
		r->options.work_type = &r->work_type;
	}
	r->is_fail_fast = cli_flag(call, "fail-fast");
	r->report.is_json = cli_flag(call, "json");
	r->report.junit = cli_text(call, "junit");
	r->report.seed = r->options.seed;
	rc = output_check_file(r->report.junit);
	return rc ?: topology_read(&r->topology, &roots_live);
}

static void add_time(struct str *out, double seconds)
{
	unsigned long long s = ULL(seconds + 0.5);

	if (s >= 3600)
		str_addf(out, "%lluh %llum", s / 3600, s / 60 % 60);
	else if (s >= 60)
		str_addf(out, "%llum %llus", s / 60, s % 60);
	else
		str_addf(out, "%llus", s);
}

static void tell_plan(const struct host_call *r)
{
	const struct selection_summary *b = &r->plan.budget;
	_str_ struct str time = {};

	if (r->plan.has_budget)
		log_note(
			"ktstr budget: %zu/%zu tests, %.0f/%.0fs used, %u/%u configurations covered",
			b->chosen, b->total, b->used_s, b->budget_s, b->covered, b->coverable);
	add_time(&time, r->plan.estimate_s);
	log_note("%s: %zu runs, about %s", log_label(), r->plan.runs.count, str_get(&time));
}

/* ---- --list-runs ---- */

static int list_as_json(const struct host_plan *plan)
{
	_str_ struct str out = {};
	struct json j;

	json_init(&j, &out, true);
	json_array(&j);
	vec_each(const struct host_run, run, &plan->runs) {
		json_object(&j);
		json_put_string(&j, "scenario_name", run->name);
		json_put_string(&j, "scenario", run->scenario->name);
		json_put_string(&j, "profile", run->profile_name);
		json_put_string(&j, "skip", run->skip);
		json_object_end(&j);
	}
	json_array_end(&j);
	return output_json(&out);
}

static int list_as_text(const struct host_plan *plan)
{
	_str_ struct str out = {};

	vec_each(const struct host_run, run, &plan->runs) {
		str_add(&out, run->name);
		if (run->skip)
			str_addf(&out, " (skipped: %s)", run->skip);
		str_addc(&out, '\n');
	}
	return output_text(&out);
}

static int list_runs(const struct host_call *r)
{
	tell_plan(r);
	return r->report.is_json ? list_as_json(&r->plan) : list_as_text(&r->plan);
}

/* ---- running ---- */

/* Reserves LLCs: VMs in performance mode must not share them with this. */
static int reserve_machine(struct host_call *r, const struct cli_call *call)
{
	_cleanup_(cpulist_finish) struct cpulist allowed = {};
	struct reserve_request request = { .mode = RUN_BUDGETED,
					   .is_whole_machine = true,
					   .topology = &r->topology,
					   .allowed = &allowed };
	int rc;

	if (cli_flag(call, "no-perf-mode") || run_mode_env_no_perf())
		return 0;
	rc = budget_read_allowed(&allowed, &roots_live);
	request.budget = allowed.count;
	return rc ?: reservation_acquire(&r->reservation, &request);
}

static int run_probed(struct host_call *r, const struct host_run *run, struct ktstr_result *res,
		      double *seconds, struct str *story)
{
	_cleanup_(host_probes_finish) struct host_probes probes = {};
	int rc = host_probes_start(&probes, r->functions);

	rc = rc ?: host_execute(run, &r->options, res, seconds);
	return rc ?: host_probes_end(&probes, res, r->kernel_dir, story);
}

/* The verdict is that of the first run. */
static int run_again(struct host_call *r, const struct host_run *run, struct str *story)
{
	_cleanup_(result_finish) struct ktstr_result res;
	double seconds;

	result_init(&res);
	log_note("%s: %s once more, with probes", log_label(), run->name);
	return run_probed(r, run, &res, &seconds, story);
}

static int run_one(struct host_call *r, size_t index)
{
	const struct host_run *run = &r->plan.runs.items[index];
	_cleanup_(result_finish) struct ktstr_result res;
	_str_ struct str story = {};
	double seconds = 0;
	int rc = 0;

	result_init(&res);
	if (run->skip) {
		ktstr_result_skip(&res, "%s", run->skip);
	} else {
		log_note("%s: [%zu/%zu] %s", log_label(), index + 1, r->plan.runs.count, run->name);
		rc = r->has_probes ? run_probed(r, run, &res, &seconds, &story) :
				     host_execute(run, &r->options, &res, &seconds);
	}
	/* Nothing of interest happened. */
	if (res.verdict == KTSTR_PASSED && !strstr(str_get(&story), REPRO_TOLD))
		str_reset(&story);
	if (rc == 0 && r->is_repeated && res.verdict == KTSTR_FAILED)
		rc = run_again(r, run, &story);
	return rc ?: host_report_add(&r->report, run, &res, seconds, str_get(&story));
}

static int run_all(struct host_call *r)
{
	int rc = 0;

	for (size_t i = 0; i < r->plan.runs.count && rc == 0; i++) {
		rc = run_one(r, i);
		r->done += rc == 0;
		rc = rc ?: interrupt_check();
		if (r->is_fail_fast && r->report.totals.failed)
			break;
	}
	return rc;
}

static void tell_unrun(struct host_call *r, bool is_interrupted)
{
	const char *why = is_interrupted ? "not run: interrupted" :
					   "not run: a run failed before (--fail-fast)";

	r->report.totals.selected = r->plan.runs.count;
	for (size_t i = r->done; i < r->plan.runs.count; i++)
		host_report_add_unrun(&r->report, &r->plan.runs.items[i], why);
}

/* An interrupted run still prints its results. */
static int run_and_tell(struct host_call *r)
{
	bool is_interrupted;
	int rc;

	interrupt_install();
	host_report_init(&r->report);
	rc = run_all(r);
	is_interrupted = rc == -EINTR;
	tell_unrun(r, is_interrupted);
	if (rc == 0 || is_interrupted)
		rc = host_report_end(&r->report);
	if (rc < 0)
		return rc;
	if (!is_interrupted)
		return host_report_status(&r->report);
	log_note("%s: interrupted: %zu of %zu runs were not done", log_label(),
		 r->plan.runs.count - r->done, r->plan.runs.count);
	return EXIT_INTERRUPTED;
}

/* An empty selection is reported as an error, with a separate exit status. */
static int nothing_selected(int rc)
{
	_str_ struct str text = {};

	text_add_lines(&text, err_text(rc));
	fprintf(stderr, "error: %s\n", str_get(&text));
	return EXIT_NOTHING_RAN;
}

static int cmd_run_run(const struct cli_call *call)
{
	_cleanup_(run_finish) struct host_call r = {};
	int rc = read_probes(&r, call) ?: read_options(&r, call) ?: make_plan(&r, call);

	if (rc == -ENOENT && cli_text(call, "filter"))
		return nothing_selected(rc);
	if (rc != 0)
		return rc;
	if (cli_flag(call, "list-runs"))
		return list_runs(&r);
	rc = host_check(&roots_live, &r.cgroup_parent);
	r.options.cgroup_parent = r.cgroup_parent;
	rc = rc ?: reserve_machine(&r, call);
	if (rc < 0)
		return rc;
	tell_plan(&r);
	host_observer_start(&r.observer);
	r.options.observe_dir = r.observer.dir[0] ? r.observer.dir : NULL;
	r.options.observe_problem = str_get(&r.observer.problem);
	return run_and_tell(&r);
}

/* clang-format off */
CLI_CHOICE_LIST(profile_choices, "all", "default")

#define FLAG_LIST "llc, borrow, steal, rebal, reject-pin, no-ctrl"

const struct cli_cmd cmd_run = {
	.name = "run", .summary = "run scenarios on this machine, under its current scheduler",
	.about = "Runs the scenarios of the catalog (`ktstr list`) on this machine, under the "
		 "scheduler that is currently loaded: start yours first. Flags only select "
		 "scenarios, they do not configure the scheduler. Requires root and cgroup v2; "
		 "everything runs below the cgroup ktstr-PID, which is removed afterwards.",
	.params = CLI_PARAMS(
		{ .name = "duration", .kind = CLI_NUMBER, .value = "SECS", .fallback = "20", .min = 1,
		  .max = 86400, .help = "length of a run" },
		{ .name = "workers", .kind = CLI_NUMBER, .value = "N", .fallback = "4", .min = 1,
		  .max = 4096, .help = "workers in each cgroup" },
		{ .name = "flags", .kind = CLI_STRING, .value = "LIST", .excludes = "profiles",
		  .help = "only the profile of these flags, separated by commas (" FLAG_LIST "); '' is "
			  "the one without any [default: see --profiles]" },
		{ .name = "profiles", .kind = CLI_CHOICE, .value = "WHICH", .choices = profile_choices,
		  .help = "run every valid set of flags (all), or only those that a scenario is "
			  "about (default) [default: all for the catalog, default with --file and "
			  "--load]" },
		{ .name = "filter", .kind = CLI_STRING, .value = "SUB",
		  .help = "only scenarios whose name contains this" },
		{ .name = "budget", .kind = CLI_STRING, .value = "SECS",
		  .help = "select runs that differ most from each other and fit into this time" },
		{ .name = "list-runs", .help = "print what would run, without running it" },
		{ .name = "fail-fast", .help = "stop after the first failed run" },
		{ .name = "file", .kind = CLI_FILE, .value = "PATH", .is_repeatable = true,
		  .help = "scenarios from this file (YAML, or rt-app JSON) instead of the catalog" },
		{ .name = "load", .kind = CLI_FILE, .value = "LIBRARY", .is_repeatable = true,
		  .help = "tests from this shared object instead of the catalog" },
		{ .name = "work-type", .kind = CLI_STRING, .value = "NAME",
		  .help = "work type to use instead of CpuSpin; `ktstr list --work-types` shows "
			  "the names" },
		{ .name = "seed", .kind = CLI_NUMBER, .value = "N",
		  .help = "seed of all random choices [default: a new one each time]" },
		CLI_JSON,
		{ .name = "junit", .kind = CLI_FILE, .value = "FILE", .help = "also write JUnit XML" },
		{ .name = "no-perf-mode",
		  .help = "do not keep performance-mode VMs off this machine during the run; same "
			  "as KTSTR_NO_PERF_MODE" },
		{ .name = "repro", .help = "attach BPF probes during the run and report what led "
			"to the end of a scheduler" },
		{ .name = "auto-repro", .help = "rerun a failed scenario with BPF probes" },
		{ .name = "probe-stack", .kind = CLI_STRING, .value = "STACK",
		  .help = "kernel functions to probe: a file with stack traces or names, such text "
			  "itself, or names separated by commas; needs --repro or --auto-repro" },
		{ .name = "kernel-dir", .kind = CLI_DIR, .value = "PATH",
		  .help = "build directory of the kernel, for source lines of its functions; needs "
			  "--repro or --auto-repro" }),
	.examples = CLI_EXAMPLES(
		{ "run --profiles default", "every scenario once, about half an hour" },
		{ "run --flags llc,borrow --duration 30", "scenarios for a scheduler with these "
			"flags" },
		{ "run --filter cpuset --json", "scenarios about cpusets, for a program to read" },
		{ "run --file steal.yaml", "a scenario of your own" },
		{ "run --budget 600 --list-runs", "list the selection of runs for ten minutes" }),
	.exits = CLI_EXITS(
		{ "3", "nothing failed, and a run was inconclusive" },
		{ "4", "nothing ran: all was skipped, or nothing was selected" },
		{ "130", "interrupted" }),
	.holds_resources = true, .run = cmd_run_run,
};
/* clang-format on */
