// SPDX-License-Identifier: GPL-2.0-only
/* Commands that run scenarios on this machine, and what belongs to them. */
#include "cli/table.h"

/* Rows read better packed than one field to a line. */
/* clang-format off */
CLI_CHOICE_LIST(profile_choices, "all", "default")

#define FLAG_LIST "llc, borrow, steal, rebal, reject-pin, no-ctrl"

const struct cli_param cli_run_params[] = {
	{ .name = "duration", .kind = CLI_NUMBER, .value = "SECS", .fallback = "20", .min = 1,
	  .max = 86400, .help = "length of a run" },
	{ .name = "workers", .kind = CLI_NUMBER, .value = "N", .fallback = "4", .min = 1,
	  .max = 4096, .help = "workers in each cgroup" },
	{ .name = "flags", .kind = CLI_STRING, .value = "LIST", .excludes = "profiles",
	  .help = "only the profile of these flags, separated by commas (" FLAG_LIST "); '' is "
		  "the one without any [default: see --profiles]" },
	{ .name = "profiles", .kind = CLI_CHOICE, .value = "WHICH", .choices = profile_choices,
	  .help = "every valid set of flags (all), or only those a scenario is about (default) "
		  "[default: all of the catalog, default with --file and --load]" },
	{ .name = "filter", .kind = CLI_STRING, .value = "SUB",
	  .help = "only scenarios whose name contains this" },
	{ .name = "budget", .kind = CLI_STRING, .value = "SECS",
	  .help = "only the most different runs that fit into this time" },
	{ .name = "list-runs", .help = "print what would run, and run nothing" },
	{ .name = "fail-fast", .help = "stop after the first run that fails" },
	{ .name = "file", .kind = CLI_FILE, .value = "PATH", .is_repeatable = true,
	  .help = "scenarios out of this file (YAML, or JSON of rt-app) instead of the catalog" },
	{ .name = "load", .kind = CLI_FILE, .value = "LIBRARY", .is_repeatable = true,
	  .help = "tests out of this shared object instead of the catalog" },
	{ .name = "work-type", .kind = CLI_STRING, .value = "NAME",
	  .help = "work in the place of CpuSpin; `ktstr list --work-types` shows the names" },
	{ .name = "seed", .kind = CLI_NUMBER, .value = "N",
	  .help = "of every random choice [default: another one each time]" },
	CLI_JSON,
	{ .name = "junit", .kind = CLI_FILE, .value = "FILE", .help = "also write JUnit XML" },
	{ .name = "no-perf-mode",
	  .help = "do not keep VMs in performance mode off this machine meanwhile; "
		  "KTSTR_NO_PERF_MODE is the same" },
	{ .name = "repro", .help = "attach BPF probes while running, and tell what led to the end of a scheduler" },
	{ .name = "auto-repro", .help = "run a scenario that failed again, with BPF probes" },
	{ .name = "probe-stack", .kind = CLI_STRING, .value = "STACK",
	  .help = "functions of the kernel to probe: a file with stacks or names, such a text, or names "
		  "separated by commas; needs --repro or --auto-repro" },
	{ .name = "kernel-dir", .kind = CLI_DIR, .value = "PATH",
	  .help = "where the kernel was built, for source lines of its functions; needs --repro "
		  "or --auto-repro" },
	{}
};

const struct cli_example cli_run_examples[] = {
	{ "run --profiles default", "every scenario once, about half an hour" },
	{ "run --flags llc,borrow --duration 30", "what a scheduler with these abilities must do" },
	{ "run --filter cpuset --json", "scenarios about cpusets, for a program to read" },
	{ "run --file steal.yaml", "a scenario of your own" },
	{ "run --budget 600 --list-runs", "the most different runs of ten minutes, as a list" },
	{}
};

const struct cli_exit cli_run_exits[] = {
	{ "3", "nothing failed, and a run was inconclusive" },
	{ "4", "nothing ran: all was skipped, or nothing was selected" },
	{ "130", "interrupted" },
	{}
};

const struct cli_param cli_list_params[] = {
	{ .name = "filter", .kind = CLI_STRING, .value = "SUB",
	  .help = "only those whose name contains this" },
	{ .name = "file", .kind = CLI_FILE, .value = "PATH", .is_repeatable = true,
	  .help = "scenarios out of this file instead of the catalog: checks it, too" },
	{ .name = "load", .kind = CLI_FILE, .value = "LIBRARY", .is_repeatable = true,
	  .help = "tests out of this shared object instead of the catalog" },
	{ .name = "work-types", .help = "list what workers can do, with parameters and defaults" },
	CLI_JSON,
	{}
};

const struct cli_example cli_list_examples[] = {
	{ "list", "all scenarios" },
	{ "list --filter dynamic", "some of them" },
	{ "list --work-types", "names for --work-type" },
	{}
};

const struct cli_param cli_cleanup_params[] = {
	{ .name = "parent-cgroup", .kind = CLI_DIR, .value = "PATH",
	  .help = "only this directory, whoever uses it" },
	{}
};

const struct cli_example cli_cleanup_examples[] = {
	{ "cleanup", "everything that nobody uses" },
	{ "cleanup --parent-cgroup /sys/fs/cgroup/ktstr-12345", "one of them" },
	{}
};
/* clang-format on */
