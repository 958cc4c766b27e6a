/* `ktstr ctprof info`. */
#include "base/err.h"
#include "cli/cli.h"
#include "cli/commands.h"

int cmd_ctprof_info(const struct cli_call *call)
{
	(void)call;
	return err_set(ENOSYS, "not there yet");
}
