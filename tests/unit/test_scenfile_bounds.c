// SPDX-License-Identifier: GPL-2.0-only
/* Scenario files: the last value that is taken, and the first that is not. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "scenfile/rtapp.h"
#include "scenfile/scenfile.h"
#include "scenfile_text.h"

static void expect_taken(const char *const *texts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct scenfile f;

		err_clear();
		if (parse(texts[i], &f) < 0)
			fail_msg("'%s' was refused: %s", texts[i], err_text(-EINVAL));
	}
}

struct refusal {
	const char *text, *message;
};

static void expect_refused(const struct refusal *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct scenfile f;

		err_clear();
		if (parse(cases[i].text, &f) != -EINVAL)
			fail_msg("'%s' was taken", cases[i].text);
		assert_string_equal(err_text(-EINVAL), cases[i].message);
	}
}

#define CG "cgroups:\n  - name: a\n"
#define OPS CG "ops:\n  - "

static void last_values_of_cgroups_are_taken(void **state)
{
	static const char *const texts[] = {
		CG "    workers: 1\n",
		CG "    workers: 1000000\n",
		CG "    workers_share: 50%\n",
		CG "    cpu_weight: 1\n",
		CG "    cpu_weight: 10000\n",
		CG "    uclamp_min: 100\n",
		CG "    uclamp_min: 30\n    uclamp_max: 30\n",
		CG "    nice: -20\n",
		CG "    nice: 19\n",
		CG "    swappable: on\n",
		CG "    cpuset: {range: [0, 1]}\n",
		CG "    cpuset: {range: ['0%', '100%']}\n",
		CG "    cpuset: {disjoint: [0, 1]}\n",
		CG "    cpuset: {disjoint: [4095, 4096]}\n",
		CG "    cpuset: {overlap: [1, 2, 1]}\n",
		CG "    policy: {fifo: 1}\n",
		CG "    policy: {rr: 99}\n",
		CG "    policy: {deadline: {runtime: 1ms, deadline: 1ms, period: 1ms}}\n",
		CG "    affinity: {random: {cpus: 0-3, count: 2}}\n",
		CG "    work: {Sequence: [{spin: 1us}]}\n",
		CG "    work: {Sequence: [{spin: 1ms}, {sleep: 1ms}, {yield: 1ms}, {io: 1ms}, "
		   "{spin: 1ms}, {sleep: 1ms}, {yield: 1ms}, {io: 1ms}]}\n",
		CG "    work: PipeIo\n    workers: 4\n",
		CG "    memory: local\n    memory_flags: []\n",
		("cgroups:\n  - name: a\n    payload: {program: p, checks: [{exit: -2147483648}, "
		 "{exit: 2147483647}, {metric: m}]}\n"),
	};

	(void)state;
	expect_taken(texts, ARRAY_SIZE(texts));
}

static void first_values_beyond_are_refused_in_cgroups(void **state)
{
	static const struct refusal cases[] = {
		{ CG "    workers: 1000001\n",
		  "f:3: workers must be a number from 1 to 1000000, not '1000001'" },
		{ CG "    workers: 2\n    workers_share: 50%\n",
		  "f:2: workers and workers_share exclude each other" },
		{ CG "    workers_share: -1%\n",
		  "f:3: workers_share must be a share that is not negative, not '-1%'" },
		{ CG "    workers_share: '%'\n",
		  "f:3: workers_share must be a share such as 50% or 0.5, not '%'" },
		{ CG "    workers_share: ''\n",
		  "f:3: workers_share must be a share such as 50% or 0.5, not ''" },
		{ CG "    workers_share: 5x\n",
		  "f:3: workers_share must be a share such as 50% or 0.5, not '5x'" },
		{ CG "    workers_share: [5]\n",
		  "f:3: workers_share must be a share such as 50% or 0.5, not a list" },
		{ CG "    cpu_weight: 10001\n", "f:3: cpu_weight must be from 1 to 10000" },
		{ CG "    uclamp_max: 101\n",
		  "f:2: uclamp_min and uclamp_max are percents with min <= max" },
		{ CG "    uclamp_min: 31\n    uclamp_max: 30\n",
		  "f:2: uclamp_min and uclamp_max are percents with min <= max" },
		{ CG "    nice: -21\n", "f:3: nice must be from -20 to 19" },
		{ CG "    nice: low\n", "f:3: nice must be a whole number, not 'low'" },
		{ CG "    nice: 2147483648\n",
		  "f:3: nice must be a whole number, not '2147483648'" },
		{ CG "    nice: -2147483649\n",
		  "f:3: nice must be a whole number, not '-2147483649'" },
		{ CG "    swappable: maybe\n", "f:3: swappable must be on or off, not 'maybe'" },
		{ CG "    swappable: [on]\n", "f:3: swappable must be on or off, not a list" },
		{ CG "    cpu_max: ''\n", "f:3: cpu_max must be a text, not ''" },
		{ CG "    cpu_max: {a: b}\n", "f:3: cpu_max must be a text, not a map" },
		{ CG "    cpuset: {range: [0, 1.01]}\n",
		  "f:3: range must go from a smaller to a larger share, up to 1" },
		{ CG "    cpuset: {range: [0]}\n", "f:3: range must be written range: [0, 0.5]" },
		{ CG "    cpuset: {range: 0.5}\n", "f:3: range must be written range: [0, 0.5]" },
		{ CG "    cpuset: {disjoint: [0, 0]}\n",
		  "f:3: disjoint counts parts from 0: [0, 2] is the first of two" },
		{ CG "    cpuset: {disjoint: [0, 4097]}\n",
		  "f:3: disjoint counts parts from 0: [0, 2] is the first of two" },
		{ CG "    cpuset: {disjoint: [0.5, 2]}\n",
		  "f:3: disjoint counts parts from 0: [0, 2] is the first of two" },
		{ CG "    cpuset: {disjoint: [0, 2.5]}\n",
		  "f:3: disjoint counts parts from 0: [0, 2] is the first of two" },
		{ CG "    cpuset: {overlap: [2, 2, 0.5]}\n",
		  "f:3: overlap counts parts from 0: [0, 2] is the first of two" },
		{ CG "    cpuset: ''\n",
		  "f:3: cpuset must be a list of CPUs such as 0-3,5, not ''" },
		{ CG "    cpuset_mems: [0]\n",
		  "f:3: cpuset_mems must be a list of NUMA nodes such as 0-1, not a list" },
		{ CG "    policy: {fifo: 0}\n", "f:3: fifo has priorities from 1 to 99" },
		{ CG "    policy: {fifo: x}\n", "f:3: fifo must be a whole number, not 'x'" },
		{ CG "    policy: {deadline: {runtime: 1ms, deadline: 2ms, period: 1ms}}\n",
		  "f:3: deadline wants runtime <= deadline <= period, all given" },
		{ CG "    policy: {deadline: {deadline: 2ms, period: 2ms}}\n",
		  "f:3: deadline wants runtime <= deadline <= period, all given" },
		{ CG "    policy: {deadline: {run: 1ms}}\n",
		  "f:3: unknown key of a deadline policy 'run'; did you mean 'runtime'?" },
		{ CG "    affinity: {random: {cpu: 0}}\n",
		  "f:3: unknown key of a random affinity 'cpu'; did you mean 'cpus'?" },
		{ CG "    affinity: qqqqqqqq\n",
		  "f:3: unknown affinity 'qqqqqqqq'; there are: inherit, random, llc, "
		  "cross_cgroup, single_cpu, smt_pair" },
		{ CG "    affinity: {qqqqqqqq: 1}\n",
		  "f:3: unknown key of an affinity 'qqqqqqqq'; there are: cpus, random" },
		{ CG "    memory_flags: static_nodes\n",
		  "f:3: memory_flags must be a list, not a value" },
		{ CG "    memory_flags: [statik_nodes]\n",
		  "f:3: unknown flag of a memory policy 'statik_nodes'; did you mean "
		  "'static_nodes'?" },
		{ CG "    work: Sequence\n",
		  "f:3: work Sequence needs phases: { Sequence: [{ spin: 1ms }] }" },
		{ CG "    work: {Sequence: [{spin: 999ns}]}\n",
		  "f:3: spin must be a time such as 100ms, 10s or 1m30s, not '999ns'" },
		{ CG "    work: {Sequence: [{spinn: 1ms}]}\n",
		  "f:3: unknown phase 'spinn'; did you mean 'spin'?" },
		{ CG "    work: {Sequence: [{spin: 1ms, io: 1ms}]}\n",
		  "f:3: a phase must have exactly one key, not 2" },
		{ CG "    work: {Sequence: [{io: 1ms}, {io: 1ms}, {io: 1ms}, {io: 1ms}, {io: 1ms}, "
		     "{io: 1ms}, {io: 1ms}, {io: 1ms}, {io: 1ms}]}\n",
		  "f:3: a Sequence has 1 to 8 phases, not 9" },
		{ CG "    work: {Bursty: 3}\n", "f:3: Bursty must be a map, not a value" },
		{ CG "    work: [CpuSpin]\n", "f:3: work must be a map, not a list" },
		{ CG "    works: []\n", "f:3: works is empty; leave it out for the default" },
		{ CG "    payload: {name: p}\n", "f:3: a payload needs a program" },
		{ CG "    payload: {program: p, output: xml}\n",
		  "f:3: unknown output 'xml'; there are: exit, json, text" },
		{ CG "    payload: {program: p, output: [json]}\n",
		  "f:3: output must be a value, not a list" },
		{ CG "    payload: {program: p, checks: [{min: 3}]}\n",
		  "f:3: a check of a program needs a metric, or exit" },
		{ CG "    payload: {program: p, args: [{a: b}]}\n",
		  "f:3: item must be a text, not a map" },
		{ "cgroups:\n  - name: [a]\n",
		  "f:2: name must be the name of a cgroup, not a list" },
	};

	(void)state;
	expect_refused(cases, ARRAY_SIZE(cases));
}

static void operations_have_bounds(void **state)
{
	static const char *const taken[] = {
		OPS "set_cpu_weight: {cgroup: a, weight: 1}\n",
		OPS "set_cpu_weight: {cgroup: a, weight: 10000}\n",
		OPS "set_uclamp: {cgroup: a, min: 0, max: 100}\n",
		OPS "set_uclamp: {cgroup: a, min: 7, max: 7}\n",
		OPS "cpu_offline: 0\n",
		OPS "spawn_host: {nice: -20}\n",
		OPS "spawn: {cgroup: a, nice: 19}\n",
		OPS "add_cgroup: b\n  - remove_cgroup: b\n",
		OPS "add_cgroup_def: {name: x/y}\n  - freeze_cgroup: x\n",
		OPS "restart_scheduler\n",
		CG "steps:\n  - ops: [{add_cgroup: s}]\n    hold: full\n"
		   "  - ops: [{move_all_tasks: [s, a]}]\n    hold: full\n",
	};
	static const struct refusal refused[] = {
		{ OPS "set_cpu_weight: {cgroup: a, weight: 0}\n",
		  "f:4: weight must be from 1 to 10000" },
		{ OPS "set_cpu_weight: {cgroup: a, weight: 10001}\n",
		  "f:4: weight must be from 1 to 10000" },
		{ OPS "set_uclamp: {cgroup: a, min: -1, max: 5}\n",
		  "f:4: set_uclamp wants percents with min <= max" },
		{ OPS "set_uclamp: {cgroup: a, min: 6, max: 5}\n",
		  "f:4: set_uclamp wants percents with min <= max" },
		{ OPS "set_uclamp: {cgroup: a, min: 0, max: 101}\n",
		  "f:4: set_uclamp wants percents with min <= max" },
		{ OPS "set_uclamp: {cgroup: a, max: 5}\n", "f:4: set_uclamp needs min" },
		{ OPS "cpu_offline: -1\n", "f:4: cpu_offline wants the number of a CPU" },
		{ OPS "cpu_online: x\n", "f:4: cpu_online must be a whole number, not 'x'" },
		{ OPS "spawn_host: {nice: 20}\n", "f:4: nice must be from -20 to 19" },
		{ OPS "spawn: {cgroup: a, nice: -21}\n", "f:4: nice must be from -20 to 19" },
		{ OPS "swap_cpusets: [a]\n",
		  "f:4: swap_cpusets must be written swap_cpusets: [cgroup, cgroup]" },
		{ OPS "swap_cpusets: [a, a, a]\n",
		  "f:4: swap_cpusets must be written swap_cpusets: [cgroup, cgroup]" },
		{ OPS "swap_cpusets: [a, ..]\n",
		  "f:4: '..' is not a cgroup name: write \"a\" or \"a/b\"" },
		{ OPS "swap_cpusets: [a, zzzzzz]\n", "f:4: unknown cgroup 'zzzzzz'; there are: a" },
		{ OPS "set_cpuset: {cgroup: zzzzzz, cpuset: 0}\n",
		  "f:4: unknown cgroup 'zzzzzz'; there are: a" },
		{ "cgroups: [{name: a/b}]\nops:\n  - stop_cgroup: a/\n",
		  "f:3: 'a/' is not a cgroup name: write \"a\" or \"a/b\"" },
		{ "cgroups: [{name: ab}]\nops:\n  - stop_cgroup: a\n",
		  "f:3: unknown cgroup 'a'; did you mean 'ab'?" },
		{ CG "steps:\n  - ops: [{add_cgroup: s}]\n    hold: full\n"
		     "  - hold: full\n    ops: [{freeze_cgroup: tttttt}]\n",
		  "f:7: unknown cgroup 'tttttt'; there are: a, s" },
		{ OPS "restart\n",
		  "f:4: unknown operation 'restart'; did you mean 'restart_scheduler'?" },
		{ OPS "{add_cgroup: b, remove_cgroup: b}\n",
		  "f:4: an operation must have exactly one key, not 2" },
	};

	(void)state;
	expect_taken(taken, ARRAY_SIZE(taken));
	expect_refused(refused, ARRAY_SIZE(refused));
}

static void the_whole_has_bounds(void **state)
{
	static const char *const taken[] = {
		"checks: {max_gap_ms: 0, max_spread_pct: 0}\n" CG,
		"duration: 1ms\n" CG,
		"topology: 1n1l1c1t\n" CG,
		CG "steps: [{hold: 1ms}]\n",
		CG "steps: [{hold: 100000%}]\n",
		CG "steps: [{hold: 'settle+0.1%'}]\n",
		"steps: [{hold: full}]\n",
		"ops: [{spawn_host: {workers: 1}}]\n",
	};
	static const struct refusal refused[] = {
		{ "checks: {max_spread_pct: -0.1}\n" CG, "f:1: max_spread_pct cannot be negative" },
		{ "checks: {max_spread_pct: 1x}\n" CG,
		  "f:1: max_spread_pct must be a number, not '1x'" },
		{ "checks: {max_spread_pct: ''}\n" CG,
		  "f:1: max_spread_pct must be a number, not ''" },
		{ "checks: {max_spread_pct: [1]}\n" CG,
		  "f:1: max_spread_pct must be a number, not a list" },
		{ "checks: {max_gap_ms: [1]}\n" CG,
		  "f:1: max_gap_ms must be a whole number, not a list" },
		{ "duration: 999us\n" CG,
		  "f:1: duration must be a time such as 100ms, 10s or 1m30s, not '999us'" },
		{ "topology: 1n1l1c1tx\n" CG,
		  "f:1: topology must be written as 1n2l4c1t: NUMA nodes, LLCs in total, cores per "
		  "LLC, threads per core" },
		{ "topology: [1]\n" CG,
		  "f:1: topology must be written as 1n2l4c1t: NUMA nodes, LLCs in total, cores per "
		  "LLC, threads per core" },
		{ CG "steps: [{hold: 999us}]\n",
		  "f:3: hold must be full, a share such as 50%, settle+50%, a time such as 2s, or "
		  "{ every: 200ms }, not '999us'" },
		{ CG "steps: [{hold: 100001%}]\n",
		  "f:3: hold must be full, a share such as 50%, settle+50%, a time such as 2s, or "
		  "{ every: 200ms }, not '100001%'" },
		{ CG "steps: [{hold: 'settle+%'}]\n",
		  "f:3: hold must be full, a share such as 50%, settle+50%, a time such as 2s, or "
		  "{ every: 200ms }, not 'settle+%'" },
		{ CG "steps: [{hold: {evry: 1s}}]\n",
		  "f:3: unknown key of a hold 'evry'; did you mean 'every'?" },
		{ CG "steps: [{hold: [1s]}]\n", "f:3: hold must be a map, not a list" },
		{ "name: x\ncgroups: []\nops: []\n",
		  "f:1: a scenario needs cgroups, ops or steps" },
		{ "word\n", "f:1: a scenario must be a map, not a value" },
		{ "? [a]\n: b\n", "f:1: a key must be a word" },
		{ "a: *x\n", "f:1: anchors and aliases are not understood; repeat the text" },
		{ "a: &x [1]\n", "f:1: anchors and aliases are not understood; repeat the text" },
		{ "a: !x {b: 1}\n",
		  "f:1: tags are not understood; leave out what follows the '!'" },
		{ "!x a: 1\n", "f:1: tags are not understood; leave out what follows the '!'" },
	};

	(void)state;
	expect_taken(taken, ARRAY_SIZE(taken));
	expect_refused(refused, ARRAY_SIZE(refused));
}

static void sizes_of_a_file_have_a_bound(void **state)
{
	size_t len = 1 << 20;
	_free_ char *text = malloc(len + 1);
	struct scenfile f;

	(void)state;
	memset(text, '\n', len);
	memcpy(text, CG, strlen(CG));
	text[len] = '\0';
	assert_int_equal(scenfile_parse("f", text, len, &arena, &f), 0);
}

/* Four levels are the cgroup's: map, list, map, value; the rest is the list's. */
static void nesting_has_a_bound(void **state)
{
	struct scenfile f;

	(void)state;
	for (int depth = 23; depth <= 24; depth++) {
		_str_ struct str text = {};

		str_add(&text, "name: ");
		for (int i = 0; i < depth; i++)
			str_add(&text, "[");
		for (int i = 0; i < depth; i++)
			str_add(&text, "]");
		assert_int_equal(parse(str_get(&text), &f), -EINVAL);
		assert_string_equal(err_text(-EINVAL),
				    depth == 23 ? "f:1: name must be a text, not a list" :
						  "f:1: nested too deeply");
	}
}

