// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr stats` and its commands that only print. */
#include "cli/table.h"
#include "stats/runs.h"
#include "stats/stats.h"

static int cmd_stats_run(const struct cli_call *call _unused_)
{
	_runs_ struct runs runs = {};
	_str_ struct str out = {};
	struct run *run = NULL;
	int rc = runs_open_latest(&runs, NULL, &run);

	if (rc < 0)
		return rc;
	run_warn_about_problems(run);
	rc = report_text(run, &runs, &out);
	return rc < 0 ? rc : output_text(&out);
}

static int print_runs(const struct cli_call *call,
		      int (*list)(const struct runs *runs, struct sheet *s))
{
	_runs_ struct runs runs = {};
	struct printout o;
	int rc = runs_load_all(&runs, cli_text(call, "dir"));

	if (rc < 0)
		return rc;
	output_document(&o, call);
	return output_end(&o, list(&runs, &o.sheet));
}

static int cmd_stats_list_run(const struct cli_call *call)
{
	return print_runs(call, lists_runs);
}

static int cmd_stats_list_values_run(const struct cli_call *call)
{
	return print_runs(call, lists_values);
}

static int cmd_stats_list_metrics_run(const struct cli_call *call)
{
	struct printout o;

	output_begin(&o, call);
	return output_end(&o, lists_metrics(&o.sheet));
}

static const struct host_context *find_host(const struct run *run)
{
	for (size_t i = 0; i < run->sidecars.count; i++)
		if (run->sidecars.items[i]->host)
			return run->sidecars.items[i]->host;
	return NULL;
}

static int cmd_stats_show_host_run(const struct cli_call *call)
{
	_runs_ struct runs runs = {};
	const struct host_context *host;
	struct run *run = NULL;
	int rc = runs_open(&runs, cli_text(call, "dir"), cli_text(call, "run"), &run);

	if (rc < 0)
		return rc;
	host = find_host(run);
	if (!host)
		return err_set(ENODATA, "no record of run '%s' contains its host", run->name);
	return output_host(call, host);
}

static int cmd_stats_explain_sidecar_run(const struct cli_call *call)
{
	_runs_ struct runs runs = {};
	struct run *run = NULL;
	struct printout o;
	int rc = runs_open(&runs, cli_text(call, "dir"), cli_text(call, "run"), &run);

	if (rc < 0)
		return rc;
	output_begin(&o, call);
	if (o.is_json)
		explain_json(run, &o.json);
	else
		explain_text(run, &o.text);
	return output_end(&o, 0);
}

/* clang-format off */
#define RUN_PARAM \
	{ .name = "run", .kind = CLI_STRING, .value = "ID", .is_required = true, \
	  .help = "run directory, as 'stats list' shows it" }

static const struct cli_param list_params[] = { CLI_JSON, CLI_RUNS_DIR, {} };

static const struct cli_param run_params[] = { RUN_PARAM, CLI_RUNS_DIR, CLI_JSON, {} };

const struct cli_cmd cmd_stats = {
	.name = "stats", .summary = "show and compare run results",
	.about = "Without a subcommand: prints the results of the newest run by scenario, "
		 "topology and work type, with outliers, BPF programs and the cost of the "
		 "machines. KTSTR_SIDECAR_DIR names another directory of records.",
	.subs = CLI_SUBS(&cmd_stats_list, &cmd_stats_list_metrics, &cmd_stats_list_values,
			 &cmd_stats_show_host, &cmd_stats_explain_sidecar, &cmd_stats_compare,
			 &cmd_stats_trend, &cmd_stats_merge),
	.examples = CLI_EXAMPLES(
		{ "stats", "results of the newest run" },
		{ "stats compare --a-kernel 6.19 --b-kernel 7.0", "what another kernel changes" }),
	.run = cmd_stats_run,
};

const struct cli_cmd cmd_stats_list = {
	.name = "list", .summary = "list the runs, newest first", .params = list_params,
	.run = cmd_stats_list_run,
};

const struct cli_cmd cmd_stats_list_metrics = {
	.name = "list-metrics", .summary = "list the metrics that runs are compared by",
	.about = "Lists the name, the better direction and the two gates of each metric: a change "
		 "counts if it is at least DEFAULT_ABS and at least the fraction DEFAULT_REL. If neither "
		 "direction is better, changes are shown, but not judged.",
	.params = CLI_PARAMS(CLI_JSON),
	.run = cmd_stats_list_metrics_run,
};

const struct cli_cmd cmd_stats_list_values = {
	.name = "list-values", .summary = "list the values that runs can be filtered by",
	.params = list_params, .run = cmd_stats_list_values_run,
};

const struct cli_cmd cmd_stats_show_host = {
	.name = "show-host", .summary = "show the host that a run was made on",
	.params = run_params, .run = cmd_stats_show_host_run,
};

const struct cli_cmd cmd_stats_explain_sidecar = {
	.name = "explain-sidecar", .summary = "explain why fields of a run's records are empty",
	.about = "Reads the records of a run and explains each field that is null: whether that "
		 "is expected, what causes it and how to change it. Unreadable files are listed "
		 "with their errors.",
	.params = run_params, .run = cmd_stats_explain_sidecar_run,
};
/* clang-format on */
