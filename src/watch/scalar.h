/* SPDX-License-Identifier: GPL-2.0-only */
/* Values without parts. */
#ifndef KTSTR_WATCH_SCALAR_H
#define KTSTR_WATCH_SCALAR_H

#include "watch/datum.h"

enum scalar_kind {
	SCALAR_NONE, /* the value has parts, or no known type */
	SCALAR_UINT,
	SCALAR_INT,
	SCALAR_BOOL,
	SCALAR_ENUM,
	SCALAR_PTR,
	SCALAR_FLOAT,
	SCALAR_TRUNCATED, /* fewer bytes than its type needs */
};

struct scalar {
	enum scalar_kind kind;
	unsigned int bits;
	uint64_t number; /* with its sign extended */
	bool is_signed;
	double real;	     /* of a float, whose bytes are the number */
	const char *variant; /* of an enum; NULL = the number has no name */
};

/* v has been resolved. */
struct scalar scalar_read(const struct datum *v);
struct scalar scalar_read_bits(const struct datum_part *part);

/* Characters: an array of bytes of one character each. */
bool datum_is_bytes(const struct datum *v, bool *is_text);

#endif
