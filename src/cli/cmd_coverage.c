// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr coverage` and `ktstr llvm-cov`. */
#include "cli/options.h"
#include "cli/rows_test.h"
#include "run/report.h"
#include "stats/bpf_coverage.h"

static bool is_set(const struct cli_call *call, const struct cli_call *rest, const char *name)
{
	return cli_flag(call, name) || (rest && cli_flag(rest, name));
}

static const char *text_of(const struct cli_call *call, const struct cli_call *rest,
			   const char *name)
{
	const char *text = rest ? cli_text(rest, name) : NULL;

	return text ? text : cli_text(call, name);
}

/* rest = words after the "--", or NULL. 0 or EXIT_USAGE. */
static int read_report(const struct cli_call *call, const struct cli_call *rest,
		       struct coverage_report *out)
{
	static const struct {
		const char *name;
		enum coverage_format format;
	} formats[] = {
		{ "lcov", COVERAGE_LCOV },
		{ "json", COVERAGE_JSON },
		{ "html", COVERAGE_HTML },
		{ "text", COVERAGE_TEXT },
	};
	size_t given = 0;

	*out = (struct coverage_report){ .output = text_of(call, rest, "output-path"),
					 .ignore = text_of(call, rest, "ignore-filename-regex") };
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		if (!is_set(call, rest, formats[i].name))
			continue;
		out->format = formats[i].format;
		given++;
	}
	return given > 1 ?
		       cli_usage_error(call, "a report has one format: --lcov, --json, --html or "
					     "--text") :
		       0;
}

