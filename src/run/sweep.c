// SPDX-License-Identifier: GPL-2.0-only
/* Plans the cells of a sweep and runs them. */
#include "run/parts.h"

#define LIMIT_S 120
#define SPIN_MS 200
/* Without KVM the time for a machine grows with its number of CPUs. */
#define QUICK_CPUS 9

/* ---- machines ---- */

static int add_named_preset(struct sweep *s, const char *name)
{
	const struct preset *p = preset_by_name(name);

	return p ? vec_push(&s->presets, p) : err_set(EINVAL, "there is no preset '%s'", name);
}

static int add_usual_presets(struct sweep *s)
{
	bool is_kvm = s->world.accel == VM_ACCEL_KVM;
	const struct ktstr_constraints any = {};
	int rc = 0;

	for (const struct preset *p = presets; p->name && rc == 0; p++) {
		if (!preset_is_accepted(p, vm_arch_host(), &any, NULL))
			continue;
		if (is_kvm || vm_topology_cpus(&p->topology) <= QUICK_CPUS)
			rc = vec_push(&s->presets, p);
	}
	if (rc == 0 && !is_kvm)
		log_note("%s: without KVM only machines of up to %d CPUs; name presets for others",
			 s->options->label, QUICK_CPUS);
	return rc;
}

static int choose_presets(struct sweep *s)
{
	const struct sweep_options *o = s->options;
	int rc = 0;

	if (o->preset_count == 0)
		return add_usual_presets(s);
	for (size_t i = 0; i < o->preset_count && rc == 0; i++)
		rc = add_named_preset(s, o->presets[i]);
	return rc;
}

/* ---- cells ---- */

/* A declared scheduler may exclude small or large machines; named presets override that. */
static bool wants_preset(const struct sweep *s, const struct probe_sched *sched,
			 const struct preset *p)
{
	return s->options->preset_count ||
	       preset_is_accepted(p, vm_arch_host(), &sched->constraints, NULL);
}

static int add_cell(struct sweep *s, const struct sweep_scheduler *scheduler, size_t kernel,
		    const struct preset *preset, uint64_t mask)
{
	struct sweep_cell c = { .scheduler = scheduler, .kernel = s->kernels.labels[kernel] };
	_str_ struct str name = {};

	if (scheduler->flags.count) {
		c.profile = profile_name(&scheduler->flags, mask, &s->arena);
		if (!c.profile)
			return err_no_memory();
	}
	str_addf(&name, "verifier/%s/%s/%s", scheduler->name, c.kernel, preset->name);
	if (c.profile)
		str_addf(&name, "/%s", c.profile);
	c.name = str_check(&name) == 0 ? arena_copy(&s->arena, name.s, name.len) : NULL;
	if (!c.name)
		return err_no_memory();
	c.variant = (struct variant){ .name = c.name,
				      .binary_id = "verifier",
				      .test = &s->test,
				      .sched = &scheduler->sched,
				      .preset = preset,
				      .flags = mask,
				      .profile = c.profile,
				      .kernel = kernel,
				      .topology = preset->topology,
				      .memory_mib = preset->memory_mib };
	return vec_push(&s->cells, c);
}

static int add_machine(struct sweep *s, const struct sweep_scheduler *scheduler, size_t kernel,
		       const struct preset *preset)
{
	int rc = 0;

	for (size_t i = 0; i < scheduler->mask_count && rc == 0; i++)
		rc = add_cell(s, scheduler, kernel, preset, scheduler->masks[i]);
	return rc;
}

static int add_scheduler_cells(struct sweep *s, const struct sweep_scheduler *scheduler)
{
	int rc = 0;

	for (size_t k = 0; k < s->kernels.items.count && rc == 0; k++) {
		if (!sweep_wants_kernel(&scheduler->sched, &s->kernels.items.items[k]))
			continue;
		for (size_t p = 0; p < s->presets.count && rc == 0; p++)
			if (wants_preset(s, &scheduler->sched, s->presets.items[p]))
				rc = add_machine(s, scheduler, k, s->presets.items[p]);
	}
	return rc;
}

static int make_cells(struct sweep *s)
{
	int rc = 0;

	s->test = (struct probe_test){ .name = "verifier", .duration_ms = SPIN_MS };
	for (size_t i = 0; i < s->schedulers.count && rc == 0; i++)
		rc = add_scheduler_cells(s, &s->schedulers.items[i]);
	if (rc == 0 && s->cells.count == 0)
		rc = err_set(ENOENT, "there is nothing to verify: no scheduler wants one of these "
				     "kernels and machines");
	return rc;
}

/* With a single kernel that lacks sched_ext, fails before a VM is booted. */
static int check_only_kernel(const struct sweep *s)
{
	return s->kernels.items.count == 1 ? kernel_require_scx(&s->kernels.items.items[0].image) :
					     0;
}

