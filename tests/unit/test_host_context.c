// SPDX-License-Identifier: GPL-2.0-only
/* The host context read from recorded trees: complete, bare, and odd ones. */
#include "unit.h"

#include "base/json.h"
#include "host/context.h"

struct tree {
	char *dir;
	char *proc, *sys;
	struct roots roots;
};

static int setup(void **state)
{
	struct tree *t = calloc(1, sizeof(*t));

	t->dir = unit_temp_create();
	t->proc = str_fmt("%s/proc", t->dir);
	t->sys = str_fmt("%s/sys", t->dir);
	t->roots = (struct roots){ .proc = t->proc, .sys = t->sys, .cgroup = t->sys };
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	struct tree *t = *state;

	unit_temp_remove(t->dir);
	free(t->proc);
	free(t->sys);
	free(t);
	return 0;
}

static void write_complete_tree(const struct tree *t)
{
	unit_write(t->proc, "sys/kernel/ostype", "Linux\n");
	unit_write(t->proc, "sys/kernel/osrelease", "7.0.13\n");
	unit_write(t->proc, "sys/kernel/arch", "x86_64\n");
	unit_write(t->proc, "sys/kernel/sched_schedstats", "1\n");
	unit_write(t->proc, "sys/kernel/sched_autogroup_enabled", "0\n");
	unit_write(t->proc, "sys/kernel/pid_max", "4194304\n");
	unit_write(t->proc, "sys/kernel/sched_domain/dir", "x\n");
	unit_write(t->proc, "cmdline", "quiet  splash\n");
	unit_write(t->proc, "cpuinfo",
		   "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC 9654\n\n"
		   "processor\t: 1\nvendor_id\t: Other\nmodel name\t: Other\n");
	unit_write(t->proc, "meminfo",
		   "MemTotal:       16302048 kB\nMemFree: 1 kB\nHugePages_Total:       4\n"
		   "HugePages_Free:        3\nHugepagesize:       2048 kB\n");
	unit_write(t->sys, "kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
	unit_write(t->sys, "kernel/mm/transparent_hugepage/defrag", "odd text\n");
	unit_write(t->sys, "devices/system/cpu/online", "0-1\n");
	unit_write(t->sys, "devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
	unit_write(t->sys, "devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
}

static void check_text(const struct tree *t, const char *expected)
{
	_host_context_ struct host_context h = {};
	_str_ struct str text = {};

	assert_int_equal(host_context_read(&h, &t->roots), 0);
	host_context_to_text(&h, &text);
	assert_string_equal(str_get(&text), expected);
}

static void a_complete_tree_is_told_in_full(void **state)
{
	const struct tree *t = *state;

	write_complete_tree(t);
	check_text(t, "kernel_name: Linux\n"
		      "kernel_release: 7.0.13\n"
		      "arch: x86_64\n"
		      "cpu_model: AMD EPYC 9654\n"
		      "cpu_vendor: AuthenticAMD\n"
		      "total_memory_kb: 16302048\n"
		      "hugepages_total: 4\n"
		      "hugepages_free: 3\n"
		      "hugepages_size_kb: 2048\n"
		      "online_cpus: 2\n"
		      "numa_nodes: 1\n"
		      "numa_layout:\n  node0 = CPUs 0-1\n"
		      "thp_enabled: madvise\n"
		      "thp_defrag: odd text\n"
		      "kernel_cmdline: quiet  splash\n"
		      "cpufreq_governor:\n  cpu0 = performance\n  cpu1 = powersave\n"
		      "sched_tunables:\n  sched_autogroup_enabled = 0\n  sched_schedstats = 1\n"
		      "heap_state: (unknown)\n");
}

static void the_numa_layout_has_cpus_memory_and_distances(void **state)
{
	const struct tree *t = *state;
	_host_context_ struct host_context h = {};
	_str_ struct str text = {};

	unit_write(t->sys, "devices/system/cpu/online", "0-3\n");
	unit_write(t->sys, "devices/system/node/online", "0-2\n");
	unit_write(t->sys, "devices/system/node/node0/cpulist", "0,2\n");
	unit_write(t->sys, "devices/system/node/node0/distance", "10 21 17\n");
	unit_write(t->sys, "devices/system/node/node0/meminfo", "Node 0 MemTotal:  2097152 kB\n");
	unit_write(t->sys, "devices/system/node/node1/cpulist", "1,3\n");
	unit_write(t->sys, "devices/system/node/node1/distance", "21 10 28\n");
	unit_write(t->sys, "devices/system/node/node2/cpulist", "\n");
	unit_write(t->sys, "devices/system/node/node2/distance", "17 28 10\n");
	unit_write(t->sys, "devices/system/node/node2/meminfo", "Node 2 MemTotal:  1024 kB\n");
	assert_int_equal(host_context_read(&h, &t->roots), 0);
	host_context_to_text(&h, &text);
	assert_non_null(strstr(str_get(&text), "numa_nodes: 3\n"
					       "numa_layout:\n"
					       "  node0 = CPUs 0,2, 2048 MiB, distances 10 21 17\n"
					       "  node1 = CPUs 1,3, distances 21 10 28\n"
					       "  node2 = no CPUs, 1 MiB, distances 17 28 10\n"));
}

static void json_has_the_same_and_leaves_out_what_is_unknown(void **state)
{
	const struct tree *t = *state;
	_host_context_ struct host_context h = {};
	_str_ struct str text = {};
	struct json j;

	unit_write(t->proc, "sys/kernel/osrelease", "7.0.13\n");
	unit_write(t->proc, "meminfo", "HugePages_Free:        0\n");
	assert_int_equal(host_context_read(&h, &t->roots), 0);
	json_init(&j, &text, false);
	host_context_to_json(&h, &j);
	assert_string_equal(str_get(&text), "{\"kernel_release\":\"7.0.13\",\"hugepages_free\":0,"
					    "\"sched_tunables\":{}}");
}

static void a_bare_tree_is_all_unknown_never_zero(void **state)
{
	check_text(*state, "kernel_name: (unknown)\n"
			   "kernel_release: (unknown)\n"
			   "arch: (unknown)\n"
			   "cpu_model: (unknown)\n"
			   "cpu_vendor: (unknown)\n"
			   "total_memory_kb: (unknown)\n"
			   "hugepages_total: (unknown)\n"
			   "hugepages_free: (unknown)\n"
			   "hugepages_size_kb: (unknown)\n"
			   "online_cpus: (unknown)\n"
			   "numa_nodes: (unknown)\n"
			   "numa_layout: (unknown)\n"
			   "thp_enabled: (unknown)\n"
			   "thp_defrag: (unknown)\n"
			   "kernel_cmdline: (unknown)\n"
			   "cpufreq_governor: (unknown)\n"
			   "sched_tunables: (unknown)\n"
			   "heap_state: (unknown)\n");
}

static void check_contains(const struct tree *t, const char *expected)
{
	_host_context_ struct host_context h = {};
	_str_ struct str text = {};

	assert_int_equal(host_context_read(&h, &t->roots), 0);
	host_context_to_text(&h, &text);
	if (!strstr(str_get(&text), expected))
		fail_msg("no '%s' in:\n%s", expected, str_get(&text));
}

static void other_architectures_spell_cpuinfo_differently(void **state)
{
	const struct tree *t = *state;

	unit_write(t->proc, "cpuinfo",
		   "processor\t: 0\nCPU implementer\t: 0x41\nCPU part: 0xd40\n");
	check_contains(t, "cpu_model: (unknown)\ncpu_vendor: 0x41\n");
}

static void odd_bytes_are_escaped_and_numbers_that_are_none_are_unknown(void **state)
{
	const struct tree *t = *state;

	unit_write(t->proc, "cmdline", "a=\xff\x1b[1m\n");
	unit_write(t->proc, "meminfo",
		   "MemTotal: lots\nHugePages_Total: 99999999999999999999999\n");
	check_contains(t, "kernel_cmdline: a=\\xff\\x1b[1m\n");
	check_contains(t, "total_memory_kb: (unknown)\nhugepages_total: (unknown)\n");
}

static void a_machine_without_governors_has_an_empty_list(void **state)
{
	const struct tree *t = *state;

	unit_write(t->sys, "devices/system/cpu/online", "0\n");
	unit_write(t->proc, "sys/kernel/x", "1\n");
	check_contains(t, "cpufreq_governor: (empty)\nsched_tunables: (empty)\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_complete_tree_is_told_in_full, setup, teardown),
		cmocka_unit_test_setup_teardown(the_numa_layout_has_cpus_memory_and_distances,
						setup, teardown),
		cmocka_unit_test_setup_teardown(json_has_the_same_and_leaves_out_what_is_unknown,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_bare_tree_is_all_unknown_never_zero, setup,
						teardown),
		cmocka_unit_test_setup_teardown(other_architectures_spell_cpuinfo_differently,
						setup, teardown),
		cmocka_unit_test_setup_teardown(
			odd_bytes_are_escaped_and_numbers_that_are_none_are_unknown, setup,
			teardown),
		cmocka_unit_test_setup_teardown(a_machine_without_governors_has_an_empty_list,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
