// SPDX-License-Identifier: GPL-2.0-only
/* A body with a check of its own. */
#include <ktstr/ktstr.h>

KTSTR_TEST(has_a_cpu_for_each_llc, .host_only = true)
{
	unsigned int cpus = ktstr_cpu_count(ctx);
	unsigned int llcs = ktstr_llc_count(ctx);

	ktstr_result_metric(res, "cpus", cpus, KTSTR_HIGHER_BETTER, NULL);
	if (cpus < llcs)
		ktstr_result_fail(res, "%u CPUs, but %u LLCs", cpus, llcs);
	else
		ktstr_result_pass(res);
	return 0;
}
