// SPDX-License-Identifier: GPL-2.0-only
/* main(): parses, runs, reports an error once, and checks that stdout was written. */
#include <signal.h>

#include "cli/cli.h"

static int show_help(const struct cli_call *call)
{
	_str_ struct str text = {};

	cli_add_help(&text, call, term_width(stdout));
	return output_text(&text);
}

/* A group needs a subcommand: prints its help, which lists them. */
static int demand_command(const struct cli_call *call)
{
	_str_ struct str text = {};

	cli_add_help(&text, call, term_width(stderr));
	fputs(str_get(&text), stderr);
	return EXIT_USAGE;
}

static int run(const struct cli_call *call)
{
	const struct cli_cmd *cmd = cli_command(call);

	if (call->wants_help)
		return show_help(call);
	if (call->wants_version)
		return cli_show_version();
	if (!cmd->run)
		return demand_command(call);
	if (cli_flag(call, "verbose"))
		log_set_level(LOG_DEBUG);
	if (cli_flag(call, "quiet")) {
		log_set_level(LOG_ERROR);
		progress_set_quiet(true);
	}
	signal(SIGPIPE, cmd->holds_resources ? SIG_IGN : SIG_DFL);
	return cmd->run(call);
}

/* Escapes the message: it may quote external names. */
static int report(int rc)
{
	_str_ struct str text = {};

	if (rc >= 0)
		return rc;
	text_add_lines(&text, err_text(rc));
	fprintf(stderr, "error: %s\n", str_get(&text));
	return EXIT_FAILED;
}

/* Everything is cleaned up: ends by SIGPIPE, like other programs whose reader has gone. */
static void end_without_reader(void)
{
	signal(SIGPIPE, SIG_DFL);
	raise(SIGPIPE);
}

int main(int argc, char **argv)
{
	struct cli_call call;
	int rc, closed;

	term_fill_standard_fds();
	term_init_locale();
	signal(SIGPIPE, SIG_DFL);
	/* If the caller ignores SIGCHLD, children vanish before they are waited for. */
	signal(SIGCHLD, SIG_DFL);
	log_init();
	rc = cli_parse(&call, argc, argv);
	log_set_label(call.program);
	rc = rc ?: run(&call);
	if (rc < 0 && output_is_unwanted())
		end_without_reader();
	rc = report(rc);
	cli_call_finish(&call);
	closed = term_close_stdout();
	/* Lost output is an error, whatever the status was. */
	if (closed < 0 && rc != EXIT_FAILED && rc != EXIT_USAGE) {
		if (closed == -EPIPE)
			end_without_reader();
		rc = report(closed);
	}
	return rc;
}
