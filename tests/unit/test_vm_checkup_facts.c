// SPDX-License-Identifier: GPL-2.0-only
/* What is found out about a machine: programs, directories and limits on recorded trees. */
#include "unit.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/roots.h"
#include "base/str.h"
#include "vm/checkup.h"

static char *root, *bin, *proc, *sys, *cgroup, *places;
static struct checkup_facts facts;

int __wrap_vm_qemu_find(enum vm_arch arch, struct vm_qemu *out);
enum kvm_state __wrap_vm_kvm_state(const struct vm_qemu *qemu, enum vm_arch arch, struct str *why);
int __wrap_sandbox_probe(const struct roots *roots);

static int qemu_rc, sandbox_rc;

int __wrap_vm_qemu_find(enum vm_arch arch, struct vm_qemu *out)
{
	assert_int_equal(arch, vm_arch_host());
	*out = (struct vm_qemu){};
	return qemu_rc ? err_set(-qemu_rc, "no QEMU here") : 0;
}

enum kvm_state __wrap_vm_kvm_state(const struct vm_qemu *qemu, enum vm_arch arch, struct str *why)
{
	assert_ptr_equal(qemu, &facts.qemu);
	assert_int_equal(arch, vm_arch_host());
	str_add(why, "it is slow");
	return KVM_SLOW;
}

int __wrap_sandbox_probe(const struct roots *roots)
{
	assert_string_equal(roots->cgroup, cgroup);
	return sandbox_rc ? err_set(-sandbox_rc, "no cpuset here") : 0;
}

static int setup(void **state)
{
	_free_ char *cache = NULL, *locks = NULL;

	(void)state;
	root = unit_temp_create();
	bin = str_fmt("%s/bin", root);
	proc = str_fmt("%s/proc", root);
	sys = str_fmt("%s/sys", root);
	cgroup = str_fmt("%s/cgroup", root);
	cache = str_fmt("%s/home/cache", root);
	locks = str_fmt("%s/locks", root);
	places = strdup(getenv("PATH"));
	for (const char *const *dir = (const char *const[]){ bin, proc, sys, cgroup, locks, NULL };
	     *dir; dir++)
		assert_int_equal(mkdir(*dir, 0755), 0);
	setenv("PATH", bin, 1);
	setenv("KTSTR_CACHE_DIR", cache, 1);
	setenv("KTSTR_LOCK_DIR", locks, 1);
	unsetenv("KTSTR_BUSYBOX_PATH");
	qemu_rc = sandbox_rc = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	checkup_facts_finish(&facts);
	assert_null(facts.cache_dir);
	setenv("PATH", places, 1);
	unsetenv("KTSTR_CACHE_DIR");
	unsetenv("KTSTR_LOCK_DIR");
	unit_temp_remove(root);
	free(bin);
	free(proc);
	free(sys);
	free(cgroup);
	free(places);
	return 0;
}

static void gather(void)
{
	const struct roots roots = { .proc = proc, .sys = sys, .cgroup = cgroup };

	checkup_facts_finish(&facts);
	assert_int_equal(checkup_gather(&facts, &roots), 0);
}

static void make_program(const char *name, const char *says)
{
	_free_ char *text = str_fmt(
		"#!/bin/sh\n[ \"$1\" = --version ] || exit 1\necho '%s'\necho more\n", says);
	_free_ char *path = str_fmt("%s/%s", bin, name);

	unit_write(bin, name, text);
	assert_int_equal(chmod(path, 0755), 0);
}

static void expect_number(struct host_number n, bool is_known, uint64_t value)
{
	assert_int_equal(n.is_known, is_known);
	if (is_known)
		assert_int_equal(n.value, value);
}

static void what_is_not_there_is_unknown(void **state)
{
	(void)state;
	qemu_rc = -ENOENT;
	sandbox_rc = -EACCES;
	gather();
	assert_string_equal(facts.qemu_error, "no QEMU here");
	assert_int_equal(facts.kvm_why.len, 0);
	assert_string_equal(facts.cgroup_error, "no cpuset here");
	assert_null(facts.pahole.text);
	assert_int_equal(facts.pahole.number, -1);
	assert_null(facts.clang.text);
	assert_int_equal(facts.clang.number, -1);
	assert_string_equal(str_get(&facts.missing_tools), "make gcc flex bison bc perl");
	assert_false(facts.hugepages_free.is_known || facts.hugepages_total.is_known);
	assert_false(facts.rtprio.is_known || facts.can_nice || facts.has_cgroup2);
	assert_false(facts.allowed_cpus.is_known || facts.allowed_memory.is_known);
	assert_int_equal(facts.system, CHECKUP_DEBIAN);
	assert_int_equal(facts.is_root, geteuid() == 0);
	assert_int_equal(facts.kernels_all, 0);
}

