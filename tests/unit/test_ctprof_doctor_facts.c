// SPDX-License-Identifier: GPL-2.0-only
/* What the doctor reads: of made-up hosts everything, of this one what it may ask. */
#include "unit.h"

#include <errno.h>
#include <unistd.h>
#include <zlib.h>

#include "base/err.h"
#include "base/file.h"
#include "ctprof/doctor.h"
#include "ctprof/taskstats.h"

#define LARGEST_CONFIG (8u << 20)

/* The kernel's answer, played: this machine may have none. */
static int times_asked;

int __wrap_taskstats_probe_self(int *version);

int __wrap_taskstats_probe_self(int *version)
{
	times_asked++;
	*version = 77;
	return -EBUSY;
}

struct host {
	char *dir, *proc, *sys, *cgroup;
	struct roots roots;
	struct doctor_facts facts;
};

static void host_create(struct host *h)
{
	*h = (struct host){ .dir = unit_temp_create() };
	h->proc = str_fmt("%s/proc", h->dir);
	h->sys = str_fmt("%s/sys", h->dir);
	h->cgroup = str_fmt("%s/cgroup", h->dir);
	h->roots = (struct roots){ h->proc, h->sys, h->cgroup };
	assert_int_equal(file_make_dirs(h->proc, 0755), 0);
}

static void host_finish(struct host *h)
{
	doctor_facts_finish(&h->facts);
	unit_temp_remove(h->dir);
	free(h->proc);
	free(h->sys);
	free(h->cgroup);
}

#define _host_ _cleanup_(host_finish)

static const struct doctor_facts *gather(struct host *h, const char *boot)
{
	doctor_facts_finish(&h->facts);
	assert_int_equal(doctor_gather(&h->facts, &h->roots, boot), 0);
	return &h->facts;
}

static void put_link(struct host *h, const char *name, const char *to)
{
	_free_ char *path = str_fmt("%s/%s", h->dir, name), *parent = strdup(path);

	*strrchr(parent, '/') = '\0';
	assert_int_equal(file_make_dirs(parent, 0755), 0);
	unlink(path);
	assert_int_equal(symlink(to, path), 0);
}

static void put_mount(struct host *h, const char *process, const char *before, const char *point,
		      const char *behind)
{
	_free_ char *name = str_fmt("proc/%s/mountinfo", process);
	_free_ char *text =
		str_fmt("no mount at all\n1 2 3 - %s\n%s%s%s\n", behind, before, point, behind);

	unit_write(h->dir, name, text);
}

static void all_of_a_host_is_read(void **state)
{
	static const struct {
		const char *name, *text;
	} files[] = {
		{ "proc/self/schedstat", "5 6 7\n" },
		{ "proc/self/sched", "x (1, #threads: 1)\nwait_sum : 1.0\n" },
		{ "proc/self/io", "rchar: 1\n" },
		{ "proc/self/smaps_rollup", "Rss: 1 kB\n" },
		{ "proc/self/status", "Name:\tx\nUid:\t7\t0\t7\t7\nCapEff:\t0000000000081000\n" },
		{ "proc/sys/kernel/task_delayacct", "1\n" },
		{ "proc/sys/kernel/sched_schedstats", "2\n" },
		{ "proc/sys/kernel/yama/ptrace_scope", "3\n" },
		{ "proc/cmdline", "quiet delayacct\n" },
		{ "proc/pressure/cpu", "some avg10=0.00\n" },
		{ "proc/pressure/irq", "full avg10=0.00\n" },
		{ "proc/config.gz", "CONFIG_PSI=y\n" },
		{ "cgroup/cgroup.controllers", "cpu io\n" },
		{ "cgroup/cgroup.subtree_control", "cpu\n" },
		{ "sys/kernel/sched_ext/state", "enabled\n" },
		{ "sys/kernel/sched_ext/root/ops", "scx_simple\n" },
	};
	_host_ struct host h;
	const struct doctor_facts *f;

	(void)state;
	host_create(&h);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		unit_write(h.dir, files[i].name, files[i].text);
	f = gather(&h, NULL);
	assert_string_equal(f->roots.proc, h.proc);
	assert_false(f->is_live);
	assert_int_equal(f->taskstats, 0);
	assert_int_equal(running_config_get(&f->config, "CONFIG_PSI"), OPTION_ON);
	assert_string_equal(f->self, "self");
	assert_int_equal(f->view.capabilities, 0x81000);
	assert_true(f->view.is_root);
	assert_false(f->view.is_hiding);
	assert_false(f->has_foreign_pids);
	assert_false(f->is_user_namespace);
	assert_true(f->delayacct.is_known && f->delayacct.value == 1);
	assert_true(f->schedstats.is_known && f->schedstats.value == 2);
	assert_true(f->ptrace_scope.is_known && f->ptrace_scope.value == 3);
	assert_true(f->has_delayacct_boot);
	assert_non_null(strstr(str_get(&f->sched), "wait_sum"));
	assert_int_equal(f->schedstat, 0);
	assert_false(f->is_schedstat_zero);
	assert_int_equal(f->io, 0);
	assert_int_equal(f->smaps, 0);
	assert_int_equal(f->pressure, 0);
	assert_true(f->has_irq_pressure);
	assert_true(f->counts_irq_time);
	assert_string_equal(str_get(&f->cgroup_mount), h.cgroup);
	assert_string_equal(str_get(&f->cgroup_controllers), "cpu io");
	assert_string_equal(str_get(&f->cgroup_children), "cpu");
	assert_string_equal(str_get(&f->sched_ext_state), "enabled");
	assert_string_equal(str_get(&f->sched_ext_ops), "scx_simple");
}

