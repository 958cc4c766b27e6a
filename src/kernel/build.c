// SPDX-License-Identifier: GPL-2.0-only
/* Builds of downloaded sources: releases and git repositories. */
#include "kernel/build.h"

#include "kernel/parts.h"

static bool build_is_done(const struct build *b, const char *key, struct kernel_image *out)
{
	bool is_cached = build_find_cached(b, key, out);

	if (is_cached)
		log_note("%s: %s is cached; --force builds it again", b->opts->label, key);
	return is_cached;
}

int kernel_build_version(const char *root, const struct kernel_version *version,
			 const struct kernel_build_opts *opts, struct kernel_image *out)
{
	_cache_temp_ struct cache_temp work = { .fd = -1 };
	_source_tree_ struct source_tree tree = {};
	_kernel_meta_ struct kernel_meta meta = { .source = KERNEL_SOURCE_TARBALL };
	char text[KERNEL_VERSION_TEXT_SIZE];
	_build_ struct build b;
	_str_ struct str path = {};
	struct kernel_version v = *version;
	_free_ char *key = NULL;
	int rc = build_init(&b, root, opts);

	if (rc == 0 && kernel_version_is_series(&v))
		rc = tarball_newest(version, opts->label, &v);
	if (rc < 0)
		return rc;
	kernel_version_format(&v, text);
	key = key_tarball(text, b.extra_hash);
	rc = key ? 0 : err_no_memory();
	if (rc == 0 && build_is_done(&b, key, out))
		return 0;
	rc = rc ?: cache_temp_make(&work, root);
	rc = rc ?: tarball_fetch(&v, work.path, opts->skip_sha256, opts->label, &path);
	rc = rc ?: source_tree_open(&tree, str_get(&path));
	rc = rc ?: build_compile(&b, &tree, false);
	meta.version = kernel_meta_text(&meta, text);
	return rc < 0 ? rc : build_store(&b, &tree, key, &meta, out);
}

int kernel_build_git(const char *root, const struct kernel_id *id,
		     const struct kernel_build_opts *opts, struct kernel_image *out)
{
	_cache_temp_ struct cache_temp work = { .fd = -1 };
	_source_tree_ struct source_tree tree = {};
	_kernel_meta_ struct kernel_meta meta = { .source = KERNEL_SOURCE_GIT };
	_free_ char *key = NULL;
	_build_ struct build b;
	char hash[41];
	int rc = build_init(&b, root, opts) ?: git_source_tip(id, hash);

	if (rc < 0)
		return rc;
	key = key_git(id->ref, hash, b.extra_hash);
	rc = key ? 0 : err_no_memory();
	if (rc == 0 && build_is_done(&b, key, out))
		return 0;
	rc = rc ?: cache_temp_make(&work, root);
	rc = rc ?: git_source_clone(id, hash, work.path, opts->label);
	rc = rc ?: source_tree_open(&tree, work.path);
	rc = rc ?: build_compile(&b, &tree, false);
	meta.git_hash = hash;
	meta.git_ref = id->ref;
	return rc < 0 ? rc : build_store(&b, &tree, key, &meta, out);
}
