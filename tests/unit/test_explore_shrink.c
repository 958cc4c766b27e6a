// SPDX-License-Identifier: GPL-2.0-only
/* How a failure becomes as small as it can. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "base/util.h"
#include "explore/parts.h"
#include "run/parts.h"
#include "unit.h"

/* A failure that needs so much and is the same with more. */
struct fake_bug {
	unsigned int cpus, workers;
	uint64_t ms;
	unsigned int fixed_workers; /* the body has its own number */
	uint64_t fixed_ms;	    /* and its own duration */
	uint64_t steps;		    /* as bits: these have to be there */
	unsigned int fixed_steps;   /* the body takes all of them, whatever it is told */
	unsigned int hold_percent;
	bool is_half;	     /* of what is asked for, half goes */
	uint64_t percent_ns; /* of holds; 0 = a millisecond */
	size_t judged;
};

static int judge_bug(void *ctx, struct shrink_form *form, bool *is_same)
{
	struct fake_bug *b = ctx;
	const struct run_knobs *k = &form->knobs;
	unsigned int workers = b->fixed_workers ? b->fixed_workers : k->workers ? k->workers : 8;
	uint64_t ms;

	b->judged++;
	assert_int_equal(k->topology.llcs % k->topology.nodes, 0);
	*is_same = (!k->steps || (k->steps & b->steps) == b->steps) &&
		   (!k->hold_percent || k->hold_percent >= b->hold_percent) &&
		   vm_topology_cpus(&k->topology) >= b->cpus && workers >= b->workers &&
		   (!k->duration_ms || k->duration_ms >= b->ms);
	form->workers = workers;
	ms = b->fixed_ms ? b->fixed_ms : k->duration_ms ? k->duration_ms : 5000;
	form->guest_ns = ms * (b->is_half ? 500000 : 1000000) + 4000000000 +
			 (k->hold_percent ? k->hold_percent : 100) *
				 (b->percent_ns ? b->percent_ns : 1000000);
	form->seed = 7;
	if (form->steps && !b->fixed_steps && k->steps)
		form->steps = (size_t)__builtin_popcountll(k->steps & 0x3f);
	return 0;
}

static const struct shrink_start start = { .topology = { 1, 2, 2, 2 },
					   .duration_ms = 5000,
					   .workers = 8 };

static struct shrink_form shrunk(struct fake_bug *b)
{
	struct shrink_form form = {
		.knobs = RUN_KNOBS_DEFAULT, .seed = 3, .workers = 8, .guest_ns = 9100000000
	};

	form.knobs.topology = start.topology;
	assert_int_equal(shrink_run(&start, judge_bug, b, &form), 0);
	return form;
}

static void a_failure_becomes_as_small_as_it_can(void **state)
{
	struct fake_bug anything = { .cpus = 1 }, some = { .cpus = 2, .workers = 3, .ms = 900 };
	struct shrink_form form = shrunk(&anything);

	(void)state;
	assert_int_equal(vm_topology_cpus(&form.knobs.topology), 1);
	assert_int_equal(form.knobs.workers, 1);
	assert_in_range(form.knobs.duration_ms, 1, 10);
	form = shrunk(&some);
	assert_int_equal(vm_topology_cpus(&form.knobs.topology), 2);
	assert_int_equal(form.knobs.workers, 3);
	assert_in_range(form.knobs.duration_ms, 900, 960);
	assert_int_equal(form.seed, 7);
	assert_false(form.is_beginning);
	assert_in_range(some.judged, 1, 32);
}

