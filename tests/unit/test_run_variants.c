// SPDX-License-Identifier: GPL-2.0-only
/* What is listed for a test, and what of it is chosen. */
#include "run/parts.h"

#include "base/err.h"
#include "base/str.h"
#include <stdio.h>

#include "unit.h"

#define TEXTS(...)                                                     \
	{                                                              \
		.items = (const char *[]){ __VA_ARGS__ },              \
		.count = ARRAY_SIZE(((const char *[]){ __VA_ARGS__ })) \
	}

static const struct ktstr_constraints usual = { 1, 1, 1, 12, 1, 192, false };

/* Six flags, of which steal needs llc: 48 profiles. */
static struct probe_flag six_flags[] = {
	{ .name = "llc" },
	{ .name = "borrow" },
	{ .name = "steal", .requires_flags = TEXTS("llc") },
	{ .name = "rebal" },
	{ .name = "reject-pin" },
	{ .name = "no-ctrl" },
};

static struct probe_sched scheds[] = {
	{ .name = "plain", .binary = "scx_plain" },
	{ .name = "flagged",
	  .binary = "scx_flagged",
	  .flags = { six_flags, ARRAY_SIZE(six_flags) } },
};

static struct probe_test make_test(const char *name, const char *scheduler)
{
	return (struct probe_test){ .name = name,
				    .scheduler = scheduler,
				    .topology = { 1, 1, 2, 1 },
				    .memory_mib = 2048,
				    .duration_ms = 2000,
				    .workers_per_cgroup = 2,
				    .constraints = usual };
}

struct world {
	struct test_program program;
	struct test_programs programs;
	struct variants_request request;
	struct variants variants;
};

static void list(struct world *w, struct probe_test *tests, size_t count, const char *const *labels,
		 size_t kernels)
{
	int rc;

	w->program = (struct test_program){ .path = "/nowhere/suite/mine", .name = "mine" };
	w->program.probe.tests.items = tests;
	w->program.probe.tests.count = count;
	w->program.probe.schedulers.items = scheds;
	w->program.probe.schedulers.count = ARRAY_SIZE(scheds);
	w->programs.items.items = &w->program;
	w->programs.items.count = 1;
	w->request = (struct variants_request){ .programs = &w->programs,
						.kernel_labels = labels,
						.kernel_count = kernels,
						.arch = VM_ARCH_X86_64 };
	rc = variants_list(&w->request, &w->variants);
	if (rc < 0)
		fail_msg("%s", err_text(rc));
}

static const struct variant *find(const struct world *w, const char *name)
{
	for (size_t i = 0; i < w->variants.items.count; i++)
		if (str_eq(w->variants.items.items[i].name, name))
			return &w->variants.items.items[i];
	return NULL;
}

static void default_constraints_leave_fifteen_presets(void **state)
{
	struct probe_test tests[] = { make_test("two_cgroups", NULL) };
	struct world w;

	(void)state;
	list(&w, tests, 1, NULL, 1);
	assert_int_equal(w.variants.items.count, 1 + 15);
	assert_string_equal(w.variants.items.items[0].name, "ktstr/two_cgroups");
	assert_string_equal(w.variants.items.items[0].binary_id, "suite::mine");
	assert_false(w.variants.items.items[0].is_ignored);
	assert_non_null(find(&w, "gauntlet/two_cgroups/tiny-1llc"));
	assert_true(find(&w, "gauntlet/two_cgroups/tiny-1llc")->is_ignored);
	assert_null(find(&w, "gauntlet/two_cgroups/near-max-llc"));
	assert_null(find(&w, "gauntlet/two_cgroups/numa2-4llc"));
	variants_finish(&w.variants);
}

static size_t count_accepted(const struct ktstr_constraints *c, enum vm_arch arch,
			     const struct preset_host *host)
{
	size_t count = 0;

	for (const struct preset *p = presets; p->name; p++)
		count += preset_is_accepted(p, arch, c, host);
	return count;
}

