/* releases.json. */
#include "kernel/releases.h"

#include <errno.h>
#include <json-c/json.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/util.h"
#include "base/vec.h"
#include "kernel/http.h"
#include "kernel/json_read.h"

#define MAX_INDEX ((size_t)4 << 20)

/* Earlier patches of a series are too young to be called stable. */
#define SETTLED_PATCH 8

static int add_row(struct kernel_releases *out, struct json_object *row)
{
	const char *moniker = json_member_text(row, "moniker");
	const char *version = json_member_text(row, "version");
	struct kernel_release release = {};

	if (!moniker || !version || str_eq(moniker, "linux-next") ||
	    kernel_version_parse(version, &release.version) < 0)
		return 0;
	release.is_stable = str_eq(moniker, "stable") || str_eq(moniker, "longterm");
	return vec_push(out, release);
}

int kernel_releases_parse(const char *text, size_t len, struct kernel_releases *out)
{
	_json_object_ struct json_object *root = NULL;
	_str_ struct str reason = {};
	struct json_object *rows;
	enum json_fault fault;
	int rc = 0;

	*out = (struct kernel_releases){};
	root = json_read(text, len, &fault, &reason);
	if (fault != JSON_FAULT_NONE)
		return err_set(EINVAL, "the release index is not JSON: %s", str_get(&reason));
	rows = json_member(root, "releases");
	if (!json_object_is_type(rows, json_type_array))
		return err_set(EINVAL, "the release index has no array 'releases'");
	for (size_t i = 0; rc == 0 && i < json_object_array_length(rows); i++)
		rc = add_row(out, json_object_array_get_idx(rows, i));
	if (rc == 0 && !out->count)
		rc = err_set(EINVAL, "the release index names no version");
	if (rc < 0)
		kernel_releases_finish(out);
	return rc;
}

/* What the one request of this process gave. */
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
		return err_set(ENOMEM, "out of memory");
	rc = http_get(url, MAX_INDEX, &text, &answer);
	if (rc < 0)
		return rc;
	if (answer.status != 200)
		return err_set(EIO, "%s answered with HTTP status %ld", url, answer.status);
	return err_wrap(kernel_releases_parse(str_get(&text), text.len, out), "%s", url);
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

	for (size_t i = 0; i < r->count; i++) {
		const struct kernel_release *row = &r->items[i];

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

	for (size_t i = 0; i < r->count; i++) {
		const struct kernel_release *row = &r->items[i];

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
