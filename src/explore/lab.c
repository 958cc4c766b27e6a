// SPDX-License-Identifier: GPL-2.0-only
/* Turns words of the command line into a task, and a task into many trials. */
#include "explore/lab.h"

#include "explore/parts.h"
#include "stats/stats.h"

#define LISTED_NAMES 8

/* ---- the test ---- */

/* A word that is not a file is the name of a test. */
static int sort_words(struct lab *l, const struct lab_request *r, const char **name)
{
	l->paths = calloc(r->word_count + 1, sizeof(*l->paths));
	if (!l->paths)
		return err_no_memory();
	for (size_t i = 0; i < r->word_count; i++) {
		if (access(r->words[i], F_OK) == 0)
			l->paths[l->options.path_count++] = r->words[i];
		else if (strchr(r->words[i], '.') || (*name && !str_eq(*name, r->words[i])))
			return err_set(ENOENT, "there is no file %s", r->words[i]);
		else
			*name = r->words[i];
	}
	l->options.paths = l->paths;
	return 0;
}

/* A name without prefix is the test as it was declared. */
static int choose_by_name(struct lab *l, const char *name, const char *binary)
{
	_free_ char *declared = NULL;
	int rc;

	if (!name)
		return 0;
	l->options.choice.ignored = RUN_IGNORED_ALL;
	declared = str_fmt("ktstr/%s", name);
	rc = declared ? filter_add_exact(&l->filter, name, binary) : err_no_memory();
	return rc < 0 ? rc : filter_add_exact(&l->filter, declared, binary);
}

static void fill_options(struct lab *l, const struct lab_request *r)
{
	struct runner_options *o = &l->options;

	l->kernels[0] = r->kernel;
	*o = (struct runner_options){
		.label = r->label,
		.kernels = l->kernels,
		.kernel_count = r->kernel ? 1 : 0,
		.include_eol = r->include_eol,
		.accel = "sim",
		.seed = 1,
		.knobs = r->knobs,
		.no_perf_mode = r->no_perf_mode,
		.scheduler_profile = r->scheduler_profile ? r->scheduler_profile : "release",
		.scheduler = r->scheduler,
		.profile = run_profile_by_name(r->knobs.profile ? r->knobs.profile : "default"),
		.choice = { .filter = &l->filter },
		.jobs = r->jobs,
		.is_quiet = r->is_quiet,
		.is_verbose = r->knobs.is_verbose,
		.format = &run_report_human,
	};
}

static int refuse_many(const struct campaign *c)
{
	_str_ struct str names = {};
	size_t count = c->chosen.items.count;

	for (size_t i = 0; i < count && i < LISTED_NAMES; i++) {
		str_add(&names, i ? ", " : "");
		variant_add_name(c->chosen.items.items[i], &names);
	}
	return err_set(EINVAL, "one test has to be named; these are %zu: %s%s", count,
		       str_get(&names), count > LISTED_NAMES ? ", ..." : "");
}

static int check_choice(const struct campaign *c, const char *name)
{
	const struct probe_test *t;

	if (c->chosen.items.count > 1)
		return refuse_many(c);
	if (c->chosen.items.count == 0)
		return name ? err_set(ENOENT, "there is no test '%s' among the %zu that were found",
				      name, c->variants.items.count) :
			      err_set(ENOENT, "no test was found; name a test, a program or a C "
					      "file");
	t = c->chosen.items.items[0]->test;
	if (t->host_only)
		return err_set(EINVAL, "%s runs on the host: only runs in sim can be repeated",
			       t->name);
	if (t->accel && !str_eq(t->accel, "sim"))
		return err_set(EINVAL, "%s asks for %s: only runs in sim can be repeated", t->name,
			       t->accel);
	return 0;
}

int lab_open(struct lab *l, const struct lab_request *r)
{
	const char *name = NULL;
	int rc;

	*l = (struct lab){};
	fill_options(l, r);
	l->campaign.options = &l->options;
	l->is_prepared = true;
	rc = sort_words(l, r, &name) ?: choose_by_name(l, name, r->binary);
	rc = rc ?: campaign_select(&l->campaign);
	rc = rc ?: check_choice(&l->campaign, name);
	rc = rc ?: campaign_equip(&l->campaign);
	if (rc < 0)
		return rc;
	l->task = &l->campaign.tasks[0];
	return l->task->job.problem ? err_set(ENOENT, "%s", l->task->job.problem) : 0;
}

