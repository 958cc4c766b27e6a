// SPDX-License-Identifier: GPL-2.0-only
/* Which schedulers a sweep tries, on which kernels and machines, and what is kept of each cell. */
#include "played_run.h"

#include "run/parts.h"

static struct sweep sweep;
static struct sweep_options options;

static int start(void **state)
{
	static const char *const small[] = { "tiny-1llc" };

	played_start(state);
	sweep = (struct sweep){};
	options = (struct sweep_options){
		.label = "ktstr", .presets = small, .preset_count = 1, .seed = 3, .is_quiet = true
	};
	return 0;
}

static int stop(void **state)
{
	sweep_finish(&sweep);
	return played_stop(state);
}

#define SWEEP(f) cmocka_unit_test_setup_teardown(f, start, stop)

static int run(void)
{
	int real, rc;
	int err = catch_stream(stderr, STDERR_FILENO, &real);

	sweep_finish(&sweep);
	sweep = (struct sweep){};
	str_reset(&played.ran);
	str_reset(&played.jobs);
	rc = sweep_run(&sweep, &options);
	caught_stream(stderr, STDERR_FILENO, real, err, &played.err);
	return rc;
}

static void expect_cells(const char *expected)
{
	int rc = run();

	if (rc < 0)
		fail_msg("%s", err_text(rc));
	assert_string_equal(str_get(&played.ran), expected);
}

static void expect_refused(int error, const char *text)
{
	assert_int_equal(run(), -error);
	expect_part(err_text(-error), text);
	assert_string_equal(str_get(&played.ran), "");
}

static void play_good(const struct task *t, struct outcome *o)
{
	(void)t;
	str_add(&o->sched_report, "{\"end\":\"ran\",\"attached\":true}");
	str_add(&o->output, "worker on cpu0: 12.5 ms\n");
}

static void declared_schedulers_are_tried_on_each_kernel_and_machine(void **state)
{
	static const char *const kernels[] = { "7.0", "6.12" };
	static const char *const machines[] = { "tiny-1llc", "smt-2llc" };

	(void)state;
	options.kernels = kernels;
	options.kernel_count = 2;
	options.presets = machines;
	options.preset_count = 2;
	expect_cells("verifier/mine/kernel_0/tiny-1llc:1:3 verifier/mine/kernel_0/smt-2llc:1:3 "
		     "verifier/mine/kernel_1/tiny-1llc:1:3 verifier/mine/kernel_1/smt-2llc:1:3 ");
	expect_part(str_get(&played.jobs), "verifier/mine/kernel_0/tiny-1llc /bin/true -;");
	assert_int_equal(sweep.cells.items[1].variant.topology.llcs, 2);
	assert_int_equal(sweep.cells.items[2].variant.kernel, 1);
	assert_int_equal(sweep.ended, 4);
	/* A guest that says nothing of its scheduler is not a good one. */
	assert_int_equal(sweep_bad_count(&sweep), 4);
	played.play = play_good;
	expect_cells("verifier/mine/kernel_0/tiny-1llc:1:3 verifier/mine/kernel_0/smt-2llc:1:3 "
		     "verifier/mine/kernel_1/tiny-1llc:1:3 verifier/mine/kernel_1/smt-2llc:1:3 ");
	assert_int_equal(sweep_bad_count(&sweep), 0);
	assert_int_equal(sweep.world.slow_ns, 120 * NSEC_PER_SEC);
	assert_int_equal(sweep.world.slow_periods, 1);
}

static void a_scheduler_names_the_kernels_that_it_is_for(void **state)
{
	static const struct {
		const char *wanted;
		bool has_new, has_old;
	} rows[] = {
		{ "7.0.1", true, false },	    { "7.0.2", false, false },
		{ "6.12.9", false, true },	    { "6.12.9..7.0.1", true, true },
		{ "6.12.8..6.12.10", false, true }, { "6.13..7.0.0", false, false },
		{ "6.12.10..7.0.1", true, false },
	};
	static const char *const kernels[] = { "7.0", "6.12" };

	(void)state;
	options.kernels = kernels;
	options.kernel_count = 2;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *wanted[] = { rows[i].wanted };

		played.sched.kernels = (struct probe_texts){ .items = wanted, .count = 1 };
		if (!rows[i].has_new && !rows[i].has_old) {
			expect_refused(ENOENT, "there is nothing to verify");
			continue;
		}
		assert_int_equal(run(), 0);
		assert_int_equal(strstr(str_get(&played.ran), "kernel_0") != NULL, rows[i].has_new);
		assert_int_equal(strstr(str_get(&played.ran), "kernel_1") != NULL, rows[i].has_old);
	}
}

