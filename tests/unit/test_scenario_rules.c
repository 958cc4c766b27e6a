// SPDX-License-Identifier: GPL-2.0-only
/* Cpusets, affinities, memory policies and holds on machines that exist on paper. */
#include "unit.h"

#include <errno.h>
#include <math.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/util.h"
#include "scenario/run.h"

static struct topology topology;
static struct ktstr_ctx ctx;

static void machine(const char *notation)
{
	if (ctx.topology)
		ctx_finish(&ctx);
	topology_finish(&topology);
	assert_int_equal(topology_from_notation(&topology, notation), 0);
	assert_int_equal(ctx_init(&ctx, &(struct ctx_options){ .topology = &topology, .seed = 7 }),
			 0);
}

static int forget_machine(void **state)
{
	(void)state;
	ctx_finish(&ctx);
	topology_finish(&topology);
	return 0;
}

static void expect_cpus(const struct worker_cpus *set, const char *expected)
{
	_str_ struct str text = {};

	cpus_format(set, &text);
	assert_string_equal(str_get(&text), expected);
}

#define SPEC(...) ((struct ktstr_cpuset)__VA_ARGS__)

static void resolves(struct ktstr_cpuset spec, const char *expected)
{
	struct worker_cpus set;
	int rc = cpuset_resolve(&ctx, "cg_0", &spec, &set);

	if (rc < 0)
		fail_msg("%s", err_text(rc));
	expect_cpus(&set, expected);
}

static void refuses(struct ktstr_cpuset spec, const char *why)
{
	_free_ char *expected = str_fmt("cgroup 'cg_0': CpusetSpec validation failed: %s", why);
	struct worker_cpus set;
	int rc = cpuset_resolve(&ctx, "cg_0", &spec, &set);

	assert_int_equal(rc, -EINVAL);
	assert_string_equal(err_text(rc), expected);
}

static void test_usable_cpus(void **state)
{
	(void)state;
	machine("1n1l2c1t");
	assert_int_equal(ktstr_usable_cpu_count(&ctx), 2);
	machine("1n1l3c1t");
	assert_int_equal(ktstr_usable_cpu_count(&ctx), 2);
	assert_int_equal(ktstr_cpu_count(&ctx), 3);
}

static void test_llc_and_numa(void **state)
{
	(void)state;
	machine("2n4l2c2t");
	resolves(SPEC(KTSTR_LLC(0)), "0-3");
	resolves(SPEC(KTSTR_LLC(3)), "12-15");
	resolves(SPEC(KTSTR_NUMA(1)), "8-15");
	refuses(SPEC(KTSTR_LLC(4)), "LLC 4 is out of range: the machine has 4");
	refuses(SPEC(KTSTR_LLC(-1)), "LLC -1 is out of range: the machine has 4");
	refuses(SPEC(KTSTR_NUMA(2)), "NUMA node 2 is out of range: the machine has 2");
}

static void test_range(void **state)
{
	(void)state;
	machine("1n1l9c1t"); /* 8 usable */
	resolves(SPEC(KTSTR_RANGE(0, 0.5)), "0-3");
	resolves(SPEC(KTSTR_RANGE(0.5, 1)), "4-7");
	resolves(SPEC(KTSTR_RANGE(0.3, 0.55)), "2-3");
	refuses(SPEC(KTSTR_RANGE(0.5, 0.5)),
		"range 0.5 to 0.5: fractions must be finite and 0 <= from < to <= 1");
	refuses(SPEC(KTSTR_RANGE(0.5, 1.1)),
		"range 0.5 to 1.1: fractions must be finite and 0 <= from < to <= 1");
	refuses(SPEC(KTSTR_RANGE(-0.1, 1)),
		"range -0.1 to 1: fractions must be finite and 0 <= from < to <= 1");
	refuses(SPEC(KTSTR_RANGE(0, NAN)),
		"range 0 to nan: fractions must be finite and 0 <= from < to <= 1");
	refuses(SPEC(KTSTR_RANGE(0, INFINITY)),
		"range 0 to inf: fractions must be finite and 0 <= from < to <= 1");
	refuses(SPEC(KTSTR_RANGE(0.13, 0.2)), "range 0.13 to 0.2 holds none of the 8 usable CPUs");
}

