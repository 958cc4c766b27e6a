// SPDX-License-Identifier: GPL-2.0-only
/* One judgement per data family: how much of it is there, why not all, what to do. */
#include "ctprof/doctor.h"

#include <linux/capability.h>

#include "ctprof/family.h"

const char *const doctor_state_names[DOCTOR_STATES] = {
	[DOCTOR_OK] = "ok",
	[DOCTOR_DEGRADED] = "degraded",
	[DOCTOR_MISSING] = "missing",
};

/* Everywhere, not only over what is in a user namespace with us. */
static bool has_capability(const struct doctor_facts *f, int capability)
{
	return !f->is_user_namespace && procfs_view_can(&f->view, capability);
}

static bool is_off(const struct doctor_facts *f, const char *option)
{
	return running_config_get(&f->config, option) == OPTION_OFF;
}

/* setcap replaces what a file had, so everything that is missing goes into one command. */
static void fix_by_rights(const struct doctor_facts *f, struct finding *d)
{
	bool needs_admin = !has_capability(f, CAP_NET_ADMIN);
	bool needs_ptrace = !has_capability(f, CAP_SYS_PTRACE);

	if (f->is_user_namespace) {
		finding_fix(d, "run outside of the user namespace: its rights do not count here");
		return;
	}
	if (!needs_admin && !needs_ptrace) { /* we have them, but not where it counts */
		finding_fix(d, "run outside of the container: its rights do not count here");
		return;
	}
	if (f->view.is_root) { /* a container's, which was left without */
		finding_fix(d, "give this root %s%s%s, or run outside of the container",
			    needs_admin ? "CAP_NET_ADMIN" : "",
			    needs_admin && needs_ptrace ? ", " : "",
			    needs_ptrace ? "CAP_SYS_PTRACE" : "");
		return;
	}
	finding_fix(d, "run as root");
	finding_fix(d, "sudo setcap %s%s%s+eip $(which ktstr)", needs_admin ? "cap_net_admin" : "",
		    needs_admin && needs_ptrace ? "," : "", needs_ptrace ? "cap_sys_ptrace" : "");
}

static void fix_by_kernel(struct finding *d, const char *options)
{
	finding_fix(d, "run a kernel with %s", options);
}

/* What is accessible without CAP_SYS_PTRACE. */
static void conclude_own_processes(const struct doctor_facts *f, struct finding *d)
{
	finding_set(d, DOCTOR_DEGRADED,
		    f->is_user_namespace ?
			    "only processes of this user namespace: its capabilities end there" :
			    "only processes of this user: no CAP_SYS_PTRACE");
	fix_by_rights(f, d);
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
		finding_set(d, DOCTOR_DEGRADED,
			    "hidepid hides processes of other users: no CAP_SYS_PTRACE");
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
		finding_set(d, DOCTOR_MISSING,
			    "no schedstat files: kernel without CONFIG_SCHED_INFO");
		fix_by_kernel(d, "CONFIG_SCHED_INFO=y (CONFIG_SCHEDSTATS selects it)");
	} else if (f->is_schedstat_zero) {
		finding_set(d, DOCTOR_MISSING,
			    "schedstat files hold only zeros: nothing is counted");
		finding_fix(d, "sudo sysctl -w kernel.task_delayacct=1");
	} else {
		finding_set(d, DOCTOR_OK, "run time, wait time and timeslices");
	}
}

/* The statistics are printed only while they are switched on. */
static void judge_sched(const struct doctor_facts *f, struct finding *d)
{
	if (f->sched.len == 0) {
		finding_set(d, DOCTOR_MISSING, "no sched files");
		fix_by_kernel(d, "CONFIG_SCHED_DEBUG=y and CONFIG_SCHEDSTATS=y");
	} else if (strstr(str_get(&f->sched), "wait_sum")) {
		finding_set(d, DOCTOR_OK, "wakeups, waits, sleeps and migrations");
	} else if (f->schedstats.is_known && f->schedstats.value == 0) {
		finding_set(d, DOCTOR_DEGRADED,
			    "only nr_migrations and the slice: kernel.sched_schedstats is 0");
		finding_fix(d, "sudo sysctl -w kernel.sched_schedstats=1");
	} else {
		finding_set(d, DOCTOR_DEGRADED,
			    "only nr_migrations and the slice: kernel without CONFIG_SCHEDSTATS");
		fix_by_kernel(d, "CONFIG_SCHEDSTATS=y");
	}
}

static void judge_io(const struct doctor_facts *f, struct finding *d)
{
	if (f->io == -ENOENT) {
		finding_set(d, DOCTOR_MISSING,
			    "no io files: kernel without CONFIG_TASK_IO_ACCOUNTING");
		fix_by_kernel(d, "CONFIG_TASK_IO_ACCOUNTING=y");
	} else if (!has_capability(f, CAP_SYS_PTRACE)) {
		conclude_own_processes(f, d);
	} else {
		finding_set(d, DOCTOR_OK, "bytes and calls read and written");
	}
}

