/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parsers of procfs and cgroup text share. */
#ifndef KTSTR_CTPROF_PROC_TEXT_H
#define KTSTR_CTPROF_PROC_TEXT_H

#include "ctprof/snapshot.h"

/* What all parsers of procfs and cgroup text share: lines and numbers, inlined. */

#define TEXT_SAFE_DIGITS 19 /* that many always fit 64 bits */

/* A decimal run at *p, and p past it. False: no digit, or more than 64 bits. */
static inline bool text_take_u64(const char **p, uint64_t *value)
{
	const char *s = *p;
	uint64_t v = 0;

	while ((unsigned char)(*s - '0') < 10)
		v = v * 10 + (uint64_t)(*s++ - '0');
	if (s == *p)
		return false;
	if (s - *p > TEXT_SAFE_DIGITS)
		return parse_digits(p, value) == 0;
	*p = s;
	*value = v;
	return true;
}

/* Whether a value may end before c. */
static inline bool text_is_end(char c)
{
	return c == '\n' || c == '\0' || c == ' ' || c == '\t';
}

static inline const char *text_skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

/* The end of the line at p: its newline, or the text's end. */
static inline const char *text_line_end(const char *p, const char *end)
{
	const char *newline = memchr(p, '\n', (size_t)(end - p));

	return newline ? newline : end;
}

static inline void thread_put_u64(struct thread_record *t, int id, uint64_t value)
{
	t->values[id].u = value;
	thread_set_measured(t, (enum metric_id)id);
}

/* The number at p as the metric's kind wants it. What does not fit stays absent. */
static inline void thread_put_number(struct thread_record *t, int id, const char *p)
{
	bool is_negative = *p == '-' && metrics[id].kind == METRIC_I64;
	uint64_t v;

	p += is_negative;
	if (!text_take_u64(&p, &v) || !text_is_end(*p))
		return;
	if (metrics[id].kind == METRIC_I64) {
		if (v > INT64_MAX)
			return;
		t->values[id].i = is_negative ? -(int64_t)v : (int64_t)v;
		thread_set_measured(t, (enum metric_id)id);
	} else {
		thread_put_u64(t, id, metrics[id].kind == METRIC_BOOL ? v != 0 : v);
	}
}

/* A small, fixed map from the keys of a text file to numbers, made for millions of lookups. */

#define KEY_TABLE_SLOTS 256 /* a power of two, at least twice the keys of any table */

struct key_table {
	struct {
		const char *key; /* NULL = free */
		size_t len;
		int value;
	} slots[KEY_TABLE_SLOTS];
	bool starts[256]; /* first bytes of keys: most lines are ruled out by theirs */
};

static inline unsigned int key_table_hash(const char *key, size_t len)
{
	const unsigned char *k = (const unsigned char *)key;

	return (unsigned int)len * 31 + k[0] * 7U + k[len / 2] * 5U + k[len - 1] * 3U;
}

static inline bool key_table_starts(const struct key_table *t, char c)
{
	return t->starts[(unsigned char)c];
}

/* -1 when there is no such key. */
static inline int key_table_find(const struct key_table *t, const char *key, size_t len)
{
	if (len == 0)
		return -1;
	for (unsigned int i = key_table_hash(key, len);; i++) {
		unsigned int slot = i % KEY_TABLE_SLOTS;

		if (!t->slots[slot].key)
			return -1;
		if (t->slots[slot].len == len && memcmp(t->slots[slot].key, key, len) == 0)
			return t->slots[slot].value;
	}
}

/* The key is not copied. A key that is there already keeps its value. */
void key_table_add(struct key_table *t, const char *key, int value);

#endif
