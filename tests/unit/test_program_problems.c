// SPDX-License-Identifier: GPL-2.0-only
/* Declarations that make no sense: each is told in a sentence, and its neighbours are not. */
#include <errno.h>
#include <math.h>

#include "check/check.h"
#include "program/parts.h"
#include "unit.h"

static int body(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	(void)ctx;
	(void)res;
	return 0;
}

static int look(const struct ktstr_snapshots *all, struct ktstr_result *res)
{
	(void)all;
	(void)res;
	return 0;
}

static void expect(const struct problems *p, const char *expected)
{
	_str_ struct str all = {};

	for (size_t i = 0; i < p->sentences.count; i++)
		str_addf(&all, "%s%s", i ? " | " : "", p->sentences.items[i]);
	assert_string_equal(str_get(&all), expected);
}

static void expect_of_test(struct ktstr_test t, const char *expected)
{
	struct problems p = {};

	problems_of_test(&p, &t);
	expect(&p, expected);
	problems_finish(&p);
	assert_int_equal(p.sentences.count, 0);
}

static void expect_of_sched(struct ktstr_sched s, const char *expected)
{
	struct problems p = {};

	problems_of_sched(&p, &s);
	expect(&p, expected);
	problems_finish(&p);
}

#define TEST(...) ((struct ktstr_test){ .name = "t", .run = body __VA_OPT__(, ) __VA_ARGS__ })
#define SCHED(...) ((struct ktstr_sched){ .name = "s", .binary = "b" __VA_OPT__(, ) __VA_ARGS__ })

static const struct ktstr_sched sched = {
	.name = "s",
	.binary = "b",
	.flags = KTSTR_FLAGS({ .name = "a" }, { .name = "b", .requires_flags = KTSTR_ARGS("a") },
			     { .name = "c", .requires_flags = KTSTR_ARGS("x", "b") },
			     { .name = "x" }),
};

/* ---- tests ---- */

static void names_and_bodies(void **state)
{
	(void)state;
	expect_of_test(TEST(), "");
	expect_of_test((struct ktstr_test){ .run = body }, "name: it is empty");
	expect_of_test((struct ktstr_test){ .name = "", .run = body }, "name: it is empty");
	expect_of_test((struct ktstr_test){ .name = "x/y", .run = body },
		       "name: '/' and '\\' cannot be part of it");
	expect_of_test((struct ktstr_test){ .name = "\\" },
		       "name: '/' and '\\' cannot be part of it | run: there is no body");
	expect_of_test(TEST(.assert = { .max_spread_pct = NAN }),
		       "assert.max_spread_pct: nan is not a finite number");
}

static void nodes_of_a_test(void **state)
{
	struct ktstr_node many[WORKER_MAX_NODES + 2] = {};

	(void)state;
	expect_of_test(TEST(.nodes = KTSTR_NODES({ 1, 64 }, { 0, 32 })), "");
	expect_of_test(TEST(.nodes = KTSTR_NODES({ 1, 64 }), .numa_nodes = 1),
		       "nodes: determine numa_nodes and llcs; give one or the "
		       "other");
	expect_of_test(TEST(.nodes = KTSTR_NODES({ 1, 64 }), .llcs = 1),
		       "nodes: determine numa_nodes and llcs; give one or the "
		       "other");
	expect_of_test(TEST(.nodes = KTSTR_NODES({ 1, 64 }), .memory_mib = 64),
		       "memory_mib: each of the nodes sets its own memory");
	expect_of_test(TEST(.memory_mib = 64), "");
	expect_of_test(TEST(.nodes = KTSTR_NODES({ 1, 64 }, { 1, 0 }, { 1, 64 })),
		       "nodes: node 1 has no memory_mib");
	expect_of_test(TEST(.nodes = KTSTR_NODES({ 0, 64 })), "nodes: none of them has an LLC");
	expect_of_test(TEST(.nodes = (const struct ktstr_node[]){ { .llcs = UINT32_MAX } }),
		       "nodes: 0 of them; 1 to 64 are possible");
	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = (struct ktstr_node){ 1, 64 };
	many[WORKER_MAX_NODES].llcs = UINT32_MAX;
	expect_of_test(TEST(.nodes = many, .cores = 1), "");
	many[WORKER_MAX_NODES].llcs = 1;
	many[WORKER_MAX_NODES + 1].llcs = UINT32_MAX;
	expect_of_test(TEST(.nodes = many, .cores = 1),
		       "nodes: 65 of them; 1 to 64 are possible | "
		       "numa_nodes: 65 of them; 1 to 64 are possible");
}

