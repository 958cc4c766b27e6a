// SPDX-License-Identifier: GPL-2.0-only
/* A test in a VM: passes input to the guest, and stores its output. */
#include "run/parts.h"

#include "channel/channel.h"
#include "guest/protocol.h"
#include "trace/trace.h"
#include "vm/machine.h"

#define LAST_WORDS_NS (30 * NSEC_PER_SEC) /* for the guest to report its own timeout */
/* One for the test program, one for its scheduler, a few for payloads. */
#define MAX_PROFILES 64

/* Receives the frames of the guest. */
struct listener {
	const struct job *job;
	struct outcome *out;
	struct bounded_text output;
	struct watcher *watcher; /* or NULL */
	char watch_problem[SERIES_PROBLEM];
	bool has_begun;		   /* the monitor was on when the body began */
	struct probed_run *probed; /* destination of the second run; or NULL */
	bool has_frames;
	uint64_t last_frame_ns;
};

/* Copies the value of a line NAME=VALUE. */
static void take_value(struct str *to, const struct channel_frame *f, const char *name)
{
	_str_ struct str text = {};
	const char *at;

	str_addn(&text, f->data, f->length);
	at = strstr(str_get(&text), name);
	if (at && !to->len)
		str_addn(to, at + strlen(name), strcspn(at + strlen(name), "\n"));
}

/* Value of a line NAME=NUMBER of the frame; 0 = not present. name is "\nNAME=". */
static uint64_t number_of_line(const struct channel_frame *f, const char *name)
{
	_str_ struct str text = {};
	const char *p;
	uint64_t value;

	str_addc(&text, '\n');
	str_addn(&text, f->data, f->length);
	p = strstr(str_get(&text), name);
	if (!p)
		return 0;
	p += strlen(name);
	return parse_digits(&p, &value) < 0 ? 0 : value;
}

static void take_text(struct str *to, const struct channel_frame *f)
{
	str_reset(to);
	str_addn(to, f->data, f->length);
}

/* Stores a coverage profile. An error affects the coverage report, not the test. */
static void keep_profile(const struct listener *l, const struct channel_frame *f)
{
	struct outcome_facts *facts = &l->out->facts;

	int rc;

	if (!l->job->profile_dir || facts->profile_count == MAX_PROFILES ||
	    !coverage_is_raw_profile(f->data, f->length))
		return;
	rc = coverage_keep(l->job->profile_dir, COVERAGE_RAW_SUFFIX, f->data, f->length);
	if (rc == 0)
		facts->profile_count++;
	else
		log_note("warning: %s", err_text(rc));
}

static int take_frame(void *ctx, const struct channel_frame *f)
{
	struct listener *l = ctx;
	struct outcome *out = l->out;

	l->has_frames = true;
	l->last_frame_ns = clock_mono_ns();
	if (l->watcher)
		watcher_hear(l->watcher, f);
	switch (f->type) {
	case CHANNEL_READY:
		out->facts.has_started = true;
		out->facts.ready_ns = number_of_line(f, "\nns=");
		take_value(&out->kernel_release, f, "kernel=");
		job_tell(l->job, JOB_IS_RUNNING);
		break;
	case CHANNEL_STDOUT:
	case CHANNEL_STDERR:
		bounded_text_add(&l->output, f->data, f->length);
		break;
	case CHANNEL_TEST_RESULT:
		take_text(&out->result, f);
		break;
	case CHANNEL_STIMULUS:
		if (f->length == sizeof(struct stimulus))
			str_addn(&out->stimuli, f->data, f->length);
		break;
	case CHANNEL_SCHED_REPORT:
		take_text(&out->sched_report, f);
		break;
	case CHANNEL_SCHED_LOG:
		str_addn(&out->sched_log, f->data, f->length);
		break;
	case CHANNEL_SCHED_DUMP:
		str_addn(&out->sched_dump, f->data, f->length);
		break;
	case CHANNEL_PULSE:
		out->facts.guest_ns = number_of_line(f, "\nns=");
		out->facts.sched_events = number_of_line(f, "\nevents=");
		out->facts.sched_tasks = number_of_line(f, "\ntasks=");
		break;
	case CHANNEL_COVERAGE:
		keep_profile(l, f);
		break;
	case CHANNEL_PROBE_REPORT:
		if (l->probed)
			str_addn(&l->probed->report, f->data, f->length);
		break;
	case CHANNEL_PROBE_RECORDS:
		if (l->probed)
			str_addn(&l->probed->records, f->data, f->length);
		break;
	default:
		break;
	}
	return 0;
}

