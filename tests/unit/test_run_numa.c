// SPDX-License-Identifier: GPL-2.0-only
/* From the nodes and distances of a probe document to those of a VM. */
#include "unit.h"

#include "base/err.h"
#include "run/parts.h"

static struct ktstr_node two_nodes[] = {
	{ .llcs = 2, .memory_mib = 1024 },
	{ .memory_mib = 512,
	  .latency_ns = 300,
	  .bandwidth_mbs = 900,
	  .mem_side_cache = { .size_kib = 64, .line_size = 32 } },
};
static uint32_t two_distances[] = { 10, 30, 30, 10 };

static struct probe_test declared(void)
{
	return (struct probe_test){
		.topology = { 2, 2, 4, 1 },
		.nodes = { two_nodes, ARRAY_SIZE(two_nodes) },
		.distances = { .items = two_distances, .count = ARRAY_SIZE(two_distances) },
	};
}

static void everything_declared_arrives(void **state)
{
	struct probe_test t = declared();
	struct vm_numa numa;

	(void)state;
	assert_int_equal(run_numa_of(&t, &numa), 0);
	assert_true(numa.has_nodes && numa.has_distances);
	assert_int_equal(numa.nodes[0].llcs, 2);
	assert_int_equal(numa.nodes[0].memory_mib, 1024);
	assert_int_equal(numa.nodes[1].llcs, 0);
	assert_int_equal(numa.nodes[1].latency_ns, 300);
	assert_int_equal(numa.nodes[1].bandwidth_mbs, 900);
	assert_int_equal(numa.nodes[1].cache.size_kib, 64);
	assert_int_equal(numa.nodes[1].cache.line_size, 32);
	assert_int_equal(numa.distances[1][0], 30);
	assert_int_equal(run_numa_memory_mib(&t), 1536);
}

static void nothing_declared_is_nothing(void **state)
{
	struct probe_test t = { .topology = { 2, 4, 1, 1 } };
	struct vm_numa numa;

	(void)state;
	assert_int_equal(run_numa_of(&t, &numa), 0);
	assert_false(numa.has_nodes || numa.has_distances);
	assert_int_equal(run_numa_memory_mib(&t), 0);
}

static void expect_refused(const struct probe_test *t, const char *says)
{
	struct vm_numa numa;
	int rc = run_numa_of(t, &numa);

	assert_int_equal(rc, -EINVAL);
	if (!strstr(err_text(rc), says))
		fail_msg("'%s' does not say '%s'", err_text(rc), says);
}

/* A document is what a program wrote: counts and numbers may be anything. */
static void documents_that_do_not_fit_are_refused(void **state)
{
	struct ktstr_node many_llcs[] = { { .llcs = UINT32_MAX, .memory_mib = 1 },
					  { .memory_mib = 1 } };
	uint32_t far[] = { 10, UINT32_MAX, UINT32_MAX, 10 };
	struct probe_test t = declared();

	(void)state;
	t.topology.numa_nodes = 9;
	expect_refused(&t, "nodes: 9 of them; 1 to 8 are possible in a VM");
	t.topology.numa_nodes = 0;
	expect_refused(&t, "nodes: 0 of them");
	t = declared();
	t.topology.numa_nodes = 3;
	expect_refused(&t, "nodes: 2 are described, the machine has 3");
	t.nodes.count = 0;
	expect_refused(&t, "distances: 4 of them, 3 nodes need 9");
	t = declared();
	t.nodes.items = many_llcs;
	expect_refused(&t, "LLCs together, the machine has 2");
	t = declared();
	t.distances.items = far;
	expect_refused(&t, "distances: node 0 to node 1 is 4294967295, not 11 to 255");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_declared_arrives),
		cmocka_unit_test(nothing_declared_is_nothing),
		cmocka_unit_test(documents_that_do_not_fit_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
