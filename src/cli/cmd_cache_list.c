// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr cache list`: all items of the cache, and their sizes. */
#include "cli/cache_items.h"
#include "cli/table.h"

static int add_items(struct sheet *s, const struct stock *stock)
{
	static const struct sheet_column columns[] = {
		{ "kind", "KIND", .place = 1 },	    { "name", "NAME", .place = 5 },
		{ "what", "WHAT", .place = 6 },	    { "path" },
		{ "bytes", "SIZE", .place = 2 },    { "used_at", "USED", .place = 3 },
		{ "in_use", "IN USE", .place = 4 },
	};
	uint64_t now = clock_wall_ns();

	sheet_begin(s, "items", columns);
	vec_each(const struct stock_item, item, stock) {
		_str_ struct str size = {}, age = {};
		char used[CLOCK_TEXT_SIZE];

		cache_add_size(&size, item->bytes);
		cache_add_age(&age, now > item->used_ns ? now - item->used_ns : 0);
		clock_format_utc(item->used_ns, 0, used);
		sheet_add(s, SHEET_TEXT(stock_kind_names[item->kind]), SHEET_TEXT(item->name),
			  SHEET_TEXT(item->what), SHEET_TEXT(item->path),
			  sheet_shown(s, SHEET_U64(item->bytes), "%s", str_get(&size)),
			  sheet_shown(s, SHEET_TEXT(used), "%s", str_get(&age)),
			  SHEET_BOOL(item->is_used));
	}
	return sheet_end(s);
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

static void put_limits(struct json *j, const struct stock *s, uint64_t limit)
{
	_free_ char *root = path_kernel_cache();
	uint64_t all = 0;

	vec_each(const struct stock_item, item, s)
		all += item->bytes;
	json_put_string(j, "kernel_cache", root);
	json_put_u64(j, "total_bytes", all);
	json_put_u64(j, "limit_bytes", limit);
}

static int cmd_cache_list_run(const struct cli_call *call)
{
	_stock_ struct stock s = {};
	unsigned int kinds;
	struct printout o;
	uint64_t limit;
	int rc = cache_kinds(call, &kinds);

	if (rc != 0)
		return rc;
	rc = stock_limit(&limit) ?: stock_read(&s, kinds);
	if (rc < 0)
		return rc;
	output_document(&o, call);
	if (o.is_json)
		put_limits(&o.json, &s, limit);
	else if (!s.count)
		str_add(&o.text, "the cache is empty\n");
	if (o.is_json || s.count)
		rc = add_items(&o.sheet, &s);
	if (!o.is_json && s.count)
		add_totals(&o.text, &s);
	return output_end(&o, rc);
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
