/* SPDX-License-Identifier: GPL-2.0-only */
/* The part of a capture that stops threads: jemalloc's counters of every thread that has them. */
#ifndef KTSTR_CTPROF_PROBE_H
#define KTSTR_CTPROF_PROBE_H

#include "ctprof/jemalloc.h"
#include "ctprof/snapshot.h"

/* Fills the jemalloc metrics and s->probe. Only running out of memory is an error. */
int probe_threads(struct snapshot *s, const struct jemalloc_limits *limits,
		  unsigned int worker_count);

#endif
