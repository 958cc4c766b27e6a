/* SPDX-License-Identifier: GPL-2.0-only */
/* Man pages in man(7) macros, one for the program and one for each of its commands. */
#ifndef KTSTR_CLI_MAN_H
#define KTSTR_CLI_MAN_H

#include "base/str.h"
#include "cli/cli.h"

/* Appends ktstr.1. */
void man_add_overview(struct str *out);

/* Appends ktstr-NAME.1 for a command of the root, with a section per subcommand. */
void man_add_command(struct str *out, const struct cli_cmd *cmd);

#endif
