// SPDX-License-Identifier: GPL-2.0-only
/* The tree of cgroups: the parent with its controllers, creating and removing cgroups. */
#include "cgroup/cgroup.h"

#include "base/finding.h"
#include "cgroup/parts.h"

#define REMOVE_TRIES 20
#define REMOVE_PAUSE_NS (10 * NSEC_PER_MSEC)
#define DRAIN_ROUNDS 10
#define MAX_DEPTH 32

static bool is_refusal(int errnum)
{
	return errnum == EACCES || errnum == EPERM || errnum == EROFS;
}

int cgroup_error(int errnum, const char *what, const char *path)
{
	if (errnum == ETIMEDOUT)
		return err_set(errnum, "%s %s: the kernel did not answer within %d s", what, path,
			       CGROUP_LIMIT_MS / 1000);
	if (is_refusal(errnum))
		return err_set(errnum,
			       "%s %s: %s; cgroups need root, or a directory that was delegated",
			       what, path, strerror(errnum));
	return err_sys(errnum, "%s %s", what, path);
}

int cgroup_manager_init(struct cgroup_manager *m, const struct cgroup_manager_options *o)
{
	_str_ struct str mount = {};
	const char *parent = o->parent;
	int rc;

	*m = (struct cgroup_manager){ .without_cpu = o->without_cpu };
	rc = cgroup_find_mount(o->roots ? o->roots : &roots_live, &mount);
	if (rc < 0)
		return rc;
	if (parent[0] == '/' && str_starts(parent, str_get(&mount)) && parent[mount.len] == '/')
		parent += mount.len + 1;
	rc = err_wrap(cgroup_check_name(parent), "parent cgroup '%s'", o->parent);
	if (rc < 0)
		return rc;
	m->parent = str_fmt("%s/%s", str_get(&mount), parent);
	m->mount = str_take(&mount);
	if (m->mount && m->parent)
		return 0;
	cgroup_manager_finish(m);
	return err_no_memory();
}

void cgroup_manager_finish(struct cgroup_manager *m)
{
	free(m->mount);
	free(m->parent);
	*m = (struct cgroup_manager){};
}

static bool is_bad_part(const char *part, size_t len)
{
	return len == 0 || (part[0] == '.' && (len == 1 || (len == 2 && part[1] == '.'))) ||
	       memchr(part, '\n', len);
}

int cgroup_check_name(const char *name)
{
	for (const char *part = name;; part++) {
		size_t len = strcspn(part, "/");

		if (is_bad_part(part, len))
			return err_set(EINVAL, "'%s' is not a cgroup name: write \"a\" or \"a/b\"",
				       name);
		part += len;
		if (!*part)
			return 0;
	}
}

char *cgroup_path(const struct cgroup_manager *m, const char *name)
{
	return name[0] ? str_fmt("%s/%s", m->parent, name) : strdup(m->parent);
}

bool cgroup_exists(const struct cgroup_manager *m, const char *name)
{
	_free_ char *path = cgroup_path(m, name);

	return path && access(path, F_OK) == 0;
}

static int missing_controller(const char *dir, const char *controller)
{
	return err_set(
		ENODATA,
		"%s has no %s controller: cgroup v1 may be using it, or the kernel was built "
		"without; " FIX_CGROUP2 ", or run in a VM",
		dir, controller);
}

/* Enables the controller for the children of dir. */
static int enable_in(const char *dir, const char *controller)
{
	_free_ char *path = str_fmt("%s/cgroup.subtree_control", dir);
	_free_ char *value = str_fmt("+%s", controller);
	_str_ struct str available = {}, enabled = {};
	int rc;

	if (!path || !value)
		return err_no_memory();
	rc = root_read(dir, &available, "cgroup.controllers");
	if (rc < 0)
		return cgroup_error(-rc, "read cgroup.controllers of", dir);
	if (!str_has_word(str_get(&available), controller))
		return missing_controller(dir, controller);
	root_read(dir, &enabled, "cgroup.subtree_control");
	if (str_has_word(str_get(&enabled), controller))
		return 0;
	rc = control_write(path, value);
	if (rc == -EBUSY)
		return err_set(
			EBUSY,
			"enable %s in %s: it has tasks of its own; a cgroup has either tasks "
			"or controllers for those below it",
			controller, dir);
	return rc < 0 ? cgroup_error(-rc, "enable a controller in", dir) : 0;
}

