// SPDX-License-Identifier: GPL-2.0-only
/* Scenario files: every form of a value and of an operation, and that the file is read on behind it. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "scenfile/rtapp.h"
#include "scenfile/scenfile.h"
#include "scenfile_text.h"

#define CG "cgroups:\n  - name: a\n"

static void expect_message(const char *text, const char *message)
{
	struct scenfile f;
	int rc = parse(text, &f);

	if (rc != -EINVAL)
		fail_msg("'%s' was taken: %d", text, rc);
	if (!strstr(err_text(-EINVAL), message))
		fail_msg("'%s': expected '%s', not '%s'", text, message, err_text(-EINVAL));
}

static void expect_taken(const char *text)
{
	struct scenfile f;
	int rc = parse(text, &f);

	if (rc != 0)
		fail_msg("'%s' was not taken: %d, %s", text, rc, err_text(rc));
}

/* Each alone, and with a mistake behind it: a value that ends the reading would hide the mistake. */
static void cgroups_are_read_on_behind_each_value(void **state)
{
	static const char *const values[] = {
		"cpuset: 0-1",
		"cpuset: {llc: 0}",
		"cpuset: {numa: 0}",
		"cpuset: {range: [0, 0.5]}",
		"cpuset: {disjoint: [0, 2]}",
		"cpuset: {overlap: [0, 2, 0.5]}",
		"cpuset: {cpus: 0-1}",
		"works: [{workers: 2}]",
		"workers: 2",
		"workers_share: 50%",
		"work: Mixed",
		"work: {Sequence: [{spin: 1ms}]}",
		"work: {Bursty: {burst_ms: 7}}",
		"policy: batch",
		"policy: {fifo: 3}",
		"policy: {deadline: {runtime: 1ms, deadline: 2ms, period: 3ms}}",
		"affinity: llc",
		"affinity: {cpus: 0-1}",
		"affinity: {random: {cpus: 0-3, count: 2}}",
		"memory: local",
		"memory: {bind: 0}",
		"memory_flags: [static_nodes]",
		"nice: 3",
		"swappable: on",
		"payload: {program: p}",
		"cpuset_mems: 0-1",
		"cpu_max: max",
		"cpu_weight: 5",
		"memory_max: 1G",
		"memory_high: 1G",
		"pids_max: 5",
		"uclamp_min: 5",
		"uclamp_max: 5",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		_free_ char *good = str_fmt(CG "    %s\n", values[i]);
		_free_ char *bad = str_fmt(CG "    %s\n    zzzzzzzz: 1\n", values[i]);

		expect_taken(good);
		expect_message(bad, "f:4: unknown key of a cgroup 'zzzzzzzz'");
	}
}

static void payloads_are_read_on_behind_each_value(void **state)
{
	static const char *const values[] = {
		"name: x",
		"args: [a]",
		"output: exit",
		"output: text",
		"checks: []",
		"checks: [{exit: 0}]",
		"checks: [{metric: a, min: 1, max: 2}]",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		_free_ char *bad =
			str_fmt(CG "    payload: {program: p, %s, zzzzzzzz: 1}\n", values[i]);

		expect_message(bad, "unknown key of a payload 'zzzzzzzz'");
	}
	expect_message(CG "    payload: {program: p, checks: [{exit: 0}, {min: 1}]}\n",
		       "a check of a program needs a metric, or exit");
}

static void the_whole_is_read_on_behind_each_value(void **state)
{
	static const char *const values[] = {
		"name: x",
		"description: x",
		"duration: 1s",
		"workers: 3",
		"topology: 1n1l2c1t",
		"flags: [llc, steal]",
		"excluded_flags: []",
		"checks: {max_gap_ms: 3, max_spread_pct: 4}",
		"checks: {max_gap_ms: off, max_spread_pct: off}",
		"checks: {not_starved: on}",
		"ops: [restart_scheduler]",
		"ops: []",
		"steps: [{hold: full}]",
	};
	static const char *const holds[] = { "full", "50%", "settle+50%", "2s", "{every: 1s}" };
	static const char *const checks[] = { "max_gap_ms: off", "max_gap_ms: 0",
					      "max_spread_pct: off", "max_spread_pct: 0",
					      "isolation: off" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		_free_ char *good = str_fmt("%s\n" CG, values[i]);
		_free_ char *bad = str_fmt("%s\nzzzzzzzz: 1\n" CG, values[i]);

		expect_taken(good);
		expect_message(bad, "f:2: unknown key of a scenario 'zzzzzzzz'");
	}
	for (size_t i = 0; i < ARRAY_SIZE(holds); i++) {
		_free_ char *bad = str_fmt("steps:\n  - hold: %s\n    zzzzzzzz: 1\n", holds[i]);

		expect_message(bad, "f:3: unknown key of a step 'zzzzzzzz'");
	}
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++) {
		_free_ char *bad = str_fmt("checks: {%s, zzzzzzzz: 1}\n" CG, checks[i]);

		expect_message(bad, "f:1: unknown key of checks 'zzzzzzzz'");
	}
}

