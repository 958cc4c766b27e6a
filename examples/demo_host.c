// SPDX-License-Identifier: GPL-2.0-only
/* A test of the machine that it runs on: no VM. Tests named demo_ run only when asked for. */
#include <ktstr/ktstr.h>

KTSTR_TEST(demo_host_has_cpus, .host_only = true)
{
	unsigned int cpus = ktstr_cpu_count(ctx), llcs = ktstr_llc_count(ctx);

	if (cpus < llcs)
		return ktstr_fail(ctx, "%u CPUs, but %u LLCs", cpus, llcs);
	ktstr_result_metric(res, "cpus", cpus, KTSTR_POLARITY_UNKNOWN, NULL);
	ktstr_result_pass(res);
	return 0;
}
