// SPDX-License-Identifier: GPL-2.0-only
/* Differences between the hosts of two sides: comparisons across machines mean little. */
#include "stats/compare.h"

/* Fields that vary on the same machine, too. */
static const char *const momentary[] = { "hugepages_free", "heap_state" };

static void add_line(const char *group, const char *name, const char *a, const char *b,
		     struct str *out)
{
	if (str_eq(a, b))
		return;
	str_addf(out, "  %s%s%s: ", group, *group ? "." : "", name);
	text_add_printable(out, a);
	str_add(out, " → ");
	text_add_printable(out, b);
	str_addc(out, '\n');
}

static const char *pair_value(const struct host_pairs *pairs, const char *key)
{
	for (size_t i = 0; i < pairs->count; i++)
		if (str_eq(pairs->items[i].key, key))
			return pairs->items[i].value;
	return pairs->is_known ? "(absent)" : "(unknown)";
}

static void add_pairs(const char *name, const struct host_pairs *a, const struct host_pairs *b,
		      struct str *out)
{
	for (size_t i = 0; i < a->count; i++)
		add_line(name, a->items[i].key, a->items[i].value, pair_value(b, a->items[i].key),
			 out);
	for (size_t i = 0; i < b->count; i++)
		if (*pair_value(a, b->items[i].key) == '(')
			add_line(name, b->items[i].key, pair_value(a, b->items[i].key),
				 b->items[i].value, out);
}

static void add_differences(const struct host_context *a, const struct host_context *b,
			    struct str *out)
{
	for (const struct json_field *f = host_context_fields; f->name; f++) {
		_str_ struct str x = {}, y = {};

		if (str_index(momentary, ARRAY_SIZE(momentary), f->name) >= 0)
			continue;
		if (f->kind == FIELD_MAP) {
			add_pairs(f->name, (const void *)((const char *)a + f->offset),
				  (const void *)((const char *)b + f->offset), out);
			continue;
		}
		host_field_add(a, f, &x);
		host_field_add(b, f, &y);
		add_line("", f->name, str_get(&x), str_get(&y), out);
	}
}

void host_delta_text(const struct host_context *a, const struct host_context *b,
		     const char *const labels[2], struct str *out)
{
	_str_ struct str lines = {};

	if (!a && !b)
		return;
	if (!a || !b) {
		str_addf(out, "host delta: only '%s' has host data\n", labels[a ? 0 : 1]);
		return;
	}
	add_differences(a, b, &lines);
	if (!lines.len)
		str_addf(out, "host delta ('%s' → '%s'): identical\n", labels[0], labels[1]);
	else
		str_addf(out, "host delta ('%s' → '%s'):\n%s", labels[0], labels[1], lines.s);
}
