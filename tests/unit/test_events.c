// SPDX-License-Identifier: GPL-2.0-only
/* Scheduling events on their way into results, records and comparisons. */
#include "unit.h"

#include "base/err.h"
#include "check/events.h"
#include "check/parts.h"
#include "check/phase.h"
#include "check/versus.h"
#include "record/sidecar.h"
#include "report_maker.h"

#define MS UINT64_C(1000000)
#define START (1000 * MS)  /* of the test */
#define LENGTH (2000 * MS) /* of a phase */

static struct observed new_phase(unsigned int index)
{
	struct observed seen = { .is_known = true };

	seen.start_ns = START + index * LENGTH;
	seen.end_ns = seen.start_ns + LENGTH;
	return seen;
}

static struct observe_task *add_task(struct observed *seen, uint32_t pid, const char *comm)
{
	struct observe_task t = { .pid = pid, .state = OBSERVE_BLOCKED, .worst.cpu = -1 };

	strncpy(t.comm, comm, sizeof(t.comm) - 1);
	assert_int_equal(vec_push(&seen->tasks, t), 0);
	return &seen->tasks.items[seen->tasks.count - 1];
}

/* A wait of that length, ended at that time of the test, on CPU 1. */
static void finish_events(const struct phase_events *e)
{
	struct phase_stats phase = { .events = *e };

	json_free_fields(result_phase_fields, &phase);
}

static void add_wait(struct observe_task *t, uint64_t ns, uint64_t end_ms, bool was_woken)
{
	unsigned int bucket = 63U - (unsigned int)__builtin_clzll(ns);

	t->wait_ns += ns;
	t->waits++;
	t->wait_histogram[bucket]++;
	t->wake_histogram[bucket] += was_woken;
	t->wake_wait_ns += was_woken ? ns : 0;
	t->worst_wake_ns = was_woken ? MAX(t->worst_wake_ns, ns) : t->worst_wake_ns;
	if (ns <= t->worst.ns)
		return;
	t->worst.ns = ns;
	t->worst.since_ns = START + end_ms * MS - ns;
	t->worst.cpu = 1;
}

/* Two workers with the tids 100 and 101 in two phases. */
struct fixture {
	struct made_cgroup made;
	struct observed seen[2];
};

static void fixture_init(struct fixture *f)
{
	made_init(&f->made, 2);
	for (unsigned int i = 0; i < 2; i++) {
		struct worker_report *w = f->made.reports[i];

		f->seen[i] = new_phase(i);
		w->phase_count = 2;
		w->phases[0] = w->phases[1] = w->total;
	}
	f->made.cgroup.seen = f->seen;
	f->made.cgroup.seen_count = 2;
	f->made.cgroup.start_ns = START;
}

static void fixture_finish(struct fixture *f)
{
	for (unsigned int i = 0; i < 2; i++)
		observed_finish(&f->seen[i]);
	made_finish(&f->made);
}

static void judge(struct fixture *f, struct ktstr_result *r)
{
	result_init(r);
	assert_int_equal(result_add_phase(r, "one", 0), 0);
	assert_int_equal(result_add_phase(r, "two", 2000), 1);
	check_cgroup(&f->made.cgroup, &assert_defaults, r);
	assert_int_equal(r->cgroups.count, 1);
}

static void waits_are_added_up_over_phases(void **state)
{
	struct fixture f;
	struct ktstr_result r;
	const struct cgroup_stats *whole, *one, *two;

	(void)state;
	fixture_init(&f);
	add_wait(add_task(&f.seen[0], 100, "a"), 5 * MS + 1, 40, true);
	add_wait(&f.seen[0].tasks.items[0], 2 * MS, 50, false);
	add_wait(add_task(&f.seen[0], 101, "b"), 3 * MS, 90, false);
	add_wait(add_task(&f.seen[1], 101, "b"), 7 * MS + 123, 2500, false);
	add_wait(add_task(&f.seen[1], 999, "no worker"), 90 * MS, 2500, false);
	judge(&f, &r);
	whole = &r.cgroups.items[0];
	one = &r.phases.items[0].cgroups.items[0];
	two = &r.phases.items[1].cgroups.items[0];
	assert_true(whole->has_events && one->has_events && two->has_events);
	assert_int_equal(whole->wait_ns, 17 * MS + 124);
	assert_int_equal(one->wait_ns, 10 * MS + 1);
	assert_int_equal(two->wait_ns, 7 * MS + 123);
	assert_int_equal(whole->waits.count, 4);
	assert_int_equal(whole->wakeup_waits.count, 1);
	assert_int_equal(two->wakeup_waits.count, 0);
	/* The longest exactly, all others by the middle of their power of two. */
	assert_int_equal(whole->waits.max, 7 * MS + 123);
	assert_int_equal(one->waits.max, 5 * MS + 1);
	assert_int_equal(one->waits.min, 3 << 19);
	assert_true(one->waits.sum == 3 * MS + (3 << 19) + 5 * MS + 1);
	assert_true(whole->worst_wait_us == 7000.123);
	assert_int_equal(whole->worst_wait_cpu, 1);
	assert_int_equal(whole->worst_wait_tid, 101);
	assert_int_equal(whole->worst_wait_at_ms, 2500);
	assert_int_equal(one->worst_wait_tid, 100);
	assert_int_equal(one->worst_wait_at_ms, 40);
	result_finish(&r);
	fixture_finish(&f);
}

