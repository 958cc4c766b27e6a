// SPDX-License-Identifier: GPL-2.0-only
/* Resolves an identifier to a kernel: cache, distribution image, kernel.org, in this order. */
#include "kernel/distro.h"
#include "kernel/parts.h"

struct resolver {
	const char *root;
	const char *label;
	const struct kernel_resolve_opts *opts;
};

static struct kernel_build_opts build_opts(const struct resolver *r)
{
	return (struct kernel_build_opts){ .label = r->label,
					   .cpu_cap = r->opts ? r->opts->cpu_cap : 0 };
}

/* An entry that matches the version; an unsound one only for an exact version. */
static int from_cache(const struct resolver *r, const struct kernel_version *v,
		      struct kernel_image *out)
{
	_cache_list_ struct cache_list list = {};
	const struct cache_entry *e;
	int rc = cache_list_read(r->root, &list);

	if (rc < 0)
		return rc;
	e = lookup_version(&list, v, kernel_version_is_series(v));
	return e ? cache_open(r->root, e->key, out) : -ENOENT;
}

static int from_archive(const struct resolver *r, const struct kernel_version *v,
			struct kernel_image *out)
{
	_free_ char *key = NULL;
	int rc = kernel_fetch(r->root, v, false, r->label, &key);

	return rc < 0 ? rc : cache_open(r->root, key, out);
}

static void add_cached_versions(const char *root, bool only_images, struct nearest *known)
{
	_cache_list_ struct cache_list list = {};

	if (cache_list_read(root, &list) < 0)
		return;
	for (size_t i = 0; i < list.count; i++) {
		struct kernel_version v;

		if (only_images && list.items[i].meta.source != KERNEL_SOURCE_DISTRO)
			continue;
		/* Kernels built from a user's tree have a version, but are not that release. */
		if (list.items[i].fault == CACHE_OK && list.items[i].meta.version &&
		    kernel_version_parse(list.items[i].meta.version, &v) == 0 &&
		    lookup_version(&list, &v, false))
			nearest_add(known, &v);
	}
}

int kernel_err_nearest(int rc, const char *root, const char *label, const struct kernel_version *v,
		       bool only_images)
{
	_free_ char *why = strdup(err_text(rc));
	_distro_list_ struct distro_list archive = {};
	_nearest_ struct nearest known = {};
	_str_ struct str text = {};

	add_cached_versions(root, only_images, &known);
	if (distro_list_get(root, label, &archive) == 0)
		for (size_t i = 0; i < archive.count; i++)
			nearest_add(&known, &archive.items[i].version);
	nearest_format(&known, v, &text);
	return err_set(-rc, "%s%s%s", why ? why : "out of memory",
		       text.len ? "; the nearest available: " : "", str_get(&text));
}

/* Everything failed: reports why, and which versions are available. */
static int cannot_be_had(const struct resolver *r, const struct kernel_version *v,
			 const char *archive_error, int build_rc)
{
	_free_ char *build_error = str_fmt("%s", err_text(build_rc));
	char version[KERNEL_VERSION_TEXT_SIZE];

	kernel_version_format(v, version);
	err_set(-build_rc, "Linux %s is not available: %s; %s", version,
		archive_error ? archive_error : "out of memory",
		build_error ? build_error : "out of memory");
	return kernel_err_nearest(build_rc, r->root, r->label, v, false);
}

static int resolve_version(const struct resolver *r, const struct kernel_version *v,
			   struct kernel_image *out)
{
	struct kernel_build_opts opts = build_opts(r);
	_free_ char *archive_error = NULL;
	int rc = from_cache(r, v, out);

	if (rc != -ENOENT)
		return rc;
	rc = from_archive(r, v, out);
	if (rc == 0 || rc == -ENOMEM || rc == -EINTR)
		return rc;
	archive_error = strdup(err_text(rc));
	if (rc != -ENOENT)
		log_debug("kernel", "%s", err_text(rc));
	rc = kernel_build_version(r->root, v, &opts, out);
	if (rc == -ENETUNREACH || rc == -ENOENT)
		return cannot_be_had(r, v, archive_error, rc);
	return rc;
}

/*
 * No version was named: a sound image of the latest series is available in seconds, although it may
 * lack the last patches, which would need a build. False: there is none.
 */
static bool from_series(const struct resolver *r, const struct kernel_version *v,
			struct kernel_image *out)
{
	struct kernel_version series = { .major = v->major, .minor = v->minor };

	if (from_archive(r, &series, out) == 0 && out->btf != KERNEL_BTF_UNSOUND)
		return true;
	kernel_image_finish(out);
	return false;
}