static const enum outcome_end ends[] = {
	[VM_OUTCOME_EXIT] = OUTCOME_EXITED,
	[VM_OUTCOME_TIMED_OUT] = OUTCOME_TIMED_OUT,
	[VM_OUTCOME_CRASHED] = OUTCOME_CRASHED,
	[VM_OUTCOME_SILENT] = OUTCOME_SILENT,
};

static void keep_console(struct outcome *out, const struct str *console)
{
	_cleanup_(bounded_text_finish) struct bounded_text text = {};
	const char *at = str_get(console), *end = at + console->len;

	/* The serial port terminates lines with \r\n. */
	while (at < end) {
		const char *stop = memchr(at, '\r', (size_t)(end - at));

		stop = stop ? stop : end;
		bounded_text_add(&text, at, (size_t)(stop - at));
		at = stop + 1;
	}
	bounded_text_get(&text, &out->console);
}

/* Output that did not fit into the guest's channel was printed last; the note goes to the end. */
static void keep_output(struct listener *l, uint64_t lost_bytes)
{
	l->output.total += lost_bytes;
	bounded_text_get(&l->output, &l->out->output);
	if (lost_bytes)
		str_addf(&l->out->output,
			 "\n--- the last %llu of them did not fit the guest's channel ---\n",
			 ULL(lost_bytes));
}

static void take_result(struct listener *l, const struct vm_result *r, uint64_t cleanup_ns)
{
	struct outcome *out = l->out;
	struct outcome_facts *f = &out->facts;

	f->end = ends[r->outcome];
	f->status = r->status;
	f->duration_ns = r->duration_ns;
	f->cleanup_ns = cleanup_ns;
	f->has_cleanup = l->has_frames;
	f->exits = r->exits;
	f->host_time = r->host_time;
	f->has_started |= strstr(str_get(&r->control), GUEST_LINE_STARTED) != NULL;
	f->has_payload_started = strstr(str_get(&r->control), GUEST_LINE_PAYLOAD) != NULL;
	/*
	 * A guest with a channel sends its result there; result lines on COM2 are then the test's
	 * output.
	 */
	if (!l->has_frames)
		control_result(str_get(&r->control), &out->result);
	str_addn(&out->message, str_get(&r->message), r->message.len);
	str_addn(&out->diagnostics, str_get(&r->diagnostics), r->diagnostics.len);
	if (r->outcome == VM_OUTCOME_SILENT && r->message.len)
		str_addf(&out->diagnostics, "the guest ended without a result: %s\n",
			 str_get(&r->message));
	keep_console(out, &r->console);
	keep_output(l, r->lost_bytes);
	if (r->template_key)
		snprintf(f->template_key, sizeof(f->template_key), "%s", r->template_key);
	memcpy(f->digest, r->digest, sizeof(f->digest));
}

/* The size of the channel depends on the files of the run, so the identity leaves it out. */
#define CHANNEL_PLACE 0

/* Hashes what defines the run: kernel, machine and all files of the guest. */
static int hash_identity(const struct job *job, const struct vm_session *s, struct outcome *out)
{
	_str_ struct str suffix = {};
	struct sha256 h;
	int rc = file_hash(s->spec.kernel, out->facts.kernel_hash);

	if (rc == 0 && job->scheduler)
		rc = file_hash(job->scheduler, out->facts.scheduler_hash);
	rc = rc ?: vm_machine_identity(&s->spec, CHANNEL_PLACE, &out->qemu_options);
	rc = rc ?: vm_machine_command(&s->spec, CHANNEL_PLACE, &out->qemu_command);
	rc = rc ?: initramfs_suffix_add(s->run, &suffix);
	if (rc < 0)
		return rc;
	sha256_init(&h);
	sha256_add(&h, s->base->key, strlen(s->base->key));
	sha256_add(&h, str_get(&suffix), suffix.len);
	sha256_hex(&h, out->facts.initramfs_hash);
	return 0;
}