/* A wait that was over before its cgroup was there is at the beginning. */
static void waits_before_the_start_are_at_the_beginning(void **state)
{
	struct fixture f;
	struct ktstr_result r;

	(void)state;
	fixture_init(&f);
	add_wait(add_task(&f.seen[0], 100, "a"), 5 * MS, 40, true);
	f.seen[0].tasks.items[0].worst.since_ns = 0;
	judge(&f, &r);
	assert_int_equal(r.cgroups.items[0].worst_wait_tid, 100);
	assert_int_equal(r.cgroups.items[0].worst_wait_at_ms, 0);
	result_finish(&r);
	fixture_finish(&f);
}

/* One that goes on into the next phase is counted where it ends, and once. */
static void open_waits_count_once(void **state)
{
	struct fixture f;
	struct ktstr_result r;
	struct observe_task *t;

	(void)state;
	fixture_init(&f);
	t = add_task(&f.seen[0], 100, "a");
	t->state = OBSERVE_WAITING;
	t->was_woken = 1;
	t->since_ns = f.seen[0].end_ns - 300 * MS;
	t->worst = (struct observe_wait){ .ns = 300 * MS, .since_ns = t->since_ns, .cpu = 1 };
	t->wait_ns = 300 * MS;
	t = add_task(&f.seen[1], 100, "a");
	add_wait(t, 400 * MS, 2100, true);
	judge(&f, &r);
	assert_int_equal(r.cgroups.items[0].waits.count, 1);
	assert_int_equal(r.cgroups.items[0].wakeup_waits.count, 1);
	assert_int_equal(r.cgroups.items[0].waits.max, 400 * MS);
	assert_int_equal(r.phases.items[0].cgroups.items[0].waits.count, 1);
	assert_int_equal(r.phases.items[0].cgroups.items[0].waits.max, 300 * MS);
	assert_int_equal(r.phases.items[1].cgroups.items[0].waits.count, 1);
	result_finish(&r);
	/* Nobody sees the end of this one. */
	f.seen[1].tasks.count = 0;
	judge(&f, &r);
	assert_int_equal(r.cgroups.items[0].waits.count, 1);
	assert_int_equal(r.cgroups.items[0].waits.max, 300 * MS);
	result_finish(&r);
	fixture_finish(&f);
}

static void what_was_not_seen_is_absent(void **state)
{
	struct fixture f;
	struct ktstr_result r;

	(void)state;
	fixture_init(&f);
	f.made.cgroup.seen_count = 1; /* they were stopped before the second phase was read */
	judge(&f, &r);
	assert_true(r.phases.items[0].cgroups.items[0].has_events);
	assert_false(r.phases.items[1].cgroups.items[0].has_events);
	assert_false(r.cgroups.items[0].has_events);
	result_finish(&r);
	f.made.cgroup.seen = NULL;
	f.made.cgroup.seen_count = 0;
	judge(&f, &r);
	assert_false(r.cgroups.items[0].has_events);
	assert_int_equal(r.cgroups.items[0].worst_wait_cpu, -1);
	result_finish(&r);
	fixture_finish(&f);
}

/* ---- phases ---- */

static const struct known_worker known[] = {
	{ .tid = 100, .index = 0, .group = "cg_0" },
	{ .tid = 101, .index = 1, .group = "cg_0" },
};

