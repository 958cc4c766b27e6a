// SPDX-License-Identifier: GPL-2.0-only
/* A battery from its plan to its records, with runs that a test plays. */
#include "unit.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "battery/summary.h"

#define ROWS 3
#define KERNELS 2
#define MACHINES 2

/* What a run comes to; the row is the variant's name. */
typedef void play_fn(const struct task *t, struct outcome *o, struct judgement *j);

static play_fn *play;
static struct str ran;	    /* "row:machine:kernel:seed " of each run */
static struct str recorded; /* "dir source " of each record */
static struct execute_limits last_limits;
static uint64_t now_ns;
static int execute_rc;
static bool ends_late; /* all runs that were started end, even after a stop */
static bool is_interrupted, has_terminal;
static int write_rc, judge_rc;
static struct str shown; /* numbers of runs that were shown as progress */
static size_t ended_progress, told_replaced;
static char *root;

uint64_t __wrap_clock_mono_ns(void);
int __wrap_execute_tasks(struct task *tasks, size_t count, const struct execute_limits *limits,
			 const struct execute_callbacks *callbacks);
void __wrap_execute_limits_read(const struct cpulist *allowed, size_t cap, size_t jobs,
				struct execute_limits *out);
int __wrap_judge(const struct variant *v, struct outcome *o, const struct judge_options *options,
		 struct judgement *out);
int __wrap_record_write(const char *dir, const struct record_facts *facts, const struct task *task,
			const char *resolve_source, struct outcome *o, struct judgement *j,
			char **path);
int __wrap_campaign_write_programs(const struct campaign *c, const char *dir);
void __wrap_campaign_tell_replaced(const struct campaign *c);
int __wrap_interrupt_check(void);
void __wrap_progress_start(struct progress *p, const char *what, uint64_t total);
void __wrap_progress_update(struct progress *p, uint64_t done);
void __wrap_progress_end(struct progress *p);

static struct judgement played;

int __wrap_interrupt_check(void)
{
	return is_interrupted ? -EINTR : 0;
}

void __wrap_progress_start(struct progress *p, const char *what, uint64_t total)
{
	*p = (struct progress){ .what = what, .total = total, .on_terminal = has_terminal };
	str_addf(&shown, "%s of %llu:", what, (unsigned long long)total);
}

void __wrap_progress_update(struct progress *p, uint64_t done)
{
	(void)p;
	str_addf(&shown, " %llu", (unsigned long long)done);
}

void __wrap_progress_end(struct progress *p)
{
	(void)p;
	ended_progress++;
}

void __wrap_campaign_tell_replaced(const struct campaign *c)
{
	(void)c;
	told_replaced++;
}

uint64_t __wrap_clock_mono_ns(void)
{
	return now_ns;
}

/* One after the other, a second each. */
int __wrap_execute_tasks(struct task *tasks, size_t count, const struct execute_limits *limits,
			 const struct execute_callbacks *callbacks)
{
	last_limits = *limits;
	for (size_t i = 0; i < count; i++) {
		const struct variant *v = tasks[i].job.variant;
		struct outcome o = { .facts.end = OUTCOME_EXITED };
		enum task_next next;

		assert_memory_equal(&v->topology, &tasks[i].job.knobs->topology,
				    sizeof(v->topology));
		str_addf(&ran, "%s:%u:%zu:%llu ", v->test->name, v->topology.llcs, v->kernel,
			 (unsigned long long)tasks[i].job.seed);
		played = (struct judgement){ .status = TEST_PASSED,
					     .has_sched_report = true,
					     .sched_report.is_attached = true };
		play(&tasks[i], &o, &played);
		now_ns += NSEC_PER_SEC;
		callbacks->tick(callbacks->ctx, NULL, 0);
		next = callbacks->ended(callbacks->ctx, &tasks[i], &o);
		outcome_finish(&o);
		if (next == TASK_STOP && !ends_late)
			break;
	}
	return execute_rc;
}

void __wrap_execute_limits_read(const struct cpulist *allowed, size_t cap, size_t jobs,
				struct execute_limits *out)
{
	(void)allowed;
	*out = (struct execute_limits){ .jobs = jobs, .cpus = cap ? cap : 2, .memory_mib = 100 };
}

