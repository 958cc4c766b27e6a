// SPDX-License-Identifier: GPL-2.0-only
/* Finds, lists and opens entries. */
#include "kernel/cache.h"

#include "kernel/parts.h"

#define MAX_METADATA (1 << 20)
#define REMOVE_TIMEOUT_NS (1 * NSEC_PER_SEC)

const char *cache_arch(void)
{
#if defined(__aarch64__)
	return "aarch64";
#else
	return "x86_64";
#endif
}

const char *cache_image_name(void)
{
	return str_eq(cache_arch(), "aarch64") ? "Image" : "bzImage";
}

int cache_root(char **root)
{
	*root = path_kernel_cache();
	return *root ? 0 : -EINVAL;
}

static enum cache_fault read_metadata(struct cache_entry *e, struct str *reason)
{
	_free_ char *path = str_fmt("%s/metadata.json", e->path);
	_str_ struct str text = {};
	int rc = path ? file_read_regular(path, &text) : -ENOMEM;

	if (rc == -ENOENT) {
		str_add(reason, "metadata.json is missing");
		return CACHE_MISSING;
	}
	if (rc < 0) {
		str_addf(reason, "metadata.json cannot be read: %s",
			 rc == -EINVAL ? "it is not a regular file" : strerror(-rc));
		return CACHE_UNREADABLE;
	}
	if (text.len > MAX_METADATA) {
		str_add(reason, "metadata.json is too large");
		return CACHE_PARSE_ERROR;
	}
	return kernel_meta_parse(text.s, text.len, &e->meta, reason);
}

static enum cache_fault check_image(struct cache_entry *e, struct str *reason)
{
	_free_ char *path = str_fmt("%s/%s", e->path, e->meta.image_name);
	struct bzimage image;
	int rc = path ? bzimage_check_file(path, &image) : -ENOMEM;

	if (rc == 0 && !str_eq(image.arch, e->meta.arch)) {
		str_addf(reason, "%s is a kernel for %s, not for %s", e->meta.image_name,
			 image.arch, e->meta.arch);
		return CACHE_MALFORMED;
	}
	if (rc == 0) {
		if (!e->meta.release && image.release[0])
			e->meta.release = kernel_meta_text(&e->meta, image.release);
		return CACHE_OK;
	}
	if (rc == -ENOENT) {
		str_addf(reason, "%s is missing", e->meta.image_name);
		return CACHE_IMAGE_MISSING;
	}
	str_add(reason, err_text(rc));
	if (rc == -ENODATA)
		return CACHE_TRUNCATED;
	if (rc == -EINVAL)
		return CACHE_MALFORMED;
	return rc == -EACCES ? CACHE_UNREADABLE : CACHE_UNKNOWN;
}

/* vmlinux is booted and its BTF is used, so it must be complete. */
static enum cache_fault check_vmlinux(struct cache_entry *e, struct str *reason)
{
	_free_ char *path = str_fmt("%s/vmlinux", e->path);
	int rc = 0;

	if (e->meta.has_vmlinux)
		rc = path ? vmlinux_check_file(path) : -ENOMEM;
	if (rc == 0)
		return CACHE_OK;
	if (rc == -ENOENT) {
		str_add(reason, "vmlinux is missing");
		return CACHE_IMAGE_MISSING;
	}
	str_add(reason, err_text(rc));
	if (rc == -EINVAL || rc == -ENODATA)
		return CACHE_TRUNCATED;
	return rc == -EACCES ? CACHE_UNREADABLE : CACHE_UNKNOWN;
}

/* Entries of older versions lack these facts: read them from vmlinux; ignore errors. */
static void fill_facts(struct cache_entry *e)
{
	_free_ char *path = str_fmt("%s/vmlinux", e->path);
	struct vmlinux_facts facts;

	if (!e->meta.has_vmlinux || e->meta.btf != KERNEL_BTF_UNKNOWN || !path ||
	    vmlinux_look_file(path, &facts) < 0)
		return;
	e->meta.has_scx = facts.has_scx;
	e->meta.btf = facts.btf;
	e->meta.unsound_kfuncs = facts.unsound_kfuncs;
}