static void payloads_are_read_with_their_checks(void **state)
{
	static const char text[] = CG
		"    payload:\n"
		"      program: bench\n"
		"      name: b\n"
		"      args: [-t, 4]\n"
		"      checks: [{metric: a, min: 1}, {metric: b, max: 2}, {metric: c, min: 3, "
		"max: 4}, {metric: d}, {exit: 7}]\n"
		"    swappable: yes\n"
		"    cpuset: {range: [25%, 0.75]}\n"
		"    workers_share: 0.25\n"
		"    memory_flags: [relative_nodes, numa_balancing]\n";
	static const int kinds[] = { KTSTR_CHECK_MIN, KTSTR_CHECK_MAX, KTSTR_CHECK_RANGE,
				     KTSTR_CHECK_EXISTS, KTSTR_CHECK_EXIT_EQ };
	const struct ktstr_cgroup *a;
	struct scenfile f;

	(void)state;
	assert_int_equal(parse(text, &f), 0);
	a = f.run.backdrop.defs;
	assert_true(a->swappable);
	assert_true(a->cpuset.from == 0.25 && a->cpuset.to == 0.75);
	assert_true(a->workers_pct == 0.25);
	assert_int_equal(a->mpol_flags, KTSTR_MPOL_RELATIVE_NODES | KTSTR_MPOL_NUMA_BALANCING);
	assert_string_equal(a->payload->binary, "bench");
	assert_string_equal(a->payload->args[1], "4");
	assert_null(a->payload->args[2]);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		assert_int_equal(a->payload->checks[i].kind, kinds[i]);
	assert_true(a->payload->checks[0].low == 1);
	assert_true(a->payload->checks[1].high == 2);
	assert_true(a->payload->checks[2].low == 3 && a->payload->checks[2].high == 4);
	assert_int_equal(a->payload->checks[4].code, 7);
}

