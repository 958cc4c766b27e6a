// SPDX-License-Identifier: GPL-2.0-only
/* Checks, one per data family: whether its data is available, why not, and how to fix it. */
#include "ctprof/doctor.h"

#include <linux/capability.h>

#include "host/need.h"

const char *const doctor_state_names[DOCTOR_STATES] = {
	[DOCTOR_OK] = "ok",
	[DOCTOR_DEGRADED] = "degraded",
	[DOCTOR_MISSING] = "missing",
};

/* In a user namespace capabilities have no effect outside of it. */
static bool has_capability(const struct doctor_facts *f, int capability)
{
	return !f->is_user_namespace && procfs_view_can(&f->view, capability);
}

static bool is_off(const struct doctor_facts *f, enum need_id option)
{
	return running_config_get(&f->config, needs[option].name) == OPTION_OFF;
}

/* One command for all missing capabilities, because setcap replaces those that a file has. */
static void fix_by_rights(const struct doctor_facts *f, struct finding *d)
{
	bool needs_admin = !has_capability(f, CAP_NET_ADMIN);
	bool needs_ptrace = !has_capability(f, CAP_SYS_PTRACE);

	if (f->is_user_namespace) {
		finding_fix(d, "run outside of the user namespace: its rights do not count here");
		return;
	}
	if (!needs_admin && !needs_ptrace) { /* capabilities exist, but not outside the container */
		finding_fix(d, "run outside of the container: its rights do not count here");
		return;
	}
	if (f->view.is_root) { /* root of a container without these capabilities */
		finding_fix(d, "give this root %s%s%s, or run outside of the container",
			    needs_admin ? needs[NEED_NET_ADMIN].name : "",
			    needs_admin && needs_ptrace ? ", " : "",
			    needs_ptrace ? needs[NEED_SYS_PTRACE].name : "");
		return;
	}
	finding_fix(d, "run as root");
	finding_fix(d, FIX_SETCAP("%s%s%s"), needs_admin ? "cap_net_admin" : "",
		    needs_admin && needs_ptrace ? "," : "", needs_ptrace ? "cap_sys_ptrace" : "");
}

/* elsewhere: the reason in a user namespace, whose capabilities have no effect here. */
static void lack_right(const struct doctor_facts *f, struct finding *d, enum doctor_state state,
		       enum need_id id, const char *elsewhere)
{
	if (f->is_user_namespace)
		finding_set(d, state, "%s", elsewhere);
	else
		finding_set(d, state, "%s: %s", needs[id].loss, needs[id].lack);
	fix_by_rights(f, d);
}

/* What is accessible without CAP_SYS_PTRACE. */
static void conclude_own_processes(const struct doctor_facts *f, struct finding *d)
{
	lack_right(f, d, DOCTOR_DEGRADED, NEED_SYS_PTRACE,
		   "only processes of this user namespace: its capabilities end there");
}

/* With a procfs of another pid namespace, capture omits data that is queried by thread ID. */
static bool is_left_out(const struct doctor_facts *f, struct finding *d)
{
	if (!f->has_foreign_pids)
		return false;
	finding_set(d, DOCTOR_MISSING, "left out: the procfs is of another pid namespace");
	finding_fix(d, "see processes above");
	return true;
}

static void judge_processes(const struct doctor_facts *f, struct finding *d)
{
	if (f->process_count == 0) {
		finding_set(d, DOCTOR_MISSING, "no process in %s", f->roots.proc);
		finding_fix(d, "sudo mount -t proc proc %s", f->roots.proc);
	} else if (f->has_foreign_pids) {
		finding_set(d, DOCTOR_DEGRADED,
			    PROCFS_FOREIGN ": no delays, peaks, jemalloc and affinity by number");
		finding_fix(d, "run in the pid namespace of %s", f->roots.proc);
		finding_fix(d, "sudo mount -t proc proc %s, to see the processes of this one",
			    f->roots.proc);
	} else if (f->view.is_hiding && !has_capability(f, CAP_SYS_PTRACE)) {
		finding_set(d, DOCTOR_DEGRADED, PROCFS_HIDING);
		if (!f->view.is_root)
			finding_fix(d, "run as root");
		finding_fix(d, "sudo mount -o remount,hidepid=0 %s", f->roots.proc);
	} else {
		str_addf(&d->why, "%llu visible", ULL(f->process_count));
	}
}