int cache_entry_load(const char *root, const char *key, struct cache_entry *out)
{
	_str_ struct str reason = {};
	struct stat st;

	*out = (struct cache_entry){ .key = strdup(key), .path = str_fmt("%s/%s", root, key) };
	if (!out->key || !out->path) {
		cache_entry_finish(out);
		return err_no_memory();
	}
	if (key[0] == '.' || strchr(key, '/') || stat(out->path, &st) < 0 || !S_ISDIR(st.st_mode)) {
		cache_entry_finish(out);
		return err_set(ENOENT, "no kernel '%s' in the cache %s", key, root);
	}
	out->fault = read_metadata(out, &reason);
	if (out->fault == CACHE_OK)
		out->fault = check_image(out, &reason);
	if (out->fault == CACHE_OK)
		out->fault = check_vmlinux(out, &reason);
	if (out->fault == CACHE_OK)
		fill_facts(out);
	else
		out->reason = strdup(str_get(&reason));
	return 0;
}

void cache_entry_finish(struct cache_entry *entry)
{
	free(entry->key);
	free(entry->path);
	free(entry->reason);
	kernel_meta_finish(&entry->meta);
	*entry = (struct cache_entry){};
}

static int compare_entries(const void *left, const void *right)
{
	const struct cache_entry *a = left, *b = right;
	int order;

	if ((a->fault == CACHE_OK) != (b->fault == CACHE_OK))
		return a->fault == CACHE_OK ? -1 : 1;
	order = a->fault == CACHE_OK ? strcmp(b->meta.built_at, a->meta.built_at) : 0;
	return order ? order : strcmp(a->key, b->key);
}

static int add_entry(struct cache_list *list, const char *root, const char *name)
{
	struct cache_entry entry;
	int rc;

	if (name[0] == '.')
		return 0;
	rc = cache_entry_load(root, name, &entry);
	if (rc == -ENOENT)
		return 0;
	return rc ?: vec_push(list, entry);
}

int cache_list_read(const char *root, struct cache_list *out)
{
	_closedir_ DIR *dir = opendir(root);
	struct dirent *item;
	int rc = 0;

	*out = (struct cache_list){};
	if (!dir)
		return errno == ENOENT ? 0 : err_sys(errno, "read the kernel cache %s", root);
	while (rc == 0 && (item = readdir(dir)))
		rc = add_entry(out, root, item->d_name);
	if (rc < 0)
		cache_list_finish(out);
	else if (out->count)
		vec_sort(out, compare_entries);
	return rc;
}

void cache_list_finish(struct cache_list *list)
{
	vec_release(list, each, cache_entry_finish(each));
	*list = (struct cache_list){};
}

/* The tree it was built from, if that still has the same vmlinux. */
static char *living_tree(const struct kernel_meta *meta)
{
	_free_ char *path = NULL;
	struct stat st;

	if (!meta->source_tree || !meta->has_vmlinux_origin)
		return NULL;
	path = str_fmt("%s/vmlinux", meta->source_tree);
	if (!path || stat(path, &st) < 0 || (uint64_t)st.st_size != meta->source_vmlinux_size ||
	    (uint64_t)st.st_mtime != meta->source_vmlinux_mtime_secs)
		return NULL;
	return strdup(meta->source_tree);
}

