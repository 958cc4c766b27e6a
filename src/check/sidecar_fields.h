/* SPDX-License-Identifier: GPL-2.0-only */
/* The fields of a sidecar as tables, which writer and reader follow. */
#ifndef KTSTR_CHECK_SIDECAR_FIELDS_H
#define KTSTR_CHECK_SIDECAR_FIELDS_H

#include "check/sidecar.h"

struct phase_stats;

enum sidecar_kind {
	SIDECAR_END,
	SIDECAR_SCHEMA_VERSION, /* no member */
	SIDECAR_TEXT,		/* const char * */
	SIDECAR_BOOL,
	SIDECAR_U64,
	SIDECAR_SEED,	/* u64 with has_seed */
	SIDECAR_DOUBLE, /* finite */
	SIDECAR_NUMBER, /* struct sidecar_number */
	SIDECAR_VERDICT,
	SIDECAR_IS_PASS, /* follow from the verdict, and are only written */
	SIDECAR_IS_SKIP,
	SIDECAR_POLARITY,
	SIDECAR_STRINGS,
	SIDECAR_PAIRS,
	SIDECAR_BUCKETS,
	SIDECAR_OBJECT,	  /* a struct with fields of its own */
	SIDECAR_LATENCY,  /* the same; null without a count */
	SIDECAR_OPTIONAL, /* the same; null when not known: its first member is is_known */
	SIDECAR_ARRAY,	  /* of such structs */
	SIDECAR_HOST,
};

struct sidecar_field {
	const char *key;
	enum sidecar_kind kind;
	bool is_required; /* null or absent makes the file unusable */
	size_t offset;
	size_t count_offset; /* of arrays */
	size_t size;	     /* of an array's element */
	const struct sidecar_field *fields;
};

extern const struct sidecar_field sidecar_fields[];

/* ---- for those who fill it from a result ---- */

static inline struct sidecar_number known(double value)
{
	return (struct sidecar_number){ true, value };
}

static inline struct sidecar_number known_if(bool is_known, double value)
{
	return (struct sidecar_number){ is_known, is_known ? value : 0 };
}

int sidecar_set_events(struct sidecar *s, const struct phase_stats *phase,
		       struct sidecar_events *to);

static inline void *sidecar_member(const void *base, size_t offset)
{
	return (char *)(uintptr_t)base + offset;
}

#endif