static void an_empty_host_has_nothing(void **state)
{
	_host_ struct host h;
	const struct doctor_facts *f;

	(void)state;
	host_create(&h);
	f = gather(&h, NULL);
	assert_int_equal(f->process_count, 0);
	assert_string_equal(f->self, "self");
	assert_null(f->config.source);
	assert_int_equal(f->view.capabilities, 0);
	assert_false(f->view.is_root || f->view.is_hiding || f->has_foreign_pids);
	assert_false(f->is_user_namespace);
	assert_false(f->delayacct.is_known || f->schedstats.is_known || f->ptrace_scope.is_known);
	assert_false(f->has_delayacct_boot);
	assert_int_equal(f->sched.len, 0);
	assert_int_equal(f->schedstat, -ENOENT);
	assert_int_equal(f->io, -ENOENT);
	assert_int_equal(f->smaps, -ENOENT);
	assert_int_equal(f->pressure, -ENOENT);
	assert_false(f->has_irq_pressure);
	assert_true(f->counts_irq_time); /* nothing says that it does not */
	assert_int_equal(f->cgroup_mount.len, 0);
	assert_int_equal(f->sched_ext_state.len, 0);
}

/* Ourselves, or any of a recorded tree. */
static void a_process_to_look_at_is_found(void **state)
{
	static const char longest[] = "1234567890123456789012345678901";
	_host_ struct host h;

	(void)state;
	host_create(&h);
	unit_write(h.dir, "proc/9x/io", "");
	unit_write(h.dir, "proc/12345678901234567890123456789012/io", "");
	assert_int_equal(gather(&h, NULL)->process_count, 0);
	assert_string_equal(h.facts.self, "self");
	unit_write(h.dir, "proc/1234567890123456789012345678901/io", "");
	assert_int_equal(gather(&h, NULL)->process_count, 1);
	assert_string_equal(h.facts.self, longest);
	assert_int_equal(h.facts.io, 0);
	assert_int_equal(h.facts.smaps, -ENOENT);
	unit_write(h.dir, "proc/23/io", "");
	unit_write(h.dir, "proc/4/io", "");
	assert_int_equal(gather(&h, NULL)->process_count, 3);
	unit_write(h.dir, "proc/self/smaps_rollup", "");
	assert_int_equal(gather(&h, NULL)->process_count, 3);
	assert_string_equal(h.facts.self, "self");
	assert_int_equal(h.facts.io, -ENOENT);
	assert_int_equal(h.facts.smaps, 0);
}

static void a_user_namespace_is_one_that_the_first_process_is_not_in(void **state)
{
	_host_ struct host h;

	(void)state;
	host_create(&h);
	unit_write(h.dir, "proc/self/io", "");
	put_link(&h, "proc/self/ns/user", "user:[4026532177]");
	assert_true(gather(&h, NULL)->is_user_namespace);
	put_link(&h, "proc/1/ns/user", "user:[4026531837]");
	assert_true(gather(&h, NULL)->is_user_namespace);
	put_link(&h, "proc/1/ns/user", "user:[4026532177]");
	assert_false(gather(&h, NULL)->is_user_namespace);
	put_link(&h, "proc/self/ns/user", "user:[4026531837]");
	assert_false(gather(&h, NULL)->is_user_namespace);
}