static int enable_wanted(const struct cgroup_manager *m, const char *dir)
{
	int rc = enable_in(dir, "cpuset");

	return rc < 0 || m->without_cpu ? rc : enable_in(dir, "cpu");
}

static int make_dir(const char *dir, bool *is_new)
{
	*is_new = mkdir(dir, 0755) == 0;
	if (*is_new || errno == EEXIST)
		return 0;
	return cgroup_error(errno, "create the cgroup", dir);
}

/* Calls visit for every directory from below (exclusive) down to path (inclusive). */
static int each_level(const char *below, const char *path,
		      int (*visit)(struct cgroup_manager *m, const char *dir, bool is_last,
				   const void *argument),
		      struct cgroup_manager *m, const void *argument)
{
	_free_ char *dir = strdup(path);
	char *slash = dir ? dir + strlen(below) : NULL;
	int rc = 0;

	if (!dir)
		return err_no_memory();
	while (rc == 0 && *slash) {
		char *next = strchrnul(slash + 1, '/');
		char was = *next;

		*next = '\0';
		rc = visit(m, dir, !was, argument);
		*next = was;
		slash = next;
	}
	return rc;
}

static int setup_level(struct cgroup_manager *m, const char *dir, bool is_last,
		       const void *unused _unused_)
{
	bool is_new;
	int rc = make_dir(dir, &is_new);

	if (rc < 0)
		return rc;
	m->made_parent |= is_last && is_new;
	return enable_wanted(m, dir);
}

int cgroup_setup(struct cgroup_manager *m)
{
	return enable_wanted(m, m->mount) ?: each_level(m->mount, m->parent, setup_level, m, NULL);
}

static bool has_tasks(const char *dir)
{
	_str_ struct str procs = {};

	return root_read(dir, &procs, "cgroup.procs") == 0 && procs.len > 0;
}

/*
 * A level with tasks gets no controllers: enabling them would make it the root of a
 * threaded subtree, and no process could be moved below it any more.
 */
static int create_level(struct cgroup_manager *m, const char *dir, bool is_last,
			const void *unused _unused_)
{
	bool is_new;
	int rc = make_dir(dir, &is_new);

	if (rc < 0 || is_last)
		return rc;
	if (has_tasks(dir)) {
		log_debug("cgroup", "%s has tasks: no controllers for what is below it", dir);
		return 0;
	}
	rc = enable_wanted(m, dir);
	/* Below a level without controllers, there are none to enable. */
	return rc == -ENODATA ? 0 : rc;
}

int cgroup_create(struct cgroup_manager *m, const char *name)
{
	_free_ char *path = NULL;
	int rc = cgroup_check_name(name);

	if (rc < 0)
		return rc;
	path = cgroup_path(m, name);
	return path ? each_level(m->parent, path, create_level, m, NULL) : err_no_memory();
}

static int enable_level(struct cgroup_manager *m _unused_, const char *dir, bool is_last,
			const void *controller)
{
	return is_last ? 0 : enable_in(dir, controller);
}

int cgroup_enable(struct cgroup_manager *m, const char *name, const char *controller)
{
	_free_ char *path = cgroup_path(m, name);
	int rc;

	if (!path)
		return err_no_memory();
	rc = enable_in(m->mount, controller);
	rc = rc ?: each_level(m->mount, path, enable_level, m, controller);
	return err_wrap(rc, "cgroup '%s'", name);
}

static const char *removal_hint(int errnum)
{
	if (errnum == EBUSY)
		return "; tasks may still be in it, see its cgroup.procs";
	return is_refusal(errnum) ? "; it belongs to another user: run as root" : "";
}

/* A cgroup stays busy for a moment after its last task has gone. */
static int remove_dir(const char *dir)
{
	for (int i = 0; i < REMOVE_TRIES; i++) {
		if (rmdir(dir) == 0 || errno == ENOENT)
			return 0;
		if (errno != EBUSY)
			break;
		clock_sleep_ns(REMOVE_PAUSE_NS);
	}
	return err_set(errno, "remove the cgroup %s: %s%s", dir, strerror(errno),
		       removal_hint(errno));
}