/* Two workers, of which one did nothing, and twenty others; CPU 2 is not steady. */
static void fill_phase(struct observed *seen)
{
	struct observe_task *t;

	*seen = new_phase(0);
	t = add_task(seen, 20, "kworker/1:0");
	t->is_kernel = 1;
	add_wait(t, 30 * MS, 700, true);
	t->worst.by = 100;
	t->migrations = 6;
	t->worst.rt_ns = 7 * MS;
	for (unsigned int i = 0; i < 20; i++)
		add_wait(add_task(seen, 30 + i, "other"), (i + 1) * MS / 10, 100, true);
	t = add_task(seen, 100, "renamed");
	t->run_ns = 900 * MS;
	t->runs = 12;
	t->wakeups = 3;
	t->migrations = 4;
	add_wait(t, 6 * MS, 800, true);
	add_wait(t, 2 * MS, 810, true);
	add_wait(t, 3 * MS, 820, false);
	t->wait_histogram[22] += 2;
	t->idle_waits = 2;
	t->idle_wait_ns = 11 * MS;
	t->idle = (struct observe_idle_wait){
		.ns = 5 * MS, .wait_ns = 6 * MS, .since_ns = START + 794 * MS, .cpu = 3
	};
	seen->lost_tasks = 2;
	seen->lost_sets = 1;
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(vec_push(&seen->cpus, (struct observe_cpu){}), 0);
	seen->cpus.items[0] = (struct observe_cpu){ .busy_ns = 1500 * MS,
						    .idle_ns = 500 * MS,
						    .wanted_ns = 100 * MS,
						    .idle.ns = 60 * MS,
						    .unpicked.ns = 70 * MS,
						    .picks = 77 };
	seen->cpus.items[2] = (struct observe_cpu){ .idle_ns = 2000 * MS, .wanted_ns = 2000 * MS };
	seen->cpus.items[3] = (struct observe_cpu){ .idle_ns = 2000 * MS, .wanted_ns = 50 * MS };
}

static void collect(const struct observed *seen, struct phase_events *out)
{
	struct worker_cpus cpus = {};
	struct judged_phase p = {
		.seen = seen, .workers = known, .worker_count = 2, .start_ns = START, .cpus = &cpus
	};

	worker_cpus_add(&cpus, 0);
	worker_cpus_add(&cpus, 1);
	worker_cpus_add(&cpus, 3);
	*out = (struct phase_events){};
	assert_int_equal(events_of_phase(&p, out), 0);
}

static void phases_have_tasks_and_cpus(void **state)
{
	struct phase_events e;
	struct observed seen;

	(void)state;
	fill_phase(&seen);
	collect(&seen, &e);
	assert_true(e.is_known);
	assert_int_equal(e.observed_ns, LENGTH);
	assert_int_equal(e.lost_events, 3);
	assert_true(e.migrations_per_s == 5); /* ten of all tasks in two seconds */
	/* CPU 1 was never seen. */
	assert_int_equal(e.cpus.count, 3);
	assert_int_equal(e.cpus.items[0].idle_wait_ns, 100 * MS);
	assert_int_equal(e.cpus.items[0].longest_idle_wait_ns, 60 * MS);
	assert_int_equal(e.cpus.items[0].picks, 77);
	assert_int_equal(e.cpus.items[0].longest_unpicked_ns, 70 * MS);
	assert_int_equal(e.cpus.items[1].cpu, 2);
	assert_false(e.cpus.items[1].has_idle_wait);
	/* All workers, then sixteen of the others. */
	assert_int_equal(e.tasks.count, 2 + 16);
	assert_string_equal(e.tasks.items[0].name, "cg_0/0");
	assert_true(e.tasks.items[0].is_worker);
	assert_int_equal(e.tasks.items[0].worst_wait_at_ms, 800);
	assert_string_equal(e.tasks.items[0].worst_wait_by, "swapper/1");
	assert_int_equal(e.tasks.items[0].idle_waits, 2);
	assert_int_equal(e.tasks.items[0].idle_wait_ns, 11 * MS);
	assert_int_equal(e.tasks.items[0].longest_idle_wait_ns, 5 * MS);
	assert_int_equal(e.tasks.items[0].longest_idle_wait_at_ms, 800);
	assert_int_equal(e.tasks.items[0].longest_idle_wait_cpu, 3);
	assert_true(e.tasks.items[0].wait_histogram.is_known);
	assert_int_equal(e.tasks.items[0].wait_histogram.counts[22], 3);
	assert_int_equal(e.tasks.items[0].wakeup_wait_histogram.counts[22], 1);
	assert_int_equal(e.tasks.items[0].wakeup_waits, 2);
	assert_int_equal(e.tasks.items[0].wakeup_wait_ns, 8 * MS);
	assert_int_equal(e.tasks.items[0].worst_wakeup_wait_ns, 6 * MS);
	assert_false(e.tasks.items[1].has_idle_wait);
	assert_string_equal(e.tasks.items[1].name, "cg_0/1");
	assert_true(e.tasks.items[1].has_counts);
	assert_int_equal(e.tasks.items[1].run_ns, 0);
	assert_false(e.tasks.items[1].has_wait);
	assert_string_equal(e.tasks.items[2].name, "kworker/1:0");
	assert_true(e.tasks.items[2].is_kernel && !e.tasks.items[2].is_worker);
	assert_string_equal(e.tasks.items[2].worst_wait_by, "cg_0/0");
	assert_int_equal(e.tasks.items[2].worst_wait_by_tid, 100);
	assert_int_equal(e.tasks.items[2].worst_wait_rt_ns, 7 * MS);
	/* Of short waits nobody knows who ran meanwhile. */
	assert_int_equal(e.tasks.items[3].worst_wait_ns, 2 * MS);
	assert_false(e.tasks.items[3].has_wait_by);
	assert_null(e.tasks.items[3].worst_wait_by);
	assert_int_equal(e.tasks.items[17].worst_wait_ns, 6 * MS / 10);
	finish_events(&e);
	observed_finish(&seen);
}

