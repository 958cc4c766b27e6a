// SPDX-License-Identifier: GPL-2.0-only
/* Scenario files: what they come to, and every mistake with its line. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "base/util.h"
#include "scenfile/rtapp.h"
#include "scenfile/scenfile.h"
#include "scenfile_text.h"

/* Each word is the output that it names. */
static void outputs_of_payloads_are_read(void **state)
{
	static const struct {
		const char *word;
		enum ktstr_output output;
	} rows[] = { { "exit", KTSTR_OUT_EXIT },
		     { "json", KTSTR_OUT_JSON },
		     { "text", KTSTR_OUT_TEXT } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_free_ char *text =
			str_fmt("name: p\ncgroups:\n  - name: a\n    payload: {program: b, "
				"output: %s}\nsteps:\n  - hold: full\n",
				rows[i].word);
		struct scenfile file;

		assert_int_equal(parse(text, &file), 0);
		assert_non_null(file.run.backdrop.defs[0].payload);
		assert_int_equal(file.run.backdrop.defs[0].payload->output, rows[i].output);
	}
}

static void everything_is_read(void **state)
{
	static const char text[] = "name: all\n"
				   "description: everything at once\n"
				   "duration: 1m30s\n"
				   "workers: 3\n"
				   "topology: 2n4l2c1t\n"
				   "flags: [llc, steal]\n"
				   "excluded_flags: [no-ctrl]\n"
				   "checks:\n"
				   "  not_starved: off\n"
				   "  isolation: on\n"
				   "  max_gap_ms: 700\n"
				   "  max_migration_ratio: 0\n"
				   "  max_spread_pct: 'off'\n"
				   "cgroups:\n"
				   "  - name: a\n"
				   "    cpuset: {overlap: [1, 3, 0.5]}\n"
				   "    workers: 8\n"
				   "    work: {Bursty: {burst_ms: 7, sleep_ms: 9}}\n"
				   "    policy: {rr: 5}\n"
				   "    affinity: {cpus: 0-1}\n"
				   "    memory: {bind: 0-1}\n"
				   "    memory_flags: [static_nodes]\n"
				   "    cpu_weight: 50\n"
				   "    cpu_max: 50000 100000\n"
				   "  - name: b/c\n"
				   "    cpuset: 2-3\n"
				   "    works:\n"
				   "      - work: {Sequence: [{spin: 2ms}, {sleep: 5us}]}\n"
				   "        workers: 2\n"
				   "      - {work: SpinWait, nice: -5, comm: spinner}\n"
				   "ops:\n"
				   "  - spawn_host: {workers: 6, work: Mixed}\n"
				   "steps:\n"
				   "  - hold: settle+50%\n"
				   "  - name: second\n"
				   "    allow_backdrop: yes\n"
				   "    ops:\n"
				   "      - swap_cpusets: [a, b/c]\n"
				   "      - set_cpu_weight: {cgroup: a, weight: 200}\n"
				   "      - cpu_offline: 3\n"
				   "    cgroups: [{name: d}]\n"
				   "    hold: {every: 200ms}\n"
				   "  - hold: 2s\n"
				   "  - hold: full\n";
	const struct ktstr_cgroup *a, *bc;
	const struct ktstr_step *steps;
	struct scenfile f;

	(void)state;
	assert_int_equal(parse(text, &f), 0);
	assert_string_equal(f.name, "all");
	assert_string_equal(f.description, "everything at once");
	assert_int_equal(f.duration_ms, 90000);
	assert_int_equal(f.workers, 3);
	assert_int_equal(f.topology.numa_nodes, 2);
	assert_int_equal(f.topology.llcs, 4);
	assert_string_equal(f.flags[1], "steal");
	assert_null(f.flags[2]);
	assert_string_equal(f.excluded_flags[0], "no-ctrl");
	assert_int_equal(f.checks.not_starved, KTSTR_OFF);
	assert_int_equal(f.checks.isolation, KTSTR_ON);
	assert_int_equal(f.checks.max_gap_ms, 700);
	assert_true(f.checks.max_migration_ratio == (double)KTSTR_ZERO);
	assert_true(f.checks.max_spread_pct == KTSTR_OFF);
	a = &f.run.backdrop.defs[0];
	assert_string_equal(a->name, "a");
	assert_int_equal(a->cpuset.kind, KTSTR_CPUSET_OVERLAP);
	assert_int_equal(a->cpuset.index, 1);
	assert_int_equal(a->cpuset.of, 3);
	assert_float_equal(a->cpuset.from, 0.5, 0);
	assert_int_equal(a->workers, 8);
	assert_int_equal(a->work_type.kind, KTSTR_WORK_BURSTY);
	assert_int_equal(a->work_type.args[0], 7);
	assert_int_equal(a->work_type.args[1], 9);
	assert_int_equal(a->sched_policy.kind, KTSTR_POLICY_RR);
	assert_int_equal(a->sched_policy.priority, 5);
	assert_string_equal(a->affinity.cpus, "0-1");
	assert_int_equal(a->mem_policy.kind, KTSTR_MEM_BIND);
	assert_int_equal(a->mpol_flags, KTSTR_MPOL_STATIC_NODES);
	assert_int_equal(a->cpu_weight, 50);
	assert_string_equal(a->cpu_max, "50000 100000");
	bc = &f.run.backdrop.defs[1];
	assert_string_equal(bc->cpuset.cpus, "2-3");
	assert_int_equal(bc->works[0].work_type.kind, KTSTR_WORK_SEQUENCE);
	assert_int_equal(bc->works[0].work_type.phases[0].us, 2000);
	assert_int_equal(bc->works[0].work_type.phases[1].kind, KTSTR_PHASE_SLEEP);
	assert_int_equal(bc->works[0].work_type.phases[2].us, 0);
	assert_int_equal(bc->works[1].work_type.kind, KTSTR_WORK_CPU_SPIN);
	assert_int_equal(bc->works[1].nice, -5);
	assert_int_equal(bc->works[2].workers, UINT32_MAX);
	assert_null(f.run.backdrop.defs[2].name);
	assert_int_equal(f.run.backdrop.ops[0].kind, KTSTR_OP_SPAWN_HOST);
	assert_int_equal(f.run.backdrop.ops[0].work.workers, 6);
	assert_int_equal(f.run.backdrop.ops[1].kind, KTSTR_OP_END);
	steps = f.run.steps;
	assert_int_equal(steps[0].hold.kind, KTSTR_HOLD_SETTLE_FRAC);
	assert_float_equal(steps[0].hold.frac, 0.5, 0);
	assert_true(steps[1].allow_backdrop);
	assert_string_equal(steps[1].ops[0].other, "b/c");
	assert_int_equal(steps[1].ops[1].value[0], 200);
	assert_int_equal(steps[1].ops[2].value[0], 3);
	assert_string_equal(steps[1].defs[0].name, "d");
	assert_int_equal(steps[1].hold.kind, KTSTR_HOLD_LOOP);
	assert_int_equal(steps[1].hold.ms, 200);
	assert_int_equal(steps[2].hold.kind, KTSTR_HOLD_FIXED);
	assert_int_equal(steps[2].hold.ms, 2000);
	assert_float_equal(steps[3].hold.frac, 1, 0);
	assert_true(steps[4].is_end_);
}

