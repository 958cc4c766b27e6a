// SPDX-License-Identifier: GPL-2.0-only
/* What the doctor says of each family, in every state. */
#include "unit.h"

#include <errno.h>

#include "ctprof/doctor.h"
#include "host/need.h"

#define NET_ADMIN (1ULL << 12)
#define SYS_PTRACE (1ULL << 19)

/* A live host with all rights, where everything answers. */
static struct doctor_facts good_facts(void)
{
	struct doctor_facts f = {
		.roots = roots_live,
		.is_live = true,
		.process_count = 100,
		.view = { .capabilities = NET_ADMIN | SYS_PTRACE },
		.delayacct = { true, 1 },
		.taskstats_version = 16,
		.has_irq_pressure = true,
		.counts_irq_time = true,
	};

	str_add(&f.sched, "wait_sum core_forceidle_sum");
	str_add(&f.cgroup_mount, "/sys/fs/cgroup");
	str_add(&f.cgroup_controllers, "cpu memory pids");
	str_add(&f.cgroup_children, "cpu memory pids");
	str_add(&f.sched_ext_state, "disabled");
	return f;
}

static void set_text(struct str *text, const char *s)
{
	str_reset(text);
	str_add(text, s);
}

static enum doctor_state state_of(const struct doctor_facts *f, const char *family)
{
	struct finding findings[DOCTOR_FAMILIES];
	enum doctor_state state = DOCTOR_STATES;

	assert_int_equal(doctor_judge(f, findings), 0);
	array_each(const struct finding, d, findings, DOCTOR_FAMILIES)
		if (str_eq(d->name, family))
			state = d->state;
	findings_finish(findings, DOCTOR_FAMILIES);
	return state;
}

static void expect(struct doctor_facts *f, const char *family, enum doctor_state state,
		   const char *why, const char *fix)
{
	struct finding findings[DOCTOR_FAMILIES];
	bool is_found = false;

	assert_int_equal(doctor_judge(f, findings), 0);
	for (size_t i = 0; i < DOCTOR_FAMILIES; i++) {
		if (!str_eq(findings[i].name, family))
			continue;
		is_found = true;
		assert_int_equal(findings[i].state, state);
		assert_string_equal(str_get(&findings[i].why), why);
		assert_string_equal(str_get(&findings[i].fix), fix);
	}
	assert_true(is_found);
	findings_finish(findings, DOCTOR_FAMILIES);
}

static void test_taskstats(void **state)
{
	struct doctor_facts f = good_facts();

	(void)state;
	expect(&f, "taskstats", DOCTOR_OK, "answers for this thread, struct version 16", "");
	expect(&f, "delays", DOCTOR_OK, "all eight kinds of delay", "");
	f.taskstats = -ENOENT;
	expect(&f, "taskstats", DOCTOR_MISSING, "CONFIG_TASKSTATS off",
	       "run a kernel with CONFIG_TASKSTATS=y");
	expect(&f, "delays", DOCTOR_MISSING, "comes with taskstats, which does not answer",
	       "see taskstats above");
	f.taskstats = -ETIMEDOUT;
	expect(&f, "taskstats", DOCTOR_MISSING,
	       "the query over netlink fails: Connection timed out",
	       "run in the host's network namespace, with netlink permitted");
	f.taskstats = -EPERM;
	expect(&f, "taskstats", DOCTOR_MISSING, "the kernel refuses to answer: no CAP_NET_ADMIN",
	       "run outside of the container: its rights do not count here");
	f.view.capabilities = SYS_PTRACE;
	expect(&f, "taskstats", DOCTOR_MISSING, "the kernel refuses to answer: no CAP_NET_ADMIN",
	       "run as root\nsudo setcap cap_net_admin+eip $(which ktstr)");
	doctor_facts_finish(&f);
}