static void expect_distances(const uint8_t *distances, uint32_t nodes, const char *expected)
{
	expect_of_test(TEST(.numa_nodes = nodes, .llcs = nodes, .distances = distances), expected);
}

static void distances_of_nodes(void **state)
{
	(void)state;
	expect_distances((const uint8_t[]){ 10, 11, 11, 10 }, 2, "");
	expect_distances((const uint8_t[]){ 11, 20, 20, 10 }, 2,
			 "distances: node 0 to itself is 11, not 10");
	expect_distances((const uint8_t[]){ 10, 20, 20, 9 }, 2,
			 "distances: node 1 to itself is 9, not 10");
	expect_distances((const uint8_t[]){ 10, 10, 10, 10 }, 2,
			 "distances: node 0 to node 1 is 10, not above 10");
	expect_distances((const uint8_t[]){ 10, 20, 21, 10 }, 2,
			 "distances: node 0 to node 1 is 20, but back 21");
	expect_distances((const uint8_t[]){ 10, 20, 30, 20, 10, 40, 30, 40, 10 }, 3, "");
	expect_distances((const uint8_t[]){ 10, 20, 30, 20, 10, 40, 30, 41, 12 }, 3,
			 "distances: node 1 to node 2 is 40, but back 41 | "
			 "distances: node 2 to itself is 12, not 10");
}

static void sizes_of_machines(void **state)
{
	(void)state;
	expect_of_test(TEST(.numa_nodes = 2, .llcs = 4), "");
	expect_of_test(TEST(.numa_nodes = 2, .llcs = 3),
		       "llcs: 3 LLCs cannot be spread evenly over 2 NUMA nodes");
	expect_of_test(TEST(.numa_nodes = 64, .llcs = 64), "");
	expect_of_test(TEST(.numa_nodes = 65, .llcs = 65),
		       "numa_nodes: 65 of them; 1 to 64 are possible");
	expect_of_test(TEST(.cores = 1024), "");
	expect_of_test(TEST(.cores = 512, .threads = 2), "");
	expect_of_test(TEST(.llcs = 4, .cores = 128, .threads = 2), "");
	expect_of_test(TEST(.cores = 1025),
		       "llcs, cores, threads: 1 x 1025 x 1 is more than 1024 CPUs");
	expect_of_test(TEST(.llcs = 4, .cores = 129, .threads = 2),
		       "llcs, cores, threads: 4 x 129 x 2 is more than 1024 CPUs");
	expect_of_test(TEST(.cores = 2, .requires_even_cpus = true), "");
	expect_of_test(TEST(.cores = 3), "");
	expect_of_test(TEST(.cores = 3, .threads = 2, .requires_even_cpus = true), "");
	expect_of_test(TEST(.llcs = 2, .cores = 3, .requires_even_cpus = true), "");
	expect_of_test(TEST(.llcs = 3, .cores = 3, .requires_even_cpus = true),
		       "requires_even_cpus: the topology has 9");
}

static void times_and_numbers(void **state)
{
	(void)state;
	expect_of_test(TEST(.duration_s = 86400, .workers_per_cgroup = 100000), "");
	expect_of_test(TEST(.duration_ms = 86400000), "");
	expect_of_test(TEST(.duration_s = 86401), "duration_s: 86401 s is more than a day");
	expect_of_test(TEST(.duration_ms = 86400001), "duration_s: 86400 s is more than a day");
	expect_of_test(TEST(.duration_s = 1, .duration_ms = 1),
		       "duration_s and duration_ms exclude each other");
	expect_of_test(TEST(.workers_per_cgroup = 100001),
		       "workers_per_cgroup: 100001 is more than 100000");
}