/* With the keys that each needs, and no others. */
static void operations_need_their_keys(void **state)
{
	static const struct {
		const char *text;
		int kind;
		const char *lacking, *message; /* or NULL */
	} rows[] = {
		{ "add_cgroup: b", KTSTR_OP_ADD_CGROUP, NULL, NULL },
		{ "remove_cgroup: a", KTSTR_OP_REMOVE_CGROUP, NULL, NULL },
		{ "set_cpuset: {cgroup: a, cpuset: 0}", KTSTR_OP_SET_CPUSET,
		  "set_cpuset: {cpuset: 0}", "set_cpuset needs cgroup" },
		{ "clear_cpuset: a", KTSTR_OP_CLEAR_CPUSET, NULL, NULL },
		{ "swap_cpusets: [a, a]", KTSTR_OP_SWAP_CPUSETS, NULL, NULL },
		{ "spawn: {cgroup: a}", KTSTR_OP_SPAWN, "spawn: {workers: 1}",
		  "spawn needs cgroup" },
		{ "stop_cgroup: a", KTSTR_OP_STOP_CGROUP, NULL, NULL },
		{ "set_affinity: {cgroup: a, affinity: llc}", KTSTR_OP_SET_AFFINITY,
		  "set_affinity: {cgroup: a}", "set_affinity needs affinity" },
		{ "spawn_host: {}", KTSTR_OP_SPAWN_HOST, NULL, NULL },
		{ "move_all_tasks: [a, a]", KTSTR_OP_MOVE_ALL_TASKS, NULL, NULL },
		{ "run_payload: {payload: {program: p}}", KTSTR_OP_RUN_PAYLOAD,
		  "run_payload: {cgroup: a}", "run_payload needs payload" },
		{ "wait_payload: {name: p}", KTSTR_OP_WAIT_PAYLOAD, "wait_payload: {cgroup: a}",
		  "wait_payload needs name" },
		{ "kill_payload: {name: p}", KTSTR_OP_KILL_PAYLOAD, "kill_payload: {cgroup: a}",
		  "kill_payload needs name" },
		{ "add_cgroup_def: {name: c}", KTSTR_OP_ADD_CGROUP_DEF,
		  "add_cgroup_def: {workers: 2}", "a cgroup needs a name" },
		{ "freeze_cgroup: a", KTSTR_OP_FREEZE_CGROUP, NULL, NULL },
		{ "unfreeze_cgroup: a", KTSTR_OP_UNFREEZE_CGROUP, NULL, NULL },
		{ "sigstop_cgroup: a", KTSTR_OP_SIGSTOP_CGROUP, NULL, NULL },
		{ "sigcont_cgroup: a", KTSTR_OP_SIGCONT_CGROUP, NULL, NULL },
		{ "set_policy: {cgroup: a, policy: batch}", KTSTR_OP_SET_POLICY,
		  "set_policy: {cgroup: a}", "set_policy needs policy" },
		{ "set_nice: {cgroup: a, nice: 3}", KTSTR_OP_SET_NICE, "set_nice: {nice: 3}",
		  "set_nice needs cgroup" },
		{ "set_cpu_max: {cgroup: a, max: max}", KTSTR_OP_SET_CPU_MAX,
		  "set_cpu_max: {cgroup: a}", "set_cpu_max needs max" },
		{ "set_cpu_weight: {cgroup: a, weight: 7}", KTSTR_OP_SET_CPU_WEIGHT,
		  "set_cpu_weight: {cgroup: a}", "set_cpu_weight needs weight" },
		{ "set_uclamp: {cgroup: a, min: 7, max: 9}", KTSTR_OP_SET_UCLAMP,
		  "set_uclamp: {cgroup: a, min: 7}", "set_uclamp needs max" },
		{ "cpu_offline: 3", KTSTR_OP_CPU_OFFLINE, NULL, NULL },
		{ "cpu_online: 3", KTSTR_OP_CPU_ONLINE, NULL, NULL },
		{ "core_cookie: a", KTSTR_OP_CORE_COOKIE, NULL, NULL },
		{ "attach_scheduler", KTSTR_OP_ATTACH_SCHEDULER, NULL, NULL },
		{ "detach_scheduler", KTSTR_OP_DETACH_SCHEDULER, NULL, NULL },
		{ "restart_scheduler", KTSTR_OP_RESTART_SCHEDULER, NULL, NULL },
		{ "capture_cgroup_procs: a", KTSTR_OP_CAPTURE_CGROUP_PROCS, NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_free_ char *good = str_fmt(CG "ops:\n  - %s\n", rows[i].text);
		_free_ char *bad = str_fmt(CG "ops:\n  - %s\n  - zzzzzzzz: 1\n", rows[i].text);
		_free_ char *lacking =
			rows[i].lacking ? str_fmt(CG "ops:\n  - %s\n", rows[i].lacking) : NULL;
		struct scenfile f;

		if (parse(good, &f) != 0)
			fail_msg("%s: %s", good, err_text(-EINVAL));
		assert_int_equal(f.run.backdrop.ops[0].kind, rows[i].kind);
		assert_int_equal(f.run.backdrop.ops[1].kind, KTSTR_OP_END);
		expect_message(bad, "f:5: unknown operation 'zzzzzzzz'");
		if (lacking)
			expect_message(lacking, rows[i].message);
	}
}

/* Every operation on a cgroup names one that exists. */
static void operations_on_unknown_cgroups_are_refused(void **state)
{
	static const char *const ops[] = {
		"remove_cgroup: zzzzzzzz",
		"clear_cpuset: zzzzzzzz",
		"stop_cgroup: zzzzzzzz",
		"freeze_cgroup: zzzzzzzz",
		"unfreeze_cgroup: zzzzzzzz",
		"core_cookie: zzzzzzzz",
		"sigstop_cgroup: zzzzzzzz",
		"sigcont_cgroup: zzzzzzzz",
		"capture_cgroup_procs: zzzzzzzz",
		"swap_cpusets: [zzzzzzzz, a]",
		"move_all_tasks: [a, zzzzzzzz]",
		"spawn: {cgroup: zzzzzzzz}",
		"run_payload: {payload: {program: p}, cgroup: zzzzzzzz}",
		"set_uclamp: {cgroup: zzzzzzzz, min: 1, max: 2}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++) {
		_free_ char *text =
			str_fmt("%s%s\n", CG "ops:\n  - restart_scheduler\n  - ", ops[i]);

		expect_message(text, "f:5: unknown cgroup 'zzzzzzzz'; there are: a");
	}
	expect_message("ops: [{add_cgroup: b}, {add_cgroup_def: {name: c}}]\n"
		       "cgroups: [{name: a}, {name: d}]\nsteps:\n"
		       "  - hold: full\n    cgroups: [{name: e}]\n"
		       "  - {hold: full, ops: [{add_cgroup: f}, {freeze_cgroup: zzzzzzzz}]}\n",
		       "f:6: unknown cgroup 'zzzzzzzz'; there are: a, d, b, c, e, f");
}

static void words_of_cgroups_have_their_kinds(void **state)
{
	static const struct {
		const char *word;
		int kind;
	} policies[] = { { "normal", KTSTR_POLICY_NORMAL },  { "batch", KTSTR_POLICY_BATCH },
			 { "idle", KTSTR_POLICY_IDLE },	     { "ext", KTSTR_POLICY_EXT },
			 { "{fifo: 3}", KTSTR_POLICY_FIFO }, { "{rr: 3}", KTSTR_POLICY_RR } },
	  affinities[] = { { "inherit", KTSTR_AFFINITY_INHERIT },
			   { "random", KTSTR_AFFINITY_RANDOM_SUBSET },
			   { "llc", KTSTR_AFFINITY_LLC_ALIGNED },
			   { "cross_cgroup", KTSTR_AFFINITY_CROSS_CGROUP },
			   { "single_cpu", KTSTR_AFFINITY_SINGLE_CPU },
			   { "smt_pair", KTSTR_AFFINITY_SMT_SIBLING_PAIR },
			   { "{cpus: 0-1}", KTSTR_AFFINITY_EXACT },
			   { "{random: {count: 2}}", KTSTR_AFFINITY_RANDOM_SUBSET } },
	  memories[] = { { "default", KTSTR_MEM_DEFAULT },
			 { "local", KTSTR_MEM_LOCAL },
			 { "{preferred: 0}", KTSTR_MEM_PREFERRED },
			 { "{interleave: 0}", KTSTR_MEM_INTERLEAVE },
			 { "{preferred_many: 0}", KTSTR_MEM_PREFERRED_MANY },
			 { "{weighted_interleave: 0}", KTSTR_MEM_WEIGHTED_INTERLEAVE } },
	  cpusets[] = { { "0-1", KTSTR_CPUSET_EXACT },
			{ "{cpus: 0-1}", KTSTR_CPUSET_EXACT },
			{ "{range: [0, 1]}", KTSTR_CPUSET_RANGE } };
	struct scenfile f;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(policies); i++) {
		_free_ char *text = str_fmt(CG "    policy: %s\n", policies[i].word);

		assert_int_equal(parse(text, &f), 0);
		assert_int_equal(f.run.backdrop.defs[0].sched_policy.kind, policies[i].kind);
	}
	for (size_t i = 0; i < ARRAY_SIZE(affinities); i++) {
		_free_ char *text = str_fmt(CG "    affinity: %s\n", affinities[i].word);

		assert_int_equal(parse(text, &f), 0);
		assert_int_equal(f.run.backdrop.defs[0].affinity.kind, affinities[i].kind);
	}
	for (size_t i = 0; i < ARRAY_SIZE(memories); i++) {
		_free_ char *text = str_fmt(CG "    memory: %s\n", memories[i].word);

		assert_int_equal(parse(text, &f), 0);
		assert_int_equal(f.run.backdrop.defs[0].mem_policy.kind, memories[i].kind);
	}
	for (size_t i = 0; i < ARRAY_SIZE(cpusets); i++) {
		_free_ char *text = str_fmt(CG "    cpuset: %s\n", cpusets[i].word);

		assert_int_equal(parse(text, &f), 0);
		assert_int_equal(f.run.backdrop.defs[0].cpuset.kind, cpusets[i].kind);
	}
}

