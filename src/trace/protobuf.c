// SPDX-License-Identifier: GPL-2.0-only
/* Varints and length-delimited fields. */
#include "trace/perfetto.h"

#include <string.h>

#include "base/err.h"

enum wire { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

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

static int bad(const char *what)
{
	return err_set(EINVAL, "malformed protocol buffer: %s", what);
}

static int read_raw(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	*value = 0;
	for (unsigned int shift = 0; shift < 64; shift += 7) {
		uint8_t byte;

		if (*at == end)
			return bad("a number is cut off");
		byte = *(*at)++;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return 0;
	}
	return bad("a number has no end");
}

static int read_fixed(const uint8_t **at, const uint8_t *end, size_t size, uint64_t *value)
{
	if ((size_t)(end - *at) < size)
		return bad("a number is cut off");
	*value = 0;
	memcpy(value, *at, size);
	*at += size;
	return 0;
}

int protobuf_next(const uint8_t **at, const uint8_t *end, struct protobuf_field *out)
{
	uint64_t key;
	int rc;

	*out = (struct protobuf_field){};
	if (*at == end)
		return 0;
	rc = read_raw(at, end, &key);
	if (rc < 0)
		return rc;
	if (key >> 3 == 0 || key >> 3 > 0x1fffffff)
		return bad("a field has an impossible number");
	out->number = (unsigned int)(key >> 3);
	switch (key & 7) {
	case WIRE_VARINT:
		rc = read_raw(at, end, &out->value);
		break;
	case WIRE_FIXED64:
		rc = read_fixed(at, end, 8, &out->value);
		break;
	case WIRE_FIXED32:
		rc = read_fixed(at, end, 4, &out->value);
		break;
	case WIRE_BYTES:
		rc = read_raw(at, end, &key);
		if (rc == 0 && key > (uint64_t)(end - *at))
			rc = bad("a field is cut off");
		if (rc == 0) {
			out->is_bytes = true;
			out->data = *at;
			out->len = (size_t)key;
			*at += out->len;
		}
		break;
	default:
		return bad("a field is of no known type");
	}
	return rc < 0 ? rc : 1;
}
