/* `ktstr ctprof doctor`. */
#include "base/err.h"
#include "cli/cli.h"
#include "cli/commands.h"

int cmd_ctprof_doctor(const struct cli_call *call)
{
	(void)call;
	return err_set(ENOSYS, "not there yet");
}
