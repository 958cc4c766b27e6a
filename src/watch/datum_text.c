// SPDX-License-Identifier: GPL-2.0-only
/* Values on a line. */
#include "watch/scalar.h"

#include <inttypes.h>

#include "base/util.h"

#define MAX_DEPTH 8
#define MAX_LINE 400 /* characters of one value, more or less */
#define MAX_HEX 16

struct line {
	struct str *out;
	size_t limit; /* of out's length */
	struct datum_budget *budget;
	int depth;
};

static void add_value(struct line *l, const struct datum *value);

static void add_scalar(const struct scalar *s, struct str *out)
{
	if (s->kind == SCALAR_TRUNCATED)
		str_add(out, "?");
	else if (s->kind == SCALAR_PTR)
		str_addf(out, "0x%" PRIx64, s->number);
	else if (s->kind == SCALAR_BOOL)
		str_add(out, s->number ? "true" : "false");
	else if (s->kind == SCALAR_ENUM && s->variant)
		str_add(out, s->variant);
	else if (s->is_signed)
		str_addf(out, "%" PRId64, (int64_t)s->number);
	else
		str_addf(out, "%" PRIu64, s->number);
}

static void add_bytes(const struct datum *v, bool is_text, struct str *out)
{
	if (is_text) {
		str_addf(out, "\"%.*s\"", (int)MIN(v->len, (size_t)MAX_LINE), v->data);
		return;
	}
	str_add(out, "0x");
	for (size_t i = 0; i < MIN(v->len, MAX_HEX); i++)
		str_addf(out, "%02x", (unsigned char)v->data[i]);
	if (v->len > MAX_HEX)
		str_addf(out, "... (%zu bytes)", v->len);
}

static void add_name(struct line *l, const struct datum_part *part, size_t index, bool is_first)
{
	if (!is_first)
		str_addc(l->out, ' ');
	if (!part->name)
		str_addf(l->out, "[%zu]=", index);
	else if (*part->name)
		str_addf(l->out, "%s=", part->name);
}

/* Nothing of a part that is zero. */
static void add_part(struct line *l, const struct datum_part *part, size_t index, bool is_first)
{
	struct scalar s = part->bit_count ? scalar_read_bits(part) : (struct scalar){};

	if (!datum_pay(l->budget, part->value.len + 1) ||
	    (part->bit_count ? !s.number : datum_is_zero(&part->value)))
		return;
	add_name(l, part, index, is_first);
	if (part->bit_count)
		add_scalar(&s, l->out);
	else
		add_value(l, &part->value);
}

static void add_parts(struct line *l, const struct datum *v)
{
	size_t begin = l->out->len + 1;
	struct datum_part part;

	str_addc(l->out, '{');
	l->depth++;
	for (size_t i = 0; datum_part(v, i, &part); i++) {
		if (l->out->len >= l->limit || l->depth > MAX_DEPTH || !l->budget->left) {
			str_add(l->out, " ...");
			break;
		}
		add_part(l, &part, i, l->out->len == begin);
	}
	l->depth--;
	str_addc(l->out, '}');
}

static void add_value(struct line *l, const struct datum *value)
{
	struct datum v = datum_resolved(value);
	struct scalar s = scalar_read(&v);
	struct datum_part part;
	bool is_text = false;

	if (s.kind != SCALAR_NONE)
		add_scalar(&s, l->out);
	else if (datum_is_bytes(&v, &is_text) || !datum_part(&v, 0, &part))
		add_bytes(&v, is_text, l->out);
	else
		add_parts(l, &v);
}

void datum_add_text(const struct datum *v, struct str *out, struct datum_budget *budget)
{
	struct line l = { .out = out, .limit = out->len + MAX_LINE, .budget = budget };

	add_value(&l, v);
}
