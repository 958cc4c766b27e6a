// SPDX-License-Identifier: GPL-2.0-only
/* Reads mount options of a procfs, our rights, and our PID in it. */
#include "ctprof/procfs_view.h"

#include <linux/capability.h>

/* Returns whether it is the wanted mount; kind is such as "proc proc rw,hidepid=2". */
typedef bool (*mount_test)(const char *point, const char *kind, const char *wanted);

/* One mount per line: "24 30 0:22 / /proc rw,... shared:5 - proc proc rw,hidepid=2". */
static bool find_mount(const char *proc, const char *process, mount_test is_it, const char *wanted,
		       struct str *point)
{
	_str_ struct str mounts = {};
	char *line, *lines = NULL;

	if (root_read(proc, &mounts, "%s/mountinfo", process) < 0 || !mounts.s)
		return false;
	for (line = strtok_r(mounts.s, "\n", &lines); line; line = strtok_r(NULL, "\n", &lines)) {
		char *dash = strstr(line, " - "), *fields = NULL, *at = NULL;

		if (!dash)
			continue;
		*dash = '\0';
		for (int i = 0; i < 5; i++)
			at = strtok_r(i ? NULL : line, " ", &fields);
		if (!at || !is_it(at, dash + strlen(" - "), wanted))
			continue;
		str_add(point, at);
		return true;
	}
	return false;
}

static bool hides(const char *point, const char *kind, const char *proc)
{
	return str_eq(point, proc) && str_starts(kind, "proc ") && strstr(kind, "hidepid=") &&
	       !strstr(kind, "hidepid=0") && !strstr(kind, "hidepid=off");
}

static bool is_hiding(const char *proc, const char *process)
{
	_str_ struct str point = {};

	return find_mount(proc, process, hides, proc, &point);
}

static bool has_type(const char *point _unused_, const char *kind, const char *type)
{
	return str_starts(kind, type);
}

bool procfs_find_cgroup2(const char *proc, const char *process, struct str *point)
{
	return find_mount(proc, process, has_type, "cgroup2 ", point);
}

/* Text after "Key:" in a status file, or NULL. */
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

	/* Without a valid PID this process is not in its namespace. */
	return len < 0 || parse_u64(text, &number) < 0 || number != (uint64_t)getpid();
}
