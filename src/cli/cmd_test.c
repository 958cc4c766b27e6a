// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr test`. */
#include "cli/options.h"
#include "cli/rows_test.h"
#include "stats/bpf_coverage.h"

/* Independent of the verdicts: failing tests are executed, too. */
static int report_bpf(const struct runner_options *o, int status)
{
	int rc;

	if (status < 0 || o->list != RUN_LIST_NO || status == RUN_EXIT_NOTHING)
		return status;
	rc = bpf_coverage_report_all(o->bpf_dir);
	return rc < 0 ? rc : status;
}

static int cmd_test_run(const struct cli_call *call)
{
	_cleanup_(test_call_finish) struct test_call t = { .call = call };
	int rc = test_call_read(&t);

	if (rc)
		return rc;
	t.options.bpf_dir = cli_text(call, "bpf-coverage");
	t.options.takes_cores = cli_flag(call, "core");
	interrupt_install();
	rc = runner_run(&t.options);
	if (rc == -EINTR)
		return RUN_EXIT_INTERRUPTED;
	return t.options.bpf_dir ? report_bpf(&t.options, rc) : rc;
}

/* clang-format off */
const struct cli_param cli_test_params[] = {
	TEST_ROWS,
	{ .name = "bpf-coverage", .kind = CLI_DIR, .value = "DIR",
	  .help = "with sim: count which lines of the scheduler's BPF programs are executed, add "
		  "them to the counts in DIR, and write lcov.info, coverage.json and index.html "
		  "there; the runs do not change" },
	{ .name = "core",
	  .help = "write a core file of a guest that fails beside its record, for gdb and crash: its "
		  "memory at the moment of the failure dump; the runs do not change" },
	{}
};

static const struct cli_param rest_params[] = { TEST_REST_ROWS, {} };

const struct cli_cmd cli_test_rest = { .name = "test", .params = rest_params };

const struct cli_exit cli_test_exits[] = {
	{ "1", "a test failed" },
	{ "3", "nothing failed, but a test was inconclusive" },
	{ "4", "nothing ran: nothing was selected, or all was skipped" },
	{ "130", "interrupted" },
	{}
};

const struct cli_cmd cmd_test = {
	.name = "test", .alias = "nextest", .summary = "run tests in VMs, several in parallel",
	.about = "Runs tests from programs, C files or directories with either, each in its own "
		 "VM. Without arguments, runs the tests in KTSTR_TEST_DIR, or in tests and build "
		 "of the project. Without KVM, tests run in sim, where a failure is exactly "
		 "reproducible. With --verbose, results include the seed and digest of the run, "
		 "and outside of sim the guest kernel prints its messages. Each test writes a "
		 "record to the run directory.",
	.params = cli_test_params,
	.examples = CLI_EXAMPLES(
		{ "test my_test.c", "compile one file and run its tests" },
		{ "test --kernel 7.0 --kernel 6.19 -- -E 'test(two_cgroups)'", "one test on two kernels" },
		{ "test --run-ignored all -E 'test(#gauntlet/*/smt-*)'", "part of the gauntlet" },
		{ "test --scheduler-bin ./scx_mine --scheduler-arg=--verbose steal.yaml",
		  "a scenario file under a scheduler" },
		{ "test --format ktap build/tests/mine", "output for tools that read KTAP, as "
							 "kernel selftests write it" }),
	.holds_resources = true,
	.exits = cli_test_exits, .rest = &cli_test_rest, .run = cmd_test_run,
};
/* clang-format on */
