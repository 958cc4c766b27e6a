// SPDX-License-Identifier: GPL-2.0-only
/* Keeps the head and the tail of a text. */
#include "guest/bounded_text.h"

/* Overwrites the oldest bytes of the full ring. */
static void overwrite(struct bounded_text *t, const char *data, size_t len)
{
	size_t size = t->tail.len;

	while (len) {
		size_t piece = MIN(len, size - t->tail_start);

		memcpy(t->tail.s + t->tail_start, data, piece);
		t->tail_start = (t->tail_start + piece) % size;
		data += piece;
		len -= piece;
	}
}

void bounded_text_add(struct bounded_text *t, const void *data, size_t len)
{
	size_t half = t->half ? t->half : BOUNDED_TEXT_HALF, piece = MIN(len, half - t->head.len);
	const char *p = data;

	t->total += len;
	str_addn(&t->head, p, piece);
	p += piece;
	len -= piece;
	if (len > half) {
		p += len - half;
		len = half;
	}
	piece = MIN(len, half - t->tail.len);
	str_addn(&t->tail, p, piece);
	if (t->tail.len == half)
		overwrite(t, p + piece, len - piece);
}

uint64_t bounded_text_omitted(const struct bounded_text *t)
{
	return t->total - t->head.len - t->tail.len;
}

static void add_rest(const struct bounded_text *t, uint64_t omitted, struct str *out)
{
	if (omitted)
		str_addf(out, "\n--- %llu bytes omitted ---\n", ULL(omitted));
	str_addn(out, str_get(&t->tail) + t->tail_start, t->tail.len - t->tail_start);
	str_addn(out, str_get(&t->tail), t->tail_start);
}

void bounded_text_get(const struct bounded_text *t, struct str *out)
{
	str_addn(out, str_get(&t->head), t->head.len);
	add_rest(t, bounded_text_omitted(t), out);
}

void bounded_text_take(struct bounded_text *t, struct str *out)
{
	uint64_t omitted = bounded_text_omitted(t);

	*out = t->head;
	t->head = (struct str){};
	add_rest(t, omitted, out);
	bounded_text_finish(t);
}

void bounded_text_finish(struct bounded_text *t)
{
	str_finish(&t->head);
	str_finish(&t->tail);
	t->tail_start = 0;
	t->total = 0;
}