static void test_user_namespace(void **state)
{
	static const char fix[] = "run outside of the user namespace: its rights do not count here",
			  own[] = "only processes of this user namespace: its capabilities end "
				  "there";
	struct doctor_facts f = good_facts();

	(void)state;
	f.is_user_namespace = true;
	f.taskstats = -EPERM;
	f.ptrace_scope = (struct doctor_number){ true, 1 };
	expect(&f, "taskstats", DOCTOR_MISSING,
	       "the kernel refuses to answer: not for a user namespace", fix);
	expect(&f, "io", DOCTOR_DEGRADED, own, fix);
	expect(&f, "smaps_rollup", DOCTOR_DEGRADED, own, fix);
	expect(&f, "jemalloc", DOCTOR_DEGRADED, own, fix);
	f.view.capabilities = 0; /* so that yama forbids even these */
	expect(&f, "jemalloc", DOCTOR_MISSING,
	       "no CAP_SYS_PTRACE, and kernel.yama.ptrace_scope is 1",
	       "run outside of the user namespace: its rights do not count here\n"
	       "sudo sysctl -w kernel.yama.ptrace_scope=0");
	doctor_facts_finish(&f);
}

/* The options that the kernel was built with. */
static void set_config(struct doctor_facts *f, const char *text)
{
	free(f->config.source);
	f->config.source = strdup("config.gz");
	set_text(&f->config.text, text);
}

static void processes_are_counted_where_they_show(void **state)
{
	struct doctor_facts f = good_facts();

	(void)state;
	expect(&f, "processes", DOCTOR_OK, "100 visible", "");
	f.view.is_hiding = true;
	expect(&f, "processes", DOCTOR_OK, "100 visible", "");
	f.view.capabilities = NET_ADMIN;
	expect(&f, "processes", DOCTOR_DEGRADED, PROCFS_HIDING,
	       "run as root\nsudo mount -o remount,hidepid=0 /proc");
	f.view.is_root = true;
	expect(&f, "processes", DOCTOR_DEGRADED, PROCFS_HIDING,
	       "sudo mount -o remount,hidepid=0 /proc");
	f.has_foreign_pids = true;
	expect(&f, "processes", DOCTOR_DEGRADED,
	       PROCFS_FOREIGN ": no delays, peaks, jemalloc and affinity by number",
	       "run in the pid namespace of /proc\n"
	       "sudo mount -t proc proc /proc, to see the processes of this one");
	f.process_count = 0;
	expect(&f, "processes", DOCTOR_MISSING, "no process in /proc",
	       "sudo mount -t proc proc /proc");
	doctor_facts_finish(&f);
}

static void foreign_numbers_leave_out_what_is_asked_by_number(void **state)
{
	static const char *const left_out[] = { "taskstats", "delays", "memory peaks", "jemalloc" };
	static const char *const others[] = { "schedstat", "io", "smaps_rollup", "pressure" };
	struct doctor_facts f = good_facts();

	(void)state;
	f.has_foreign_pids = true;
	for (size_t i = 0; i < ARRAY_SIZE(left_out); i++)
		expect(&f, left_out[i], DOCTOR_MISSING,
		       "left out: the procfs is of another pid namespace", "see processes above");
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_int_equal(state_of(&f, others[i]), DOCTOR_OK);
	doctor_facts_finish(&f);
}

static void files_of_the_scheduler(void **state)
{
	struct doctor_facts f = good_facts();

	(void)state;
	expect(&f, "schedstat", DOCTOR_OK, "run time, wait time and timeslices", "");
	expect(&f, "sched", DOCTOR_OK, "wakeups, waits, sleeps and migrations", "");
	expect(&f, "core scheduling", DOCTOR_OK, "time that siblings were forced to idle", "");
	f.is_schedstat_zero = true;
	expect(&f, "schedstat", DOCTOR_MISSING,
	       "schedstat files hold only zeros: nothing is counted",
	       "sudo sysctl -w kernel.task_delayacct=1");
	f.schedstat = -ENOENT;
	expect(&f, "schedstat", DOCTOR_MISSING, "no schedstat files: CONFIG_SCHED_INFO off",
	       "run a kernel with CONFIG_SCHED_INFO=y (CONFIG_SCHEDSTATS selects it)");
	set_text(&f.sched, "nr_switches : 1");
	expect(&f, "sched", DOCTOR_DEGRADED,
	       "only nr_migrations and the slice: CONFIG_SCHEDSTATS off",
	       "run a kernel with CONFIG_SCHEDSTATS=y");
	f.schedstats = (struct doctor_number){ true, 1 };
	expect(&f, "sched", DOCTOR_DEGRADED,
	       "only nr_migrations and the slice: CONFIG_SCHEDSTATS off",
	       "run a kernel with CONFIG_SCHEDSTATS=y");
	f.schedstats.value = 0;
	expect(&f, "sched", DOCTOR_DEGRADED,
	       "only nr_migrations and the slice: kernel.sched_schedstats=0",
	       "sudo sysctl -w kernel.sched_schedstats=1");
	set_text(&f.sched, "");
	expect(&f, "sched", DOCTOR_MISSING, "no sched files: CONFIG_SCHED_DEBUG off",
	       "run a kernel with CONFIG_SCHED_DEBUG=y and CONFIG_SCHEDSTATS=y");
	doctor_facts_finish(&f);
}

