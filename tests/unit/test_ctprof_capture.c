// SPDX-License-Identifier: GPL-2.0-only
/*
 * A capture from beginning to end: what is read of a recorded tree, and what this machine is asked
 * for where the procfs is its own. That machine is played.
 */
#include "unit.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "ctprof/capture_parts.h"
#include "ctprof/doctor.h"
#include "ctprof/family.h"
#include "ctprof/proc_parse.h"
#include "ktstr/ktstr.h"

/* ---- what is played ---- */

struct taskstats_client {
	int number;
};

static struct played {
	bool is_live; /* the steps below are played, too */
	bool is_foreign, is_v2;
	int client_error, host_error, probe_error, gather_error;
	unsigned int online;
	double load;
	bool has_load;
	/* What was asked for. */
	unsigned int opened, closed, probed, probe_workers, walk_workers;
	bool has_gates;
	size_t pid_count;
	const char *cgroup2;
	struct str log;
	struct finding findings[DOCTOR_FAMILIES];
} played;

static struct taskstats_client client;
static struct snapshot s;
static struct capture_opts opts;
static char *dir;

int __real_walk_list_threads(struct walk_list *list, const struct capture_opts *o, int proc_fd);
int __wrap_walk_list_threads(struct walk_list *list, const struct capture_opts *o, int proc_fd);
int __real_walk_read_threads(struct snapshot *out, const struct capture_opts *o,
			     const struct walk_list *list, int proc_fd,
			     const struct taskstats_gates *gates, unsigned int worker_count);
int __wrap_walk_read_threads(struct snapshot *out, const struct capture_opts *o,
			     const struct walk_list *list, int proc_fd,
			     const struct taskstats_gates *gates, unsigned int worker_count);
int __wrap_taskstats_open(struct taskstats_client **out);
void __wrap_taskstats_close(struct taskstats_client *c);
void __wrap_taskstats_find_gates(struct taskstats_client *c, const struct roots *roots,
				 struct taskstats_gates *gates);
int __wrap_probe_threads(struct snapshot *out, const struct jemalloc_limits *limits,
			 unsigned int worker_count);
int __wrap_host_context_read(struct host_context *h, const struct roots *roots);
bool __wrap_procfs_is_foreign(const char *proc);
bool __wrap_cgroup_is_v2(const char *path);
const char *__wrap_cgroup_find_root(const struct roots *roots, struct arena *arena);
int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);
int __wrap_getloadavg(double *load, int count);
int __wrap_doctor_gather(struct doctor_facts *f, const struct roots *roots, const char *boot);
int __wrap_doctor_judge(const struct doctor_facts *f, struct finding *out);
void __wrap_log_line(enum log_level level, const char *room, const char *fmt, ...);

int __wrap_walk_list_threads(struct walk_list *list, const struct capture_opts *o, int proc_fd)
{
	if (!played.is_live)
		return __real_walk_list_threads(list, o, proc_fd);
	*list = (struct walk_list){ .hidden = 4 };
	return 0;
}

int __wrap_walk_read_threads(struct snapshot *out, const struct capture_opts *o,
			     const struct walk_list *list, int proc_fd,
			     const struct taskstats_gates *gates, unsigned int worker_count)
{
	played.walk_workers = worker_count;
	played.cgroup2 = o->cgroup2;
	played.has_gates = gates && gates->irq;
	if (!played.is_live)
		return __real_walk_read_threads(out, o, list, proc_fd, gates, worker_count);
	out->threads = calloc(1, sizeof(*out->threads));
	out->threads[0] = (struct thread_record){ .tid = 1, .tgid = 1, .cgroup = "/a" };
	out->thread_count = 1;
	return 0;
}

int __wrap_taskstats_open(struct taskstats_client **out)
{
	*out = &client;
	played.opened++;
	return played.client_error ? err_set(-played.client_error, "it is played") : 0;
}

void __wrap_taskstats_close(struct taskstats_client *c)
{
	if (c)
		assert_ptr_equal(c, &client);
	played.closed += c == &client;
}

void __wrap_taskstats_find_gates(struct taskstats_client *c, const struct roots *roots,
				 struct taskstats_gates *gates)
{
	assert_ptr_equal(c, &client);
	assert_string_equal(roots->proc, "/proc");
	gates->irq = true;
}

int __wrap_probe_threads(struct snapshot *out, const struct jemalloc_limits *limits,
			 unsigned int worker_count)
{
	assert_ptr_equal(out, &s);
	assert_int_equal(limits->one_stop_ns, 11);
	played.probed++;
	played.probe_workers = worker_count;
	return played.probe_error;
}

