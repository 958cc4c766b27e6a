/* SPDX-License-Identifier: GPL-2.0-only */
/* A trace read and shown, for the files of this room only. */
#ifndef KTSTR_TRACE_PERFETTO_H
#define KTSTR_TRACE_PERFETTO_H

#include "base/base.h"
#include "trace/format.h"

/*
 * reader.c: Records of a trace with what they mean put together: names and cgroups of tasks
 * are known when an event is handed on.
 */

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
 * Walks all records. -EINVAL with a message for what is not a trace; an incomplete
 * last record, as a QEMU that was killed leaves it, is passed over.
 */
int trace_walk(const void *data, size_t len, trace_event_fn *fn, void *ctx);

const struct trace_task *trace_task(const struct trace_reader *r, uint32_t pid);
const char *trace_cgroup_name(const struct trace_reader *r, uint32_t cgroup);

/*
 * perfetto.c: A trace as Perfetto shows it: a track per CPU with what runs there, counters of
 * the queues beside it, a track per cgroup, and below each a track per task that
 * tells when it ran, on which CPU, and when it wanted to.
 */

/* records as the plugin wrote them; out gets the bytes of a trace file. */
int perfetto_write(const void *records, size_t len, struct str *out);

/* Field numbers of Perfetto's documented messages (protos/perfetto/trace). */

enum { TRACE_PACKET = 1 };

enum {
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_TRACK_DESCRIPTOR = 60,
};

enum {
	DESCRIPTOR_UUID = 1,
	DESCRIPTOR_NAME = 2,
	DESCRIPTOR_PARENT = 5,
	DESCRIPTOR_COUNTER = 8,
};

enum { EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_NAME = 23, EVENT_COUNTER = 30 };
enum { EVENT_SLICE_BEGIN = 1, EVENT_SLICE_END, EVENT_INSTANT, EVENT_IS_COUNTER };

#define SEQUENCE_CLEARED 1

/* protobuf.c: The wire format of protocol buffers, as far as a trace needs it. */

void protobuf_varint(struct str *out, unsigned int field, uint64_t value);
void protobuf_bytes(struct str *out, unsigned int field, const void *data, size_t len);
void protobuf_string(struct str *out, unsigned int field, const char *text);
void protobuf_message(struct str *out, unsigned int field, const struct str *message);

/* timeline.c: A trace as text, one event per line, for grep and diff. */

int timeline_write(const void *records, size_t len, struct str *out);

#endif
