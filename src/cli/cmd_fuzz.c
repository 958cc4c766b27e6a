// SPDX-License-Identifier: GPL-2.0-only
/* ktstr fuzz: scenarios at random under a scheduler. */
#include "cli/options.h"
#include "fuzz/fuzz.h"
#include "host/plan.h"

static int read_options(const struct cli_call *call, struct fuzz_options *o, const char ***muted,
			const char ***invariants)
{
	const char *shard = cli_text(call, "shard");
	int rc;

	*o = (struct fuzz_options){
		.label = call->program,
		.scheduler = cli_text(call, "scheduler-bin"),
		.args = call->rest,
		.arg_count = (size_t)call->rest_count,
		.kernel = cli_text(call, "kernel"),
		.corpus = cli_text(call, "corpus"),
		.budget_ns = cli_number(call, "budget"),
		.runs = cli_number(call, "runs"),
		.jobs = (size_t)cli_number(call, "jobs"),
		.is_uniform = cli_flag(call, "uniform"),
		.stops_on_failure = cli_flag(call, "stop-on-failure"),
		.no_perf_mode = cli_flag(call, "no-perf-mode") || run_mode_env_no_perf(),
		.is_quiet = cli_flag(call, "quiet"),
		.has_screen = isatty(STDOUT_FILENO) && !cli_flag(call, "json") &&
			      !cli_flag(call, "quiet"),
	};
	rc = lab_check_kernel(call);
	if (rc == 0 && shard && shard_parse(shard, &o->shard) < 0)
		rc = cli_usage_error(call, "%s", err_text(-EINVAL));
	if (rc == 0 && !o->budget_ns)
		rc = cli_usage_error(call, "--budget must be more than 0");
	rc = rc ?: seed_option(call, &o->seed);
	rc = rc ?: cli_collect(call, "mute", muted, &o->muted_count);
	rc = rc ?: cli_collect(call, "invariant", invariants, &o->invariant_count);
	o->muted = *muted;
	o->invariants = *invariants;
	return rc;
}

static int print(const struct cli_call *call, const struct fuzz *f)
{
	_str_ struct str out = {};
	struct json j;
	int rc;

	if (!cli_flag(call, "json")) {
		rc = fuzz_add_text(f, &out);
		return rc ?: output_text(&out);
	}
	json_init(&j, &out, true);
	rc = fuzz_put_json(f, &j);
	return rc ?: output_json(&out);
}

static int write_page(const char *path, const struct fuzz *f)
{
	_str_ struct str page = {};
	int rc = path ? fuzz_add_html(f, &page) : 0;

	return rc < 0 || !path ? rc : file_replace(path, page.s, page.len, 0644);
}

int cmd_fuzz(const struct cli_call *call)
{
	_cleanup_(fuzz_finish) struct fuzz f = {};
	_free_ const char **muted = NULL, **invariants = NULL;
	struct fuzz_options options;
	int rc = read_options(call, &options, &muted, &invariants);

	if (rc)
		return rc;
	interrupt_install();
	rc = fuzz_open(&f, &options)			    ?:
		     fuzz_run(&f)			    ?:
		     write_page(cli_text(call, "html"), &f) ?:
							      print(call, &f);
	if (rc == -EINTR)
		return RUN_EXIT_INTERRUPTED;
	return rc ? rc : fuzz_exit_code(&f);
}
