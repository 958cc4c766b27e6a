/* `ktstr generate-man DIR`. */
#include "cli/cli.h"
#include "cli/commands.h"

int cmd_generate_man(const struct cli_call *call)
{
	(void)call;
	return 0;
}
