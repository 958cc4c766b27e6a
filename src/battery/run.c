// SPDX-License-Identifier: GPL-2.0-only
/* Executes the plan: runs are judged, recorded and counted as they end. */
#include "battery/summary.h"

/* Number of steps planned at a time: enough to keep any machine busy to the end. */
#define STEPS_AT_ONCE 16

/* ---- selection ---- */

/* The task of a row on a kernel; NULL = it was not selected. */
static const struct task *task_of(const struct battery *b, size_t row, size_t kernel)
{
	const struct campaign *c = &b->campaign;

	for (size_t i = 0; i < c->chosen.items.count; i++) {
		const struct variant *v = c->chosen.items.items[i];

		if (v->kernel == kernel && str_eq(v->test->name, battery_rows[row].name))
			return &c->tasks[i];
	}
	return NULL;
}

static bool is_wanted(const void *ctx, size_t row, size_t kernel)
{
	const struct battery *b = ctx;

	return !b->is_left_out[kernel] && task_of(b, row, kernel);
}

enum battery_load battery_load_at(const struct battery *b, size_t machine, size_t kernel)
{
	enum battery_load load = BATTERY_NOT_TRIED;

	for (size_t i = 0; i < b->facts.count; i++) {
		const struct battery_cell *c = &b->facts.items[i].cell;
		const struct trial *t = &b->trials.items[i];

		if (c->machine != machine || c->kernel != kernel || !t->is_done ||
		    t->status == TEST_SKIPPED)
			continue;
		if (b->facts.items[i].is_attached)
			return BATTERY_LOADED;
		load = BATTERY_NOT_LOADED;
	}
	return load;
}

/* If the scheduler does not load, every row would only fail with that again. */
static bool is_loaded(const void *ctx, size_t machine, size_t kernel)
{
	const struct battery *b = ctx;

	return !b->scheduler || battery_load_at(b, machine, kernel) != BATTERY_NOT_LOADED;
}

/* ---- runs ---- */

struct batch {
	struct battery *battery;
	struct task *tasks;
	struct variant *variants;
	size_t first, count; /* range in the battery's trials */
	struct progress *progress;
	int rc;
};

/* One directory per seed, because the names of records do not depend on the seed. */
static int record_dir(const struct battery *b, const struct battery_cell *cell, char **dir)
{
	const struct campaign *c = &b->campaign;
	int rc;

	*dir = str_fmt("%s/" RUN_SEED_DIR "%llu", c->dirs[MIN(cell->kernel, c->dir_count - 1)].path,
		       ULL(cell->seed));
	rc = *dir ? file_make_dirs(*dir, 0755) : err_no_memory();
	return rc ?: campaign_write_programs(c, *dir);
}

static int record(struct battery *b, const struct battery_cell *cell, const struct task *t,
		  struct outcome *o, struct judgement *j)
{
	struct record_facts facts = { .project_commit = b->campaign.commit.text,
				      .run_id = b->campaign.epoch,
				      .host = &b->campaign.host,
				      .replaced = &b->campaign.replaced };
	_free_ char *dir = NULL, *path = NULL;
	int rc = record_dir(b, cell, &dir);

	return rc < 0 ? rc :
			record_write(dir, &facts, t, b->scheduler ? "command line" : "kernel", o, j,
				     &path);
}

/*
 * Whether this scheduler should honour weights is unknown. So if the only failure is that
 * it does not, the run is skipped with that note.
 */
static int excuse(struct trial *t, const struct ktstr_result *r)
{
	char *text;

	if (!trial_has_failed(t) || !result_ignores_weights(r))
		return 0;
	text = str_fmt(
		"this scheduler does not honour weights or nice values; whether it should is "
		"not known here, so that is not judged\n");
	if (!text)
		return err_no_memory();
	free(t->text);
	t->text = text;
	t->status = TEST_SKIPPED;
	return 0;
}

static int keep(struct battery *b, size_t run, const struct task *t, struct outcome *o)
{
	_cleanup_(judgement_finish) struct judgement j = {};
	struct battery_fact *fact = &b->facts.items[run];
	int rc = outcome_check(o);

	outcome_spell_nuls(o);
	rc = rc ?: judge(t->job.variant, o, &(struct judge_options){}, &j);
	rc = rc ?: trial_keep(&b->trials.items[run], o, &j);
	if (rc == 0 && b->scheduler && battery_rows[fact->cell.row].is_optional)
		rc = excuse(&b->trials.items[run], &j.result);
	rc = rc ?: battery_note_unjudged(b, run, &j.result);
	fact->is_attached = j.has_sched_report && j.sched_report.is_attached;
	return rc ?: record(b, &fact->cell, t, o, &j);
}

static enum task_next on_ended(void *ctx, struct task *t, struct outcome *o)
{
	struct batch *batch = ctx;
	struct battery *b = batch->battery;
	int rc;

	if (o->facts.end == OUTCOME_INTERRUPTED || interrupt_check() < 0)
		return TASK_STOP;
	rc = keep(b, batch->first + (size_t)(t - batch->tasks), t, o);
	if (rc < 0) {
		batch->rc = batch->rc < 0 ? batch->rc : rc;
		return TASK_STOP;
	}
	progress_update(batch->progress, ++b->done);
	b->is_over = clock_mono_ns() >= b->deadline_ns;
	return b->is_over ? TASK_STOP : TASK_DONE;
}

static void on_tick(void *ctx, struct task *const *running _unused_, size_t count _unused_)
{
	struct batch *batch = ctx;

	if (batch->progress->on_terminal)
		progress_update(batch->progress, batch->battery->done);
}