static size_t count_odd(void)
{
	size_t count = 0;

	for (const struct preset *p = presets; p->name; p++)
		count += vm_topology_cpus(&p->topology) % 2;
	return count;
}

/* The number before "llc" is that of the LLCs, behind "numa" that of the nodes; "odd" ones are odd. */
static void names_of_presets_tell_their_machines(void **state)
{
	(void)state;
	for (const struct preset *p = presets; p->name; p++) {
		const struct vm_topology *t = &p->topology;
		const char *llc = strstr(p->name, "llc"), *nosmt = strstr(p->name, "-nosmt");
		unsigned int nodes = 1, llcs;
		char pattern[64];

		if (sscanf(p->name, "numa%u", &nodes) != 1)
			nodes = 1;
		assert_int_equal(t->nodes, nodes);
		assert_int_equal(t->llcs % t->nodes, 0);
		for (const char *at = p->name; llc && at < llc; at++)
			if (at[0] == '-' && sscanf(at, "-%ullc", &llcs) == 1)
				assert_int_equal(t->llcs, llcs);
		if (str_starts(p->name, "odd-"))
			assert_int_equal(vm_topology_cpus(t) % 2 || t->llcs % 2, 1);
		if (str_starts(p->name, "tiny-"))
			assert_int_equal(vm_topology_cpus(t), 4);
		if (str_starts(p->name, "smt-"))
			assert_int_equal(t->threads, 2);
		if (!nosmt)
			continue;
		/* As many CPUs in as many LLCs as that of the same name, without its threads. */
		snprintf(pattern, sizeof(pattern), "%.*s", (int)(nosmt - p->name), p->name);
		assert_int_equal(t->threads, 1);
		assert_non_null(preset_by_name(pattern));
		assert_int_equal(preset_by_name(pattern)->topology.threads, 2);
		assert_int_equal(preset_by_name(pattern)->topology.llcs, t->llcs);
		assert_int_equal(preset_by_name(pattern)->topology.nodes, t->nodes);
		assert_int_equal(vm_topology_cpus(&preset_by_name(pattern)->topology),
				 vm_topology_cpus(t));
		assert_int_equal(preset_by_name(pattern)->memory_mib, p->memory_mib);
	}
}

static void presets_follow_constraints(void **state)
{
	struct ktstr_constraints all = { 1, 8, 1, 64, 1, 1024, false, false }, even = all,
				 smt = usual;
	struct preset_host small = { .cpus = 4, .llcs = 2, .largest_llc = 4 };

	(void)state;
	smt.min_llcs = 2;
	smt.requires_smt = true;
	assert_int_equal(count_accepted(&all, VM_ARCH_X86_64, NULL), 24);
	even.requires_even_cpus = true;
	assert_false(preset_is_accepted(preset_by_name("odd-3llc"), VM_ARCH_X86_64, &even, NULL));
	assert_int_equal(count_accepted(&even, VM_ARCH_X86_64, NULL), 24 - count_odd());
	assert_int_equal(count_accepted(&all, VM_ARCH_AARCH64, NULL), 14);
	assert_int_equal(count_accepted(&smt, VM_ARCH_X86_64, NULL), 6);
	assert_int_equal(count_accepted(&smt, VM_ARCH_AARCH64, NULL), 0);
	/* Only what fits: tiny-1llc and tiny-2llc. */
	assert_int_equal(count_accepted(&all, VM_ARCH_X86_64, &small), 2);
	assert_int_equal(vm_topology_cpus(&preset_by_name("max-cpu")->topology), 252);
	assert_int_equal(preset_by_name("numa4-12llc")->memory_mib, 4096);
	/* Where it is not by the CPUs it is a number of GiB. */
	for (const struct preset *p = presets; p->name; p++)
		assert_int_equal(p->memory_mib % 1024, 0);
	assert_null(preset_by_name("huge"));
}