static void judge_schedstat(const struct doctor_facts *f, struct finding *d)
{
	if (f->schedstat < 0) {
		finding_lack(d, DOCTOR_MISSING, NEED_SCHED_INFO);
	} else if (f->is_schedstat_zero) {
		finding_set(d, DOCTOR_MISSING,
			    "schedstat files hold only zeros: nothing is counted");
		finding_fix(d, "%s", needs[NEED_DELAYACCT_ON].fix);
	} else {
		finding_set(d, DOCTOR_OK, "run time, wait time and timeslices");
	}
}

/* The kernel prints the statistics only while they are enabled. */
static void judge_sched(const struct doctor_facts *f, struct finding *d)
{
	if (f->sched.len == 0) {
		finding_lack(d, DOCTOR_MISSING, NEED_SCHED_DEBUG);
	} else if (strstr(str_get(&f->sched), "wait_sum")) {
		finding_set(d, DOCTOR_OK, "wakeups, waits, sleeps and migrations");
	} else {
		bool is_off = f->schedstats.is_known && f->schedstats.value == 0;

		finding_lack(d, DOCTOR_DEGRADED, is_off ? NEED_SCHEDSTATS_ON : NEED_SCHEDSTATS);
	}
}

static void judge_io(const struct doctor_facts *f, struct finding *d)
{
	if (f->io == -ENOENT) {
		finding_lack(d, DOCTOR_MISSING, NEED_TASK_IO_ACCOUNTING);
	} else if (!has_capability(f, CAP_SYS_PTRACE)) {
		conclude_own_processes(f, d);
	} else {
		finding_set(d, DOCTOR_OK, "bytes and calls read and written");
	}
}

/* Returns whether taskstats can be used; its families have further requirements. */
static bool has_taskstats(const struct doctor_facts *f)
{
	return f->is_live ? f->taskstats == 0 : !is_off(f, NEED_TASKSTATS);
}

static void judge_taskstats(const struct doctor_facts *f, struct finding *d)
{
	if (is_left_out(f, d))
		return;
	if (!f->is_live && has_taskstats(f)) {
		finding_set(d, DOCTOR_OK, "not asked: this is a recorded tree");
	} else if (has_taskstats(f)) {
		str_addf(&d->why, "answers for this thread, struct version %d",
			 f->taskstats_version);
	} else if (f->taskstats == -EPERM) {
		lack_right(f, d, DOCTOR_MISSING, NEED_NET_ADMIN,
			   "the kernel refuses to answer: not for a user namespace");
	} else if (!f->is_live || f->taskstats == -ENOENT) {
		finding_lack(d, DOCTOR_MISSING, NEED_TASKSTATS);
	} else {
		finding_set(d, DOCTOR_MISSING, "the query over netlink fails: %s",
			    strerror(-f->taskstats));
		finding_fix(d, "run in the host's network namespace, with netlink permitted");
	}
}

static void needs_taskstats(struct finding *d)
{
	finding_set(d, DOCTOR_MISSING, "comes with taskstats, which does not answer");
	finding_fix(d, "see taskstats above");
}

