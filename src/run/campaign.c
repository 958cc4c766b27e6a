// SPDX-License-Identifier: GPL-2.0-only
/* Runs the tasks of a run: judges, records and reports each test when it ends. */
#include "run/parts.h"

#define RETRY_DELAY_NS (15 * NSEC_PER_SEC)
#define LONGEST_RETRY_DELAY_NS (60 * NSEC_PER_SEC)

static size_t dir_index(const struct campaign *c, const struct task *t)
{
	return MIN(t->job.variant->kernel, c->dir_count - 1);
}

static const char *dir_of(const struct campaign *c, const struct task *t)
{
	return c->dirs[dir_index(c, t)].path;
}

static struct test_event event_of(const struct campaign *c, const struct task *t)
{
	const struct variant *v = t->job.variant;

	return (struct test_event){
		.binary_id = v->binary_id,
		.name = v->name,
		.seconds = (double)(clock_mono_ns() - t->begun_ns) / NSEC_PER_SEC,
		.attempt = t->attempt,
		.attempts = c->options->retries + 1,
		.is_slow = t->is_slow,
	};
}

static void on_started(void *ctx, struct task *t)
{
	struct campaign *c = ctx;
	struct test_event e = event_of(c, t);

	run_report_tell(&c->report, REPORT_STARTED, &e);
}

static void on_slow(void *ctx, struct task *t)
{
	struct campaign *c = ctx;
	struct test_event e = event_of(c, t);

	live_line_wipe(&c->line);
	c->totals.slow++;
	run_report_tell(&c->report, REPORT_SLOW, &e);
}

