/* SPDX-License-Identifier: GPL-2.0-only */
/* Arithmetic on sets of CPUs. */
#ifndef KTSTR_SCENARIO_CPUS_H
#define KTSTR_SCENARIO_CPUS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cpulist.h"
#include "base/str.h"
#include "work/report.h"

size_t cpus_count(const struct worker_cpus *s);
/* -1 = the set is empty. */
int cpus_first(const struct worker_cpus *s);
/* The next one above cpu; -1 = no more. */
int cpus_next(const struct worker_cpus *s, int cpu);
/* Both; false when nothing is left. out may be one of them. */
bool cpus_and(struct worker_cpus *out, const struct worker_cpus *a, const struct worker_cpus *b);
bool cpus_equal(const struct worker_cpus *a, const struct worker_cpus *b);
void cpus_from_list(struct worker_cpus *s, const struct cpulist *list);
/* "0-3,5" */
void cpus_format(const struct worker_cpus *s, struct str *out);

#endif
