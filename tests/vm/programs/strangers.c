// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ordinary tests with default checks, none with more than two seconds of work, for schedulers that nobody
 * has declared: KTSTR_SCHEDULER names the one of tests/schedulers that they run with. What each
 * test has to say about which of them is in tests/schedulers/expect.
 */
#include <stdio.h>

#include <ktstr/ktstr.h>

#include "../../../src/battery/program/kinds.c"

KTSTR_SCHEDULER(stranger, .name = "stranger", .binary = "scx-stranger",
		.topology = KTSTR_TOPO(1, 2, 2, 1));

#define CASE(ident, ...)                                                     \
	KTSTR_TEST(ident, .scheduler = &stranger, .duration_s = 2)           \
	{                                                                    \
		return ktstr_run_defs(ctx, res, KTSTR_CGROUPS(__VA_ARGS__)); \
	}

/* As many busy workers as CPUs. */
CASE(spinners, { .name = "cg_0", .workers = 2 }, { .name = "cg_1", .workers = 2 })

/* Three for each CPU. */
CASE(crowd, { .name = "cg_0", .workers = 6 }, { .name = "cg_1", .workers = 6 })

/* Many for one CPU. */
CASE(deep_crowd, { .name = "crowd", .workers = 72, .cpuset = KTSTR_EXACT("1") })

/* A number that does not divide evenly. */
CASE(odd_crowd, { .name = "cg_0", .workers = 7 })

CASE(pairs, { .name = "pairs", .workers = 4, .work_type = KTSTR_FUTEX_PING_PONG(10) })

CASE(one_pair, { .name = "pair", .workers = 2, .work_type = KTSTR_FUTEX_PING_PONG(10) })

CASE(pipes_beside_busy, { .name = "pipes", .workers = 4, .work_type = KTSTR_PIPE_IO(0) },
     { .name = "busy", .workers = 2 })

/* Sleepers that come back to CPUs that are never idle. */
CASE(sleepers, { .name = "busy", .workers = 6 },
     { .name = "sleepers", .workers = 2, .work_type = KTSTR_BURSTY(2, 40) })

CASE(bursts, { .name = "bursts", .workers = 8, .work_type = KTSTR_BURSTY(4, 8) })

/* Timers on a machine that has nothing else to do, and on one that has. */
CASE(timers, { .name = "timers", .workers = 2, .work_type = KTSTR_TIMER_LATENCY(5000) })

CASE(timers_beside_busy, { .name = "timers", .workers = 2, .work_type = KTSTR_TIMER_LATENCY(5000) },
     { .name = "busy", .workers = 4 })

/* Two that sleep and wake up together. */
CASE(rests, { .name = "rests", .workers = 2, .work_type = KTSTR_BURSTY(1, 1) })

/* So seldom that no CPU is wanted for a large part of the time. */
CASE(rare_timers, { .name = "timers", .workers = 1, .work_type = KTSTR_TIMER_LATENCY(100000) })

/* Who sleeps at times beside who never does, on one LLC. */
CASE(naps,
     { .name = "mixed",
       .cpuset = KTSTR_DISJOINT(0, 2),
       .works = KTSTR_WORKS({ .workers = 2, .work_type = KTSTR_BURSTY(8, 2) }, { .workers = 4 }) })

/* Such as use less than a slice at a time. */
CASE(short_naps,
     { .name = "mixed",
       .cpuset = KTSTR_DISJOINT(0, 2),
       .works = KTSTR_WORKS({ .workers = 2, .work_type = KTSTR_BURSTY(4, 1) }, { .workers = 4 }) })

/* Nice 0 has about three times the weight of nice 5. */
CASE(nice_values,
     { .name = "cg_0", .works = KTSTR_WORKS({ .workers = 4, .nice = 5 }, { .workers = 4 }) })

/* A weight that does not fit into ten bits beside others that do. */
CASE(strong_nice, { .name = "cg_0",
		    .works = KTSTR_WORKS({ .workers = 4, .nice = -11 },
					 { .workers = 4, .nice = -5 }, { .workers = 4 }) })

