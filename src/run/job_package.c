// SPDX-License-Identifier: GPL-2.0-only
/* Packs programs, libraries, arguments and settings for the guest. */
#include "run/parts.h"

#include "guest/protocol.h"
#include "program/protocol.h"

#define EXECUTABLE 0755

void package_finish(struct package *p)
{
	include_files_finish(&p->includes);
	str_finish(&p->settings);
	str_finish(&p->append);
	str_finish(&p->sched_args);
	str_finish(&p->prelude_settings);
	job_args_finish(&p->args);
}

/* Adds the shared libraries of a program; a script or a static program has none. */
static int add_libraries(struct package *p, const char *program, const char *what)
{
	_str_ struct str missing = {};
	int rc = elf_closure_add(&p->includes.libraries, &(struct elf_search){}, program);

	if (rc == -ENOEXEC)
		return 0;
	if (rc < 0)
		return rc;
	elf_closure_describe_missing(&p->includes.libraries, &missing);
	if (missing.len)
		return err_set(ENOENT, "%s cannot run in the guest: %s", what, missing.s);
	return 0;
}

static int pack_includes(struct package *p, const struct job *job)
{
	const struct variant *v = job->variant;
	struct wanted_files wanted;
	int rc = wanted_files_list(v, &wanted);

	rc = rc ?: include_files_resolve(&p->includes, wanted.items, wanted.count);
	if (rc == 0 && v->program)
		rc = add_libraries(p, v->program->path, "the test program");
	if (rc == 0 && job->scheduler)
		rc = add_libraries(p, job->scheduler, "the scheduler");
	return rc;
}

static void add_file(struct package *p, const struct initramfs_file *file)
{
	if (p->file_count < PACKAGE_MAX_FILES)
		p->files[p->file_count++] = *file;
}

static void add_text_file(struct package *p, const char *path, const char *text)
{
	if (text)
		add_file(p, &(struct initramfs_file){
				    .path = path, .data = text, .len = strlen(text) });
}

static int pack_scheduler(struct package *p, const struct job *job)
{
	const struct probe_sched *s = job->variant->sched;
	int rc;

	if (!s)
		return 0;
	add_text_file(p, GUEST_SCHED_ENABLE_FILE, s->kernel_builtin_enable);
	add_text_file(p, GUEST_SCHED_DISABLE_FILE, s->kernel_builtin_disable);
	if (!job->scheduler)
		return 0;
	rc = scheduler_add_args(s, job->variant->test, job->variant->flags, &p->sched_args);
	if (rc < 0)
		return rc;
	add_file(p, &(struct initramfs_file){ .path = GUEST_SCHEDULER,
					      .mode = EXECUTABLE,
					      .source = job->scheduler });
	add_file(p, &(struct initramfs_file){ .path = GUEST_SCHED_ARGS,
					      .data = p->sched_args.s,
					      .len = p->sched_args.len });
	if (s->config_file && s->config_file_def.count >= 2)
		add_file(p, &(struct initramfs_file){ .path = s->config_file_def.items[1],
						      .source = s->config_file });
	return 0;
}

struct vm_sim job_sim(const struct job *job)
{
	const struct run_knobs *k = job->knobs;
	const char *own = k->has_jitter || k->strategy ? NULL : job->variant->test->strategy;
	bool is_random = own && str_eq(own, RUN_STRATEGY_RANDOM);

	return (struct vm_sim){ .seed = job->seed,
				.shift = k->shift,
				.slice_us = k->slice_us,
				.has_jitter = k->has_jitter || is_random,
				.delays = k->delays,
				.wake_delay_us = k->wake_delay_us,
				.strategy = own && !is_random ? own : k->strategy,
				.depth = k->depth,
				.events = k->events };
}

/* Appends the settings for starting the scheduler. */
static void add_start_settings(struct str *to, const struct job *job)
{
	const struct probe_sched *s = job->variant->sched;

	if (s && job_attach_s(job))
		str_addf(to, "%s=%llu\n", GUEST_SCHED_ATTACH_S, ULL(job_attach_s(job)));
	if (s && s->cgroup_parent)
		str_addf(to, "%s=%s\n", GUEST_SCHED_CGROUP, s->cgroup_parent);
}

