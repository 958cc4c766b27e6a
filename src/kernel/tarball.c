// SPDX-License-Identifier: GPL-2.0-only
/* Archives from kernel.org and from its git server. */
#include "kernel/parts.h"

#include "base/hash.h"
#include "kernel/distro.h"
#include "net/http.h"

#define MAX_TARBALL (1u << 30) /* six times the size of a release */
#define MAX_SUMS ((size_t)16 << 20)

static void add_directory(const struct kernel_version *v, struct str *out)
{
	_free_ char *base = http_base("KTSTR_CDN_URL", "https://cdn.kernel.org");

	str_addf(out, "%s/pub/linux/kernel/v%llu.x", base ? base : "", ULL(v->major));
}

static void add_file_name(const struct kernel_version *v, struct str *out)
{
	char text[KERNEL_VERSION_TEXT_SIZE];

	kernel_version_format(v, text);
	str_addf(out, "linux-%s.tar.%s", text, v->has_rc ? "gz" : "xz");
}

void tarball_url(const struct kernel_version *v, struct str *out)
{
	if (v->has_rc) {
		_free_ char *base = http_base("KTSTR_GIT_KERNEL_URL", "https://git.kernel.org");

		str_addf(out, "%s/torvalds/t/", base ? base : "");
	} else {
		add_directory(v, out);
		str_addc(out, '/');
	}
	add_file_name(v, out);
}

bool tarball_find_sum(const char *sums, const char *file, char out[static 65])
{
	size_t file_len = strlen(file);

	for (const char *line = sums; *line;) {
		size_t len = strcspn(line, "\r\n");
		size_t hex = strspn(line, "0123456789abcdef");

		if (hex == 64 && len == 66 + file_len && line[64] == ' ' &&
		    strncmp(line + 66, file, file_len) == 0) {
			memcpy(out, line, 64);
			out[64] = '\0';
			return true;
		}
		line += len;
		line += strspn(line, "\r\n");
	}
	return false;
}

/* Error "version X not found", with the newest of its series if known. */
static int not_found(const struct kernel_version *v)
{
	char version[KERNEL_VERSION_TEXT_SIZE], newest[KERNEL_VERSION_TEXT_SIZE];
	const struct kernel_releases *releases;
	const struct kernel_release *row = NULL;

	kernel_version_format(v, version);
	if (v->has_rc)
		return err_set(
			ENOENT,
			"version %s not found: archives of release candidates vanish once the "
			"release ships; use git+URL#v%s",
			version, version);
	if (kernel_releases_get(&releases) == 0)
		row = kernel_releases_newest(releases, v);
	if (!row)
		return err_set(ENOENT, "version %s not found", version);
	kernel_version_format(&row->version, newest);
	return err_set(ENOENT, "version %s not found; latest %llu.%llu.x: %s", version,
		       ULL(v->major), ULL(v->minor), newest);
}

static int download(const struct kernel_version *v, const char *url, const char *path,
		    const char *label)
{
	char version[KERNEL_VERSION_TEXT_SIZE];
	_free_ char *what = NULL;
	struct http_answer answer;
	int rc;

	kernel_version_format(v, version);
	what = str_fmt("%s: downloading Linux %s (MiB)", label, version);
	if (!what)
		return err_no_memory();
	rc = http_get_file(url,
			   &(struct http_file){ .path = path, .what = what, .limit = MAX_TARBALL },
			   &answer);
	if (rc < 0)
		return rc;
	if (answer.status == 404)
		return not_found(v);
	if (answer.status != 200)
		return err_set(EIO, "%s answered with HTTP status %ld", url, answer.status);
	if (answer.is_html)
		return err_set(EIO,
			       "%s answered with HTML instead of tarball: a proxy or a login "
			       "page is in between",
			       url);
	return 0;
}

static int fetch_sum(const struct kernel_version *v, const char *file, char out[static 65])
{
	_str_ struct str url = {}, sums = {};
	struct http_answer answer = {};
	int rc;

	add_directory(v, &url);
	str_add(&url, "/sha256sums.asc");
	rc = str_check(&url) ?: http_get(str_get(&url), MAX_SUMS, &sums, &answer);
	if (rc < 0)
		return rc;
	if (answer.status != 200)
		return err_set(EIO,
			       "%s answered with HTTP status %ld, so %s cannot be checked; "
			       "--skip-sha256 goes on without",
			       str_get(&url), answer.status, file);
	if (!tarball_find_sum(str_get(&sums), file, out))
		return err_set(EIO,
			       "%s does not list %s, so it cannot be checked; --skip-sha256 "
			       "goes on without",
			       str_get(&url), file);
	return 0;
}

static int check_sum(const struct kernel_version *v, const char *file, const char *path)
{
	_map_file_ struct map_file bytes = {};
	char wanted[65], got[SHA256_HEX_SIZE];
	struct sha256 hash;
	int rc = fetch_sum(v, file, wanted) ?: map_file_open_whole(&bytes, path);

	if (rc < 0)
		return rc;
	sha256_init(&hash);
	sha256_add(&hash, bytes.data, bytes.size);
	sha256_hex(&hash, got);
	if (!str_eq(wanted, got))
		return err_set(EIO,
			       "SHA-256 mismatch of %s: expected %s, got %s; the download is "
			       "damaged or not the real one",
			       file, wanted, got);
	return 0;
}

int tarball_fetch(const struct kernel_version *v, const char *directory, bool skip_sha256,
		  const char *label, struct str *tree)
{
	_str_ struct str url = {}, file = {}, path = {}, top = {};
	char version[KERNEL_VERSION_TEXT_SIZE];
	int rc;

	kernel_version_format(v, version);
	str_addf(&top, "linux-%s", version);
	tarball_url(v, &url);
	add_file_name(v, &file);
	str_addf(&path, "%s/%s", directory, str_get(&file));
	str_addf(tree, "%s/%s", directory, str_get(&top));
	rc = str_check(tree) ?: download(v, str_get(&url), str_get(&path), label);
	if (rc == 0 && skip_sha256)
		log_warn("kernel", "%s is used unchecked (--skip-sha256)", str_get(&file));
	else if (rc == 0 && v->has_rc)
		log_info("kernel", "there are no checksums for release candidates: %s is unchecked",
			 str_get(&file));
	else if (rc == 0)
		rc = check_sum(v, str_get(&file), str_get(&path));
	rc = rc ?: archive_unpack_tar(str_get(&path), directory, str_get(&top));
	unlink(str_get(&path));
	return rc;
}