/* Two on a CPU: while one runs the other is alone in the queue. */
CASE(nice_one_cpu, { .name = "cg_0",
		     .cpuset = KTSTR_EXACT("1"),
		     .works = KTSTR_WORKS({ .workers = 1, .nice = 5 }, { .workers = 1 }) })

/* The virtual time of who is light and alone on a CPU passes faster than that of the others. */
CASE(nice_beside_lone,
     { .name = "cg_0",
       .cpuset = KTSTR_EXACT("1"),
       .works = KTSTR_WORKS({ .workers = 1, .nice = 5 }, { .workers = 1 }) },
     { .name = "cg_1", .workers = 1, .nice = 5, .cpuset = KTSTR_EXACT("2") })

/* Who makes way for a real-time task may run on another CPU, one of which is idle most of the time. */
#define REAL_TIME(cpu, sleep_ms)                                                          \
	{                                                                                 \
		.name = "rt_" cpu, .workers = 1, .sched_policy = KTSTR_FIFO(1),           \
		.work_type = KTSTR_BURSTY(50, sleep_ms), .affinity = KTSTR_PIN_EXACT(cpu) \
	}
CASE(makes_way, REAL_TIME("0", 37), REAL_TIME("1", 41), REAL_TIME("2", 45), REAL_TIME("3", 49),
     { .name = "free", .workers = 1 })

/* Bursts as long as that before who may run there only. Kernel threads of that CPU wait, too. */
#define LONG_REAL_TIME(cpu)                                                           \
	{                                                                             \
		.name = "rt_" cpu, .workers = 1, .sched_policy = KTSTR_FIFO(1),       \
		.work_type = KTSTR_BURSTY(300, 150), .affinity = KTSTR_PIN_EXACT(cpu) \
	}
CASE(makes_way_bound, LONG_REAL_TIME("1"),
     { .name = "bound", .workers = 2, .affinity = KTSTR_PIN_EXACT("1") },
     { .name = "free", .workers = 4 })

/* Short ones leave nine tenths of the CPU to others. */
CASE(makes_way_often,
     { .name = "rt",
       .workers = 1,
       .sched_policy = KTSTR_FIFO(1),
       .work_type = KTSTR_BURSTY(5, 45),
       .affinity = KTSTR_PIN_EXACT("1") },
     { .name = "bound", .workers = 4, .affinity = KTSTR_PIN_EXACT("1") })

CASE(cpu_weight, { .name = "light", .workers = 4, .cpu_weight = 100 },
     { .name = "heavy", .workers = 4, .cpu_weight = 300 })

/* What is in "a" together has the weight of "a": also for who does not know of trees. */
CASE(nested_weights, { .name = "a/light", .workers = 4, .cpu_weight = 25 },
     { .name = "a/heavy", .workers = 4, .cpu_weight = 75 },
     { .name = "b", .workers = 4, .cpu_weight = 100 })

/* Equal by task, or by cgroup first. */
CASE(nested, { .name = "a/b", .workers = 4 }, { .name = "a/c", .workers = 4 },
     { .name = "d", .workers = 4 })

/* Who sleeps at times weighs half of who never does. */
CASE(nice_sleepers,
     { .name = "cg_0",
       .works = KTSTR_WORKS({ .workers = 2, .nice = 3, .work_type = KTSTR_BURSTY(2, 50) },
			    { .workers = 8 }) })

CASE(pinned, { .name = "cg_0", .workers = 4, .cpuset = KTSTR_DISJOINT(0, 2) },
     { .name = "cg_1", .workers = 4, .cpuset = KTSTR_DISJOINT(1, 2) })

/* Who has one CPU beside who has all of them. */
CASE(pinned_beside_free, { .name = "pinned", .workers = 2, .affinity = KTSTR_PIN_EXACT("0") },
     { .name = "free", .workers = 6 })