static void zeros_and_words_are_told_from_others(void **state)
{
	_host_ struct host h;

	(void)state;
	host_create(&h);
	unit_write(h.dir, "proc/self/schedstat", "0 0 0\n");
	unit_write(h.dir, "proc/cmdline", "quiet nodelayacct\n");
	unit_write(h.dir, "proc/pressure/cpu", "");
	unit_write(h.dir, "proc/self/sched", "");
	assert_true(gather(&h, NULL)->is_schedstat_zero);
	assert_int_equal(h.facts.schedstat, 0);
	assert_false(h.facts.has_delayacct_boot);
	assert_int_equal(h.facts.pressure, -ENODATA);
	assert_false(h.facts.has_irq_pressure);
	assert_false(h.facts.counts_irq_time);
	assert_int_equal(h.facts.sched.len, 0);
	unit_write(h.dir, "proc/pressure/cpu", "some avg10=0.00\n");
	unit_write(h.dir, "proc/pressure/irq", "");
	assert_int_equal(gather(&h, NULL)->pressure, 0);
	assert_false(h.facts.has_irq_pressure);
}

static void the_cgroup_root_asked_for_goes_before_mounts(void **state)
{
	_free_ char *mounted = NULL;
	_host_ struct host h;

	(void)state;
	host_create(&h);
	mounted = str_fmt("%s/unified", h.dir);
	put_mount(&h, "self", "30 1 0:6 / ", mounted, " rw - cgroup2 none rw");
	unit_write(h.dir, "unified/cgroup.controllers", "memory\n");
	unit_write(h.dir, "unified/cgroup.subtree_control", "pids\n");
	assert_string_equal(str_get(&gather(&h, NULL)->cgroup_mount), mounted);
	assert_string_equal(str_get(&h.facts.cgroup_controllers), "memory");
	assert_string_equal(str_get(&h.facts.cgroup_children), "pids");
	unit_write(h.dir, "cgroup/cgroup.controllers", "cpu\n");
	assert_string_equal(str_get(&gather(&h, NULL)->cgroup_mount), h.cgroup);
	assert_string_equal(str_get(&h.facts.cgroup_controllers), "cpu");
	assert_string_equal(str_get(&h.facts.cgroup_children), "");
	put_mount(&h, "self", "30 1 0:6 / ", mounted, " rw - cgroup none rw");
	h.roots.cgroup = "/nowhere";
	assert_int_equal(gather(&h, NULL)->cgroup_mount.len, 0);
}

static void only_this_kernel_is_asked(void **state)
{
	_host_ struct host h;

	(void)state;
	host_create(&h);
	times_asked = 0;
	gather(&h, NULL);
	assert_int_equal(times_asked, 0);
	assert_int_equal(h.facts.taskstats_version, 0);
	h.roots = roots_live;
	gather(&h, NULL);
	assert_int_equal(times_asked, 1);
	assert_true(h.facts.is_live);
	assert_int_equal(h.facts.taskstats, -EBUSY);
	assert_int_equal(h.facts.taskstats_version, 77);
	assert_string_equal(h.facts.self, "self");
	assert_true(h.facts.process_count > 0);
	assert_int_equal(h.facts.has_foreign_pids, procfs_is_foreign("/proc"));
}

static void processes_are_hidden_by_options_of_that_mount(void **state)
{
	static const struct {
		const char *behind;
		bool is_hiding;
	} rows[] = {
		{ " rw - proc proc rw", false },
		{ " rw - proc proc rw,hidepid=2", true },
		{ " rw shared:3 - proc proc rw,hidepid=invisible", true },
		{ " rw - proc proc rw,hidepid=0", false },
		{ " rw - proc proc rw,hidepid=off", false },
		{ " rw - procfs proc rw,hidepid=2", false },
		{ " rw,hidepid=2 - proc proc rw", false },
	};
	_host_ struct host h;

	(void)state;
	host_create(&h);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct procfs_view v;

		put_mount(&h, "17", "24 1 0:5 / ", h.proc, rows[i].behind);
		v = procfs_view_read(h.proc, "17");
		assert_int_equal(v.is_hiding, rows[i].is_hiding);
		assert_int_equal(procfs_view_is_partial(&v), rows[i].is_hiding);
		v.capabilities = 1ULL << 19; /* CAP_SYS_PTRACE */
		assert_false(procfs_view_is_partial(&v));
		put_mount(&h, "17", "24 1 0:5 / ", "/elsewhere", rows[i].behind);
		assert_false(procfs_view_read(h.proc, "17").is_hiding);
	}
}

