// SPDX-License-Identifier: GPL-2.0-only
/* Shrinks a failure, with real runs as the judge. */
#include "explore/explore.h"

#include "explore/parts.h"

struct minimizing {
	struct lab *lab;
	const struct minimize_options *options;
	/*
	 * First sentence of the failure; NULL = not known yet. Which other checks fail depends on
	 * the duration of the run.
	 */
	const char *cause;
	struct trial *found;
	size_t forms, runs;
};

static bool on_ended(void *ctx, struct trial *t, const struct judgement *j _unused_,
		     int *rc _unused_)
{
	struct minimizing *m = ctx;

	m->runs++;
	if (!trial_has_failed(t) || (m->cause && !signature_has(t->signature, m->cause)))
		return true;
	/*
	 * Several may end at once: taking the first one of the list makes the result
	 * reproducible.
	 */
	if (!m->found || t < m->found)
		m->found = t;
	return false;
}

/* The seed that is known to fail, then others from the first one on. */
static struct trial *make_trials(const struct minimizing *m, const struct shrink_form *form,
				 size_t count)
{
	struct trial *trials = calloc(count, sizeof(*trials));
	uint64_t next = m->options->seed;

	for (size_t i = 0; trials && i < count; i++) {
		if (i && next == form->seed)
			next++;
		trials[i] =
			(struct trial){ .seed = i ? next++ : form->seed, .knobs = &form->knobs };
	}
	return trials;
}

static void keep_found(const struct trial *found, struct shrink_form *form)
{
	form->seed = found->seed;
	form->workers = found->workers;
	form->steps = found->steps;
	form->guest_ns = found->guest_ns;
}

static void tell(const struct minimizing *m, const struct shrink_form *form, bool is_same)
{
	_str_ struct str words = {};

	run_knobs_add_words(&form->knobs, &words);
	str_trim_end(&words);
	for (size_t i = 0; i < words.len; i++)
		if (words.s[i] == '\n')
			words.s[i] = ' ';
	log_note("%s: %s %s", m->lab->options.label, str_get(&words),
		 is_same ? "fails the same way" : "does not");
}

static int judge_form(void *ctx, struct shrink_form *form, bool *is_same)
{
	struct minimizing *m = ctx;
	struct lab_watch watch = { .ended = on_ended, .ctx = m };
	size_t count = form->is_beginning ? 1 : m->options->tries;
	struct trial *trials = make_trials(m, form, count);
	int rc = trials ? lab_run(m->lab, trials, count, &watch) : err_no_memory();

	m->forms++;
	*is_same = rc == 0 && m->found;
	if (*is_same)
		keep_found(m->found, form);
	m->found = NULL;
	trials_finish(trials, count);
	if (rc == 0)
		tell(m, form, *is_same);
	return rc;
}

/* The seed as it was found: there has to be a failure to begin with. */
static int see_failure(struct minimizing *m, struct shrink_form *form, char **cause, char **text)
{
	struct lab_watch watch = { .ended = on_ended, .ctx = m };
	struct trial *trials = make_trials(m, form, 1);
	int rc = trials ? lab_run(m->lab, trials, 1, &watch) : err_no_memory();

	if (rc == 0 && !m->found)
		rc = err_set(EINVAL,
			     "seed %llu does not fail: there is nothing to shrink; explore "
			     "without --shrink finds seeds that do",
			     ULL(m->options->seed));
	if (rc == 0 && m->found) {
		keep_found(m->found, form);
		*cause = strdup(m->found->cause);
		*text = strdup(m->found->text);
		rc = *cause && *text ? 0 : err_no_memory();
	}
	m->found = NULL;
	trials_finish(trials, 1);
	return rc;
}

static struct shrink_start start_of(const struct lab *l)
{
	const struct run_knobs *k = &l->options.knobs;
	const struct variant *v = lab_variant(l);

	return (struct shrink_start){
		.topology = k->topology.llcs ? k->topology : v->topology,
		.duration_ms = k->duration_ms ? k->duration_ms : v->test->duration_ms,
		.workers = k->workers ? k->workers : (unsigned int)v->test->workers_per_cgroup,
	};
}

static void print_text(const struct minimizing *m, const struct shrink_start *start,
		       const struct shrink_form *form, const char *command)
{
	const struct run_knobs *k = &form->knobs;
	unsigned int cpus = k->topology.llcs ? vm_topology_cpus(&k->topology) :
					       vm_topology_cpus(&start->topology);
	_str_ struct str cause = {};

	text_add_printable(&cause, m->cause);
	printf("%s fails with %s\n", lab_variant(m->lab)->name, str_get(&cause));
	printf("smallest of %zu forms (%zu runs): %u CPU%s", m->forms, m->runs, cpus,
	       cpus == 1 ? "" : "s");
	if (form->workers)
		printf(", %u worker%s", form->workers, form->workers == 1 ? "" : "s");
	if (form->steps)
		printf(", %zu step%s", form->steps, form->steps == 1 ? "" : "s");
	printf(", %llu ms, seed %llu\n", ULL(k->duration_ms ? k->duration_ms : start->duration_ms),
	       ULL(form->seed));
	printf("again: %s\n", command);
}

static void print_json(const struct minimizing *m, const struct shrink_start *start,
		       const struct shrink_form *form, const char *command)
{
	const struct run_knobs *k = &form->knobs;
	const struct vm_topology *t = k->topology.llcs ? &k->topology : &start->topology;
	_str_ struct str out = {};
	struct json j;

	json_document(&j, &out);
	json_put_string(&j, "test", lab_variant(m->lab)->name);
	json_put_string(&j, "first_failure", m->cause);
	json_put_string(&j, "topology", topology_text(t));
	json_put_known_u64(&j, "workers", form->workers, form->workers);
	json_put_known_u64(&j, "steps", form->steps, form->steps);
	json_put_u64(&j, "duration_ms", k->duration_ms ? k->duration_ms : start->duration_ms);
	json_put_u64(&j, "seed", form->seed);
	json_put_u64(&j, "forms", m->forms);
	json_put_u64(&j, "runs", m->runs);
	json_put_string(&j, "command", command);
	json_object_end(&j);
	puts(str_get(&out));
}

int minimize_run(struct lab *l, const struct minimize_options *o)
{
	struct minimizing m = { .lab = l, .options = o };
	struct shrink_form form = { .seed = o->seed };
	struct shrink_start start = start_of(l);
	_free_ char *cause = NULL, *text = NULL;
	_str_ struct str command = {};
	struct strategy strategy;
	int rc = strategy_measure(l, &strategy);

	form.knobs = l->options.knobs;
	rc = rc ?: see_failure(&m, &form, &cause, &text);
	if (rc < 0)
		return rc;
	m.cause = cause;
	rc = shrink_run(&start, judge_form, &m, &form);
	if (rc < 0)
		return rc;
	lab_add_command(l, &form.knobs, form.seed, &command);
	(o->is_json ? print_json : print_text)(&m, &start, &form, str_get(&command));
	return RUN_EXIT_FAILED;
}