static void flags_make_profiles(void **state)
{
	struct probe_test tests[] = { make_test("plain", "flagged"),
				      make_test("needs", "flagged") };
	struct probe_texts required = TEXTS("steal", "llc"), excluded = TEXTS("borrow", "no-ctrl");
	struct world w;
	size_t on_tiny = 0;

	(void)state;
	tests[1].required_flags = required;
	tests[1].excluded_flags = excluded;
	list(&w, tests, 2, NULL, 1);
	for (size_t i = 0; i < w.variants.items.count; i++)
		on_tiny += str_starts(w.variants.items.items[i].name, "gauntlet/plain/tiny-1llc/");
	assert_int_equal(on_tiny, 48);
	assert_non_null(find(&w, "gauntlet/plain/tiny-1llc/default"));
	assert_non_null(find(&w, "gauntlet/plain/tiny-1llc/llc+borrow+steal"));
	assert_null(find(&w, "gauntlet/plain/tiny-1llc/steal"));
	/* The test as declared runs with exactly its required flags. */
	assert_string_equal(find(&w, "ktstr/plain")->profile, "default");
	assert_string_equal(find(&w, "ktstr/needs")->profile, "llc+steal");
	assert_non_null(find(&w, "gauntlet/needs/tiny-2llc/llc+steal+rebal"));
	assert_null(find(&w, "gauntlet/needs/tiny-2llc/llc+borrow+steal"));
	variants_finish(&w.variants);
}

static void impossible_flags_are_an_error(void **state)
{
	struct probe_test tests[] = { make_test("torn", "flagged") };
	struct probe_texts required = TEXTS("steal"), excluded = TEXTS("llc");
	struct test_program program = { .path = "/x/y", .name = "y" };
	struct test_programs programs = { .items = { &program, 1, 1 } };
	struct variants v;
	int rc;

	(void)state;
	tests[0].required_flags = required;
	tests[0].excluded_flags = excluded;
	program.probe.tests.items = tests;
	program.probe.tests.count = 1;
	program.probe.schedulers.items = scheds;
	program.probe.schedulers.count = 2;
	rc = variants_list(&(struct variants_request){ .programs = &programs, .kernel_count = 1 },
			   &v);
	assert_int_equal(rc, -EINVAL);
	assert_string_equal(err_text(rc), "test 'torn': no set of flags is possible: a required "
					  "flag needs an excluded one");
}

static void kernels_are_part_of_the_name_from_two_on(void **state)
{
	const char *labels[] = { "kernel_7_0_13", "kernel_6_19_14" };
	struct probe_test tests[] = { make_test("a", NULL), make_test("b", NULL) };
	struct world w;

	(void)state;
	tests[1].host_only = true;
	list(&w, tests, 2, labels, 2);
	assert_non_null(find(&w, "ktstr/a/kernel_7_0_13"));
	assert_int_equal(find(&w, "ktstr/a/kernel_6_19_14")->kernel, 1);
	assert_non_null(find(&w, "gauntlet/a/odd-3llc/kernel_6_19_14"));
	/* A test of the host runs once and has no gauntlet. */
	assert_non_null(find(&w, "ktstr/b"));
	assert_int_equal(w.variants.items.count, 2 + 30 + 1);
	variants_finish(&w.variants);
}

static size_t choose(const struct world *w, const struct variants_choice *choice)
{
	struct variants_chosen chosen;
	size_t count;

	assert_int_equal(variants_choose(&w->variants, choice, &chosen), 0);
	count = chosen.items.count;
	assert_int_equal(chosen.items.count + chosen.filtered_out, w->variants.items.count);
	variants_chosen_finish(&chosen);
	return count;
}

