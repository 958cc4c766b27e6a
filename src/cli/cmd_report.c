// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr report`. */
#include "cli/table.h"
#include "stats/stats.h"

static int cmd_report_run(const struct cli_call *call)
{
	const char *output = cli_text(call, "output");
	_free_ const char **names = NULL;
	size_t count;
	int rc = cli_collect(call, "run", &names, &count);

	rc = rc ?: html_report_write(cli_text(call, "dir"), count ? names : NULL, count, output);
	if (rc < 0)
		return rc;
	if (!str_eq(output, "-"))
		log_note("%s: wrote %s", log_label(), output);
	return EXIT_OK;
}

/* clang-format off */
const struct cli_cmd cmd_report = {
	.name = "report", .summary = "write a run as an HTML page",
	.about = "Writes a self-contained HTML file with the verdicts of all tests by topology "
		 "and kernel, and for each test its failures, phases and latencies. If earlier "
		 "runs are available, it shows since when a test fails.",
	.params = CLI_PARAMS(
		{ .name = "run", .is_arg = true, .is_repeatable = true, .kind = CLI_STRING, .value = "RUN",
		  .help = "run directory, by name or path; several become one page [default: the newest]" },
		{ .name = "output", .letter = 'o', .kind = CLI_FILE, .value = "FILE",
		  .fallback = "report.html", .help = "file to write; - is stdout" },
		CLI_RUNS_DIR),
	.examples = CLI_EXAMPLES(
		{ "report", "the newest run as report.html" },
		{ "report 7.0.13-abc1234 -o gauntlet.html", "a run that 'stats list' shows" }),
	.run = cmd_report_run,
};
/* clang-format on */