/* Whether the interface answers at all; the families behind it need more. */
static bool has_taskstats(const struct doctor_facts *f)
{
	return f->is_live ? f->taskstats == 0 : !is_off(f, "CONFIG_TASKSTATS");
}

static void judge_taskstats(const struct doctor_facts *f, struct finding *d)
{
	if (!f->is_live && has_taskstats(f)) {
		finding_set(d, DOCTOR_OK, "not asked: this is a recorded tree");
	} else if (has_taskstats(f)) {
		str_addf(&d->why, "answers for this thread, struct version %d",
			 f->taskstats_version);
	} else if (f->taskstats == -EPERM) {
		finding_set(d, DOCTOR_MISSING,
			    f->is_user_namespace ?
				    "the kernel refuses to answer: not for a user namespace" :
				    "the kernel refuses to answer: no CAP_NET_ADMIN");
		fix_by_rights(f, d);
	} else if (!f->is_live || f->taskstats == -ENOENT) {
		finding_set(d, DOCTOR_MISSING, "kernel without CONFIG_TASKSTATS");
		fix_by_kernel(d, "CONFIG_TASKSTATS=y");
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

	if (is_off(f, "CONFIG_TASK_DELAY_ACCT")) {
		finding_set(d, DOCTOR_MISSING, "kernel without CONFIG_TASK_DELAY_ACCT");
		fix_by_kernel(d, "CONFIG_TASK_DELAY_ACCT=y");
	} else if (!has_taskstats(f)) {
		needs_taskstats(d);
	} else if (is_on && f->counts_irq_time) {
		finding_set(d, DOCTOR_OK, "all eight kinds of delay");
	} else if (is_on) {
		finding_set(d, DOCTOR_DEGRADED,
			    "all kinds of delay but interrupts: kernel without "
			    "CONFIG_IRQ_TIME_ACCOUNTING");
		fix_by_kernel(d, "CONFIG_IRQ_TIME_ACCOUNTING=y");
	} else if (f->delayacct.is_known) {
		finding_set(d, DOCTOR_DEGRADED,
			    "only run-queue delays: kernel.task_delayacct is 0; once it is 1, "
			    "threads that start from then on are counted");
		finding_fix(d, "sudo sysctl -w kernel.task_delayacct=1");
	} else {
		finding_set(d, DOCTOR_DEGRADED, "only run-queue delays: delay accounting is off");
		finding_fix(d, "boot with delayacct on the kernel's command line");
	}
}

static void judge_peaks(const struct doctor_facts *f, struct finding *d)
{
	if (is_off(f, "CONFIG_TASK_XACCT")) {
		finding_set(d, DOCTOR_MISSING, "kernel without CONFIG_TASK_XACCT");
		fix_by_kernel(d, "CONFIG_TASK_XACCT=y");
	} else if (!has_taskstats(f)) {
		needs_taskstats(d);
	} else {
		finding_set(d, DOCTOR_OK, "largest resident and virtual size");
	}
}

/* Yama heeds a capability over what is in the same user namespace. */
static bool can_trace_own(const struct doctor_facts *f, uint64_t scope)
{
	return scope == 0 || (f->is_user_namespace && procfs_view_can(&f->view, CAP_SYS_PTRACE));
}

/* What yama allows to trace without CAP_SYS_PTRACE; 3 forbids it for everybody, permanently. */
static void judge_jemalloc(const struct doctor_facts *f, struct finding *d)
{
	uint64_t scope = f->ptrace_scope.is_known ? f->ptrace_scope.value : 0;

	if (scope >= 3) {
		finding_set(d, DOCTOR_MISSING, "kernel.yama.ptrace_scope is 3: nobody may trace");
		finding_fix(d, "set kernel.yama.ptrace_scope=0 in /etc/sysctl.d and reboot");
	} else if (has_capability(f, CAP_SYS_PTRACE)) {
		finding_set(d, DOCTOR_OK, "threads of every process may be traced");
	} else if (can_trace_own(f, scope)) {
		conclude_own_processes(f, d);
	} else {
		finding_set(d, DOCTOR_MISSING,
			    "no CAP_SYS_PTRACE, and kernel.yama.ptrace_scope is %llu", ULL(scope));
		fix_by_rights(f, d);
		finding_fix(d, "sudo sysctl -w kernel.yama.ptrace_scope=0");
	}
}

static void judge_smaps(const struct doctor_facts *f, struct finding *d)
{
	if (f->smaps == -ENOENT) {
		finding_set(d, DOCTOR_MISSING, "no smaps_rollup files: Linux before 4.14");
		fix_by_kernel(d, "CONFIG_PROC_PAGE_MONITOR=y, Linux 4.14 or newer");
	} else if (!has_capability(f, CAP_SYS_PTRACE)) {
		conclude_own_processes(f, d);
	} else {
		finding_set(d, DOCTOR_OK, "memory maps of every process, added up");
	}
}

static void judge_pressure(const struct doctor_facts *f, struct finding *d)
{
	if (f->pressure == 0 && f->has_irq_pressure) {
		finding_set(d, DOCTOR_OK, "cpu, memory, io and irq");
	} else if (f->pressure == 0) {
		finding_set(d, DOCTOR_DEGRADED,
			    "no irq pressure: kernel without CONFIG_IRQ_TIME_ACCOUNTING");
		fix_by_kernel(d, "CONFIG_IRQ_TIME_ACCOUNTING=y, Linux 6.1 or newer");
	} else if (is_off(f, "CONFIG_PSI")) {
		finding_set(d, DOCTOR_MISSING, "kernel without CONFIG_PSI");
		fix_by_kernel(d, "CONFIG_PSI=y");
	} else {
		finding_set(d, DOCTOR_MISSING, "pressure stall information is switched off");
		finding_fix(d, "boot with psi=1 on the kernel's command line");
	}
}

/* The controllers whose files we read, as far as the list lacks them. */
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
		finding_fix(d, "boot with systemd.unified_cgroup_hierarchy=1");
		finding_fix(d, "sudo mount -t cgroup2 none /sys/fs/cgroup");
	} else if (lacking.len) {
		finding_set(d, DOCTOR_DEGRADED,
			    "the controllers %s are not in %s: cgroup v1 holds them",
			    str_get(&lacking), str_get(&f->cgroup_mount));
		finding_fix(d, "boot with systemd.unified_cgroup_hierarchy=1");
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
		finding_set(d, DOCTOR_MISSING, "kernel without CONFIG_SCHED_CLASS_EXT");
		fix_by_kernel(d, "CONFIG_SCHED_CLASS_EXT=y, Linux 6.12 or newer");
		return;
	}
	str_addf(&d->why, "state %s", str_get(&f->sched_ext_state));
	if (f->sched_ext_ops.len)
		str_addf(&d->why, ", scheduler %s", str_get(&f->sched_ext_ops));
}