void lab_finish(struct lab *l)
{
	if (!l->is_prepared)
		return;
	campaign_finish(&l->campaign);
	filter_finish(&l->filter);
	free(l->paths);
	*l = (struct lab){};
}

const struct variant *lab_variant(const struct lab *l)
{
	return l->task->job.variant;
}

const char *lab_kernel(const struct lab *l)
{
	const struct kernel_image *k =
		&l->campaign.kernels.items.items[lab_variant(l)->kernel].image;

	return k->version ? k->version : k->image;
}

/* ---- trials ---- */

struct lab_running {
	struct lab *lab;
	struct trial *trials;
	struct task *tasks;
	struct variant *variants;
	const struct lab_watch *watch;
	struct str notes; /* each line of the workers is printed once */
	int rc;
};

bool trial_has_failed(const struct trial *t)
{
	return t->is_done && (t->status == TEST_FAILED || t->status == TEST_TIMED_OUT);
}

int trial_seeds_check(uint64_t first, uint64_t count)
{
	if (first + (count - 1) < first)
		return err_set(EINVAL, "seeds from %llu on: there are no %llu left", ULL(first),
			       ULL(count));
	return 0;
}

void trials_finish(struct trial *trials, size_t count)
{
	for (size_t i = 0; trials && i < count; i++) {
		free(trials[i].signature);
		free(trials[i].cause);
		free(trials[i].text);
		free(trials[i].unstarted);
	}
	free(trials);
}

static void tell_notes(struct lab_running *r, const char *notes)
{
	text_each_line(l, notes) {
		_free_ char *line = strndup(l.s, l.len);
		_free_ char *marked = line ? str_fmt("\n%s\n", line) : NULL;

		if (!marked || !*line || strstr(str_get(&r->notes), marked))
			continue;
		str_addf(&r->notes, "%s%s\n", r->notes.len ? "" : "\n", line);
		log_note("%s", line);
	}
}

static int keep_unstarted(struct trial *t, const struct judgement *j)
{
	const struct sched_report *r = &j->sched_report;

	if (!j->has_sched_report || !sched_report_is_unstarted(r))
		return 0;
	t->unstarted = strdup(r->message ? r->message : r->end);
	return t->unstarted ? 0 : err_no_memory();
}

static int keep_failure(struct trial *t, const struct judgement *j)
{
	_str_ struct str signature = {}, cause = {};
	int rc = signature_add(&signature, &j->result) ?: signature_add_first(&cause, &j->result);

	if (rc == 0 && !signature.len) {
		_free_ char *line = strndup(str_get(&j->text), strcspn(str_get(&j->text), "\n"));

		signature_add_text(&signature, line ? line : "");
		str_add(&cause, str_get(&signature));
	}
	t->signature = rc == 0 ? str_take(&signature) : NULL;
	t->cause = rc == 0 ? str_take(&cause) : NULL;
	t->text = strdup(str_get(&j->text));
	if (!t->signature || !t->cause || !t->text)
		return err_no_memory();
	return keep_unstarted(t, j);
}

int trial_keep(struct trial *t, const struct outcome *o, const struct judgement *j)
{
	struct cgroup_stats totals;

	t->is_done = true;
	t->status = j->status;
	t->guest_ns = o->facts.guest_ns;
	t->sched_events = o->facts.sched_events;
	t->sched_tasks = o->facts.sched_tasks;
	memcpy(t->digest, o->facts.digest, sizeof(t->digest));
	if (j->has_result) {
		result_totals(&j->result, &totals);
		t->workers = totals.workers;
		t->steps = j->result.phases.count;
	}
	if (trial_has_failed(t))
		return keep_failure(t, j);
	t->text = j->text.len ? strdup(j->text.s) : NULL;
	return 0;
}

static enum task_next on_ended(void *ctx, struct task *task, struct outcome *o)
{
	_cleanup_(judgement_finish) struct judgement j = {};
	struct lab_running *r = ctx;
	struct trial *t = &r->trials[task - r->tasks];
	bool goes_on = false;
	int rc = 0;

	if (o->facts.end == OUTCOME_INTERRUPTED || interrupt_check() < 0)
		return TASK_STOP;
	tell_notes(r, str_get(&o->notes));
	rc = outcome_check(o);
	rc = rc ?: judge(task->job.variant, o, &(struct judge_options){}, &j);
	rc = rc ?: trial_keep(t, o, &j);
	if (rc == 0)
		goes_on = !r->watch->ended || r->watch->ended(r->watch->ctx, t, &j, &rc);
	if (rc < 0)
		r->rc = r->rc < 0 ? r->rc : rc;
	return rc == 0 && goes_on ? TASK_DONE : TASK_STOP;
}

