/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets of CPU numbers and their text form `0-3,5,7-9`. */
#ifndef KTSTR_BASE_CPULIST_H
#define KTSTR_BASE_CPULIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* No kernel supports larger CPU numbers; they are malformed input. */
#define CPULIST_MAX 8192

struct cpulist {
	unsigned int *cpus; /* ascending, without duplicates */
	size_t count;
};

/* Accepts blanks around items, ranges, and the kernel's strides `0-31:4/8`. -EINVAL, -ENOMEM. */
int cpulist_parse(const char *text, struct cpulist *out);
void cpulist_format(const unsigned int *cpus, size_t count, struct str *out);
bool cpulist_has(const struct cpulist *l, unsigned int cpu);
void cpulist_finish(struct cpulist *l);

#endif
