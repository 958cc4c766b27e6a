// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr cache list`: all items of the cache, and their sizes. */
#include "cli/cache_items.h"
#include "cli/table.h"

static void add_rows(struct table *t, const struct stock *s)
{
	uint64_t now = clock_wall_ns();

	vec_each(const struct stock_item, item, s) {
		_str_ struct str name = {}, what = {}, size = {}, age = {};

		cache_add_size(&size, item->bytes);
		cache_add_age(&age, now > item->used_ns ? now - item->used_ns : 0);
		text_add_printable(&name, item->name);
		text_add_printable(&what, item->what);
		table_texts(t, stock_kind_names[item->kind], str_get(&size), str_get(&age),
			    item->is_used ? "yes" : "no", str_get(&name), str_get(&what));
	}
}

/* Appends the existing kinds with their sizes, and the total. */
static void add_totals(struct str *out, const struct stock *s)
{
	uint64_t bytes[STOCK_KINDS] = {}, all = 0;

	for (size_t i = 0; i < s->count; i++) {
		bytes[s->items[i].kind] += s->items[i].bytes;
		all += s->items[i].bytes;
	}
	str_addc(out, '\n');
	for (size_t i = 0; i < STOCK_KINDS; i++) {
		if (!bytes[i])
			continue;
		str_addf(out, "%s ", stock_kind_names[i]);
		cache_add_size(out, bytes[i]);
		str_add(out, ", ");
	}
	str_add(out, "in all ");
	cache_add_size(out, all);
	str_addc(out, '\n');
}

static int print_text(const struct stock *s)
{
	_table_ struct table table = {};
	_str_ struct str out = {};
	int rc;

	if (!s->count) {
		str_add(&out, "the cache is empty\n");
		return output_text(&out);
	}
	table_titles(&table, "KIND", "SIZE", "USED", "IN USE", "NAME", "WHAT");
	add_rows(&table, s);
	rc = table_add(&table, &out);
	add_totals(&out, s);
	return rc ?: output_text(&out);
}

static int print_json(const struct stock *s, uint64_t limit)
{
	_free_ char *root = path_kernel_cache();
	_str_ struct str out = {};
	uint64_t all = 0;
	struct json j;

	for (size_t i = 0; i < s->count; i++)
		all += s->items[i].bytes;
	json_document(&j, &out);
	json_put_string(&j, "kernel_cache", root);
	json_put_u64(&j, "total_bytes", all);
	json_put_u64(&j, "limit_bytes", limit);
	json_put_array(&j, "items");
	for (size_t i = 0; i < s->count; i++)
		cache_put_item(&j, &s->items[i]);
	json_array_end(&j);
	json_object_end(&j);
	return output_json(&out);
}

static int cmd_cache_list_run(const struct cli_call *call)
{
	_stock_ struct stock s = {};
	unsigned int kinds;
	uint64_t limit;
	int rc = cache_kinds(call, &kinds);

	if (rc != 0)
		return rc;
	rc = stock_limit(&limit) ?: stock_read(&s, kinds);
	if (rc < 0)
		return rc;
	return cli_flag(call, "json") ? print_json(&s, limit) : print_text(&s);
}

/* clang-format off */
const struct cli_cmd cmd_cache_list = {
	.name = "list", .summary = "list the contents of the cache",
	.about = "Lists kernels, templates (saved booted guests), initramfs bases (files of "
		 "guests), programs (compiled tests), kernel symbols, models, package lists of "
		 "the private apt, remembered answers about files, and leftovers of killed "
		 "processes. SIZE is the disk usage.",
	.params = CLI_PARAMS(CLI_JSON, CACHE_KIND_ROW),
	.examples = CLI_EXAMPLES(
		{ "cache list", "everything, with its size and the time of its last use" },
		{ "cache list --kind template --json", "saved guests, for a script" }),
	.run = cmd_cache_list_run,
};
/* clang-format on */