static void judge_delays(const struct doctor_facts *f, struct finding *d)
{
	bool is_on = f->delayacct.is_known ? f->delayacct.value != 0 : f->has_delayacct_boot;

	if (is_left_out(f, d))
		return;
	if (is_off(f, NEED_TASK_DELAY_ACCT)) {
		finding_lack(d, DOCTOR_MISSING, NEED_TASK_DELAY_ACCT);
	} else if (!has_taskstats(f)) {
		needs_taskstats(d);
	} else if (is_on && f->counts_irq_time) {
		finding_set(d, DOCTOR_OK, "all eight kinds of delay");
	} else if (is_on) {
		finding_lack(d, DOCTOR_DEGRADED, NEED_IRQ_TIME_ACCOUNTING);
	} else if (f->delayacct.is_known) {
		finding_lack(d, DOCTOR_DEGRADED, NEED_DELAYACCT_ON);
		str_add(&d->why, "; once it is 1, threads that start from then on are counted");
	} else {
		finding_set(d, DOCTOR_DEGRADED, "%s: delay accounting is off",
			    needs[NEED_DELAYACCT_ON].loss);
		finding_fix(d, "boot with delayacct on the kernel's command line");
	}
}

static void judge_peaks(const struct doctor_facts *f, struct finding *d)
{
	if (is_left_out(f, d))
		return;
	if (is_off(f, NEED_TASK_XACCT))
		finding_lack(d, DOCTOR_MISSING, NEED_TASK_XACCT);
	else if (!has_taskstats(f))
		needs_taskstats(d);
	else
		finding_set(d, DOCTOR_OK, "largest resident and virtual size");
}

/* Yama accepts CAP_SYS_PTRACE for processes of the same user namespace. */
static bool can_trace_own(const struct doctor_facts *f, uint64_t scope)
{
	return scope == 0 || (f->is_user_namespace && procfs_view_can(&f->view, CAP_SYS_PTRACE));
}

/* Yama limits tracing without CAP_SYS_PTRACE; 3 forbids it for all, until the next boot. */
static void judge_jemalloc(const struct doctor_facts *f, struct finding *d)
{
	uint64_t scope = f->ptrace_scope.is_known ? f->ptrace_scope.value : 0;

	if (is_left_out(f, d))
		return;
	if (scope >= 3) {
		finding_set(d, DOCTOR_MISSING,
			    NEED_SYSCTL_PTRACE_SCOPE " is 3: tracing is disabled");
		finding_fix(d, "set %s in /etc/sysctl.d and reboot", needs[NEED_PTRACE_SCOPE].name);
	} else if (has_capability(f, CAP_SYS_PTRACE)) {
		finding_set(d, DOCTOR_OK, "threads of every process may be traced");
	} else if (can_trace_own(f, scope)) {
		conclude_own_processes(f, d);
	} else {
		finding_set(d, DOCTOR_MISSING, "%s, and " NEED_SYSCTL_PTRACE_SCOPE " is %llu",
			    needs[NEED_SYS_PTRACE].lack, ULL(scope));
		fix_by_rights(f, d);
		finding_fix(d, "%s", needs[NEED_PTRACE_SCOPE].fix);
	}
}

static void judge_smaps(const struct doctor_facts *f, struct finding *d)
{
	if (f->smaps == -ENOENT)
		finding_lack(d, DOCTOR_MISSING, NEED_PROC_PAGE_MONITOR);
	else if (!has_capability(f, CAP_SYS_PTRACE))
		conclude_own_processes(f, d);
	else
		finding_set(d, DOCTOR_OK, "memory maps of every process, added up");
}

static void judge_pressure(const struct doctor_facts *f, struct finding *d)
{
	if (f->pressure == 0 && f->has_irq_pressure) {
		finding_set(d, DOCTOR_OK, "cpu, memory, io and irq");
	} else if (f->pressure == 0) {
		finding_lack(d, DOCTOR_DEGRADED, NEED_IRQ_TIME_ACCOUNTING);
	} else if (is_off(f, NEED_PSI)) {
		finding_lack(d, DOCTOR_MISSING, NEED_PSI);
	} else {
		finding_set(d, DOCTOR_MISSING, "pressure stall information is switched off");
		finding_fix(d, "boot with psi=1 on the kernel's command line");
	}
}

