// SPDX-License-Identifier: GPL-2.0-only
/* Sets of CPUs that are part of an LLC. */
#include "check/parts.h"

bool cpus_are_narrow(const struct worker_cpus *cpus, const struct topology *t)
{
	size_t all = 0;
	bool is_part = false;

	for (size_t i = 0; t && i < t->llc_count; i++) {
		const struct topology_llc *llc = &t->llcs[i];
		size_t count = 0;

		for (size_t k = 0; k < llc->cpu_count; k++)
			count += worker_cpus_have(cpus, llc->cpus[k]);
		is_part |= count > 0 && count < llc->cpu_count;
		all += count;
	}
	return is_part && all > 1;
}
