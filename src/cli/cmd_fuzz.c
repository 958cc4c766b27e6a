// SPDX-License-Identifier: GPL-2.0-only
/* ktstr fuzz: random scenarios under a scheduler. */
#include "cli/options.h"
#include "cli/rows_test.h"
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
		.ignores_weights = cli_flag(call, "ignores-weights"),
		.is_uniform = cli_flag(call, "uniform"),
		.stops_on_failure = cli_flag(call, "stop-on-failure"),
		.minimises = cli_flag(call, "minimise"),
		.explains = !cli_flag(call, "no-auto-repro") && !env_get("KTSTR_NO_AUTO_REPRO"),
		.no_perf_mode = cli_flag(call, "no-perf-mode") || run_mode_env_no_perf(),
		.is_quiet = cli_flag(call, "quiet"),
		.has_screen = term_knows_escapes(stdout) && !cli_flag(call, "json") &&
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
	struct printout o;

	output_begin(&o, call);
	return output_end(&o, o.is_json ? fuzz_put_json(f, &o.json) : fuzz_add_text(f, &o.text));
}

static int write_page(const char *path, const struct fuzz *f)
{
	_str_ struct str page = {};
	int rc = path ? fuzz_add_html(f, &page) : 0;

	return rc < 0 || !path ? rc : file_replace(path, page.s, page.len, 0644);
}

static int cmd_fuzz_run(const struct cli_call *call)
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

/* clang-format off */
static const struct cli_cmd fuzz_rest = { .name = "fuzz", .params = cli_scheduler_words };

const struct cli_cmd cmd_fuzz = {
	.name = "fuzz", .summary = "search for scenarios in which a scheduler fails",
	.about = "Runs random scenarios under a scheduler, in sim: cgroups, workers of all "
		 "types, policies, affinities, hotplug and restarts, on several machines. "
		 "Scenarios that reach new places in its BPF programs, or make a task wait "
		 "longer than before, are kept in the corpus and mutated. Every distinct failure "
		 "is minimised and written to the current directory as fuzz-N.c, a test that "
		 "fails every time. A later call with the same corpus continues; the same corpus "
		 "and seed give the same campaign.",
	.params = CLI_PARAMS(
		{ .name = "scheduler-bin", .kind = CLI_FILE, .value = "PATH", .is_required = true,
		  .help = "program that loads the scheduler and keeps running" },
		{ .name = "budget", .kind = CLI_DURATION, .value = "DUR", .fallback = "30m",
		  .help = "start no further runs after this time" },
		{ .name = "runs", .letter = 'n', .kind = CLI_NUMBER, .value = "N", .min = 1,
		  .help = "maximum number of scenarios, not counting those that confirm and "
			  "shrink failures [default: as many as the budget allows]" },
		{ .name = "corpus", .kind = CLI_DIR, .value = "DIR", .fallback = "corpus",
		  .help = "directory with the initial scenarios, to which interesting ones are "
			  "added" },
		PARALLEL_ROW,
		CLI_SEED("seed of the campaign"),
		{ .name = "shard", .kind = CLI_STRING, .value = "K/N",
		  .help = "this is process K of N that share a corpus: run its part of the "
			  "corpus, then scenarios that differ from those of the others" },
		{ .name = "uniform", .help = "generate every scenario from scratch and keep "
			"none, to measure the effect of guidance" },
		{ .name = "mute", .kind = CLI_STRING, .value = "SIGNATURE", .is_repeatable = true,
		  .help = "ignore failures whose signature contains this text" },
		{ .name = "ignores-weights",
		  .help = "the scheduler does not implement nice values, cpu.weight or both: do not judge "
			  "shares by weight" },
		{ .name = "invariant", .kind = CLI_STRING, .value = "EXPR", .is_repeatable = true,
		  .help = "condition on a global variable of the scheduler's BPF programs, such as "
			  "'stats.lost == 0'; a scenario that violates it fails" },
		{ .name = "stop-on-failure", .help = "start no further runs after a failure" },
		{ .name = "minimise", .excludes = "shard",
		  .help = "run the scenarios of the corpus, the shortest first, and remove those "
			  "that reach nothing new" },
		{ .name = "no-auto-repro", .help = "do not rerun failed tests to explain them; same "
						   "as KTSTR_NO_AUTO_REPRO" },
		KERNEL_ROW,
		NO_PERF_ROW,
		CLI_JSON,
		{ .name = "html", .kind = CLI_FILE, .value = "FILE",
		  .help = "also write an HTML page with the coverage curve" }),
	.examples = CLI_EXAMPLES(
		{ "fuzz --scheduler-bin ./scx_mine", "half an hour of random scenarios" },
		{ "fuzz --scheduler-bin ./scx_mine --budget 8h --corpus ~/corpus -- --verbose",
		  "eight hours, with an option for the scheduler" }),
	.holds_resources = true,
	.exits = CLI_EXITS(
		{ "1", "a failure was found" },
		{ "4", "nothing ran" },
		{ "130", "interrupted" }),
	.rest = &fuzz_rest, .run = cmd_fuzz_run,
};
/* clang-format on */
