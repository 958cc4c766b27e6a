// SPDX-License-Identifier: GPL-2.0-only
/* Expands ranges of versions. */

#include "kernel/distro.h"
#include "kernel/parts.h"

/* No major version of Linux has had more minor ones. */
#define MAX_MINOR 40

static int add_version(struct version_list *list, const struct kernel_id *range,
		       const struct kernel_version *v)
{
	if (!kernel_version_in_range(v, &range->version, &range->range_end))
		return 0;
	for (size_t i = 0; i < list->count; i++)
		if (kernel_version_compare(&list->items[i], v) == 0)
			return 0;
	return vec_push(list, *v);
}

static int add_releases(struct version_list *list, const struct kernel_id *range,
			const struct kernel_releases *releases)
{
	int rc = 0;

	for (size_t i = 0; i < releases->count && rc == 0; i++)
		if (releases->items[i].is_stable)
			rc = add_version(list, range, &releases->items[i].version);
	return rc;
}

/* Adds series in the range that the index does not list any more, by minor number. */
static int add_eol(struct version_list *list, const struct kernel_id *range,
		   const struct kernel_releases *releases, const char *label)
{
	struct kernel_version series = { .major = range->version.major,
					 .minor = range->version.minor };

	while (kernel_version_compare(&series, &range->range_end) <= 0) {
		struct kernel_version newest;
		int rc = 0;

		if (!kernel_releases_newest(releases, &series)) {
			rc = tarball_newest(&series, label, &newest);
			rc = rc ?: add_version(list, range, &newest);
		}
		if (rc < 0 && rc != -ENOENT)
			return rc;
		/* No such series: the major version has ended. */
		if (rc == -ENOENT || ++series.minor > MAX_MINOR)
			series = (struct kernel_version){ .major = series.major + 1 };
		if (series.major > range->range_end.major)
			return 0;
	}
	return 0;
}

static int add_cached(struct version_list *list, const struct kernel_id *range, const char *root)
{
	_cache_list_ struct cache_list cached = {};
	int rc = cache_list_read(root, &cached);

	vec_each_while(const struct cache_entry, e, &cached, rc == 0) {
		struct kernel_version v;

		if (e->fault == CACHE_OK && e->meta.version &&
		    kernel_version_parse(e->meta.version, &v) == 0)
			rc = add_version(list, range, &v);
	}
	return rc;
}

static int add_archive(struct version_list *list, const struct kernel_id *range,
		       const struct range_opts *opts)
{
	_distro_list_ struct distro_list kernels = {};
	int rc = distro_list_get(opts->root, opts->label, &kernels);

	for (size_t i = 0; i < kernels.count && rc == 0; i++)
		rc = add_version(list, range, &kernels.items[i].version);
	return rc;
}

/* The index is unavailable: uses cache and archive. */
static int add_without_index(struct version_list *list, const struct kernel_id *range,
			     const struct range_opts *opts, int index_rc)
{
	_free_ char *why = str_fmt("%s", err_text(index_rc));
	int cached = opts->root ? add_cached(list, range, opts->root) : 0;
	int archive = opts->root ? add_archive(list, range, opts) : 0;

	if (cached == -ENOMEM || archive == -ENOMEM)
		return err_no_memory();
	if (!list->count)
		return err_set(-index_rc, "%s", why ? why : "out of memory");
	log_note("%s: %s; the range is taken from the cache and the package archive", opts->label,
		 why ? why : "no release index");
	return 0;
}

static int compare_versions(const void *a, const void *b)
{
	return kernel_version_compare(a, b);
}

int kernel_range_expand(const struct kernel_id *range, const struct range_opts *opts,
			struct version_list *out)
{
	const struct kernel_releases *releases;
	int rc = kernel_releases_get(&releases);

	*out = (struct version_list){};
	if (rc < 0) {
		rc = add_without_index(out, range, opts, rc);
	} else {
		rc = add_releases(out, range, releases);
		if (rc == 0 && opts->include_eol)
			rc = add_eol(out, range, releases, opts->label);
	}
	if (rc == 0 && !out->count)
		rc = err_set(ENOENT, "no stable kernel lies in the range %s", range->text);
	if (rc < 0)
		version_list_finish(out);
	else
		vec_sort(out, compare_versions);
	return rc;
}

void version_list_finish(struct version_list *list)
{
	free(list->items);
	*list = (struct version_list){};
}