static void without_steps_there_is_one(void **state)
{
	struct scenfile f;

	(void)state;
	assert_int_equal(parse("cgroups: [{name: a}, {name: b}]\n", &f), 0);
	assert_int_equal(f.run.steps[0].hold.kind, KTSTR_HOLD_SETTLE_FRAC);
	assert_true(f.run.steps[1].is_end_);
	assert_int_equal(f.duration_ms, 0);
}

#define CG "cgroups:\n  - name: a\n"

/* Line 1 and 2 are CG where it is used. */
static void mistakes_are_told_with_their_line(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "", "f: the file is empty" },
		{ "cgroup: []\n",
		  "f:1: unknown key of a scenario 'cgroup'; did you mean 'cgroups'?" },
		{ "name: x\n", "f:1: a scenario needs cgroups, ops or steps" },
		{ "cgroups: []\nops: []\n", "f:1: a scenario needs cgroups, ops or steps" },
		{ "name: a/b\n" CG, "f:1: the name 'a/b' has a / or \\" },
		{ "workers: 2\nname: a\\b\n" CG, "f:2: the name 'a\\b' has a / or \\" },
		{ "flags:\n  - llc\n  - lcl\n" CG,
		  "f:3: unknown flag: 'lcl'. valid flags: llc, borrow, steal, rebal, reject-pin, no-ctrl" },
		{ "cgroups:\n  - name: a\n    cpu_weight: 0\n",
		  "f:3: cpu_weight must be from 1 to 10000" },
		{ CG "    cpset: 0\n",
		  "f:3: unknown key of a cgroup 'cpset'; did you mean 'cpuset'?" },
		{ CG "    workers: 0\n",
		  "f:3: workers must be a number from 1 to 1000000, not '0'" },
		{ CG "    workers: -1\n",
		  "f:3: workers must be a number from 1 to 1000000, not '-1'" },
		{ CG "    workers: [1]\n",
		  "f:3: workers must be a number from 1 to 1000000, not a list" },
		{ CG "    work: cpuspin\n",
		  "f:3: unknown work 'cpuspin'; did you mean 'CpuSpin'?" },
		{ CG "    work: Custom\n",
		  "f:3: work Custom needs a function: write the test in C" },
		{ CG "    work: {Mixed: {x: 1}}\n", "f:3: work Mixed has no parameters" },
		{ CG "    work: {Bursty: {burst: 1}}\n",
		  "f:3: unknown key of Bursty 'burst'; did you mean 'burst_ms'?" },
		{ CG "    work: {Bursty: {burst_ms: 0}}\n", "f:3: burst_ms of Bursty cannot be 0" },
		{ CG "    work: {Sequence: []}\n", "f:3: a Sequence has 1 to 8 phases, not 0" },
		{ CG "    works:\n      - {work: PipeIo, workers: 3}\n",
		  "f:4: PipeIo requires num_workers divisible by 2, got 3" },
		{ CG "    work: PipeIo\n    workers: 3\n",
		  "f:2: PipeIo requires num_workers divisible by 2, got 3" },
		{ CG "    nice: 20\n", "f:3: nice must be from -20 to 19" },
		{ CG "  - name: b\n  - name: a\n", "f:4: cgroup 'a' is there twice" },
		{ CG "    works: [{workers: 1}]\n    nice: 3\n",
		  "f:4: nice belongs into each of the works" },
		{ CG "    works: [{workers: 1}]\n    workers_share: 0.5\n",
		  "f:4: workers_share belongs into each of the works" },
		{ CG "    uclamp_min: 50\n    uclamp_max: 20\n",
		  "f:2: uclamp_min and uclamp_max are percents with min <= max" },
		{ CG "    uclamp_min: 500\n",
		  "f:2: uclamp_min and uclamp_max are percents with min <= max" },
		{ CG "    cpuset: {llcs: 0}\n",
		  "f:3: unknown key of a cpuset 'llcs'; did you mean 'llc'?" },
		{ CG "    cpuset: {llc: 0, numa: 0}\n",
		  "f:3: a cpuset must have exactly one key, not 2" },
		{ CG "    cpuset: {range: [0.5, 0.5]}\n",
		  "f:3: range must go from a smaller to a larger share, up to 1" },
		{ CG "    cpuset: {range: [nan, 1]}\n",
		  "f:3: item must be a share that is not negative, not 'nan'" },
		{ CG "    cpuset: {disjoint: [2, 2]}\n",
		  "f:3: disjoint counts parts from 0: [0, 2] is the first of two" },
		{ CG "    cpuset: {disjoint: [0, 1e300]}\n",
		  "f:3: disjoint counts parts from 0: [0, 2] is the first of two" },
		{ CG "    cpuset: {overlap: [0, 2, 1.5]}\n",
		  "f:3: overlap is by a share of a part, up to 1" },
		{ CG "    cpuset: x\n",
		  "f:3: cpuset must be a list of CPUs such as 0-3,5, not 'x'" },
		{ CG "    affinity: randm\n",
		  "f:3: unknown affinity 'randm'; did you mean 'random'?" },
		{ CG "    policy: {fifo: 100}\n", "f:3: fifo has priorities from 1 to 99" },
		{ CG "    policy: {deadline: {runtime: 2ms, deadline: 1ms, period: 3ms}}\n",
		  "f:3: deadline wants runtime <= deadline <= period, all given" },
		{ CG "    name: b\n", "f:3: key 'name' is given twice" },
		{ "cgroups:\n  - workers: 2\n", "f:2: a cgroup needs a name" },
		{ "cgroups:\n  - name: ../x\n",
		  "f:2: '../x' is not a cgroup name: write \"a\" or \"a/b\"" },
		{ CG "steps: []\n",
		  "f:3: steps is empty; leave it out for one of the whole duration" },
		{ CG "steps:\n  - name: x\n",
		  "f:4: a step needs a hold: full, 50%, 2s or the like" },
		{ CG "steps:\n  - hold: 0%\n",
		  "f:4: hold must be full, a share such as 50%, settle+50%, a time such as 2s, or "
		  "{ every: 200ms }, not '0%'" },
		{ CG "steps:\n  - hold: {every: 0ms}\n",
		  "f:4: every must be a time such as 100ms, 10s or 1m30s, not '0ms'" },
		{ CG "ops:\n  - swap_cpuset: [a, b]\n",
		  "f:4: unknown operation 'swap_cpuset'; did you mean 'swap_cpusets'?" },
		{ CG "ops:\n  - swap_cpusets: a\n",
		  "f:4: swap_cpusets must be written swap_cpusets: [cgroup, cgroup]" },
		{ CG "ops:\n  - set_cpuset: {cgroup: a}\n", "f:4: set_cpuset needs cpuset" },
		{ "cgroups: [{name: left}]\nops:\n  - freeze_cgroup: leff\n",
		  "f:3: unknown cgroup 'leff'; did you mean 'left'?" },
		{ CG "ops:\n  - set_nice: {cgroup: a, nice: 20}\n",
		  "f:4: nice must be from -20 to 19" },
		{ CG "ops:\n  - set_nice: {cgroup: a}\n", "f:4: set_nice needs nice" },
		{ CG "ops:\n  - set_uclamp: {cgroup: a, min: 50, max: 20}\n",
		  "f:4: set_uclamp wants percents with min <= max" },
		{ "checks: {max_gap: 3}\n" CG,
		  "f:1: unknown key of checks 'max_gap'; did you mean 'max_gap_ms'?" },
		{ "checks: {max_gap_ms: -3}\n" CG, "f:1: max_gap_ms cannot be negative" },
		{ "checks: {max_spread_pct: inf}\n" CG,
		  "f:1: max_spread_pct must be a number, not 'inf'" },
		{ "duration: 5\n" CG,
		  "f:1: duration must be a time such as 100ms, 10s or 1m30s, not '5'" },
		{ "topology: 1,2,3,4\n" CG,
		  "f:1: topology must be written as 1n2l4c1t: NUMA nodes, "
		  "LLCs in total, cores per LLC, threads per core" },
		{ "a: [1\nb: 2\n", "f:2: did not find expected ',' or ']' while parsing a flow "
				   "sequence" },
		{ "a: &x 1\n", "f:1: anchors and aliases are not understood; repeat the text" },
		{ "a: !!str 1\n", "f:1: tags are not understood; leave out what follows the '!'" },
		{ CG "---\n" CG, "f:3: one file holds one scenario: a second document" },
		{ "- a\n", "f:1: a scenario must be a map, not a list" },
		{ "name: \"a\\0b\"\n", "f:1: a NUL has no place in a scenario" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct scenfile f;

		err_clear();
		assert_int_equal(parse(cases[i].text, &f), -EINVAL);
		assert_string_equal(err_text(-EINVAL), cases[i].message);
	}
}

