// SPDX-License-Identifier: GPL-2.0-only
/* cgroup v2 cpusets, with affinity as the fallback. */
#include "host/sandbox.h"

#define REMOVE_TRIES 5
#define REMOVE_PAUSE_NS (10 * NSEC_PER_MSEC)

/* A control file takes its value in one write. */
static int write_control(const char *cgroup, const char *name, const char *value)
{
	_free_ char *path = str_fmt("%s/%s", cgroup, name);
	_close_ int fd = -1;
	int rc;

	if (!path)
		return err_no_memory();
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(errno, "open %s", path);
	rc = fd_write_all(fd, value, strlen(value));
	return rc < 0 ? err_sys(-rc, "write '%s' to %s", value, path) : 0;
}

/* The directory of the process's cgroup in the v2 tree, below the mount point. */
static int find_home(struct sandbox *s, const char *process, const struct roots *roots)
{
	_str_ struct str text = {}, controllers = {};
	const char *line;
	size_t len;

	if (root_read(roots->proc, &text, "%s/cgroup", process) < 0)
		return err_set(ENODATA, "the cgroup of process %s cannot be read", process);
	if (root_read(roots->cgroup, &controllers, "cgroup.controllers") < 0)
		return err_set(ENODATA, "there is no cgroup v2 tree at %s", roots->cgroup);
	line = strstr(str_get(&text), "0::/");
	if (!line || (line != text.s && line[-1] != '\n'))
		return err_set(ENODATA, "process %s is in no cgroup v2", process);
	line += strlen("0::");
	len = strcspn(line, "\n");
	s->home = str_fmt("%s%.*s", roots->cgroup, len > 1 ? (int)len : 0, line);
	return s->home ? 0 : err_no_memory();
}

static int check_controller(const char *home)
{
	_str_ struct str available = {};

	root_read(home, &available, "cgroup.controllers");
	if (!str_has_word(str_get(&available), "cpuset"))
		return err_set(ENODATA, "%s has no cpuset controller", home);
	return 0;
}

static int enable_cpuset(struct sandbox *s)
{
	_str_ struct str enabled = {};
	int rc = check_controller(s->home);

	if (rc < 0)
		return rc;
	root_read(s->home, &enabled, "cgroup.subtree_control");
	if (str_has_word(str_get(&enabled), "cpuset"))
		return 0;
	rc = write_control(s->home, "cgroup.subtree_control", "+cpuset");
	s->enabled_cpuset = rc == 0;
	return rc;
}

/* When the sandbox of that name was created, in seconds; false if it is not a sandbox. */
static bool birth_of(const char *name, uint64_t *seconds)
{
	uint64_t pid;

	if (!str_starts(name, SANDBOX_PREFIX))
		return false;
	name += strlen(SANDBOX_PREFIX);
	return parse_digits(&name, &pid) == 0 && *name++ == '-' && parse_u64(name, seconds) == 0;
}

/* A cgroup stays busy for a moment after its last process has gone. */
static int remove_cgroup(const char *path)
{
	int rc = -EBUSY;

	for (int i = 0; i < REMOVE_TRIES && rc < 0; i++) {
		if (i)
			clock_sleep_ns(REMOVE_PAUSE_NS);
		rc = rmdir(path) < 0 && errno != ENOENT ? -errno : 0;
	}
	return rc;
}

/* Removes sandboxes of killed processes. One that is in use cannot be removed, which is fine. */
static void sweep_orphans(const char *home)
{
	_closedir_ DIR *dir = opendir(home);
	uint64_t now = clock_wall_ns() / NSEC_PER_SEC;
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		_free_ char *path = NULL;
		uint64_t born;

		if (!birth_of(entry->d_name, &born) || born + SANDBOX_ORPHAN_AGE_S >= now)
			continue;
		path = str_fmt("%s/%s", home, entry->d_name);
		if (path && rmdir(path) == 0)
			log_info("host", "removed the left-over cgroup %s", path);
	}
}

static bool has_other_sandboxes(const char *home)
{
	_closedir_ DIR *dir = opendir(home);
	struct dirent *entry;
	uint64_t born;

	while (dir && (entry = readdir(dir))) {
		if (birth_of(entry->d_name, &born))
			return true;
	}
	return false;
}

/*
 * Below a cgroup that has processes, a new one is unusable until it is threaded; a cpuset
 * works there, too.
 */
static int make_usable(const char *path)
{
	_str_ struct str type = {};

	if (root_read_line(path, &type, "cgroup.type") < 0 ||
	    !str_eq(str_get(&type), "domain invalid"))
		return 0;
	return write_control(path, "cgroup.type", "threaded");
}

static int make_cgroup(struct sandbox *s)
{
	s->path = str_fmt("%s/" SANDBOX_PREFIX "%d-%llu", s->home, s->pid,
			  ULL(clock_wall_ns() / NSEC_PER_SEC));
	if (!s->path)
		return err_no_memory();
	if (mkdir(s->path, 0755) < 0) {
		int rc = err_sys(errno, "create %s", s->path);

		free(take_ptr(&s->path));
		return rc;
	}
	return make_usable(s->path);
}

static int write_list(const char *path, const char *name, const unsigned int *items, size_t count)
{
	_str_ struct str text = {};
	int rc;

	cpulist_format(items, count, &text);
	rc = str_check(&text);
	return rc ?: write_control(path, name, str_get(&text));
}

static int write_pid(const char *path, pid_t pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	return write_control(path, "cgroup.procs", text);
}

static int fill_cgroup(const struct sandbox *s, const struct sandbox_request *r)
{
	int rc = write_list(s->path, "cpuset.cpus", r->cpus, r->cpu_count);

	rc = rc ?: write_list(s->path, "cpuset.mems", r->nodes, r->node_count);
	return rc ?: write_pid(s->path, s->pid);
}

