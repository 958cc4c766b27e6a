// SPDX-License-Identifier: GPL-2.0-only
/* Stores entries atomically. */

#include <sys/file.h>

#include "kernel/parts.h"

#define TEMP_PREFIX ".tmp-"
#define TRIES 100

/* Removes the directory if it is not locked: then its writer has ended. */
static void sweep_one(const char *root, const char *name)
{
	_free_ char *path = str_fmt("%s/%s", root, name);
	_close_ int fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
		tree_remove(path);
}

void cache_temp_sweep(const char *root)
{
	_closedir_ DIR *dir = opendir(root);
	struct dirent *item;

	while (dir && (item = readdir(dir)))
		if (str_starts(item->d_name, TEMP_PREFIX))
			sweep_one(root, item->d_name);
	err_clear();
}

/* Another process may sweep the directory before it is locked: retry with a new one. */
static bool try_make(struct cache_temp *t, const char *root)
{
	struct stat st;

	t->path = str_fmt("%s/" TEMP_PREFIX "XXXXXX", root);
	if (!t->path || !mkdtemp(t->path))
		return false;
	t->fd = open(t->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (t->fd >= 0 && flock(t->fd, LOCK_EX | LOCK_NB) == 0 && fstat(t->fd, &st) == 0 &&
	    st.st_nlink > 0)
		return true;
	cache_temp_finish(t);
	errno = EAGAIN;
	return false;
}

int cache_temp_make(struct cache_temp *t, const char *root)
{
	int rc = path_cache_make(root);

	*t = (struct cache_temp){ .fd = -1 };
	if (rc < 0)
		return rc;
	cache_temp_sweep(root);
	for (int i = 0; i < TRIES; i++) {
		if (try_make(t, root))
			return chmod(t->path, 0755) < 0 ? err_sys(errno, "open up %s", t->path) : 0;
		if (errno != EAGAIN)
			break;
	}
	rc = path_cache_explain(err_sys(errno, "write to the cache %s", root));
	free(take_ptr(&t->path));
	return rc;
}

void cache_temp_finish(struct cache_temp *t)
{
	if (t->path)
		tree_remove(t->path);
	cleanup_fd(&t->fd);
	free(t->path);
	*t = (struct cache_temp){ .fd = -1 };
}

static int write_metadata(const char *directory, const struct kernel_meta *meta)
{
	_free_ char *path = str_fmt("%s/metadata.json", directory);
	_str_ struct str text = {};
	int rc;

	kernel_meta_write(meta, &text);
	rc = path ? str_check(&text) : err_no_memory();
	return rc ?: file_replace(path, str_get(&text), text.len, 0644);
}

/* Exchanges the directories, so that there is an entry at any time. */
static int swap_in(struct cache_temp *t, const char *root, const char *key)
{
	_free_ char *path = str_fmt("%s/%s", root, key);

	if (!path)
		return err_no_memory();
	if (renameat2(AT_FDCWD, t->path, AT_FDCWD, path, RENAME_NOREPLACE) == 0) {
		free(take_ptr(&t->path));
		return 0;
	}
	if (errno == EEXIST) {
		if (renameat2(AT_FDCWD, t->path, AT_FDCWD, path, RENAME_EXCHANGE) == 0)
			return 0;
	}
	/* The file system supports neither: for a moment there is no entry. */
	if (errno == EINVAL && tree_remove(path) == 0 && rename(t->path, path) == 0) {
		free(take_ptr(&t->path));
		return 0;
	}
	return err_sys(errno, "store %s", path);
}

int cache_store(struct cache_temp *t, const char *root, const char *key,
		const struct kernel_meta *meta)
{
	_close_ int lock = -1;
	uint64_t timeout_ns = 0;
	int rc = write_metadata(t->path, meta) ?: tree_sync(t->path);

	rc = rc ?: cache_store_timeout(&timeout_ns);
	if (rc < 0)
		return rc;
	lock = cache_lock(root, key, true, timeout_ns);
	if (lock < 0)
		return lock;
	rc = swap_in(t, root, key);
	if (rc == 0)
		cache_temp_finish(t);
	return rc;
}