static void modes_of_a_test(void **state)
{
	static const char *const accels[] = { "kvm", "tcg", "sim" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(accels); i++)
		expect_of_test(TEST(.accel = accels[i]), "");
	expect_of_test(TEST(.accel = "x"), "accel: 'x' is none of kvm, tcg, sim");
	expect_of_test(TEST(.performance_mode = true), "");
	expect_of_test(TEST(.no_perf_mode = true, .cpu_budget = 1), "");
	expect_of_test(TEST(.performance_mode = true, .no_perf_mode = true),
		       "performance_mode and no_perf_mode exclude each other");
	expect_of_test(TEST(.performance_mode = true, .cpu_budget = 1),
		       "performance_mode and cpu_budget exclude each other");
	expect_of_test(TEST(.auto_repro = KTSTR_ON), "");
	expect_of_test(TEST(.auto_repro = KTSTR_OFF), "");
	expect_of_test(TEST(.auto_repro = 7), "auto_repro: 7 is neither KTSTR_ON nor KTSTR_OFF");
	expect_of_test(TEST(.strategy = "random"), "");
	expect_of_test(TEST(.strategy = "walk"), "");
	expect_of_test(TEST(.strategy = "x"), "strategy: 'x' is neither random nor walk");
	expect_of_test(TEST(.scheduler = &sched, .versus = KTSTR_EEVDF), "");
	expect_of_test(TEST(.versus = KTSTR_EEVDF),
		       "versus: there is no scheduler to compare with");
	expect_of_test(TEST(.scheduler = &sched, .versus = (enum ktstr_versus)9),
		       "versus: 9 is not KTSTR_EEVDF");
	expect_of_test(TEST(.host_only = true), "");
	expect_of_test(TEST(.host_only = true, .scheduler = &sched),
		       "host_only: nothing starts a scheduler on the host");
}

static void snapshots_of_a_test(void **state)
{
	(void)state;
	expect_of_test(TEST(.scheduler = &sched, .num_snapshots = 15), "");
	expect_of_test(TEST(.scheduler = &sched, .num_snapshots = 16),
		       "num_snapshots: 16 in 2000 ms are 94 ms apart; 100 ms is the least");
	expect_of_test(TEST(.scheduler = &sched, .num_snapshots = 64, .duration_s = 100), "");
	expect_of_test(TEST(.scheduler = &sched, .num_snapshots = 65, .duration_s = 100),
		       "num_snapshots: 65 is more than 64");
	expect_of_test(TEST(.num_snapshots = 1),
		       "num_snapshots: snapshots are of a scheduler, and the test has none");
	expect_of_test(TEST(.scheduler = &sched, .post_vm = look, .post_vm_unconditional = look),
		       "");
	expect_of_test(TEST(.post_vm = look),
		       "post_vm: snapshots are of a scheduler, and the test has none");
	expect_of_test(TEST(.post_vm_unconditional = look),
		       "post_vm_unconditional: snapshots are of a scheduler, and the test has "
		       "none");
	expect_of_test(TEST(.scheduler = &sched, .watch_snapshots = KTSTR_ARGS("a", "b", "c")), "");
	expect_of_test(TEST(.scheduler = &sched, .watch_snapshots = KTSTR_ARGS("a", "", "c", "d")),
		       "watch_snapshots: a name is empty | "
		       "watch_snapshots: 4 names are more than 3");
	expect_of_test(TEST(.watch_snapshots = KTSTR_ARGS("a")),
		       "watch_snapshots: snapshots are of a scheduler, and the test has none");
}

static void writes_of_a_test(void **state)
{
	static const char *const bad[] = { "x", "=1", "x=", "x=y", "x=1=" };
	const char *many[TEST_MAX_WRITES + 2] = {};

	(void)state;
	expect_of_test(TEST(.scheduler = &sched, .bpf_map_write = KTSTR_ARGS("x=1", "a=b=0")), "");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		_free_ char *expected =
			str_fmt("bpf_map_write: '%s' is not VARIABLE=NUMBER", bad[i]);

		expect_of_test(TEST(.scheduler = &sched,
				    .bpf_map_write = KTSTR_ARGS("x=1", bad[i])),
			       expected);
	}
	for (size_t i = 0; i < TEST_MAX_WRITES; i++)
		many[i] = "x=1";
	expect_of_test(TEST(.scheduler = &sched, .bpf_map_write = many), "");
	many[TEST_MAX_WRITES] = "x=1";
	expect_of_test(TEST(.scheduler = &sched, .bpf_map_write = many),
		       "bpf_map_write: 17 are more than 16");
	expect_of_test(TEST(.bpf_map_write = KTSTR_ARGS("x=1")),
		       "bpf_map_write: the test has no scheduler whose variables could be written");
}