static void rights_are_those_in_effect(void **state)
{
	static const struct {
		const char *status;
		uint64_t capabilities;
		bool is_root;
	} rows[] = {
		{ "Name:\tx\nUid:\t0\t0\t0\t0\nCapEff:\t00000000000000ff\n", 0xff, true },
		{ "Name:\tx\nUid:\t7\t0\t7\t7\nCapPrm:\tf\n", 0, true },
		{ "Name:\tx\nUid:\t0\t7\t0\t0\nCapEff:\t10\n", 0x10, false },
		{ "Name:\tx\nUid:\t0\nGid:\t0\t0\n", 0, false },
		{ "Name:\tx\nUid:\tx\t0\n", 0, false },
		{ "Name:\tx\nGid:\t0\t0\n", 0, false },
	};
	_host_ struct host h;

	(void)state;
	host_create(&h);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct procfs_view v;

		unit_write(h.dir, "proc/17/status", rows[i].status);
		v = procfs_view_read(h.proc, "17");
		assert_int_equal(v.capabilities, rows[i].capabilities);
		assert_int_equal(v.is_root, rows[i].is_root);
	}
	for (int i = 0; i < 64; i++) {
		struct procfs_view v = procfs_view_read("/proc", "self");

		assert_int_equal(lacks_capability(i), !(v.capabilities >> i & 1));
	}
}

static void a_procfs_is_foreign_unless_it_has_our_number(void **state)
{
	char own[32], other[32];
	_host_ struct host h;

	(void)state;
	host_create(&h);
	snprintf(own, sizeof(own), "%d", (int)getpid());
	snprintf(other, sizeof(other), "%d", (int)getpid() + 1);
	assert_true(procfs_is_foreign(h.proc));
	put_link(&h, "proc/self", "0");
	assert_true(procfs_is_foreign(h.proc));
	put_link(&h, "proc/self", "nobody");
	assert_true(procfs_is_foreign(h.proc));
	put_link(&h, "proc/self", other);
	assert_true(procfs_is_foreign(h.proc));
	put_link(&h, "proc/self", own);
	assert_false(procfs_is_foreign(h.proc));
}

static void options_are_read_from_the_file_of_the_release(void **state)
{
	static const char text[] = "# CONFIG_A is not set\nCONFIG_B=y\nCONFIG_C=m\nCONFIG_D=n\n"
				   "CONFIG_E_LONG=y\nCONFIG_F=250";
	_running_config_ struct running_config k = {};
	char *dir = unit_temp_create();

	(void)state;
	assert_int_equal(running_config_read(&k, dir, dir), 0);
	assert_int_equal(running_config_get(&k, "CONFIG_B"), OPTION_UNKNOWN);
	unit_write(dir, "sys/kernel/osrelease", "6.1.0-test\n");
	unit_write(dir, "config-6.1.0-test", text);
	assert_int_equal(running_config_read(&k, dir, NULL), 0);
	assert_null(k.source);
	assert_int_equal(running_config_read(&k, dir, dir), 0);
	assert_non_null(strstr(k.source, "config-6.1.0-test"));
	assert_int_equal(running_config_get(&k, "CONFIG_A"), OPTION_OFF);
	assert_int_equal(running_config_get(&k, "CONFIG_B"), OPTION_ON);
	assert_int_equal(running_config_get(&k, "CONFIG_C"), OPTION_ON);
	assert_int_equal(running_config_get(&k, "CONFIG_D"), OPTION_OFF);
	assert_int_equal(running_config_get(&k, "CONFIG_E"), OPTION_OFF);
	assert_int_equal(running_config_get(&k, "CONFIG_F"), OPTION_ON);
	assert_int_equal(running_config_get(&k, "CONFIG_NONE"), OPTION_OFF);
	unit_temp_remove(dir);
}

