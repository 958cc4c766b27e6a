// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr stats trend`. */
#include "cli/table.h"
#include "stats/stats.h"

static int print(const struct cli_call *call, const struct trend *t)
{
	struct printout o;
	int rc = 0;

	output_begin(&o, call);
	if (o.is_json)
		trend_json(t, &o.json);
	else
		rc = trend_text(t, &o.text);
	return output_end(&o, rc);
}

static int write_page(const char *path, const struct trend *t)
{
	_str_ struct str out = {};
	int rc = path ? trend_html(t, path, &out) : 0;

	return rc < 0 || !path ? rc : file_replace(path, str_get(&out), out.len, 0644);
}

static int cmd_stats_trend_run(const struct cli_call *call)
{
	const struct trend_request r = { .metric = cli_text(call, "metric"),
					 .test = cli_text(call, "test") };
	_trend_ struct trend t = {};
	_runs_ struct runs runs = {};
	int rc = runs_load_all(&runs, cli_text(call, "dir")) ?: trend_make(&t, &runs, &r);

	/* Not one of the records either. */
	if (rc == 0 && r.metric && !t.series.count && registry_require(r.metric) < 0)
		return cli_usage_error(call, "--metric: %s", err_text(-EINVAL));
	rc = rc ?: print(call, &t);
	return rc ? rc : write_page(cli_text(call, "html"), &t);
}

/* clang-format off */
const struct cli_cmd cmd_stats_trend = {
	.name = "trend", .summary = "show how metrics changed over the recorded runs",
	.about = "Follows each metric of each test and of its payloads over the runs that passed, "
		 "the oldest first, and marks where its level changed. It finds changes by optimal "
		 "partitioning of the mean with a penalty of 3 log n, and omits those that a "
		 "t-test at 1 % does not confirm. 'test --keep-history N' keeps more than one run "
		 "of a commit.",
	.params = CLI_PARAMS(
		{ .name = "metric", .kind = CLI_STRING, .value = "NAME",
		  .help = "only this metric; it may be one of a payload or a test without a "
			  "declared better direction" },
		{ .name = "test", .kind = CLI_STRING, .value = "TEXT",
		  .help = "only tests whose name, program, topology, scheduler, flags or kernel "
			  "contains this text" },
		CLI_RUNS_DIR,
		CLI_JSON,
		{ .name = "html", .kind = CLI_FILE, .value = "FILE",
		  .help = "also write an HTML page with a plot of each metric" }),
	.examples = CLI_EXAMPLES(
		{ "stats trend --metric worst_p99_wait_us", "one metric of all tests" },
		{ "stats trend --test two_cgroups --html trend.html", "all metrics of a test, as a page" }),
	.run = cmd_stats_trend_run,
};
/* clang-format on */