int __wrap_host_context_read(struct host_context *h, const struct roots *roots)
{
	assert_string_equal(roots->proc, "/proc");
	*h = (struct host_context){};
	return played.host_error;
}

bool __wrap_procfs_is_foreign(const char *proc)
{
	(void)proc;
	return played.is_foreign;
}

bool __wrap_cgroup_is_v2(const char *path)
{
	return played.is_v2 && str_eq(path, dir);
}

const char *__wrap_cgroup_find_root(const struct roots *roots, struct arena *arena)
{
	(void)roots;
	(void)arena;
	return dir;
}

int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	assert_int_equal(pid, 0);
	if (!played.online)
		return -1;
	memset(set, 0, size);
	for (unsigned int i = 0; i < played.online; i++)
		CPU_SET(i, set);
	return 0;
}

int __wrap_getloadavg(double *load, int count)
{
	*load = played.load;
	return played.has_load ? count : -1;
}

int __wrap_doctor_gather(struct doctor_facts *f, const struct roots *roots, const char *boot)
{
	assert_string_equal(roots->proc, "/proc");
	assert_string_equal(boot, "/boot");
	*f = (struct doctor_facts){};
	return played.gather_error;
}

int __wrap_doctor_judge(const struct doctor_facts *f, struct finding *out)
{
	(void)f;
	memcpy(out, played.findings, sizeof(played.findings));
	memset(played.findings, 0, sizeof(played.findings));
	return 0;
}

void __wrap_log_line(enum log_level level, const char *room, const char *fmt, ...)
{
	_free_ char *text = NULL;
	va_list ap;

	(void)room;
	va_start(ap, fmt);
	if (level == LOG_WARN && vasprintf(&text, fmt, ap) >= 0)
		str_addf(&played.log, "%s\n", text);
	va_end(ap);
}

/* ---- a recorded tree ---- */

static void put_thread(const char *name, const char *cgroup)
{
	_free_ char *stat = str_fmt("%s/task/%s/stat", name, name);
	_free_ char *file = str_fmt("%s/task/%s/cgroup", name, name);
	_free_ char *path = str_fmt("0::%s\n", cgroup);

	unit_write(dir, stat, "1 (x) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 9\n");
	unit_write(dir, file, path);
}

static int set_up(void **state)
{
	(void)state;
	played = (struct played){ .online = 8, .has_load = true };
	dir = unit_temp_create();
	opts = (struct capture_opts){ .roots = { .proc = dir, .sys = dir, .cgroup = dir },
				      .stops.one_stop_ns = 11 };
	s = (struct snapshot){};
	put_thread("1", "/a");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	snapshot_finish(&s);
	str_finish(&played.log);
	unit_temp_remove(dir);
	return 0;
}

static void capture(void)
{
	int rc;

	snapshot_finish(&s);
	rc = capture_snapshot(&s, &opts);
	if (rc < 0)
		fail_msg("%s", err_text(rc));
}

static void a_recorded_tree_is_read_and_not_asked(void **state)
{
	_free_ char *tool = str_fmt("ktstr %s", ktstr_version());

	(void)state;
	unit_write(dir, "sys/kernel/random/boot_id", "01-23\n");
	unit_write(dir, "pressure/cpu", "some avg10=1.00 avg60=2.00 avg300=3.00 total=4\n");
	played.is_foreign = true; /* as every other tree is */
	capture();
	assert_true(s.schema_version.is_known);
	assert_int_equal(s.schema_version.value, SNAPSHOT_SCHEMA_VERSION);
	assert_true(s.captured_at_unix_ns.is_known && s.captured_at_unix_ns.value);
	assert_true(s.capture_ms.is_known && s.user_hz.is_known);
	assert_int_equal(s.user_hz.value, sysconf(_SC_CLK_TCK));
	assert_string_equal(s.tool, tool);
	assert_string_equal(s.boot_id, "01-23");
	assert_true(s.has_psi);
	assert_false(s.has_host || s.has_sched_ext || s.parse.has_foreign_pids);
	assert_false(s.taskstats.is_known);
	assert_int_equal(s.thread_count, 1);
	assert_int_equal(s.cgroup_count, 0);
	assert_int_equal(played.opened + played.probed, 0);
	assert_null(played.cgroup2);
	assert_int_equal(played.log.len, 0);
	assert_string_equal(s.unread[M_rchar].reason,
			    "no such file: CONFIG_TASK_IO_ACCOUNTING off, or the thread exited");
}