static void on_tick(void *ctx, struct task *const *running _unused_, size_t count _unused_)
{
	struct lab_running *r = ctx;

	if (r->watch->tick)
		r->watch->tick(r->watch->ctx);
}

static void fill_tasks(struct lab_running *r, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct run_knobs *knobs = r->trials[i].knobs;

		r->tasks[i] = *r->lab->task;
		r->variants[i] = *lab_variant(r->lab);
		if (knobs->topology.llcs)
			variant_set_topology(&r->variants[i], &knobs->topology);
		r->tasks[i].job.variant = &r->variants[i];
		r->tasks[i].job.knobs = knobs;
		r->tasks[i].job.seed = r->trials[i].seed;
		r->tasks[i].job.trace = r->trials[i].trace;
		r->tasks[i].job.input = r->trials[i].input;
		r->tasks[i].job.bpf_dir = r->trials[i].bpf_dir;
		r->tasks[i].job.counts_kernel = r->trials[i].counts_kernel;
		r->tasks[i].job.explains = r->trials[i].explains;
		if (r->trials[i].test)
			r->variants[i].test = r->trials[i].test;
	}
}

int lab_run(struct lab *l, struct trial *trials, size_t count, const struct lab_watch *watch)
{
	_free_ struct task *tasks = calloc(count + 1, sizeof(*tasks));
	_free_ struct variant *variants = calloc(count + 1, sizeof(*variants));
	struct lab_running r = {
		.lab = l, .trials = trials, .tasks = tasks, .variants = variants, .watch = watch
	};
	struct execute_callbacks callbacks = { .ended = on_ended, .tick = on_tick, .ctx = &r };
	struct execute_limits limits;
	int rc;

	if (!tasks || !variants)
		return err_no_memory();
	fill_tasks(&r, count);
	execute_limits_read(&l->campaign.machine.allowed, l->campaign.world.cap.cpus,
			    l->options.jobs, &limits);
	rc = execute_tasks(tasks, count, &limits, &callbacks);
	str_finish(&r.notes);
	return rc ?: r.rc;
}

/* ---- the command ---- */

void lab_add_word(struct str *out, const char *word)
{
	str_addc(out, ' ');
	text_add_word(out, word);
}

/* Paths below the current directory are shown relative to it. */
static const char *from_here(const char *path)
{
	_free_ char *here = getcwd(NULL, 0);
	size_t len = here ? strlen(here) : 0;

	return len && str_starts(path, here) && path[len] == '/' ? path + len + 1 : path;
}

/* The variable that names the scheduler belongs to the command. */
static void add_scheduler(struct str *out)
{
	const char *path = env_get("KTSTR_SCHEDULER");
	const char *near = path ? from_here(path) : NULL;

	if (!path)
		return;
	str_addf(out, "KTSTR_SCHEDULER=%s", near == path ? "" : "./");
	text_add_word(out, near);
	str_addc(out, ' ');
}

static void add_knobs(struct str *out, const struct run_knobs *knobs)
{
	struct run_knobs options = *knobs;
	_str_ struct str words = {};
	char *save = NULL;

	options.is_verbose = false; /* a variable, which precedes the command */
	run_knobs_add_words(&options, &words);
	if (!words.len)
		return;
	for (char *word = strtok_r(words.s, "\n", &save); word; word = strtok_r(NULL, "\n", &save))
		lab_add_word(out, word);
}

void lab_add_command(const struct lab *l, const struct run_knobs *knobs, uint64_t seed,
		     struct str *out)
{
	const struct variant *v = lab_variant(l);
	_free_ char *filter = str_fmt("test(=%s)", v->name);

	if (v->sched)
		add_scheduler(out);
	str_addf(out, "%s%s test", knobs->is_verbose ? RUN_WORD_VERBOSE " " : "", l->options.label);
	lab_add_word(out, from_here(test_program_origin(v->program)));
	str_add(out, " -E");
	lab_add_word(out, filter ? filter : v->name);
	if (v->is_ignored)
		str_add(out, " --run-ignored all");
	str_add(out, " --kernel");
	lab_add_word(out, lab_kernel(l));
	str_addf(out, " --accel sim --seed %llu", ULL(seed));
	add_knobs(out, knobs);
}
