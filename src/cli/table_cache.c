// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr cache`: what is kept, and dropping it. */
#include "cli/table.h"
#include "vm/stock.h"

static const char *const *kind_names(void)
{
	return stock_kind_names;
}

/* Rows read better packed than one field to a line. */
/* clang-format off */
#define KIND \
	{ .name = "kind", .kind = CLI_CHOICE, .value = "KIND", .choices = kind_names, \
	  .is_repeatable = true, .help = "only things of this kind" }

static const struct cli_param list_params[] = { CLI_JSON, KIND, {} };

static const struct cli_param clean_params[] = {
	KIND,
	{ .name = "older-than", .kind = CLI_DURATION, .value = "DURATION",
	  .help = "only what was not used for so long (12h, 7d)" },
	{ .name = "to-size", .kind = CLI_STRING, .value = "SIZE",
	  .help = "the least recently used, until the rest takes no more than this (512mib, 20gib)" },
	{ .name = "force", .help = "do not ask" },
	CLI_JSON,
	{}
};

static const struct cli_example list_examples[] = {
	{ "cache list", "everything, with its size and the time of its last use" },
	{ "cache list --kind template --json", "saved guests, for a script" },
	{}
};

static const struct cli_example clean_examples[] = {
	{ "cache clean --older-than 7d", "what was not used for a week" },
	{ "cache clean --kind template --kind initramfs --to-size 5gib --force",
	  "room on the disk; kernels stay" },
	{}
};

const struct cli_cmd cli_cache_commands[] = {
	{ .name = "list", .summary = "list what is kept in the cache",
	  .about = "Lists kernels, templates (guests that were booted once and saved), initramfs "
		   "bases (the files of guests), programs (compiled tests), symbols of kernels, "
		   "models, the lists of the private apt, remembered answers about files and what "
		   "killed processes left behind. SIZE is what they take on disk.",
	  .params = list_params, .examples = list_examples, .run = cmd_cache_list },
	{ .name = "clean", .summary = "remove things from the cache",
	  .about = "Removes what the options select, after asking; without options all of it. "
		   "What is in use stays. Everything can be made or fetched again. Templates, "
		   "initramfs bases and programs also make room by themselves: see KTSTR_CACHE_LIMIT.",
	  .params = clean_params, .examples = clean_examples, .holds_resources = true,
	  .run = cmd_cache_clean },
	{}
};
/* clang-format on */
