// SPDX-License-Identifier: GPL-2.0-only
/* Searching PATH and naming the cache. */
#include "base/paths.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "base/util.h"

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

char *path_search(const char *name)
{
	const char *dirs = env_get("PATH");

	while (dirs) {
		size_t len = strcspn(dirs, ":");
		_free_ char *path = str_fmt("%.*s/%s", (int)len, len ? dirs : ".", name);

		if (path && is_program(path))
			return take_ptr(&path);
		dirs = dirs[len] ? dirs + len + 1 : NULL;
	}
	return NULL;
}

char *path_cache_dir(void)
{
	const char *cache = env_get("XDG_CACHE_HOME");
	const char *home = getenv("HOME");

	if (cache)
		return str_fmt("%s/ktstr", cache);
	if (home && *home)
		return str_fmt("%s/.cache/ktstr", home);
	err_set(ENOENT, "HOME is %s; set XDG_CACHE_HOME or KTSTR_CACHE_DIR to a directory",
		home ? "empty" : "not set");
	return NULL;
}