static void parts_of_the_cpus_are_read(void **state)
{
	struct scenfile f;

	(void)state;
	assert_int_equal(
		parse("cgroups:\n  - {name: a, cpuset: {disjoint: [1, 3]}}\n"
		      "  - {name: b, cpuset: {llc: 2}}\n  - {name: c, cpuset: {numa: 1}}\n",
		      &f),
		0);
	assert_int_equal(f.run.backdrop.defs[0].cpuset.kind, KTSTR_CPUSET_DISJOINT);
	assert_int_equal(f.run.backdrop.defs[0].cpuset.index, 1);
	assert_int_equal(f.run.backdrop.defs[0].cpuset.of, 3);
	assert_int_equal(f.run.backdrop.defs[1].cpuset.kind, KTSTR_CPUSET_LLC);
	assert_int_equal(f.run.backdrop.defs[1].cpuset.index, 2);
	assert_int_equal(f.run.backdrop.defs[2].cpuset.kind, KTSTR_CPUSET_NUMA);
}

static void what_a_file_does_not_say_is_taken_from_its_path(void **state)
{
	static const struct {
		const char *path, *name;
	} rows[] = { { "dir.d/steal.yaml", "steal" }, { "dir/steal", "steal" }, { ".x", ".x" } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scenfile f;

		assert_int_equal(scenfile_read(rows[i].path, CG, strlen(CG), &arena, &f), 0);
		assert_string_equal(f.name, rows[i].name);
		assert_string_equal(f.description, rows[i].path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(last_values_of_cgroups_are_taken, finish_arena),
		cmocka_unit_test_teardown(first_values_beyond_are_refused_in_cgroups, finish_arena),
		cmocka_unit_test_teardown(operations_have_bounds, finish_arena),
		cmocka_unit_test_teardown(the_whole_has_bounds, finish_arena),
		cmocka_unit_test_teardown(sizes_of_a_file_have_a_bound, finish_arena),
		cmocka_unit_test_teardown(nesting_has_a_bound, finish_arena),
		cmocka_unit_test_teardown(payloads_are_read_with_their_checks, finish_arena),
		cmocka_unit_test_teardown(parts_of_the_cpus_are_read, finish_arena),
		cmocka_unit_test_teardown(what_a_file_does_not_say_is_taken_from_its_path,
					  finish_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
