// SPDX-License-Identifier: GPL-2.0-only
/* Selects cache entries. */
#include "kernel/parts.h"

static bool is_match(const struct cache_entry *e, const struct kernel_version *wanted,
		     struct kernel_version *version)
{
	if (e->fault != CACHE_OK || !e->meta.version || !str_eq(e->meta.arch, cache_arch()) ||
	    kernel_version_parse(e->meta.version, version) < 0)
		return false;
	/* Local trees have versions, too, but a version number does not refer to them. */
	if (e->meta.source == KERNEL_SOURCE_LOCAL || e->meta.source == KERNEL_SOURCE_GIT ||
	    e->meta.extra_kconfig_hash)
		return false;
	if (e->meta.source == KERNEL_SOURCE_TARBALL &&
	    cache_kconfig_status(&e->meta) != KCONFIG_MATCHES)
		return false;
	if (kernel_version_is_series(wanted))
		return kernel_version_in_series(version, wanted) && !version->has_rc;
	return kernel_version_compare(version, wanted) == 0;
}

const struct cache_entry *lookup_version(const struct cache_list *list,
					 const struct kernel_version *wanted, bool only_usable)
{
	const struct cache_entry *best = NULL;
	struct kernel_version best_version = {};

	vec_each(const struct cache_entry, e, list) {
		struct kernel_version version;
		int order;

		if (!is_match(e, wanted, &version) || (only_usable && !cache_is_usable(e)))
			continue;
		order = best ? kernel_version_compare(&version, &best_version) : 1;
		if (order > 0 || (order == 0 && kernel_source_is_ready_made(best->meta.source) &&
				  !kernel_source_is_ready_made(e->meta.source))) {
			best = e;
			best_version = version;
		}
	}
	return best;
}

const struct cache_entry *lookup_highest(const struct cache_list *list)
{
	const struct cache_entry *best = NULL;
	struct kernel_version best_version = {};

	vec_each(const struct cache_entry, e, list) {
		struct kernel_version version = {};

		if (!cache_is_usable(e))
			continue;
		if (e->meta.version && kernel_version_parse(e->meta.version, &version) < 0)
			version = (struct kernel_version){};
		if (!best || kernel_version_compare(&version, &best_version) > 0) {
			best = e;
			best_version = version;
		}
	}
	return best;
}