static int add_runs(struct battery *b, const struct battery_cells *cells)
{
	int rc = 0;

	vec_each_while(const struct battery_cell, c, &cells->items, rc == 0) {
		rc = vec_push(&b->trials, (struct trial){ .seed = c->seed,
							  .knobs = &b->places[c->machine].knobs });
		rc = rc ?: vec_push(&b->facts, (struct battery_fact){ .cell = *c });
	}
	return rc;
}

static void fill_tasks(struct batch *batch)
{
	const struct battery *b = batch->battery;

	for (size_t i = 0; i < batch->count; i++) {
		const struct battery_cell *c = &b->facts.items[batch->first + i].cell;
		struct task *t = &batch->tasks[i];

		*t = *task_of(b, c->row, c->kernel);
		batch->variants[i] = *t->job.variant;
		variant_set_topology(&batch->variants[i], &b->places[c->machine].knobs.topology);
		t->job.variant = &batch->variants[i];
		t->job.knobs = &b->places[c->machine].knobs;
		t->job.seed = c->seed;
	}
}

static int run_cells(struct battery *b, const struct battery_cells *cells, struct progress *p)
{
	size_t count = cells->items.count;
	_free_ struct task *tasks = calloc(count + 1, sizeof(*tasks));
	_free_ struct variant *variants = calloc(count + 1, sizeof(*variants));
	struct batch batch = { .battery = b,
			       .tasks = tasks,
			       .variants = variants,
			       .first = b->trials.count,
			       .count = count,
			       .progress = p };
	struct execute_callbacks callbacks = { .ended = on_ended, .tick = on_tick, .ctx = &batch };
	struct execute_limits limits;
	int rc = tasks && variants ? add_runs(b, cells) : err_no_memory();

	if (rc < 0)
		return rc;
	fill_tasks(&batch);
	execute_limits_read(&b->campaign.machine.allowed, b->campaign.world.cap.cpus,
			    b->options->jobs, &limits);
	rc = execute_tasks(tasks, count, &limits, &callbacks);
	return rc ?: batch.rc;
}

static int run_loads(struct battery *b, const struct battery_shape *shape, struct progress *p)
{
	struct battery_cells cells = {};
	int rc = battery_plan_loads(shape, &cells) ?: run_cells(b, &cells, p);

	free(cells.items.items);
	return rc;
}

/* Runs up to STEPS_AT_ONCE steps. *goes_on is false if they had no runs or were the last ones. */
static int run_steps(struct battery *b, const struct battery_shape *shape, uint64_t step,
		     struct progress *p, bool *goes_on)
{
	uint64_t limit = b->options->seeds, count = STEPS_AT_ONCE;
	struct battery_cells cells = {};
	int rc = 0;

	if (limit && limit - step < count)
		count = limit - step;
	for (uint64_t i = 0; i < count && rc == 0; i++)
		rc = battery_plan_step(shape, step + i, &cells);
	*goes_on = cells.items.count && (!limit || step + count < limit);
	rc = rc ?: run_cells(b, &cells, p);
	free(cells.items.items);
	return rc;
}

static int run_all(struct battery *b, struct progress *p)
{
	struct battery_shape shape = { .machines = b->place_count,
				       .kernels = b->campaign.kernels.items.count,
				       .first_seed = b->options->seed,
				       .is_wanted = is_wanted,
				       .is_loaded = is_loaded,
				       .ctx = b };
	int rc = run_loads(b, &shape, p);
	bool goes_on = true;

	for (uint64_t step = 0; rc == 0 && goes_on && !b->is_over; step += STEPS_AT_ONCE)
		rc = run_steps(b, &shape, step, p, &goes_on);
	return rc;
}

/* After an interrupt, the runs that ended before it are reported. */
int battery_run(struct battery *b)
{
	_free_ char *what =
		str_fmt("%s: checking %s", b->options->label,
			b->options->scheduler ? b->options->scheduler : "the kernel's scheduler");
	uint64_t begun = clock_mono_ns();
	struct progress p;
	int rc;

	if (!what)
		return err_no_memory();
	b->deadline_ns = begun + b->options->budget_ns;
	progress_start(&p, what, 0);
	rc = run_all(b, &p);
	progress_end(&p);
	campaign_tell_replaced(&b->campaign);
	b->seconds = (double)(clock_mono_ns() - begun) / NSEC_PER_SEC;
	b->is_interrupted = rc == -EINTR;
	return b->is_interrupted ? 0 : rc;
}

/* True if fewer than half of the selected rows ran: a budget that ended so early proves little. */
static bool ran_few(const struct battery *b)
{
	size_t selected = 0, ran = 0;

	for (size_t row = 0; battery_rows[row].name; row++) {
		struct battery_tally t = battery_tally_row(b, row);

		selected += battery_has_row(b, row);
		ran += battery_tally_runs(&t) > 0;
	}
	return 2 * ran < selected;
}

int battery_exit_code(const struct battery *b)
{
	bool has[TEST_SKIPPED + 1] = {};

	for (size_t i = 0; i < b->trials.count; i++)
		if (b->trials.items[i].is_done)
			has[b->trials.items[i].status] = true;
	if (b->is_interrupted)
		return RUN_EXIT_INTERRUPTED;
	if (has[TEST_FAILED] || has[TEST_TIMED_OUT])
		return RUN_EXIT_FAILED;
	if (has[TEST_INCONCLUSIVE] || (has[TEST_PASSED] && b->lacks_events))
		return RUN_EXIT_INCONCLUSIVE;
	return has[TEST_PASSED] && !ran_few(b) ? RUN_EXIT_PASSED : RUN_EXIT_NOTHING;
}
