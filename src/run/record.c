// SPDX-License-Identifier: GPL-2.0-only
/* Builds a sidecar from variant, outcome and judgement. */
#include "run/parts.h"

#include "guest/order.h"

#define NO_SCHEDULER "eevdf"

static void know(struct sidecar_number *n, double value)
{
	*n = (struct sidecar_number){ .is_known = true, .value = value };
}

static const char *text_or_null(const char *text)
{
	return text && *text ? text : NULL;
}

/* Stores the names of the active flags. */
static void set_flags(struct sidecar *s, const struct variant *v)
{
	size_t count = v->sched ? v->sched->flags.count : 0, used = 0;
	const char **items = count ? arena_alloc(&s->arena, count * sizeof(*items)) : NULL;

	for (size_t i = 0; items && i < count; i++)
		if (v->flags >> i & 1)
			items[used++] = v->sched->flags.items[i].name;
	s->active_flags = (struct sidecar_strings){ .items = items, .count = used };
}

static void set_kernel_words(struct sidecar *s, const struct probe_sched *sched)
{
	size_t count = sched ? sched->sysctls.count : 0;
	const char **items = count ? arena_alloc(&s->arena, count * sizeof(*items)) : NULL;

	for (size_t i = 0; items && i < count; i++) {
		_free_ char *text = str_fmt("%s=%s", sched->sysctls.items[i].key,
					    sched->sysctls.items[i].value);

		items[i] = sidecar_copy(s, text);
	}
	s->sysctls = (struct sidecar_strings){ .items = items, .count = items ? count : 0 };
	if (sched)
		s->kargs = (struct sidecar_strings){ .items = sched->kargs.items,
						     .count = sched->kargs.count };
}

static void set_place(struct sidecar *s, const struct probe_test *t)
{
	_str_ struct str place = {};

	if (!t->file)
		return;
	str_addf(&place, "%s:%llu", t->file, ULL(t->line));
	s->declared_at = sidecar_copy(s, str_get(&place));
}

static void set_what(struct sidecar *s, const struct variant *v)
{
	const struct probe_test *t = v->test;

	s->test_name = t->name;
	s->topology = sidecar_copy(s, topology_text(&v->topology));
	s->scheduler = v->sched ? v->sched->name : NO_SCHEDULER;
	s->payload = t->payloads.count ? t->payloads.items[0].name : NULL;
	s->work_type = SIDECAR_NO_WORK; /* until the result says otherwise */
	s->name = v->name;
	s->binary = v->program->name;
	set_place(s, t);
	s->preset = v->preset ? v->preset->name : NULL;
	s->performance_mode = t->performance_mode;
	s->perf_deltas = t->perf_delta_assertions.items;
	s->perf_delta_count = t->perf_delta_assertions.count;
	set_flags(s, v);
	set_kernel_words(s, v->sched);
}

/* Splits the text into an array with one string per line. */
static struct sidecar_strings lines_of(struct sidecar *s, const char *text)
{
	struct sidecar_strings out = {};
	char *copy = arena_copy(&s->arena, text, strlen(text)), *save = NULL;
	size_t max = 0;
	const char **items;

	for (const char *p = text; *p; p++)
		max += *p == '\n';
	items = max ? arena_alloc(&s->arena, max * sizeof(*items)) : NULL;
	if (!items || !copy)
		return out;
	for (char *line = strtok_r(copy, "\n", &save); line && out.count < max;
	     line = strtok_r(NULL, "\n", &save))
		items[out.count++] = line;
	out.items = items;
	return out;
}

static void set_sim(struct sidecar *s, const struct run_knobs *k, uint64_t seed)
{
	uint32_t slice_us = k->slice_us;

	if (slice_us == VM_SIM_SLICE_UNSET)
		slice_us = k->has_jitter ? jitter_slice_us(seed) : JITTER_SLICE_US;
	know(&s->icount_shift, k->shift);
	know(&s->slice_ns, slice_us * 1000.0);
	s->sim_jitter = k->has_jitter;
}

static void set_run_options(struct sidecar *s, const struct run_knobs *k)
{
	_str_ struct str words = {};

	run_knobs_add_words(k, &words);
	s->run_options = lines_of(s, str_get(&words));
}

static void set_identity(struct sidecar *s, const struct task *t, const struct outcome *o,
			 const struct host_context *host)
{
	const struct run_world *w = t->job.world;
	const struct outcome_facts *f = &o->facts;

	if (!f->is_guest)
		return;
	s->accel = vm_accel_name(job_accel(&t->job));
	s->digest = text_or_null(f->digest);
	s->has_seed = job_accel(&t->job) == VM_ACCEL_SIM;
	s->seed = t->job.seed;
	s->kernel_hash = text_or_null(f->kernel_hash);
	s->initramfs_hash = text_or_null(f->initramfs_hash);
	s->scheduler_hash = text_or_null(f->scheduler_hash);
	s->scheduler_path = s->scheduler_hash ? t->job.scheduler : NULL;
	s->scheduler_version = s->scheduler_hash ? t->job.scheduler_version : NULL;
	s->qemu_options = lines_of(s, str_get(&o->qemu_options));
	s->host_cpu_model = host->cpu_model;
	s->qemu_version = w->qemu ? w->qemu->version_text : NULL;
	if (s->has_seed)
		set_sim(s, t->job.knobs, t->job.seed);
	if (f->host_cpus)
		know(&s->cpu_budget, f->host_cpus);
}