/* Appends the controllers whose files are read and that the list lacks. */
static void add_lacking(const struct str *list, const char *prefix, struct str *out)
{
	static const char *const wanted[] = { "cpu", "memory", "pids" };

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		if (!str_has_word(str_get(list), wanted[i]))
			str_addf(out, "%s%s%s", out->len ? " " : "", prefix, wanted[i]);
}

static void judge_cgroup(const struct doctor_facts *f, struct finding *d)
{
	_str_ struct str lacking = {}, disabled = {};

	add_lacking(&f->cgroup_controllers, "", &lacking);
	add_lacking(&f->cgroup_children, "+", &disabled);
	if (f->cgroup_mount.len == 0) {
		finding_set(d, DOCTOR_MISSING, "no cgroup v2 is mounted");
		finding_fix(d, FIX_CGROUP2);
		finding_fix(d, "sudo mount -t cgroup2 none /sys/fs/cgroup");
	} else if (lacking.len) {
		finding_set(d, DOCTOR_DEGRADED,
			    "the controllers %s are not in %s: cgroup v1 holds them",
			    str_get(&lacking), str_get(&f->cgroup_mount));
		finding_fix(d, FIX_CGROUP2);
	} else if (disabled.len) {
		finding_set(d, DOCTOR_DEGRADED, "controllers are off below %s: %s",
			    str_get(&f->cgroup_mount), str_get(&disabled));
		finding_fix(d, "echo %s | sudo tee %s/cgroup.subtree_control", str_get(&disabled),
			    str_get(&f->cgroup_mount));
	} else {
		str_addf(&d->why, "v2 at %s", str_get(&f->cgroup_mount));
	}
}

static void judge_sched_ext(const struct doctor_facts *f, struct finding *d)
{
	if (f->sched_ext_state.len == 0) {
		finding_lack(d, DOCTOR_MISSING, NEED_SCHED_CLASS_EXT);
		return;
	}
	str_addf(&d->why, "state %s", str_get(&f->sched_ext_state));
	if (f->sched_ext_ops.len)
		str_addf(&d->why, ", scheduler %s", str_get(&f->sched_ext_ops));
}

/* If the kernel has it, the sched files contain it together with the statistics. */
static void judge_core_sched(const struct doctor_facts *f, struct finding *d)
{
	enum config_option option = running_config_get(&f->config, needs[NEED_SCHED_CORE].name);
	const char *sched = str_get(&f->sched);

	if (strstr(sched, "core_forceidle_sum")) {
		finding_set(d, DOCTOR_OK, "time that siblings were forced to idle");
	} else if (option == OPTION_OFF ||
		   (option == OPTION_UNKNOWN && strstr(sched, "wait_sum"))) {
		finding_lack(d, DOCTOR_MISSING, NEED_SCHED_CORE);
	} else {
		finding_set(d, DOCTOR_MISSING, "the sched files do not have it");
		finding_fix(d, "see sched above; the kernel needs %s=y too",
			    needs[NEED_SCHED_CORE].name);
	}
}

/* Families of snapshot data have the same names as in family.c. */
static const struct {
	const char *name;
	void (*judge)(const struct doctor_facts *f, struct finding *d);
} checks[DOCTOR_FAMILIES] = {
	{ "processes", judge_processes },
	{ "schedstat", judge_schedstat },
	{ "sched", judge_sched },
	{ "io", judge_io },
	{ "taskstats", judge_taskstats },
	{ "delays", judge_delays },
	{ "memory peaks", judge_peaks },
	{ "jemalloc", judge_jemalloc },
	{ "smaps_rollup", judge_smaps },
	{ "pressure", judge_pressure },
	{ "cgroup", judge_cgroup },
	{ "sched_ext", judge_sched_ext },
	{ "core scheduling", judge_core_sched },
};

int doctor_judge(const struct doctor_facts *f, struct finding out[static DOCTOR_FAMILIES])
{
	return findings_judge(out, checks, f);
}
