// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr test`. */
#include "cli/options.h"
#include "stats/bpf_coverage.h"

/* Whatever the tests say: those that fail are executed, too. */
static int report_bpf(const struct runner_options *o, int status)
{
	int rc;

	if (status < 0 || o->list != RUN_LIST_NO || status == RUN_EXIT_NOTHING)
		return status;
	rc = bpf_coverage_report_all(o->bpf_dir);
	return rc < 0 ? rc : status;
}

int cmd_test(const struct cli_call *call)
{
	_cleanup_(test_call_finish) struct test_call t = { .call = call };
	int rc = test_call_read(&t);

	if (rc)
		return rc;
	t.options.bpf_dir = cli_text(call, "bpf-coverage");
	interrupt_install();
	rc = runner_run(&t.options);
	if (rc == -EINTR)
		return RUN_EXIT_INTERRUPTED;
	return t.options.bpf_dir ? report_bpf(&t.options, rc) : rc;
}