/* 0 stands for the default, so it can only be said where it is the default. */
static void parameters_are_zero_only_by_default(void **state)
{
	const struct ktstr_work_type *type;
	struct scenfile f;

	(void)state;
	expect_taken(CG "    work: {PriorityInversion: {hold_iters: 1, use_pi: 0}}\n");
	expect_message(CG "    work: {PriorityInversion: {use_pi: 0, work_iters: 0}}\n",
		       "f:3: work_iters of PriorityInversion cannot be 0");
	expect_message(CG "    work: {Bursty: {burst_ms: 0}}\n",
		       "f:3: burst_ms of Bursty cannot be 0");
	expect_taken(CG "    work: {PipeIo: {burst_iters: 3}}\n");
	/* As many parameters as there can be; behind them there is none. */
	assert_int_equal(parse(CG "    work: {FanOutCompute: {fan_out: 2, cache_footprint_kb: 3, "
				  "operations: 4, sleep_usec: 5}}\n",
			       &f),
			 0);
	type = &f.run.backdrop.defs[0].work_type;
	for (uint64_t i = 0; i < 4; i++)
		assert_int_equal(type->args[i], i + 2);
	expect_message(CG "    work: {FanOutCompute: {zzzzzzzz: 2}}\n",
		       "unknown key of FanOutCompute 'zzzzzzzz'; there are: fan_out, "
		       "cache_footprint_kb, operations, sleep_usec");
	expect_message(CG "    work: zzzzzzzz\n", "f:3: unknown work 'zzzzzzzz'; there are: ");
}

