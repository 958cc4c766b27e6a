/* Rows that several commands share, and the groups that live in files of their own. */
#ifndef KTSTR_CLI_TABLE_H
#define KTSTR_CLI_TABLE_H

#include "cli/cli.h"

#define CLI_JSON                                               \
	{                                                      \
		.name = "json", .help = "print JSON to stdout" \
	}

extern const struct cli_cmd cli_ctprof_commands[];
extern const struct cli_cmd cli_kernel_commands[];
extern const struct cli_cmd cli_host_state_commands[];

#endif