/* Tasks may fork while they are moved, so repeat until there are none. */
static int drain_dir(const char *mount, const char *dir)
{
	int rc = 0;

	for (int i = 0; rc == 0 && i < DRAIN_ROUNDS; i++) {
		_cleanup_(pid_list_finish) pid_list pids = {};

		rc = cgroup_tasks_of(dir, &pids);
		/* A threaded cgroup does not list processes; the root of its subtree does. */
		if (rc == -ENOENT || rc == -EOPNOTSUPP || rc == -ENODEV)
			return 0;
		if (rc < 0)
			return cgroup_error(-rc, "list the tasks of", dir);
		if (pids.count == 0)
			return 0;
		rc = cgroup_move_to_dir(mount, pids.items, pids.count);
	}
	return rc;
}

static int remove_tree(const char *mount, const char *dir, int depth);

static int remove_children(const char *mount, const char *dir, int depth)
{
	_closedir_ DIR *d = opendir(dir);
	struct dirent *entry;
	int first = 0;

	if (!d)
		return errno == ENOENT ? 0 : cgroup_error(errno, "list the cgroup", dir);
	while ((entry = readdir(d))) {
		_free_ char *child = NULL;
		int rc;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		child = str_fmt("%s/%s", dir, entry->d_name);
		rc = child ? remove_tree(mount, child, depth + 1) : err_no_memory();
		first = first < 0 ? first : rc;
	}
	return first;
}

static int remove_tree(const char *mount, const char *dir, int depth)
{
	int rc;

	if (depth > MAX_DEPTH)
		return err_set(ELOOP, "%s is more than %d levels deep", dir, MAX_DEPTH);
	rc = remove_children(mount, dir, depth) ?: drain_dir(mount, dir);
	return rc < 0 ? rc : remove_dir(dir);
}

int cgroup_remove_tree(const char *mount, const char *dir)
{
	return remove_tree(mount, dir, 0);
}

int cgroup_remove(struct cgroup_manager *m, const char *name)
{
	_free_ char *path = NULL;
	int rc = cgroup_check_name(name);

	if (rc < 0)
		return rc;
	path = cgroup_path(m, name);
	return path ? cgroup_remove_tree(m->mount, path) : err_no_memory();
}

int cgroup_cleanup_all(struct cgroup_manager *m)
{
	return remove_children(m->mount, m->parent, 0);
}

int cgroup_remove_parent(struct cgroup_manager *m)
{
	return cgroup_remove_tree(m->mount, m->parent);
}

int cgroup_drain(struct cgroup_manager *m, const char *name)
{
	_free_ char *path = cgroup_path(m, name);

	return path ? drain_dir(m->mount, path) : err_no_memory();
}

static int clear_control(const char *dir, int depth)
{
	_free_ char *path = str_fmt("%s/cgroup.subtree_control", dir);
	_str_ struct str enabled = {}, value = {};
	_closedir_ DIR *d = opendir(dir);
	struct dirent *entry;
	int rc = path ? 0 : err_no_memory();

	/* The kernel requires the lowest level first. */
	while (rc == 0 && d && depth < MAX_DEPTH && (entry = readdir(d))) {
		_free_ char *child = str_fmt("%s/%s", dir, entry->d_name);

		if (entry->d_type == DT_DIR && entry->d_name[0] != '.' && child)
			rc = clear_control(child, depth + 1);
	}
	if (rc < 0 || root_read_line(dir, &enabled, "cgroup.subtree_control") < 0)
		return rc;
	for (char *save = NULL, *word = strtok_r(enabled.s, " ", &save); word;
	     word = strtok_r(NULL, " ", &save))
		str_addf(&value, "%s-%s", value.len ? " " : "", word);
	rc = control_write(path, str_get(&value));
	return rc < 0 ? cgroup_error(-rc, "disable the controllers in", dir) : 0;
}

int cgroup_clear_subtree_control(struct cgroup_manager *m, const char *name)
{
	_free_ char *path = cgroup_path(m, name);

	return path ? clear_control(path, 0) : err_no_memory();
}
