// SPDX-License-Identifier: GPL-2.0-only
/* Numbers, durations and sizes. */
#include "base/parse.h"

#include <strings.h>

#include "base/base.h"

int parse_digits(const char **p, uint64_t *value)
{
	const char *s = *p;
	uint64_t v = 0;

	if (*s < '0' || *s > '9')
		return -EINVAL;
	for (; *s >= '0' && *s <= '9'; s++) {
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
			return -ERANGE;
	}
	*p = s;
	*value = v;
	return 0;
}

int parse_u64(const char *text, uint64_t *value)
{
	uint64_t v;
	int rc = parse_digits(&text, &v);

	if (rc < 0)
		return rc;
	if (*text)
		return -EINVAL;
	*value = v;
	return 0;
}

int parse_i64(const char *text, int64_t *value)
{
	bool negative = *text == '-';
	uint64_t v;
	int rc = parse_u64(text + negative, &v);

	if (rc < 0)
		return rc;
	if (v > (uint64_t)INT64_MAX + negative)
		return -ERANGE;
	*value = negative ? (int64_t)(0 - v) : (int64_t)v;
	return 0;
}

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit duration_units[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", 1000000000 },
	{ "sec", 1000000000 },
	{ "m", 60000000000 },
	{ "min", 60000000000 },
	{ "h", 3600000000000 },
	{ "d", 86400000000000 },
};

static const struct unit size_units[] = {
	{ "kib", 1ULL << 10 },
	{ "mib", 1ULL << 20 },
	{ "gib", 1ULL << 30 },
	{ "tib", 1ULL << 40 },
};

/* Finds the unit at *p, or NULL; advances p past it. */
static const struct unit *unit_at(const char **p, const struct unit *units, size_t count)
{
	size_t len = 0;

	while (((*p)[len] | 0x20) >= 'a' && ((*p)[len] | 0x20) <= 'z')
		len++;
	for (size_t i = 0; i < count; i++) {
		if (strlen(units[i].name) == len && strncasecmp(units[i].name, *p, len) == 0) {
			*p += len;
			return &units[i];
		}
	}
	return NULL;
}

int parse_duration(const char *text, uint64_t *ns)
{
	uint64_t total = 0;

	if (!*text)
		return -EINVAL;
	while (*text) {
		const struct unit *unit;
		uint64_t v;
		int rc = parse_digits(&text, &v);

		if (rc < 0)
			return rc;
		while (*text == ' ')
			text++;
		unit = unit_at(&text, duration_units, ARRAY_SIZE(duration_units));
		if (!unit)
			return -EINVAL;
		if (__builtin_mul_overflow(v, unit->factor, &v) ||
		    __builtin_add_overflow(total, v, &total))
			return -ERANGE;
		while (*text == ' ')
			text++;
	}
	*ns = total;
	return 0;
}

int parse_size_iec(const char *text, uint64_t *bytes)
{
	const struct unit *unit;
	uint64_t v;
	int rc = parse_digits(&text, &v);

	if (rc < 0)
		return rc;
	unit = unit_at(&text, size_units, ARRAY_SIZE(size_units));
	if (!unit || *text)
		return -EINVAL;
	return __builtin_mul_overflow(v, unit->factor, bytes) ? -ERANGE : 0;
}
