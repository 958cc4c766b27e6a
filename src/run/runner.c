// SPDX-License-Identifier: GPL-2.0-only
/* Everything before the first test: programs, kernels, VM, directories, tasks. */
#include "run/parts.h"

#include <libgen.h>

static const struct run_profile profiles[] = {
	{ "default", 60, 2, true, false },
	{ "ci", 90, 3, false, true },
	{ "quick", 10, 2, true, false },
};

const struct run_profile *run_profile_by_name(const char *name)
{
	return array_find(profiles, ARRAY_SIZE(profiles), name, name);
}

const char *const *run_profile_names(void)
{
	static const char *names[ARRAY_SIZE(profiles) + 1];

	for (size_t i = 0; i < ARRAY_SIZE(profiles); i++)
		names[i] = profiles[i].name;
	return names;
}

/* ---- programs ---- */

/*
 * Replaces the schedulers that a program declares by the scheduler of the run, or by none. Scenario
 * files declare none; they get it, too.
 */
static void place_scheduler(const struct run_knobs *k, struct test_program *program)
{
	struct probe *probe = &program->probe;
	bool is_scenario = program->source && scenario_ending(program->source);

	if (!k->scheduler && !k->is_eevdf)
		return;
	vec_each_while(struct probe_sched, s, &probe->schedulers, k->scheduler) {
		s->name = s->binary = k->scheduler;
		s->binary_path = NULL;
		s->args = (struct probe_texts){ .items = (const char **)k->scheduler_args,
						.count = k->scheduler_arg_count };
	}
	for (size_t i = 0; i < probe->tests.count; i++)
		if (probe->tests.items[i].scheduler || is_scenario)
			probe->tests.items[i].scheduler = k->is_eevdf ? NULL : k->scheduler;
}

static int find_programs(struct campaign *c)
{
	const struct runner_options *o = c->options;
	struct discover_options how = { .how = { .is_release = o->knobs.is_release,
						 .is_instrumented = o->is_coverage },
					.has_filter = true };
	int rc = discover_programs(o->paths, o->path_count, &how, &c->programs);

	for (size_t i = 0; rc == 0 && i < c->programs.items.count; i++)
		place_scheduler(&o->knobs, &c->programs.items.items[i]);
	return rc < 0 ? rc : test_programs_check(&c->programs);
}

/* ---- coverage ---- */

/* Sets the profile directory before any program is run: each of them may write a profile. */
static int prepare_profiles(struct campaign *c)
{
	c->profile_dir = coverage_dir();
	return c->profile_dir ? coverage_set_environment(c->profile_dir) : -ENOMEM;
}

static int no_program_counts(const struct campaign *c)
{
	return err_set(
		EINVAL,
		"%s%s is not instrumented for coverage: compile and link it with clang " COVERAGE_COMPILE_FLAG
		" " COVERAGE_MAPPING_FLAG " (`ktstr llvm-cov show-env`), or name a C file",
		c->programs.items.count == 1 ? "" : "none of the test programs, such as ",
		c->programs.items.items[0].path);
}

/* Reports programs and schedulers for which there will be no coverage. */
static int check_instrumented(const struct campaign *c)
{
	size_t counting = 0;

	for (size_t i = 0; i < c->programs.items.count; i++)
		counting += c->programs.items.items[i].is_instrumented;
	if (!c->options->is_coverage || c->programs.items.count == 0)
		return 0;
	if (counting == 0)
		return no_program_counts(c);
	for (size_t i = 0; i < c->programs.items.count; i++)
		if (!c->programs.items.items[i].is_instrumented)
			log_note("warning: %s is not instrumented and has no part in the report",
				 c->programs.items.items[i].path);
	return 0;
}

/* Stores the list of instrumented programs, which later reports need, too. */
static int note_objects(const struct campaign *c)
{
	VEC(const char *) paths = {};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < c->programs.items.count; i++)
		if (c->programs.items.items[i].is_instrumented)
			rc = vec_push(&paths, c->programs.items.items[i].path);
	for (size_t i = 0; rc == 0 && i < c->chosen.items.count; i++)
		if (c->extras[i].is_sched_instrumented)
			rc = vec_push(&paths, c->extras[i].scheduler);
	if (rc == 0 && paths.count)
		rc = coverage_add_objects(c->profile_dir, paths.items, paths.count);
	free(paths.items);
	return rc;
}

