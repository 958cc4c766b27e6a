// SPDX-License-Identifier: GPL-2.0-only
/* The newest patch of a series that the release index does not list any more. */
#include "kernel/distro.h"
#include "kernel/parts.h"
#include "net/http.h"

#define FIRST_BATCH 16
#define MAX_PATCH 500

static void free_urls(char **urls, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(urls[i]);
	free(urls);
}

/* Number of consecutive patches that exist, starting with first; at most count. */
static int probe_batch(const struct kernel_version *series, uint64_t first, size_t count,
		       size_t *found)
{
	_free_ long *statuses = calloc(count, sizeof(*statuses));
	char **urls = calloc(count, sizeof(*urls));
	int rc = 0;

	if (!urls || !statuses) {
		free(urls);
		return err_no_memory();
	}
	for (size_t i = 0; rc == 0 && i < count; i++) {
		struct kernel_version v = *series;
		struct str url = {};

		v.has_patch = true;
		v.patch = first + i;
		tarball_url(&v, &url);
		urls[i] = str_take(&url);
		if (!urls[i])
			rc = err_no_memory();
	}
	rc = rc ?: http_probe(urls, count, statuses);
	for (*found = 0; rc == 0 && *found < count && statuses[*found] == 200;)
		(*found)++;
	if (rc == 0 && *found < count && statuses[*found] == 0)
		rc = err_set(ENETUNREACH, "%s cannot be reached", urls[*found]);
	free_urls(urls, count);
	return rc;
}

/* A series may end with its first release, linux-6.x.tar.xz, without patches. */
static bool has_first_release(const struct kernel_version *series)
{
	_str_ struct str url = {};
	long status = 0;

	tarball_url(series, &url);
	return str_check(&url) == 0 && http_probe(&url.s, 1, &status) == 0 && status == 200;
}

static int probe_series(const struct kernel_version *series, struct kernel_version *out)
{
	uint64_t next = 1;
	size_t batch = FIRST_BATCH, found = 0;

	do {
		int rc;

		if (batch > MAX_PATCH + 1 - next)
			batch = MAX_PATCH + 1 - next;
		rc = probe_batch(series, next, batch, &found);
		if (rc < 0)
			return rc;
		next += found;
		if (found < batch)
			break;
		batch *= 2;
	} while (next <= MAX_PATCH);
	*out = *series;
	out->has_patch = next > 1;
	out->patch = next - 1;
	if (next == 1 && !has_first_release(series))
		return err_set(ENOENT, "version %llu.%llu not found: kernel.org has no patch of it",
			       ULL(series->major), ULL(series->minor));
	return 0;
}

int tarball_newest(const struct kernel_version *series, const char *label,
		   struct kernel_version *out)
{
	const struct kernel_releases *releases;
	const struct kernel_release *row;
	int rc = kernel_releases_get(&releases);

	if (rc < 0)
		return rc;
	row = kernel_releases_newest(releases, series);
	if (row) {
		*out = row->version;
		return 0;
	}
	log_note("%s: %llu.%llu is an EOL series, looking for its last patch", label,
		 ULL(series->major), ULL(series->minor));
	return probe_series(series, out);
}
