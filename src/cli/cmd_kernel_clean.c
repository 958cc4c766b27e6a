// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr kernel clean`: removes cache entries. */
#include "cli/options.h"
#include "cli/table.h"
#include "kernel/cache.h"

/* Entries come newest first, corrupt ones last; corrupt ones do not count for --keep. */
static bool is_doomed(const struct cli_call *call, const struct cache_list *list, size_t index)
{
	if (list->items[index].fault != CACHE_OK)
		return true;
	if (cli_flag(call, "corrupt-only"))
		return false;
	return !cli_is_given(call, "keep") || index >= cli_number(call, "keep");
}

static void show_entry(const struct cache_entry *e, FILE *out)
{
	_str_ struct str line = {};

	text_add_printable(&line, e->key);
	if (e->fault != CACHE_OK) {
		str_add(&line, " (corrupt: ");
		text_add_printable(&line, e->reason ? e->reason : "?");
		str_addc(&line, ')');
	}
	fprintf(out, "  %s\n", str_get(&line));
}

static size_t show_doomed(const struct cli_call *call, const struct cache_list *list, FILE *out)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (!is_doomed(call, list, i))
			continue;
		count++;
		if (out)
			show_entry(&list->items[i], out);
	}
	return count;
}

static int remove_doomed(const struct cli_call *call, const char *root,
			 const struct cache_list *list, size_t count)
{
	size_t removed = 0;
	int rc = 0;

	for (size_t i = 0; i < list->count; i++) {
		int one;

		if (!is_doomed(call, list, i))
			continue;
		one = cache_remove(root, list->items[i].key);
		if (one < 0)
			rc = one;
		else
			removed++;
	}
	if (rc < 0)
		return err_wrap(rc, "removed %zu of %zu entries", removed, count);
	printf("removed %zu %s\n", removed, removed == 1 ? "entry" : "entries");
	return 0;
}

static int cmd_kernel_clean_run(const struct cli_call *call)
{
	_cache_list_ struct cache_list list = {};
	_free_ char *root = NULL;
	size_t count;
	int rc = cache_root(&root);

	if (rc == 0) {
		cache_temp_sweep(root);
		rc = cache_list_read(root, &list);
	}
	if (rc < 0)
		return rc;
	count = show_doomed(call, &list, NULL);
	if (!count) {
		printf("nothing to clean\n");
		return 0;
	}
	if (!cli_flag(call, "force")) {
		show_doomed(call, &list, stderr);
		rc = confirm_removal(count);
		if (rc <= 0)
			return rc;
	}
	return remove_doomed(call, root, &list, count);
}

/* clang-format off */
const struct cli_cmd cmd_kernel_clean = {
	.name = "clean", .summary = "remove kernels from the cache",
	.params = CLI_PARAMS(
		{ .name = "keep", .kind = CLI_NUMBER, .value = "N", .excludes = "corrupt-only",
		  .help = "keep the N newest valid entries" },
		{ .name = "corrupt-only", .help = "remove only entries that cannot be used" },
		{ .name = "force", .help = "do not ask" }),
	.examples = CLI_EXAMPLES(
		{ "kernel clean --keep 3", "all but the three newest" },
		{ "kernel clean --corrupt-only --force", "only what cannot be used, without asking" }),
	.holds_resources = true, .run = cmd_kernel_clean_run,
};
/* clang-format on */