/* Declared nodes have exactly the declared memory; without them it is at least floor_mib. */
static int set_memory(struct vm_spec *spec, const struct variant *v, uint64_t floor_mib)
{
	uint64_t mib = job_memory_mib(v);

	if (spec->numa.has_nodes && mib < floor_mib)
		return err_set(EINVAL,
			       "nodes: they have %llu MiB together; this kernel and the files of "
			       "the run need %llu MiB to boot",
			       ULL(mib), ULL(floor_mib));
	spec->memory_mib = MAX(mib, floor_mib);
	return 0;
}

/* Not in sim: console output takes guest time, so it would be a different run. */
static bool kernel_talks(const struct job *job)
{
	enum vm_accel accel = job_accel(job);

	return job->knobs->is_verbose || vm_env_is_verbose(accel) ||
	       (job->world->is_verbose && accel != VM_ACCEL_SIM);
}

static int describe_vm(const struct job *job, const struct package *p, struct vm_session *s)
{
	const struct variant *v = job->variant;
	const struct run_world *w = job->world;
	const struct run_kernel *kernel = &w->kernels->items.items[v->kernel];
	uint64_t floor_mib = 0;
	int rc;

	*s = (struct vm_session){ .qemu = w->qemu,
				  .base = &kernel->base,
				  .run = &p->run,
				  .is_cold = job->knobs->is_cold,
				  .limit_ns = job_limit_ns(job),
				  .guest_limit_ns = job_guest_limit_ns(job) + LAST_WORDS_NS,
				  .boot_limit_ns = vm_boot_limit_ns(&v->topology),
				  .on_frame = take_frame };
	vm_fill_spec(&s->spec, w->qemu, job_accel(job), &kernel->image, &v->topology);
	s->spec.mode = GUEST_MODE_RUN;
	s->spec.is_verbose = kernel_talks(job);
	s->spec.sim = job_sim(job);
	s->spec.has_modules = include_files_have_modules(&p->includes);
	s->spec.append = p->append.len ? p->append.s : NULL;
	s->spec.is_performance = v->test->performance_mode && job_accel(job) == VM_ACCEL_KVM &&
				 !w->no_perf_mode;
	rc = v->has_own_nodes ? run_numa_of(v->test, &s->spec.numa) : 0;
	rc = rc ?: vm_memory_floor(&kernel->image, &kernel->base, &p->run, &floor_mib);
	return rc < 0 ? rc : set_memory(&s->spec, v, floor_mib);
}

static int run_session(const struct job *job, struct vm_session *s, const char *vmlinux,
		       struct vm_result *result)
{
	const struct variant *v = job->variant;
	const struct kernel_image *image = &job->world->kernels->items.items[v->kernel].image;
	struct run_tracer_file file = { .path = job->trace };
	_str_ struct str of = {};

	if (!file.path)
		return vm_session_run(s, result);
	str_addf(&of, "%s on %s", v->name, topology_text(&v->topology));
	if (image->version)
		str_addf(&of, ", kernel %s", image->version);
	str_addf(&of, ", seed %" PRIu64, s->spec.sim.seed);
	file.of = str_get(&of);
	return run_tracer_run(s, vmlinux, &file, result);
}

static struct str take_text_of(struct str *from)
{
	struct str taken = *from;

	*from = (struct str){};
	return taken;
}

/* Stores BPF coverage. An error gives a warning and does not fail the run. */
static void keep_blocks(const struct job *job, const struct watcher *w)
{
	int rc = 0;

	if (!w->blocks)
		return;
	if (!w->plugin.option)
		log_note("warning: nothing was counted of BPF programs: %s", w->series.problem);
	else
		rc = bpf_coverage_keep(job->bpf_dir, w->blocks);
	if (rc < 0)
		log_note("warning: %s", err_text(rc));
}

/* Stores the coverage up to a mark in a subdirectory of the run's. */
static int keep_part(void *ctx, const struct bpf_blocks *blocks, uint32_t part)
{
	const struct job *job = ctx;
	_free_ char *dir = bpf_coverage_part(job->bpf_dir, part);

	return dir ? bpf_coverage_keep(dir, blocks) : err_no_memory();
}

static void keep_snapshots(struct listener *l, struct watcher *w)
{
	l->out->snapshots = take_text_of(&w->snapshots);
	if (w->snapshot_count > SNAPSHOTS_MAX)
		str_addf(&l->out->diagnostics,
			 "the test asked for %zu snapshots; the first %d were taken\n",
			 w->snapshot_count, SNAPSHOTS_MAX);
	l->out->problems = take_text_of(&w->problems);
	l->has_begun = w->has_begun;
	l->out->broken_invariants = take_text_of(&w->invariants.broken);
	l->out->unknown_invariants = take_text_of(&w->invariants.unknown);
	memcpy(l->watch_problem, w->series.problem, sizeof(l->watch_problem));
}

