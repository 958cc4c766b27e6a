// SPDX-License-Identifier: GPL-2.0-only
/* Topologies from trees of files like sysfs, and from the notation. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>

#include "base/err.h"
#include "host/topology.h"

struct file {
	const char *name, *text;
};

#define MOST_FILES 24

static char *dir;

static int setup(void **state)
{
	(void)state;
	dir = unit_temp_create();
	err_clear();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unit_temp_remove(dir);
	return 0;
}

/* Below devices/system; ends with an empty name. */
static void write_files(const struct file *files)
{
	for (; files->name; files++) {
		_free_ char *name = str_fmt("devices/system/%s", files->name);

		unit_write(dir, name, files->text);
	}
}

static void add_cpu(struct str *out, const struct topology_cpu *c)
{
	str_addf(out, "cpu%u llc%zu node%u core%u", c->id, c->llc, c->node, c->core);
	if (c->package >= 0)
		str_addf(out, " package%d", c->package);
	str_addc(out, '\n');
}

static void describe(const struct topology *t, struct str *out)
{
	for (size_t i = 0; i < t->cpu_count; i++)
		add_cpu(out, &t->cpus[i]);
	for (size_t i = 0; i < t->llc_count; i++) {
		const struct topology_llc *l = &t->llcs[i];

		str_addf(out, "llc%zu node%u L%u %lluK ", i, l->node, l->level, ULL(l->size_kib));
		cpulist_format(l->cpus, l->cpu_count, out);
		str_addc(out, '\n');
	}
	for (size_t i = 0; i < t->node_count; i++) {
		const struct topology_node *n = &t->nodes[i];

		str_addf(out, "node%u %zu", n->id, n->cpu_count);
		if (n->has_memory_kib)
			str_addf(out, " %lluK", ULL(n->memory_kib));
		str_addc(out, '\n');
	}
	for (size_t i = 0; t->distances && i < t->node_count * t->node_count; i++)
		str_addf(out, "%s%u", i ? " " : "far ", t->distances[i]);
}

/* What is read from these files, in a tree of their own. */
static void expect_tree(const struct file *files, const char *expected)
{
	_free_ char *sys = NULL;
	struct roots roots = {};
	_topology_ struct topology t = {};
	_str_ struct str text = {};
	int rc;

	teardown(NULL);
	setup(NULL);
	sys = strdup(dir);
	roots.sys = sys;
	write_files(files);
	rc = topology_read(&t, &roots);
	if (rc < 0)
		fail_msg("%s", err_text(rc));
	describe(&t, &text);
	assert_string_equal(str_get(&text), expected);
}

static void without_files_about_them_cpus_are_alone_in_one_cache(void **state)
{
	static const struct file files[] = { { "cpu/online", "0,2-3\n" }, {} };

	(void)state;
	expect_tree(files, "cpu0 llc0 node0 core0\ncpu2 llc0 node0 core2\ncpu3 llc0 node0 core3\n"
			   "llc0 node0 L0 0K 0,2-3\nnode0 3\n");
}

static void a_machine_without_cpus_is_an_error(void **state)
{
	struct roots roots = { .sys = dir };
	struct topology t;

	(void)state;
	assert_int_equal(topology_read(&t, &roots), -ENOENT);
	assert_non_null(strstr(err_text(-ENOENT), "/devices/system/cpu/online"));
	assert_int_equal(t.cpu_count, 0);
	unit_write(dir, "devices/system/cpu/online", "\n");
	assert_int_equal(topology_read(&t, &roots), -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), "cpu/online names no CPU"));
	unit_write(dir, "devices/system/cpu/online", "0-x\n");
	assert_int_equal(topology_read(&t, &roots), -EINVAL);
}

#define INDEX(cpu, index) "cpu/cpu" #cpu "/cache/index" #index "/"
#define CACHE(cpu, index, level, type, shared, size)                                   \
	{ INDEX(cpu, index) "level", level }, { INDEX(cpu, index) "type", type "\n" }, \
		{ INDEX(cpu, index) "shared_cpu_list", shared "\n" },                  \
	{                                                                              \
		INDEX(cpu, index) "size", size "\n"                                    \
	}

