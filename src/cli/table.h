/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows that several commands share, and the groups that live in files of their own. */
#ifndef KTSTR_CLI_TABLE_H
#define KTSTR_CLI_TABLE_H

#include "cli/cli.h"

#define CLI_JSON                                               \
	{                                                      \
		.name = "json", .help = "print JSON to stdout" \
	}

/* clang-format off */
/* The roots, which tests and people with recorded trees point elsewhere. */
#define CLI_ROOTS                                                                               \
	{ .name = "proc-root", .kind = CLI_DIR, .value = "DIR", .fallback = "/proc",            \
	  .help = "procfs to read; with another than /proc no system call, netlink or ptrace "  \
		  "is used on its threads" },                                                   \
	{ .name = "cgroup-root", .kind = CLI_DIR, .value = "DIR", .fallback = "/sys/fs/cgroup", \
	  .help = "cgroup v2 mount to read" },                                                  \
	{ .name = "sys-root", .kind = CLI_DIR, .value = "DIR", .fallback = "/sys",              \
	  .help = "sysfs to read" }

/* clang-format on */

/* A function that returns these words, for the choices of a parameter. */
#define CLI_CHOICE_LIST(function, ...)                                      \
	static const char *const *function(void)                            \
	{                                                                   \
		static const char *const choices[] = { __VA_ARGS__, NULL }; \
		return choices;                                             \
	}

extern const struct cli_cmd cli_cache_commands[];
extern const struct cli_cmd cli_ctprof_commands[];
extern const struct cli_cmd cli_kernel_commands[];
extern const struct cli_cmd cli_stats_commands[];
extern const struct cli_example cli_stats_examples[];
extern const struct cli_cmd cli_model_commands[];
extern const struct cli_param cli_report_params[];
extern const struct cli_example cli_report_examples[];
extern const struct cli_cmd cli_host_state_commands[];
extern const struct cli_param cli_run_params[], cli_list_params[], cli_cleanup_params[];
extern const struct cli_example cli_run_examples[], cli_list_examples[], cli_cleanup_examples[];
extern const struct cli_exit cli_run_exits[];
extern const struct cli_param cli_shell_params[];
extern const struct cli_param cli_test_params[];
extern const struct cli_example cli_test_examples[];
extern const struct cli_exit cli_test_exits[];
extern const struct cli_cmd cli_test_rest;
extern const struct cli_param cli_replay_params[];
extern const struct cli_example cli_replay_examples[];
extern const struct cli_example cli_shell_examples[];
extern const struct cli_param cli_doctor_params[];
extern const struct cli_example cli_doctor_examples[];

#endif
