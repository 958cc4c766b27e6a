// SPDX-License-Identifier: GPL-2.0-only
/* Sets of CPUs as bitmaps. */
#include "scenario/run.h"

size_t cpus_count(const struct worker_cpus *s)
{
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(s->bits); i++)
		count += (size_t)__builtin_popcountll(s->bits[i]);
	return count;
}

int cpus_next(const struct worker_cpus *s, int cpu)
{
	for (cpu++; cpu < WORKER_MAX_CPUS; cpu++)
		if (worker_cpus_have(s, (unsigned int)cpu))
			return cpu;
	return -1;
}

int cpus_first(const struct worker_cpus *s)
{
	return cpus_next(s, -1);
}

bool cpus_and(struct worker_cpus *out, const struct worker_cpus *a, const struct worker_cpus *b)
{
	uint64_t any = 0;

	for (size_t i = 0; i < ARRAY_SIZE(out->bits); i++) {
		out->bits[i] = a->bits[i] & b->bits[i];
		any |= out->bits[i];
	}
	return any != 0;
}

bool cpus_equal(const struct worker_cpus *a, const struct worker_cpus *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

void cpus_from_list(struct worker_cpus *s, const struct cpulist *list)
{
	*s = (struct worker_cpus){};
	for (size_t i = 0; i < list->count; i++)
		worker_cpus_add(s, list->cpus[i]);
}

void cpus_format(const struct worker_cpus *s, struct str *out)
{
	unsigned int cpus[WORKER_MAX_CPUS];
	size_t count = 0;

	for (int cpu = cpus_first(s); cpu >= 0; cpu = cpus_next(s, cpu))
		cpus[count++] = (unsigned int)cpu;
	cpulist_format(cpus, count, out);
}
