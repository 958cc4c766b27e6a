/* SPDX-License-Identifier: GPL-2.0-only */
/* The CPUs of a build: reserved against other runs, and kept to. */
#ifndef KTSTR_KERNEL_BUILD_CPUS_H
#define KTSTR_KERNEL_BUILD_CPUS_H

#include <stddef.h>

#include "base/cleanup.h"
#include "base/cpulist.h"
#include "host/reserve.h"
#include "host/sandbox.h"
#include "host/topology.h"

struct build_cpus {
	struct cpulist allowed;
	struct topology topology;
	struct reservation reservation;
	struct sandbox sandbox;
	size_t count;
};

/*
 * Checks --cpu-cap (NULL: not given) and KTSTR_CPU_CAP without taking anything.
 * 0 CPUs = no cap.
 */
int build_cpus_parse_cap(const char *flag, size_t *cap);

/* Takes so many CPUs; 0: the default share of those that we may use. */
int build_cpus_take(struct build_cpus *b, size_t cap);
void build_cpus_finish(struct build_cpus *b);

#define _build_cpus_ _cleanup_(build_cpus_finish)

#endif