/* Before any guest is booted; of several kernels the others are tried. */
static void a_kernel_without_sched_ext_alone_is_refused(void **state)
{
	static const char *const kernels[] = { "7.0", "6.12" };

	(void)state;
	options.kernels = kernels;
	options.kernel_count = 1;
	played.has_scx[0] = KERNEL_NO;
	expect_refused(ENOTSUP, "kernel key_0 has no sched_ext");
	assert_int_equal(played.vm_requests, 0);
	options.kernel_count = 2;
	assert_int_equal(run(), 0);
	expect_part(str_get(&played.ran), "kernel_1");
	played.has_scx[0] = KERNEL_YES;
	played.has_scx[1] = KERNEL_NO;
	options.kernel_count = 1;
	assert_int_equal(run(), 0);
}

/* A machine that is named by hand is taken, whatever the scheduler wants. */
static void a_scheduler_names_the_machines_that_it_is_for(void **state)
{
	(void)state;
	played.sched.constraints.min_llcs = 2;
	expect_cells("verifier/mine/kernel_0/tiny-1llc:1:3 ");
	options.preset_count = 0;
	expect_cells("verifier/mine/kernel_0/tiny-2llc:1:3 verifier/mine/kernel_0/odd-3llc:1:3 "
		     "verifier/mine/kernel_0/smt-2llc:1:3 ");
	expect_part(played.err, "ktstr: without KVM only machines of up to 9 CPUs;");
	played.accel = VM_ACCEL_KVM;
	assert_int_equal(run(), 0);
	expect_part(str_get(&played.ran), "/medium-8llc:1:3 ");
	assert_null(strstr(str_get(&played.ran), "/tiny-1llc:"));
	assert_null(strstr(played.err, "without KVM"));
}

static void a_machine_that_is_not_there_is_an_error(void **state)
{
	static const char *const none[] = { "huge" };

	(void)state;
	options.presets = none;
	expect_refused(EINVAL, "there is no preset 'huge'");
}

static void one_scheduler_can_be_asked_for(void **state)
{
	(void)state;
	options.scheduler = "mine";
	expect_cells("verifier/mine/kernel_0/tiny-1llc:1:3 ");
	played.scheduler = NULL;
	expect_refused(ENOENT, "scheduler 'scx_mine' not found");
	options.scheduler = "other";
	played.scheduler = "/bin/true";
	expect_refused(ENOENT, "no test program declares a scheduler 'other'");
}

