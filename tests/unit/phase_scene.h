/* SPDX-License-Identifier: GPL-2.0-only */
/* A phase as scheduling events tell it, and what is made of it. */
#ifndef KTSTR_TESTS_PHASE_SCENE_H
#define KTSTR_TESTS_PHASE_SCENE_H

#include "unit.h"

#include <sched.h>
#include <string.h>

#include "check/parts.h"
#include "check/phase.h"

#define MS UINT64_C(1000000)
#define LENGTH (2000 * MS)
#define START (100 * MS)
#define FIRST_TID 100

/* Two CPUs, any tasks. */
struct scene {
	struct observed seen;
	struct known_worker workers[24];
	size_t worker_count;
	struct worker_cpus cpus;
	struct ktstr_assert checks;
	bool ignores_weights;
	pid_t scheduler_pid;
	const struct topology *topology;
	struct ktstr_result res;
};

static inline void scene_begin(struct scene *s)
{
	*s = (struct scene){
		.checks = assert_defaults,
		.seen = { .is_known = true, .start_ns = START, .end_ns = START + LENGTH }
	};
	result_init(&s->res);
	for (unsigned int cpu = 0; cpu < 2; cpu++) {
		worker_cpus_add(&s->cpus, cpu);
		assert_int_equal(vec_push(&s->seen.cpus, (struct observe_cpu){ .busy_ns = LENGTH }),
				 0);
	}
	assert_int_equal(
		vec_push(&s->seen.sets, (struct observe_set){ .is_ready = 2, .cpus = { 3 } }), 0);
}

static inline struct observe_task *add_task(struct scene *s, uint64_t run_ms, uint64_t wait_ms,
					    uint64_t worst_ms)
{
	struct observe_task t = {
		.pid = (uint32_t)(FIRST_TID + s->seen.tasks.count),
		.state = OBSERVE_RUNNING,
		.run_ns = run_ms * MS,
		.wait_ns = wait_ms * MS,
		.long_wait_ns = wait_ms * MS,
		.waits = 100,
		.runs = 100,
		.static_prio = 120,
		.allowed_cpus = 2,
		.last_set = 1,
		.worst = { .ns = worst_ms * MS,
			   .since_ns = START + 50 * MS,
			   .cpu = 1,
			   .by = 7,
			   .by_comm = "hog" },
		.comm = "task",
	};

	assert_int_equal(vec_push(&s->seen.tasks, t), 0);
	return &s->seen.tasks.items[s->seen.tasks.count - 1];
}

static inline struct known_worker *add_worker(struct scene *s, const char *cgroup, uint64_t run_ms,
					      uint64_t wait_ms)
{
	struct known_worker *w = &s->workers[s->worker_count];
	struct observe_task *t = add_task(s, run_ms, wait_ms, 10);

	*w = (struct known_worker){ .tid = (pid_t)t->pid,
				    .index = (unsigned int)s->worker_count,
				    .group = cgroup,
				    .cgroup = cgroup,
				    .is_normal = true };
	s->worker_count++;
	return w;
}

static inline struct judged_phase phase_of(const struct scene *s)
{
	return (struct judged_phase){ .seen = &s->seen,
				      .workers = s->workers,
				      .worker_count = s->worker_count,
				      .start_ns = START,
				      .cpus = &s->cpus,
				      .ignores_weights = s->ignores_weights,
				      .scheduler_pid = s->scheduler_pid,
				      .topology = s->topology };
}

static inline void judge(struct scene *s)
{
	const struct judged_phase phase = phase_of(s);

	result_pass(&s->res);
	check_phase(&phase, &s->checks, &s->res);
}

static inline void scene_end(struct scene *s)
{
	observed_finish(&s->seen);
	result_finish(&s->res);
}

static inline void expect_pass(struct scene *s)
{
	judge(s);
	if (s->res.verdict != KTSTR_PASSED && s->res.details.count)
		print_error("%s\n", s->res.details.items[0].message);
	assert_int_equal(s->res.verdict, KTSTR_PASSED);
	scene_end(s);
}

static inline void expect_failure(struct scene *s, enum detail_kind kind, const char *message)
{
	judge(s);
	assert_int_equal(s->res.verdict, KTSTR_FAILED);
	for (size_t i = 1; i < s->res.details.count; i++)
		print_error("%s\n", s->res.details.items[i].message);
	assert_int_equal(s->res.details.count, 1);
	assert_int_equal(s->res.details.items[0].kind, kind);
	assert_string_equal(s->res.details.items[0].message, message);
	/* How much time it is about, so that a host that withheld as much explains it. */
	assert_int_equal(s->res.details.items[0].time_ns != 0,
			 kind != DETAIL_MIGRATION_STORM && kind != DETAIL_SWITCH_STORM);
	assert_int_equal(result_ignores_weights(&s->res),
			 strstr(message, "; all got the same, whatever their weight") != NULL);
	scene_end(s);
}

static inline void expect_note(struct scene *s, const char *message)
{
	judge(s);
	assert_int_equal(s->res.verdict, KTSTR_PASSED);
	assert_int_equal(s->res.details.count, 1);
	assert_int_equal(s->res.details.items[0].kind, DETAIL_NOTE);
	assert_string_equal(s->res.details.items[0].message, message);
	scene_end(s);
}

#endif