static void regressions_of_a_test(void **state)
{
	(void)state;
	expect_of_test(TEST(.perf_delta_assertions = KTSTR_PERF_DELTA(
				    { .metric = "m" },
				    { .metric = "n", .direction = KTSTR_HIGHER_BETTER },
				    { .metric = "o", .direction = KTSTR_LOWER_BETTER })),
		       "");
	expect_of_test(TEST(.perf_delta_assertions = KTSTR_PERF_DELTA(
				    { .metric = "m", .max_regression_percent = -1 },
				    { .metric = "n", .max_regression_percent = INFINITY },
				    { .metric = "o", .min_abs = -1 },
				    { .metric = "p", .min_abs = INFINITY },
				    { .metric = "q", .direction = KTSTR_TARGET })),
		       "perf_delta_assertions: m may not get worse by -1 % | "
		       "perf_delta_assertions: n may not get worse by inf % | "
		       "perf_delta_assertions: min_abs of o is -1 | "
		       "perf_delta_assertions: min_abs of p is inf | "
		       "perf_delta_assertions: direction 3 of q is neither KTSTR_HIGHER_BETTER nor "
		       "KTSTR_LOWER_BETTER");
}

static void errors_that_are_expected(void **state)
{
	static const char *const vacuous[] = { "", ".", ".*", ".+", "^", "$", "^.*$" };

	(void)state;
	expect_of_test(TEST(.expect_err = true, .expect_scx_bpf_error_contains = "x",
			    .expect_scx_bpf_error_matches = "y"),
		       "");
	expect_of_test(TEST(.expect_scx_bpf_error_contains = "x"),
		       "expect_scx_bpf_error_contains needs expect_err");
	expect_of_test(TEST(.expect_scx_bpf_error_matches = "x"),
		       "expect_scx_bpf_error_matches needs expect_err");
	expect_of_test(TEST(.expect_err = true, .expect_scx_bpf_error_contains = ""),
		       "expect_scx_bpf_error_contains: an empty text is in every error");
	for (size_t i = 0; i < ARRAY_SIZE(vacuous); i++) {
		_free_ char *expected = str_fmt(
			"expect_scx_bpf_error_matches: '%s' matches every error", vacuous[i]);

		expect_of_test(TEST(.expect_err = true, .expect_scx_bpf_error_matches = vacuous[i]),
			       expected);
	}
}

static void cpus_that_are_offline(void **state)
{
	(void)state;
	expect_of_test(TEST(.offline_cpus = "1"), "");
	expect_of_test(TEST(.offline_cpus = "0"), "offline_cpus: CPU 0 has to stay");
	expect_of_test(TEST(.offline_cpus = "1-2"),
		       "offline_cpus: there is no CPU 2, the last one is CPU 1");
	expect_of_test(TEST(.llcs = 2, .threads = 2, .offline_cpus = "1,7"), "");
	expect_of_test(TEST(.llcs = 2, .threads = 2, .offline_cpus = "8"),
		       "offline_cpus: there is no CPU 8, the last one is CPU 7");
	expect_of_test(TEST(.offline_cpus = "x"),
		       "offline_cpus: 'x' is not a list of CPUs such as 1-3,5");
	expect_of_test(TEST(.offline_cpus = ""),
		       "offline_cpus: '' is not a list of CPUs such as 1-3,5");
	expect_of_test(TEST(.offline_cpus = "1", .host_only = true),
		       "offline_cpus: not on the host");
}

static void payloads_of_a_test(void **state)
{
	static const struct ktstr_payload one = { .binary = "one" },
					  same = { .binary = "x", .name = "one" };
	static const struct ktstr_payload none = {}, empty = { .binary = "" };
	const struct ktstr_payload two = {
		.binary = "two",
		.metrics = KTSTR_METRICS(
			{ .name = "a", .target = INFINITY }, { .name = "b" }, { .name = "a" },
			{ .name = "c", .polarity = KTSTR_TARGET, .target = INFINITY },
			{ .name = "d", .polarity = KTSTR_TARGET, .target = 1 }),
	};
#define LIST(...) ((const struct ktstr_payload *const[]){ __VA_ARGS__, NULL })

	(void)state;
	expect_of_test(TEST(.payload = &one, .workloads = LIST(&ktstr_fio, &ktstr_schbench)), "");
	expect_of_test(TEST(.payload = &none), "payload: a payload without a binary");
	expect_of_test(TEST(.workloads = LIST(&one, &empty)),
		       "workloads: a payload without a binary");
	expect_of_test(TEST(.payload = &two),
		       "payload 'two': metric 'a' is declared twice | "
		       "payload 'two': the target of metric 'c' is not finite");
	expect_of_test(TEST(.payload = &one, .workloads = LIST(&ktstr_fio, &same)),
		       "workloads: 'one' is also the payload");
	expect_of_test(TEST(.payload = &one, .workloads = LIST(&one)),
		       "workloads: 'one' is also the payload");
	expect_of_test(TEST(.workloads = LIST(&one, &ktstr_fio, &same)),
		       "workloads: 'one' is there twice");
	expect_of_test(TEST(.payload = &none, .workloads = LIST(&empty)),
		       "payload: a payload without a binary | "
		       "workloads: a payload without a binary");
}

