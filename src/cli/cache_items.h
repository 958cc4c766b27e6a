/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by `cache list` and `cache clean`. */
#ifndef KTSTR_CLI_CACHE_ITEMS_H
#define KTSTR_CLI_CACHE_ITEMS_H

#include "vm/stock.h"

struct cli_call;

/* Kinds named by --kind as a bit mask, or all. Returns 0 or the usage status. */
int cache_kinds(const struct cli_call *call, unsigned int *kinds);

/* "1.5 GiB", "3 KiB". */
void cache_add_size(struct str *out, uint64_t bytes);

/* Appends "12 s", "3 h", "5 d", rounded down. */
void cache_add_age(struct str *out, uint64_t ns);

/* clang-format off */
#define CACHE_KIND_ROW \
	{ .name = "kind", .kind = CLI_CHOICE, .value = "KIND", .choices = cache_kind_names, \
	  .is_repeatable = true, .help = "only items of this kind" }
/* clang-format on */
const char *const *cache_kind_names(void);

#endif