int __wrap_judge(const struct variant *v, struct outcome *o, const struct judge_options *options,
		 struct judgement *out)
{
	(void)v;
	(void)options;
	/* Output of a guest may have NULs, which no text of a record can have. */
	assert_null(memchr(o->output.s ? o->output.s : "", '\0', o->output.len));
	*out = played;
	return judge_rc ? err_set(-judge_rc, "no judgement") : 0;
}

int __wrap_record_write(const char *dir, const struct record_facts *facts, const struct task *task,
			const char *resolve_source, struct outcome *o, struct judgement *j,
			char **path)
{
	(void)task;
	(void)o;
	(void)j;
	(void)path;
	assert_string_equal(facts->project_commit, "1a2b3c4");
	assert_string_equal(facts->run_id, "epoch");
	++*facts->replaced;
	str_addf(&recorded, "%s:%s ", dir + strlen(root) + 1, resolve_source);
	return 0;
}

int __wrap_campaign_write_programs(const struct campaign *c, const char *dir)
{
	(void)c;
	assert_int_equal(access(dir, W_OK), 0);
	return write_rc ? err_set(-write_rc, "no room for programs") : 0;
}

/* ---- a battery of three rows on two machines and two kernels ---- */

static struct {
	struct battery b;
	struct battery_options options;
	struct battery_place places[MACHINES];
	struct probe_test tests[ROWS];
	struct variant variants[ROWS * KERNELS];
	struct task tasks[ROWS * KERNELS];
	struct run_kernel kernels[KERNELS];
	struct run_dir dirs[KERNELS];
	bool is_left_out[KERNELS];
} made;

static int start(void **state)
{
	(void)state;
	memset(&made, 0, sizeof(made));
	root = unit_temp_create();
	made.options = (struct battery_options){ .label = "ktstr",
						 .scheduler = "./mine",
						 .seed = 5,
						 .seeds = 1,
						 .budget_ns = 1000 * NSEC_PER_SEC };
	made.b = (struct battery){ .options = &made.options,
				   .scheduler = (char *)"/x/mine",
				   .places = made.places,
				   .place_count = MACHINES,
				   .is_left_out = made.is_left_out };
	made.places[0].knobs.topology = (struct vm_topology){ 1, 1, 4, 1 };
	made.places[1].knobs.topology = (struct vm_topology){ 1, 2, 2, 1 };
	made.b.campaign.kernels.items.items = made.kernels;
	made.b.campaign.kernels.items.count = KERNELS;
	made.b.campaign.dirs = made.dirs;
	made.b.campaign.dir_count = KERNELS;
	made.b.campaign.tasks = made.tasks;
	made.b.campaign.commit.text = (char *)"1a2b3c4";
	made.b.campaign.epoch = (char *)"epoch";
	for (size_t k = 0; k < KERNELS; k++)
		made.dirs[k].path = str_fmt("%s/k%zu", root, k);
	for (size_t i = 0; i < ROWS * KERNELS; i++) {
		made.tests[i % ROWS].name = battery_rows[i % ROWS].name;
		made.variants[i] =
			(struct variant){ .test = &made.tests[i % ROWS], .kernel = i / ROWS };
		made.tasks[i].job.variant = &made.variants[i];
		assert_int_equal(vec_push(&made.b.campaign.chosen.items,
					  (const struct variant *)&made.variants[i]),
				 0);
	}
	now_ns = 1000 * NSEC_PER_SEC;
	execute_rc = 0;
	ends_late = is_interrupted = has_terminal = false;
	write_rc = judge_rc = 0;
	ended_progress = told_replaced = 0;
	return 0;
}

static int stop(void **state)
{
	(void)state;
	trials_finish(made.b.trials.items, made.b.trials.count);
	free(made.b.facts.items);
	battery_unjudged_finish(&made.b);
	free(made.b.campaign.chosen.items.items);
	for (size_t k = 0; k < KERNELS; k++)
		free(made.dirs[k].path);
	str_finish(&ran);
	str_finish(&recorded);
	str_finish(&shown);
	ran = recorded = shown = (struct str){};
	unit_temp_remove(root);
	return 0;
}