/* Powers of two are not all there is. */
static void every_number_of_workers_and_cpus_is_found(void **state)
{
	(void)state;
	for (unsigned int needed = 1; needed <= 8; needed++) {
		struct fake_bug b = { .cpus = needed, .workers = needed, .ms = 40 * needed };
		struct shrink_start from = { .topology = { 1, 1, 8, 1 },
					     .duration_ms = 5000,
					     .workers = 8 };
		struct shrink_form form = { .knobs = RUN_KNOBS_DEFAULT,
					    .workers = 8,
					    .guest_ns = 9100000000 };

		form.knobs.topology = from.topology;
		assert_int_equal(shrink_run(&from, judge_bug, &b, &form), 0);
		assert_int_equal(vm_topology_cpus(&form.knobs.topology), needed);
		assert_int_equal(form.workers, needed);
		assert_in_range(form.knobs.duration_ms, b.ms, b.ms + b.ms / 8);
	}
}

/* A run that is only cut needs no other seed; every other form may. */
static int judge_and_count_cuts(void *ctx, struct shrink_form *form, bool *is_same)
{
	size_t *counts = ctx;
	struct fake_bug b = { .cpus = 2, .ms = 1000 };

	counts[form->is_beginning]++;
	return judge_bug(&b, form, is_same);
}

static void only_cut_runs_are_beginnings(void **state)
{
	size_t counts[2] = {};
	struct shrink_start from = { .topology = { 1, 1, 4, 1 }, .duration_ms = 5000 };
	struct shrink_form form = { .knobs = RUN_KNOBS_DEFAULT, .guest_ns = 9100000000 };

	(void)state;
	form.knobs.topology = from.topology;
	assert_int_equal(shrink_run(&from, judge_and_count_cuts, counts, &form), 0);
	assert_in_range(counts[true], 2, 24);
	assert_int_equal(counts[false], 2); /* of 4 cores 1 and 2 */
}

static void what_cannot_shrink_stays_as_it_is(void **state)
{
	struct fake_bug all = { .cpus = 8, .workers = 8, .ms = 5000 };
	struct shrink_form form = shrunk(&all);

	(void)state;
	assert_int_equal(vm_topology_cpus(&form.knobs.topology), 8);
	assert_int_equal(form.knobs.workers, 0);
	assert_int_equal(form.knobs.duration_ms, 0);
	assert_int_equal(form.seed, 3);
}

/* Half of the time that is asked for is enough, and so is a clock that was not known before. */
static void an_option_with_half_of_its_effect_is_taken(void **state)
{
	const struct shrink_start from = { .topology = { 1, 1, 1, 1 }, .duration_ms = 5000 };

	(void)state;
	for (int is_known = 0; is_known < 2; is_known++) {
		struct fake_bug half = { .cpus = 1, .is_half = is_known };
		struct shrink_form form = {
			.knobs = RUN_KNOBS_DEFAULT,
			.guest_ns = is_known ? 4000000000 + 2500000000 + 100000000 : 0
		};

		form.knobs.topology = from.topology;
		assert_int_equal(shrink_run(&from, judge_bug, &half, &form), 0);
		assert_int_equal(form.knobs.duration_ms, 1);
	}
}

static void an_option_without_effect_is_not_taken(void **state)
{
	struct fake_bug fixed = { .cpus = 1, .fixed_workers = 8, .fixed_ms = 5000 };
	struct shrink_form form = shrunk(&fixed);

	(void)state;
	assert_int_equal(form.knobs.workers, 0);
	assert_int_equal(form.workers, 8);
	assert_int_equal(form.knobs.duration_ms, 0);
}

static struct shrink_form shrunk_steps(struct fake_bug *b)
{
	struct shrink_form form = { .knobs = RUN_KNOBS_DEFAULT,
				    .seed = 3,
				    .workers = 8,
				    .steps = 6,
				    .guest_ns = 9100000000 };

	form.knobs.topology = start.topology;
	assert_int_equal(shrink_run(&start, judge_bug, b, &form), 0);
	return form;
}