static int fill_image(const struct cache_entry *e, const char *key, struct kernel_image *out)
{
	const struct kernel_meta *m = &e->meta;
	_free_ char *config = str_fmt("%s/config", e->path);

	out->image = str_fmt("%s/%s", e->path, m->image_name);
	out->key = strdup(key);
	if (!out->image || !out->key || !config)
		return err_no_memory();
	if (m->has_vmlinux)
		out->vmlinux = str_fmt("%s/vmlinux", e->path);
	if (access(config, R_OK) == 0)
		out->config = take_ptr(&config);
	out->version = m->version ? strdup(m->version) : NULL;
	out->release = m->release ? strdup(m->release) : NULL;
	out->source_tree = living_tree(m);
	out->vmlinux_is_bootable = m->has_vmlinux && !m->vmlinux_stripped;
	out->has_scx = m->has_scx;
	out->btf = m->btf;
	out->unsound_kfuncs = m->unsound_kfuncs;
	return 0;
}

/* A cache on a read-only file system needs no lock: nobody can change it. */
static int lock_for_reading(const char *root, const char *key, struct kernel_image *out)
{
	int fd = cache_lock(root, key, false, CACHE_READ_TIMEOUT_NS);

	if (fd == -EROFS || fd == -EACCES)
		return 0;
	if (fd < 0)
		return fd;
	out->lock_fd = fd;
	return 0;
}

int cache_open(const char *root, const char *key, struct kernel_image *out)
{
	_cache_entry_ struct cache_entry entry = {};
	int rc = cache_entry_load(root, key, &entry);

	*out = (struct kernel_image){};
	if (rc < 0)
		return rc;
	rc = lock_for_reading(root, key, out);
	if (rc == 0) {
		cache_entry_finish(&entry);
		rc = cache_entry_load(root, key, &entry);
	}
	if (rc == 0 && entry.fault != CACHE_OK)
		rc = err_set(ENOENT, "the cached kernel '%s' is corrupt: %s", key,
			     entry.reason ? entry.reason : cache_fault_token(entry.fault));
	if (rc == 0 && entry.meta.arch && !str_eq(entry.meta.arch, cache_arch()))
		rc = err_set(ENOENT, "the cached kernel '%s' is for %s, and guests here are %s",
			     key, entry.meta.arch, cache_arch());
	rc = rc ?: fill_image(&entry, key, out);
	if (rc < 0)
		kernel_image_finish(out);
	return rc;
}

int cache_remove(const char *root, const char *key)
{
	_free_ char *path = str_fmt("%s/%s", root, key);
	_free_ char *doomed = str_fmt("%s/.tmp-removed-%s-%d", root, key, (int)getpid());
	_close_ int lock = -1;

	if (!path || !doomed)
		return err_no_memory();
	lock = cache_lock(root, key, true, REMOVE_TIMEOUT_NS);
	if (lock < 0)
		return lock;
	/* Renamed first: other processes never see a partly removed entry. */
	if (rename(path, doomed) < 0)
		return err_sys(errno, "remove %s", path);
	return tree_remove(doomed);
}

enum kconfig_status cache_kconfig_status(const struct kernel_meta *meta)
{
	if (kernel_source_is_ready_made(meta->source))
		return KCONFIG_NOT_OURS;
	if (!meta->kconfig_hash)
		return KCONFIG_UNTRACKED;
	return str_eq(meta->kconfig_hash, kconfig_hash()) ? KCONFIG_MATCHES : KCONFIG_STALE;
}

const char *kconfig_status_text(enum kconfig_status status)
{
	static const char *const words[] = {
		[KCONFIG_MATCHES] = "matches",
		[KCONFIG_STALE] = "stale",
		[KCONFIG_UNTRACKED] = "untracked",
		[KCONFIG_NOT_OURS] = "distribution",
	};

	return words[status];
}

bool cache_is_usable(const struct cache_entry *entry)
{
	if (entry->fault != CACHE_OK || !str_eq(entry->meta.arch, cache_arch()))
		return false;
	if (kernel_source_is_ready_made(entry->meta.source))
		return entry->meta.btf == KERNEL_BTF_OK && entry->meta.has_scx == KERNEL_YES;
	return cache_kconfig_status(&entry->meta) == KCONFIG_MATCHES;
}