static void test_disjoint(void **state)
{
	(void)state;
	machine("1n1l12c1t"); /* 11 usable */
	resolves(SPEC(KTSTR_DISJOINT(0, 3)), "0-2");
	resolves(SPEC(KTSTR_DISJOINT(1, 3)), "3-5");
	resolves(SPEC(KTSTR_DISJOINT(2, 3)), "6-10");
	refuses(SPEC(KTSTR_DISJOINT(0, 0)), "0 parts: there must be at least one");
	refuses(SPEC(KTSTR_DISJOINT(3, 3)), "part 3 is out of range: there are 3, counted from 0");
	refuses(SPEC(KTSTR_DISJOINT(0, 12)), "11 usable CPUs cannot be split into 12 parts");
}

static void test_overlap(void **state)
{
	(void)state;
	machine("1n1l13c1t"); /* 12 usable, parts of 4, overlap 2 */
	resolves(SPEC(KTSTR_OVERLAP(0, 3, 0.5)), "0-5");
	resolves(SPEC(KTSTR_OVERLAP(1, 3, 0.5)), "2-9");
	resolves(SPEC(KTSTR_OVERLAP(2, 3, 0.5)), "6-11");
	resolves(SPEC(KTSTR_OVERLAP(0, 1, 1)), "0-11");
	refuses(SPEC(KTSTR_OVERLAP(0, 3, 1.5)),
		"overlap 1.5: the fraction must be finite and 0 to 1");
	refuses(SPEC(KTSTR_OVERLAP(0, 3, NAN)),
		"overlap nan: the fraction must be finite and 0 to 1");
	refuses(SPEC(KTSTR_OVERLAP(0, 0, 0.5)), "0 parts: there must be at least one");
}

static void test_exact(void **state)
{
	(void)state;
	machine("1n1l4c1t");
	resolves(SPEC(KTSTR_EXACT("1,3")), "1,3");
	refuses(SPEC(KTSTR_EXACT("")), "the exact set is empty");
	refuses(SPEC(KTSTR_EXACT(NULL)), "the exact set is empty");
	refuses(SPEC(KTSTR_EXACT("0-x")), "'0-x' is not a list of CPUs: write \"0-3,5\"");
	refuses(SPEC(KTSTR_EXACT("2,4,9")), "CPU 4,9 does not exist: the machine has 0-3");
}

static struct worker_cpus set_of(const char *list)
{
	_cleanup_(cpulist_finish) struct cpulist parsed = {};
	struct worker_cpus set;

	assert_int_equal(cpulist_parse(list, &parsed), 0);
	cpus_from_list(&set, &parsed);
	return set;
}

#define INTENT(...) ((struct ktstr_affinity)__VA_ARGS__)

/* expected NULL = left alone */
static void pins(struct ktstr_affinity intent, const char *cpuset, const char *expected)
{
	struct worker_cpus pool = set_of(cpuset ? cpuset : ""), out[2];
	int rc = affinity_resolve(&ctx, &intent, cpuset ? &pool : NULL, 2, out);

	assert_int_equal(rc, expected ? 1 : 0);
	for (int i = 0; expected && i < 2; i++)
		expect_cpus(&out[i], expected);
}

static void test_affinity(void **state)
{
	(void)state;
	machine("1n2l4c1t");
	pins(INTENT({ .kind = KTSTR_AFFINITY_INHERIT }), "0-3", NULL);
	pins(INTENT(KTSTR_PIN_CROSS_CGROUP), "0-3", "0-7");
	pins(INTENT(KTSTR_PIN_SINGLE_CPU), "3-5", "3");
	pins(INTENT(KTSTR_PIN_SINGLE_CPU), NULL, "0");
	pins(INTENT(KTSTR_PIN_LLC_ALIGNED), "2-6", "4-6");
	pins(INTENT(KTSTR_PIN_LLC_ALIGNED), "2-5", "2-3");
	pins(INTENT(KTSTR_PIN_LLC_ALIGNED), NULL, "0-3");
	pins(INTENT(KTSTR_PIN_EXACT("1-3")), "3-5", "3");
	pins(INTENT(KTSTR_PIN_EXACT("1-3")), NULL, "1-3");
	pins(INTENT(KTSTR_PIN_EXACT("0-1")), "3-5", NULL);
}

