// SPDX-License-Identifier: GPL-2.0-only
/* Samples of a guest made by hand, the figures they come to, and limits that they break. */
#include "unit.h"

#include "base/err.h"
#include "check/check.h"
#include "watch/parts.h"
#include "watch_image.h"

#define MS 1000000ULL

static const struct ktstr_assert defaults = { .max_imbalance_ratio = 4,
					      .max_local_dsq_depth = 50,
					      .fail_on_stall = KTSTR_ON,
					      .sustained_samples = 5,
					      .max_fallback_rate = 200,
					      .max_keep_last_rate = 100 };

/* Two CPUs; the clock of both goes on. */
static void add(struct series *s, uint32_t first, uint32_t second)
{
	uint64_t time = 1000 * MS + s->samples.count * 100 * MS;
	struct cpu_sample cpus[IMAGE_CPUS] = {
		{ .is_known = true, .nr_running = first, .clock_ns = time },
		{ .is_known = true, .nr_running = second, .clock_ns = time + 1 },
	};

	s->cpu_count = IMAGE_CPUS;
	assert_int_equal(series_add(s, &(struct guest_sample){ .time_ns = time, .cpus = cpus }), 0);
}

static void add_many(struct series *s, size_t count, uint32_t first, uint32_t second)
{
	for (size_t i = 0; i < count; i++)
		add(s, first, second);
}

static struct cpu_sample *last_cpu(struct series *s, size_t back, unsigned int cpu)
{
	return &s->samples.items[s->samples.count - 1 - back].cpus[cpu];
}

static void expect(const struct series *s, const struct ktstr_assert *limits, const char *text)
{
	struct monitor_verdict v;
	_str_ struct str out = {};

	monitor_judge(s, limits, &v);
	monitor_add_verdict(&v, &out);
	for (size_t i = 0; i < v.detail_count; i++)
		str_addf(&out, "; %s", v.details[i].text);
	assert_string_equal(str_get(&out), text);
}

static void imbalance_counts_when_it_lasts(void **state)
{
	struct series s = {};

	(void)state;
	add_many(&s, 4, 9, 1);
	add(&s, 1, 1);
	add_many(&s, 4, 0, 8);
	expect(&s, &defaults, "monitor OK");
	add(&s, 0, 6);
	expect(&s, &defaults,
	       "monitor FAILED: 1 violation(s); imbalance ratio 8.0 exceeded threshold 4.0 for 5 "
	       "consecutive samples (ending at sample 9)");
	series_finish(&s);
}

static void settling_is_left_out(void **state)
{
	struct series s = {};

	(void)state;
	add_many(&s, 20, 9, 1);
	add_many(&s, 4, 9, 1);
	expect(&s, &defaults, "monitor OK");
	add(&s, 9, 1);
	expect(&s, &defaults,
	       "monitor FAILED: 1 violation(s); imbalance ratio 9.0 exceeded threshold 4.0 for 5 "
	       "consecutive samples (ending at sample 24)");
	series_finish(&s);
}

static void depth_names_its_cpu(void **state)
{
	struct series s = {};

	(void)state;
	for (int i = 0; i < 6; i++) {
		add(&s, 1, 1);
		last_cpu(&s, 0, 1)->local_dsq_depth = 51;
	}
	expect(&s, &defaults,
	       "monitor FAILED: 1 violation(s); local DSQ depth 51 on cpu1 exceeded threshold 50 "
	       "for 6 consecutive samples (ending at sample 5)");
	series_finish(&s);
}

static void clocks_that_stand_still_are_stalls(void **state)
{
	struct series s = {};

	(void)state;
	add_many(&s, 6, 1, 1);
	for (size_t i = 0; i < 6; i++)
		last_cpu(&s, i, 1)->clock_ns = 77;
	expect(&s, &defaults,
	       "monitor FAILED: 1 violation(s); rq_clock stall on cpu1 for 5 consecutive samples "
	       "(ending at sample 5, clock=77)");
	/* A CPU that idles has no reason to look at its clock. */
	for (size_t i = 0; i < 6; i++)
		last_cpu(&s, i, 1)->nr_running = 0;
	expect(&s, &defaults, "monitor OK");
	series_finish(&s);
}

