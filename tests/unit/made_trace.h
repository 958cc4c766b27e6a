/* SPDX-License-Identifier: GPL-2.0-only */
/* A trace that a test makes record by record. */
#ifndef KTSTR_TESTS_MADE_TRACE_H
#define KTSTR_TESTS_MADE_TRACE_H

#include <string.h>

#include "trace/format.h"

#define MAX_RECORDS 40000

struct trace {
	struct trace_header header;
	struct trace_record records[MAX_RECORDS];
	size_t count;
};

static struct trace trace;

static inline void begin(void)
{
	trace.header =
		(struct trace_header){ TRACE_MAGIC, TRACE_VERSION, sizeof(struct trace_record), 0 };
	trace.count = 0;
}

static inline void add(uint64_t time_ns, uint16_t type, uint16_t cpu, uint32_t pid, uint32_t arg,
		       uint32_t value)
{
	trace.records[trace.count++] = (struct trace_record){
		.time_ns = time_ns, .type = type, .cpu = cpu, .pid = pid, .arg = arg, .value = value
	};
}

static inline void add_text(uint16_t type, uint32_t pid, const char *text)
{
	struct trace_record *r = &trace.records[trace.count++];

	*r = (struct trace_record){ .type = type, .pid = pid };
	memcpy(r->text, text, strnlen(text, TRACE_TEXT));
}

static inline size_t size_of_trace(void)
{
	return sizeof(trace.header) + trace.count * sizeof(trace.records[0]);
}

#endif