static bool needs_kernels(const struct test_programs *p)
{
	for (size_t i = 0; i < p->items.count; i++)
		for (size_t k = 0; k < p->items.items[i].probe.tests.count; k++)
			if (!p->items.items[i].probe.tests.items[k].host_only)
				return true;
	return false;
}

/* ---- selection ---- */

static void tell_budget(const struct selection_summary *s)
{
	if (s->total)
		log_note(
			"ktstr budget: %zu/%zu tests, %.0f/%.0fs used, %u/%u configurations covered",
			s->chosen, s->total, s->used_s, s->budget_s, s->covered, s->coverable);
}

/* Variants of the gauntlet keep their machines: these are their purpose. */
static void override_topology(struct campaign *c)
{
	const struct vm_topology *t = &c->options->knobs.topology;

	for (size_t i = 0; t->llcs && i < c->variants.items.count; i++)
		if (!c->variants.items.items[i].preset)
			variant_set_topology(&c->variants.items.items[i], t);
}

static int choose(struct campaign *c)
{
	struct preset_host host;
	int rc;

	preset_host_read(&c->machine.topology, &host);
	rc = variants_list(&(struct variants_request){ .programs = &c->programs,
						       .kernel_labels = c->kernels.labels,
						       .kernel_count = c->kernels.items.count,
						       .arch = vm_arch_host(),
						       .host = &host },
			   &c->variants);
	override_topology(c);
	rc = rc ?: variants_choose(&c->variants, &c->options->choice, &c->chosen);
	if (rc < 0)
		return rc;
	tell_budget(&c->chosen.budget);
	if (c->options->choice.shard.count)
		log_note("%s: part %u of %u (%s)", c->options->label,
			 c->options->choice.shard.index + 1, c->options->choice.shard.count,
			 c->options->choice.shard.source);
	return variants_check_names(&c->chosen);
}

static int resolve_kernels(struct campaign *c)
{
	const struct runner_options *o = c->options;

	/*
	 * Names contain a kernel only if there are two or more: for a list none has to be resolved.
	 */
	if (!needs_kernels(&c->programs) || (o->list != RUN_LIST_NO && o->kernel_count == 0))
		return 0;
	return run_kernels_resolve(&(struct run_kernels_request){ .ids = o->kernels,
								  .count = o->kernel_count,
								  .include_eol = o->include_eol,
								  .only_labels = o->list !=
										 RUN_LIST_NO,
								  .label = o->label },
				   &c->kernels);
}

/* ---- struct run_world ---- */

static bool needs_vm(const struct campaign *c)
{
	for (size_t i = 0; i < c->chosen.items.count; i++)
		if (!c->chosen.items.items[i]->test->host_only)
			return true;
	return false;
}

static void fill_world(struct campaign *c)
{
	const struct runner_options *o = c->options;
	struct run_world *w = &c->world;

	w->kernels = &c->kernels;
	w->is_verbose = o->is_verbose;
	w->slow_ns = o->profile->slow_s * NSEC_PER_SEC;
	w->slow_periods = o->profile->slow_periods;
}

/* ---- records ---- */

static const char *kernel_of(const struct campaign *c, size_t i)
{
	const struct kernel_image *k =
		i < c->kernels.items.count ? &c->kernels.items.items[i].image : NULL;

	if (!k)
		return NULL;
	return k->version ? k->version : k->release;
}

/* Writes what a replay needs and records do not contain. */
int campaign_write_programs(const struct campaign *c, const char *dir)
{
	_free_ char *path = str_fmt("%s/" RUN_PROGRAMS_FILE, dir);
	_str_ struct str lines = {};
	int rc;

	for (size_t i = 0; i < c->programs.items.count; i++)
		str_addf(&lines, "%s\n", test_program_origin(&c->programs.items.items[i]));
	rc = path ? str_check(&lines) : err_no_memory();
	rc = rc ?: file_replace(path, str_get(&lines), lines.len, 0644);
	if (rc == 0)
		run_programs_mark(path);
	return rc;
}

/* Appends a line "HASH PATH" for each scheduler program of this run. */
static int list_schedulers(const struct campaign *c, struct str *lines)
{
	for (size_t i = 0; i < c->chosen.items.count; i++) {
		char hash[SHA256_HEX_SIZE];

		/* An unreadable program is reported by its tests. */
		if (!c->extras[i].scheduler || file_hash(c->extras[i].scheduler, hash) < 0)
			continue;
		if (!strstr(str_get(lines), hash))
			str_addf(lines, "%s %s\n", hash, c->extras[i].scheduler);
	}
	return str_check(lines);
}

