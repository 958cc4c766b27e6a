/* `ktstr ctprof capture`. */
#include "base/err.h"
#include "cli/cli.h"
#include "cli/commands.h"

int cmd_ctprof_capture(const struct cli_call *call)
{
	(void)call;
	return err_set(ENOSYS, "not there yet");
}

int cmd_host_state_capture(const struct cli_call *call)
{
	(void)call;
	return err_set(ENOSYS, "not there yet");
}