static void deep_nesting_is_refused(void **state)
{
	char text[512] = "cgroups: ";
	struct scenfile f;

	(void)state;
	for (int i = 0; i < 100; i++)
		strcat(text, "[");
	assert_int_equal(parse(text, &f), -EINVAL);
	assert_string_equal(err_text(-EINVAL), "f:1: nested too deeply");
}

static void large_files_are_refused(void **state)
{
	size_t len = (1 << 20) + 1;
	_free_ char *text = malloc(len + 1);
	struct scenfile f;

	(void)state;
	memset(text, ' ', len);
	text[len] = '\0';
	assert_int_equal(scenfile_parse("f", text, len, &arena, &f), -EFBIG);
}

static void rtapp_becomes_cgroups_and_workers(void **state)
{
	static const char text[] =
		"{ \"tasks\": {\n"
		" \"tick\": { \"instance\": 3, \"policy\": \"SCHED_RR\", \"priority\": 7,\n"
		"   \"cpus\": [0, 2], \"loop\": 5,\n"
		"   \"phases\": { \"p\": { \"loop\": 2, \"run\": 100, \"timer\":\n"
		"     { \"ref\": \"t\", \"period\": 1000 } }, \"q\": { \"sleep\": 7 } } },\n"
		" \"one\": { \"taskgroup\": \"/g/h\", \"priority\": -3, \"lock\": \"m\",\n"
		"   \"run0\": 5, \"run_b\": 6, \"unlock\": \"m\", \"resume\": \"go\" },\n"
		" \"two\": { \"taskgroup\": \"/g/h\", \"suspend\": \"go\", \"run\": 1 } },\n"
		" \"global\": { \"duration\": 4 } }\n";
	const struct ktstr_cgroup *c;
	const struct rtapp_task *tick, *one;
	struct scenfile f;

	(void)state;
	assert_int_equal(parse(text, &f), 0);
	assert_int_equal(f.duration_ms, 4000);
	assert_int_equal(f.rtapp->lock_count, 1);
	assert_int_equal(f.rtapp->condition_count, 1);
	c = f.run.backdrop.defs;
	assert_string_equal(c[0].name, "rt-app");
	assert_int_equal(c[0].works[0].workers, 3);
	assert_int_equal(c[0].works[0].sched_policy.kind, KTSTR_POLICY_RR);
	assert_int_equal(c[0].works[0].sched_policy.priority, 7);
	assert_string_equal(c[0].works[0].affinity.cpus, "0,2");
	assert_string_equal(c[0].works[0].comm, "tick");
	assert_int_equal(c[0].works[1].workers, UINT32_MAX);
	tick = c[0].works[0].work_type.arg;
	assert_int_equal(tick->loop, 5);
	assert_int_equal(tick->phase_count, 2);
	assert_int_equal(tick->phases[0].loop, 2);
	assert_int_equal(tick->phases[0].events[1].kind, RTAPP_TIMER);
	assert_int_equal(tick->phases[0].events[1].us, 1000);
	assert_int_equal(tick->phases[1].events[0].kind, RTAPP_SLEEP);
	assert_string_equal(c[1].name, "g/h");
	assert_int_equal(c[1].works[0].nice, -3);
	one = c[1].works[0].work_type.arg;
	assert_int_equal(one->phases[0].count, 5);
	assert_int_equal(one->phases[0].events[2].us, 6);
	assert_int_equal(c[1].works[2].workers, UINT32_MAX);
	assert_null(c[2].name);
	assert_true(f.checks.max_spread_pct == KTSTR_OFF);
}