static void core_scheduling_by_the_file_or_the_configuration(void **state)
{
	static const char by_config[] =
		"run a kernel with CONFIG_SCHED_CORE=y and CONFIG_SCHEDSTATS=y";
	static const char by_file[] = "see sched above; the kernel needs CONFIG_SCHED_CORE=y too";
	struct doctor_facts f = good_facts();

	(void)state;
	set_text(&f.sched, "wait_sum");
	expect(&f, "core scheduling", DOCTOR_MISSING, "CONFIG_SCHED_CORE off", by_config);
	set_text(&f.sched, "nr_switches");
	expect(&f, "core scheduling", DOCTOR_MISSING, "the sched files do not have it", by_file);
	set_config(&f, "CONFIG_SCHED_CORE=y\n");
	set_text(&f.sched, "wait_sum");
	expect(&f, "core scheduling", DOCTOR_MISSING, "the sched files do not have it", by_file);
	set_config(&f, "CONFIG_PSI=y\n");
	set_text(&f.sched, "nr_switches");
	expect(&f, "core scheduling", DOCTOR_MISSING, "CONFIG_SCHED_CORE off", by_config);
	doctor_facts_finish(&f);
}

/* Other processes' files want CAP_SYS_PTRACE, wherever the kernel has them. */
static void files_of_other_processes(void **state)
{
	static const char own[] = "only processes of this user: no CAP_SYS_PTRACE";
	static const char setcap[] = "run as root\nsudo setcap cap_sys_ptrace+eip $(which ktstr)";
	struct doctor_facts f = good_facts();

	(void)state;
	expect(&f, "io", DOCTOR_OK, "bytes and calls read and written", "");
	expect(&f, "smaps_rollup", DOCTOR_OK, "memory maps of every process, added up", "");
	expect(&f, "jemalloc", DOCTOR_OK, "threads of every process may be traced", "");
	f.io = f.smaps = -EACCES;
	expect(&f, "io", DOCTOR_OK, "bytes and calls read and written", "");
	expect(&f, "smaps_rollup", DOCTOR_OK, "memory maps of every process, added up", "");
	f.view.capabilities = NET_ADMIN;
	expect(&f, "io", DOCTOR_DEGRADED, own, setcap);
	expect(&f, "smaps_rollup", DOCTOR_DEGRADED, own, setcap);
	expect(&f, "jemalloc", DOCTOR_DEGRADED, own, setcap);
	f.io = f.smaps = -ENOENT;
	expect(&f, "io", DOCTOR_MISSING, "no io files: CONFIG_TASK_IO_ACCOUNTING off",
	       "run a kernel with CONFIG_TASK_IO_ACCOUNTING=y");
	expect(&f, "smaps_rollup", DOCTOR_MISSING,
	       "no smaps_rollup files: CONFIG_PROC_PAGE_MONITOR off",
	       "run a kernel with CONFIG_PROC_PAGE_MONITOR=y, Linux 4.14 or newer");
	doctor_facts_finish(&f);
}

/* One command for everything that is missing. */
static void rights_are_given_at_once(void **state)
{
	static const char own[] = "only processes of this user: no CAP_SYS_PTRACE";
	struct doctor_facts f = good_facts();

	(void)state;
	f.view.capabilities = 0;
	expect(&f, "io", DOCTOR_DEGRADED, own,
	       "run as root\nsudo setcap cap_net_admin,cap_sys_ptrace+eip $(which ktstr)");
	f.view.is_root = true;
	expect(&f, "io", DOCTOR_DEGRADED, own,
	       "give this root CAP_NET_ADMIN, CAP_SYS_PTRACE, or run outside of the container");
	f.view.capabilities = NET_ADMIN;
	expect(&f, "io", DOCTOR_DEGRADED, own,
	       "give this root CAP_SYS_PTRACE, or run outside of the container");
	f.view.capabilities = SYS_PTRACE;
	f.taskstats = -EPERM;
	expect(&f, "taskstats", DOCTOR_MISSING, "the kernel refuses to answer: no CAP_NET_ADMIN",
	       "give this root CAP_NET_ADMIN, or run outside of the container");
	doctor_facts_finish(&f);
}