#define MADE(f) cmocka_unit_test_setup_teardown(f, start, stop)

/* The first row of that name, or the number of rows. */
static size_t row_of(const char *name)
{
	size_t i = 0;

	while (battery_rows[i].name && !str_eq(battery_rows[i].name, name))
		i++;
	return i;
}

/* Rows as their numbers: the names are the table's. */
static void expect_ran(const char *expected)
{
	_str_ struct str got = {};
	char *save = NULL;

	for (char *run = ran.s ? strtok_r(ran.s, " ", &save) : NULL; run;
	     run = strtok_r(NULL, " ", &save)) {
		char *rest = strchr(run, ':');

		*rest = '\0';
		str_addf(&got, "%s%zu:%s", got.len ? " " : "", row_of(run), rest + 1);
	}
	assert_string_equal(str_get(&got), expected);
}

static void play_passes(const struct task *t, struct outcome *o, struct judgement *j)
{
	(void)t;
	(void)o;
	(void)j;
}

static void loading_comes_first_then_one_step_with_every_row(void **state)
{
	_free_ char *machines = NULL;

	(void)state;
	play = play_passes;
	made.options.jobs = 7;
	assert_int_equal(battery_run(&made.b), 0);
	machines = str_fmt("0:1:0:5 0:2:0:5 0:1:1:5 0:2:1:5 1:%u:0:5 2:%u:0:5 1:%u:1:5 2:%u:1:5",
			   made.places[battery_rows[1].machine % 2].knobs.topology.llcs,
			   made.places[battery_rows[2].machine % 2].knobs.topology.llcs,
			   made.places[battery_rows[1].machine % 2].knobs.topology.llcs,
			   made.places[battery_rows[2].machine % 2].knobs.topology.llcs);
	expect_ran(machines);
	assert_string_equal(str_get(&recorded),
			    "k0/seed_5:command line k0/seed_5:command line k1/seed_5:command line "
			    "k1/seed_5:command line k0/seed_5:command line k0/seed_5:command line "
			    "k1/seed_5:command line k1/seed_5:command line ");
	assert_true(made.b.seconds == 8);
	assert_int_equal(made.b.done, 8);
	assert_false(made.b.is_over);
	assert_int_equal(last_limits.jobs, 7);
	assert_int_equal(last_limits.cpus, 2);
	assert_int_equal(battery_exit_code(&made.b), RUN_EXIT_PASSED);
}

static void a_cap_of_cpus_is_kept_and_one_directory_serves_all_kernels(void **state)
{
	(void)state;
	play = play_passes;
	made.b.campaign.world.cap.cpus = 3;
	made.b.campaign.dir_count = 1;
	made.b.scheduler = NULL;
	assert_int_equal(battery_run(&made.b), 0);
	assert_int_equal(last_limits.cpus, 3);
	assert_non_null(strstr(str_get(&recorded), "k0/seed_5:kernel "));
	assert_null(strstr(str_get(&recorded), "k1/"));
}

/* As many steps as were asked for, in portions; without a number until time is up. */
static void steps_go_on_to_their_number_or_the_end_of_time(void **state)
{
	(void)state;
	play = play_passes;
	made.options.seeds = 20;
	assert_int_equal(battery_run(&made.b), 0);
	assert_int_equal(made.b.trials.count, 4 + 20 * 4);
	assert_int_equal(made.b.facts.items[made.b.facts.count - 1].cell.seed, 24);
	stop(state);
	start(state);
	made.options.seeds = 0;
	made.options.budget_ns = 100 * NSEC_PER_SEC;
	assert_int_equal(battery_run(&made.b), 0);
	assert_int_equal(made.b.done, 100);
	assert_true(made.b.is_over);
}

static void play_does_not_load_on_two_llcs(const struct task *t, struct outcome *o,
					   struct judgement *j)
{
	(void)o;
	if (t->job.variant->topology.llcs == 2 && t->job.variant->kernel == 1) {
		j->status = TEST_FAILED;
		j->has_sched_report = false;
		str_add(&j->text, "it does not load\n");
	}
}

