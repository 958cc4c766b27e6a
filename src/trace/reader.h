/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of a trace with what they mean put together: names and cgroups of tasks
 * are known when an event is handed on.
 */
#ifndef KTSTR_TRACE_READER_H
#define KTSTR_TRACE_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "base/vec.h"
#include "trace/format.h"

#define TRACE_MAX_PID 4194304
#define TRACE_MAX_CPU 1024
#define TRACE_NO_CGROUP UINT32_MAX

struct trace_task {
	char name[TRACE_TEXT + 1]; /* "" = never told */
	uint32_t cgroup;	   /* index, or TRACE_NO_CGROUP */
};

struct trace_reader {
	VEC(struct trace_task) tasks; /* by pid */
	VEC(struct str) cgroups;
	uint64_t time_ns; /* of the last event */
};

/* Called for events, not for names. A negative return ends the walk. */
typedef int trace_event_fn(void *ctx, const struct trace_reader *r, const struct trace_record *e);

/*
 * Walks all records. -EINVAL with a message for what is no trace; an incomplete
 * last record, as a QEMU that was killed leaves it, is passed over.
 */
int trace_walk(const void *data, size_t len, trace_event_fn *fn, void *ctx);

const struct trace_task *trace_task(const struct trace_reader *r, uint32_t pid);
const char *trace_cgroup_name(const struct trace_reader *r, uint32_t cgroup);

#endif