static void tracing_is_up_to_yama_without_the_right(void **state)
{
	static const char setcap[] = "run as root\nsudo setcap cap_sys_ptrace+eip $(which ktstr)";
	struct doctor_facts f = good_facts();

	(void)state;
	f.ptrace_scope = (struct doctor_number){ true, 2 };
	expect(&f, "jemalloc", DOCTOR_OK, "threads of every process may be traced", "");
	f.ptrace_scope.value = 3;
	expect(&f, "jemalloc", DOCTOR_MISSING, "kernel.yama.ptrace_scope is 3: tracing is disabled",
	       "set kernel.yama.ptrace_scope=0 in /etc/sysctl.d and reboot");
	f.ptrace_scope.is_known = false;
	expect(&f, "jemalloc", DOCTOR_OK, "threads of every process may be traced", "");
	f.view.capabilities = NET_ADMIN;
	f.ptrace_scope = (struct doctor_number){ true, 0 };
	expect(&f, "jemalloc", DOCTOR_DEGRADED, "only processes of this user: no CAP_SYS_PTRACE",
	       setcap);
	f.ptrace_scope.value = 2;
	expect(&f, "jemalloc", DOCTOR_MISSING,
	       "no CAP_SYS_PTRACE, and kernel.yama.ptrace_scope is 2",
	       "run as root\nsudo setcap cap_sys_ptrace+eip $(which ktstr)\n"
	       "sudo sysctl -w kernel.yama.ptrace_scope=0");
	doctor_facts_finish(&f);
}

/* A recorded tree is not asked: what its kernel was built with tells. */
static void taskstats_of_a_recorded_tree(void **state)
{
	static const char silent[] = "comes with taskstats, which does not answer";
	struct doctor_facts f = good_facts();

	(void)state;
	f.is_live = false;
	f.taskstats = -EPERM;
	set_config(&f, "CONFIG_TASKSTATS=y\nCONFIG_TASK_DELAY_ACCT=y\nCONFIG_TASK_XACCT=y\n");
	expect(&f, "delays", DOCTOR_OK, "all eight kinds of delay", "");
	f.taskstats = 0;
	expect(&f, "taskstats", DOCTOR_OK, "not asked: this is a recorded tree", "");
	expect(&f, "memory peaks", DOCTOR_OK, "largest resident and virtual size", "");
	set_config(&f, "CONFIG_TASK_DELAY_ACCT=y\nCONFIG_TASK_XACCT=y\n");
	expect(&f, "taskstats", DOCTOR_MISSING, "CONFIG_TASKSTATS off",
	       "run a kernel with CONFIG_TASKSTATS=y");
	expect(&f, "delays", DOCTOR_MISSING, silent, "see taskstats above");
	expect(&f, "memory peaks", DOCTOR_MISSING, silent, "see taskstats above");
	f.is_live = true;
	expect(&f, "taskstats", DOCTOR_OK, "answers for this thread, struct version 16", "");
	set_config(&f, "CONFIG_TASKSTATS=y\n");
	expect(&f, "delays", DOCTOR_MISSING, "CONFIG_TASK_DELAY_ACCT off",
	       "run a kernel with CONFIG_TASK_DELAY_ACCT=y");
	expect(&f, "memory peaks", DOCTOR_MISSING, "CONFIG_TASK_XACCT off",
	       "run a kernel with CONFIG_TASK_XACCT=y");
	doctor_facts_finish(&f);
}

static void delays_by_sysctl_or_command_line(void **state)
{
	struct doctor_facts f = good_facts();

	(void)state;
	f.counts_irq_time = false;
	expect(&f, "delays", DOCTOR_DEGRADED,
	       "the time of interrupts is not counted: CONFIG_IRQ_TIME_ACCOUNTING off",
	       "run a kernel with CONFIG_IRQ_TIME_ACCOUNTING=y, Linux 6.1 or newer");
	f.delayacct.value = 0;
	f.has_delayacct_boot = true; /* what is in force counts */
	expect(&f, "delays", DOCTOR_DEGRADED,
	       "only run-queue delays are counted: kernel.task_delayacct=0; once it is 1, threads "
	       "that start from then on are counted",
	       "sudo sysctl -w kernel.task_delayacct=1");
	f.delayacct.is_known = false;
	f.counts_irq_time = true;
	expect(&f, "delays", DOCTOR_OK, "all eight kinds of delay", "");
	f.has_delayacct_boot = false;
	expect(&f, "delays", DOCTOR_DEGRADED,
	       "only run-queue delays are counted: delay accounting is off",
	       "boot with delayacct on the kernel's command line");
	doctor_facts_finish(&f);
}