#define TASK(body) "{ \"tasks\": {\n \"t\": {\n " body " } } }"

static void rtapp_mistakes_are_told(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "{", "f:1: expected a key" },
		{ "{}", "f: no tasks" },
		{ "{ \"resources\": {} }", "f:1: rt-app key 'resources' (file) is not supported" },
		{ "{ \"global\": {\n\"calibration\": 1 } }",
		  "f:2: rt-app key 'calibration' (global) is not supported" },
		{ TASK("\"runtime\": 1"), "f:3: rt-app key 'runtime' (task) is not supported" },
		{ TASK("\"dl-runtime\": 1"),
		  "f:3: rt-app key 'dl-runtime' (task) is not supported" },
		{ TASK("\"phases\": { \"p\": { \"mem\": 1 } }"),
		  "f:3: rt-app key 'mem' (phase) is not supported" },
		{ TASK("\"timer\": { \"ref\": \"a\", \"mode\": \"absolute\" }"),
		  "f:3: rt-app key 'mode' (timer) is not supported" },
		{ TASK("\"timer\": { \"ref\": \"a\" }"), "f:3: a timer needs a ref and a period" },
		{ TASK("\"run\": -1"), "f:3: 'run' must be a number of microseconds" },
		{ TASK("\"loop\": 0"),
		  "f:3: 'loop' must be a number above 0, or -1 for unlimited" },
		{ TASK("\"instance\": 0"), "f:3: 'instance' must be a number from 1 to 4096" },
		{ TASK("\"cpus\": 1"), "f:3: 'cpus' must be an array, not a number" },
		{ TASK("\"cpus\": [-1]"), "f:3: 'cpus' must be a list of CPU numbers" },
		{ TASK("\"priority\": 20, \"run\": 1"),
		  "f: task 't': its priority is a nice value: at most 19" },
		{ TASK("\"policy\": \"SCHED_FIFO\", \"priority\": -1, \"run\": 1"),
		  "f: task 't': its policy has priorities from 1 to 99" },
		{ TASK("\"policy\": \"SCHED_DEADLINE\", \"run\": 1"),
		  "f: task 't': its policy is none of SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, "
		  "SCHED_FIFO, SCHED_RR" },
		{ TASK("\"suspend\": \"x\", \"run\": 1"),
		  "f: a task suspends on 'x', which nothing resumes" },
		{ TASK("\"taskgroup\": \"/..\", \"run\": 1"),
		  "f: task 't': '..' is not a cgroup name: write \"a\" or \"a/b\"" },
		{ TASK("\"loop\": 1"), "f:3: task 't' has no events" },
		{ TASK("\"run\": 1, \"phases\": { \"p\": { \"run\": 1 } }"),
		  "f:3: task 't' has phases and events beside them" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct scenfile f;

		err_clear();
		assert_int_equal(parse(cases[i].text, &f), -EINVAL);
		assert_string_equal(err_text(-EINVAL), cases[i].message);
	}
}