/* Whose slot was taken over is known by its worst wait only. */
static void forgotten_tasks_have_no_counts(void **state)
{
	struct phase_events e;
	struct observed seen = new_phase(0);

	(void)state;
	seen.forgotten = (struct observe_task){
		.pid = 77,
		.comm = "gone",
		.run_ns = 5,
		.wait_ns = 6,
		.runs = 7,
		.wakeups = 8,
		.migrations = 9,
		.idle_waits = 10,
		.idle_wait_ns = 11,
		.wake_wait_ns = 12,
		.worst_wake_ns = 13,
		.wake_histogram = { 14 },
		.worst = { .ns = 90 * MS, .cpu = 2 },
	};
	collect(&seen, &e);
	assert_int_equal(e.tasks.count, 3);
	assert_string_equal(e.tasks.items[2].name, "gone");
	assert_false(e.tasks.items[2].has_counts);
	assert_int_equal(e.tasks.items[2].run_ns + e.tasks.items[2].wait_ns, 0);
	assert_int_equal(e.tasks.items[2].runs + e.tasks.items[2].wakeups, 0);
	assert_int_equal(e.tasks.items[2].migrations + e.tasks.items[2].idle_waits, 0);
	assert_int_equal(e.tasks.items[2].idle_wait_ns, 0);
	assert_int_equal(e.tasks.items[2].wakeup_waits + e.tasks.items[2].wakeup_wait_ns, 0);
	assert_int_equal(e.tasks.items[2].worst_wakeup_wait_ns, 0);
	assert_int_equal(e.tasks.items[2].worst_wait_ns, 90 * MS);
	finish_events(&e);
	seen.is_known = false;
	collect(&seen, &e);
	assert_false(e.is_known);
	assert_int_equal(e.tasks.count, 0);
}

static void the_worst_is_told_with_its_place(void **state)
{
	struct phase_stats phase = { .name = (char *)"steady" };
	struct events_worst w = {};
	struct observed seen;

	(void)state;
	events_worst_add(&w, &phase);
	assert_false(w.is_known);
	fill_phase(&seen);
	collect(&seen, &phase.events);
	events_worst_add(&w, &phase);
	assert_true(w.is_known);
	/* Not of CPU 2, which was offline at times. */
	assert_true(w.idle_wait_pct == 5);
	assert_int_equal(w.idle_cpu->cpu, 0);
	assert_string_equal(w.system->name, "kworker/1:0");
	finish_events(&phase.events);
	observed_finish(&seen);
}

/* ---- the way out ---- */

static void fill_result(struct ktstr_result *r)
{
	struct observed seen;
	struct fixture f;

	fixture_init(&f);
	add_wait(add_task(&f.seen[0], 100, "a"), 5 * MS + 1, 40, true);
	judge(&f, r);
	fixture_finish(&f);
	fill_phase(&seen);
	collect(&seen, &r->phases.items[0].events);
	observed_finish(&seen);
}