static void where_it_does_not_load_nothing_else_is_tried(void **state)
{
	(void)state;
	play = play_does_not_load_on_two_llcs;
	made.options.seeds = 4;
	assert_int_equal(battery_run(&made.b), 0);
	assert_int_equal(battery_load_at(&made.b, 1, 1), BATTERY_NOT_LOADED);
	assert_int_equal(battery_load_at(&made.b, 1, 0), BATTERY_LOADED);
	for (size_t i = 4; i < made.b.facts.count; i++)
		assert_false(made.b.facts.items[i].cell.machine == 1 &&
			     made.b.facts.items[i].cell.kernel == 1);
	assert_int_equal(made.b.facts.count, 4 + 4 * 2 + 4 * 2 / 2);
	assert_int_equal(battery_exit_code(&made.b), RUN_EXIT_FAILED);
	/* Without anything to run it ends, however much time there is. */
	stop(state);
	start(state);
	made.is_left_out[0] = made.is_left_out[1] = true;
	made.options.seeds = 0;
	assert_int_equal(battery_run(&made.b), 0);
	assert_int_equal(made.b.facts.count, 0);
	/* A kernel without sched_ext is left out as a whole. */
	stop(state);
	start(state);
	made.is_left_out[0] = true;
	play = play_passes;
	assert_int_equal(battery_run(&made.b), 0);
	assert_int_equal(made.b.facts.count, 2 + 2);
}

static void play_interrupted(const struct task *t, struct outcome *o, struct judgement *j)
{
	(void)t;
	(void)j;
	o->facts.end = OUTCOME_INTERRUPTED;
}

static void play_lost(const struct task *t, struct outcome *o, struct judgement *j)
{
	(void)t;
	(void)j;
	o->facts.end = OUTCOME_LOST;
	str_add(&o->message, "the worker died");
}

static void what_could_not_be_run_ends_it(void **state)
{
	(void)state;
	play = play_lost;
	assert_int_equal(battery_run(&made.b), -EIO);
	assert_string_equal(err_text(-EIO), "the worker died");
	assert_int_equal(made.b.done, 0);
	assert_false(made.b.is_interrupted);
	stop(state);
	start(state);
	play = play_interrupted;
	execute_rc = -EINTR;
	assert_int_equal(battery_run(&made.b), 0);
	assert_true(made.b.is_interrupted);
	assert_int_equal(made.b.done, 0);
	assert_string_equal(str_get(&recorded), "");
	assert_int_equal(battery_exit_code(&made.b), RUN_EXIT_INTERRUPTED);
}

static size_t optional_row(void)
{
	for (size_t i = 0; battery_rows[i].name; i++)
		if (battery_rows[i].is_optional)
			return i;
	fail_msg("no row is optional");
	return 0;
}

static const char *failure; /* of every run */

static void play_failure(const struct task *t, struct outcome *o, struct judgement *j)
{
	(void)t;
	(void)o;
	j->status = TEST_FAILED;
	j->has_sched_report = false;
	str_add(&j->text, failure);
	result_add(&j->result, str_starts(failure, "Share") ? DETAIL_SHARE : DETAIL_STUCK,
		   KTSTR_FAILED, "%s", failure);
}

/* Whether it should know about weights nobody said; everything else is a failure in any row. */
static void only_shares_of_optional_rows_are_excused(void **state)
{
	static const struct {
		const char *text;
		bool is_optional, has_scheduler;
		enum test_status status;
	} rows[] = {
		{ "Share: " RESULT_IGNORES_WEIGHTS, true, true, TEST_SKIPPED },
		{ "Share: " RESULT_IGNORES_WEIGHTS, true, false, TEST_FAILED },
		{ "Share: " RESULT_IGNORES_WEIGHTS, false, true, TEST_FAILED },
		{ "Share: cg_0 has too much", true, true, TEST_FAILED },
		{ "Stuck: cg_0", true, true, TEST_FAILED },
	};

	play = play_failure;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct trial *last;

		stop(state);
		start(state);
		failure = rows[i].text;
		made.is_left_out[1] = true;
		if (!rows[i].has_scheduler)
			made.b.scheduler = NULL;
		/* Without the row of loading, nothing is known to fail to load. */
		for (size_t k = 0; k < ROWS; k++)
			made.tests[k].name = battery_rows[rows[i].is_optional ? optional_row() :
										BATTERY_LOADS + 1]
						     .name;
		assert_int_equal(battery_run(&made.b), 0);
		last = &made.b.trials.items[made.b.trials.count - 1];
		assert_int_equal(made.b.trials.count, 1);
		assert_int_equal(last->status, rows[i].status);
		assert_string_equal(str_get(&recorded), rows[i].has_scheduler ?
								"k0/seed_5:command line " :
								"k0/seed_5:kernel ");
		assert_true(!strstr(last->text, "does not honour weights") ==
			    (rows[i].status == TEST_FAILED));
	}
}

