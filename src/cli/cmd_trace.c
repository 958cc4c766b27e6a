// SPDX-License-Identifier: GPL-2.0-only
/* ktstr trace: traces the scheduler in a run, without changing it. */
#include "cli/recorded.h"
#include "cli/rows_test.h"
#include "explore/explore.h"

/* A record contains everything its run depends on; options must not change it. */
static int check_options(const struct cli_call *call, bool has_record)
{
	static const char *const of_records[] = { "test",  "output",	    "select",
						  "dir",   "no-perf-mode",  "verbose",
						  "quiet", "scheduler-bin", "trust" };

	if (!has_record && cli_is_given(call, "select"))
		return cli_usage_error(call, "--select is for the directory of a run");
	for (size_t i = 0; i < call->given_count && has_record; i++) {
		const char *name = call->given[i].param->name;
		bool is_known = false;

		for (size_t k = 0; k < ARRAY_SIZE(of_records); k++)
			is_known |= str_eq(name, of_records[k]);
		if (!is_known)
			return cli_usage_error(
				call, "--%s cannot be given for a run that left a record", name);
	}
	return 0;
}

static int check_output(const char *output, const char *record)
{
	struct stat there, from;

	if (stat(output, &there) == 0 && stat(record, &from) == 0 && there.st_ino == from.st_ino &&
	    there.st_dev == from.st_dev)
		return err_set(EINVAL, "the trace would replace %s, from which it is made", record);
	return 0;
}

/* Determines which run of the test to trace. */
static int read_run(const struct cli_call *call, const struct sidecar *record,
		    struct tracing_options *out)
{
	if (!record)
		return seed_option(call, &out->seed);
	out->seed = record->seed;
	out->digest = record->digest;
	return 0;
}

static int cmd_trace_run(const struct cli_call *call)
{
	_cleanup_(lab_words_finish) struct lab_words words = {};
	_cleanup_(recorded_finish) struct recorded recorded = {};
	struct tracing_options options = { .output = cli_text(call, "output") };
	struct lab_request request;
	_lab_ struct lab lab = {};
	int rc = lab_options(call, &words, &request) ?: select_option_read(&recorded.select, call);

	if (rc)
		return rc;
	interrupt_install();
	request.scheduler = cli_text(call, "scheduler-bin");
	rc = recorded_open(&recorded, call, &words, &request);
	rc = rc ?: check_options(call, recorded.record != NULL);
	for (size_t i = 0; i < words.count && rc == 0; i++)
		rc = check_output(options.output, words.items[i]);
	rc = rc ?: read_run(call, recorded.record, &options);
	rc = rc ?: lab_open(&lab, &request);
	rc = rc ?: tracing_run(&lab, &options);
	return rc == -EINTR ? RUN_EXIT_INTERRUPTED : rc;
}

/* clang-format off */
const struct cli_cmd cmd_trace = {
	.name = "trace", .summary = "show what the scheduler did in a run of sim",
	.about = "Runs a test in sim, or repeats a recorded run, with a tracer inside the "
		 "emulator, and writes context switches, wakeups, migrations and sched_ext calls "
		 "with their virtual times. The guest cannot detect the tracer: the digest of "
		 "the run must be the same as without it, otherwise no trace is written.",
	.params = CLI_PARAMS(
		{ .name = "test", .is_arg = true, .is_required = true, .is_repeatable = true,
		  .kind = CLI_FILE, .value = "RUN",
		  .help = "record, directory of a run, name of a test, test program or C file" },
		{ .name = "output", .letter = 'o', .kind = CLI_FILE, .value = "FILE", .is_required = true,
		  .help = "trace for ui.perfetto.dev, or a picture, page or text if FILE ends in "
			  ".svg, .html or .txt" },
		CLI_SELECT("which test of the run"),
		{ .name = "dir", .kind = CLI_DIR, .value = "DIR", .help = "directory of runs" },
		CLI_SCHEDULER_BIN("this program instead of the test's or the record's scheduler"),
		CLI_TRUST,
		CLI_SEED("seed of the run"),
		KERNEL_ROW,
		CLI_KNOBS,
		NO_PERF_ROW),
	.examples = CLI_EXAMPLES(
		{ "trace my_race.c --seed 4711 --sim-jitter -o race.html", "one run of a test" },
		{ "trace target/ktstr/7.0.13-1a2b3c4 -E two_cgroups -o out.txt",
		  "a run that left a record, as text" },
		{ "trace target/ktstr/7.0.13-1a2b3c4 -E 'test(=ktstr/two_cgroups)' -o out.perfetto",
		  "the test with exactly this name" }),
	.holds_resources = true,
	.exits = cli_test_exits, .run = cmd_trace_run,
};
/* clang-format on */