static void ignored_ones_have_to_be_asked_for(void **state)
{
	struct probe_test tests[] = { make_test("a", NULL), make_test("demo_b", NULL),
				      make_test("c", NULL) };
	const char *part[] = { "/a" };
	_filter_ struct filter f = {};
	struct world w;

	(void)state;
	tests[2].ignore = true;
	list(&w, tests, 3, NULL, 1);
	assert_int_equal(choose(&w, &(struct variants_choice){}), 1);
	assert_int_equal(choose(&w, &(struct variants_choice){ .ignored = RUN_IGNORED_ALL }), 48);
	assert_int_equal(choose(&w, &(struct variants_choice){ .ignored = RUN_IGNORED_ONLY }), 47);
	assert_int_equal(choose(&w, &(struct variants_choice){ .ignored = RUN_IGNORED_ALL,
							       .substrings = part,
							       .substring_count = 1 }),
			 16);
	assert_int_equal(filter_add(&f, "test(#gauntlet/*/tiny-*)"), 0);
	assert_int_equal(
		choose(&w, &(struct variants_choice){ .ignored = RUN_IGNORED_ALL, .filter = &f }),
		6);
	assert_int_equal(choose(&w, &(struct variants_choice){ .is_performance_only = true }), 0);
	variants_finish(&w.variants);
}

static void a_name_may_stand_for_all_kernels(void **state)
{
	static const char *const labels[] = { "kernel_7_0", "kernel_7_2" };
	struct probe_test tests[] = { make_test("a", NULL), make_test("kernel_7_0", NULL) };
	_filter_ struct filter f = {};
	struct world w;

	(void)state;
	list(&w, tests, 2, labels, 2);
	assert_int_equal(filter_add(&f, "test(=ktstr/a)"), 0);
	assert_int_equal(choose(&w, &(struct variants_choice){ .filter = &f }), 0);
	assert_int_equal(
		choose(&w, &(struct variants_choice){ .filter = &f, .is_any_kernel = true }), 2);
	assert_int_equal(filter_add(&f, "test(kernel_7_0)"), 0);
	assert_int_equal(choose(&w, &(struct variants_choice){ .filter = &f }), 3);
	assert_int_equal(
		choose(&w, &(struct variants_choice){ .filter = &f, .is_any_kernel = true }), 4);
	variants_finish(&w.variants);
}

static void features_are_those_of_the_table(void **state)
{
	struct selection_item i = { .name = "ktstr/a",
				    .hashed_name = "a",
				    .scheduler = "b",
				    .required_flags = 1,
				    .excluded_flags = 32,
				    .active_flags = 5,
				    .nodes = 3,
				    .llcs = 2,
				    .cpus = 17,
				    .threads = 2,
				    .is_performance = true,
				    .is_gauntlet = true,
				    .duration_s = 10.5,
				    .workers = 3 };
	/* djb2("b") = 5381 * 33 + 98 = 177671, % 4 = 3; djb2("a") = 177670, % 4 = 2. */
	uint64_t expected = 1ULL << 3 | 1ULL << 43 | 1ULL << 4 | 1ULL << 15 | 1ULL << 16 |
			    1ULL << 18 | 1ULL << 24 | 1ULL << 28 | 1ULL << 32 | 1ULL << 33 |
			    1ULL << 38 | 1ULL << 39 | 1ULL << 40 | 1ULL << 47;

	(void)state;
	assert_int_equal(selection_features(&i), expected);
	assert_int_equal(selection_flag("no-ctrl"), 32);
	assert_int_equal(selection_flag("mine"), 0);
	/* 10 + (17-16)/10 + 10.5 + 2 + 3 */
	assert_true(selection_cost(&i) == 25.5);
	i.cpus = 252;
	assert_true(selection_cost(&i) == 48.5);
	i.is_host_only = true;
	assert_true(selection_cost(&i) == 12.5);
}