/* Prints stderr of the workers, each distinct line once: many tests may print the same one. */
static void print_notes(struct campaign *c, const struct str *notes)
{
	_str_ struct str text = {};
	char *save = NULL;

	text_add_lines(&text, str_get(notes));
	if (!text.len)
		return;
	for (char *line = strtok_r(text.s, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		_free_ char *marked = str_fmt("\n%s\n", line);

		if (!marked || strstr(str_get(&c->notes), marked))
			continue;
		str_addf(&c->notes, "%s%s\n", c->notes.len ? "" : "\n", line);
		log_note("%s", line);
	}
}

static bool is_failure(enum test_status status)
{
	return status == TEST_FAILED || status == TEST_TIMED_OUT;
}

/* Returns whether to make another attempt: not if the run could not be started at all. */
static bool is_retried(const struct campaign *c, const struct task *t, const struct outcome *o,
		       enum test_status status)
{
	return is_failure(status) && t->attempt <= c->options->retries &&
	       o->facts.end != OUTCOME_NOT_RUN;
}

/*
 * In sim the same seed would give the same run, so the next attempt uses the next seed. Otherwise
 * it waits a while, in case the cause was temporary.
 */
static void plan_retry(struct task *t)
{
	uint64_t delay = RETRY_DELAY_NS << MIN(t->attempt - 1, 2U);
	bool is_sim = !t->job.variant->test->host_only && job_accel(&t->job) == VM_ACCEL_SIM;

	t->attempt++;
	if (is_sim) {
		t->job.seed++;
		return;
	}
	delay = MIN(delay, LONGEST_RETRY_DELAY_NS);
	t->not_before_ns = clock_mono_ns() + delay / 2 + (uint64_t)random() % (delay / 2);
}

static void tell_end(struct campaign *c, const struct task *t, const struct test_event *e)
{
	struct campaign_junit *junit = &c->junits[dir_index(c, t)];

	run_totals_count(&c->totals, e);
	run_totals_count(&junit->totals, e);
	junit_add_case(&junit->cases, e);
	run_report_tell(&c->report, REPORT_ENDED, e);
	github_add_row(&c->github, e);
}

static const char *why_unrun(const struct campaign *c)
{
	if (c->totals.is_interrupted)
		return "not run: interrupted";
	if (c->options->is_fail_fast && run_totals_failed(&c->totals))
		return "not run: a test failed before (--no-fail-fast runs all)";
	return "not run: cut off";
}

/* Reports tests without a verdict as not run, so that readers do not count them as passed. */
static void tell_unrun(struct campaign *c)
{
	for (size_t i = 0; i < c->totals.selected; i++) {
		const struct task *t = &c->tasks[i];
		struct campaign_junit *junit = &c->junits[dir_index(c, t)];
		struct test_event e = { .binary_id = t->job.variant->binary_id,
					.name = t->job.variant->name,
					.status = TEST_SKIPPED };

		junit->totals.selected++;
		if (c->statuses[i] >= 0)
			continue;
		e.text = why_unrun(c);
		junit_add_case(&junit->cases, &e);
		run_report_tell(&c->report, REPORT_UNRUN, &e);
	}
}

static void fill_event(struct test_event *e, const struct task *t, const struct outcome *o,
		       const struct judgement *j)
{
	const struct variant *v = t->job.variant;

	e->status = j->status;
	e->text = j->text.len ? j->text.s : NULL;
	e->note = j->note.len ? j->note.s : NULL;
	e->versus = &j->versus;
	e->output = o->output.len ? o->output.s : NULL;
	e->topology = topology_text(&v->topology);
	e->scheduler = v->sched ? v->sched->name : "eevdf";
	e->kernel = o->kernel_release.len ? o->kernel_release.s : NULL;
	e->seed = t->job.seed;
	if (!o->facts.is_guest)
		return;
	e->accel = vm_accel_name(job_accel(&t->job));
	e->digest = *o->facts.digest ? o->facts.digest : NULL;
	e->has_seed = job_accel(&t->job) == VM_ACCEL_SIM;
}

/*
 * Writes the record of an attempt. A failed attempt that is retried gets its own directory, so that
 * its record survives a later attempt that passes.
 */
static int record(struct campaign *c, const struct task *t, struct outcome *o, struct judgement *j,
		  char **path)
{
	struct record_facts facts = { .project_commit = c->commit.text,
				      .run_id = c->epoch,
				      .host = &c->host,
				      .replaced = &c->replaced };
	_free_ char *apart = NULL;
	int rc = is_retried(c, t, o, j->status) ?
			 run_dir_of_attempt(dir_of(c, t), t->attempt, &apart) :
			 0;

	if (rc < 0)
		return rc;
	return record_write(apart ? apart : dir_of(c, t), &facts, t,
			    c->extras[t - c->tasks].resolve_source, o, j, path);
}

/* The program was killed, crashed or timed out before it could write a coverage profile. */
static bool lacks_profile(const struct task *t, const struct outcome *o)
{
	return t->job.profile_dir && o->facts.has_payload_started && o->facts.is_guest &&
	       o->facts.profile_count == 0;
}

static enum task_next finish_task(struct campaign *c, struct task *t, struct outcome *o)
{
	struct judge_options options = { .fails_on_skip = c->options->fails_on_skip,
					 .is_retry = t->attempt > 1,
					 .is_verbose = c->options->is_verbose };
	_cleanup_(judgement_finish) struct judgement j = {};
	struct test_event e = event_of(c, t);
	_free_ char *path = NULL;
	int rc;

	outcome_spell_nuls(o);
	rc = judge(t->job.variant, o, &options, &j);
	rc = rc ?: record(c, t, o, &j, &path);
	if (t->job.core)
		unlink(t->job.core);
	if (rc < 0) {
		c->rc = c->rc < 0 ? c->rc : rc;
		return TASK_STOP;
	}
	fill_event(&e, t, o, &j);
	e.sidecar = path;
	live_line_wipe(&c->line);
	print_notes(c, &o->notes);
	if (is_retried(c, t, o, e.status)) {
		plan_retry(t);
		run_report_tell(&c->report, REPORT_RETRIED, &e);
		return TASK_RETRY;
	}
	tell_end(c, t, &e);
	c->unprofiled += lacks_profile(t, o);
	c->statuses[t - c->tasks] = (int)e.status;
	return is_failure(e.status) && c->options->is_fail_fast ? TASK_STOP : TASK_DONE;
}

/* An attempt that was cut off by an interrupt has no verdict. */
static enum task_next on_ended(void *ctx, struct task *t, struct outcome *o)
{
	struct campaign *c = ctx;
	bool is_cut = o->facts.end == OUTCOME_INTERRUPTED ||
		      (o->facts.end == OUTCOME_LOST && interrupt_check() < 0);

	return is_cut ? TASK_STOP : finish_task(c, t, o);
}

static void on_tick(void *ctx, struct task *const *running, size_t running_count)
{
	struct campaign *c = ctx;
	_str_ struct str text = {};

	if (!c->line.is_on)
		return;
	str_addf(&text, "%s: %zu/%zu", c->options->label, run_totals_ended(&c->totals),
		 c->totals.selected);
	if (run_totals_failed(&c->totals))
		str_addf(&text, ", %zu failed", run_totals_failed(&c->totals));
	for (size_t i = 0; i < running_count; i++) {
		const struct task *t = running[i];

		str_add(&text, i ? ", " : ": ");
		variant_add_name(t->job.variant, &text);
		str_addf(&text, " (%llus%s)", ULL((clock_mono_ns() - t->begun_ns) / NSEC_PER_SEC),
			 t->running_ns ? "" : ", starting");
	}
	live_line_draw(&c->line, str_get(&text));
}

/* Human format only: other formats name test and kernel on every line. */
static int print_matrix(const struct campaign *c)
{
	_str_ struct str text = {};
	int rc;

	if (c->options->format != &run_report_human)
		return 0;
	rc = matrix_add(&c->chosen, c->statuses, c->kernels.labels, c->kernels.items.count, &text);
	if (rc == 0 && text.len)
		printf("\n%s", text.s);
	return rc;
}

static int write_junit(const struct campaign *c, const char *dir, struct campaign_junit *junit)
{
	_free_ char *path = str_fmt("%s/" RUN_JUNIT_FILE, dir);
	_str_ struct str document = {};
	int rc;

	if (!path)
		return err_no_memory();
	junit->totals.seconds = c->totals.seconds;
	junit_add_document(&document, &junit->cases, &junit->totals);
	rc = str_check(&document);
	return rc ?: file_replace(path, document.s, document.len, 0644);
}

/* Writes a junit.xml for each kernel's tests; replaces that of an earlier run in any case. */
static int write_junits(const struct campaign *c)
{
	int rc = 0;

	for (size_t i = 0; i < c->dir_count && rc == 0; i++)
		rc = write_junit(c, c->dirs[i].path, &c->junits[i]);
	return rc;
}

static void write_github(struct campaign *c)
{
	_str_ struct str document = {};

	github_add_document(&document, &c->github, &c->totals);
	github_append(&document);
}

static int exit_code(const struct run_totals *t)
{
	if (t->is_interrupted)
		return RUN_EXIT_INTERRUPTED;
	if (run_totals_failed(t))
		return RUN_EXIT_FAILED;
	if (t->inconclusive)
		return RUN_EXIT_INCONCLUSIVE;
	return t->passed ? RUN_EXIT_PASSED : RUN_EXIT_NOTHING;
}

static struct run_report_options report_options_of(const struct campaign *c)
{
	const struct runner_options *o = c->options;

	return (struct run_report_options){
		.out = stdout,
		.label = o->label,
		.run_dirs = c->dir_names,
		.run_dir_count = c->dir_name_count,
		.has_colour = term_has_colour(stdout),
		.is_quiet = o->is_quiet,
		.is_verbose = o->is_verbose,
		.shows_output = o->shows_output,
		.shows_failures_last = o->profile->shows_failures_last,
	};
}

void campaign_tell_replaced(const struct campaign *c)
{
	if (c->replaced)
		log_note("%s: this run replaced %zu record%s of an earlier one in %s",
			 c->options->label, c->replaced, c->replaced == 1 ? "" : "s",
			 c->dirs[0].path);
}

int campaign_run(struct campaign *c)
{
	struct execute_callbacks callbacks = { .started = on_started,
					       .slow = on_slow,
					       .ended = on_ended,
					       .tick = on_tick,
					       .line = &c->line,
					       .ctx = c };
	struct run_report_options options = report_options_of(c);
	struct execute_limits limits;
	int rc, report_rc;

	execute_limits_read(&c->machine.allowed, c->world.cap.cpus, c->options->jobs, &limits);
	c->begun_ns = clock_mono_ns();
	c->totals = (struct run_totals){ .selected = c->chosen.items.count,
					 .filtered_out = c->chosen.filtered_out };
	live_line_init(&c->line, c->options->is_quiet);
	run_report_begin(&c->report, c->options->format, &options, c->totals.selected);
	rc = execute_tasks(c->tasks, c->totals.selected, &limits, &callbacks);
	live_line_wipe(&c->line);
	c->totals.is_interrupted = rc == -EINTR;
	c->totals.seconds = (double)(clock_mono_ns() - c->begun_ns) / NSEC_PER_SEC;
	tell_unrun(c);
	report_rc = run_report_finish(&c->report, &c->totals);
	if (rc == 0 || rc == -EINTR)
		rc = c->rc < 0 ? c->rc : report_rc;
	rc = rc ?: print_matrix(c);
	/* Also after an error of ktstr, to replace a junit.xml left by an earlier run. */
	report_rc = write_junits(c);
	rc = rc ?: report_rc;
	write_github(c);
	campaign_tell_replaced(c);
	if (c->unprofiled)
		log_note("warning: %zu test%s left no profile: %s program%s did not come to %s end",
			 c->unprofiled, c->unprofiled == 1 ? "" : "s",
			 c->unprofiled == 1 ? "its" : "their", c->unprofiled == 1 ? "" : "s",
			 c->unprofiled == 1 ? "its" : "their");
	return rc < 0 ? rc : exit_code(&c->totals);
}
