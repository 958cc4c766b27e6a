// SPDX-License-Identifier: GPL-2.0-only
/* Looks up programs in the cache and adds them. */
#include "run/parts.h"

#include <sys/file.h>

#include "kernel/cache.h"
#include "vm/stock.h"

struct place {
	const char *root, *dir, *program;
};

static bool is_trusted(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && !S_ISLNK(st.st_mode) &&
	       (st.st_uid == 0 || st.st_uid == geteuid());
}

/* Locked directories of the cache: other processes do not remove them. */
static VEC(int) held;

/* Updates the directory's time of last use, and locks it (shared) against removal. */
static void hold(const char *dir)
{
	_close_ int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	futimens(fd, NULL);
	if (flock(fd, LOCK_SH | LOCK_NB) == 0 && vec_push(&held, fd) == 0)
		take_fd(&fd);
}

void source_release(void)
{
	for (size_t i = 0; i < held.count; i++)
		close(held.items[i]);
	held.count = 0;
}

/* Locks the directory before it checks the program, so that it cannot vanish afterwards. */
static bool is_there(const struct place *p)
{
	if (!is_trusted(p->root) || !is_trusted(p->dir))
		return false;
	hold(p->dir);
	return is_trusted(p->program) && access(p->program, X_OK) == 0;
}

/* Writes CACHEDIR.TAG, so that searches for test programs and backups skip the cache. */
static int mark_as_cache(const char *root)
{
	static const char text[] = "Signature: 8a477f597d28d172789f06886806bc55\n"
				   "# Test programs that ktstr compiled; they can be made again.\n";
	_free_ char *path = str_fmt("%s/" PROGRAM_CACHE_TAG, root);

	if (!path)
		return err_no_memory();
	return access(path, F_OK) == 0 ? 0 : file_replace(path, text, strlen(text), 0644);
}

/* Makes the program in a temporary directory and renames it: others see all of it or nothing. */
static int make_program(const struct place *p, program_make_fn *make, void *ctx)
{
	_cache_temp_ struct cache_temp temp = { .fd = -1 };
	_free_ char *out = NULL;
	int rc = cache_temp_make(&temp, p->root) ?: mark_as_cache(p->root);

	if (rc < 0)
		return rc;
	out = str_fmt("%s%s", temp.path, strrchr(p->program, '/'));
	rc = out ? make(ctx, out) : err_no_memory();
	/* Executable for everybody who can reach the cache, whatever the umask is. */
	if (rc == 0 && chmod(out, 0755) < 0)
		rc = err_sys(errno, "open up %s", out);
	if (rc < 0)
		return rc;
	if (rename(temp.path, p->dir) == 0)
		free(take_ptr(&temp.path));
	else if (errno != EEXIST && errno != ENOTEMPTY)
		return err_sys(errno, "keep the compiled test %s", p->dir);
	close(take_fd(&temp.fd));
	/* If another process was faster, use its program, provided that we trust its owner. */
	return is_there(p) ? 0 : err_set(EACCES, "%s belongs to another user", p->dir);
}

static int use_root(const char *root, const char *key, const char *name, program_make_fn *make,
		    void *ctx, char **program)
{
	_free_ char *dir = str_fmt("%s/%.32s", root, key);
	_free_ char *path = dir ? str_fmt("%s/%s", dir, name) : NULL;
	const struct place place = { root, dir, path };
	int rc = 0;

	if (!path)
		return err_no_memory();
	if (access(root, F_OK) == 0 && !is_trusted(root))
		return err_set(EACCES, "%s belongs to another user", root);
	if (!is_there(&place)) {
		rc = make_program(&place, make, ctx);
		if (rc == 0)
			stock_trim();
	}
	if (rc == 0)
		*program = take_ptr(&path);
	return rc;
}

int program_cache_get(const char *key, const char *name, program_make_fn *make, void *ctx,
		      char **program)
{
	_free_ char *root = path_cache_part(STOCK_PROGRAM_PART), *own = NULL;
	int rc;

	*program = NULL;
	if (!root)
		return -ENOENT;
	rc = use_root(root, key, name, make, ctx, program);
	if (rc != -EACCES && rc != -EPERM && rc != -EROFS)
		return rc;
	own = path_own_cache_part(STOCK_PROGRAM_PART);
	return !own || str_eq(own, root) ? rc : use_root(own, key, name, make, ctx, program);
}