/* 40 ms of a vCPU's own time are ten ticks. */
static void a_vcpu_that_the_host_keeps_is_not_stalled(void **state)
{
	struct series s = {};

	(void)state;
	add_many(&s, 6, 1, 1);
	for (size_t i = 0; i < 6; i++) {
		last_cpu(&s, i, 1)->clock_ns = 77;
		last_cpu(&s, i, 1)->vcpu_ns = 1000 * MS - i * 39 * MS;
	}
	expect(&s, &defaults, "monitor OK");
	for (size_t i = 0; i < 6; i++)
		last_cpu(&s, i, 1)->vcpu_ns = 1000 * MS - i * 40 * MS;
	expect(&s, &defaults,
	       "monitor FAILED: 1 violation(s); rq_clock stall on cpu1 for 5 consecutive samples "
	       "(ending at sample 5, clock=77)");
	/* What is not known is no excuse. */
	last_cpu(&s, 2, 1)->vcpu_ns = 0;
	expect(&s, &defaults,
	       "monitor FAILED: 1 violation(s); rq_clock stall on cpu1 for 5 consecutive samples "
	       "(ending at sample 5, clock=77)");
	series_finish(&s);
}

static void violations_are_seen_when_they_are_sustained(void **state)
{
	struct monitor_detail what;
	struct series s = {};

	(void)state;
	add_many(&s, 4, 9, 1);
	assert_false(monitor_is_sustained(&s, &defaults, false, &what));
	add(&s, 9, 1);
	assert_false(monitor_is_sustained(&s, &defaults, true, &what));
	assert_true(monitor_is_sustained(&s, &defaults, false, &what));
	assert_string_equal(what.field, "max_imbalance_ratio");
	/* It is over. */
	add_many(&s, 2, 1, 1);
	assert_false(monitor_is_sustained(&s, &defaults, false, &what));
	/* Rates do not count. */
	add_many(&s, 7, 1, 1);
	for (size_t i = 0; i < 7; i++)
		for (unsigned int cpu = 0; cpu < IMAGE_CPUS; cpu++) {
			last_cpu(&s, 6 - i, cpu)->known_events = 1 << SCX_EV_FALLBACK;
			last_cpu(&s, 6 - i, cpu)->events[SCX_EV_FALLBACK] = (int64_t)(i * 1000);
		}
	assert_false(monitor_is_sustained(&s, &defaults, false, &what));
	/* Nor what cannot be. */
	for (size_t i = 0; i < 6; i++)
		last_cpu(&s, i, 0)->local_dsq_depth = 20000;
	assert_false(monitor_is_sustained(&s, &defaults, false, &what));
	series_finish(&s);
}

static void rates_are_of_all_cpus_together(void **state)
{
	struct series s = {};

	(void)state;
	add_many(&s, 7, 1, 1);
	for (size_t i = 0; i < 7; i++)
		for (unsigned int cpu = 0; cpu < IMAGE_CPUS; cpu++) {
			struct cpu_sample *c = last_cpu(&s, 6 - i, cpu);

			c->known_events = 1 << SCX_EV_FALLBACK | 1 << SCX_EV_KEEP_LAST;
			c->events[SCX_EV_FALLBACK] = (int64_t)(i * 11);
			c->events[SCX_EV_KEEP_LAST] = (int64_t)(i * 5);
		}
	expect(&s, &defaults,
	       "monitor FAILED: 1 violation(s); fallback rate 220.0/s exceeded threshold 200.0/s "
	       "for 6 consecutive intervals (ending at sample 6)");
	series_finish(&s);
}