/* 7.0 and 7.0.13 may be the same version, and KTSTR_SIDECAR_DIR applies to all kernels. */
static bool shares_directory(const struct campaign *c, size_t i)
{
	const char *kernel = kernel_of(c, i);

	if (env_get("KTSTR_SIDECAR_DIR"))
		return i > 0;
	for (size_t j = 0; j < i; j++) {
		const char *other = kernel_of(c, j);

		if (kernel && other ? str_eq(kernel, other) : kernel == other)
			return true;
	}
	return false;
}

static void warn_of_missing(const struct campaign *c)
{
	size_t observer;

	observer_program(&observer);
	if (!observer)
		log_note(
			"warning: this ktstr was built without a BPF compiler: waits, idle CPUs, shares "
			"and migrations are not judged (scripts/setup bpf, then make)");
	if (!c->commit.text)
		log_note(
			"warning: not in a git repository with a commit: the records do not contain "
			"which version of the project was tested");
}

/* Temporary names for core files; dump_files_write() renames or removes them after the verdict. */
static int name_cores(struct campaign *c)
{
	for (size_t i = 0; c->options->takes_cores && i < c->chosen.items.count; i++) {
		struct job *job = &c->tasks[i].job;
		size_t dir = MIN(job->variant->kernel, c->dir_count - 1);

		c->extras[i].core = str_fmt("%s/.core-%zu", c->dirs[dir].path, i);
		if (!c->extras[i].core)
			return err_no_memory();
		job->core = c->extras[i].core;
	}
	return 0;
}

int campaign_open_records(struct campaign *c)
{
	size_t count = MAX(c->kernels.items.count, (size_t)1);
	_str_ struct str schedulers = {};
	int rc = project_commit_read(&c->commit);

	c->epoch = run_epoch();
	c->dirs = calloc(count, sizeof(*c->dirs));
	c->dir_names = calloc(count, sizeof(*c->dir_names));
	c->junits = calloc(count, sizeof(*c->junits));
	if (!c->epoch || !c->dirs || !c->dir_names || !c->junits)
		return err_no_memory();
	rc = rc ?: list_schedulers(c, &schedulers);
	for (size_t i = 0; i < count && rc == 0; i++) {
		rc = run_dir_open(&(struct run_dir_request){ .kernel = kernel_of(c, i),
							     .project_commit = c->commit.text,
							     .epoch = c->epoch,
							     .history = c->options->history,
							     .schedulers = str_get(&schedulers),
							     .label = shares_directory(c, i) ?
									      c->kernels.labels[i] :
									      NULL },
				  &c->dirs[i]);
		c->dir_count += rc == 0;
		rc = rc ?: campaign_write_programs(c, c->dirs[i].path);
		if (rc == 0)
			c->dir_names[c->dir_name_count++] = c->dirs[i].path;
	}
	rc = rc ?: name_cores(c);
	rc = rc ?: host_context_read(&c->host, &roots_live);
	if (rc == 0)
		warn_of_missing(c);
	return rc;
}

/* Sets environment variables for programs on the host. */
static void hand_down(const struct campaign *c)
{
	_free_ char *root = run_root();
	_free_ char *absolute = NULL;
	_str_ struct str list = {};

	setenv("KTSTR_ORCHESTRATED", "1", 1);
	setenv("KTSTR_RUN_EPOCH", c->epoch, 1);
	if (c->commit.text)
		setenv("KTSTR_PROJECT_COMMIT", c->commit.text, 1);
	absolute = root ? realpath(root, NULL) : NULL;
	if (absolute)
		setenv("KTSTR_RUNS_ROOT", absolute, 1);
	for (size_t i = 0; i < c->kernels.items.count; i++) {
		_free_ char *image = strdup(c->kernels.items.items[i].image.image);
		const char *dir = image ? dirname(image) : "";

		str_addf(&list, "%s%s=%s", i ? ";" : "", c->kernels.labels[i], dir);
		if (i == 0)
			setenv("KTSTR_KERNEL", dir, 1);
	}
	if (c->kernels.items.count > 1)
		setenv("KTSTR_KERNEL_LIST", str_get(&list), 1);
}