/* Who has two CPUs beside who has all of them. */
CASE(confined_beside_free, { .name = "confined", .workers = 2, .cpuset = KTSTR_EXACT("0-1") },
     { .name = "free", .workers = 6 })

/* Of the same weight. */
CASE(batch,
     { .name = "mixed",
       .works = KTSTR_WORKS({ .workers = 4, .sched_policy = KTSTR_BATCH }, { .workers = 8 }) })

/* Who weighs next to nothing, and two nice values that show whether weights count at all. */
CASE(idle_policy, { .name = "mixed",
		    .works = KTSTR_WORKS({ .workers = 4, .sched_policy = KTSTR_IDLE },
					 { .workers = 4 }, { .workers = 4, .nice = 5 }) })

/* Pairs that wake each other while all CPUs are busy. */
CASE(handovers, { .name = "mixed",
		  .works = KTSTR_WORKS({ .workers = 2, .work_type = KTSTR_PIPE_IO(64) },
				       { .workers = 2, .work_type = KTSTR_FUTEX_PING_PONG(256) },
				       { .workers = 8 }) })

/* Sleepers of other kinds than workers usually are. */
#define KIND(title, fn)                                                  \
	{                                                                \
		.workers = 2, .work_type = KTSTR_CUSTOM(title, fn, NULL) \
	}
CASE(kinds, { .name = "mixed",
	      .works = KTSTR_WORKS(KIND("User", work_as_user), KIND("Threads", work_in_threads),
				   KIND("Program", work_in_program), KIND("Io", work_with_io),
				   KIND("Realtime", work_after_realtime), { .workers = 8 }) })

/* Who is never asleep of the same kinds: twelve threads are one worker. */
CASE(busy_kinds,
     { .name = "mixed",
       .works = KTSTR_WORKS(KIND("User", spin_as_user), KIND("Realtime", spin_after_realtime),
			    { .workers = 1,
			      .work_type = KTSTR_CUSTOM("Threads", spin_in_threads, NULL) },
			    { .workers = 4 }) })

/* All CPUs are taken, and nobody is always busy but who yields. */
CASE(wakes, { .name = "busy", .workers = 8, .work_type = KTSTR_BURSTY(6, 3) },
     { .name = "bursts", .workers = 2, .work_type = KTSTR_BURSTY(10, 5) },
     { .name = "yield", .workers = 2, .work_type = KTSTR_MIXED },
     { .name = "pairs", .workers = 4, .work_type = KTSTR_FUTEX_PING_PONG(256) })

/* More than there are places for. */
#define MANY 32
KTSTR_TEST(many_cgroups, .scheduler = &stranger, .duration_s = 1)
{
	struct ktstr_cgroup cgroups[MANY + 2] = { { .name = "busy", .workers = 8 } };
	char names[MANY][8];

	for (unsigned int i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof(names[i]), "g_%u", i);
		cgroups[i + 1] = (struct ktstr_cgroup){ .name = names[i],
							.workers = 1,
							.work_type = KTSTR_BURSTY(1, 60) };
	}
	return ktstr_run_defs(ctx, res, cgroups);
}

/* Forks cost much in sim. */
KTSTR_TEST(forks, .scheduler = &stranger, .duration_ms = 500)
{
	return ktstr_run_defs(
		ctx, res,
		KTSTR_CGROUPS({ .name = "forks", .workers = 4, .work_type = KTSTR_FORK_EXIT }));
}

/* Children that find all CPUs busy. */
CASE(forks_beside_busy, { .name = "forks", .workers = 2, .work_type = KTSTR_FORK_EXIT },
     { .name = "busy", .workers = 8 })

/* For schedulers that leave everybody else to the kernel. */
CASE(asks_for_ext, { .name = "ext", .workers = 8, .sched_policy = KTSTR_EXT })