/* If the run never failed, uses the early dump of the moment that looked bad. */
static void keep_dump(struct outcome *out, struct watcher *w)
{
	out->dump = take_text_of(w->dump.len ? &w->dump : &w->early);
	out->early = take_text_of(&w->early);
	if (w->has_core)
		str_add(&out->core, w->core);
	if (w->has_core || !w->core)
		return;
	str_add(&out->core_problem, w->core_problem.len ?
					    w->core_problem.s :
					    "no failure was seen while the guest ran");
	str_addf(&out->diagnostics, "no core file: %s\n", str_get(&out->core_problem));
}

/* The kernel's own scheduler is not monitored, but `ktstr top` can attach to such a guest. */
static int run_announced(const struct job *job, struct vm_session *s, const char *vmlinux,
			 struct vm_result *result)
{
	struct announcement announcement;
	int rc;

	announcement_open(&announcement, s, job->variant->name, vmlinux);
	rc = run_session(job, s, vmlinux, result);
	announcement_close(&announcement);
	s->watcher = NULL;
	return rc;
}

/* Adds names of variables to watch and to write, and invariants. */
static void add_places(const struct job *job, struct snapshots_wish *wish)
{
	const struct probe_texts *watches = &job->variant->test->watch_snapshots;

	for (; wish->watch_count < MIN(watches->count, (size_t)TRACE_MAX_WATCHES);
	     wish->watch_count++)
		wish->watches[wish->watch_count] = watches->items[wish->watch_count];
	wish->writes = job->variant->test->bpf_map_write.items;
	wish->write_count = job->variant->test->bpf_map_write.count;
	if (job->variant->sched) {
		wish->invariants = job->variant->sched->invariants.items;
		wish->invariant_count = job->variant->sched->invariants.count;
	}
}

/* Warns if the guest cannot be monitored; called before the run, and again when reading failed. */
static bool warn_of_problem(const struct watcher *w)
{
	if (!*w->series.problem)
		return false;
	log_note(
		"warning: the guest is not watched, so there are no samples, snapshots or dumps: %s",
		w->series.problem);
	return true;
}

/* Runs a guest with the monitor; only under a scheduler: the kernel's own is not under test. */
static int run_watched(struct listener *l, struct vm_session *s, struct repro_scene *scene,
		       struct vm_result *result)
{
	const struct job *job = l->job;
	const struct kernel_image *kernel =
		&job->world->kernels->items.items[job->variant->kernel].image;
	_cleanup_(bpf_blocks_close) struct bpf_blocks blocks = { .fd = -1 };
	struct snapshots_wish wish = { .periodic = (uint32_t)job->variant->test->num_snapshots,
				       .duration_ns = job_duration_ms(job) * NSEC_PER_MSEC,
				       .in_tcg = job_has_snapshots(job) };
	struct watcher watcher;
	bool is_blind;
	int rc = job->bpf_dir ? bpf_blocks_open(&blocks) : 0;

	if (rc < 0)
		return rc;
	if (job->run_instead)
		return job->run_instead(job->instead, s, kernel->vmlinux, result);
	blocks.counts_kernel = job->counts_kernel;
	blocks.keep_part = job->bpf_dir ? keep_part : NULL;
	blocks.keep_ctx = (void *)job;
	add_places(job, &wish);
	if (env_get("KTSTR_NO_MONITOR"))
		snprintf(l->watch_problem, sizeof(l->watch_problem), "KTSTR_NO_MONITOR is set");
	if (env_get("KTSTR_NO_MONITOR") && !job->bpf_dir && wish.invariant_count)
		str_add(&l->out->unknown_invariants,
			"invariants could not be judged: KTSTR_NO_MONITOR is set\n");
	if (env_get("KTSTR_NO_MONITOR") && !job->bpf_dir)
		return run_session(job, s, kernel->vmlinux, result);
	if (!job->variant->sched)
		return run_announced(job, s, kernel->vmlinux, result);
	watcher_open(&watcher, s, kernel->vmlinux, job->scheduler != NULL,
		     job->bpf_dir ? &blocks : NULL, &wish);
	is_blind = warn_of_problem(&watcher);
	watcher.name = job->variant->name;
	watcher.scheduler = job->scheduler;
	watcher.core = job->core;
	watcher.limits = &job->variant->test->assert;
	if (job->explains) {
		watcher.show = repro_scene_take;
		watcher.show_ctx = scene;
	}
	l->watcher = &watcher;
	rc = run_session(job, s, kernel->vmlinux, result);
	l->watcher = NULL;
	if (rc == 0 && !is_blind && result->outcome == VM_OUTCOME_EXIT &&
	    !watcher.series.samples.count)
		warn_of_problem(&watcher);
	if (rc == 0) {
		keep_blocks(job, &watcher);
		rc = series_encode(&watcher.series, &l->out->samples);
		keep_dump(l->out, &watcher);
		keep_snapshots(l, &watcher);
		if (rc < 0)
			vm_result_finish(result);
	}
	watcher_close(&watcher);
	s->plugin = NULL;
	s->watcher = NULL;
	return rc;
}

