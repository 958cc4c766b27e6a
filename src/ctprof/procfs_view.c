// SPDX-License-Identifier: GPL-2.0-only
/* Mount options, rights, and our own number in a procfs. */
#include "ctprof/procfs_view.h"

#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "base/roots.h"
#include "base/util.h"

/* One mount per line: "24 30 0:22 / /proc rw,... shared:5 - proc proc rw,hidepid=2". */
static bool is_hiding_mount(char *line, const char *proc)
{
	char *dash = strstr(line, " - "), *save = NULL, *point = NULL;
	const char *kind;

	if (!dash)
		return false;
	kind = dash + 3;
	*dash = '\0';
	for (int i = 0; i < 5; i++)
		point = strtok_r(i ? NULL : line, " ", &save);
	return point && str_eq(point, proc) && str_starts(kind, "proc ") &&
	       strstr(kind, "hidepid=") && !strstr(kind, "hidepid=0") &&
	       !strstr(kind, "hidepid=off");
}

static bool is_hiding(const char *proc, const char *process)
{
	_str_ struct str mounts = {};
	char *save = NULL;
	bool is_it = false;

	if (root_read(proc, &mounts, "%s/mountinfo", process) < 0 || !mounts.s)
		return false;
	for (char *line = strtok_r(mounts.s, "\n", &save); line && !is_it;
	     line = strtok_r(NULL, "\n", &save))
		is_it = is_hiding_mount(line, proc);
	return is_it;
}

/* The text behind "Key:" of a status file, or NULL. */
static const char *status_value(const char *status, const char *key)
{
	const char *at = strstr(status, key);

	return at ? at + strlen(key) : NULL;
}

static bool is_root_user(const char *status)
{
	const char *ids = status_value(status, "\nUid:");
	char *end = NULL;

	/* Real, then effective. */
	if (!ids || (strtoul(ids, &end, 10), end == ids))
		return false;
	ids = end;
	return strtoul(ids, &end, 10) == 0 && end != ids;
}

struct procfs_view procfs_view_read(const char *proc, const char *process)
{
	struct procfs_view v = { .is_hiding = is_hiding(proc, process) };
	_str_ struct str status = {};
	const char *capabilities;

	if (root_read(proc, &status, "%s/status", process) < 0)
		return v;
	capabilities = status_value(str_get(&status), "\nCapEff:");
	if (capabilities)
		v.capabilities = strtoull(capabilities, NULL, 16);
	v.is_root = is_root_user(str_get(&status));
	return v;
}

bool lacks_capability(int capability)
{
	struct procfs_view view = procfs_view_read("/proc", "self");

	return !procfs_view_can(&view, capability);
}

bool procfs_view_is_partial(const struct procfs_view *v)
{
	return v->is_hiding && !procfs_view_can(v, CAP_SYS_PTRACE);
}

bool procfs_is_foreign(const char *proc)
{
	_free_ char *link = str_fmt("%s/self", proc);
	char text[32] = "";
	ssize_t len = link ? readlink(link, text, sizeof(text) - 1) : -1;
	uint64_t number;

	/* No number at all is that of nobody: we are not in its namespace. */
	return len < 0 || parse_u64(text, &number) < 0 || number != (uint64_t)getpid();
}