/* Every parent's cpuset limits this one, so the effective value must be checked. */
static int check_effective(const struct sandbox *s, const char *name, const unsigned int *items,
			   size_t count, bool is_explicit)
{
	_str_ struct str text = {}, wanted = {};
	_cleanup_(cpulist_finish) struct cpulist got = {};
	size_t present = 0;
	int rc = root_read_line(s->path, &text, "%s.effective", name);

	if (rc < 0 && rc != -ENODATA)
		return err_sys(-rc, "read %s/%s.effective", s->path, name);
	if (rc == 0 && cpulist_parse(str_get(&text), &got) < 0)
		return err_set(EINVAL, "%s/%s.effective: '%s' is not a list of numbers", s->path,
			       name, str_get(&text));
	for (size_t i = 0; i < count; i++)
		present += cpulist_has(&got, items[i]);
	if (present == count)
		return 0;
	cpulist_format(items, count, &wanted);
	rc = err_set(ERANGE, "the cgroup above allows %s '%s' of the wanted '%s'", name,
		     str_get(&text), str_get(&wanted));
	if (is_explicit)
		return rc;
	log_warn("host", "%s", err_text(rc));
	return 0;
}

static int check_narrowing(const struct sandbox *s, const struct sandbox_request *r)
{
	int rc = check_effective(s, "cpuset.cpus", r->cpus, r->cpu_count, r->is_explicit);

	if (rc < 0)
		return rc;
	return check_effective(s, "cpuset.mems", r->nodes, r->node_count, r->is_explicit);
}

static void leave_cgroup(struct sandbox *s)
{
	int rc;

	write_pid(s->home, s->pid);
	rc = remove_cgroup(s->path);
	if (rc < 0)
		log_warn("host", "tag=resource_budget.cgroup_orphan_left path=%s: %s", s->path,
			 strerror(-rc));
	free(take_ptr(&s->path));
}

static void undo_cgroup(struct sandbox *s)
{
	if (s->path)
		leave_cgroup(s);
	if (s->enabled_cpuset && !has_other_sandboxes(s->home))
		write_control(s->home, "cgroup.subtree_control", "-cpuset");
	free(take_ptr(&s->home));
	s->enabled_cpuset = false;
}

static int enter_cgroup(struct sandbox *s, const struct sandbox_request *r,
			const struct roots *roots)
{
	char process[16];
	int rc;

	snprintf(process, sizeof(process), "%d", s->pid);
	rc = find_home(s, process, roots);
	if (rc < 0)
		return rc;
	sweep_orphans(s->home);
	rc = enable_cpuset(s) ?: make_cgroup(s);
	return rc ?: fill_cgroup(s, r);
}

static int enter_affinity(struct sandbox *s, const struct sandbox_request *r)
{
	int rc = affinity_get(s->pid, &s->before);

	rc = rc ?: affinity_set_process(s->pid, r->cpus, r->cpu_count);
	return rc < 0 ? err_sys(-rc, "set the affinity of process %d", s->pid) : 0;
}

/* Undoing sets messages of its own, so keep the reason first. */
static int fall_back(struct sandbox *s, const struct sandbox_request *r, int rc)
{
	char why[1024];

	snprintf(why, sizeof(why), "%s", err_text(rc));
	undo_cgroup(s);
	log_warn("host", "the CPU budget is kept by affinity only: %s", why);
	return enter_affinity(s, r);
}

static int give_up(struct sandbox *s, int rc)
{
	char why[1024];

	snprintf(why, sizeof(why), "%s", err_text(rc));
	sandbox_leave(s);
	return err_set(-rc, "CPU budget: %s", why);
}

int sandbox_enter(struct sandbox *s, const struct sandbox_request *r, const struct roots *roots)
{
	int rc;

	*s = (struct sandbox){ .pid = r->pid ? r->pid : getpid() };
	rc = enter_cgroup(s, r, roots);
	rc = rc == 0 ? check_narrowing(s, r) : fall_back(s, r, rc);
	return rc < 0 ? give_up(s, rc) : 0;
}

int sandbox_enter_plan(struct sandbox *s, const struct plan *plan, bool is_explicit)
{
	int rc;

	if (plan->mode != RUN_BUDGETED) {
		rc = affinity_set_process(0, plan->cpus, plan->cpu_count);
		return rc < 0 ? err_sys(-rc, "keep to the reserved CPUs") : 0;
	}
	return sandbox_enter(s,
			     &(struct sandbox_request){ .cpus = plan->cpus,
							.cpu_count = plan->cpu_count,
							.nodes = plan->nodes,
							.node_count = plan->node_count,
							.is_explicit = is_explicit },
			     &roots_live);
}

/* A process that may create cgroups here may also write to them. */
static int check_rights(const char *home)
{
	_free_ char *control = str_fmt("%s/cgroup.subtree_control", home);

	if (!home || !control)
		return err_no_memory();
	if (access(home, W_OK | X_OK) < 0 || access(control, W_OK) < 0)
		return err_set(EACCES, "%s is not ours to divide", home);
	return 0;
}

int sandbox_probe(const struct roots *roots)
{
	struct sandbox s = {};
	int rc = find_home(&s, "self", roots) ?: check_controller(s.home) ?: check_rights(s.home);

	free(s.home);
	return rc;
}

void sandbox_leave(struct sandbox *s)
{
	if (s->pid)
		undo_cgroup(s);
	if (s->before.count)
		affinity_set_process(s->pid, s->before.cpus, s->before.count);
	cpulist_finish(&s->before);
	*s = (struct sandbox){};
}