/* Between two samples of one moment there is no rate, nor where a CPU does not count. */
static void samples_of_one_moment_have_no_rate(void **state)
{
	struct series s = {};

	(void)state;
	add_many(&s, 7, 1, 1);
	for (size_t i = 0; i < 7; i++)
		for (unsigned int cpu = 0; cpu < IMAGE_CPUS; cpu++) {
			struct cpu_sample *c = last_cpu(&s, 6 - i, cpu);

			c->known_events = 1 << SCX_EV_FALLBACK;
			c->events[SCX_EV_FALLBACK] = (int64_t)(i * 1000);
			s.samples.items[i].time_ns = 1000 * MS;
		}
	expect(&s, &defaults, "monitor OK");
	for (size_t i = 0; i < 7; i++) {
		s.samples.items[i].time_ns = 1000 * MS + i * 100 * MS;
		last_cpu(&s, 6 - i, 1)->known_events = 0;
	}
	expect(&s, &defaults, "monitor OK");
	/* It has to be known at both ends. */
	for (size_t i = 0; i < 7; i++)
		last_cpu(&s, i, 1)->known_events = i % 2 ? 1 << SCX_EV_FALLBACK : 0;
	expect(&s, &defaults, "monitor OK");
	/* A counter that falls is one that was reset. */
	for (size_t i = 0; i < 7; i++) {
		last_cpu(&s, i, 1)->known_events = 1 << SCX_EV_FALLBACK;
		last_cpu(&s, i, 0)->events[SCX_EV_FALLBACK] = (int64_t)(i * 1000);
		last_cpu(&s, i, 1)->events[SCX_EV_FALLBACK] = 0;
	}
	expect(&s, &defaults, "monitor OK");
	series_finish(&s);
}

static void limits_that_are_off_are_not_judged(void **state)
{
	const struct ktstr_assert off = { .max_imbalance_ratio = KTSTR_OFF,
					  .sustained_samples = 2 };
	struct series s = {};

	(void)state;
	add_many(&s, 9, 9, 1);
	expect(&s, &off, "monitor OK");
	series_finish(&s);
}

static void nothing_and_nonsense_are_no_verdict(void **state)
{
	struct series none = { .cpu_count = 2 }, frozen = {}, deep = {};

	(void)state;
	expect(&none, &defaults, "no monitor samples");
	add_many(&frozen, 2, 1, 1);
	for (size_t i = 0; i < 2; i++)
		for (unsigned int cpu = 0; cpu < IMAGE_CPUS; cpu++)
			last_cpu(&frozen, i, cpu)->clock_ns = 5;
	expect(&frozen, &defaults, "monitor data not yet initialized");
	add_many(&deep, 9, 1, 1);
	last_cpu(&deep, 3, 0)->local_dsq_depth = 4000000000;
	expect(&deep, &defaults, "monitor data not yet initialized");
	series_finish(&frozen);
	series_finish(&deep);
}

/* As the block of a run; 2 s, and counters that begin somewhere. */
/* One that went on, one that nobody called, one that is new, one that fell, one not counted. */
static void add_programs(struct series *s)
{
	struct program_view first[] = {
		{ "grown", .id = 1, .has_stats = true, .calls = 1, .ns = 100 },
		{ "idle", .id = 2, .has_stats = true, .calls = 5, .ns = 5 },
		{ "fell", .id = 4, .has_stats = true, .calls = 5, .ns = 5 },
	};
	struct program_view last[] = {
		{ "grown", .id = 1, .has_stats = true, .calls = 10, .ns = 1000 },
		{ "idle", .id = 2, .has_stats = true, .calls = 5, .ns = 5 },
		{ "ne\033w", .id = 3, .has_stats = true, .calls = 4, .ns = 4000 },
		{ "fell", .id = 4, .has_stats = true, .calls = 4, .ns = 4 },
		{ "unknown", .id = 5 },
	};
	struct programs before = { .items = { first, 3, 3 } }, after = { .items = { last, 5, 5 } };

	assert_int_equal(series_set_programs(s, &before, &after), 0);
	assert_int_equal(s->programs.count, 4);
}

