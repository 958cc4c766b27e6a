// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr stats` and those of its commands that only show. */
#include "cli/cli.h"
#include "stats/runs.h"
#include "stats/stats.h"

static void warn_about_all(const struct runs *runs)
{
	for (size_t i = 0; i < runs->items.count; i++)
		run_warn_about_problems(&runs->items.items[i]);
}

int cmd_stats(const struct cli_call *call _unused_)
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

/* JSON with what the function puts into the object. */
static int print_runs(const struct cli_call *call, int (*text)(const struct runs *, struct str *),
		      int (*json)(const struct runs *, struct json *))
{
	_runs_ struct runs runs = {};
	_str_ struct str out = {};
	struct json j;
	int rc = runs_list(&runs, cli_text(call, "dir")) ?: runs_load(&runs);

	if (rc < 0)
		return rc;
	warn_about_all(&runs);
	if (!cli_flag(call, "json")) {
		rc = text(&runs, &out);
		return rc < 0 ? rc : output_text(&out);
	}
	json_document(&j, &out);
	rc = json(&runs, &j);
	json_object_end(&j);
	return rc < 0 ? rc : output_json(&out);
}

static int put_runs(const struct runs *runs, struct json *j)
{
	lists_runs_json(runs, j);
	return 0;
}

int cmd_stats_list(const struct cli_call *call)
{
	return print_runs(call, lists_runs, put_runs);
}

int cmd_stats_list_values(const struct cli_call *call)
{
	return print_runs(call, lists_values, lists_values_json);
}

int cmd_stats_list_metrics(const struct cli_call *call)
{
	_str_ struct str out = {};
	struct json j;
	int rc;

	if (!cli_flag(call, "json")) {
		rc = lists_metrics(&out);
		return rc ?: output_text(&out);
	}
	json_init(&j, &out, true);
	lists_metrics_json(&j);
	return output_json(&out);
}

static const struct host_context *find_host(const struct run *run)
{
	for (size_t i = 0; i < run->sidecars.count; i++)
		if (run->sidecars.items[i]->host)
			return run->sidecars.items[i]->host;
	return NULL;
}

int cmd_stats_show_host(const struct cli_call *call)
{
	_runs_ struct runs runs = {};
	_str_ struct str out = {};
	const struct host_context *host;
	struct run *run = NULL;
	struct json j;
	int rc = runs_open(&runs, cli_text(call, "dir"), cli_text(call, "run"), &run);

	if (rc < 0)
		return rc;
	host = find_host(run);
	if (!host)
		return err_set(ENODATA, "no record of run '%s' tells its host", run->name);
	if (!cli_flag(call, "json")) {
		host_context_to_text(host, &out);
		return output_text(&out);
	}
	json_document(&j, &out);
	host_context_put_fields(host, &j);
	json_object_end(&j);
	return output_json(&out);
}

int cmd_stats_explain_sidecar(const struct cli_call *call)
{
	_runs_ struct runs runs = {};
	_str_ struct str out = {};
	struct run *run = NULL;
	struct json j;
	int rc = runs_open(&runs, cli_text(call, "dir"), cli_text(call, "run"), &run);

	if (rc < 0)
		return rc;
	if (!cli_flag(call, "json")) {
		explain_text(run, &out);
		return output_text(&out);
	}
	json_init(&j, &out, true);
	explain_json(run, &j);
	return output_json(&out);
}
