/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets of gdb's remote protocol: $DATA#CHECKSUM, with acknowledgements between them. */
#ifndef KTSTR_WATCH_PACKET_H
#define KTSTR_WATCH_PACKET_H

#include "base/base.h"

#define PACKET_MAX 16384 /* bytes of data; longer ones are refused */

enum packet_kind {
	PACKET_NONE,	  /* more bytes are needed */
	PACKET_DATA,	  /* whole and unharmed */
	PACKET_BAD,	  /* of another checksum, or too long */
	PACKET_INTERRUPT, /* ctrl-C between packets */
	PACKET_REFUSED,	  /* what we sent last did not arrive */
};

/* Bytes that have come and are not used yet. */
struct packets {
	struct str bytes;
	size_t at;
};

void packets_add(struct packets *p, const void *bytes, size_t len);

/* Takes the next one out; its data, without escapes, is added to `data`. */
enum packet_kind packets_next(struct packets *p, struct str *data);
void packets_finish(struct packets *p);

/* Appends a packet with this data. */
void packet_add(struct str *out, const char *data, size_t len);

/* A number in hexadecimal, as far as it goes; false = there is none, or it is too large. */
bool packet_take_hex(const char **at, uint64_t *value);

/* This character, which is skipped then. */
bool packet_take(const char **at, char c);

/* Bytes as pairs of digits, and back: false where they are none. */
void packet_add_hex(struct str *out, const void *bytes, size_t len);
bool packet_from_hex(const char *text, struct str *bytes);

#endif