/* ---- tasks ---- */

/* Finds the scheduler's program; if there is none, the test fails with t->problem. */
static int find_scheduler(struct campaign *c, const struct variant *v, struct campaign_task *t)
{
	struct scheduler_search where = { .program = test_program_origin(v->program),
					  .profile = c->options->scheduler_profile,
					  .given = c->options->scheduler };
	char *absolute;
	int rc;

	if (!v->sched)
		return 0;
	rc = scheduler_find(v->sched, &where, &t->scheduler, &t->resolve_source);
	if (rc < 0)
		t->problem = strdup(err_text(rc));
	absolute = t->scheduler ? realpath(t->scheduler, NULL) : NULL;
	if (absolute) {
		free(t->scheduler);
		t->scheduler = absolute;
	}
	t->is_sched_instrumented = t->scheduler && program_is_instrumented(t->scheduler);
	return t->scheduler ? scheduler_version(t->scheduler, &t->scheduler_version) : 0;
}

/*
 * "DIR/ktstr-two_cgroups.perfetto"; "DIR/mine-ktstr-..." if two programs have a test of this name.
 */
static char *trace_path(const struct campaign *c, const struct variant *v)
{
	char *path = str_fmt("%s/%s%s%s.perfetto", c->options->trace_dir,
			     v->has_namesake ? v->program->name : "", v->has_namesake ? "-" : "",
			     v->name);

	for (char *p = path ? path + strlen(c->options->trace_dir) + 1 : NULL; p && *p; p++)
		if (*p == '/')
			*p = '-';
	return path;
}

static int make_trace_path(const struct campaign *c, const struct variant *v,
			   struct campaign_task *t)
{
	if (!c->options->trace_dir || v->test->host_only)
		return 0;
	t->trace = trace_path(c, v);
	return t->trace ? 0 : err_no_memory();
}

static int make_tasks(struct campaign *c)
{
	size_t count = c->chosen.items.count;

	c->tasks = calloc(count + 1, sizeof(*c->tasks));
	c->extras = calloc(count + 1, sizeof(*c->extras));
	c->statuses = calloc(count + 1, sizeof(*c->statuses));
	if (!c->tasks || !c->extras || !c->statuses)
		return err_no_memory();
	for (size_t i = 0; i < count; i++) {
		const struct variant *v = c->chosen.items.items[i];
		bool counts;

		c->statuses[i] = -1;
		if (find_scheduler(c, v, &c->extras[i]) < 0)
			return -ENOMEM;
		counts = v->program->is_instrumented || c->extras[i].is_sched_instrumented;
		if (make_trace_path(c, v, &c->extras[i]) < 0)
			return -ENOMEM;
		c->tasks[i] = (struct task){
			.job = { .world = &c->world,
				 .variant = v,
				 .scheduler = c->extras[i].scheduler,
				 .scheduler_version = c->extras[i].scheduler_version,
				 .problem = c->extras[i].problem,
				 .knobs = &c->options->knobs,
				 .trace = c->extras[i].trace,
				 .bpf_dir = v->sched ? c->options->bpf_dir : NULL,
				 .counts_kernel = c->options->counts_kernel,
				 .profile_dir = counts ? c->profile_dir : NULL,
				 .explains = c->options->explains &&
					     !env_get("KTSTR_NO_AUTO_REPRO"),
				 .probe_stack = c->options->probe_stack,
				 .seed = v->test->seed ? v->test->seed : c->options->seed,
				 .event_fd = -1 },
			.attempt = 1
		};
	}
	return 0;
}

/* BPF coverage works in sim only, and only for schedulers. */
static int check_bpf_coverage(const struct campaign *c)
{
	size_t counting = 0;

	for (size_t i = 0; i < c->chosen.items.count; i++) {
		const struct job *job = &c->tasks[i].job;

		if (!job->bpf_dir)
			continue;
		if (job_accel(job) != VM_ACCEL_SIM)
			return err_set(EINVAL,
				       "coverage of BPF programs needs sim, and %s runs in "
				       "%s: add --accel sim",
				       job->variant->name, vm_accel_name(job_accel(job)));
		counting++;
	}
	return counting ? 0 :
			  err_set(EINVAL, "coverage of BPF programs: none of these tests has a "
					  "scheduler: declare one with KTSTR_SCHEDULER");
}

