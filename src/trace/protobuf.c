// SPDX-License-Identifier: GPL-2.0-only
/* Writes varints and length-delimited fields. */
#include "trace/parts.h"

enum wire { WIRE_VARINT = 0, WIRE_BYTES = 2 };

static void add_raw(struct str *out, uint64_t value)
{
	while (value >= 0x80) {
		str_addc(out, (char)(value | 0x80));
		value >>= 7;
	}
	str_addc(out, (char)value);
}

void protobuf_varint(struct str *out, unsigned int field, uint64_t value)
{
	add_raw(out, (uint64_t)field << 3 | WIRE_VARINT);
	add_raw(out, value);
}

void protobuf_bytes(struct str *out, unsigned int field, const void *data, size_t len)
{
	add_raw(out, (uint64_t)field << 3 | WIRE_BYTES);
	add_raw(out, len);
	str_addn(out, data, len);
}

void protobuf_string(struct str *out, unsigned int field, const char *text)
{
	protobuf_bytes(out, field, text, strlen(text));
}

void protobuf_message(struct str *out, unsigned int field, const struct str *message)
{
	protobuf_bytes(out, field, str_get(message), message->len);
}
