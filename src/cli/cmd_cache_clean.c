// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr cache clean`: removes items that can be recreated. */
#include "cli/cache_items.h"
#include "cli/options.h"
#include "cli/table.h"

struct result {
	size_t removed, kept;
	uint64_t freed;
	int failure; /* the last error, except "in use" */
};

/* Moves those that are to go to the front, and counts them. Items come oldest first. */
static size_t choose(struct stock *s, uint64_t older_than_ns, uint64_t to_bytes)
{
	uint64_t now = clock_wall_ns(), total = 0;
	size_t count = 0;

	for (size_t i = 0; i < s->count; i++)
		total += s->items[i].bytes;
	for (size_t i = 0; i < s->count; i++) {
		struct stock_item item = s->items[i];
		bool is_young = item.used_ns > now || now - item.used_ns < older_than_ns;

		if (is_young || total <= to_bytes)
			continue;
		if (!item.is_used)
			total -= item.bytes;
		s->items[i] = s->items[count];
		s->items[count++] = item;
	}
	return count;
}

static void show(const struct stock *s, size_t count)
{
	array_each(const struct stock_item, item, s->items, count) {
		_str_ struct str size = {}, line = {}, shown = {};

		cache_add_size(&size, item->bytes);
		str_addf(&line, "  %s %s (%s): %s%s", stock_kind_names[item->kind], item->name,
			 str_get(&size), item->what, item->is_used ? ", in use" : "");
		text_add_printable(&shown, str_get(&line));
		fprintf(stderr, "%s\n", str_get(&shown));
	}
}

static void remove_chosen(const struct stock *s, size_t count, struct result *r)
{
	for (size_t i = 0; i < count; i++) {
		int rc = stock_remove(&s->items[i]);

		if (rc == 0) {
			r->removed++;
			r->freed += s->items[i].bytes;
			continue;
		}
		r->kept++;
		log_note("%s: kept: %s", log_label(), err_text(rc));
		if (rc != -EWOULDBLOCK)
			r->failure = rc;
	}
}

static int report(const struct cli_call *call, const struct result *r)
{
	struct printout o;

	output_document(&o, call);
	if (o.is_json) {
		json_put_u64(&o.json, "removed", r->removed);
		json_put_u64(&o.json, "kept", r->kept);
		json_put_u64(&o.json, "freed_bytes", r->freed);
	} else if (!r->removed && !r->kept) {
		str_add(&o.text, "nothing to clean\n");
	} else {
		str_addf(&o.text, "removed %zu, freed ", r->removed);
		cache_add_size(&o.text, r->freed);
		if (r->kept)
			str_addf(&o.text, ", kept %zu", r->kept);
		str_addc(&o.text, '\n');
	}
	return output_end(&o, 0);
}

/* Without --to-size all items that are old enough are removed. */
static int read_size(const struct cli_call *call, uint64_t *bytes)
{
	const char *text = cli_text(call, "to-size");

	*bytes = 0;
	if (text && parse_size_iec(text, bytes) < 0)
		return cli_usage_error(call,
				       "invalid size %s for --to-size: expected 512mib, "
				       "20gib or the like",
				       cli_quoted(text));
	return 0;
}

static int cmd_cache_clean_run(const struct cli_call *call)
{
	_stock_ struct stock s = {};
	struct result result = {};
	unsigned int kinds;
	uint64_t to_bytes;
	size_t count;
	int rc = cache_kinds(call, &kinds) ?: read_size(call, &to_bytes);

	if (rc != 0)
		return rc;
	rc = stock_read(&s, kinds);
	if (rc < 0)
		return rc;
	vec_sort(&s, stock_compare_use);
	count = choose(&s, cli_number(call, "older-than"), to_bytes);
	if (count && !cli_flag(call, "force")) {
		show(&s, count);
		rc = confirm_removal(count);
		if (rc <= 0)
			return rc;
	}
	remove_chosen(&s, count, &result);
	rc = report(call, &result);
	return rc == 0 && result.failure ? EXIT_FAILED : rc;
}

/* clang-format off */
const struct cli_cmd cmd_cache_clean = {
	.name = "clean", .summary = "remove items from the cache",
	.about = "Removes the selected items, or everything without options, after asking for "
		 "confirmation. Items in use are kept. Everything can be built or fetched again. "
		 "Templates, initramfs bases and programs are also removed automatically, see "
		 "KTSTR_CACHE_LIMIT.",
	.params = CLI_PARAMS(
		CACHE_KIND_ROW,
		{ .name = "older-than", .kind = CLI_DURATION, .value = "DURATION",
		  .help = "only items that were not used for this long (12h, 7d)" },
		{ .name = "to-size", .kind = CLI_STRING, .value = "SIZE",
		  .help = "remove the least recently used items until the rest fits into SIZE "
			  "(512mib, 20gib)" },
		{ .name = "force", .help = "do not ask" },
		CLI_JSON),
	.examples = CLI_EXAMPLES(
		{ "cache clean --older-than 7d", "what was not used for a week" },
		{ "cache clean --kind template --kind initramfs --to-size 5gib --force",
		  "free disk space, but keep kernels" }),
	.holds_resources = true,
	.run = cmd_cache_clean_run,
};
/* clang-format on */
