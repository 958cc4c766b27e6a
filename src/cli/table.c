/* The commands that belong to no larger group, and the root that holds them all. */
#include "cli/commands.h"
#include "cli/table.h"

static const char *const shells[] = { "bash", "zsh", "fish", "elvish", "powershell", NULL };

static const char *const *shell_names(void)
{
	return shells;
}

static const struct cli_param topo_params[] = {
	CLI_JSON,
	{ .name = "from", .kind = CLI_STRING, .value = "MACHINE",
	  .help = "another machine than this one: a directory with a recorded sysfs tree, or a "
		  "topology such as 1n4l8c2t (nodes, LLCs in total, cores per LLC, threads)" },
	{}
};

static const struct cli_example topo_examples[] = {
	{ "topo", "the LLCs of this machine and their CPUs" },
	{ "topo --verbose", "with the short notation, one line per CPU and NUMA distances" },
	{ "topo --from 2n4l8c2t --json", "a machine that only exists on paper" },
	{}
};

static const struct cli_param show_host_params[] = { CLI_JSON, {} };

static const struct cli_param completions_params[] = {
	{ .name = "shell", .is_arg = true, .is_required = true, .kind = CLI_CHOICE,
	  .value = "SHELL", .choices = shell_names, .help = "shell to write for" },
	{ .name = "binary", .kind = CLI_STRING, .value = "NAME",
	  .help = "name under which the program is called [default: ktstr, or cargo for "
		  "cargo-ktstr]" },
	{}
};

static const struct cli_example completions_examples[] = {
	{ "completions bash > ~/.local/share/bash-completion/completions/ktstr",
	  "complete in bash from the next shell on" },
	{}
};

static const struct cli_param help_params[] = {
	{ .name = "command", .is_arg = true, .is_repeatable = true, .kind = CLI_STRING,
	  .value = "COMMAND", .help = "command to explain" },
	{}
};

static const struct cli_param man_params[] = {
	{ .name = "dir", .is_arg = true, .is_required = true, .kind = CLI_DIR, .value = "DIR",
	  .help = "directory for the pages" },
	{}
};

static const struct cli_cmd commands[] = {
	{ .name = "topo", .summary = "show the CPU topology of this machine",
	  .about = "Shows the CPUs, last-level caches (LLCs) and NUMA nodes of this machine: the "
		   "view that the planner and performance mode use.",
	  .params = topo_params, .examples = topo_examples, .run = cmd_topo },
	{ .name = "show-host", .summary = "show the host context that runs and snapshots record",
	  .about = "Prints kernel, CPU, memory, scheduler tunables and frequency governors of "
		   "this machine, as run records and snapshots keep them. What could not be read "
		   "is '(unknown)'.",
	  .params = show_host_params, .run = cmd_show_host },
	{ .name = "ctprof", .summary = "photograph every thread's counters, subtract two photographs",
	  .subs = cli_ctprof_commands },
	{ .name = "host-state", .summary = "older spelling of ctprof capture and compare",
	  .subs = cli_host_state_commands },
	{ .name = "completions", .summary = "write a completion script for a shell",
	  .params = completions_params, .examples = completions_examples,
	  .run = cmd_completions },
	{ .name = "help", .summary = "explain a command", .params = help_params, .run = cmd_help },
	{ .name = "generate-man", .summary = "write the man pages", .params = man_params,
	  .is_hidden = true, .run = cmd_generate_man },
	{}
};

static const struct cli_param global_params[] = {
	{ .name = "verbose", .letter = 'v', .help = "say more" },
	{ .name = "quiet", .letter = 'q', .excludes = "verbose",
	  .help = "no progress, notes or warnings; errors only" },
	{ .name = "help", .letter = 'h', .help = "show this help" },
	{ .name = "version", .letter = 'V', .help = "show the version" },
	{}
};

const struct cli_cmd cli_root = {
	.name = "ktstr",
	.summary = "test harness for Linux process schedulers",
	.about = "ktstr tests Linux process schedulers, sched_ext ones above all: it runs declared "
		 "workloads on declared machines and checks what the scheduler made of them.",
	.params = global_params,
	.subs = commands,
};

const struct cli_env cli_environment[] = {
	{ "KTSTR_LOG", "Level of the log on stderr: off, error, warn, info (default), debug or "
		       "trace; room=level entries set one part of the program. RUST_LOG is read "
		       "when this is unset." },
	{ "KTSTR_CTPROF_WORKERS", "Threads that a ctprof capture reads and compresses with, instead "
				  "of as many as the load of the machine suggests." },
	{ "NO_COLOR", "When set and not empty, no colour is used, also on a terminal." },
	{ "COLUMNS", "Width of the terminal where it does not tell by itself." },
	{}
};
