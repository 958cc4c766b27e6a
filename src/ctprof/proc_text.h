/* SPDX-License-Identifier: GPL-2.0-only */
/* What all parsers of procfs and cgroup text share: lines and numbers, inlined. */
#ifndef KTSTR_CTPROF_PROC_TEXT_H
#define KTSTR_CTPROF_PROC_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/parse.h"
#include "ctprof/snapshot.h"

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

#endif
