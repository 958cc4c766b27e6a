// SPDX-License-Identifier: GPL-2.0-only
/* How the hosts of two sides differ: a comparison across machines says little. */
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "stats/compare.h"

struct host_field {
	const char *name;
	size_t offset;
	enum { HOST_TEXT, HOST_NUMBER, HOST_PAIRS } kind;
};

/* clang-format off */
#define FIELD(member, k) { #member, offsetof(struct host_context, member), k }
static const struct host_field fields[] = {
	FIELD(kernel_name, HOST_TEXT), FIELD(kernel_release, HOST_TEXT), FIELD(arch, HOST_TEXT),
	FIELD(cpu_model, HOST_TEXT), FIELD(cpu_vendor, HOST_TEXT),
	FIELD(total_memory_kb, HOST_NUMBER), FIELD(hugepages_total, HOST_NUMBER),
	FIELD(hugepages_size_kb, HOST_NUMBER), FIELD(online_cpus, HOST_NUMBER),
	FIELD(numa_nodes, HOST_NUMBER), FIELD(numa_layout, HOST_PAIRS), FIELD(thp_enabled, HOST_TEXT),
	FIELD(thp_defrag, HOST_TEXT), FIELD(kernel_cmdline, HOST_TEXT),
	FIELD(cpufreq_governor, HOST_PAIRS), FIELD(sched_tunables, HOST_PAIRS),
};
/* clang-format on */

static void add_scalar(const struct host_context *h, const struct host_field *f, struct str *out)
{
	const void *member = (const char *)h + f->offset;
	const struct host_number *n = member;

	if (f->kind == HOST_TEXT) {
		const char *text = *(const char *const *)member;

		text_add_printable(out, text ? text : "(unknown)");
	} else if (n->is_known) {
		str_addf(out, "%llu", (unsigned long long)n->value);
	} else {
		str_add(out, "(unknown)");
	}
}

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
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		const struct host_field *f = &fields[i];
		_str_ struct str x = {}, y = {};

		if (f->kind == HOST_PAIRS) {
			add_pairs(f->name, (const void *)((const char *)a + f->offset),
				  (const void *)((const char *)b + f->offset), out);
			continue;
		}
		add_scalar(a, f, &x);
		add_scalar(b, f, &y);
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