static void the_highest_unified_cache_of_a_cpu_counts(void **state)
{
	static const struct {
		struct file files[MOST_FILES];
		const char *llcs;
	} rows[] = {
		{ { CACHE(0, 0, "1", "Data", "0", "32K"), CACHE(0, 2, "2", "Unified", "0", "1M"),
		    CACHE(1, 15, "2", "Unified", "1", "2M") },
		  "llc0 node0 L2 1024K 0\nllc1 node0 L2 2048K 1\n" },
		/* Whatever its place. */
		{ { CACHE(0, 0, "3", "Unified", "0-1", "8K"),
		    CACHE(0, 1, "2", "Unified", "0", "4K"), CACHE(1, 0, "2", "Unified", "1", "4K"),
		    CACHE(1, 1, "3", "Unified", "0-1", "8K") },
		  "llc0 node0 L3 8K 0-1\n" },
		/* Of two on one level, the first. */
		{ { CACHE(0, 0, "2", "Unified", "0-1", "8K"),
		    CACHE(0, 1, "2", "Unified", "0", "4K"),
		    CACHE(1, 0, "2", "Unified", "0-1", "8K") },
		  "llc0 node0 L2 8K 0-1\n" },
		/* What is not said, or not of this CPU. */
		{ { CACHE(0, 0, "4", "Instruction", "0", "8K"),
		    CACHE(1, 0, "4", "Data", "1", "8K") },
		  "llc0 node0 L0 0K 0-1\n" },
		{ { CACHE(0, 0, "3", "Unified", "1", "8K"),
		    CACHE(1, 0, "3", "Unified", "x", "8K") },
		  "llc0 node0 L0 0K 0-1\n" },
		{ { CACHE(0, 0, "16", "Unified", "0", "8K"),
		    CACHE(1, 0, "17", "Unified", "1", "8K") },
		  "llc0 node0 L16 8K 0\nllc1 node0 L0 0K 1\n" },
		{ { CACHE(0, 16, "3", "Unified", "0", "8K") }, "llc0 node0 L0 0K 0-1\n" },
		/* Levels differ: not the same cache, though its lowest CPU is. */
		{ { CACHE(0, 0, "3", "Unified", "0-1", "8K"),
		    CACHE(1, 0, "2", "Unified", "0-1", "4K") },
		  "llc0 node0 L3 8K 0\nllc1 node0 L2 4K 1\n" },
		{ { CACHE(0, 0, "3", "Unified", "0", "1025"),
		    CACHE(1, 0, "3", "Unified", "1", "1024") },
		  "llc0 node0 L3 2K 0\nllc1 node0 L3 1K 1\n" },
		{ { CACHE(0, 0, "3", "Unified", "0", "1"), CACHE(1, 0, "3", "Unified", "1", "K") },
		  "llc0 node0 L3 1K 0\nllc1 node0 L3 0K 1\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_free_ char *expected = str_fmt("cpu0 llc0 node0 core0\ncpu1 llc%d node0 core1\n%s"
						"node0 2\n",
						strstr(rows[i].llcs, "llc1") != NULL, rows[i].llcs);
		struct file files[MOST_FILES + 1] = { { "cpu/online", "0-1\n" } };

		memcpy(files + 1, rows[i].files, sizeof(rows[i].files));
		expect_tree(files, expected);
	}
}

#define PACKAGE(cpu, id)                                                \
	{                                                               \
		"cpu/cpu" #cpu "/topology/physical_package_id", id "\n" \
	}
#define CORE(cpu, id)                                       \
	{                                                   \
		"cpu/cpu" #cpu "/topology/core_id", id "\n" \
	}
#define SIBLINGS(cpu, list)                                          \
	{                                                            \
		"cpu/cpu" #cpu "/topology/core_cpus_list", list "\n" \
	}
#define OLD_SIBLINGS(cpu, list)                                            \
	{                                                                  \
		"cpu/cpu" #cpu "/topology/thread_siblings_list", list "\n" \
	}

