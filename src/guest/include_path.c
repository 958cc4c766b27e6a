// SPDX-License-Identifier: GPL-2.0-only
/* Walks the include files. */
#include "guest/parts.h"

#define MAX_DEPTH 64

static void scan(struct include_path *p, const char *directory, int depth);

/* Returns true if the entry is a program. */
static bool scan_entry(struct include_path *p, const char *path, int depth)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return false;
	if (S_ISDIR(st.st_mode)) {
		scan(p, path, depth + 1);
		return false;
	}
	str_addf(&p->files, "%s\n", path);
	return S_ISREG(st.st_mode) && st.st_mode & 0111;
}

static void scan(struct include_path *p, const char *directory, int depth)
{
	struct dirent **entries;
	bool has_program = false;
	int count;

	if (depth > MAX_DEPTH)
		return;
	count = scandir(directory, &entries, NULL, alphasort);
	if (count < 0)
		return;
	for (int i = 0; i < count; i++) {
		_free_ char *path = str_fmt("%s/%s", directory, entries[i]->d_name);

		if (path && !str_eq(entries[i]->d_name, ".") && !str_eq(entries[i]->d_name, ".."))
			has_program |= scan_entry(p, path, depth);
		free(entries[i]);
	}
	free(entries);
	if (has_program)
		str_addf(&p->directories, "%s%s", p->directories.len ? ":" : "", directory);
}

void include_path_scan(struct include_path *p, const char *directory)
{
	*p = (struct include_path){};
	scan(p, directory, 0);
}
