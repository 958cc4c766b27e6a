// SPDX-License-Identifier: GPL-2.0-only
/* What was observed in a phase, and sums of it. */
#include "observe/observer.h"

void observed_finish(struct observed *seen)
{
	free(seen->tasks.items);
	free(seen->cpus.items);
	free(seen->sets.items);
	*seen = (struct observed){};
}

uint64_t observed_ns(const struct observed *seen)
{
	return seen->end_ns - seen->start_ns;
}

double observed_load(const struct observed *seen)
{
	double ns = 0;

	for (size_t i = 0; i < seen->tasks.count; i++)
		ns += (double)seen->tasks.items[i].run_ns + (double)seen->tasks.items[i].wait_ns;
	if (!seen->cpus.count || !observed_ns(seen))
		return 0;
	return ns / (double)observed_ns(seen) / (double)seen->cpus.count;
}

static int compare_pid(const void *pid, const void *task)
{
	uint32_t a = *(const uint32_t *)pid, b = ((const struct observe_task *)task)->pid;

	return ORDER(a, b);
}

const struct observe_task *observed_task(const struct observed *seen, pid_t pid)
{
	uint32_t wanted = (uint32_t)pid;

	if (!seen || !seen->tasks.count)
		return NULL;
	return bsearch(&wanted, seen->tasks.items, seen->tasks.count, sizeof(*seen->tasks.items),
		       compare_pid);
}
