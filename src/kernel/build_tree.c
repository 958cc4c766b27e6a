// SPDX-License-Identifier: GPL-2.0-only
/* Builds of a source tree in place. */
#include "base/hash.h"
#include "kernel/parts.h"

#define SOURCE_LOCK_NS (3600 * NSEC_PER_SEC)

/* "42s", "5m", "3h", "2d"; false for an invalid or future time. */
static bool age_of(const char *built_at, char out[static 24])
{
	struct tm tm = {};
	const char *end = strptime(built_at, "%Y-%m-%dT%H:%M:%SZ", &tm);
	time_t seconds = end && !*end ? time(NULL) - timegm(&tm) : -1;
	long long s = (long long)seconds;

	if (s < 0)
		return false;
	if (s < 60)
		snprintf(out, 24, "%llds", s);
	else if (s < 3600)
		snprintf(out, 24, "%lldm", s / 60);
	else if (s < 86400)
		snprintf(out, 24, "%lldh", s / 3600);
	else
		snprintf(out, 24, "%lldd", s / 86400);
	return true;
}

static void tell_hit(const struct build *b, const char *path, const char *key)
{
	_cache_entry_ struct cache_entry entry = {};
	char age[24];

	if (cache_entry_load(b->root, key, &entry) == 0 && entry.fault == CACHE_OK &&
	    age_of(entry.meta.built_at, age))
		log_note("%s: cache hit for %s (%s, built %s ago)", b->opts->label, path, key, age);
	else
		log_note("%s: cache hit for %s (%s)", b->opts->label, path, key);
}

/* Hash of .config; "" if there is none. */
static void hash_config(const char *tree, char out[static KCONFIG_HASH_SIZE])
{
	_free_ char *path = str_fmt("%s/.config", tree);
	_str_ struct str config = {};

	out[0] = '\0';
	if (path && file_read_at(AT_FDCWD, path, &config) == 0)
		kconfig_hash_text(str_get(&config), config.len, out);
}

/*
 * The first build of a tree creates .config, so the second one has another key. The entry of the
 * first build is the same kernel if its .config is the same.
 */
static bool find_first_build(const struct build *b, const struct source_tree *tree,
			     const char *config_hash, struct kernel_image *out)
{
	_cache_entry_ struct cache_entry entry = {};
	_free_ char *key = key_local(tree->hash, "", b->extra_hash);
	bool is_same;

	if (!config_hash[0] || !key || cache_entry_load(b->root, key, &entry) < 0) {
		err_clear();
		return false;
	}
	is_same = entry.fault == CACHE_OK && entry.meta.config_hash &&
		  str_eq(entry.meta.config_hash, config_hash);
	return is_same && build_find_cached(b, key, out);
}

static void hint_uncached(const struct build *b, const struct source_tree *tree)
{
	_free_ char *name = key_local_unknown(tree->path, b->extra_hash);
	_free_ char *repository = str_fmt("%s/.git", tree->path);
	const char *key = name ? name : "";

	if (tree->state == TREE_NOT_GIT && repository && access(repository, F_OK) == 0)
		log_note(
			"%s: git cannot determine the commit of %s, so the kernel (%s) is not cached "
			"and is built again every time; `git log -1` in there says why",
			b->opts->label, tree->path, key);
	else if (tree->state == TREE_NOT_GIT)
		log_note("%s: %s is not a git checkout, so the kernel (%s) is not cached and is "
			 "built again every time; git init and a commit change that",
			 b->opts->label, tree->path, key);
	else
		log_note("%s: %s has changes that are not committed, so the kernel (%s) is not "
			 "cached; commit or stash them",
			 b->opts->label, tree->path, key);
}

static int finish_tree(const struct build *b, const struct source_tree *tree, const char *key,
		       struct kernel_image *out)
{
	_kernel_meta_ struct kernel_meta meta = { .source = KERNEL_SOURCE_LOCAL,
						  .source_tree = tree->path,
						  .git_hash = tree->hash };

	if (tree->state == TREE_CLEAN && source_tree_is_unchanged(tree))
		return build_store(b, tree, key, &meta, out);
	if (tree->state == TREE_CLEAN)
		log_note("%s: %s was edited or committed to during the build, so the kernel is "
			 "not cached",
			 b->opts->label, tree->path);
	else
		hint_uncached(b, tree);
	return image_in_tree(tree->path, out);
}

static int lock_source(const struct build *b, const char *path)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "source-%08x", crc32_of(path, strlen(path)));
	fd = cache_lock(b->root, name, true, 0);
	if (fd != -EWOULDBLOCK)
		return fd;
	log_note("%s: waiting for another build of %s", b->opts->label, path);
	return cache_lock(b->root, name, true, SOURCE_LOCK_NS);
}

int kernel_build_tree(const char *root, const char *path, const struct kernel_build_opts *opts,
		      struct kernel_image *out)
{
	_source_tree_ struct source_tree tree = {};
	char config_hash[KCONFIG_HASH_SIZE];
	_free_ char *key = NULL;
	_close_ int lock = -1;
	_build_ struct build b;
	int rc = build_init(&b, root, opts) ?: source_tree_open(&tree, path);

	if (rc < 0 || !tree.path)
		return rc;
	lock = lock_source(&b, tree.path);
	if (lock < 0)
		return lock;
	hash_config(tree.path, config_hash);
	key = key_local(tree.hash, config_hash, b.extra_hash);
	if (!key)
		return err_no_memory();
	if (tree.state == TREE_CLEAN &&
	    (build_find_cached(&b, key, out) || find_first_build(&b, &tree, config_hash, out))) {
		tell_hit(&b, tree.path, out->key);
		return 0;
	}
	rc = build_compile(&b, &tree, true);
	return rc < 0 ? rc : finish_tree(&b, &tree, key, out);
}
