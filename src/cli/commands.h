/* One function per command: the file cmd_NAME.c holds it. */
#ifndef KTSTR_CLI_COMMANDS_H
#define KTSTR_CLI_COMMANDS_H

struct cli_call;

int cmd_topo(const struct cli_call *call);
int cmd_show_host(const struct cli_call *call);
int cmd_completions(const struct cli_call *call);
int cmd_help(const struct cli_call *call);
int cmd_generate_man(const struct cli_call *call);

#endif