/* Output of tests goes to stderr if the report goes to stdout. */
static int run_aside(const struct runner_options *o, const struct coverage_report *report)
{
	bool has_own_stdout = report->output || report->format == COVERAGE_TABLE ||
			      report->format == COVERAGE_HTML;
	int saved, rc;

	if (has_own_stdout)
		return runner_run(o);
	fflush(stdout);
	saved = dup(STDOUT_FILENO);
	if (saved < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return err_sys(errno, "put the report on stdout");
	rc = runner_run(o);
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	return rc;
}

static int clean(const struct test_call *t, const char *dir)
{
	if (test_call_is_set(t, "no-clean"))
		return 0;
	return t->options.bpf_dir ? bpf_coverage_clean(dir) :
				    coverage_clean(dir, COVERAGE_CLEAN_REPORTS);
}

static int run_and_report(const struct test_call *t, const char *dir,
			  const struct coverage_report *report)
{
	int rc = clean(t, dir), status;

	if (rc < 0)
		return rc;
	interrupt_install();
	status = run_aside(&t->options, report);
	if (status == -EINTR || status == RUN_EXIT_INTERRUPTED)
		return RUN_EXIT_INTERRUPTED;
	/* Nothing was executed, so there is no report. */
	if (status < 0 || t->options.list != RUN_LIST_NO || status == RUN_EXIT_NOTHING)
		return status;
	if (report->format == COVERAGE_TABLE && !report->output)
		putchar('\n');
	rc = t->options.bpf_dir ? bpf_coverage_report(dir, report) :
				  coverage_write_report(dir, report);
	return rc < 0 ? rc : status;
}

static int cmd_coverage_run(const struct cli_call *call)
{
	_cleanup_(test_call_finish) struct test_call t = { .call = call };
	struct coverage_report report;
	bool is_bpf = cli_flag(call, "bpf");
	_free_ char *dir = is_bpf ? bpf_coverage_dir() : coverage_dir();
	int rc = dir ? test_call_read(&t) : -ENOMEM;

	rc = rc ?: read_report(call, &t.rest, &report);
	if (rc == 0 && !is_bpf)
		rc = coverage_check_tools();
	if (rc)
		return rc;
	t.options.is_coverage = !is_bpf;
	t.options.bpf_dir = is_bpf ? dir : NULL;
	t.options.counts_kernel = cli_flag(call, "kernel-functions");
	return run_and_report(&t, dir, &report);
}

static int cmd_llvm_cov_report_run(const struct cli_call *call)
{
	struct coverage_report report;
	_free_ char *dir = coverage_dir();
	int rc = dir ? read_report(call, NULL, &report) : -ENOMEM;

	return rc ? rc : coverage_write_report(dir, &report);
}

static int cmd_llvm_cov_clean_run(const struct cli_call *call)
{
	_free_ char *dir = coverage_dir();
	enum coverage_clean what = cli_flag(call, "profraw-only") ? COVERAGE_CLEAN_PROFILES :
				   cli_flag(call, "workspace")	  ? COVERAGE_CLEAN_PROGRAMS :
								    COVERAGE_CLEAN_REPORTS;

	return dir ? coverage_clean(dir, what) : -ENOMEM;
}

static void add_variable(struct str *out, bool is_exported, const char *name, const char *value)
{
	str_addf(out, "%s%s=", is_exported ? "export " : "", name);
	text_add_quoted(out, value);
	str_addc(out, '\n');
}

static int cmd_llvm_cov_show_env_run(const struct cli_call *call)
{
	static const char flags[] = COVERAGE_COMPILE_FLAG " " COVERAGE_MAPPING_FLAG;
	bool is_exported = cli_flag(call, "export-prefix");
	_free_ char *dir = coverage_dir();
	_free_ char *clang = dir ? coverage_find_clang() : NULL;
	_str_ struct str out = {};
	int rc = clang ? coverage_set_environment(dir) : -ENOENT;

	if (rc < 0)
		return rc;
	add_variable(&out, is_exported, "CC", clang);
	add_variable(&out, is_exported, "CFLAGS", flags);
	add_variable(&out, is_exported, "LDFLAGS", COVERAGE_COMPILE_FLAG);
	add_variable(&out, is_exported, "LLVM_PROFILE_FILE", getenv("LLVM_PROFILE_FILE"));
	add_variable(&out, is_exported, "LLVM_COV_TARGET_DIR", dir);
	return output_text(&out);
}

/* clang-format off */
#define COVERAGE_ROWS \
	{ .name = "lcov", .help = "write the report in the format of lcov" }, \
	{ .name = "json", .excludes = "lcov", .help = "write the report as JSON, without --bpf " \
		"in the format of llvm-cov" }, \
	{ .name = "html", .help = "write HTML pages with the source and how often each line " \
		"ran" }, \
	{ .name = "text", .excludes = "html", \
	  .help = "write the source as text, with how often each line ran" }, \
	{ .name = "output-path", .kind = CLI_FILE, .value = "PATH", \
	  .help = "file for the report, with --html a directory [default: stdout, or html in the " \
		  "directory of profiles]" }, \
	{ .name = "ignore-filename-regex", .kind = CLI_STRING, .value = "REGEX", \
	  .help = "leave out source files whose path matches" }

#define NO_CLEAN_ROW \
	{ .name = "no-clean", .help = "add to the profiles of earlier runs instead of removing " \
		"them" }

static const struct cli_param coverage_rest_params[] = {
	TEST_REST_ROWS, COVERAGE_ROWS, NO_CLEAN_ROW, {}
};

static const struct cli_cmd coverage_rest = { .name = "coverage", .params = coverage_rest_params };

const struct cli_cmd cmd_coverage = {
	.name = "coverage", .summary = "run tests and report which of their lines were executed",
	.about = "Runs tests like `ktstr test`, with the same options, and reports which source "
		 "lines were executed, in guests and on the host together. C files are compiled "
		 "with clang; programs have to be built with clang -fprofile-instr-generate "
		 "-fcoverage-mapping (`ktstr llvm-cov show-env` prints the variables). The "
		 "report is also written when tests fail. A program that is killed leaves no "
		 "profile. Without a format option, prints a table by file. With --bpf, reports "
		 "the BPF programs of schedulers instead, which need no special build.",
	.params = CLI_PARAMS(
		TEST_ROWS,
		{ .name = "bpf", .help = "report the BPF programs of schedulers instead; needs sim "
					 "and programs with line info, but no instrumentation" },
		{ .name = "kernel-functions", .needs = "bpf",
		  .help = "also report how much of each sched_ext function of the kernel was "
			  "executed" },
		COVERAGE_ROWS, NO_CLEAN_ROW),
	.examples = CLI_EXAMPLES(
		{ "coverage my_test.c", "coverage of the tests in one file" },
		{ "coverage my_test.c -- --lcov --output-path lcov.info", "the same in lcov "
			"format, for other tools" },
		{ "coverage --html --output-path pages my_test.c", "the same as HTML pages" },
		{ "coverage --bpf my_test.c", "which lines of its BPF scheduler are executed" }),
	.holds_resources = true,
	.exits = cli_test_exits, .rest = &coverage_rest, .run = cmd_coverage_run,
};

const struct cli_cmd cmd_llvm_cov_report = {
	.name = "report", .summary = "merge the available profiles and report what they cover",
	.about = "Uses the profiles of the last `ktstr coverage` and of every later `ktstr test` "
		 "with instrumented programs.",
	.params = CLI_PARAMS(COVERAGE_ROWS),
	.examples = CLI_EXAMPLES(
		{ "llvm-cov report", "a line for each file" },
		{ "llvm-cov report --lcov --output-path lcov.info", "for other tools" }),
	.run = cmd_llvm_cov_report_run,
};

const struct cli_cmd cmd_llvm_cov_clean = {
	.name = "clean", .summary = "remove profiles and reports",
	.params = CLI_PARAMS(
		{ .name = "profraw-only", .help = "remove only raw profiles and keep the list of "
			"programs" },
		{ .name = "workspace", .excludes = "profraw-only",
		  .help = "also remove the programs that were compiled from C files for "
			  "coverage" }),
	.run = cmd_llvm_cov_clean_run,
};

const struct cli_cmd cmd_llvm_cov_show_env = {
	.name = "show-env", .summary = "print the variables for building instrumented programs",
	.about = "Prints lines for a shell: the compiler, the flags for instrumented test "
		 "programs, and where profiles are written.",
	.params = CLI_PARAMS(
		{ .name = "export-prefix", .help = "print export commands, for `eval`" }),
	.run = cmd_llvm_cov_show_env_run,
};
/* clang-format on */