void campaign_finish(struct campaign *c)
{
	for (size_t i = 0; c->extras && i < c->chosen.items.count; i++) {
		free(c->extras[i].scheduler);
		free(c->extras[i].scheduler_version);
		free(c->extras[i].problem);
		free(c->extras[i].trace);
		free(c->extras[i].core);
	}
	free(c->extras);
	free(c->tasks);
	free(c->statuses);
	for (size_t i = 0; i < c->dir_count; i++)
		run_dir_finish(&c->dirs[i]);
	free(c->dirs);
	free(c->dir_names);
	free(c->epoch);
	free(c->profile_dir);
	project_commit_finish(&c->commit);
	host_context_finish(&c->host);
	run_machine_finish(&c->machine);
	variants_chosen_finish(&c->chosen);
	variants_finish(&c->variants);
	run_kernels_finish(&c->kernels);
	test_programs_finish(&c->programs);
	str_finish(&c->notes);
	for (size_t i = 0; c->junits && i < c->dir_count; i++)
		str_finish(&c->junits[i].cases);
	free(c->junits);
	str_finish(&c->github);
}

static int tell_nothing(const struct campaign *c)
{
	if (c->programs.items.count == 0)
		log_note("%s: no test was found in tests or build of this project; name a test "
			 "program, a C file or a directory, or set KTSTR_TEST_DIR",
			 c->options->label);
	else
		log_note("%s: none of %zu tests was selected", c->options->label,
			 c->variants.items.count);
	return RUN_EXIT_NOTHING;
}

static void print_name(const struct variant *v)
{
	_str_ struct str name = {}, shown = {};

	variant_add_name(v, &name);
	text_add_printable(&shown, str_get(&name));
	printf("%s: test\n", str_get(&shown));
}

static int print_list(const struct campaign *c)
{
	if (!c->chosen.items.count)
		return tell_nothing(c);
	for (size_t i = 0; i < c->chosen.items.count; i++)
		print_name(c->chosen.items.items[i]);
	return RUN_EXIT_PASSED;
}

int campaign_select(struct campaign *c)
{
	int rc = prepare_profiles(c) ?: find_programs(c) ?: check_instrumented(c);

	rc = rc ?: run_machine_read(&c->machine, c->options->no_perf_mode, &c->world);
	rc = rc ?: resolve_kernels(c);
	return rc < 0 ? rc : choose(c);
}

int campaign_equip(struct campaign *c)
{
	int rc = 0;

	fill_world(c);
	if (needs_vm(c)) {
		rc = run_machine_prepare_vm(&c->machine, c->options->accel, &c->kernels, &c->world);
		if (rc == 0)
			run_knobs_check_accel(&c->options->knobs, c->world.accel);
	}
	if (rc == 0 && c->options->trace_dir)
		rc = file_make_dirs(c->options->trace_dir, 0755);
	rc = rc ?: make_tasks(c);
	return rc < 0 || !c->options->bpf_dir ? rc : check_bpf_coverage(c);
}

/* Warns that some tests run under EEVDF although --scheduler-bin was given. */
static void tell_without_scheduler(const struct campaign *c)
{
	size_t count = 0;

	for (size_t i = 0; i < c->chosen.items.count; i++)
		count += !c->chosen.items.items[i]->sched;
	if (c->options->knobs.scheduler && count)
		log_note(
			"warning: %zu of %zu tests declare%s no scheduler and do%s not run under %s",
			count, c->chosen.items.count, count == 1 ? "s" : "", count == 1 ? "es" : "",
			c->options->knobs.scheduler);
}

int runner_run(const struct runner_options *options)
{
	_cleanup_(campaign_finish) struct campaign c = { .options = options };
	int rc = campaign_select(&c);

	if (rc < 0)
		return rc;
	if (options->list != RUN_LIST_NO)
		return print_list(&c);
	if (c.chosen.items.count == 0 && options->format == &run_report_human)
		return tell_nothing(&c);
	tell_without_scheduler(&c);
	rc = campaign_equip(&c) ?: note_objects(&c);
	/* Without tests there are no records; those of the previous run are kept. */
	if (rc == 0 && c.chosen.items.count)
		rc = campaign_open_records(&c);
	if (rc < 0)
		return rc;
	if (c.chosen.items.count)
		hand_down(&c);
	return campaign_run(&c);
}