/* What runs are shown, from the first one on; the screen is not redrawn without a terminal. */
static void progress_is_shown_as_runs_end(void **state)
{
	play = play_passes;
	made.options.scheduler = NULL;
	made.is_left_out[1] = true;
	assert_int_equal(battery_run(&made.b), 0);
	assert_string_equal(str_get(&shown),
			    "ktstr: checking the kernel's scheduler of 0: 1 2 3 4");
	assert_int_equal(ended_progress, 1);
	assert_int_equal(told_replaced, 1);
	assert_int_equal(made.b.campaign.replaced, 4);
	stop(state);
	start(state);
	made.is_left_out[1] = has_terminal = true;
	assert_int_equal(battery_run(&made.b), 0);
	assert_string_equal(str_get(&shown), "ktstr: checking ./mine of 0: 0 1 1 2 2 3 3 4");
}

static void play_unattached(const struct task *t, struct outcome *o, struct judgement *j)
{
	(void)t;
	(void)o;
	j->has_sched_report = false;
}

static void play_detached(const struct task *t, struct outcome *o, struct judgement *j)
{
	(void)t;
	(void)o;
	j->sched_report.is_attached = false;
}

/* The kernel's own scheduler needs no loading, so everything runs. */
static void without_a_scheduler_nothing_has_to_load(void **state)
{
	play_fn *const plays[] = { play_unattached, play_detached };

	for (size_t i = 0; i < ARRAY_SIZE(plays); i++) {
		stop(state);
		start(state);
		play = plays[i];
		made.b.scheduler = NULL;
		assert_int_equal(battery_run(&made.b), 0);
		assert_int_equal(made.b.done, 8);
		assert_false(made.b.facts.items[0].is_attached);
		stop(state);
		start(state);
		assert_int_equal(battery_run(&made.b), 0);
		assert_int_equal(made.b.done, 4);
	}
}

static void play_skipped(const struct task *t, struct outcome *o, struct judgement *j)
{
	(void)t;
	(void)o;
	j->status = TEST_SKIPPED;
	j->has_sched_report = false;
}

/* A run that was skipped tried nothing. */
static void where_loading_was_skipped_rows_run(void **state)
{
	(void)state;
	play = play_skipped;
	assert_int_equal(battery_run(&made.b), 0);
	assert_int_equal(made.b.done, 8);
	assert_int_equal(battery_load_at(&made.b, 0, 0), BATTERY_NOT_TRIED);
	assert_int_equal(battery_exit_code(&made.b), RUN_EXIT_NOTHING);
}

static void play_nuls(const struct task *t, struct outcome *o, struct judgement *j)
{
	(void)t;
	(void)j;
	str_addn(&o->output, "a\0b", 3);
}

static void output_is_judged_without_nuls(void **state)
{
	(void)state;
	play = play_nuls;
	assert_int_equal(battery_run(&made.b), 0);
	assert_int_equal(made.b.done, 8);
}

static void play_unjudged(const struct task *t, struct outcome *o, struct judgement *j)
{
	(void)t;
	(void)o;
	result_add(&j->result, DETAIL_NOTE, KTSTR_SKIPPED, "shares not judged: less than 1 s");
}