static void a_qemu_is_tried_with_kvm(void **state)
{
	(void)state;
	gather();
	assert_null(facts.qemu_error);
	assert_null(facts.cgroup_error);
	assert_int_equal(facts.kvm, KVM_SLOW);
	assert_string_equal(str_get(&facts.kvm_why), "it is slow");
}

static void programs_tell_their_versions(void **state)
{
	(void)state;
	make_program("pahole", "v1.25");
	make_program("clang", "Debian clang version 14.0.6");
	make_program("make", "");
	make_program("perl", "");
	make_program("dnf", "");
	gather();
	assert_string_equal(facts.pahole.text, "v1.25");
	assert_int_equal(facts.pahole.number, 125);
	assert_string_equal(facts.clang.text, "Debian clang version 14.0.6");
	assert_int_equal(facts.clang.number, 14);
	assert_string_equal(str_get(&facts.missing_tools), "gcc flex bison bc");
	assert_int_equal(facts.system, CHECKUP_FEDORA);
	/* The newest of them. */
	make_program("clang-19", "clang version 19.1");
	make_program("clang-20", "clang version 1000.2");
	gather();
	assert_int_equal(facts.clang.number, 999);
	make_program("clang-23", "clang without a number");
	gather();
	assert_string_equal(facts.clang.text, "clang without a number");
	assert_int_equal(facts.clang.number, -1);
	make_program("clang-23", "clang version x");
	gather();
	assert_int_equal(facts.clang.number, -1);
	/* One that fails is none. */
	unit_write(bin, "pahole", "#!/bin/sh\necho v1.26; exit 1\n");
	unit_write(bin, "dnf", "");
	make_program("pacman", "");
	gather();
	assert_null(facts.pahole.text);
}

static void a_cache_is_looked_at_before_it_is_made(void **state)
{
	_free_ char *home = str_fmt("%s/home", root), *cache = str_fmt("%s/cache", home);
	_free_ char *leftovers = str_fmt("test -z \"$(/bin/ls -A '%s/locks')\"", root);

	(void)state;
	gather();
	assert_string_equal(facts.cache_dir, cache);
	assert_true(facts.is_cache_writable);
	assert_true(facts.cache_free_bytes.is_known);
	assert_null(facts.cache_error);
	assert_null(facts.lock_error);
	assert_int_equal(system(leftovers), 0);
	/* A file in its place. */
	unit_write(root, "home", "");
	gather();
	assert_int_equal(facts.is_cache_writable, false);
	setenv("KTSTR_LOCK_DIR", "/proc/nonexistent", 1);
	gather();
	assert_non_null(facts.lock_error);
}