/* Without the monitor there are no writes to BPF maps and no watchpoints. */
static void note_unwatched(struct listener *l)
{
	const struct probe_test *test = l->job->variant->test;
	const char *why = *l->watch_problem	     ? l->watch_problem :
			  !job_has_snapshots(l->job) ? "only guests under a scheduler are watched" :
						       "this guest was not watched";

	if (l->has_begun)
		return;
	if (test->bpf_map_write.count)
		str_addf(&l->out->problems, "bpf_map_write: %s\n", why);
	if (test->watch_snapshots.count)
		str_addf(&l->out->problems, "watch_snapshots: %s\n", why);
}

struct again {
	const struct job *job;
	const struct vm_session *session;
	struct package *package;
};

/* Runs the same machine and test again, with probes in the guest. */
static int run_probed(void *ctx, const char *functions, struct probed_run *to)
{
	const struct again *a = ctx;
	struct listener listener = { .job = a->job, .out = &to->outcome, .probed = to };
	struct vm_session session = *a->session;
	struct vm_result result;
	struct watcher watcher;
	int rc;

	str_addf(&a->package->settings, "%s=%s\n", GUEST_PROBES, functions);
	a->package->run.settings = str_get(&a->package->settings);
	/* Starved workers must not signal the scheduler: its behaviour is being recorded. */
	if (a->job->variant->program)
		job_args_add(&a->package->args, "--repro");
	session.prelude = NULL;
	session.ctx = &listener;
	watcher_open(&watcher, &session,
		     a->job->world->kernels->items.items[a->job->variant->kernel].image.vmlinux,
		     true, NULL, NULL);
	watcher.scheduler = a->job->scheduler;
	listener.watcher = &watcher;
	rc = str_check(&a->package->settings) ?: vm_session_run(&session, &result);
	if (rc == 0) {
		keep_dump(&to->outcome, &watcher);
		take_result(&listener, &result, 0);
		vm_result_finish(&result);
	}
	watcher_close(&watcher);
	bounded_text_finish(&listener.output);
	return rc;
}

int job_run_guest(const struct job *job, const struct plan *plan, struct outcome *out)
{
	_cleanup_(package_finish) struct package package = {};
	_cleanup_(repro_scene_finish) struct repro_scene scene = {};
	struct listener listener = { .job = job, .out = out };
	struct vm_session session = {};
	struct again again = { job, &session, &package };
	struct vm_result result;
	int rc = package_make(&package, job) ?: describe_vm(job, &package, &session);

	rc = rc ?: package_split(&package, job, &session);
	rc = rc ?: hash_identity(job, &session, out);
	if (rc < 0)
		return rc;
	session.plan = plan;
	out->facts.memory_mib = session.spec.memory_mib;
	session.ctx = &listener;
	rc = run_watched(&listener, &session, &scene, &result);
	if (rc == 0) {
		uint64_t now = clock_mono_ns();

		take_result(&listener, &result,
			    listener.has_frames ? now - listener.last_frame_ns : 0);
		vm_result_finish(&result);
	}
	bounded_text_finish(&listener.output);
	if (rc == 0)
		note_unwatched(&listener);
	rc = rc ?: post_vm_judge(job, listener.watch_problem, out);
	if (rc == 0)
		job_repro(job, &session, &scene, &(struct job_again){ run_probed, &again }, out);
	return rc;
}
