// SPDX-License-Identifier: GPL-2.0-only
/* Items of the cache as text and as JSON. */
#include "cli/cache_items.h"

#include "cli/cli.h"

int cache_kinds(const struct cli_call *call, unsigned int *kinds)
{
	size_t count = cli_count(call, "kind");

	*kinds = count ? 0 : STOCK_ALL;
	for (size_t i = 0; i < count; i++) {
		int kind = str_index(stock_kind_names, STOCK_KINDS, cli_nth(call, "kind", i));

		if (kind < 0)
			return cli_usage_error(call, "there is no kind %s",
					       cli_quoted(cli_nth(call, "kind", i)));
		*kinds |= 1U << kind;
	}
	return 0;
}

void cache_add_size(struct str *out, uint64_t bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
	double value = (double)bytes / 1024;
	size_t unit = 0;

	while (value >= 1024 && unit + 1 < ARRAY_SIZE(units)) {
		value /= 1024;
		unit++;
	}
	str_addf(out, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

void cache_add_age(struct str *out, uint64_t ns)
{
	static const struct {
		uint64_t seconds;
		const char *unit;
	} steps[] = { { 86400, "d" }, { 3600, "h" }, { 60, "min" }, { 1, "s" } };
	uint64_t seconds = ns / NSEC_PER_SEC;

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		if (seconds < steps[i].seconds && steps[i].seconds > 1)
			continue;
		str_addf(out, "%llu %s ago", ULL(seconds / steps[i].seconds), steps[i].unit);
		return;
	}
}

const char *const *cache_kind_names(void)
{
	return stock_kind_names;
}
