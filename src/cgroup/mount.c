// SPDX-License-Identifier: GPL-2.0-only
/* Finds the cgroup v2 file system. */
#include "base/finding.h"
#include "cgroup/cgroup.h"

static bool is_octal(const char *text)
{
	return strspn(text, "01234567") >= 3;
}

/* The list of mounts escapes blanks and backslashes as \040. */
static void add_unescaped(struct str *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\\' && i + 3 < len && is_octal(text + i + 1)) {
			str_addc(out, (char)((text[i + 1] - '0') << 6 | (text[i + 2] - '0') << 3 |
					     (text[i + 3] - '0')));
			i += 3;
		} else {
			str_addc(out, text[i]);
		}
	}
}

/* "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0" */
static bool take_mount(const char *line, struct str *mount)
{
	const char *dir = strchr(line, ' ');
	size_t len;

	if (!dir)
		return false;
	dir++;
	len = strcspn(dir, " \n");
	if (!str_starts(dir + len, " cgroup2 "))
		return false;
	add_unescaped(mount, dir, len);
	return true;
}

int cgroup_find_mount(const struct roots *roots, struct str *mount)
{
	_str_ struct str text = {};
	int rc = root_read(roots->proc, &text, "self/mounts");

	if (rc < 0)
		return err_sys(-rc, "read %s/self/mounts", roots->proc);
	for (const char *line = str_get(&text); line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (take_mount(line, mount))
			return str_check(mount);
	}
	return err_set(ENODATA,
		       "cgroup v2 is not mounted on this machine; cgroups need it: " FIX_CGROUP2
		       ", or run the test in a VM");
}