static void taskgroups_inside_each_other_are_refused(void **state)
{
	static const char text[] = "{ \"tasks\": { \"a\": { \"taskgroup\": \"/g\", \"run\": 1 },"
				   "\"b\": { \"taskgroup\": \"/g/h\", \"run\": 1 } } }";
	struct scenfile f;

	(void)state;
	assert_int_equal(parse(text, &f), -EINVAL);
	assert_string_equal(err_text(-EINVAL),
			    "f: task 'a': its taskgroup has another one with tasks below it, which "
			    "cgroup v2 does not allow");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(everything_is_read, finish_arena),
		cmocka_unit_test_teardown(outputs_of_payloads_are_read, finish_arena),
		cmocka_unit_test_teardown(without_steps_there_is_one, finish_arena),
		cmocka_unit_test_teardown(mistakes_are_told_with_their_line, finish_arena),
		cmocka_unit_test_teardown(deep_nesting_is_refused, finish_arena),
		cmocka_unit_test_teardown(large_files_are_refused, finish_arena),
		cmocka_unit_test_teardown(rtapp_becomes_cgroups_and_workers, finish_arena),
		cmocka_unit_test_teardown(rtapp_mistakes_are_told, finish_arena),
		cmocka_unit_test_teardown(taskgroups_inside_each_other_are_refused, finish_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