static void what_was_not_judged_is_noted_with_its_rows(void **state)
{
	(void)state;
	play = play_unjudged;
	made.is_left_out[1] = true;
	assert_int_equal(battery_run(&made.b), 0);
	assert_int_equal(made.b.unjudged.count, 1);
	assert_string_equal(made.b.unjudged.items[0].text, "shares: less than 1 s");
	assert_int_equal(made.b.unjudged.items[0].runs, 4);
	assert_int_equal(made.b.unjudged.items[0].rows.count, 3);
}

static void play_other_ends(const struct task *t, struct outcome *o, struct judgement *j)
{
	(void)j;
	o->facts.end = OUTCOME_LOST;
	str_addf(&o->message, "lost on %u", t->job.variant->topology.llcs);
}

static void the_first_error_is_the_one_that_is_returned(void **state)
{
	play = play_other_ends;
	ends_late = true;
	assert_int_equal(battery_run(&made.b), -EIO);
	assert_int_equal(made.b.done, 0);
	assert_int_equal(made.b.facts.count, 4);
	stop(state);
	start(state);
	play = play_passes;
	write_rc = -ENOSPC;
	assert_int_equal(battery_run(&made.b), -ENOSPC);
	assert_int_equal(made.b.done, 0);
	assert_string_equal(str_get(&recorded), "");
	stop(state);
	start(state);
	judge_rc = -EPROTO;
	assert_int_equal(battery_run(&made.b), -EPROTO);
	assert_false(made.b.trials.items[0].is_done);
	assert_string_equal(str_get(&recorded), "");
	assert_int_equal(ended_progress, 1);
	stop(state);
	start(state);
	execute_rc = -ENOMEM;
	assert_int_equal(battery_run(&made.b), -ENOMEM);
	assert_int_equal(made.b.facts.count, 4);
}

/* An error of a run is not replaced by that of a later one. */
static void play_lost_then_unjudged(const struct task *t, struct outcome *o, struct judgement *j)
{
	(void)j;
	judge_rc = -EPROTO;
	if (t->job.variant->topology.llcs == 1 && t->job.variant->kernel == 0)
		o->facts.end = OUTCOME_LOST;
}

static void an_error_is_kept_when_more_runs_fail(void **state)
{
	(void)state;
	play = play_lost_then_unjudged;
	ends_late = true;
	assert_int_equal(battery_run(&made.b), -EIO);
}

static void an_interrupt_ends_it_before_anything_is_kept(void **state)
{
	(void)state;
	play = play_passes;
	is_interrupted = true;
	assert_int_equal(battery_run(&made.b), 0);
	assert_int_equal(made.b.done, 0);
	assert_string_equal(str_get(&recorded), "");
}

static void directories_of_records_are_for_all_to_read(void **state)
{
	_free_ char *dir = str_fmt("%s/k0/seed_5", root);
	mode_t before = umask(0);
	struct stat st;

	(void)state;
	play = play_passes;
	assert_int_equal(battery_run(&made.b), 0);
	umask(before);
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
}

/* The directory of a seed is below a file. */
static void a_directory_that_cannot_be_made_is_an_error(void **state)
{
	(void)state;
	play = play_passes;
	unit_write(root, "k0", "");
	assert_true(battery_run(&made.b) < 0);
	assert_int_equal(made.b.done, 0);
	assert_string_equal(str_get(&recorded), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE(loading_comes_first_then_one_step_with_every_row),
		MADE(a_cap_of_cpus_is_kept_and_one_directory_serves_all_kernels),
		MADE(steps_go_on_to_their_number_or_the_end_of_time),
		MADE(where_it_does_not_load_nothing_else_is_tried),
		MADE(what_could_not_be_run_ends_it),
		MADE(only_shares_of_optional_rows_are_excused),
		MADE(progress_is_shown_as_runs_end),
		MADE(without_a_scheduler_nothing_has_to_load),
		MADE(where_loading_was_skipped_rows_run),
		MADE(output_is_judged_without_nuls),
		MADE(what_was_not_judged_is_noted_with_its_rows),
		MADE(the_first_error_is_the_one_that_is_returned),
		MADE(an_error_is_kept_when_more_runs_fail),
		MADE(an_interrupt_ends_it_before_anything_is_kept),
		MADE(directories_of_records_are_for_all_to_read),
		MADE(a_directory_that_cannot_be_made_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