static void the_block_has_all_figures(void **state)
{
	struct monitor_verdict v;
	struct monitor_summary m;
	_str_ struct str out = {};
	struct series s = { .unreadable = 3, .overruns = 2 };

	(void)state;
	add_many(&s, 21, 2, 1);
	for (size_t i = 0; i < 21; i++) {
		for (unsigned int cpu = 0; cpu < IMAGE_CPUS; cpu++) {
			struct cpu_sample *c = last_cpu(&s, 20 - i, cpu);

			c->known_events = (1U << SCX_COUNTERS) - 1;
			c->known_stats = (1U << SCHEDSTAT_COUNT) - 1;
			c->events[SCX_EV_KEEP_LAST] = 1000 + (int64_t)i;
			c->events[SCX_EV_REFILL_SLICE] = (int64_t)i * 2;
			c->events[SCX_EV_BYPASS_DURATION] = (int64_t)i;
			c->stats[STAT_RQ_SCHED_COUNT] = 100 + i * 10;
			c->stats[STAT_RQ_RUN_DELAY] = i * 1000;
			c->stats[STAT_RQ_TTWU_COUNT] = i;
			c->stats[STAT_RQ_GOIDLE] = 40 - i;
		}
	}
	last_cpu(&s, 5, 0)->local_dsq_depth = 4;
	add_programs(&s);
	monitor_summarize(&s, &m);
	monitor_judge(&s, &defaults, &v);
	monitor_add_block(&s, &m, &v, &out);
	assert_string_equal(str_get(&out),
			    "samples=21 max_imbalance=2.00 max_dsq_depth=4 stall=false\n"
			    "avg: imbalance=2.00 nr_running/cpu=1.5 dsq/cpu=0.1\n"
			    "events: fallback=0 (0.0/s) keep_last=40 (20.0/s) offline=0\n"
			    "events+: refill_slice_dfl=80 bypass_duration=40ns\n"
			    "schedstat: csw=400 (200/s) run_delay=20000ns/s ttwu=40 goidle=0\n"
			    "bpf: grown cnt=9 100ns/call\n"
			    "bpf: ne\\x1bw cnt=4 1000ns/call\n"
			    "unreadable: 3 reads\n"
			    "overruns: 2 samples took longer than 10 ms\n"
			    "warning: a counter went back; it counts as not grown\n"
			    "verdict: monitor OK\n");
	series_finish(&s);
}

static void a_series_survives_its_process(void **state)
{
	struct series s = { .unreadable = 7,
			    .left_out = 9,
			    .overruns = 4,
			    .is_exact = true,
			    .problem = "none" },
		      copy;
	_str_ struct str bytes = {};

	(void)state;
	add_many(&s, 3, 5, 6);
	add_programs(&s);
	assert_int_equal(series_encode(&s, &bytes), 0);
	assert_int_equal(series_decode(&copy, bytes.s, bytes.len), 0);
	assert_true(copy.samples.count == 3 && copy.unreadable == 7 && copy.overruns == 4 &&
		    copy.is_exact && copy.left_out == 9);
	assert_string_equal(copy.problem, "none");
	assert_true(copy.samples.items[2].cpus[1].nr_running == 6);
	assert_true(copy.samples.items[2].time_ns == s.samples.items[2].time_ns);
	assert_true(copy.programs.count == 4 && copy.programs.items[2].ns == 4000);
	assert_string_equal(copy.programs.items[0].name, "grown");
	series_finish(&copy);
	for (size_t len = 0; len < bytes.len; len++)
		assert_int_equal(series_decode(&copy, bytes.s, len), -EINVAL);
	err_clear();
	series_finish(&s);
}

static void a_series_has_limits(void **state)
{
	struct series s = { .cpu_count = VM_MAX_CPUS }, copy;
	struct guest_sample none = {};
	_str_ struct str bytes = {};

	(void)state;
	assert_int_equal(series_encode(&s, &bytes), 0);
	assert_int_equal(series_decode(&copy, bytes.s, bytes.len), 0);
	series_finish(&copy);
	str_reset(&bytes);
	s.cpu_count++;
	assert_int_equal(series_encode(&s, &bytes), 0);
	assert_int_equal(series_decode(&copy, bytes.s, bytes.len), -EINVAL);
	str_reset(&bytes);
	s.cpu_count = 0;
	assert_int_equal(series_encode(&s, &bytes), 0);
	assert_int_equal(series_decode(&copy, bytes.s, bytes.len), -EINVAL);
	/* What is too much is counted, and nothing is stored of it. */
	s.samples.count = SERIES_MAX_SAMPLES;
	assert_int_equal(series_add(&s, &none), 0);
	assert_int_equal(series_add(&s, &none), 0);
	assert_int_equal(s.left_out, 2);
	assert_int_equal(s.samples.count, SERIES_MAX_SAMPLES);
	err_clear();
}

static void fill_queue(struct image *m, unsigned int cpu, uint32_t running, uint64_t clock)
{
	uint64_t rq = image_of_cpu(cpu, IMAGE_RUNQUEUES);

	image_put(m, rq + 8, running, 1);
	image_put(m, rq + 16, clock, 8);
	image_put(m, rq + 24, 3, 4);
	image_put(m, rq + 40, 900, 8);
	image_put(m, rq + 48, 33, 8);
}