/* Without the label of a kernel, its version decides; what is no kernel matches none. */
static void a_kernel_is_one_of_those_that_a_scheduler_names(void **state)
{
	static const struct {
		const char *wanted, *version, *label;
		bool expected;
	} rows[] = {
		{ "7.0.1", "7.0.1", "kernel_x", true },
		{ "7.0.1", NULL, "kernel_7_0_1", true },
		{ "7.0.1", NULL, "kernel_7_0_2", false },
		{ "7.0.1", "unknown", "kernel_7_0_1", true },
		{ "6.12..7.1", "7.0.1", "kernel_x", true },
		{ "6.12..7.0.1", "7.0.1", "kernel_x", true },
		{ "7.0.1..7.1", "7.0.1", "kernel_x", true },
		{ "6.12..7.0", "7.0.1", "kernel_x", false },
		{ "6.12..7.1", NULL, "kernel_x", false },
		{ "6.12..7.1", "unknown", "kernel_x", false },
		{ "6.12..7.1", NULL, "kernel_6_12_7_1", false },
		{ "", "7.0.1", "kernel_", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *wanted[] = { rows[i].wanted, "6.1.1" };
		const struct run_kernel kernel = { .image.version = (char *)rows[i].version,
						   .label = (char *)rows[i].label };
		struct probe_sched sched = { .kernels = { .items = wanted, .count = 1 } };

		if (sweep_wants_kernel(&sched, &kernel) != rows[i].expected)
			fail_msg("%s of %s", rows[i].wanted, rows[i].label);
		/* One of several is enough; none is any. */
		sched.kernels.count = 2;
		assert_int_equal(sweep_wants_kernel(&sched, &kernel), rows[i].expected);
		sched.kernels.count = 0;
		assert_true(sweep_wants_kernel(&sched, &kernel));
	}
	err_clear();
}

static void a_scheduler_of_several_programs_is_tried_once(void **state)
{
	(void)state;
	played.program_count = 2;
	expect_cells("verifier/mine/kernel_0/tiny-1llc:1:3 ");
	assert_int_equal(sweep.schedulers.count, 1);
	played.scheduler = NULL;
	expect_cells("");
	assert_int_equal(sweep.left_out.count, 1);
	assert_string_equal(played.err,
			    "ktstr: scheduler 'mine' is left out: there is no program scx_mine\n"
			    "ktstr: nothing was verified: every declared scheduler was left out\n");
}

/* What was declared and cannot be tried is not replaced by something that passes. */
static void schedulers_without_a_program_are_left_out(void **state)
{
	(void)state;
	played.scheduler = NULL;
	expect_cells("");
	expect_part(played.err,
		    "ktstr: scheduler 'mine' is left out: there is no program scx_mine\n"
		    "ktstr: nothing was verified: every declared scheduler was left out\n");
	played.sched.binary = NULL;
	expect_cells("");
	expect_part(played.err, "ktstr: scheduler 'mine' is left out: it is part of the kernel\n");
	played.sched.binary_path = "/no/where";
	expect_cells("");
	expect_part(played.err, "there is no program /no/where\n");
}

static void without_tests_the_fixture_is_tried(void **state)
{
	(void)state;
	played.test_count = 0;
	expect_cells("verifier/scx-ktstr/kernel_0/tiny-1llc:1:3 ");
	played.scheduler = NULL;
	expect_cells("");
	expect_part(played.err, "there is no program scx-ktstr\n");
}

static void a_program_that_is_given_has_its_own_name_or_another(void **state)
{
	(void)state;
	options.scheduler_bin = "/bin/false";
	expect_cells("verifier/false/kernel_0/tiny-1llc:1:3 ");
	options.scheduler = "mine";
	expect_cells("verifier/mine/kernel_0/tiny-1llc:1:3 ");
	options.scheduler_bin = "/no/where";
	assert_int_equal(run(), -ENOENT);
}

/* ---- profiles ---- */

static const char *needed[] = { "llc" };
static struct probe_flag flags[] = { { .name = "llc" },
				     { .name = "steal", .requires_flags = { needed, 1 } },
				     { .name = "borrow" } };

static void profiles_are_sets_of_flags_that_fit_together(void **state)
{
	(void)state;
	played.sched.flags.items = flags;
	played.sched.flags.count = 2;
	expect_cells("verifier/mine/kernel_0/tiny-1llc:1:3 ");
	options.has_all_profiles = true;
	expect_cells("verifier/mine/kernel_0/tiny-1llc/default:1:3 "
		     "verifier/mine/kernel_0/tiny-1llc/llc:1:3 "
		     "verifier/mine/kernel_0/tiny-1llc/llc+steal:1:3 ");
	assert_int_equal(sweep.cells.items[0].variant.flags, 0);
	assert_int_equal(sweep.cells.items[2].variant.flags, 3);
	played.sched.flags.count = 3;
	options.has_all_profiles = false;
	options.profiles = "borrow,default,steal+llc";
	expect_cells("verifier/mine/kernel_0/tiny-1llc/borrow:1:3 "
		     "verifier/mine/kernel_0/tiny-1llc/default:1:3 "
		     "verifier/mine/kernel_0/tiny-1llc/llc+steal:1:3 ");
	assert_int_equal(sweep.cells.items[0].variant.flags, 4);
}

static void profiles_that_cannot_be_are_refused(void **state)
{
	static const struct {
		const char *profiles, *text;
	} rows[] = {
		{ "llc,none", "scheduler 'mine' has no flag 'none'" },
		{ "steal", "flag 'steal' of scheduler 'mine' needs others" },
		{ "+", "a profile without a name" },
		{ ",", "--profiles names none" },
	};

	(void)state;
	played.sched.flags.items = flags;
	played.sched.flags.count = 3;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		options.profiles = rows[i].profiles;
		expect_refused(EINVAL, rows[i].text);
	}
}

/* ---- running ---- */

static void play_interrupt(const struct task *t, struct outcome *o)
{
	(void)t;
	o->facts.end = OUTCOME_INTERRUPTED;
}

static void an_interrupt_leaves_cells_without_a_verdict(void **state)
{
	static const char *const machines[] = { "tiny-1llc", "smt-2llc" };

	(void)state;
	options.presets = machines;
	options.preset_count = 2;
	played.play = play_interrupt;
	played.execute_rc = -EINTR;
	assert_int_equal(run(), -EINTR);
	assert_string_equal(str_get(&played.ran), "verifier/mine/kernel_0/tiny-1llc:1:3 ");
	assert_int_equal(sweep.ended, 0);
	assert_false(sweep.cells.items[0].has_ended);
	assert_int_equal(sweep_bad_count(&sweep), 2);
}