/* Where the kernel has it, it is in the sched files whenever the statistics are. */
static void judge_core_sched(const struct doctor_facts *f, struct finding *d)
{
	enum config_option option = running_config_get(&f->config, "CONFIG_SCHED_CORE");
	const char *sched = str_get(&f->sched);

	if (strstr(sched, "core_forceidle_sum")) {
		finding_set(d, DOCTOR_OK, "time that siblings were forced to idle");
	} else if (option == OPTION_OFF ||
		   (option == OPTION_UNKNOWN && strstr(sched, "wait_sum"))) {
		finding_set(d, DOCTOR_MISSING, "kernel without CONFIG_SCHED_CORE");
		fix_by_kernel(d, "CONFIG_SCHED_CORE=y and CONFIG_SCHEDSTATS=y");
	} else {
		finding_set(d, DOCTOR_MISSING, "the sched files do not have it");
		finding_fix(d, "see sched above; the kernel needs CONFIG_SCHED_CORE=y too");
	}
}

static const struct {
	const char *name; /* NULL = that of the family */
	enum family_id family;
	void (*judge)(const struct doctor_facts *f, struct finding *d);
	bool is_by_number; /* the kernel is asked about threads by their numbers */
} judges[DOCTOR_FAMILIES] = {
	{ "processes", 0, judge_processes },
	{ NULL, FAMILY_SCHEDSTAT, judge_schedstat },
	{ NULL, FAMILY_SCHED, judge_sched },
	{ NULL, FAMILY_IO, judge_io },
	{ "taskstats", 0, judge_taskstats, true },
	{ NULL, FAMILY_DELAYS, judge_delays, true },
	{ NULL, FAMILY_MEMORY_PEAKS, judge_peaks, true },
	{ NULL, FAMILY_JEMALLOC, judge_jemalloc, true },
	{ NULL, FAMILY_SMAPS, judge_smaps },
	{ "pressure", 0, judge_pressure },
	{ "cgroup", 0, judge_cgroup },
	{ "sched_ext", 0, judge_sched_ext },
	{ "core scheduling", 0, judge_core_sched },
};

/* Capture leaves it out, whatever the kernel would answer. */
static void leave_out(struct finding *d)
{
	finding_set(d, DOCTOR_MISSING, "left out: the procfs is of another pid namespace");
	finding_fix(d, "see processes above");
}

int doctor_judge(const struct doctor_facts *f, struct finding out[static DOCTOR_FAMILIES])
{
	for (size_t i = 0; i < DOCTOR_FAMILIES; i++)
		out[i] = (struct finding){ .name = judges[i].name ?
							   judges[i].name :
							   families[judges[i].family].name };
	for (size_t i = 0; i < DOCTOR_FAMILIES; i++)
		if (judges[i].is_by_number && f->has_foreign_pids)
			leave_out(&out[i]);
		else
			judges[i].judge(f, &out[i]);
	return findings_check(out, DOCTOR_FAMILIES);
}
