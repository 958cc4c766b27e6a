// SPDX-License-Identifier: GPL-2.0-only
/* Finds and removes leftover cgroups. */
#include "hostmode/execute.h"

#include "cgroup/cgroup.h"

#define PREFIX "ktstr-"

struct names {
	char **items;
	size_t count, cap;
};

static void names_finish(struct names *n)
{
	vec_release(n, each, free(*each));
}

/* "ktstr", or "ktstr-" and digits; *pid is set to the digits. */
static bool is_ours(const char *name, const char **pid)
{
	*pid = NULL;
	if (str_eq(name, "ktstr"))
		return true;
	if (!str_starts(name, PREFIX) || !name[strlen(PREFIX)])
		return false;
	*pid = name + strlen(PREFIX);
	return (*pid)[strspn(*pid, "0123456789")] == '\0';
}

static int find(const char *root, struct names *out)
{
	_closedir_ DIR *dir = opendir(root);
	const struct dirent *entry;
	const char *pid;

	if (!dir)
		return err_sys(errno, "read %s", root);
	while ((entry = readdir(dir))) {
		_free_ char *name = NULL;
		int rc;

		if (entry->d_type != DT_DIR || !is_ours(entry->d_name, &pid))
			continue;
		name = strdup(entry->d_name);
		rc = name ? vec_push(out, name) : err_no_memory();
		if (rc < 0)
			return rc;
		name = NULL;
	}
	vec_sort(out, order_texts);
	return 0;
}

/* A pid that was reused by another program does not count. */
static bool is_live(const struct roots *roots, const char *pid)
{
	_str_ struct str comm = {};

	if (!pid || root_read_line(roots->proc, &comm, "%s/comm", pid) < 0)
		return false;
	return str_eq(str_get(&comm), "ktstr") || str_eq(str_get(&comm), "cargo-ktstr");
}

static int cleanup_below(const struct roots *roots, const char *base, cleanup_report_fn *report,
			 size_t *found)
{
	_cleanup_(names_finish) struct names names = {};
	int rc = find(base, &names);

	*found += names.count;
	for (size_t i = 0; i < names.count && rc == 0; i++) {
		_free_ char *path = str_fmt("%s/%s", base, names.items[i]);
		const char *pid;

		if (!path)
			return err_no_memory();
		is_ours(names.items[i], &pid);
		report(path,
		       is_live(roots, pid) ? -EBUSY : cgroup_remove_tree(roots->cgroup, path));
	}
	return rc;
}

int cleanup_all(const struct roots *roots, cleanup_report_fn *report, size_t *found)
{
	_str_ struct str base = {};
	int rc;

	*found = 0;
	rc = cleanup_below(roots, roots->cgroup, report, found);
	/* Runs with a configured parent left their cgroups there. */
	if (rc < 0 || !env_get(HOST_BASE_VARIABLE))
		return rc;
	rc = host_base_dir(roots, &base);
	if (rc < 0 || str_eq(str_get(&base), roots->cgroup))
		return rc;
	return cleanup_below(roots, str_get(&base), report, found);
}

int cleanup_path(const struct roots *roots, const char *path)
{
	_free_ char *real = realpath(path, NULL);
	struct stat st;

	if (!real)
		return err_sys(errno, "clean up %s", path);
	if (stat(real, &st) < 0 || !S_ISDIR(st.st_mode))
		return err_set(ENOTDIR, "%s is not a cgroup: it is not a directory", path);
	if (!str_starts(real, roots->cgroup) || real[strlen(roots->cgroup)] != '/')
		return err_set(EINVAL, "%s is not a cgroup: it is not below %s", path,
			       roots->cgroup);
	return cgroup_remove_tree(roots->cgroup, real);
}
