// SPDX-License-Identifier: GPL-2.0-only
/* Finds ktstr and executes it in place of this program. */
#include "program/parts.h"

static char *beside(const char *self, const char *relative)
{
	const char *slash = strrchr(self, '/');
	char *path = slash ? str_fmt("%.*s/%s", (int)(slash - self), self, relative) : NULL;

	if (path && access(path, X_OK) == 0)
		return path;
	free(path);
	return NULL;
}

/* Looks at KTSTR_BIN, beside the program, in the parent directory as in a build tree, in PATH. */
static char *find_ktstr(const char *self)
{
	const char *given = env_get("KTSTR_BIN");
	char *path;

	if (given)
		return strdup(given);
	path = beside(self, "ktstr");
	if (!path)
		path = beside(self, "../ktstr");
	return path ? path : path_search("ktstr");
}

int exact_run(const char *name, bool is_ignored)
{
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	_free_ char *ktstr = NULL, *filter = NULL;

	if (len < 0)
		return err_sys(errno, "read /proc/self/exe");
	self[len] = '\0';
	ktstr = find_ktstr(self);
	if (!ktstr)
		return err_set(ENOENT, "no ktstr beside this program or in PATH: it boots the VM "
				       "that the test runs in; name it in KTSTR_BIN");
	filter = str_fmt("test(=ktstr/%s)", name);
	if (!filter)
		return err_no_memory();
	execl(ktstr, ktstr, "test", self, "--", "-E", filter, "--no-capture",
	      is_ignored ? "--run-ignored" : NULL, "all", NULL);
	return err_sys(errno, "start %s", ktstr);
}
