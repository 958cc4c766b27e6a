// SPDX-License-Identifier: GPL-2.0-only
/* The cgroup that a machine provides for runs, if its root cgroup is managed otherwise. */
#include "hostmode/execute.h"

#include "cgroup/cgroup.h"

/* The path below the mount; "" = the mount itself. */
static const char *below_mount(const char *name, const struct str *mount)
{
	if (str_starts(name, str_get(mount)) && strchr("/", name[mount->len]))
		name += mount->len;
	return name + strspn(name, "/");
}

int host_base_dir(const struct roots *roots, struct str *dir)
{
	const char *name = env_get(HOST_BASE_VARIABLE);
	struct stat st;
	int rc = cgroup_find_mount(roots, dir);

	if (rc < 0 || !name)
		return rc;
	name = below_mount(name, dir);
	if (!*name)
		return 0;
	rc = err_wrap(cgroup_check_name(name), "%s", HOST_BASE_VARIABLE);
	if (rc < 0)
		return rc;
	str_addf(dir, "/%s", name);
	rc = str_check(dir);
	if (rc == 0 && stat(dir->s, &st) < 0)
		return err_sys(errno, "%s: the cgroup %s", HOST_BASE_VARIABLE, dir->s);
	if (rc == 0 && !S_ISDIR(st.st_mode))
		return err_set(ENOTDIR, "%s: %s is not a cgroup: it is not a directory",
			       HOST_BASE_VARIABLE, dir->s);
	return rc;
}