/* A bound belongs to the bucket below it. */
static void features_change_above_their_bounds(void **state)
{
	static const struct {
		unsigned int cpus, llcs, nodes, threads, workers;
		double duration_s;
		unsigned int bits[4]; /* of CPUs, LLCs, nodes and duration */
		bool is_smt, has_workers;
	} rows[] = {
		{ 8, 1, 1, 1, 2, 2, { 22, 27, 45, 36 }, false, false },
		{ 9, 2, 2, 2, 3, 2.5, { 23, 28, 46, 37 }, true, true },
		{ 16, 3, 3, 1, 0, 10, { 23, 29, 47, 37 }, false, false },
		{ 64, 4, 4, 1, 0, 10.5, { 24, 29, 47, 38 }, false, false },
		{ 65, 5, 5, 1, 0, 11, { 25, 30, 48, 38 }, false, false },
		{ 128, 8, 8, 1, 0, 60, { 25, 30, 48, 38 }, false, false },
		{ 129, 9, 9, 1, 0, 60, { 26, 31, 48, 38 }, false, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct selection_item item = { .name = "ktstr/a",
					       .hashed_name = "a",
					       .scheduler = "b",
					       .nodes = rows[i].nodes,
					       .llcs = rows[i].llcs,
					       .cpus = rows[i].cpus,
					       .threads = rows[i].threads,
					       .duration_s = rows[i].duration_s,
					       .workers = rows[i].workers };
		uint64_t expected = 1ULL << 3 | 1ULL << 43 | (uint64_t)rows[i].is_smt << 32 |
				    (uint64_t)rows[i].has_workers << 39;

		for (size_t k = 0; k < ARRAY_SIZE(rows[i].bits); k++)
			expected |= 1ULL << rows[i].bits[k];
		assert_int_equal(selection_features(&item), expected);
		item.is_host_only = item.expects_error = true;
		assert_int_equal(selection_features(&item), expected | 1ULL << 34 | 1ULL << 35);
	}
}

/* One feature more is not worth a minute. */
static void budget_takes_features_by_the_second(void **state)
{
	struct selection_item items[] = {
		{ .name = "long",
		  .hashed_name = "x",
		  .scheduler = "s",
		  .cpus = 2,
		  .llcs = 1,
		  .nodes = 1,
		  .threads = 2,
		  .duration_s = 60 },
		{ .name = "short",
		  .hashed_name = "x",
		  .scheduler = "s",
		  .cpus = 2,
		  .llcs = 1,
		  .nodes = 1,
		  .duration_s = 2 },
	};
	struct selection_summary summary;
	bool chosen[2];

	(void)state;
	selection_by_budget(items, 2, 73, chosen, &summary);
	assert_false(chosen[0]);
	assert_true(chosen[1]);
	assert_int_equal(summary.total, 2);
	assert_true(summary.budget_s == 73);
	assert_int_equal(summary.covered, 6);
	assert_int_equal(summary.coverable, 8);
}

static void budget_takes_the_most_different(void **state)
{
	struct selection_item items[] = {
		{ .name = "b",
		  .hashed_name = "x",
		  .scheduler = "s",
		  .cpus = 2,
		  .llcs = 1,
		  .nodes = 1,
		  .duration_s = 2 },
		{ .name = "a",
		  .hashed_name = "x",
		  .scheduler = "s",
		  .cpus = 2,
		  .llcs = 1,
		  .nodes = 1,
		  .duration_s = 2 },
		{ .name = "c",
		  .hashed_name = "x",
		  .scheduler = "s",
		  .cpus = 32,
		  .llcs = 4,
		  .nodes = 1,
		  .threads = 2,
		  .duration_s = 2 },
	};
	struct selection_summary summary;
	bool chosen[3];

	(void)state;
	/* c: 7 bits / 15 s, a and b: 6 bits / 14 s; then one of the twins, by name. */
	selection_by_budget(items, 3, 29.5, chosen, &summary);
	assert_false(chosen[0]);
	assert_true(chosen[1]);
	assert_true(chosen[2]);
	assert_int_equal(summary.chosen, 2);
	assert_true(summary.used_s == 29);
	assert_int_equal(summary.covered, summary.coverable);
	selection_by_budget(items, 3, 14.5, chosen, &summary);
	assert_int_equal(summary.chosen, 1);
	assert_true(chosen[1]);
	assert_true(summary.covered < summary.coverable);
}

static void budgets_are_positive_numbers(void **state)
{
	static const char *const bad[] = { "", "0", "-1", "nan", "inf", "5s", "x", "1e999" };
	double seconds;

	(void)state;
	assert_true(selection_budget_parse("300", &seconds) && seconds == 300);
	assert_true(selection_budget_parse("0.5", &seconds) && seconds == 0.5);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(selection_budget_parse(bad[i], &seconds));
}

#define MANY 100
#define SHARDS 7

static void shards_are_even_and_complete(void **state)
{
	struct selection_item items[MANY];
	char names[MANY][16];
	unsigned int taken[MANY] = {};
	double least = 1e9, most = 0;

	(void)state;
	for (size_t i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof(names[i]), "t%zu", i);
		items[i] =
			(struct selection_item){ .name = names[i], .duration_s = (double)(i % 13) };
	}
	for (unsigned int k = 0; k < SHARDS; k++) {
		struct shard shard = { .index = k, .count = SHARDS };
		bool chosen[MANY];
		double cost = 0;

		memset(chosen, true, sizeof(chosen));
		assert_int_equal(shard_apply(&shard, items, MANY, chosen), 0);
		for (size_t i = 0; i < MANY; i++) {
			taken[i] += chosen[i];
			cost += chosen[i] ? selection_cost(&items[i]) : 0;
		}
		least = MIN(least, cost);
		most = MAX(most, cost);
	}
	for (size_t i = 0; i < MANY; i++)
		assert_int_equal(taken[i], 1);
	assert_true(most - least <= 24);
}

