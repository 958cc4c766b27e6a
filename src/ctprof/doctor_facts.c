// SPDX-License-Identifier: GPL-2.0-only
/* Collects facts about the host: available data, and rights. */
#include "ctprof/doctor.h"
#include "ctprof/taskstats.h"

#define INITIAL_NAMESPACE "user:[4026531837]" /* the kernel's constant */
#define NAMESPACE_SIZE 32

static bool is_number(const char *name)
{
	return *name && strspn(name, "0123456789") == strlen(name);
}

static void set_self(struct doctor_facts *f, const char *name)
{
	snprintf(f->self, sizeof(f->self), "%s", name);
}

/* Counts processes and chooses the one to inspect: self, or any process of a recorded tree. */
static void find_processes(struct doctor_facts *f)
{
	_closedir_ DIR *dir = opendir(f->roots.proc);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (str_eq(entry->d_name, "self"))
			set_self(f, "self");
		if (!is_number(entry->d_name) || strlen(entry->d_name) >= sizeof(f->self))
			continue;
		f->process_count++;
		if (!*f->self)
			set_self(f, entry->d_name);
	}
	if (!*f->self) /* its files do not exist either */
		set_self(f, "self");
}

/* Reads the user namespace of a process; false if it is unknown. */
static bool read_user_namespace(const struct doctor_facts *f, const char *process,
				char out[static NAMESPACE_SIZE])
{
	_free_ char *link = str_fmt("%s/%s/ns/user", f->roots.proc, process);
	ssize_t len = link ? readlink(link, out, NAMESPACE_SIZE - 1) : -1;

	if (len < 0)
		return false;
	out[len] = '\0';
	return true;
}

/*
 * In a container with its own /proc, all visible processes are in the same user namespace. If
 * PID 1 is in another one, its namespace usually cannot be read.
 */
static void read_namespace(struct doctor_facts *f)
{
	char own[NAMESPACE_SIZE], first[NAMESPACE_SIZE];

	if (!read_user_namespace(f, f->self, own) || str_eq(own, INITIAL_NAMESPACE))
		return;
	f->is_user_namespace = !read_user_namespace(f, "1", first) || !str_eq(own, first);
}

static struct doctor_number read_number(const struct doctor_facts *f, const char *name)
{
	struct doctor_number n = {};

	n.is_known = root_read_u64(f->roots.proc, &n.value, "sys/kernel/%s", name) == 0;
	return n;
}

static void read_toggles(struct doctor_facts *f)
{
	_str_ struct str cmdline = {};

	f->delayacct = read_number(f, "task_delayacct");
	f->schedstats = read_number(f, "sched_schedstats");
	f->ptrace_scope = read_number(f, "yama/ptrace_scope");
	if (root_read_line(f->roots.proc, &cmdline, "cmdline") == 0)
		f->has_delayacct_boot = str_has_word(str_get(&cmdline), "delayacct");
}

static void read_self(struct doctor_facts *f)
{
	_str_ struct str schedstat = {}, other = {};

	f->schedstat = root_read_line(f->roots.proc, &schedstat, "%s/schedstat", f->self);
	f->is_schedstat_zero = str_eq(str_get(&schedstat), "0 0 0");
	if (root_read(f->roots.proc, &f->sched, "%s/sched", f->self) < 0)
		str_reset(&f->sched);
	f->io = root_read(f->roots.proc, &other, "%s/io", f->self);
	f->smaps = root_read(f->roots.proc, &other, "%s/smaps_rollup", f->self);
}

/* If PSI is disabled at boot, the file exists but cannot be read. */
static void read_pressure(struct doctor_facts *f)
{
	_str_ struct str text = {};

	f->pressure = root_read_line(f->roots.proc, &text, "pressure/cpu");
	str_reset(&text);
	f->has_irq_pressure = root_read_line(f->roots.proc, &text, "pressure/irq") == 0;
}

/* Uses the configured root if it is a cgroup2, else any mounted one. */
static void read_cgroups(struct doctor_facts *f)
{
	_str_ struct str top = {};

	if (root_read(f->roots.cgroup, &top, "cgroup.controllers") == 0) {
		str_reset(&f->cgroup_mount);
		str_add(&f->cgroup_mount, f->roots.cgroup);
	}
	if (f->cgroup_mount.len == 0)
		return;
	root_read_line(str_get(&f->cgroup_mount), &f->cgroup_controllers, "cgroup.controllers");
	root_read_line(str_get(&f->cgroup_mount), &f->cgroup_children, "cgroup.subtree_control");
}

static int check_memory(const struct doctor_facts *f)
{
	const struct str *texts[] = {
		&f->sched,	     &f->cgroup_mount,	  &f->cgroup_controllers,
		&f->cgroup_children, &f->sched_ext_state, &f->sched_ext_ops
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (str_check(texts[i]) < 0)
			return -ENOMEM;
	return 0;
}

int doctor_gather(struct doctor_facts *f, const struct roots *roots, const char *boot)
{
	int rc;

	*f = (struct doctor_facts){ .roots = *roots, .is_live = roots_is_live(roots) };
	rc = running_config_read(&f->config, roots->proc, boot);
	find_processes(f);
	f->view = procfs_view_read(roots->proc, f->self);
	f->has_foreign_pids = f->is_live && procfs_is_foreign(roots->proc);
	read_namespace(f);
	procfs_find_cgroup2(roots->proc, f->self, &f->cgroup_mount);
	read_toggles(f);
	read_self(f);
	read_pressure(f);
	f->counts_irq_time = kernel_counts_irq_time(roots->proc, boot);
	read_cgroups(f);
	root_read_line(roots->sys, &f->sched_ext_state, "kernel/sched_ext/state");
	root_read_line(roots->sys, &f->sched_ext_ops, "kernel/sched_ext/root/ops");
	if (f->is_live)
		f->taskstats = taskstats_probe_self(&f->taskstats_version);
	rc = rc ?: check_memory(f);
	if (rc < 0)
		doctor_facts_finish(f);
	return rc;
}

void doctor_facts_finish(struct doctor_facts *f)
{
	running_config_finish(&f->config);
	str_finish(&f->sched);
	str_finish(&f->cgroup_mount);
	str_finish(&f->cgroup_controllers);
	str_finish(&f->cgroup_children);
	str_finish(&f->sched_ext_state);
	str_finish(&f->sched_ext_ops);
	*f = (struct doctor_facts){};
}
