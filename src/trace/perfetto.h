/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trace as Perfetto shows it: a track per CPU with what runs there, counters of
 * the queues beside it, a track per cgroup, and below each a track per task that
 * tells when it ran, on which CPU, and when it wanted to.
 */
#ifndef KTSTR_TRACE_PERFETTO_H
#define KTSTR_TRACE_PERFETTO_H

#include <stdint.h>

#include "base/str.h"

/* records as the plugin wrote them; out gets the bytes of a trace file. */
int perfetto_write(const void *records, size_t len, struct str *out);

/* What is in a trace file: enough to see that it holds what it should. */
struct perfetto_facts {
	uint64_t packets, tracks, slices_begun, slices_ended, instants, counters;
	uint64_t first_ns, last_ns;
	uint64_t cpu_ns;  /* that tracks of CPUs have slices */
	uint64_t task_ns; /* that tracks of tasks have slices of running: the same time */
};

/*
 * Reads a trace file back and checks it: every event is on a track that was
 * described before, once and for all; no slice ends that did not begin, or begins
 * within another one. -EINVAL with a message.
 */
int perfetto_check(const void *data, size_t len, struct perfetto_facts *out);

#endif