static void shards_are_parsed(void **state)
{
	static const char *const bad[] = { "",	  "1",	  "0/3",  "4/3",     "1/0",
					   "a/b", "1/3x", "-1/3", "1/100001" };
	struct shard s;

	(void)state;
	assert_int_equal(shard_parse("2/5", &s), 0);
	assert_int_equal(s.index, 1);
	assert_int_equal(s.count, 5);
	assert_int_equal(shard_parse("5/5", &s), 0);
	assert_int_equal(shard_parse("1/100000", &s), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(shard_parse(bad[i], &s), -EINVAL);
}

static void set_many(const char *const *pairs)
{
	static const char *const all[] = { "CI_NODE_INDEX",	     "CI_NODE_TOTAL",
					   "CIRCLE_NODE_INDEX",	     "CIRCLE_NODE_TOTAL",
					   "BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT",
					   "SLURM_ARRAY_TASK_ID",    "SLURM_ARRAY_TASK_MIN",
					   "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_STEP" };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		unsetenv(all[i]);
	for (; pairs && pairs[0]; pairs += 2)
		setenv(pairs[0], pairs[1], 1);
}

#define ENVIRON(...) set_many((const char *const[]){ __VA_ARGS__, NULL })

static void shards_come_from_the_environment(void **state)
{
	struct shard s;

	(void)state;
	set_many(NULL);
	assert_int_equal(shard_from_environment(&s), 0);
	assert_int_equal(s.count, 0);
	ENVIRON("CI_NODE_INDEX", "2", "CI_NODE_TOTAL", "4");
	assert_int_equal(shard_from_environment(&s), 0);
	assert_int_equal(s.index, 1);
	assert_int_equal(s.count, 4);
	ENVIRON("CI_NODE_INDEX", "4", "CI_NODE_TOTAL", "4");
	assert_int_equal(shard_from_environment(&s), 0);
	ENVIRON("CI_NODE_INDEX", "5", "CI_NODE_TOTAL", "4");
	assert_int_equal(shard_from_environment(&s), -EINVAL);
	ENVIRON("CIRCLE_NODE_INDEX", "0", "CIRCLE_NODE_TOTAL", "3");
	assert_int_equal(shard_from_environment(&s), 0);
	assert_int_equal(s.index, 0);
	ENVIRON("BUILDKITE_PARALLEL_JOB", "0", "BUILDKITE_PARALLEL_JOB_COUNT", "3");
	assert_int_equal(shard_from_environment(&s), 0);
	assert_int_equal(s.index, 0);
	ENVIRON("SLURM_ARRAY_TASK_ID", "4", "SLURM_ARRAY_TASK_MIN", "4", "SLURM_ARRAY_TASK_COUNT",
		"5");
	assert_int_equal(shard_from_environment(&s), 0);
	assert_int_equal(s.index, 0);
	ENVIRON("SLURM_ARRAY_TASK_ID", "12", "SLURM_ARRAY_TASK_MIN", "4", "SLURM_ARRAY_TASK_STEP",
		"4", "SLURM_ARRAY_TASK_COUNT", "5");
	assert_int_equal(shard_from_environment(&s), 0);
	assert_int_equal(s.index, 2);
	assert_int_equal(s.count, 5);
	ENVIRON("SLURM_ARRAY_TASK_ID", "5", "SLURM_ARRAY_TASK_MIN", "4", "SLURM_ARRAY_TASK_STEP",
		"4", "SLURM_ARRAY_TASK_COUNT", "5");
	assert_int_equal(shard_from_environment(&s), -EINVAL);
	ENVIRON("CI_NODE_INDEX", "0", "CI_NODE_TOTAL", "4");
	assert_int_equal(shard_from_environment(&s), -EINVAL);
	ENVIRON("CI_NODE_INDEX", "x", "CI_NODE_TOTAL", "4");
	assert_int_equal(shard_from_environment(&s), -EINVAL);
	set_many(NULL);
}

/* Lists "same" of two programs of these names. 0 = both can be run. */
static int list_namesakes(const char *first, const char *second, struct str *names)
{
	struct probe_test tests[] = { make_test("same", NULL) };
	struct test_program two[2] = { { .path = "/a/one", .name = (char *)first },
				       { .path = "/a/two", .name = (char *)second } };
	struct test_programs programs = { .items = { two, 2, 2 } };
	_variants_ struct variants v = {};
	struct variants_chosen chosen;
	int rc;

	for (size_t i = 0; i < 2; i++) {
		two[i].probe.tests.items = tests;
		two[i].probe.tests.count = 1;
	}
	assert_int_equal(variants_list(&(struct variants_request){ .programs = &programs,
								   .kernel_count = 1 },
				       &v),
			 0);
	assert_int_equal(variants_choose(&v, &(struct variants_choice){}, &chosen), 0);
	rc = variants_check_names(&chosen);
	for (size_t i = 0; i < chosen.items.count; i++) {
		str_addc(names, '|');
		variant_add_name(chosen.items.items[i], names);
	}
	variants_chosen_finish(&chosen);
	return rc;
}

static void tests_of_one_name_are_told_apart_by_program(void **state)
{
	_str_ struct str names = {}, not_told = {};
	int rc;

	(void)state;
	assert_int_equal(list_namesakes("one", "two", &names), 0);
	assert_string_equal(str_get(&names), "|a::one ktstr/same|a::two ktstr/same");
	rc = list_namesakes("one", "one", &not_told);
	assert_int_equal(rc, -EINVAL);
	assert_non_null(strstr(err_text(rc), "'same' is in /a/one and in /a/two"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(default_constraints_leave_fifteen_presets),
		cmocka_unit_test(names_of_presets_tell_their_machines),
		cmocka_unit_test(presets_follow_constraints),
		cmocka_unit_test(flags_make_profiles),
		cmocka_unit_test(impossible_flags_are_an_error),
		cmocka_unit_test(kernels_are_part_of_the_name_from_two_on),
		cmocka_unit_test(ignored_ones_have_to_be_asked_for),
		cmocka_unit_test(a_name_may_stand_for_all_kernels),
		cmocka_unit_test(features_are_those_of_the_table),
		cmocka_unit_test(features_change_above_their_bounds),
		cmocka_unit_test(budget_takes_features_by_the_second),
		cmocka_unit_test(budget_takes_the_most_different),
		cmocka_unit_test(budgets_are_positive_numbers),
		cmocka_unit_test(shards_are_even_and_complete),
		cmocka_unit_test(shards_are_parsed),
		cmocka_unit_test(shards_come_from_the_environment),
		cmocka_unit_test(tests_of_one_name_are_told_apart_by_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