static void constraints_of_machines(void **state)
{
	(void)state;
	expect_of_test(TEST(.min_llcs = 12, .min_cpus = 192), "");
	expect_of_test(TEST(.min_numa_nodes = 2), "min_numa_nodes 2 is above max_numa_nodes 1");
	expect_of_test(TEST(.min_llcs = 13, .min_cpus = 193),
		       "min_llcs 13 is above max_llcs 12 | min_cpus 193 is above max_cpus 192");
	expect_of_test(TEST(.min_cpus = 3, .max_cpus = 3, .requires_even_cpus = true),
		       "requires_even_cpus: min_cpus and max_cpus are both 3");
	expect_of_test(TEST(.min_cpus = 4, .max_cpus = 4, .requires_even_cpus = true), "");
	expect_of_test(TEST(.min_cpus = 3, .max_cpus = 5, .requires_even_cpus = true), "");
	expect_of_test(TEST(.min_cpus = 3, .max_cpus = 3), "");
}

static void flags_of_a_test(void **state)
{
	static const struct ktstr_sched bare = { .name = "bare", .binary = "b" };
	const struct ktstr_sched circle = {
		.flags = KTSTR_FLAGS({ .name = "a", .requires_flags = KTSTR_ARGS("b") },
				     { .name = "b", .requires_flags = KTSTR_ARGS("a") })
	};

	(void)state;
	expect_of_test(TEST(.scheduler = &circle, .required_flags = KTSTR_ARGS("a")), "");
	expect_of_test(TEST(.scheduler = &sched, .required_flags = KTSTR_ARGS("b", "c"),
			    .excluded_flags = KTSTR_ARGS()),
		       "");
	expect_of_test(TEST(.scheduler = &sched, .required_flags = KTSTR_ARGS("a"),
			    .excluded_flags = KTSTR_ARGS("c", "b")),
		       "");
	expect_of_test(TEST(.required_flags = KTSTR_ARGS("a")),
		       "required_flags: 'a', but scheduler 'eevdf' has no flags");
	expect_of_test(TEST(.scheduler = &bare, .excluded_flags = KTSTR_ARGS("a")),
		       "excluded_flags: 'a', but scheduler 'bare' has no flags");
	expect_of_test(TEST(.scheduler = &sched, .required_flags = KTSTR_ARGS("a", "z")),
		       "required_flags: unknown flag 'z'. Scheduler 's' has: a, b, c, x");
	expect_of_test(TEST(.scheduler = &sched, .required_flags = KTSTR_ARGS("x", "a"),
			    .excluded_flags = KTSTR_ARGS("b", "a")),
		       "flag 'a' is both in required_flags and in excluded_flags");
	/* What it requires may require others. */
	expect_of_test(TEST(.scheduler = &sched, .required_flags = KTSTR_ARGS("c"),
			    .excluded_flags = KTSTR_ARGS("a")),
		       "required_flags: 'c' requires 'a', which excluded_flags excludes: no "
		       "profile is left");
}

/* ---- schedulers ---- */

