// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr stats compare`. */
#include "cli/table.h"
#include "stats/compare.h"

static void options_finish(struct compare_options *o)
{
	side_filter_finish(&o->filters[0]);
	side_filter_finish(&o->filters[1]);
	policy_finish(&o->policy);
}

static int add_all(const struct cli_call *call, const char *option, struct side_filter *f,
		   enum dimension d)
{
	int rc = 0;

	for (size_t i = 0; i < cli_count(call, option) && rc == 0; i++)
		rc = side_filter_add(f, d, cli_nth(call, option, i));
	return rc;
}

/* Options of one side replace those of both. */
static int read_filters(const struct cli_call *call, struct compare_options *o)
{
	static const char prefixes[] = { 'a', 'b' };

	for (int d = 0; d < DIMENSION_COUNT; d++) {
		for (int side = 0; side < 2; side++) {
			char own[40];
			int rc;

			snprintf(own, sizeof(own), "%c-%s", prefixes[side], dimensions[d].option);
			rc = add_all(call, cli_count(call, own) ? own : dimensions[d].option,
				     &o->filters[side], d);
			if (rc < 0)
				return rc;
		}
	}
	return 0;
}

static int read_gate(const struct cli_call *call, struct compare_options *o)
{
	const char *threshold = cli_text(call, "threshold"), *path = cli_text(call, "policy");

	if (path)
		return policy_read(&o->policy, path);
	if (!threshold)
		return 0;
	if (policy_parse_percent(threshold, &o->policy.default_percent) < 0)
		return cli_usage_error(call, "--threshold takes a percentage such as 10, not %s",
				       cli_quoted(threshold));
	o->policy.has_default = true;
	return 0;
}

static void warn_about_slicing(const struct comparison *c)
{
	_str_ struct str names = {};

	if (c->slicing_count < 2)
		return;
	for (size_t i = 0; i < c->slicing_count; i++)
		str_addf(&names, "%s%s", i ? ", " : "", dimensions[c->slicing[i]].name);
	log_warn("stats",
		 "the sides differ in %zu dimensions (%s): a change cannot be put down to one",
		 c->slicing_count, str_get(&names));
}

static int print(const struct cli_call *call, const struct comparison *c)
{
	struct printout o;
	int rc = 0;

	output_begin(&o, call);
	o.is_raw = true;
	if (o.is_json)
		comparison_json(c, &o.json);
	else
		rc = comparison_text(c, term_has_colour(stdout), &o.text);
	return output_end(&o, rc);
}

struct named_runs {
	struct runs runs[2];
};

static void named_runs_finish(struct named_runs *n)
{
	runs_finish(&n->runs[0]);
	runs_finish(&n->runs[1]);
}

/* RUN_A and RUN_B, or neither. */
static int open_named(const struct cli_call *call, struct named_runs *n, struct compare_options *o)
{
	static const char *const names[] = { "run-a", "run-b" };
	int rc = 0;

	if (cli_is_given(call, names[0]) && !cli_is_given(call, names[1]))
		return cli_usage_error(call, "two runs are compared: RUN_B is missing");
	for (int side = 0; side < 2 && cli_is_given(call, names[side]) && rc == 0; side++) {
		struct run *run;

		rc = runs_open(&n->runs[side], cli_text(call, "dir"), cli_text(call, names[side]),
			       &run);
		if (rc == 0)
			run_warn_about_problems(run);
		o->sides[side] = rc == 0 ? run : NULL;
	}
	return rc;
}

static int cmd_stats_compare_run(const struct cli_call *call)
{
	_cleanup_(options_finish) struct compare_options o = {
		.expression = cli_text(call, "expression"),
		.no_average = cli_flag(call, "no-average"),
		.gates_single = cli_flag(call, "gate-single"),
	};
	_cleanup_(named_runs_finish) struct named_runs named = {};
	_comparison_ struct comparison c = {};
	_runs_ struct runs runs = {};
	int rc = read_filters(call, &o) ?: read_gate(call, &o) ?: open_named(call, &named, &o);

	if (rc == 0 && !o.sides[0])
		rc = runs_load_all(&runs, cli_text(call, "dir"));
	if (rc)
		return rc;
	rc = compare_runs(&runs, &o, &c);
	if (rc < 0)
		return rc;
	warn_about_slicing(&c);
	rc = print(call, &c);
	if (rc)
		return rc;
	return c.regressions ? EXIT_FAILED : EXIT_OK;
}