static void works_are_read_with_all_their_keys(void **state)
{
	static const char *const values[] = { "workers: 2",    "work: Mixed",
					      "policy: batch", "affinity: llc",
					      "memory: local", "memory_flags: [static_nodes]",
					      "nice: 3",       "comm: x",
					      "uclamp_min: 3", "uclamp_max: 3" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		_free_ char *bad =
			str_fmt(CG "    works:\n      - %s\n        zzzzzzzz: 1\n", values[i]);
		const char *colon = strchr(values[i], ':');
		_free_ char *beside = str_fmt(CG "    %s\n    works: [{workers: 1}]\n", values[i]);
		_free_ char *refused = str_fmt("f:3: %.*s belongs into each of the works",
					       (int)(colon - values[i]), values[i]);

		expect_message(bad, "f:5: unknown key of a work 'zzzzzzzz'");
		if (!strncmp(values[i], "comm", 4))
			continue;
		if (strncmp(values[i], "uclamp", 6))
			expect_message(beside, refused);
		else
			expect_taken(beside);
	}
	expect_message(CG "    works: [{workers: 1}, {workers: x}]\n",
		       "f:3: workers must be a number");
}

static void checks_that_contradict_each_other_are_refused(void **state)
{
	(void)state;
	expect_message("checks: {min_page_locality: 1.5}\n" CG, "f:1: ");
}