static void test_random_subset(void **state)
{
	struct worker_cpus pool = set_of("1-4"), out[16], again[16];
	struct ktstr_affinity half = KTSTR_PIN_RANDOM_SUBSET;

	(void)state;
	machine("1n1l8c1t");
	assert_int_equal(affinity_resolve(&ctx, &half, &pool, 16, out), 1);
	for (int i = 0; i < 16; i++) {
		struct worker_cpus inside;

		assert_int_equal(cpus_count(&out[i]), 2);
		cpus_and(&inside, &out[i], &pool);
		assert_true(cpus_equal(&inside, &out[i]));
	}
	assert_true(affinities_differ(out, 16));
	assert_false(affinities_differ(out, 1));
	/* The seed decides. */
	machine("1n1l8c1t");
	assert_int_equal(affinity_resolve(&ctx, &half, &pool, 16, again), 1);
	assert_memory_equal(out, again, sizeof(out));
	pool = set_of("5");
	assert_int_equal(affinity_resolve(&ctx, &half, &pool, 1, out), 1);
	expect_cpus(&out[0], "5");
}

static void test_random_subset_of_a_pool(void **state)
{
	struct ktstr_affinity intent = { .kind = KTSTR_AFFINITY_RANDOM_SUBSET,
					 .cpus = "2-3",
					 .count = 2 };
	struct worker_cpus out;
	int rc;

	(void)state;
	machine("1n1l8c1t");
	assert_int_equal(affinity_resolve(&ctx, &intent, NULL, 1, &out), 1);
	expect_cpus(&out, "2-3");
	intent.count = 3;
	rc = affinity_resolve(&ctx, &intent, NULL, 1, &out);
	assert_string_equal(err_text(rc), "affinity: 3 random CPUs out of a pool of 2");
	intent.cpus = "x";
	rc = affinity_resolve(&ctx, &intent, NULL, 1, &out);
	assert_string_equal(err_text(rc), "affinity: 'x' is not a list of CPUs: write \"0-3,5\"");
}

static void test_sibling_pair(void **state)
{
	struct ktstr_affinity intent = KTSTR_PIN_SMT_SIBLING_PAIR;
	struct worker_cpus pool, out;

	(void)state;
	machine("1n1l2c2t");
	pins(intent, "1-3", "2-3");
	pool = set_of("1-2");
	assert_int_equal(affinity_resolve(&ctx, &intent, &pool, 1, &out), -EINVAL);
	assert_string_equal(err_text(-EINVAL),
			    "affinity: no core has two threads in the pool of the workers");
}

/* why NULL = fine */
static void policy(int kind, const char *nodes, int flags, const char *cpuset, const char *why)
{
	struct ktstr_work work = { .mem_policy = { .nodes = nodes }, .mpol_flags = flags };
	struct worker_cpus pool = set_of(cpuset ? cpuset : "");
	_free_ char *expected = str_fmt("cgroup 'cg_0': memory policy: %s", why ? why : "");
	int rc;

	work.mem_policy.kind = kind;
	rc = mem_policy_validate(&ctx, "cg_0", &work, cpuset ? &pool : NULL);
	assert_int_equal(rc, why ? -EINVAL : 0);
	if (why)
		assert_string_equal(err_text(rc), expected);
}

static void test_mem_policy(void **state)
{
	(void)state;
	machine("2n2l2c1t");
	policy(KTSTR_MEM_DEFAULT, NULL, 0, "0-1", NULL);
	policy(KTSTR_MEM_LOCAL, NULL, 0, "0-1", NULL);
	policy(KTSTR_MEM_BIND, "0", 0, "0-1", NULL);
	policy(KTSTR_MEM_BIND, "0-1", 0, "0-3", NULL);
	policy(KTSTR_MEM_BIND, "0-1", 0, "0-1",
	       "node 1 is outside of the cpuset, which covers 0: widen the cpuset, or set "
	       "KTSTR_MPOL_STATIC_NODES to mean it all the same");
	policy(KTSTR_MEM_BIND, "0-1", KTSTR_MPOL_STATIC_NODES, "0-1", NULL);
	policy(KTSTR_MEM_BIND, "0-2", KTSTR_MPOL_STATIC_NODES, "0-1",
	       "node 2 does not exist: the machine has 0-1");
	policy(KTSTR_MEM_BIND, "5", KTSTR_MPOL_RELATIVE_NODES, "0-1", NULL);
	policy(KTSTR_MEM_INTERLEAVE, "", 0, NULL, "the set of nodes is empty");
	policy(KTSTR_MEM_INTERLEAVE, NULL, 0, NULL, "the set of nodes is empty");
	policy(KTSTR_MEM_WEIGHTED_INTERLEAVE, "a", 0, NULL,
	       "'a' is not a list of nodes: write \"0-1,3\"");
	policy(KTSTR_MEM_PREFERRED, "0-1", 0, NULL,
	       "one node can be preferred, not '0-1' (many: preferred_many)");
	policy(KTSTR_MEM_PREFERRED_MANY, "3", 0, NULL,
	       "node 3 does not exist: the machine has 0-1");
	policy(KTSTR_MEM_BIND, "0", 1 << 4, "0-1", "unknown flags 0x10");
	policy(KTSTR_MEM_BIND, "0", KTSTR_MPOL_STATIC_NODES | KTSTR_MPOL_RELATIVE_NODES, "0-1",
	       "static and relative nodes exclude each other");
}