static void pages_and_rights_are_read(void **state)
{
	(void)state;
	unit_write(sys, "kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "3\n");
	unit_write(sys, "kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "5\n");
	unit_write(proc, "self/limits",
		   "Limit                     Soft Limit           Hard Limit           Units\n"
		   "Max address space         1073741824           unlimited            bytes\n"
		   "Max realtime priority     7                    9\n");
	unit_write(proc, "self/status",
		   "Name:\tx\nCapEff:\t0000000000800000\n"
		   "Cpus_allowed_list:\t0-3,6\n");
	gather();
	expect_number(facts.hugepages_free, true, 3);
	expect_number(facts.hugepages_total, true, 5);
	expect_number(facts.rtprio, true, 7);
	expect_number(facts.allowed_memory, true, 1 << 30);
	expect_number(facts.allowed_cpus, true, 5);
	assert_true(facts.can_nice);
	unit_write(proc, "self/limits", "x\nMax realtime priority     unlimited  unlimited\n");
	unit_write(proc, "self/status",
		   "Name:\tx\nCapEff:\tffffffffff7fffff\n"
		   "Cpus_allowed_list:\tnone\n");
	gather();
	expect_number(facts.rtprio, true, UINT64_MAX);
	assert_false(facts.can_nice);
	assert_false(facts.allowed_cpus.is_known || facts.allowed_memory.is_known);
	unit_write(proc, "self/limits", "x\nMax realtime priority     many\n");
	unit_write(proc, "self/status", "Name:\tx\nCpus_allowed_list:\t\n");
	gather();
	assert_false(facts.allowed_cpus.is_known);
	assert_false(facts.rtprio.is_known);
}

/* Of all groups above the least counts. */
static void limits_of_cgroups_hold_for_those_below(void **state)
{
	(void)state;
	unit_write(proc, "self/cgroup", "0::/a/b\n");
	unit_write(cgroup, "cgroup.controllers", "cpu memory\n");
	unit_write(cgroup, "a/b/memory.max", "3000\n");
	unit_write(cgroup, "a/b/cpu.max", "max 100000\n");
	gather();
	assert_true(facts.has_cgroup2);
	expect_number(facts.allowed_memory, true, 3000);
	assert_false(facts.allowed_cpus.is_known);
	unit_write(cgroup, "a/memory.max", "2000\n");
	unit_write(cgroup, "a/cpu.max", "250000 100000\n");
	gather();
	expect_number(facts.allowed_memory, true, 2000);
	expect_number(facts.allowed_cpus, true, 3);
	unit_write(cgroup, "memory.max", "1000\n");
	unit_write(cgroup, "cpu.max", "200000 100000\n");
	gather();
	expect_number(facts.allowed_memory, true, 1000);
	expect_number(facts.allowed_cpus, true, 2);
	unit_write(cgroup, "a/b/cpu.max", "1 100000\n");
	gather();
	expect_number(facts.allowed_cpus, true, 1);
	/* Nonsense is no limit. */
	unit_write(cgroup, "a/b/cpu.max", "0 100000\n");
	unit_write(cgroup, "a/cpu.max", "100000,100000\n");
	unit_write(cgroup, "cpu.max", "100000 0\n");
	gather();
	assert_false(facts.allowed_cpus.is_known);
	/* A name that only begins so is another group. */
	unit_write(cgroup, "a/b/memory.max", "max\n");
	unit_write(cgroup, "a/memory.max", "max\n");
	unit_write(cgroup, "memory.max", "max\n");
	unit_write(cgroup, "a/bc/memory.max", "5\n");
	gather();
	assert_false(facts.allowed_memory.is_known);
	unit_write(proc, "self/cgroup", "0::/a/bcd\n");
	gather();
	assert_false(facts.allowed_memory.is_known);
}

static void limits_of_the_first_tree_are_read_too(void **state)
{
	(void)state;
	unit_write(proc, "self/cgroup",
		   "9:name=systemd:/\n5:memory:/m/n\n4:cpu,cpuacct:/c\n2:cpuset:/s\n");
	unit_write(cgroup, "memory/m/memory.limit_in_bytes", "7000\n");
	unit_write(cgroup, "cpu/c/cpu.cfs_quota_us", "150000\n");
	unit_write(cgroup, "cpu/c/cpu.cfs_period_us", "50000\n");
	unit_write(cgroup, "cpu/s/cpu.cfs_quota_us", "1\n");
	unit_write(cgroup, "cpu/s/cpu.cfs_period_us", "50000\n");
	gather();
	expect_number(facts.allowed_memory, true, 7000);
	expect_number(facts.allowed_cpus, true, 3);
	unit_write(cgroup, "cpu/c/cpu.cfs_quota_us", "-1\n");
	gather();
	assert_false(facts.allowed_cpus.is_known);
	unit_write(cgroup, "memory/memory.limit_in_bytes", "6000\n");
	unit_write(proc, "self/cgroup", "5:hugetlb,memory:/m\n3:cpu:/c\n");
	unit_write(cgroup, "cpu/c/cpu.cfs_quota_us", "50000\n");
	gather();
	expect_number(facts.allowed_memory, true, 6000);
	expect_number(facts.allowed_cpus, true, 1);
}

static void the_size_of_the_machine_is_read(void **state)
{
	(void)state;
	unit_write(proc, "meminfo", "MemTotal:        4096 kB\n");
	unit_write(sys, "devices/system/cpu/online", "0-2\n");
	gather();
	expect_number(facts.cpus, true, 3);
	expect_number(facts.memory_kib, true, 4096);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_not_there_is_unknown),
		TEST(a_qemu_is_tried_with_kvm),
		TEST(programs_tell_their_versions),
		TEST(a_cache_is_looked_at_before_it_is_made),
		TEST(pages_and_rights_are_read),
		TEST(limits_of_cgroups_hold_for_those_below),
		TEST(limits_of_the_first_tree_are_read_too),
		TEST(the_size_of_the_machine_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
