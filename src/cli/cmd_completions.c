/* `ktstr completions SHELL`. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/output.h"

int cmd_completions(const struct cli_call *call)
{
	(void)call;
	return 0;
}
