#include "cli/commands.h"
int cmd_kernel_build(const struct cli_call *call)
{
	(void)call;
	return 0;
}
