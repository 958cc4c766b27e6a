// SPDX-License-Identifier: GPL-2.0-only
/* Turns options into what the runs need: program, scheduler, kernels, machines. */
#include "battery/battery.h"

#include "battery/summary.h"
#include "kernel/cache.h"
#include "kernel/ident.h"
#include "run/discover.h"

/* ---- kernels ---- */

static int by_version(const void *a, const void *b)
{
	struct kernel_version x = {}, y = {};

	kernel_version_parse(*(char *const *)a, &x);
	kernel_version_parse(*(char *const *)b, &y);
	return kernel_version_compare(&y, &x);
}

/*
 * Chooses the usable kernels with sched_ext in the cache, newest first, each version once.
 * If there are none, the runner gets one.
 */
static int choose_kernels(struct battery *b)
{
	_cache_list_ struct cache_list list = {};
	_free_ char *root = NULL;
	int rc = cache_root(&root) ?: cache_list_read(root, &list);

	vec_each_while(const struct cache_entry, e, &list, rc == 0)
		if (cache_is_usable(e) && e->meta.has_scx == KERNEL_YES && e->meta.version)
			rc = texts_add_once(&b->kernel_ids, e->meta.version);
	vec_sort(&b->kernel_ids, by_version);
	return rc;
}

/* A kernel into which no scheduler can be loaded is noted once and left out. */
static int check_kernels(struct battery *b)
{
	size_t count = b->campaign.kernels.items.count, left = 0;

	b->is_left_out = calloc(count + 1, sizeof(*b->is_left_out));
	if (!b->is_left_out)
		return err_no_memory();
	for (size_t i = 0; i < count; i++) {
		int rc = b->scheduler ?
				 kernel_require_scx(&b->campaign.kernels.items.items[i].image) :
				 0;

		if (rc < 0)
			log_note("%s: left out: %s", b->options->label, err_text(rc));
		b->is_left_out[i] = rc < 0;
		left += rc == 0;
	}
	err_clear();
	return left ? 0 : RUN_EXIT_NOTHING;
}

/* ---- the scheduler ---- */

/* Arguments must not contain newlines: records keep them as lines. */
static int check_args(const struct battery_options *o)
{
	for (size_t i = 0; i < o->arg_count; i++)
		if (strchr(o->args[i], '\n'))
			return err_set(EINVAL, "an argument of the scheduler has a line end in it");
	return 0;
}

/* Knobs that all runs have in common. */
static struct run_knobs usual_knobs(const struct battery *b)
{
	struct run_knobs k = RUN_KNOBS_DEFAULT;

	/* b->scheduler is an absolute path. */
	k.scheduler = b->scheduler ? strrchr(b->scheduler, '/') + 1 : NULL;
	k.scheduler_args = (const char *const *)b->options->args;
	k.scheduler_arg_count = b->options->arg_count;
	k.is_eevdf = !b->scheduler;
	return k;
}

/* ---- machines ---- */

/* The rows name CPUs 0 to 3. */
#define MIN_CPUS 4

static int set_place(struct battery *b, size_t i, const char *name, const struct vm_topology *t)
{
	struct battery_place *p = &b->places[i];

	if (vm_topology_cpus(t) < MIN_CPUS)
		return err_set(EINVAL, "machine %s has %zu CPUs: the tests need %d or more", name,
			       (size_t)vm_topology_cpus(t), MIN_CPUS);
	p->name = name;
	p->knobs = usual_knobs(b);
	p->knobs.topology = *t;
	return 0;
}

static int set_named_place(struct battery *b, size_t i)
{
	const char *text = b->options->machines[i];
	const struct preset *preset = preset_by_name(text);
	struct vm_topology t;
	int rc;

	if (preset)
		return set_place(b, i, preset->name, &preset->topology);
	rc = vm_topology_parse(text, &t);
	if (rc < 0)
		return rc;
	for (size_t m = 0; m < battery_machine_count(); m++)
		if (memcmp(&battery_machines[m].topology, &t, sizeof(t)) == 0)
			return set_place(b, i, battery_machines[m].name, &t);
	b->place_names[i] = strdup(topology_text(&t));
	return b->place_names[i] ? set_place(b, i, b->place_names[i], &t) : err_no_memory();
}

static int choose_places(struct battery *b)
{
	size_t given = b->options->machine_count, count = given ? given : battery_machine_count();
	int rc = 0;

	b->places = calloc(count, sizeof(*b->places));
	b->place_names = calloc(count, sizeof(*b->place_names));
	if (!b->places || !b->place_names)
		return err_no_memory();
	b->place_count = count;
	for (size_t i = 0; i < count && rc == 0; i++)
		rc = given ? set_named_place(b, i) :
			     set_place(b, i, battery_machines[i].name,
				       &battery_machines[i].topology);
	return rc;
}

/* ---- opening ---- */

static void fill_runner(struct battery *b)
{
	const struct battery_options *o = b->options;
	bool is_chosen = o->kernel_count == 0;

	b->runner = (struct runner_options){
		.label = o->label,
		.paths = (const char *const *)&b->program,
		.path_count = 1,
		.kernels = is_chosen ? (const char *const *)b->kernel_ids.items : o->kernels,
		.kernel_count = is_chosen ? b->kernel_ids.count : o->kernel_count,
		.include_eol = o->include_eol,
		.accel = "sim",
		.seed = o->seed,
		.scheduler = b->scheduler,
		.knobs = usual_knobs(b),
		.no_perf_mode = o->no_perf_mode,
		.profile = run_profile_by_name("default"),
		.choice = { .filter = o->filter, .is_any_kernel = true },
		.jobs = o->jobs,
		.is_quiet = o->is_quiet,
		.format = &run_report_human,
	};
	b->campaign.options = &b->runner;
	b->is_open = true;
}

static int tell_nothing(const struct battery *b)
{
	log_note("%s: none of the %zu tests is selected; `ktstr check --list` has their names",
		 b->options->label, battery_row_count());
	return RUN_EXIT_NOTHING;
}

static int prepare(struct battery *b)
{
	int rc = campaign_select(&b->campaign);

	if (rc == 0 && b->campaign.chosen.items.count == 0)
		return tell_nothing(b);
	rc = rc ?: check_kernels(b);
	rc = rc ?: campaign_equip(&b->campaign);
	return rc ? rc : campaign_open_records(&b->campaign);
}

int battery_open(struct battery *b, const struct battery_options *o)
{
	int rc;

	b->options = o;
	rc = check_args(o);
	if (rc == 0 && o->scheduler)
		rc = scheduler_program(o->scheduler, &b->scheduler);
	rc = rc ?: choose_places(b);
	rc = rc ?: battery_program(&b->program);
	if (rc == 0 && o->kernel_count == 0)
		rc = choose_kernels(b);
	if (rc < 0)
		return rc;
	fill_runner(b);
	return prepare(b);
}

void battery_finish(struct battery *b)
{
	for (size_t i = 0; i < b->place_count; i++)
		free(b->place_names[i]);
	if (b->is_open)
		campaign_finish(&b->campaign);
	trials_finish(b->trials.items, b->trials.count);
	free(b->facts.items);
	battery_unjudged_finish(b);
	texts_finish(&b->kernel_ids);
	free(b->place_names);
	free(b->places);
	free(b->is_left_out);
	free(b->program);
	free(b->scheduler);
}

const char *battery_kernel(const struct battery *b, size_t kernel)
{
	const struct kernel_image *k = &b->campaign.kernels.items.items[kernel].image;

	return k->version ? k->version : k->image;
}