/* The latest stable of kernel.org, or the newest sound image if kernel.org is unavailable. */
static int resolve_latest(const struct resolver *r, struct kernel_image *out)
{
	const struct kernel_releases *releases;
	struct kernel_version v;
	int rc = kernel_releases_get(&releases) ?: kernel_releases_latest(releases, &v);

	if (rc == 0)
		return from_series(r, &v, out) ? 0 : resolve_version(r, &v, out);
	if (rc == -EINTR)
		return rc;
	log_note("%s: %s; taking the newest image of the package archive", r->label, err_text(rc));
	return from_archive(r, NULL, out);
}

static int resolve_path(const struct resolver *r, const char *path, struct kernel_image *out)
{
	struct kernel_build_opts opts = build_opts(r);
	struct stat st;

	if (stat(path, &st) < 0)
		return err_sys(errno, "open %s", path);
	if (S_ISDIR(st.st_mode))
		return kernel_build_tree(r->root, path, &opts, out);
	if (r->opts && r->opts->allow_raw_image)
		return image_from_file(path, out);
	return err_set(
		EINVAL,
		"%s is a file: raw kernel images are taken by `cargo ktstr shell` only, without cargo "
		"`cargo-ktstr shell --kernel %s`; name a source directory, a version or a cache key",
		path, path);
}

static int resolve_key(const struct resolver *r, const char *key, struct kernel_image *out)
{
	int rc;

	if (str_eq(key, KERNEL_OF_HOST))
		return discover_running(out);
	rc = cache_open(r->root, key, out);
	if (rc == -ENOENT)
		return err_set(ENOENT, "%s; see `ktstr kernel list`", err_text(rc));
	return rc;
}

static int resolve_id(const struct resolver *r, const struct kernel_id *id,
		      struct kernel_image *out)
{
	struct kernel_build_opts opts = build_opts(r);

	switch (id->kind) {
	case KERNEL_ID_GIT:
		return kernel_build_git(r->root, id, &opts, out);
	case KERNEL_ID_PATH:
		return resolve_path(r, id->text, out);
	case KERNEL_ID_VERSION:
		return resolve_version(r, &id->version, out);
	case KERNEL_ID_KEY:
		return resolve_key(r, id->text, out);
	case KERNEL_ID_RANGE:
		break;
	}
	return err_set(EINVAL, "'%s' is more than one kernel", id->text);
}

/* A range must resolve to one version. */
static int resolve_range(const struct resolver *r, const struct kernel_id *range,
			 struct kernel_image *out)
{
	_version_list_ struct version_list versions = {};
	_str_ struct str names = {};
	int rc = kernel_range_expand(
		range, &(struct range_opts){ .root = r->root, .label = r->label }, &versions);

	if (rc < 0)
		return rc;
	if (versions.count == 1)
		return resolve_version(r, &versions.items[0], out);
	for (size_t i = 0; i < versions.count; i++) {
		char version[KERNEL_VERSION_TEXT_SIZE];

		kernel_version_format(&versions.items[i], version);
		str_addf(&names, "%s%s", i ? ", " : "", version);
	}
	return err_set(EINVAL, "'%s' is %zu kernels, and only one can be taken here: %s",
		       range->text, versions.count, str_get(&names));
}

static int resolve_text(const struct resolver *r, const char *text, struct kernel_image *out)
{
	_kernel_id_list_ struct kernel_id_list ids = {};
	_str_ struct str names = {};
	int rc = kernel_id_list_add(&ids, text);

	if (rc < 0)
		return rc;
	if (ids.count == 1)
		return ids.items[0].kind == KERNEL_ID_RANGE ? resolve_range(r, &ids.items[0], out) :
							      resolve_id(r, &ids.items[0], out);
	for (size_t i = 0; i < ids.count; i++)
		str_addf(&names, "%s%s", i ? ", " : "", ids.items[i].text);
	return err_set(EINVAL, "%zu kernels are named, and only one can be taken here: %s",
		       ids.count, str_get(&names));
}

static int resolve(const char *id, const struct kernel_resolve_opts *opts, struct kernel_image *out)
{
	struct resolver r = { .label = opts && opts->label ? opts->label : "ktstr", .opts = opts };
	_free_ char *root = NULL;
	int rc;

	*out = (struct kernel_image){};
	if (!id) {
		rc = kernel_discover(out);
		if (rc != -ENOENT || !opts || !opts->fetch_when_absent)
			return rc;
	}
	rc = cache_root(&root);
	if (rc < 0)
		return rc;
	r.root = root;
	if (id)
		return resolve_text(&r, id, out);
	log_note("%s: no kernel found; getting the latest stable one", r.label);
	return resolve_latest(&r, out);
}

int kernel_resolve(const char *id, const struct kernel_resolve_opts *opts, struct kernel_image *out)
{
	int rc = resolve(id, opts, out);

	if (rc == 0 && !out->vmlinux && !out->key)
		image_unpack(out);
	return rc;
}