static char *to_json(const struct ktstr_result *r)
{
	struct str text = {};
	struct json j;

	json_init(&j, &text, false);
	result_to_json(r, &j);
	assert_int_equal(str_check(&text), 0);
	return str_take(&text);
}

static void json_there_and_back(void **state)
{
	_free_ char *first = NULL, *second = NULL, *work = NULL;
	struct ktstr_result r, back;

	(void)state;
	fill_result(&r);
	first = to_json(&r);
	work = strdup(first);
	assert_int_equal(result_from_json(&back, work, strlen(work)), 0);
	second = to_json(&back);
	assert_string_equal(first, second);
	assert_true(back.cgroups.items[0].has_events);
	assert_int_equal(back.cgroups.items[0].waits.max, 5 * MS + 1);
	assert_int_equal(back.cgroups.items[0].worst_wait_tid, 100);
	assert_true(back.phases.items[0].events.is_known);
	assert_int_equal(back.phases.items[0].events.tasks.count, 18);
	assert_true(back.phases.items[0].events.tasks.items[2].is_kernel);
	assert_int_equal(back.phases.items[0].events.tasks.items[0].longest_idle_wait_cpu, 3);
	assert_int_equal(back.phases.items[0].events.tasks.items[0].wait_histogram.counts[22], 3);
	assert_non_null(strstr(
		first,
		"\"wait_histogram\":[20,1,21,1,22,3],\"wakeup_wait_histogram\":[20,1,22,1]"));
	assert_non_null(strstr(first, "\"wakeup_waits\":2,\"wakeup_wait_ns\":8000000,"
				      "\"worst_wakeup_wait_ns\":6000000,"));
	assert_false(back.phases.items[0].events.tasks.items[2].has_idle_wait);
	assert_false(back.phases.items[0].events.cpus.items[1].has_idle_wait);
	assert_false(back.phases.items[1].events.is_known);
	result_finish(&r);
	result_finish(&back);
}

static void json_of_nothing_is_null(void **state)
{
	_free_ char *text = NULL;
	struct ktstr_result r, back;
	struct fixture f;

	(void)state;
	fixture_init(&f);
	f.made.cgroup.seen_count = 0;
	judge(&f, &r);
	text = to_json(&r);
	assert_non_null(strstr(text, "\"wait_ns\":null"));
	assert_non_null(strstr(text, "\"worst_wait_us\":null"));
	assert_non_null(strstr(text, "\"waits\":null"));
	assert_non_null(strstr(text, "\"events\":null"));
	assert_int_equal(result_from_json(&back, text, strlen(text)), 0);
	assert_false(back.cgroups.items[0].has_events);
	assert_int_equal(back.cgroups.items[0].worst_wait_cpu, -1);
	assert_false(back.phases.items[0].events.is_known);
	result_finish(&r);
	result_finish(&back);
	fixture_finish(&f);
}

#define PHASE "{\"schema_version\":1,\"verdict\":\"pass\",\"phases\":[{\"name\":\"a\",\"events\":"

