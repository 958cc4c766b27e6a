/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sets of CPUs that are a part of an LLC. The kernel's load balancer compares a CPU with the
 * average of its whole LLC, CPUs that the tasks may not use included. Of two such CPUs one may
 * have seven busy tasks and the other one for ever: that is no fault of a scheduler.
 */
#ifndef KTSTR_CHECK_NARROW_H
#define KTSTR_CHECK_NARROW_H

#include <stdbool.h>

#include "host/topology.h"
#include "work/report.h"

/* A task that migrates more often is balanced all the same. */
#define NARROW_MOVES_PER_S 10

/* Some but not all CPUs of an LLC, more than one of them. t may be NULL: then it is not known. */
bool cpus_are_narrow(const struct worker_cpus *cpus, const struct topology *t);

#endif
