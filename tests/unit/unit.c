// SPDX-License-Identifier: GPL-2.0-only
/* Helpers of the unit tests. */
#include "unit.h"

#include <ftw.h>
#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/str.h"

static char *create_below(const char *base)
{
	char *path = str_fmt("%s/ktstr-unit-XXXXXX", base);

	assert_non_null(path);
	assert_non_null(mkdtemp(path));
	return path;
}

char *unit_temp_create(void)
{
	const char *base = env_get("TMPDIR");

	return create_below(base ? base : "/tmp");
}

char *unit_temp_create_in_memory(void)
{
	return access("/dev/shm", W_OK | X_OK) == 0 ? create_below("/dev/shm") : unit_temp_create();
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void unit_temp_remove(char *path)
{
	nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	free(path);
}

void unit_write(const char *dir, const char *name, const char *text)
{
	_free_ char *path = str_fmt("%s/%s", dir, name);
	_free_ char *parent = path ? strdup(path) : NULL;

	assert_non_null(parent);
	*strrchr(parent, '/') = '\0';
	assert_int_equal(file_make_dirs(parent, 0755), 0);
	assert_int_equal(file_replace(path, text, strlen(text), 0644), 0);
}

int __wrap_reboot(int how);

/* Weak: a test may play its own. */
__attribute__((weak)) int __wrap_reboot(int how)
{
	(void)how;
	abort();
}