static void put_gzip(const char *dir, const char *first, size_t size)
{
	static char piece[1 << 16];
	_free_ char *path = str_fmt("%s/config.gz", dir);
	gzFile file = gzopen(path, "wb1");

	assert_non_null(file);
	assert_int_equal(gzwrite(file, first, (unsigned int)strlen(first)), strlen(first));
	for (size_t done = strlen(first), n; done < size; done += n) {
		n = MIN(size - done, sizeof(piece));
		assert_int_equal(gzwrite(file, piece, (unsigned int)n), n);
	}
	assert_int_equal(gzclose(file), Z_OK);
}

static void the_running_kernels_own_file_goes_first(void **state)
{
	char *dir = unit_temp_create();
	struct running_config k;

	(void)state;
	unit_write(dir, "sys/kernel/osrelease", "6.1\n");
	unit_write(dir, "config-6.1", "CONFIG_OLD=y\n");
	put_gzip(dir, "CONFIG_OWN=y\n", 0);
	assert_int_equal(running_config_read(&k, dir, dir), 0);
	assert_int_equal(running_config_get(&k, "CONFIG_OWN"), OPTION_ON);
	assert_int_equal(running_config_get(&k, "CONFIG_OLD"), OPTION_OFF);
	running_config_finish(&k);
	assert_null(k.source);
	unit_write(dir, "config.gz", ""); /* cut off */
	assert_int_equal(running_config_read(&k, dir, dir), 0);
	assert_int_equal(running_config_get(&k, "CONFIG_OLD"), OPTION_ON);
	running_config_finish(&k);
	put_gzip(dir, "CONFIG_OWN=y\n", LARGEST_CONFIG - 1);
	assert_int_equal(running_config_read(&k, dir, dir), 0);
	assert_int_equal(k.text.len, LARGEST_CONFIG - 1);
	assert_int_equal(running_config_get(&k, "CONFIG_OWN"), OPTION_ON);
	running_config_finish(&k);
	put_gzip(dir, "CONFIG_OWN=y\n", LARGEST_CONFIG);
	assert_int_equal(running_config_read(&k, dir, dir), 0);
	assert_int_equal(running_config_get(&k, "CONFIG_OWN"), OPTION_OFF);
	assert_int_equal(running_config_get(&k, "CONFIG_OLD"), OPTION_ON);
	running_config_finish(&k);
	unit_temp_remove(dir);
}

static void interrupt_time_by_pressure_files_or_configuration(void **state)
{
	char *dir = unit_temp_create();
	_free_ char *irq = str_fmt("%s/pressure/irq", dir), *cpu = str_fmt("%s/pressure/cpu", dir);

	(void)state;
	assert_true(kernel_counts_irq_time(dir, NULL));
	unit_write(dir, "sys/kernel/osrelease", "6.1\n");
	unit_write(dir, "config-6.1", "CONFIG_PSI=y\n");
	assert_true(kernel_counts_irq_time(dir, NULL));
	assert_false(kernel_counts_irq_time(dir, dir));
	unit_write(dir, "pressure/irq", "");
	assert_true(kernel_counts_irq_time(dir, dir));
	unit_write(dir, "pressure/cpu", "");
	assert_true(kernel_counts_irq_time(dir, dir));
	unlink(irq);
	unit_write(dir, "config-6.1", "CONFIG_IRQ_TIME_ACCOUNTING=y\n");
	assert_false(kernel_counts_irq_time(dir, dir));
	unlink(cpu);
	assert_true(kernel_counts_irq_time(dir, dir));
	unit_temp_remove(dir);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_a_host_is_read),
		cmocka_unit_test(an_empty_host_has_nothing),
		cmocka_unit_test(a_process_to_look_at_is_found),
		cmocka_unit_test(a_user_namespace_is_one_that_the_first_process_is_not_in),
		cmocka_unit_test(zeros_and_words_are_told_from_others),
		cmocka_unit_test(the_cgroup_root_asked_for_goes_before_mounts),
		cmocka_unit_test(only_this_kernel_is_asked),
		cmocka_unit_test(processes_are_hidden_by_options_of_that_mount),
		cmocka_unit_test(rights_are_those_in_effect),
		cmocka_unit_test(a_procfs_is_foreign_unless_it_has_our_number),
		cmocka_unit_test(options_are_read_from_the_file_of_the_release),
		cmocka_unit_test(the_running_kernels_own_file_goes_first),
		cmocka_unit_test(interrupt_time_by_pressure_files_or_configuration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