static void a_tree_without_its_files_lacks_them(void **state)
{
	(void)state;
	capture();
	assert_null(s.boot_id);
	assert_false(s.has_psi || s.uptime_clock_ticks.is_known || s.cpu_busy_ticks.is_known);
	opts.roots.proc = "/nowhere/at/all";
	snapshot_finish(&s);
	assert_int_equal(capture_snapshot(&s, &opts), -ENOENT);
	assert_string_equal(err_text(-ENOENT), "open /nowhere/at/all: No such file or directory");
	assert_int_equal(s.thread_count, 0);
}

static void uptime_is_in_ticks(void **state)
{
	static const struct {
		const char *text;
		uint64_t hundredths; /* UINT64_MAX = absent */
	} rows[] = {
		{ "1234.56 999.99\n", 123456 },
		{ "0.07 1\n", 7 },
		{ "12.00\n", 1200 },
		{ "5.99 1\n", 599 },
		{ "5.100 1\n", UINT64_MAX },
		{ "5,00\n", UINT64_MAX },
		{ "5.x\n", UINT64_MAX },
		{ "x\n", UINT64_MAX },
		{ "\n", UINT64_MAX },
		{ "4294967295.99 1\n", 429496729599 },
		{ "4294967296.00 1\n", UINT64_MAX },
	};
	uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unit_write(dir, "uptime", rows[i].text);
		capture();
		assert_int_equal(s.uptime_clock_ticks.is_known, rows[i].hundredths != UINT64_MAX);
		if (rows[i].hundredths != UINT64_MAX)
			assert_int_equal(s.uptime_clock_ticks.value,
					 rows[i].hundredths / 100 * hz +
						 rows[i].hundredths % 100 * hz / 100);
	}
}

/* Interrupts are in it where the kernel has their time in that of threads. */
static void cpu_time_is_that_of_all_threads(void **state)
{
	static const char *const all[] = { "*" };
	static const uint32_t pids[] = { 1 };

	(void)state;
	unit_write(dir, "stat", "cpu  1 2 4 8 16 32 64 128\ncpu0 9 9 9\n");
	unit_write(dir, "pressure/cpu", "");
	capture();
	assert_true(s.cpu_busy_ticks.is_known);
	assert_int_equal(s.cpu_busy_ticks.value, 1 + 2 + 4 + 32 + 64);
	unit_write(dir, "pressure/irq", "");
	capture();
	assert_int_equal(s.cpu_busy_ticks.value, 1 + 2 + 4);
	opts.comm_globs = all;
	opts.comm_glob_count = 1;
	capture();
	assert_false(s.cpu_busy_ticks.is_known);
	opts.comm_glob_count = 0;
	opts.cgroup_globs = all;
	opts.cgroup_glob_count = 1;
	capture();
	assert_false(s.cpu_busy_ticks.is_known);
	opts.cgroup_glob_count = 0;
	unit_write(dir, "1/status", "Name:\tx\nTgid:\t1\n");
	opts.pids = pids;
	opts.pid_count = 1;
	capture();
	assert_false(s.cpu_busy_ticks.is_known);
	opts.pid_count = 0;
	unit_write(dir, "stat", "intr 1\n");
	capture();
	assert_false(s.cpu_busy_ticks.is_known);
}

static void cgroups_of_the_threads_are_read_once(void **state)
{
	(void)state;
	put_thread("2", "/b");
	put_thread("3", "/a");
	put_thread("4", "/");
	put_thread("5", "/b");
	unit_write(dir, "1/task/6/stat", "6 (x) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 9\n");
	unit_write(dir, "a/cpu.stat", "usage_usec 7\n");
	unit_write(dir, "b/cpu.stat", "usage_usec 8\n");
	capture();
	assert_int_equal(s.cgroup_count, 0);
	opts.is_cgroup_root_given = true;
	capture();
	assert_int_equal(s.cgroup_count, 3);
	assert_string_equal(s.cgroups[0].path, "/");
	assert_string_equal(s.cgroups[1].path, "/a");
	assert_string_equal(s.cgroups[2].path, "/b");
	assert_false(s.cgroups[0].usage_usec.is_known);
	assert_int_equal(s.cgroups[1].usage_usec.value, 7);
	assert_int_equal(s.cgroups[2].usage_usec.value, 8);
	assert_null(played.cgroup2);
}

