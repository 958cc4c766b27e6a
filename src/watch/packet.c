// SPDX-License-Identifier: GPL-2.0-only
/* Parses and builds packets. Any input must be handled. */
#include "watch/parts.h"

#define ESCAPE '}'
#define ESCAPE_BIT 0x20
#define INTERRUPT 0x03
#define CHECKSUM_DIGITS 2

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static int byte_of(const char *digits)
{
	int high = digit_of(digits[0]), low = high < 0 ? -1 : digit_of(digits[1]);

	return low < 0 ? -1 : high << 4 | low;
}

/* Drops processed data when all was processed, or much of it. */
void packets_add(struct packets *p, const void *bytes, size_t len)
{
	if (p->at) {
		memmove(p->bytes.s, p->bytes.s + p->at, p->bytes.len - p->at);
		p->bytes.len -= p->at;
		p->at = 0;
	}
	str_addn(&p->bytes, bytes, len);
}

static void unescape(const char *from, size_t len, struct str *data)
{
	for (size_t i = 0; i < len; i++) {
		bool is_escaped = from[i] == ESCAPE && i + 1 < len;

		i += is_escaped;
		str_addc(data, is_escaped ? (char)(from[i] ^ ESCAPE_BIT) : from[i]);
	}
}

/* Parses a packet, starting at the dollar sign. */
static enum packet_kind take_packet(struct packets *p, struct str *data)
{
	const char *from = p->bytes.s + p->at + 1;
	size_t left = p->bytes.len - p->at - 1;
	const char *end = memchr(from, '#', left);
	size_t len = end ? (size_t)(end - from) : left;
	unsigned char sum = 0;

	if (len > PACKET_MAX) {
		p->at += 1 + len;
		return PACKET_BAD;
	}
	if (!end || left < len + 1 + CHECKSUM_DIGITS)
		return PACKET_NONE;
	p->at += 1 + len + 1 + CHECKSUM_DIGITS;
	for (size_t i = 0; i < len; i++)
		sum = (unsigned char)(sum + (unsigned char)from[i]);
	if (byte_of(end + 1) != sum)
		return PACKET_BAD;
	unescape(from, len, data);
	return PACKET_DATA;
}

enum packet_kind packets_next(struct packets *p, struct str *data)
{
	while (p->at < p->bytes.len) {
		switch (p->bytes.s[p->at]) {
		case '$':
			return take_packet(p, data);
		case INTERRUPT:
			p->at++;
			return PACKET_INTERRUPT;
		case '-':
			p->at++;
			return PACKET_REFUSED;
		default: /* '+', or the rest of an invalid packet */
			p->at++;
		}
	}
	return PACKET_NONE;
}

void packets_finish(struct packets *p)
{
	str_finish(&p->bytes);
	*p = (struct packets){};
}

void packet_add(struct str *out, const char *data, size_t len)
{
	unsigned char sum = 0;
	size_t begin;

	str_addc(out, '$');
	begin = out->len;
	for (size_t i = 0; i < len; i++) {
		if (strchr("$#}*", data[i]) && data[i]) {
			str_addc(out, ESCAPE);
			str_addc(out, (char)(data[i] ^ ESCAPE_BIT));
		} else {
			str_addc(out, data[i]);
		}
	}
	for (size_t i = begin; i < out->len; i++)
		sum = (unsigned char)(sum + (unsigned char)out->s[i]);
	str_addf(out, "#%02x", sum);
}

bool packet_take_hex(const char **at, uint64_t *value)
{
	const char *begin = *at;

	*value = 0;
	for (int digit; (digit = digit_of(**at)) >= 0; (*at)++) {
		if (*value >> 60)
			return false;
		*value = *value << 4 | (uint64_t)digit;
	}
	return *at > begin;
}

bool packet_take(const char **at, char c)
{
	if (**at != c)
		return false;
	(*at)++;
	return true;
}

void packet_add_hex(struct str *out, const void *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *from = bytes;

	for (size_t i = 0; i < len; i++) {
		str_addc(out, digits[from[i] >> 4]);
		str_addc(out, digits[from[i] & 0xf]);
	}
}

bool packet_from_hex(const char *text, struct str *bytes)
{
	for (; *text; text += 2) {
		int byte = byte_of(text);

		if (byte < 0)
			return false;
		str_addc(bytes, (char)byte);
	}
	return true;
}