static void sources_of_a_scheduler(void **state)
{
	static const char count[] =
		"binary: give exactly one of binary, binary_path and kernel_builtin_enable, not ";
	_free_ char *zero = str_fmt("%s0", count), *two = str_fmt("%s2", count);
	_free_ char *three = str_fmt("%s3", count);

	(void)state;
	expect_of_sched(SCHED(), "");
	expect_of_sched((struct ktstr_sched){ .binary = "b" }, "name: it has none");
	expect_of_sched((struct ktstr_sched){ .name = "", .binary = "b" }, "name: it has none");
	expect_of_sched((struct ktstr_sched){ .name = "a\\b", .binary = "b" },
			"name: '/' and '\\' cannot be part of it");
	expect_of_sched((struct ktstr_sched){ .name = "s" }, zero);
	expect_of_sched(SCHED(.binary_path = "/b"), two);
	expect_of_sched((struct ktstr_sched){ .name = "s", .binary_path = "/b" }, "");
	expect_of_sched(SCHED(.binary_path = "/b", .kernel_builtin_enable = "e",
			      .kernel_builtin_disable = "d"),
			three);
	expect_of_sched((struct ktstr_sched){ .name = "s",
					      .kernel_builtin_enable = "e",
					      .kernel_builtin_disable = "d" },
			"");
	expect_of_sched((struct ktstr_sched){ .name = "s", .kernel_builtin_enable = "e" },
			"kernel_builtin_enable and kernel_builtin_disable need each other");
	expect_of_sched((struct ktstr_sched){ .name = "s", .kernel_builtin_disable = "d" },
			"kernel_builtin_enable and kernel_builtin_disable need each other");
	expect_of_sched((struct ktstr_sched){ .name = "s", .binary = "" }, "binary: it is empty");
	expect_of_sched((struct ktstr_sched){ .name = "s", .binary_path = "" },
			"binary: it is empty");
	expect_of_sched((struct ktstr_sched){ .name = "s", .binary = "a/b" },
			"binary: 'a/b' is a path: that is binary_path");
	expect_of_sched(SCHED(.assert = { .max_spread_pct = NAN },
			      .constraints = { .min_llcs = 13 }),
			"min_llcs 13 is above max_llcs 12 | "
			"assert.max_spread_pct: nan is not a finite number");
}

static void machines_of_a_scheduler(void **state)
{
	(void)state;
	expect_of_sched(SCHED(.topology = { 2, 4, 2, 1 }), "");
	expect_of_sched(SCHED(.topology = { 2, 3, 2, 1 }),
			"topology: 3 LLCs cannot be spread evenly over 2 NUMA nodes");
	expect_of_sched(SCHED(.topology = { .numa_nodes = 1 }),
			"topology: llcs is 0 | topology: cores is 0 | topology: threads is 0");
	expect_of_sched(SCHED(.topology = { .threads = 1 }),
			"topology: numa_nodes is 0 | topology: llcs is 0 | topology: cores is 0");
	expect_of_sched(SCHED(.topology = { 1, 1, 1, 0 }), "topology: threads is 0");
	expect_of_sched(SCHED(.nodes = KTSTR_NODES({ 1, 64 }, { 0, 64 })), "");
	expect_of_sched(SCHED(.nodes = KTSTR_NODES({ 1, 0 })), "nodes: node 0 has no memory_mib");
}

static void settings_of_a_scheduler(void **state)
{
	(void)state;
	expect_of_sched(SCHED(.kargs = KTSTR_ARGS("quiet", "xconsole=", "init")), "");
	expect_of_sched(SCHED(.kargs = KTSTR_ARGS("a", "console=x", "rdinit=/x")),
			"kargs: 'console=x' would override console= of the harness | "
			"kargs: 'rdinit=/x' would override rdinit= of the harness");
	expect_of_sched(SCHED(.sysctls = KTSTR_SYSCTLS({ "kernel.x", "1" }, { "y", "z" })), "");
	expect_of_sched(SCHED(.sysctls = KTSTR_SYSCTLS({ "", "1" }, { "a b", "1" }, { "a=", "1" })),
			"sysctls: '' is not a key | sysctls: 'a b' is not a key | "
			"sysctls: 'a=' is not a key");
	expect_of_sched(SCHED(.sysctls = KTSTR_SYSCTLS({ "a", NULL }, { "b", "" }, { "c", "1 2" },
						       { "d", "=" })),
			"sysctls: 'a' needs a value of one word | "
			"sysctls: 'b' needs a value of one word | "
			"sysctls: 'c' needs a value of one word | "
			"sysctls: 'd' needs a value of one word");
	expect_of_sched(SCHED(.cgroup_parent = "/x"), "");
	expect_of_sched(SCHED(.cgroup_parent = "x"),
			"cgroup_parent: 'x' is not a path of the form /name");
	expect_of_sched(SCHED(.cgroup_parent = "/"),
			"cgroup_parent: '/' is not a path of the form /name");
	expect_of_sched(SCHED(.cgroup_parent = "/a/../b"),
			"cgroup_parent: '/a/../b' is not a path of the form /name");
}