/* What the kernel has is read, and what it does not have stays unknown. */
static void a_sample_has_what_the_kernel_has(void **state)
{
	struct cpu_sample cpus[3] = {};
	struct guest_sample s = { .cpus = cpus, .cpu_count = 3 };
	struct space space;
	struct image m = {};

	(void)state;
	assert_int_equal(image_open(&m), 0);
	m.layout.members[M_RQ_NR_RUNNING] = 8;
	m.layout.bytes[M_RQ_NR_RUNNING] = 1; /* the bytes behind it are of others */
	image_put(&m, image_of_cpu(0, IMAGE_RUNQUEUES) + 9, 0xff, 1);
	m.layout.members[M_RQ_CLOCK] = 16;
	m.layout.members[M_RQ_SCX_NR_RUNNING] = 24;
	m.layout.members[M_RQ_RUN_DELAY] = 40;
	m.layout.members[M_RQ_TTWU_LOCAL] = 48; /* those between them are not there */
	m.layout.members[M_SCHED_PCPU] = 8;
	m.layout.members[M_EV_KEEP_LAST] = 16;
	fill_queue(&m, 0, 2, 5000);
	fill_queue(&m, 1, 4, 6000);
	assert_int_equal(space_open(&space, &m.memory, &m.layout), 0);
	sample_take(&s, &space);
	assert_false(s.has_scheduler);
	assert_true(cpus[0].is_known && cpus[0].nr_running == 2 && cpus[0].clock_ns == 5000);
	assert_true(cpus[1].nr_running == 4 && !cpus[1].has_scx && !cpus[1].known_events);
	assert_true(cpus[1].known_stats == (1 << STAT_RQ_RUN_DELAY | 1 << STAT_RQ_TTWU_LOCAL));
	assert_true(cpus[1].stats[STAT_RQ_RUN_DELAY] == 900);
	assert_true(cpus[1].stats[STAT_RQ_TTWU_LOCAL] == 33);
	assert_false(cpus[2].is_known);

	/* A scheduler with counters per CPU, at once behind the pointer as in 6.16. */
	image_set(&m, IMAGE_SCX_ROOT, IMAGE_DIRECT + IMAGE_HEAP, 8);
	image_put(&m, IMAGE_HEAP + 8, IMAGE_TEXT + 0x20, 8);
	image_put(&m, image_of_cpu(1, 0x20) + 16, 12, 8);
	image_put(&m, image_of_cpu(1, 0x20) + 24, 34, 8);
	sample_take(&s, &space);
	assert_true(s.has_scheduler && cpus[1].known_events == 1 << SCX_EV_KEEP_LAST);
	assert_true(cpus[1].events[SCX_EV_KEEP_LAST] == 12);
	/* And inside of another struct, as in 6.18. */
	m.layout.members[M_PCPU_EVENTS] = 8;
	sample_take(&s, &space);
	assert_true(cpus[1].events[SCX_EV_KEEP_LAST] == 34);
	/* A pointer to nowhere costs the counters and nothing else. */
	image_put(&m, IMAGE_HEAP + 8, 0xdead, 8);
	sample_take(&s, &space);
	assert_true(cpus[1].is_known && !cpus[1].known_events && space.unreadable);
	image_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(imbalance_counts_when_it_lasts),
		cmocka_unit_test(settling_is_left_out),
		cmocka_unit_test(depth_names_its_cpu),
		cmocka_unit_test(clocks_that_stand_still_are_stalls),
		cmocka_unit_test(a_vcpu_that_the_host_keeps_is_not_stalled),
		cmocka_unit_test(violations_are_seen_when_they_are_sustained),
		cmocka_unit_test(rates_are_of_all_cpus_together),
		cmocka_unit_test(samples_of_one_moment_have_no_rate),
		cmocka_unit_test(limits_that_are_off_are_not_judged),
		cmocka_unit_test(nothing_and_nonsense_are_no_verdict),
		cmocka_unit_test(the_block_has_all_figures),
		cmocka_unit_test(a_series_survives_its_process),
		cmocka_unit_test(a_series_has_limits),
		cmocka_unit_test(a_sample_has_what_the_kernel_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
