// SPDX-License-Identifier: GPL-2.0-only
/* Lists raw profiles. */
#include "run/parts.h"

int coverage_files_in(const char *dir, const char *suffix, struct texts *out)
{
	struct dirent **entries;
	int count = scandir(dir, &entries, NULL, alphasort), rc = 0;

	if (count < 0)
		return errno == ENOENT ? 0 : err_sys(errno, "read directory %s", dir);
	for (int i = 0; i < count; i++) {
		if (rc == 0 && str_ends(entries[i]->d_name, suffix) &&
		    !str_eq(entries[i]->d_name, suffix))
			rc = texts_take(out, str_fmt("%s/%s", dir, entries[i]->d_name));
		free(entries[i]);
	}
	free(entries);
	return rc;
}

char *coverage_profile_dir(void)
{
	const char *pattern = env_get("LLVM_PROFILE_FILE");
	const char *slash = strrchr(pattern, '/');
	_free_ char *dir = slash ? strndup(pattern, MAX((size_t)(slash - pattern), (size_t)1)) :
				   strdup(".");

	return dir ? path_absolute(dir) : NULL;
}

static bool is_same_dir(const char *a, const char *b)
{
	struct stat sa, sb;

	return str_eq(a, b) || (stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
				sa.st_ino == sb.st_ino);
}

int coverage_files_list(const char *dir, struct texts *out)
{
	_free_ char *other = env_get("LLVM_PROFILE_FILE") ? coverage_profile_dir() : NULL;
	int rc = coverage_files_in(dir, COVERAGE_RAW_SUFFIX, out);

	/* Do not read the same directory twice: its profiles would be counted twice. */
	if (rc == 0 && other && !is_same_dir(other, dir))
		rc = coverage_files_in(other, COVERAGE_RAW_SUFFIX, out);
	return rc;
}
