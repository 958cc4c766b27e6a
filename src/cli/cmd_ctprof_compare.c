/* `ktstr ctprof compare`. */
#include "base/err.h"
#include "cli/cli.h"
#include "cli/commands.h"

int cmd_ctprof_compare(const struct cli_call *call)
{
	(void)call;
	return err_set(ENOSYS, "not there yet");
}

int cmd_host_state_compare(const struct cli_call *call)
{
	(void)call;
	return err_set(ENOSYS, "not there yet");
}