static void cores_are_found_by_their_siblings_or_their_numbers(void **state)
{
	static const struct {
		struct file files[MOST_FILES];
		const char *cpus;
		size_t llcs;
	} rows[] = {
		{ { SIBLINGS(0, "0-1"), SIBLINGS(1, "0-1") }, "core0 core0 core2", 1 },
		/* The new name of the file counts more, if it names the CPU. */
		{ { SIBLINGS(1, "1"), OLD_SIBLINGS(1, "0-1"), OLD_SIBLINGS(2, "0,2"),
		    SIBLINGS(0, "0") },
		  "core0 core1 core0",
		  1 },
		{ { SIBLINGS(2, "0-1"), OLD_SIBLINGS(2, "1-2"), SIBLINGS(1, "1-2") },
		  "core0 core1 core1",
		  1 },
		{ { SIBLINGS(2, "0-1"), OLD_SIBLINGS(2, "0-1"), SIBLINGS(0, "0-1") },
		  "core0 core1 core2",
		  1 },
		/* A number of a core counts in its package alone. */
		{ { CORE(0, "0"), CORE(1, "0"), CORE(2, "1") }, "core0 core0 core2", 1 },
		{ { CORE(0, "7"), CORE(1, "7"), CORE(2, "7"), PACKAGE(0, "0"), PACKAGE(1, "1"),
		    PACKAGE(2, "1") },
		  "core0 package0 core1 package1 core1 package1",
		  2 },
		/* Siblings of one, the number of the other: the number is what both have. */
		{ { CORE(0, "3"), CORE(1, "3"), SIBLINGS(0, "0") }, "core0 core0 core2", 1 },
		{ { CORE(0, "3"), CORE(1, "3"), SIBLINGS(0, "0"), SIBLINGS(1, "1") },
		  "core0 core1 core2",
		  1 },
		{ { CORE(0, "2147483647"), CORE(1, "2147483647"), PACKAGE(0, "2147483647"),
		    PACKAGE(1, "2147483647") },
		  "core0 package2147483647 core0 package2147483647 core2",
		  2 },
		{ { CORE(0, "2147483648"), CORE(1, "2147483648"), PACKAGE(0, "2147483648"),
		    PACKAGE(1, "2147483648") },
		  "core0 core1 core2",
		  1 },
		{ { CORE(0, "-1"), CORE(1, "-1") }, "core0 core1 core2", 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_topology_ struct topology t = {};
		_str_ struct str text = {};
		struct roots roots;

		teardown(NULL);
		setup(NULL);
		roots = (struct roots){ .sys = dir };
		unit_write(dir, "devices/system/cpu/online", "0-2\n");
		write_files(rows[i].files);
		assert_int_equal(topology_read(&t, &roots), 0);
		for (size_t k = 0; k < t.cpu_count; k++) {
			str_addf(&text, "%score%u", k ? " " : "", t.cpus[k].core);
			if (t.cpus[k].package >= 0)
				str_addf(&text, " package%d", t.cpus[k].package);
		}
		assert_string_equal(str_get(&text), rows[i].cpus);
		assert_int_equal(t.llc_count, rows[i].llcs);
	}
}

/* Each CPU's own directory names its node where there is no list of nodes. */
static void nodes_are_found_from_the_cpus(void **state)
{
	static const struct file files[] = { { "cpu/online", "0-4\n" },
					     { "cpu/cpu0/node1023/x", "" },
					     { "cpu/cpu1/node3/x", "" },
					     { "cpu/cpu2/node1024/x", "" },
					     { "cpu/cpu3/nodes/x", "" },
					     { "cpu/cpu4/Node7/x", "" },
					     {} };

	(void)state;
	expect_tree(files, "cpu0 llc0 node1023 core0\ncpu1 llc0 node3 core1\n"
			   "cpu2 llc0 node0 core2\ncpu3 llc0 node0 core3\ncpu4 llc0 node0 core4\n"
			   "llc0 node1023 L0 0K 0-4\nnode0 3\nnode3 1\nnode1023 1\n");
}

static void listed_nodes_have_cpus_and_memory(void **state)
{
	static const struct file files[] = {
		{ "cpu/online", "0-3\n" },
		{ "cpu/cpu0/node3/x", "" }, /* there is a list */
		{ "node/online", "0-2,4,1023-1024\n" },
		{ "node/node0/cpulist", "0,2\n" },
		{ "node/node0/meminfo",
		  "Node 0 MemFree: 7 kB\nNode 0 MemTotal:\t  16302048 kB\nNode 0 MemUsed: 8 kB\n" },
		{ "node/node1/cpulist", "\n" },
		{ "node/node1/meminfo", "Node 1 MemTotal:       0 kB\n" },
		{ "node/node2/meminfo", "Node 2 MemTotal: much\n" },
		{ "node/node4/cpulist", "1,3,9\n" },
		{ "node/node4/meminfo", "Node 4 MemFree: 5 kB\n" },
		{ "node/node1023/cpulist", "\n" },
		{ "node/node1024/cpulist", "3\n" },
		{}
	};

	(void)state;
	expect_tree(files, "cpu0 llc0 node0 core0\ncpu1 llc0 node4 core1\ncpu2 llc0 node0 core2\n"
			   "cpu3 llc0 node4 core3\nllc0 node0 L0 0K 0-3\nnode0 2 16302048K\n"
			   "node1 0 0K\nnode2 0\nnode4 2\nnode1023 0\n");
}

/* A CPU that no node lists is in node 0, which then exists. */
static void a_node_that_only_cpus_name_is_added_in_its_place(void **state)
{
	static const struct file files[] = { { "cpu/online", "0-1\n" },
					     { "node/online", "1\n" },
					     { "node/node1/cpulist", "1\n" },
					     {} };

	(void)state;
	expect_tree(files, "cpu0 llc0 node0 core0\ncpu1 llc0 node1 core1\nllc0 node0 L0 0K 0-1\n"
			   "node0 1\nnode1 1\n");
}

/* Half a matrix is none. */
static void distances_are_read_in_full_or_not_at_all(void **state)
{
	static const struct {
		const char *first, *second, *expected;
	} rows[] = {
		{ "10 21\n", "21\t10\n", "far 10 21 21 10" },
		{ "10 21 30\n", " 22 4294967295\n", "far 10 21 22 4294967295" },
		{ "10 21\n", "21\n", "" },
		{ "10\n", "21 10\n", "" },
		{ "10 21\n", "21 4294967296\n", "" },
		{ "10 far\n", "21 10\n", "" },
		{ "10 21\n", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct file files[] = { { "cpu/online", "0\n" },
					      { "node/online", "0-1\n" },
					      { "node/node0/cpulist", "0\n" },
					      { "node/node1/cpulist", "\n" },
					      { "node/node0/distance", rows[i].first },
					      { "node/node1/distance", rows[i].second },
					      {} };
		_free_ char *expected = str_fmt("cpu0 llc0 node0 core0\nllc0 node0 L0 0K 0\n"
						"node0 1\nnode1 0\n%s",
						rows[i].expected);

		expect_tree(files, expected);
	}
}

static void the_notation_is_read_and_written(void **state)
{
	static const char *const same[] = { "1n1l1c1t",	     "1n4l8c2t",    "2n4l1c3t",
					    "3n3l2c2t",	     "1n1l8192c1t", "1n1l1c8192t",
					    "1024n1024l1c1t" };
	_topology_ struct topology t = {};
	_str_ struct str text = {};

	(void)state;
	assert_int_equal(topology_from_notation(&t, "2n2l2c2t"), 0);
	describe(&t, &text);
	assert_string_equal(str_get(&text),
			    "cpu0 llc0 node0 core0 package0\ncpu1 llc0 node0 core0 package0\n"
			    "cpu2 llc0 node0 core2 package0\ncpu3 llc0 node0 core2 package0\n"
			    "cpu4 llc1 node1 core4 package1\ncpu5 llc1 node1 core4 package1\n"
			    "cpu6 llc1 node1 core6 package1\ncpu7 llc1 node1 core6 package1\n"
			    "llc0 node0 L3 0K 0-3\nllc1 node1 L3 0K 4-7\nnode0 4\nnode1 4\n"
			    "far 10 20 20 10");
	for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
		str_reset(&text);
		topology_finish(&t);
		assert_int_equal(topology_from_notation(&t, same[i]), 0);
		assert_true(topology_add_notation(&t, &text));
		assert_string_equal(str_get(&text), same[i]);
	}
}

static void a_notation_that_makes_no_sense_is_explained(void **state)
{
	static const struct {
		const char *notation, *problem;
	} rows[] = {
		{ "", "expected NODESnLLCSlCOREScTHREADSt" },
		{ "1n1l1c", "expected NODESnLLCSlCOREScTHREADSt" },
		{ "1l1n1c1t", "expected NODESnLLCSlCOREScTHREADSt" },
		{ "1n1l1c1t ", "text after the threads" },
		{ "0n1l1c1t", "NUMA nodes must be 1 to 8192" },
		{ "1n0l1c1t", "LLCs must be 1 to 8192" },
		{ "1n1l8193c1t", "cores must be 1 to 8192" },
		{ "1n1l1c0t", "threads must be 1 to 8192" },
		{ "2n3l1c1t", "3 LLCs cannot be spread evenly over 2 NUMA nodes" },
		{ "2n1l1c1t", "1 LLCs cannot be spread evenly over 2 NUMA nodes" },
		{ "1025n1025l1c1t", "more than 8192 CPUs" },
		{ "1n2l4097c1t", "more than 8192 CPUs" },
		{ "1n2l2c2049t", "more than 8192 CPUs" },
		{ "1n8192l8192c8192t", "more than 8192 CPUs" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct topology t;

		assert_int_equal(topology_from_notation(&t, rows[i].notation), -EINVAL);
		if (!strstr(err_text(-EINVAL), rows[i].problem))
			fail_msg("'%s': %s", rows[i].notation, err_text(-EINVAL));
		assert_int_equal(t.cpu_count, 0);
	}
}

/* A CPU as "LLC core node", by its lowest CPU each. */
struct drafted {
	unsigned int llc;
	int core;
	unsigned int node;
};

static void only_a_regular_machine_has_a_notation(void **state)
{
	static const struct {
		struct drafted cpus[8];
		size_t count, bare_nodes;
		const char *notation;
	} rows[] = {
		{ { { 0, 0, 0 }, { 0, 0, 0 }, { 2, 2, 0 }, { 2, 2, 0 } }, 4, 0, "1n2l1c2t" },
		/* Siblings need not be neighbours. */
		{ { { 0, 0, 0 }, { 0, 1, 0 }, { 0, 0, 0 }, { 0, 1, 0 } }, 4, 0, "1n1l2c2t" },
		{ { { 0, 0, 0 }, { 0, 1, 0 }, { 2, 2, 0 } }, 3, 0, NULL },
		{ { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 2, 0 } }, 3, 0, NULL },
		{ { { 0, 0, 0 }, { 0, 1, 0 }, { 0, 1, 0 } }, 3, 0, NULL },
		/* As many cores, but more threads; and as many CPUs. */
		{ { { 0, 0, 0 }, { 1, 1, 0 }, { 1, 1, 0 } }, 3, 0, NULL },
		{ { { 0, 0, 0 }, { 0, 0, 0 }, { 2, 2, 0 }, { 2, 3, 0 } }, 4, 0, NULL },
		/* A core in two LLCs. */
		{ { { 0, 0, 0 }, { 1, 0, 0 } }, 2, 0, NULL },
		/* Nodes of different sizes, also with an even number of LLCs. */
		{ { { 0, 0, 0 }, { 1, 1, 0 }, { 2, 2, 1 } }, 3, 0, NULL },
		{ { { 0, 0, 0 }, { 1, 1, 0 }, { 2, 2, 0 }, { 3, 3, 1 } }, 4, 0, NULL },
		/* One LLC for two nodes. */
		{ { { 0, 0, 0 }, { 0, 1, 1 } }, 2, 0, NULL },
		/* Memory only. */
		{ { { 0, 0, 0 } }, 1, 1, NULL },
		{ {}, 0, 0, NULL },
		{ {}, 0, 1, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(topology_draft_finish) struct topology_draft draft = {};
		_topology_ struct topology t = {};
		_str_ struct str text = {};

		for (size_t k = 0; k < rows[i].count; k++) {
			struct topology_draft_cpu cpu = TOPOLOGY_DRAFT_CPU((unsigned int)k);

			cpu.node = rows[i].cpus[k].node;
			cpu.core_first_cpu = rows[i].cpus[k].core;
			cpu.cache_level = 3;
			cpu.cache_first_cpu = rows[i].cpus[k].llc;
			assert_int_equal(topology_draft_add_cpu(&draft, &cpu), 0);
		}
		for (size_t k = 0; k < rows[i].bare_nodes; k++)
			assert_int_equal(
				topology_draft_add_node(
					&draft,
					&(struct topology_node){ .id = (unsigned int)k + 9 }),
				0);
		assert_int_equal(topology_build(&t, &draft), 0);
		assert_int_equal(topology_add_notation(&t, &text), rows[i].notation != NULL);
		assert_string_equal(str_get(&text), rows[i].notation ? rows[i].notation : "");
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(without_files_about_them_cpus_are_alone_in_one_cache),
		TEST(a_machine_without_cpus_is_an_error),
		TEST(the_highest_unified_cache_of_a_cpu_counts),
		TEST(cores_are_found_by_their_siblings_or_their_numbers),
		TEST(nodes_are_found_from_the_cpus),
		TEST(listed_nodes_have_cpus_and_memory),
		TEST(a_node_that_only_cpus_name_is_added_in_its_place),
		TEST(distances_are_read_in_full_or_not_at_all),
		TEST(the_notation_is_read_and_written),
		TEST(a_notation_that_makes_no_sense_is_explained),
		TEST(only_a_regular_machine_has_a_notation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