static void add_settings(struct package *p, const struct job *job)
{
	struct vm_sim sim = job_sim(job);
	const struct probe_test *t = job->variant->test;

	str_addf(&p->settings, "%s=%s\n", GUEST_MODE, GUEST_MODE_RUN);
	if (job_accel(job) == VM_ACCEL_SIM) {
		vm_sim_settings(&sim, &p->settings);
		/* Fixed number of digits, see add_duration(). */
		str_addf(&p->settings, "%s=%0*llu\n", GUEST_LIMIT_S, JOB_DURATION_DIGITS,
			 ULL(job_guest_limit_ns(job) / NSEC_PER_SEC));
	}
	if (!t->observe)
		str_addf(&p->settings, "%s=0\n", GUEST_OBSERVE);
	add_start_settings(&p->settings, job);
	if (!job->variant->sched)
		return;
	if (t->return_timeout_s)
		str_addf(&p->settings, "%s=%llu\n", GUEST_SCHED_RETURN_S, ULL(t->return_timeout_s));
	if (t->watchdog_timeout_s)
		str_addf(&p->settings, "%s=%llu\n", GUEST_SCHED_WATCHDOG_S,
			 ULL(t->watchdog_timeout_s));
}

/* For sysctls a later value wins, as on the kernel command line itself. */
static int add_kernel_words(struct package *p, const struct probe_sched *s)
{
	for (size_t i = 0; s && i < s->sysctls.count; i++)
		str_addf(&p->append, "%ssysctl.%s=%s", p->append.len ? " " : "",
			 s->sysctls.items[i].key, s->sysctls.items[i].value);
	for (size_t i = 0; s && i < s->kargs.count; i++)
		str_addf(&p->append, "%s%s", p->append.len ? " " : "", s->kargs.items[i]);
	return str_check(&p->append);
}

int package_make(struct package *p, const struct job *job)
{
	static const char *const counting[] = { GUEST_PROFILE_VARIABLE, NULL };
	const struct variant *v = job->variant;
	int rc = pack_includes(p, job) ?: pack_scheduler(p, job) ?: add_kernel_words(p, v->sched);

	if (rc == 0)
		rc = v->program ? job_args_make(&p->args, job, PROGRAM_GUEST_PATH,
						PROGRAM_GUEST_RESULT) :
				  job_args_spin(&p->args, job);
	if (rc < 0)
		return rc;
	add_settings(p, job);
	p->sched_file_count = p->file_count;
	if (v->program)
		add_file(p, &(struct initramfs_file){ .path = PROGRAM_GUEST_PATH,
						      .mode = EXECUTABLE,
						      .source = v->program->path });
	if (job->input)
		add_file(p, &(struct initramfs_file){ .path = PROGRAM_GUEST_INPUT,
						      .source = job->input });
	p->run = (struct initramfs_run){ .settings = str_get(&p->settings),
					 .args = p->args.argv,
					 .environ = job->profile_dir ? counting : NULL,
					 .includes = &p->includes,
					 .files = p->files,
					 .file_count = p->file_count };
	return str_check(&p->settings);
}

/* Not for schedulers of the kernel: the shell commands that enable them belong to the run. */
int package_split(struct package *p, const struct job *job, struct vm_session *s)
{
	const char *slash;

	if (!job->scheduler || job->variant->sched->kernel_builtin_enable)
		return 0;
	slash = strrchr(job->scheduler, '/');
	str_addf(&p->prelude_settings, "%s=1\n", GUEST_PREPARE);
	add_start_settings(&p->prelude_settings, job);
	p->prelude.scheduler = slash ? slash + 1 : job->scheduler;
	vm_prelude_make(&p->prelude, &p->run, str_get(&p->prelude_settings), p->sched_file_count);
	s->prelude = &p->prelude;
	return str_check(&p->prelude_settings);
}