static void no_two_cgroups_have_the_same_name(void **state)
{
	(void)state;
	expect_message(CG "  - name: b\n  - name: c\n  - name: b\n",
		       "f:5: cgroup 'b' is there twice");
}

static void topologies_have_to_be_possible(void **state)
{
	struct scenfile f;

	(void)state;
	expect_message("topology: 2n1l1c1t\n" CG, "f:1: ");
	assert_int_equal(parse("topology: 2n4l3c2t\n" CG, &f), 0);
	assert_int_equal(f.topology.numa_nodes, 2);
	assert_int_equal(f.topology.llcs, 4);
	assert_int_equal(f.topology.cores, 3);
	assert_int_equal(f.topology.threads, 2);
}

/* ---- rt-app ---- */

static void tasks_are_read_on_behind_each_key(void **state)
{
	static const char *const keys[] = {
		"\"run\": 1",
		"\"sleep\": 1",
		"\"timer\": { \"ref\": \"x\", \"period\": 1 }",
		("\"timer\": { \"ref\": \"x\", \"period\": 1 }, \"timer1\": { \"ref\": \"x\", "
		 "\"period\": 1 }"),
		"\"suspend\": \"x\"",
		"\"resume\": \"x\"",
		"\"lock\": \"x\"",
		"\"lock\": \"x\", \"unlock\": \"x\"",
		"\"instance\": 3",
		"\"loop\": 3",
		"\"priority\": 3",
		"\"policy\": \"SCHED_RR\"",
		"\"cpus\": [0, 1]",
		"\"taskgroup\": \"/x\"",
		"\"phases\": { \"p\": { \"loop\": 2, \"run\": 1 } }",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		_free_ char *in_task =
			str_fmt("{ \"tasks\": { \"t\": { %s, \"zzzzzzzz\": 1 } } }", keys[i]);
		_free_ char *behind = str_fmt("{ \"tasks\": { \"t\": { \"run0\": 1, %s }, \"u\": { "
					      "\"zzzzzzzz\": 1 } } }",
					      keys[i]);

		expect_message(in_task, "f:1: rt-app key 'zzzzzzzz' (task) is not supported");
		if (!strstr(keys[i], "phases"))
			expect_message(behind,
				       "f:1: rt-app key 'zzzzzzzz' (task) is not supported");
	}
	expect_message("{ \"tasks\": { \"t\": { \"phases\": { \"p\": { \"run\": 1 }, \"q\": { "
		       "\"loop\": -1, \"zzzzzzzz\": 1 } } } } }",
		       "f:1: rt-app key 'zzzzzzzz' (phase) is not supported");
	expect_message(
		"{ \"tasks\": { \"t\": { \"timer\": { \"ref\": \"a\", \"zzzzzzzz\": 1 } } } }",
		"f:1: rt-app key 'zzzzzzzz' (timer) is not supported");
	expect_message("{ \"global\": { \"duration\": -1, \"zzzzzzzz\": 1 } }",
		       "f:1: rt-app key 'zzzzzzzz' (global) is not supported");
	expect_message("{ \"global\": { \"duration\": 5 }, \"zzzzzzzz\": 1 }",
		       "f:1: rt-app key 'zzzzzzzz' (file) is not supported");
	expect_message("{ \"tasks\": { \"t\": { \"run\": 1 } }, \"zzzzzzzz\": 1 }",
		       "f:1: rt-app key 'zzzzzzzz' (file) is not supported");
}