static void files_of_a_scheduler(void **state)
{
	static const char needs[] =
		"config_file_def: needs an argument with {file} and a guest path";

	(void)state;
	expect_of_sched(SCHED(.config_file = "c"), "");
	expect_of_sched(SCHED(.config_file = "c", .config_file_def = KTSTR_ARGS("-c{file}", "/c")),
			"");
	expect_of_sched(SCHED(.config_file_def = KTSTR_ARGS("{file}", "/c")),
			"config_file_def: requires config_file");
	expect_of_sched(SCHED(.config_file = "c", .config_file_def = KTSTR_ARGS()), needs);
	expect_of_sched(SCHED(.config_file = "c", .config_file_def = KTSTR_ARGS("{file}")), needs);
	expect_of_sched(SCHED(.config_file = "c", .config_file_def = KTSTR_ARGS("c", "{file}")),
			needs);
	expect_of_sched(SCHED(.config_file = "c",
			      .config_file_def = KTSTR_ARGS("{file}", "/c", "x")),
			needs);
}

static void flags_of_a_scheduler(void **state)
{
	static char names[32][4];
	static struct ktstr_flag many[33];
	static const char bad[] =
		"is not a name: it must not be empty, nor contain '+', '/', '\\' or blanks";
	_free_ char *empty = str_fmt("flags: '' %s", bad), *plus = str_fmt("flags: 'a+b' %s", bad);

	(void)state;
	expect_of_sched(sched, "");
	expect_of_sched(SCHED(.flags = KTSTR_FLAGS({ .name = "" })), empty);
	expect_of_sched(SCHED(.flags = KTSTR_FLAGS({ .name = "x" }, { .name = "a+b" })), plus);
	expect_of_sched(
		SCHED(.flags = KTSTR_FLAGS({ .name = "x" }, { .name = "y" }, { .name = "x" })),
		"flags: 'x' is declared twice");
	expect_of_sched(
		SCHED(.flags = KTSTR_FLAGS({ .name = "x", .requires_flags = KTSTR_ARGS("y", "z") },
					   { .name = "y" })),
		"flags: 'x' requires 'z', which is not declared");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		names[i][0] = (char)('a' + i % 26);
		names[i][1] = (char)('a' + i / 26);
		many[i].name = names[i];
	}
	many[31].name = NULL;
	expect_of_sched(SCHED(.flags = many), "");
	many[31].name = names[31];
	expect_of_sched(SCHED(.flags = many), "flags: 32 of them; fewer than 32 can be combined");
}

static void invariants_of_a_scheduler(void **state)
{
	const char *many[34] = {};

	(void)state;
	for (size_t i = 0; i < 32; i++)
		many[i] = "x >= 0";
	expect_of_sched(SCHED(.invariants = many), "");
	many[32] = "x >= 0";
	expect_of_sched(SCHED(.invariants = many), "invariants: 33 are more than 32");
	expect_of_sched((struct ktstr_sched){ .name = "s",
					      .kernel_builtin_enable = "e",
					      .kernel_builtin_disable = "d",
					      .invariants = KTSTR_ARGS("x >= 0") },
			"invariants: a scheduler of the kernel has no BPF program");
}

/* ---- whole programs ---- */

static void each_sentence_says_where(void **state)
{
	static const struct ktstr_sched first = {
		.name = "s", .binary = "b", .file = "f", .line = 1
	};
	static const struct ktstr_sched second = { .name = "s", .file = "g", .line = 2 };
	const struct ktstr_test tests[] = {
		TEST(.file = "h", .line = 3),
		{ .run = body, .file = "i", .line = 4 },
		{ .name = "other", .run = body, .file = "i", .line = 5 },
		TEST(.file = "j", .line = 6),
		{ .run = body, .line = 7 },
	};
	const struct ktstr_test *all[] = { &tests[0], &tests[1], &tests[2], &tests[3], &tests[4] };
	static const struct ktstr_sched nameless = { .binary = "b", .file = "k", .line = 8 };
	const struct ktstr_sched *scheds[] = { &first, &sched, &second },
				 *odd[] = { &nameless, &first };
	const struct program_entries e = { all, 5, scheds, 2 }, more = { all, 1, scheds, 3 };
	const struct program_entries others = { all, 0, odd, 2 };
	struct problems p;

	(void)state;
	problems_find(&p, &e);
	expect(&p, "test '' (i:4): name: it is empty | test '' (?:7): name: it is empty | "
		   "test 't' (j:6): name: there is another test of this name at h:3 | "
		   "scheduler 's' (?:0): name: there is another scheduler of this name at f:1");
	problems_finish(&p);
	problems_find(&p, &more);
	expect(&p, "scheduler 's' (g:2): binary: give exactly one of binary, binary_path and "
		   "kernel_builtin_enable, not 0 | "
		   "scheduler 's' (?:0): name: there is another scheduler of this name at f:1 | "
		   "scheduler 's' (g:2): name: there is another scheduler of this name at f:1");
	problems_finish(&p);
	problems_find(&p, &others);
	expect(&p, "scheduler '' (k:8): name: it has none");
	problems_finish(&p);
	assert_ptr_equal(program_find_test(&more, "t"), &tests[0]);
	assert_ptr_equal(program_find_test(&more, "ktstr/t"), &tests[0]);
	assert_null(program_find_test(&more, "ktstr/"));
}

