/* SPDX-License-Identifier: GPL-2.0-only */
/* The wire format of protocol buffers, as far as a trace needs it. */
#ifndef KTSTR_TRACE_PROTOBUF_H
#define KTSTR_TRACE_PROTOBUF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

void protobuf_varint(struct str *out, unsigned int field, uint64_t value);
void protobuf_bytes(struct str *out, unsigned int field, const void *data, size_t len);
void protobuf_string(struct str *out, unsigned int field, const char *text);
void protobuf_message(struct str *out, unsigned int field, const struct str *message);

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