static void sched_ext_is_that_of_the_root_that_was_given(void **state)
{
	(void)state;
	unit_write(dir, "kernel/sched_ext/state", "enabled\n");
	capture();
	assert_false(s.has_sched_ext);
	opts.is_sys_root_given = true;
	capture();
	assert_true(s.has_sched_ext);
	assert_string_equal(s.sched_ext.state, "enabled");
}

static void workers_are_as_many_as_asked_for_or_idle(void **state)
{
	static const struct {
		unsigned int asked, online;
		double load;
		bool has_load;
		unsigned int expected;
	} rows[] = {
		{ 3, 8, 0, true, 3 }, { 0, 8, 0, true, 5 },  { 0, 8, 6.5, true, 2 },
		{ 0, 8, 7, true, 1 }, { 0, 8, 99, true, 1 }, { 0, 8, 6.5, false, 5 },
		{ 0, 0, 0, true, 1 }, { 0, 2, 0, true, 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		opts.worker_count = rows[i].asked;
		played.online = rows[i].online;
		played.load = rows[i].load;
		played.has_load = rows[i].has_load;
		capture();
		assert_int_equal(s.worker_count, rows[i].expected);
		assert_int_equal(played.walk_workers, rows[i].expected);
	}
}

static void what_a_procfs_hides_is_told(void **state)
{
	_free_ char *mounts = str_fmt("24 1 0:5 / %s rw - proc proc rw,hidepid=2\n", dir);

	(void)state;
	unit_write(dir, "self/mountinfo", mounts);
	capture();
	assert_true(s.parse.is_hiding);
	assert_non_null(strstr(str_get(&played.log), "hidepid hides"));
	unit_write(dir, "self/status", "Name:\tx\nCapEff:\t0000000000080000\n");
	capture();
	assert_false(s.parse.is_hiding);
}

/* ---- this machine ---- */

static int set_up_live(void **state)
{
	static const uint32_t pids[] = { 1 };

	set_up(state);
	played.is_live = true;
	opts.roots = roots_live;
	opts.pids = pids; /* then the CPU time of all is not read */
	opts.pid_count = 1;
	opts.worker_count = 3;
	return 0;
}

static void this_machine_is_asked_for_everything(void **state)
{
	(void)state;
	played.is_v2 = true;
	unit_write(dir, "a/cpu.stat", "usage_usec 7\n");
	capture();
	assert_true(s.has_host);
	assert_true(s.taskstats.is_known);
	assert_int_equal(played.opened, 1);
	assert_int_equal(played.closed, 1);
	assert_true(played.has_gates);
	assert_int_equal(played.probed, 1);
	assert_int_equal(played.probe_workers, 3);
	assert_ptr_equal(played.cgroup2, dir);
	assert_int_equal(s.cgroup_count, 1);
	assert_int_equal(s.cgroups[0].usage_usec.value, 7);
	assert_non_null(
		strstr(str_get(&played.log), "4 processes hide their threads from this user"));
	assert_null(strstr(str_get(&played.log), "no delay accounting"));
}

static void a_root_of_cgroup_v1_is_read_but_not_relied_on(void **state)
{
	(void)state;
	unit_write(dir, "a/cpu.stat", "usage_usec 7\n");
	capture();
	assert_null(played.cgroup2);
	assert_int_equal(s.cgroups[0].usage_usec.value, 7);
	/* Nor is one that the user gives: it says nothing about these threads. */
	played.is_v2 = true;
	opts.is_cgroup_root_given = true;
	opts.roots.cgroup = "/nowhere";
	capture();
	assert_null(played.cgroup2);
	assert_false(s.cgroups[0].usage_usec.is_known);
}

static void what_is_not_wanted_is_not_asked_for(void **state)
{
	(void)state;
	opts.no_taskstats = true;
	opts.no_probe = true;
	capture();
	assert_int_equal(played.opened + played.probed, 0);
	assert_false(s.taskstats.is_known);
	assert_false(played.has_gates);
}

static void numbers_of_another_namespace_are_not_asked_for(void **state)
{
	(void)state;
	played.is_foreign = true;
	played.is_v2 = true;
	capture();
	assert_int_equal(played.opened + played.probed, 0);
	assert_false(s.taskstats.is_known);
	assert_true(s.parse.has_foreign_pids);
	assert_null(played.cgroup2);
	assert_non_null(strstr(str_get(&played.log), PROCFS_FOREIGN));
	assert_true(s.has_host);
	assert_int_equal(s.cgroup_count, 1);
}

static void without_delay_accounting_the_rest_is_captured(void **state)
{
	(void)state;
	played.client_error = -EPERM;
	capture();
	assert_true(s.taskstats.is_known);
	assert_int_equal(s.thread_count, 1);
	assert_false(played.has_gates);
	assert_int_equal(played.closed, 0);
	assert_int_equal(played.probed, 1);
	assert_non_null(strstr(str_get(&played.log),
			       "no delay accounting: it is played; it needs CONFIG_TASKSTATS, "
			       "CONFIG_TASK_DELAY_ACCT and CONFIG_TASK_XACCT, CAP_NET_ADMIN, and "
			       "kernel.task_delayacct=1"));
}

static void a_step_that_fails_ends_the_capture(void **state)
{
	(void)state;
	played.host_error = -ENOMEM;
	assert_int_equal(capture_snapshot(&s, &opts), -ENOMEM);
	assert_int_equal(s.thread_count, 0);
	assert_int_equal(played.opened, 0);
	played.host_error = 0;
	played.probe_error = -ENOSPC;
	assert_int_equal(capture_snapshot(&s, &opts), -ENOSPC);
	assert_int_equal(s.thread_count, 0);
	assert_null(s.threads);
}

/* ---- --strict ---- */

static void put_finding(const char *name, unsigned int state, const char *why)
{
	struct finding *f = played.findings;

	while (f->name)
		f++;
	*f = (struct finding){ .name = name, .state = state };
	str_add(&f->why, why);
}

static void put_findings(void)
{
	const char *const ours[] = { "taskstats",
				     families[FAMILY_DELAYS].name,
				     families[FAMILY_MEMORY_PEAKS].name,
				     families[FAMILY_JEMALLOC].name,
				     families[FAMILY_SMAPS].name,
				     "io" };
	unsigned int state = DOCTOR_DEGRADED;

	for (size_t i = 0; i < ARRAY_SIZE(ours); i++, state = DOCTOR_MISSING)
		put_finding(ours[i], state, "off");
	while (!played.findings[DOCTOR_FAMILIES - 1].name)
		put_finding("another", DOCTOR_OK, "on");
}

static void expect_refused(const char *message)
{
	put_findings();
	assert_int_equal(capture_refuse_host(&opts), -ENODATA);
	assert_string_equal(err_text(-ENODATA), message);
}

static void strict_refuses_a_host_that_lacks_a_family(void **state)
{
	(void)state;
	expect_refused("--strict: 6 data families are degraded or missing: taskstats: off; "
		       "delays: off; memory peaks: off; jemalloc: off; smaps_rollup: off; io: off");
	opts.no_taskstats = true;
	expect_refused("--strict: 3 data families are degraded or missing: jemalloc: off; "
		       "smaps_rollup: off; io: off");
	opts.no_probe = true;
	expect_refused("--strict: 2 data families are degraded or missing: smaps_rollup: off; "
		       "io: off");
	opts.no_smaps = true;
	expect_refused("--strict: 1 data family is degraded or missing: io: off");
	while (!played.findings[DOCTOR_FAMILIES - 1].name)
		put_finding("io", DOCTOR_OK, "on");
	assert_int_equal(capture_refuse_host(&opts), 0);
	played.gather_error = -ENOMEM;
	assert_int_equal(capture_refuse_host(&opts), -ENOMEM);
	opts.roots.proc = dir; /* a recorded tree is no host */
	assert_int_equal(capture_refuse_host(&opts), 0);
}

#define HERE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
#define LIVE(test) cmocka_unit_test_setup_teardown(test, set_up_live, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		HERE(a_recorded_tree_is_read_and_not_asked),
		HERE(a_tree_without_its_files_lacks_them),
		HERE(uptime_is_in_ticks),
		HERE(cpu_time_is_that_of_all_threads),
		HERE(cgroups_of_the_threads_are_read_once),
		HERE(sched_ext_is_that_of_the_root_that_was_given),
		HERE(workers_are_as_many_as_asked_for_or_idle),
		HERE(what_a_procfs_hides_is_told),
		LIVE(this_machine_is_asked_for_everything),
		LIVE(a_root_of_cgroup_v1_is_read_but_not_relied_on),
		LIVE(what_is_not_wanted_is_not_asked_for),
		LIVE(numbers_of_another_namespace_are_not_asked_for),
		LIVE(without_delay_accounting_the_rest_is_captured),
		LIVE(a_step_that_fails_ends_the_capture),
		LIVE(strict_refuses_a_host_that_lacks_a_family),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