/* Each condition by itself, however many there are. */
static void each_condition_is_resumed_by_somebody(void **state)
{
	(void)state;
	expect_message("{ \"tasks\": { \"t\": { \"resume\": \"a\", \"suspend\": \"b\" } } }",
		       "f: a task suspends on 'b', which nothing resumes");
	expect_message("{ \"tasks\": { \"t\": { \"suspend\": \"a\", \"suspend1\": \"b\", "
		       "\"resume\": \"a\", \"resume1\": \"c\" } } }",
		       "f: a task suspends on 'b', which nothing resumes");
	expect_taken("{ \"tasks\": { \"t\": { \"suspend\": \"a\", \"suspend1\": \"b\", "
		     "\"resume\": \"b\", \"resume1\": \"a\" } } }");
}

static void policies_of_tasks_have_their_kinds(void **state)
{
	static const struct {
		const char *name;
		int kind, priority, nice;
	} rows[] = { { "SCHED_OTHER", KTSTR_POLICY_NORMAL, 0, 5 },
		     { "SCHED_BATCH", KTSTR_POLICY_BATCH, 0, 5 },
		     { "SCHED_IDLE", KTSTR_POLICY_IDLE, 0, 5 },
		     { "SCHED_FIFO", KTSTR_POLICY_FIFO, 5, 0 },
		     { "SCHED_RR", KTSTR_POLICY_RR, 5, 0 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_free_ char *text = str_fmt("{ \"tasks\": { \"t\": { \"policy\": \"%s\", "
					    "\"priority\": 5, \"run\": 1 } } }",
					    rows[i].name);
		const struct ktstr_work *work;
		struct scenfile f;

		assert_int_equal(parse(text, &f), 0);
		work = f.run.backdrop.defs[0].works;
		assert_int_equal(work->sched_policy.kind, rows[i].kind);
		assert_int_equal(work->sched_policy.priority, rows[i].priority);
		assert_int_equal(work->nice, rows[i].nice);
	}
}

/* Groups in the order of their first tasks, and tasks in the order of the file. */
static void tasks_of_a_group_are_together(void **state)
{
	const struct ktstr_cgroup *c;
	struct scenfile f;

	(void)state;
	assert_int_equal(parse("{ \"tasks\": { \"a\": { \"taskgroup\": \"//x\", \"run\": 1 },"
			       "\"b\": { \"run\": 1 },"
			       "\"c\": { \"taskgroup\": \"x\", \"run\": 1, \"cpus\": [3] } } }",
			       &f),
			 0);
	c = f.run.backdrop.defs;
	assert_string_equal(c[0].name, "x");
	assert_string_equal(c[0].works[0].comm, "a");
	assert_null(c[0].works[0].affinity.cpus);
	assert_string_equal(c[0].works[1].comm, "c");
	assert_string_equal(c[0].works[1].affinity.cpus, "3");
	assert_int_equal(c[0].works[2].workers, UINT32_MAX);
	assert_string_equal(c[1].name, "rt-app");
	assert_string_equal(c[1].works[0].comm, "b");
	assert_int_equal(c[1].works[1].workers, UINT32_MAX);
	assert_null(c[2].name);
}

#define PARSED(f) cmocka_unit_test_teardown(f, finish_arena)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PARSED(cgroups_are_read_on_behind_each_value),
		PARSED(payloads_are_read_on_behind_each_value),
		PARSED(the_whole_is_read_on_behind_each_value),
		PARSED(operations_need_their_keys),
		PARSED(operations_on_unknown_cgroups_are_refused),
		PARSED(words_of_cgroups_have_their_kinds),
		PARSED(parameters_are_zero_only_by_default),
		PARSED(works_are_read_with_all_their_keys),
		PARSED(checks_that_contradict_each_other_are_refused),
		PARSED(no_two_cgroups_have_the_same_name),
		PARSED(topologies_have_to_be_possible),
		PARSED(tasks_are_read_on_behind_each_key),
		PARSED(each_condition_is_resumed_by_somebody),
		PARSED(policies_of_tasks_have_their_kinds),
		PARSED(tasks_of_a_group_are_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