static void steps_that_are_not_needed_go(void **state)
{
	struct fake_bug one = { .cpus = 1, .steps = 1 << 2 };
	struct fake_bug two = { .cpus = 1, .steps = 1 << 1 | 1 << 4, .hold_percent = 30 };
	struct fake_bug all = { .cpus = 1, .steps = 0x3f, .hold_percent = 100 };
	struct shrink_form form = shrunk_steps(&one);

	(void)state;
	assert_int_equal(form.knobs.steps, 1 << 2);
	assert_int_equal(form.steps, 1);
	assert_in_range(form.knobs.hold_percent, 10, 20);
	form = shrunk_steps(&two);
	assert_int_equal(form.knobs.steps, two.steps);
	assert_int_equal(form.steps, 2);
	assert_int_equal(form.knobs.hold_percent, 50);
	form = shrunk_steps(&all);
	assert_int_equal(form.knobs.steps, 0);
	assert_int_equal(form.steps, 6);
	assert_int_equal(form.knobs.hold_percent, 0);
}

/* A millisecond less is worth it, half of one is not. */
static void holds_are_scaled_while_that_has_an_effect(void **state)
{
	struct fake_bug b = { .cpus = 1, .percent_ns = 20000 };
	struct shrink_form form = shrunk_steps(&b);

	(void)state;
	assert_int_equal(form.knobs.hold_percent, 50);
}

static void steps_that_nobody_leaves_out_stay(void **state)
{
	struct fake_bug fixed = { .cpus = 1, .fixed_steps = 6 };
	struct shrink_form form = shrunk_steps(&fixed);

	(void)state;
	assert_int_equal(form.knobs.steps, 0);
	assert_int_equal(form.steps, 6);
}