/*
 * Times on the guest's clock: of the boot (with a template: once, for all its runs), and from there
 * to the end. Absent if the guest did not get that far.
 */
static void set_guest_times(struct sidecar *s, const struct outcome_facts *f)
{
	if (f->ready_ns)
		know(&s->boot_ms, (double)f->ready_ns / NSEC_PER_MSEC);
	if (f->ready_ns && f->guest_ns >= f->ready_ns)
		know(&s->guest_ms, (double)(f->guest_ns - f->ready_ns) / NSEC_PER_MSEC);
}

static const enum ktstr_verdict verdicts[] = {
	[TEST_PASSED] = KTSTR_PASSED,	 [TEST_FAILED] = KTSTR_FAILED,
	[TEST_TIMED_OUT] = KTSTR_FAILED, [TEST_INCONCLUSIVE] = KTSTR_INCONCLUSIVE,
	[TEST_SKIPPED] = KTSTR_SKIPPED,
};

static int set_outcome(struct sidecar *s, const struct task *t, const struct outcome *o,
		       const struct judgement *j)
{
	int rc = sidecar_set_result(s, &j->result);

	s->outcome = verdicts[j->status];
	s->failure = j->text.len ? j->text.s : NULL;
	know(&s->attempts, t->attempt);
	know(&s->duration_ms, (double)o->facts.duration_ns / NSEC_PER_MSEC);
	set_guest_times(s, &o->facts);
	if (o->facts.has_cleanup)
		know(&s->cleanup_duration_ms, (double)o->facts.cleanup_ns / NSEC_PER_MSEC);
	return rc;
}

static void set_scheduler_exit(struct sidecar *s, const struct sched_report *r)
{
	s->scheduler_exit = (struct sidecar_exit){
		.end = r->end,
		.reason = r->exit_reason,
		.message = r->exit_message,
	};
	if (r->exit_kind)
		know(&s->scheduler_exit.kind, (double)r->exit_kind);
}

/* NULL for a test that ran on the host. */
static const struct kernel_image *kernel_of(const struct task *t, const struct outcome *o)
{
	const struct run_kernels *k = t->job.world->kernels;

	if (!o->facts.is_guest || !k || t->job.variant->kernel >= k->items.count)
		return NULL;
	return &k->items.items[t->job.variant->kernel].image;
}

static void set_kernel(struct sidecar *s, const struct task *t, const struct outcome *o)
{
	const struct kernel_image *image = kernel_of(t, o);

	if (!image)
		return;
	s->kernel_key = image->key;
	s->kernel_version = image->version;
	if (!s->kernel_version && o->kernel_release.len)
		s->kernel_version = o->kernel_release.s;
}

int record_write(const char *dir, const struct record_facts *facts, const struct task *task,
		 const char *resolve_source, struct outcome *o, struct judgement *j, char **path)
{
	_sidecar_ struct sidecar s;
	_str_ struct str name = {};
	char now[CLOCK_TEXT_SIZE];
	int rc;

	*path = NULL;
	sidecar_init(&s);
	clock_format_utc(clock_wall_ns(), 0, now);
	set_what(&s, task->job.variant);
	set_identity(&s, task, o, facts->host);
	set_run_options(&s, task->job.knobs);
	rc = set_outcome(&s, task, o, j);
	s.programs = j->sched_report.programs.items;
	s.program_count = j->sched_report.programs.count;
	set_scheduler_exit(&s, &j->sched_report);
	record_kvm(&s, &o->facts.exits, &roots_live);
	record_host_time(&s, &o->facts.host_time);
	run_monitor_record(&j->monitor, &j->result, &s);
	s.project_commit = facts->project_commit;
	set_kernel(&s, task, o);
	s.kernel_commit = env_get("KTSTR_KERNEL_COMMIT");
	s.resolve_source = resolve_source;
	s.run_id = facts->run_id;
	s.run_source = env_get("KTSTR_CI") ? "ci" : "local";
	s.timestamp = now;
	s.host = facts->host;
	if (rc < 0)
		return rc;
	sidecar_file_name(&s, &name);
	*path = str_fmt("%s/%s", dir, str_get(&name));
	if (!*path)
		return err_no_memory();
	*facts->replaced += access(*path, F_OK) == 0;
	rc = sidecar_write(&s, dir);
	return rc ?: dump_files_write(*path, &s, o);
}