#define HOLD(...) ((struct ktstr_step){ .hold = __VA_ARGS__ })

static void holds(struct ktstr_step step, const char *why)
{
	int rc = hold_validate(&step);

	assert_int_equal(rc, why ? -EINVAL : 0);
	if (why)
		assert_string_equal(err_text(rc), why);
}

static void test_holds(void **state)
{
	struct ktstr_hold frac = KTSTR_FRAC(0.25), settle = KTSTR_SETTLE_FRAC(0.5),
			  fixed = KTSTR_FIXED_MS(30);

	(void)state;
	machine("1n1l2c1t");
	holds(HOLD(KTSTR_HOLD_FULL), NULL);
	holds(HOLD(KTSTR_FRAC(0)), "hold: a fraction must be finite and above 0, not 0");
	holds(HOLD(KTSTR_FRAC(-1)), "hold: a fraction must be finite and above 0, not -1");
	holds(HOLD(KTSTR_FRAC(NAN)), "hold: a fraction must be finite and above 0, not nan");
	holds(HOLD(KTSTR_FRAC(INFINITY)), "hold: a fraction must be finite and above 0, not inf");
	holds(HOLD(KTSTR_SETTLE_FRAC(0)), NULL);
	holds(HOLD(KTSTR_SETTLE_FRAC(-0.5)),
	      "hold: a fraction must be finite and not negative, not -0.5");
	holds(HOLD(KTSTR_FIXED_MS(1)), NULL);
	holds(HOLD(KTSTR_FIXED_MS(0)), "hold: a fixed time must not be zero");
	holds(HOLD(KTSTR_LOOP_MS(0)), "hold: the interval of a loop must not be zero");
	holds((struct ktstr_step){ .ops = KTSTR_OPS(KTSTR_CPU_ONLINE(1)) }, NULL);
	holds((struct ktstr_step){ .ops = KTSTR_OPS(KTSTR_SPAWN_HOST(.workers = 1)) },
	      "hold: required, because the step starts workers (.hold = KTSTR_HOLD_FULL)");
	assert_int_equal(hold_ms(&ctx, &frac), 500);
	assert_int_equal(hold_ms(&ctx, &settle), 1500);
	assert_int_equal(hold_ms(&ctx, &fixed), 30);
	ctx.hold_percent = 10;
	assert_int_equal(hold_ms(&ctx, &frac), 500);
	assert_int_equal(hold_ms(&ctx, &settle), 1050);
	assert_int_equal(hold_ms(&ctx, &fixed), 3);
	ctx.hold_percent = 1;
	assert_int_equal(hold_ms(&ctx, &fixed), 1); /* never none at all */
	ctx.hold_percent = 0;
}

/* Looks that fall on the end, beside it, and beyond it. */
static void waits_with_looks_are_as_long_as_those_without(void **state)
{
	static const uint64_t looks_ms[] = { 0, 1, 2, 5, 1000 };

	(void)state;
	machine("1n1l2c1t");
	for (size_t i = 0; i < ARRAY_SIZE(looks_ms); i++) {
		uint64_t begun = clock_mono_ns();

		ctx.look_ms = looks_ms[i];
		assert_int_equal(ctx_wait_ms(&ctx, 5), 0);
		assert_true(clock_mono_ns() - begun >= 5 * NSEC_PER_MSEC);
		assert_int_equal(ctx_wait_ms(&ctx, 0), 0);
	}
	ctx.look_ms = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_usable_cpus),
		cmocka_unit_test(test_llc_and_numa),
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_disjoint),
		cmocka_unit_test(test_overlap),
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_affinity),
		cmocka_unit_test(test_random_subset),
		cmocka_unit_test(test_random_subset_of_a_pool),
		cmocka_unit_test(test_sibling_pair),
		cmocka_unit_test(test_mem_policy),
		cmocka_unit_test(test_holds),
		cmocka_unit_test(waits_with_looks_are_as_long_as_those_without),
	};

	return cmocka_run_group_tests(tests, NULL, forget_machine);
}