static void every_smaller_machine_is_one(void **state)
{
	static const struct vm_topology machines[] = {
		{ 2, 6, 3, 2 }, { 3, 9, 1, 1 }, { 4, 12, 16, 2 }, { 5, 5, 1, 1 }, { 1, 7, 1, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		struct fake_bug none = { .cpus = UINT32_MAX }, any = { .cpus = 1 };
		struct shrink_start from = { .topology = machines[i] };
		struct shrink_form form = { .knobs = RUN_KNOBS_DEFAULT };

		form.knobs.topology = machines[i];
		/* Every form that is tried is looked at by judge_bug(). */
		assert_int_equal(shrink_run(&from, judge_bug, &none, &form), 0);
		assert_memory_equal(&form.knobs.topology, &machines[i], sizeof(machines[i]));
		assert_int_equal(shrink_run(&from, judge_bug, &any, &form), 0);
		assert_int_equal(vm_topology_cpus(&form.knobs.topology), 1);
		assert_int_equal(any.judged, 1);
	}
}

/* ---- every form that is tried ---- */

/* What a form has that another one does not have. */
struct told_bug {
	struct fake_bug bug;
	struct str forms;
	size_t fails_at; /* the judge fails at this form, from 1; 0 = never */
	bool is_silent;	 /* numbers of workers and steps, and the clock, are not known */
};

static int judge_and_tell(void *ctx, struct shrink_form *form, bool *is_same)
{
	struct told_bug *b = ctx;
	const struct run_knobs *k = &form->knobs;
	int rc;

	str_addf(&b->forms, "%s%llu%s %u,%u,%u,%u", b->forms.len ? "; " : "",
		 (unsigned long long)k->duration_ms, form->is_beginning ? "!" : "",
		 k->topology.nodes, k->topology.llcs, k->topology.cores, k->topology.threads);
	if (k->steps)
		str_addf(&b->forms, " s%llx", (unsigned long long)k->steps);
	if (k->workers)
		str_addf(&b->forms, " w%u", k->workers);
	if (k->hold_percent)
		str_addf(&b->forms, " h%u", k->hold_percent);
	if (b->bug.judged + 1 == b->fails_at)
		return err_set(EIO, "no QEMU");
	rc = judge_bug(&b->bug, form, is_same);
	if (b->is_silent) {
		form->workers = 0;
		form->steps = 0;
		form->guest_ns = 0;
	}
	return rc;
}

static int shrink_told(struct told_bug *b, const struct shrink_start *from, size_t steps)
{
	struct shrink_form form = { .knobs = RUN_KNOBS_DEFAULT,
				    .seed = 3,
				    .workers = b->is_silent ? 0 : from->workers,
				    .steps = steps,
				    .guest_ns = b->is_silent ? 0 : 9100000000 };

	form.knobs.topology = from->topology;
	return shrink_run(from, judge_and_tell, b, &form);
}

static const struct shrink_start large = { .topology = { 2, 6, 3, 2 },
					   .duration_ms = 5000,
					   .workers = 12 };

static void expect_forms(struct told_bug b, const struct shrink_start *from, size_t steps,
			 const char *expected)
{
	assert_int_equal(shrink_told(&b, from, steps), 0);
	assert_string_equal(str_get(&b.forms), expected);
	str_finish(&b.forms);
}

static void forms_are_tried_in_this_order(void **state)
{
	(void)state;
	expect_forms((struct told_bug){ .bug = { .cpus = 7,
						 .workers = 5,
						 .ms = 700,
						 .steps = 1 << 1 | 1 << 4,
						 .hold_percent = 30 } },
		     &large, 6,
		     "1! 2,6,3,2; 2500! 2,6,3,2; 1250! 2,6,3,2; 625! 2,6,3,2; 937! 2,6,3,2; "
		     "781! 2,6,3,2; 703! 2,6,3,2; 664! 2,6,3,2; 703 1,1,1,1; 703 1,3,3,2; "
		     "703 1,1,3,2; 703 1,2,3,2; 703 1,2,1,2; 703 1,2,2,2; 703 1,2,2,1; "
		     "703 1,2,2,2 s7; 703 1,2,2,2 s38; 703 1,2,2,2 s1f; 703 1,2,2,2 sf; "
		     "703 1,2,2,2 s17; 703 1,2,2,2 s13; 703 1,2,2,2 s11; 703 1,2,2,2 s12; "
		     "703 1,2,2,2 s12 w1; 703 1,2,2,2 s12 w6; 703 1,2,2,2 s12 w3; "
		     "703 1,2,2,2 s12 w4; 703 1,2,2,2 s12 w5; 703 1,2,2,2 s12 w5 h50; "
		     "703 1,2,2,2 s12 w5 h25; 1! 1,2,2,2 s12 w5 h50; 352! 1,2,2,2 s12 w5 h50; "
		     "527! 1,2,2,2 s12 w5 h50; 615! 1,2,2,2 s12 w5 h50; 659! 1,2,2,2 s12 w5 h50; "
		     "681! 1,2,2,2 s12 w5 h50");
	expect_forms((struct told_bug){ .bug = { .cpus = 1 } }, &large, 6,
		     "1! 2,6,3,2; 1 1,1,1,1; 1 1,1,1,1 s7; 1 1,1,1,1 s3; 1 1,1,1,1 s1; "
		     "1 1,1,1,1 s1 w1; 1 1,1,1,1 s1 w1 h50; 1 1,1,1,1 s1 w1 h25; "
		     "1 1,1,1,1 s1 w1 h12");
	expect_forms((struct told_bug){ .bug = { .cpus = 1, .ms = 3000, .steps = 0x3f } }, &start,
		     6,
		     "1! 1,2,2,2; 2500! 1,2,2,2; 3750! 1,2,2,2; 3125! 1,2,2,2; 2812! 1,2,2,2; "
		     "2968! 1,2,2,2; 3125 1,1,1,1; 3125 1,1,1,1 s7; 3125 1,1,1,1 s38; "
		     "3125 1,1,1,1 s1f; 3125 1,1,1,1 s2f; 3125 1,1,1,1 s37; 3125 1,1,1,1 s3b; "
		     "3125 1,1,1,1 s3d; 3125 1,1,1,1 s3e; 3125 1,1,1,1 w1; 3125 1,1,1,1 w1 h50; "
		     "3125 1,1,1,1 w1 h25; 3125 1,1,1,1 w1 h12; 1! 1,1,1,1 w1 h12; "
		     "1563! 1,1,1,1 w1 h12; 2344! 1,1,1,1 w1 h12; 2734! 1,1,1,1 w1 h12; "
		     "2929! 1,1,1,1 w1 h12; 3027! 1,1,1,1 w1 h12");
	expect_forms((struct told_bug){ .bug = { .cpus = 1, .ms = 3000 }, .is_silent = true },
		     &start, 0,
		     "1! 1,2,2,2; 2500! 1,2,2,2; 3750! 1,2,2,2; 3125! 1,2,2,2; 2812! 1,2,2,2; "
		     "2968! 1,2,2,2; 3125 1,1,1,1; 1! 1,1,1,1; 1563! 1,1,1,1; 2344! 1,1,1,1; "
		     "2734! 1,1,1,1; 2929! 1,1,1,1; 3027! 1,1,1,1");
	expect_forms((struct told_bug){ .bug = { .cpus = 1, .fixed_ms = 5000, .steps = 1 << 5 } },
		     &(struct shrink_start){ .topology = { 1, 1, 1, 1 }, .duration_ms = 900 }, 6,
		     "1! 1,1,1,1; 0 1,1,1,1 s7; 0 1,1,1,1 s38; 0 1,1,1,1 s18; 0 1,1,1,1 s28; "
		     "0 1,1,1,1 s20; 0 1,1,1,1 s20 h50; 0 1,1,1,1 s20 h25; 0 1,1,1,1 s20 h12; "
		     "1! 1,1,1,1 s20 h12");
	/* A sixteenth is close enough: 32 of 512. */
	expect_forms((struct told_bug){ .bug = { .cpus = 1, .ms = 500 } },
		     &(struct shrink_start){ .topology = { 1, 1, 1, 1 }, .duration_ms = 4096 }, 0,
		     "1! 1,1,1,1; 2048! 1,1,1,1; 1024! 1,1,1,1; 512! 1,1,1,1; 256! 1,1,1,1; "
		     "384! 1,1,1,1; 448! 1,1,1,1; 480! 1,1,1,1");
}

static void the_first_error_ends_it(void **state)
{
	struct told_bug all = { .bug = { .cpus = 7,
					 .workers = 5,
					 .ms = 700,
					 .steps = 1 << 1 | 1 << 4,
					 .hold_percent = 30 } };

	(void)state;
	assert_int_equal(shrink_told(&all, &large, 6), 0);
	for (size_t at = 1; at <= all.bug.judged; at++) {
		struct told_bug b = { .bug = all.bug, .fails_at = at };

		b.bug.judged = 0;
		assert_int_equal(shrink_told(&b, &large, 6), -EIO);
		/* The same forms up to that one, and none behind it. */
		assert_true(str_starts(str_get(&all.forms), str_get(&b.forms)));
		assert_int_equal(b.bug.judged, at - 1);
		str_finish(&b.forms);
	}
	str_finish(&all.forms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_failure_becomes_as_small_as_it_can),
		cmocka_unit_test(every_number_of_workers_and_cpus_is_found),
		cmocka_unit_test(only_cut_runs_are_beginnings),
		cmocka_unit_test(what_cannot_shrink_stays_as_it_is),
		cmocka_unit_test(an_option_with_half_of_its_effect_is_taken),
		cmocka_unit_test(an_option_without_effect_is_not_taken),
		cmocka_unit_test(steps_that_are_not_needed_go),
		cmocka_unit_test(holds_are_scaled_while_that_has_an_effect),
		cmocka_unit_test(steps_that_nobody_leaves_out_stay),
		cmocka_unit_test(every_smaller_machine_is_one),
		cmocka_unit_test(forms_are_tried_in_this_order),
		cmocka_unit_test(the_first_error_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
