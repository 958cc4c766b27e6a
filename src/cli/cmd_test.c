// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr test`. */
#include "base/err.h"
#include "base/interrupt.h"
#include "cli/cli.h"
#include "cli/options.h"

int cmd_test(const struct cli_call *call)
{
	_cleanup_(test_call_finish) struct test_call t = { .call = call };
	int rc = test_call_read(&t);

	if (rc)
		return rc;
	interrupt_install();
	rc = runner_run(&t.options);
	return rc == -EINTR ? RUN_EXIT_INTERRUPTED : rc;
}