static void ignored_tests_are_demonstrations_too(void **state)
{
	(void)state;
	assert_false(test_is_ignored(&TEST()));
	assert_true(test_is_ignored(&TEST(.ignore = true)));
	assert_true(test_is_ignored(&(struct ktstr_test){ .name = "demo_x" }));
}

static void expect_topology(struct ktstr_test t, unsigned int nodes, unsigned int llcs,
			    unsigned int cores, unsigned int threads)
{
	struct ktstr_topology own = test_topology(&t);

	assert_int_equal(own.numa_nodes, nodes);
	assert_int_equal(own.llcs, llcs);
	assert_int_equal(own.cores, cores);
	assert_int_equal(own.threads, threads);
}

/* Of the test, else of its scheduler, else of the harness. */
static void what_is_not_declared_is_taken_from_elsewhere(void **state)
{
	static const struct ktstr_sched big = {
		.topology = { 2, 4, 8, 2 }, .constraints = { .max_llcs = 20, .requires_smt = true }
	};
	const struct ktstr_sched uneven = { .nodes = KTSTR_NODES({ 1, 1 }, { 2, 1 }) };
	struct ktstr_constraints c = test_constraints(&TEST());
	size_t count;

	(void)state;
	expect_topology(TEST(), 1, 1, 2, 1);
	expect_topology(TEST(.scheduler = &big), 2, 4, 8, 2);
	expect_topology(TEST(.scheduler = &big, .numa_nodes = 1, .llcs = 3, .cores = 5,
			     .threads = 1),
			1, 3, 5, 1);
	expect_topology(TEST(.scheduler = &uneven), 2, 3, 2, 1);
	expect_topology(TEST(.scheduler = &uneven, .llcs = 4), 2, 4, 2, 1);
	expect_topology(TEST(.scheduler = &uneven, .numa_nodes = 1), 1, 3, 2, 1);
	assert_non_null(test_nodes(&TEST(.scheduler = &uneven), &count));
	assert_int_equal(count, 2);
	assert_int_equal(test_duration_ms(&TEST()), 2000);
	assert_int_equal(test_duration_ms(&TEST(.duration_s = 3)), 3000);
	assert_int_equal(test_duration_ms(&TEST(.duration_ms = 4)), 4);
	assert_true(c.min_numa_nodes == 1 && c.max_numa_nodes == 1 && c.min_llcs == 1);
	assert_true(c.max_llcs == 12 && c.min_cpus == 1 && c.max_cpus == 192);
	assert_false(c.requires_smt || c.requires_even_cpus);
	c = test_constraints(&TEST(.scheduler = &big, .min_cpus = 7, .requires_even_cpus = true));
	assert_true(c.max_llcs == 20 && c.min_cpus == 7 && c.requires_smt && c.requires_even_cpus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_bodies),
		cmocka_unit_test(nodes_of_a_test),
		cmocka_unit_test(distances_of_nodes),
		cmocka_unit_test(sizes_of_machines),
		cmocka_unit_test(times_and_numbers),
		cmocka_unit_test(modes_of_a_test),
		cmocka_unit_test(snapshots_of_a_test),
		cmocka_unit_test(writes_of_a_test),
		cmocka_unit_test(regressions_of_a_test),
		cmocka_unit_test(errors_that_are_expected),
		cmocka_unit_test(cpus_that_are_offline),
		cmocka_unit_test(payloads_of_a_test),
		cmocka_unit_test(constraints_of_machines),
		cmocka_unit_test(flags_of_a_test),
		cmocka_unit_test(sources_of_a_scheduler),
		cmocka_unit_test(machines_of_a_scheduler),
		cmocka_unit_test(settings_of_a_scheduler),
		cmocka_unit_test(files_of_a_scheduler),
		cmocka_unit_test(flags_of_a_scheduler),
		cmocka_unit_test(invariants_of_a_scheduler),
		cmocka_unit_test(each_sentence_says_where),
		cmocka_unit_test(ignored_tests_are_demonstrations_too),
		cmocka_unit_test(what_is_not_declared_is_taken_from_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