static int prepare(struct sweep *s)
{
	const struct sweep_options *o = s->options;
	int rc;

	s->knobs = RUN_KNOBS_DEFAULT;
	s->world.slow_ns = LIMIT_S * NSEC_PER_SEC;
	s->world.slow_periods = 1;
	s->world.is_verbose = o->is_verbose;
	s->world.kernels = &s->kernels;
	rc = run_machine_read(&s->machine, true, &s->world);
	if (rc == 0)
		rc = run_kernels_resolve(&(struct run_kernels_request){ .ids = o->kernels,
									.count = o->kernel_count,
									.include_eol =
										o->include_eol,
									.label = o->label },
					 &s->kernels);
	rc = rc ?: check_only_kernel(s);
	rc = rc ?: run_machine_prepare_vm(&s->machine, o->accel, &s->kernels, &s->world);
	if (rc == 0 && o->has_seed)
		vm_accel_check_sim_option(s->world.accel, "--seed");
	rc = rc ?: choose_presets(s);
	return rc < 0 ? rc : make_cells(s);
}

/* ---- running ---- */

static void on_slow(void *ctx, struct task *t)
{
	struct sweep *s = ctx;

	live_line_wipe(&s->line);
	log_note("%s: %s is slow", s->options->label, t->job.variant->name);
}

static struct sweep_cell *cell_of(const struct task *t)
{
	return (struct sweep_cell *)((char *)t->job.variant - offsetof(struct sweep_cell, variant));
}

static enum task_next on_ended(void *ctx, struct task *t, struct outcome *o)
{
	struct sweep *s = ctx;
	struct sweep_cell *c = cell_of(t);

	if (o->facts.end == OUTCOME_INTERRUPTED)
		return TASK_STOP;
	s->ended++;
	sweep_cell_judge(c, o, s->options->is_raw);
	if (s->options->is_verbose) {
		live_line_wipe(&s->line);
		log_note("%s: %s: %s", s->options->label, c->name,
			 c->problem.len ? str_get(&c->problem) : "ok");
	}
	return TASK_DONE;
}

static void on_tick(void *ctx, struct task *const *running, size_t count)
{
	struct sweep *s = ctx;
	_str_ struct str text = {};

	if (!s->line.is_on)
		return;
	str_addf(&text, "%s: %zu/%zu", s->options->label, s->ended, s->cells.count);
	for (size_t i = 0; i < count; i++)
		str_addf(&text, "%s %s", i ? "," : ":", running[i]->job.variant->name);
	live_line_draw(&s->line, str_get(&text));
}

static int run_cells(struct sweep *s)
{
	struct execute_callbacks callbacks = {
		.slow = on_slow, .ended = on_ended, .tick = on_tick, .line = &s->line, .ctx = s
	};
	_free_ struct task *tasks = calloc(s->cells.count, sizeof(*tasks));
	struct execute_limits limits;
	int rc;

	if (!tasks)
		return err_no_memory();
	for (size_t i = 0; i < s->cells.count; i++)
		tasks[i] = (struct task){ .job = { .world = &s->world,
						   .variant = &s->cells.items[i].variant,
						   .scheduler = s->cells.items[i].scheduler->path,
						   .knobs = &s->knobs,
						   .seed = s->options->seed,
						   .event_fd = -1 },
					  .attempt = 1 };
	execute_limits_read(&s->machine.allowed, s->world.cap.cpus, s->options->jobs, &limits);
	live_line_init(&s->line, s->options->is_quiet);
	rc = execute_tasks(tasks, s->cells.count, &limits, &callbacks);
	live_line_wipe(&s->line);
	return rc;
}

int sweep_run(struct sweep *s, const struct sweep_options *options)
{
	int rc;

	s->options = options;
	rc = sweep_find_schedulers(s);
	if (rc < 0)
		return rc;
	if (s->schedulers.count == 0) {
		log_note("%s: nothing was verified: every declared scheduler was left out",
			 options->label);
		return 0;
	}
	rc = prepare(s);
	return rc < 0 ? rc : run_cells(s);
}

size_t sweep_bad_count(const struct sweep *s)
{
	size_t count = 0;

	for (size_t i = 0; i < s->cells.count; i++)
		count += !sweep_cell_is_good(&s->cells.items[i]);
	return count;
}

void sweep_finish(struct sweep *s)
{
	vec_release(&s->cells, each, str_finish(&each->problem), str_finish(&each->log),
		    str_finish(&each->dump), sched_report_finish(&each->report));
	vec_release(&s->schedulers, each, free(each->path));
	free(s->left_out.items);
	free(s->presets.items);
	run_kernels_finish(&s->kernels);
	run_machine_finish(&s->machine);
	test_programs_finish(&s->programs);
	arena_finish(&s->arena);
}