/* clang-format off */
/* A filter for both sides, and one per side that replaces it. */
#define FILTER(option, placeholder, what) \
	{ .name = option, .kind = CLI_STRING, .value = placeholder, .is_repeatable = true, \
	  .help = "only runs with this " what }, \
	{ .name = "a-" option, .kind = CLI_STRING, .value = placeholder, .is_repeatable = true, \
	  .help = "the same for side A only" }, \
	{ .name = "b-" option, .kind = CLI_STRING, .value = placeholder, .is_repeatable = true, \
	  .help = "the same for side B only" }

const struct cli_cmd cmd_stats_compare = {
	.name = "compare", .summary = "compare two sets of runs",
	.about = "Compares two sets of runs that differ in the given filters and agree in "
		 "everything else, or two named runs. A change counts if it passes both gates of "
		 "its metric, see stats list-metrics; metrics of payloads and tests count if "
		 "they declare which direction is better. With a single run on a side nothing is "
		 "gated, because two runs of the same code also differ.",
	.params = CLI_PARAMS(
		{ .name = "run-a", .is_arg = true, .kind = CLI_FILE, .value = "RUN_A",
		  .help = "run (name or directory) that is side A" },
		{ .name = "run-b", .is_arg = true, .kind = CLI_FILE, .value = "RUN_B",
		  .help = "run (name or directory) that is side B" },
		FILTER("kernel", "VERSION", "kernel; 6.14 stands for its whole series"),
		FILTER("scheduler", "NAME", "scheduler"),
		FILTER("topology", "TOPOLOGY", "topology, such as 1n2l4c1t"),
		FILTER("work-type", "NAME", "work type"),
		FILTER("project-commit", "COMMIT", "commit of the project, or git revision or A..B; "
		       "COMMIT-dirty are runs of changed files"),
		FILTER("kernel-commit", "COMMIT", "commit of the kernel; also a git revision or A..B"),
		FILTER("run-source", "SOURCE", "source: ci, local or archive"),
		FILTER("flag", "FLAG", "flag of the scheduler; given more than once, all of them"),
		FILTER("cpu-budget", "N", "CPU budget"),
		FILTER("accel", "ACCEL", "accelerator: kvm, sim or tcg"),
		FILTER("program", "NAME", "test program"),
		{ .name = "expression", .letter = 'E', .kind = CLI_STRING, .value = "TEXT",
		  .help = "only tests whose scenario, topology, scheduler, work type or flags "
			  "contain this text" },
		{ .name = "no-average", .help = "refuse several runs with the same properties "
			"instead of averaging them" },
		{ .name = "gate-single", .help = "gate changes even with a single run on each "
			"side" },
		{ .name = "threshold", .kind = CLI_STRING, .value = "PERCENT", .excludes = "policy",
		  .help = "relative change that counts, for all metrics" },
		{ .name = "policy", .kind = CLI_FILE, .value = "FILE",
		  .help = "the same by metric: {\"default_percent\":N,\"per_metric_percent\":{NAME:N}}" },
		CLI_RUNS_DIR,
		CLI_JSON),
	.examples = CLI_EXAMPLES(
		{ "stats compare 7.0.13-1a2b3c4@2026-11-15T22:41:33.723Z 7.0.13-1a2b3c4",
		  "two runs, such as those of two builds of a scheduler" },
		{ "stats compare --a-kernel 6.19 --b-kernel 7.0", "two series of kernels" },
		{ "stats compare --kernel 7.0 --a-scheduler eevdf --b-scheduler scx_simple",
		  "two schedulers on one kernel" },
		{ "stats compare --a-project-commit main --b-project-commit HEAD -E two_cgroups",
		  "one test before and after a change" }),
	.exits = CLI_EXITS({ "1", "also: at least one metric regressed" }),
	.run = cmd_stats_compare_run,
};
/* clang-format on */
