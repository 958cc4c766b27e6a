// SPDX-License-Identifier: GPL-2.0-only
/* Parses releases.json. */
#include "kernel/distro.h"

#include <pthread.h>

#include "base/json_fields.h"
#include "net/http.h"

#define MAX_INDEX ((size_t)4 << 20)

/* Earlier patch levels of a series are too new to count as stable. */
#define SETTLED_PATCH 8

struct release_row {
	const char *moniker, *version;
};

struct index {
	VEC(struct release_row) rows;
	bool has_rows;
};

static const struct json_field row_fields[] = {
	JSON_FIELD(release_row, moniker, TEXT),
	JSON_FIELD(release_row, version, TEXT),
	{},
};

static const struct json_field index_fields[] = {
	JSON_LIST_OF("releases", index, rows, row_fields, JSON_HAS(index, has_rows)),
	{},
};

static int add_release(struct kernel_releases *out, const struct release_row *row)
{
	struct kernel_release release = {};

	if (!row->moniker || !row->version || str_eq(row->moniker, "linux-next") ||
	    kernel_version_parse(row->version, &release.version) < 0)
		return 0;
	release.is_stable = str_eq(row->moniker, "stable") || str_eq(row->moniker, "longterm");
	return vec_push(out, release);
}

/* Ignores rows that are not objects or lack a string. */
static int read_rows(struct json_load *l, struct kernel_releases *out)
{
	struct index index = {};
	int rc = 0;

	if (!json_load_text(l, index_fields, &index))
		return l->is_out_of_memory ?
			       err_no_memory() :
			       err_set(EINVAL, "the release index is not JSON: byte %zu: %s",
				       l->r->problem_at, l->r->problem);
	if (!index.has_rows)
		return err_set(EINVAL, "the release index has no array 'releases'");
	vec_each_while(const struct release_row, row, &index.rows, rc == 0)
		rc = add_release(out, row);
	if (rc == 0 && !out->count)
		rc = err_set(EINVAL, "the release index names no version");
	return rc;
}

int kernel_releases_parse(char *text, size_t len, struct kernel_releases *out)
{
	struct arena arena = {};
	struct json_reader r;
	struct json_load l = { .r = &r, .arena = &arena, .is_lenient = true };
	int rc;

	*out = (struct kernel_releases){};
	json_read_init(&r, text, len);
	rc = read_rows(&l, out);
	arena_finish(&arena);
	if (rc < 0)
		kernel_releases_finish(out);
	return rc;
}

/* Result of the only request of this process. */
static struct {
	pthread_once_t once;
	struct kernel_releases releases;
	int rc;
	char *error;
} fetched = { .once = PTHREAD_ONCE_INIT };

static int fetch(struct kernel_releases *out)
{
	_free_ char *base = http_base("KTSTR_KERNEL_ORG_URL", "https://www.kernel.org");
	_free_ char *url = base ? str_fmt("%s/releases.json", base) : NULL;
	_str_ struct str text = {};
	struct http_answer answer;
	int rc;

	if (!url)
		return err_no_memory();
	rc = http_get(url, MAX_INDEX, &text, &answer);
	if (rc < 0)
		return rc;
	if (answer.status != 200)
		return err_set(EIO, "%s answered with HTTP status %ld", url, answer.status);
	if (!text.len)
		return err_set(EIO, "%s is empty", url);
	return err_wrap(kernel_releases_parse(text.s, text.len, out), "%s", url);
}

static void forget(void)
{
	kernel_releases_finish(&fetched.releases);
	free(fetched.error);
}

static void fetch_once(void)
{
	fetched.rc = fetch(&fetched.releases);
	if (fetched.rc < 0)
		fetched.error = strdup(err_text(fetched.rc));
	atexit(forget);
}

int kernel_releases_get(const struct kernel_releases **out)
{
	pthread_once(&fetched.once, fetch_once);
	*out = &fetched.releases;
	if (fetched.rc < 0)
		return err_set(-fetched.rc, "%s", fetched.error ? fetched.error : "out of memory");
	return 0;
}

int kernel_releases_latest(const struct kernel_releases *r, struct kernel_version *out)
{
	const struct kernel_release *best = NULL;

	vec_each(const struct kernel_release, row, r) {
		if (row->is_stable && row->version.patch >= SETTLED_PATCH &&
		    (!best || kernel_version_compare(&row->version, &best->version) > 0))
			best = row;
	}
	if (!best)
		return err_set(ENOENT, "no stable kernel with patch >= %d found", SETTLED_PATCH);
	*out = best->version;
	return 0;
}

const struct kernel_release *kernel_releases_newest(const struct kernel_releases *r,
						    const struct kernel_version *series)
{
	const struct kernel_release *best = NULL;

	vec_each(const struct kernel_release, row, r) {
		if (kernel_version_in_series(&row->version, series) &&
		    (!best || kernel_version_compare(&row->version, &best->version) > 0))
			best = row;
	}
	return best;
}

void kernel_releases_finish(struct kernel_releases *r)
{
	free(r->items);
	*r = (struct kernel_releases){};
}
