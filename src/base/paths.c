// SPDX-License-Identifier: GPL-2.0-only
/* Searches PATH and names the cache. */
#include "base/paths.h"

#include "base/base.h"

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

char *path_search(const char *name)
{
	const char *dirs = env_get("PATH");

	if (strchr(name, '/'))
		return is_program(name) ? strdup(name) : NULL;
	while (dirs) {
		size_t len = strcspn(dirs, ":");
		_free_ char *path = str_fmt("%.*s/%s", (int)len, len ? dirs : ".", name);

		if (path && is_program(path))
			return take_ptr(&path);
		dirs = dirs[len] ? dirs + len + 1 : NULL;
	}
	return NULL;
}

char *path_own_directory(void)
{
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *dir;

	if (len < 0) {
		err_sys(errno, "read /proc/self/exe");
		return NULL;
	}
	self[len] = '\0';
	*strrchr(self, '/') = '\0';
	dir = strdup(self);
	if (!dir)
		err_no_memory();
	return dir;
}

char *path_absolute(const char *path)
{
	_free_ char *here = *path == '/' ? NULL : getcwd(NULL, 0);
	char *absolute = *path == '/' ? strdup(path) : str_fmt("%s/%s", here ? here : ".", path);

	if (!absolute)
		err_no_memory();
	return absolute;
}

static char *path_real(const char *path)
{
	char *real = realpath(path, NULL);

	return real ? real : path_absolute(path);
}

char *path_relative(const char *path, const char *file)
{
	const char *slash = strrchr(file, '/');
	_free_ char *dir = slash == file ? strdup("/") :
			   slash	 ? strndup(file, (size_t)(slash - file)) :
					   strdup(".");
	_free_ char *from = dir ? path_real(dir) : NULL, *to = path_real(path);
	size_t common = 0;
	_str_ struct str out = {};

	if (!from || !to)
		return NULL;
	/* Counts common components; the root is an empty component. */
	for (size_t i = 0;; i++) {
		bool ends[] = { from[i] == '/' || !from[i], to[i] == '/' || !to[i] };

		if (ends[0] && ends[1])
			common = i;
		if (from[i] != to[i] || !from[i])
			break;
	}
	for (const char *p = from + common; *p; p++)
		if (*p == '/' && p[1])
			str_add(&out, "../");
	str_add(&out, to + common + (to[common] == '/'));
	return str_take(&out);
}

static bool is_ours_alone(int fd, struct stat *st)
{
	return fstat(fd, st) == 0 && (st->st_uid == 0 || st->st_uid == geteuid()) &&
	       !(st->st_mode & (S_IWGRP | S_IWOTH));
}

bool path_is_ours_alone(int root, const char *path, struct stat *st)
{
	_free_ char *copy = *path == '/' ? strdup(path) : NULL;
	_close_ int at = fcntl(root, F_DUPFD_CLOEXEC, 0);
	char *save = NULL;

	if (!copy || !is_ours_alone(at, st))
		return false;
	for (char *name = strtok_r(copy, "/", &save); name; name = strtok_r(NULL, "/", &save)) {
		int next = str_eq(name, "..") ? -1 :
						openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

		close(at);
		at = next;
		if (!is_ours_alone(at, st))
			return false;
	}
	return true;
}

int path_cache_explain(int rc)
{
	if (rc != -EACCES && rc != -EPERM && rc != -EROFS)
		return rc;
	return err_set(-rc, "%s; set KTSTR_CACHE_DIR to a directory of yours, or XDG_CACHE_HOME",
		       err_text(rc));
}

int path_cache_make(const char *dir)
{
	return path_cache_explain(file_make_dirs(dir, 0755));
}

/* $XDG_CACHE_HOME/ktstr or $HOME/.cache/ktstr, followed by the kind. */
static char *default_place(const char *kind)
{
	const char *cache = env_get("XDG_CACHE_HOME");
	const char *home = getenv("HOME");

	if (cache)
		return str_fmt("%s/ktstr/%s", cache, kind);
	if (home && *home)
		return str_fmt("%s/.cache/ktstr/%s", home, kind);
	err_set(EINVAL,
		"HOME is %s, so there is no place for the kernel cache; set HOME, "
		"KTSTR_CACHE_DIR or XDG_CACHE_HOME",
		home ? "empty" : "not set");
	return NULL;
}

char *path_kernel_cache(void)
{
	const char *own = env_get("KTSTR_CACHE_DIR");

	return own ? strdup(own) : default_place("kernels");
}

char *path_cache_part(const char *kind)
{
	const char *own = env_get("KTSTR_CACHE_DIR");

	return own ? str_fmt("%s/.%s", own, kind) : default_place(kind);
}

char *path_own_cache_part(const char *kind)
{
	return default_place(kind);
}