static void pressure_is_off_or_not_built_in(void **state)
{
	struct doctor_facts f = good_facts();

	(void)state;
	expect(&f, "pressure", DOCTOR_OK, "cpu, memory, io and irq", "");
	f.has_irq_pressure = false;
	expect(&f, "pressure", DOCTOR_DEGRADED,
	       "the time of interrupts is not counted: CONFIG_IRQ_TIME_ACCOUNTING off",
	       "run a kernel with CONFIG_IRQ_TIME_ACCOUNTING=y, Linux 6.1 or newer");
	f.pressure = -EOPNOTSUPP;
	f.has_irq_pressure = true;
	expect(&f, "pressure", DOCTOR_MISSING, "pressure stall information is switched off",
	       "boot with psi=1 on the kernel's command line");
	set_config(&f, "CONFIG_TASKSTATS=y\n");
	expect(&f, "pressure", DOCTOR_MISSING, "CONFIG_PSI off", "run a kernel with CONFIG_PSI=y");
	doctor_facts_finish(&f);
}

static void controllers_are_missing_or_off(void **state)
{
	struct doctor_facts f = good_facts();

	(void)state;
	expect(&f, "cgroup", DOCTOR_OK, "v2 at /sys/fs/cgroup", "");
	set_text(&f.cgroup_children, "memory");
	expect(&f, "cgroup", DOCTOR_DEGRADED,
	       "controllers are off below /sys/fs/cgroup: +cpu +pids",
	       "echo +cpu +pids | sudo tee /sys/fs/cgroup/cgroup.subtree_control");
	set_text(&f.cgroup_controllers, "cpuset memory hugetlb");
	expect(&f, "cgroup", DOCTOR_DEGRADED,
	       "the controllers cpu pids are not in /sys/fs/cgroup: cgroup v1 holds them",
	       FIX_CGROUP2);
	set_text(&f.cgroup_mount, "");
	expect(&f, "cgroup", DOCTOR_MISSING, "no cgroup v2 is mounted",
	       FIX_CGROUP2 "\nsudo mount -t cgroup2 none /sys/fs/cgroup");
	doctor_facts_finish(&f);
}

static void sched_ext_with_and_without_a_scheduler(void **state)
{
	struct doctor_facts f = good_facts();

	(void)state;
	expect(&f, "sched_ext", DOCTOR_OK, "state disabled", "");
	set_text(&f.sched_ext_state, "enabled");
	set_text(&f.sched_ext_ops, "scx_simple");
	expect(&f, "sched_ext", DOCTOR_OK, "state enabled, scheduler scx_simple", "");
	set_text(&f.sched_ext_state, "");
	expect(&f, "sched_ext", DOCTOR_MISSING, "CONFIG_SCHED_CLASS_EXT off",
	       "run a kernel with CONFIG_SCHED_CLASS_EXT=y, Linux 6.12 or newer");
	doctor_facts_finish(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_taskstats),
		cmocka_unit_test(test_user_namespace),
		cmocka_unit_test(processes_are_counted_where_they_show),
		cmocka_unit_test(foreign_numbers_leave_out_what_is_asked_by_number),
		cmocka_unit_test(files_of_the_scheduler),
		cmocka_unit_test(core_scheduling_by_the_file_or_the_configuration),
		cmocka_unit_test(files_of_other_processes),
		cmocka_unit_test(rights_are_given_at_once),
		cmocka_unit_test(tracing_is_up_to_yama_without_the_right),
		cmocka_unit_test(taskstats_of_a_recorded_tree),
		cmocka_unit_test(delays_by_sysctl_or_command_line),
		cmocka_unit_test(pressure_is_off_or_not_built_in),
		cmocka_unit_test(controllers_are_missing_or_off),
		cmocka_unit_test(sched_ext_with_and_without_a_scheduler),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