static void play_task(const struct task *t, struct outcome *o)
{
	play_good(t, o);
	assert_int_equal(t->job.event_fd, -1);
	assert_int_equal(t->job.variant->test->duration_ms, 200);
	assert_string_equal(t->job.variant->binary_id, "verifier");
	assert_int_equal(t->job.variant->memory_mib, t->job.variant->preset->memory_mib);
	assert_ptr_equal(t->job.knobs, &sweep.knobs);
	assert_ptr_equal(t->job.world, &sweep.world);
	assert_ptr_equal(t->job.world->kernels, &sweep.kernels);
	assert_int_equal(t->job.world->is_verbose, options.is_verbose);
	assert_int_equal(t->job.knobs->slice_us, VM_SIM_SLICE_UNSET);
}

static void each_cell_is_a_task_of_its_own(void **state)
{
	(void)state;
	played.play = play_task;
	options.jobs = 3;
	expect_cells("verifier/mine/kernel_0/tiny-1llc:1:3 ");
	assert_int_equal(played.limits.jobs, 3);
	assert_int_equal(sweep.ended, 1);
	options.is_verbose = true;
	expect_cells("verifier/mine/kernel_0/tiny-1llc:1:3 ");
}

static void cells_that_run_are_told_on_one_line(void **state)
{
	static const char *const machines[] = { "tiny-1llc", "smt-2llc" };

	(void)state;
	played.has_screen = true;
	options.presets = machines;
	options.preset_count = 2;
	options.is_quiet = false;
	assert_int_equal(run(), 0);
	expect_part(played.err, "\r\033[Kktstr: 0/2: verifier/mine/kernel_0/tiny-1llc, "
				"verifier/mine/kernel_0/smt-2llc");
	assert_true(str_ends(played.err, "\r\033[Kktstr: 2/2\r\033[K"));
	/* Lines of ends are not written behind it. */
	options.is_verbose = true;
	assert_int_equal(run(), 0);
	expect_part(played.err, "smt-2llc\r\033[Kktstr: verifier/mine/kernel_0/tiny-1llc: ");
	options.is_quiet = true;
	assert_int_equal(run(), 0);
	assert_null(strchr(played.err, '\033'));
}

/* It decides nothing but sim. */
static void a_seed_that_decides_nothing_is_told(void **state)
{
	(void)state;
	played.play = play_good;
	played.accel = VM_ACCEL_KVM;
	expect_cells("verifier/mine/kernel_0/tiny-1llc:1:3 ");
	assert_string_equal(played.err, "");
	options.has_seed = true;
	expect_cells("verifier/mine/kernel_0/tiny-1llc:1:3 ");
	expect_part(played.err, "warning: --seed has no effect in ");
	played.accel = VM_ACCEL_SIM;
	expect_cells("verifier/mine/kernel_0/tiny-1llc:1:3 ");
	assert_string_equal(played.err, "");
}

static void each_end_is_told_where_that_is_wanted(void **state)
{
	(void)state;
	played.play = play_good;
	expect_cells("verifier/mine/kernel_0/tiny-1llc:1:3 ");
	assert_string_equal(played.err, "");
	options.is_verbose = true;
	expect_cells("verifier/mine/kernel_0/tiny-1llc:1:3 ");
	assert_string_equal(played.err, "ktstr: verifier/mine/kernel_0/tiny-1llc: ok\n");
	played.play = NULL;
	expect_cells("verifier/mine/kernel_0/tiny-1llc:1:3 ");
	expect_part(played.err, "tiny-1llc: the guest did not report the state of the scheduler\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SWEEP(declared_schedulers_are_tried_on_each_kernel_and_machine),
		SWEEP(a_scheduler_names_the_kernels_that_it_is_for),
		SWEEP(a_kernel_without_sched_ext_alone_is_refused),
		SWEEP(a_scheduler_names_the_machines_that_it_is_for),
		SWEEP(a_machine_that_is_not_there_is_an_error),
		SWEEP(one_scheduler_can_be_asked_for),
		SWEEP(a_kernel_is_one_of_those_that_a_scheduler_names),
		SWEEP(a_scheduler_of_several_programs_is_tried_once),
		SWEEP(schedulers_without_a_program_are_left_out),
		SWEEP(without_tests_the_fixture_is_tried),
		SWEEP(a_program_that_is_given_has_its_own_name_or_another),
		SWEEP(profiles_are_sets_of_flags_that_fit_together),
		SWEEP(profiles_that_cannot_be_are_refused),
		SWEEP(an_interrupt_leaves_cells_without_a_verdict),
		SWEEP(each_cell_is_a_task_of_its_own),
		SWEEP(cells_that_run_are_told_on_one_line),
		SWEEP(a_seed_that_decides_nothing_is_told),
		SWEEP(each_end_is_told_where_that_is_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