static void bad_events_are_refused(void **state)
{
	static const struct {
		const char *text, *problem;
	} cases[] = {
		{ PHASE "7}]}", "another kind" },
		{ PHASE "{\"tasks\":[{\"tid\":1}]}}]}", "there is no name" },
		{ PHASE "{\"tasks\":[{\"name\":\"a\",\"is_worker\":1}]}}]}", "another kind" },
		{ PHASE "{\"cpus\":[{\"cpu\":-1}]}}]}", "another kind" },
		{ PHASE "{\"cpus\":{}}}]}", "another kind" },
		{ "{\"schema_version\":1,\"verdict\":\"pass\",\"cgroups\":[{\"name\":\"a\","
		  "\"waits\":3}]}",
		  "another kind" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_free_ char *work = strdup(cases[i].text);
		struct ktstr_result r;

		assert_int_equal(result_from_json(&r, work, strlen(work)), -EINVAL);
		if (!strstr(err_text(-EINVAL), cases[i].problem))
			fail_msg("case %zu: '%s' lacks '%s'", i, err_text(-EINVAL),
				 cases[i].problem);
	}
}

static void merging_keeps_the_phase_that_saw_more(void **state)
{
	struct ktstr_result whole, part;
	struct observed seen;

	(void)state;
	result_init(&whole);
	result_init(&part);
	result_add_phase(&whole, "a", 0);
	result_add_phase(&part, "a", 0);
	fill_phase(&seen);
	collect(&seen, &part.phases.items[0].events);
	result_merge(&whole, &part);
	assert_int_equal(whole.phases.items[0].events.observed_ns, LENGTH);
	assert_int_equal(whole.phases.items[0].events.tasks.count, 18);
	result_add_phase(&part, "a", 0);
	seen.end_ns -= MS;
	collect(&seen, &part.phases.items[0].events);
	result_merge(&whole, &part);
	assert_int_equal(whole.phases.count, 1);
	assert_int_equal(whole.phases.items[0].events.observed_ns, LENGTH);
	observed_finish(&seen);
	result_finish(&whole);
}

static void totals_have_the_worst_of_any_cgroup(void **state)
{
	struct cgroup_stats *t = calloc(1, sizeof(*t));
	struct ktstr_result r, other;
	struct fixture f;

	(void)state;
	assert_non_null(t);
	fill_result(&r);
	fixture_init(&f);
	add_wait(add_task(&f.seen[1], 101, "b"), 9 * MS, 3000, false);
	judge(&f, &other);
	result_merge(&r, &other);
	f.made.cgroup.seen_count = 0;
	judge(&f, &other);
	result_merge(&r, &other);
	result_totals(&r, t);
	assert_true(t->has_events);
	assert_int_equal(t->wait_ns, 14 * MS + 1);
	assert_true(t->worst_wait_us == 9000);
	assert_int_equal(t->worst_wait_tid, 101);
	assert_int_equal(t->worst_wait_at_ms, 3000);
	assert_int_equal(t->waits.count, 2);
	result_finish(&r);
	fixture_finish(&f);
	free(t);
}

static void the_lines_below_the_statistics(void **state)
{
	_str_ struct str text = {};
	struct ktstr_result r;

	(void)state;
	fill_result(&r);
	result_add_stats_text(&r, &text);
	assert_non_null(strstr(str_get(&text),
			       "\n  cg0 (cg_0): waited=5.0ms worst_wait=5.0ms wait_on=cpu1 "
			       "wait_tid=100 wait_at=+40ms wait(1) p50=5.0ms "));
	assert_non_null(strstr(str_get(&text), " wakeup(1) p50=5.0ms "));
	assert_non_null(strstr(str_get(&text),
			       "\n  events: migrations=5/s worst_idle_wait=5.0% on cpu0 in phase "
			       "one worst_system_wait=30.0ms of kworker/1:0 (pid 20)\n"));
	result_finish(&r);
}

/* ---- records ---- */

static void set_record(struct sidecar *s, const struct ktstr_result *r)
{
	sidecar_init(s);
	s->test_name = "t";
	s->topology = "1n1l4c1t";
	s->scheduler = "eevdf";
	s->work_type = "CpuSpin";
	assert_int_equal(sidecar_set_result(s, r), 0);
}

static void records_there_and_back(void **state)
{
	_sidecar_ struct sidecar s, back;
	_str_ struct str text = {}, again = {};
	const struct sidecar_events *e;
	_free_ char *work = NULL;
	struct ktstr_result r;

	(void)state;
	fill_result(&r);
	set_record(&s, &r);
	result_finish(&r);
	sidecar_to_json(&s, &text);
	work = strdup(text.s);
	assert_int_equal(sidecar_parse(&back, work, text.len), 0);
	sidecar_to_json(&back, &again);
	assert_string_equal(text.s, again.s);
	assert_true(back.stats.total_wait_ms.value == 5.000001);
	assert_true(back.stats.worst_wait_us.value == 5000.001);
	assert_true(back.stats.worst_wait_cpu.value == 1);
	assert_true(back.stats.worst_p99_wait_us.value == 5000.001);
	assert_true(back.stats.worst_p99_wakeup_wait_us.is_known);
	assert_true(back.stats.worst_idle_wait_pct.value == 5);
	assert_true(back.stats.worst_system_wait_us.value == 30000);
	assert_true(back.stats.worst_migrations_per_s.value == 5);
	assert_int_equal(back.stats.cgroups[0].waits.count, 1);
	assert_true(back.stats.cgroups[0].worst_wait_tid.value == 100);
	e = &back.phases[0].events;
	assert_true(e->is_known);
	assert_int_equal(e->cpu_count, 3);
	assert_int_equal(e->task_count, 18);
	assert_true(e->idle_wait_pct.value == 5);
	assert_false(e->cpus[1].idle_wait_ns.is_known);
	assert_string_equal(e->tasks[2].worst_wait_by, "cg_0/0");
	assert_null(e->tasks[3].worst_wait_by);
	assert_false(back.phases[1].events.is_known);
}

static void records_without_events_have_none(void **state)
{
	static const char old[] =
		"{\"schema_version\":1,\"test_name\":\"t\",\"topology\":\"1n1l1c1t\","
		"\"scheduler\":\"eevdf\",\"work_type\":\"CpuSpin\",\"outcome\":\"pass\","
		"\"stats\":{\"worst_gap_ms\":3,\"cgroups\":[{\"name\":\"a\",\"workers\":1}]},"
		"\"phases\":[{\"name\":\"a\",\"start_ms\":0,\"end_ms\":5,\"cgroups\":[]}]}";
	_free_ char *work = strdup(old);
	_sidecar_ struct sidecar s, back;
	_str_ struct str text = {};
	struct ktstr_result r;
	struct fixture f;

	(void)state;
	assert_int_equal(sidecar_parse(&back, work, strlen(work)), 0);
	assert_false(back.stats.worst_wait_us.is_known);
	assert_false(back.stats.cgroups[0].wait_ns.is_known);
	assert_int_equal(back.stats.cgroups[0].waits.count, 0);
	assert_false(back.phases[0].events.is_known);
	fixture_init(&f);
	f.made.cgroup.seen_count = 0;
	judge(&f, &r);
	set_record(&s, &r);
	result_finish(&r);
	fixture_finish(&f);
	sidecar_to_json(&s, &text);
	assert_non_null(strstr(text.s, "\"worst_wait_us\":null"));
	assert_non_null(strstr(text.s, "\"worst_idle_wait_pct\":null"));
	assert_non_null(strstr(text.s, "\"worst_system_wait_us\":null"));
	assert_non_null(strstr(text.s, "\"worst_migrations_per_s\":null"));
	assert_non_null(strstr(text.s, "\"events\":null"));
}

static void versus_has_rows_of_events(void **state)
{
	_versus_ struct versus v = {};
	_str_ struct str text = {};
	struct ktstr_result r;

	(void)state;
	fill_result(&r);
	free(r.phases.items[0].name);
	free(r.phases.items[1].name);
	r.phases.items[0].name = strdup("scx_x: p");
	r.phases.items[1].name = strdup("eevdf: p");
	assert_int_equal(versus_collect(&r, &v), 0);
	assert_int_equal(versus_add_table(&v, &text), 0);
	assert_non_null(strstr(str_get(&text), " p      CPU time ms           2000    2000 "));
	assert_non_null(strstr(str_get(&text), " p      idle while waiting %  5       -   "));
	assert_non_null(strstr(str_get(&text), " p      worst wait us         5000    0  "));
	assert_non_null(strstr(str_get(&text), " p      wait p99 us           5000    - "));
	assert_non_null(strstr(str_get(&text), " p      wakeup wait p99 us    5000    - "));
	assert_non_null(strstr(str_get(&text), " p      CPUs busy %           25      -  "));
	assert_non_null(strstr(str_get(&text), " p      longest unpicked ms   70      -  "));
	result_finish(&r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_are_added_up_over_phases),
		cmocka_unit_test(waits_before_the_start_are_at_the_beginning),
		cmocka_unit_test(open_waits_count_once),
		cmocka_unit_test(what_was_not_seen_is_absent),
		cmocka_unit_test(phases_have_tasks_and_cpus),
		cmocka_unit_test(forgotten_tasks_have_no_counts),
		cmocka_unit_test(the_worst_is_told_with_its_place),
		cmocka_unit_test(json_there_and_back),
		cmocka_unit_test(json_of_nothing_is_null),
		cmocka_unit_test(bad_events_are_refused),
		cmocka_unit_test(merging_keeps_the_phase_that_saw_more),
		cmocka_unit_test(totals_have_the_worst_of_any_cgroup),
		cmocka_unit_test(the_lines_below_the_statistics),
		cmocka_unit_test(records_there_and_back),
		cmocka_unit_test(records_without_events_have_none),
		cmocka_unit_test(versus_has_rows_of_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
