/* SPDX-License-Identifier: GPL-2.0-only */
/* Trace files read back, to see that they hold what they should. */
#ifndef KTSTR_TESTS_PERFETTO_CHECK_H
#define KTSTR_TESTS_PERFETTO_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Reading, one field after the other. */
struct protobuf_field {
	unsigned int number;
	bool is_bytes;
	uint64_t value; /* varint */
	const uint8_t *data;
	size_t len;
};

/* 1 with a field, 0 at the end, -EINVAL with a message for what is malformed. */
int protobuf_next(const uint8_t **at, const uint8_t *end, struct protobuf_field *out);

#endif