/* Who comes when others have run for a while. */
KTSTR_TEST(late_comers, .scheduler = &stranger, .duration_s = 2)
{
	return ktstr_run_scenario(
		ctx, res,
		&(struct ktstr_scenario_run){
			.backdrop.defs = KTSTR_CGROUPS({ .name = "old", .workers = 4 }),
			.steps = KTSTR_STEPS(
				{ .name = "alone", .hold = KTSTR_FRAC(0.4) },
				{ .name = "together",
				  .defs = KTSTR_CGROUPS({ .name = "new", .workers = 4 }),
				  .hold = KTSTR_FRAC(0.6) }) });
}

/* Who was due three quarters is due one, and the other way round. */
KTSTR_TEST(weights_change, .scheduler = &stranger, .duration_s = 2)
{
	return ktstr_run_scenario(
		ctx, res,
		&(struct ktstr_scenario_run){
			.backdrop.defs =
				KTSTR_CGROUPS({ .name = "rises", .workers = 4, .cpu_weight = 50 },
					      { .name = "falls", .workers = 4, .cpu_weight = 150 }),
			.steps = KTSTR_STEPS({ .name = "before", .hold = KTSTR_FRAC(0.4) },
					     { .name = "after",
					       .ops = KTSTR_OPS(KTSTR_SET_CPU_WEIGHT("rises", 150),
								KTSTR_SET_CPU_WEIGHT("falls", 50)),
					       .hold = KTSTR_FRAC(0.6) }) });
}

/* All are due the same in the end. */
KTSTR_TEST(nice_changes, .scheduler = &stranger, .duration_s = 2)
{
	return ktstr_run_scenario(
		ctx, res,
		&(struct ktstr_scenario_run){
			.backdrop.defs = KTSTR_CGROUPS({ .name = "rises", .workers = 4, .nice = 5 },
						       { .name = "stays", .workers = 4 }),
			.steps = KTSTR_STEPS({ .name = "before", .hold = KTSTR_FRAC(0.3) },
					     { .name = "after",
					       .ops = KTSTR_OPS(KTSTR_SET_NICE("rises", 0)),
					       .hold = KTSTR_FRAC(0.7) }) });
}

#define MOVED                                                                           \
	{                                                                               \
		.ops = KTSTR_OPS(KTSTR_SET_AFFINITY("moved", KTSTR_PIN_RANDOM_SUBSET)), \
		.hold = KTSTR_FRAC(0.1),                                                \
	}

/* Who had other CPUs for a while, and may run everywhere again. */
KTSTR_TEST(affinity_put_back, .scheduler = &stranger, .duration_s = 2)
{
	return ktstr_run_scenario(
		ctx, res,
		&(struct ktstr_scenario_run){
			.backdrop.defs = KTSTR_CGROUPS({ .name = "moved", .workers = 4 },
						       { .name = "still", .workers = 4 }),
			.steps = KTSTR_STEPS(MOVED, MOVED, MOVED, MOVED,
					     { .name = "everywhere",
					       .ops = KTSTR_OPS(KTSTR_SET_AFFINITY(
						       "moved", KTSTR_PIN_CROSS_CGROUP)),
					       .hold = KTSTR_FRAC(0.6) }) });
}

/* Who was frozen for a while, beside who was not. */
KTSTR_TEST(thawed, .scheduler = &stranger, .duration_s = 2)
{
	return ktstr_run_scenario(
		ctx, res,
		&(struct ktstr_scenario_run){
			.backdrop.defs = KTSTR_CGROUPS(
				{ .name = "frozen", .workers = 4, .work_type = KTSTR_BURSTY(6, 3) },
				{ .name = "busy", .workers = 4 }),
			.steps = KTSTR_STEPS({ .name = "running", .hold = KTSTR_FRAC(0.2) },
					     { .name = "frozen",
					       .ops = KTSTR_OPS(KTSTR_FREEZE("frozen")),
					       .hold = KTSTR_FRAC(0.2) },
					     { .name = "thawed",
					       .ops = KTSTR_OPS(KTSTR_UNFREEZE("frozen")),
					       .hold = KTSTR_FRAC(0.6) }) });
}

/* Only for schedulers that CPUs may come and go under. */
KTSTR_TEST(hotplug, .scheduler = &stranger, .duration_s = 2)
{
	return ktstr_run_scenario(
		ctx, res,
		&(struct ktstr_scenario_run){
			.backdrop.defs = KTSTR_CGROUPS({ .name = "crowd", .workers = 6 }),
			.steps = KTSTR_STEPS(
				{ .name = "all", .hold = KTSTR_FRAC(0.2) },
				{ .name = "half",
				  .ops = KTSTR_OPS(KTSTR_CPU_OFFLINE(3), KTSTR_CPU_OFFLINE(2)),
				  .hold = KTSTR_FRAC(0.4) },
				{ .name = "again",
				  .ops = KTSTR_OPS(KTSTR_CPU_ONLINE(2), KTSTR_CPU_ONLINE(3)),
				  .hold = KTSTR_FRAC(0.4) }) });
}

/* All are due the same when the CPU is back. */
KTSTR_TEST(hotplug_shares, .scheduler = &stranger, .duration_s = 2)
{
	return ktstr_run_scenario(
		ctx, res,
		&(struct ktstr_scenario_run){
			.backdrop.defs = KTSTR_CGROUPS({ .name = "crowd", .workers = 8 }),
			.steps = KTSTR_STEPS({ .name = "all", .hold = KTSTR_FRAC(0.1) },
					     { .name = "one less",
					       .ops = KTSTR_OPS(KTSTR_CPU_OFFLINE(3)),
					       .hold = KTSTR_FRAC(0.1) },
					     { .name = "it is back",
					       .ops = KTSTR_OPS(KTSTR_CPU_ONLINE(3)),
					       .hold = KTSTR_FRAC(0.1) },
					     { .name = "again", .hold = KTSTR_FRAC(0.7) }) });
}

/* Who was stopped, and who was moved to another cgroup. By these weights all are due the same. */
KTSTR_TEST(stopped_and_moved, .scheduler = &stranger, .duration_s = 2)
{
	return ktstr_run_scenario(
		ctx, res,
		&(struct ktstr_scenario_run){
			.backdrop.defs = KTSTR_CGROUPS(
				{ .name = "moved", .workers = 4, .cpu_weight = 100 },
				{ .name = "stopped", .workers = 4, .cpu_weight = 100 },
				{ .name = "still", .workers = 4, .cpu_weight = 200 }),
			.steps = KTSTR_STEPS(
				{ .name = "changes",
				  .ops = KTSTR_OPS(KTSTR_MOVE_ALL_TASKS("moved", "still"),
						   KTSTR_SIGSTOP("stopped")),
				  .hold = KTSTR_FRAC(0.2) },
				{ .name = "going on",
				  .ops = KTSTR_OPS(KTSTR_SIGCONT("stopped")),
				  .hold = KTSTR_FRAC(0.8) }) });
}

/* Who has been there for seconds, beside who has not. */
KTSTR_TEST(after_a_while, .scheduler = &stranger, .duration_s = 6)
{
	return ktstr_run_scenario(
		ctx, res,
		&(struct ktstr_scenario_run){
			.backdrop.defs = KTSTR_CGROUPS(
				{ .name = "old", .workers = 2, .work_type = KTSTR_BURSTY(1, 100) },
				{ .name = "rested", .workers = 4 }),
			.steps = KTSTR_STEPS(
				{ .name = "quiet",
				  .ops = KTSTR_OPS(KTSTR_FREEZE("rested")),
				  .hold = KTSTR_FRAC(0.75) },
				{ .name = "busy",
				  .ops = KTSTR_OPS(KTSTR_UNFREEZE("rested")),
				  .defs = KTSTR_CGROUPS({ .name = "new", .workers = 4 }),
				  .hold = KTSTR_FRAC(0.25) }) });
}
