// SPDX-License-Identifier: GPL-2.0-only
/* Runs a guest and determines how it ended. */
#include "vm/session.h"

#include "guest/bounded_text.h"
#include "guest/protocol.h"
#include "vm/machine.h"
#include "vm/template.h"

#define POLL_NS (5 * NSEC_PER_MSEC)
#define SOFT_LIMIT_NS (3 * NSEC_PER_SEC) /* time before the hard limit */
#define STATS_LIMIT_NS (1 * NSEC_PER_SEC)
/*
 * Under KVM a slow boot extends the timeout by this multiple of the boot's time, since attaching
 * the scheduler and getting it back may take longer, too.
 */
#define BOOT_ALLOWANCE 6
#define CONSOLE_HALF (2U << 20)
#define LEAST_LIMIT_NS (5 * NSEC_PER_SEC) /* minimum limit that gets a soft limit */
/* Ring plus room for usual inputs; larger inputs need a template of their own. */
#define SMALLEST_CHANNEL (64ULL << 20)

struct watch {
	const struct vm_session *session;
	struct vm_result *result;
	uint64_t deadline_ns; /* for an interactive console */
	struct sha256 digest;
	struct frame_budget budget;
	struct bounded_text console, control;
	bool has_frames; /* the channel works: COM2 belongs to programs */
	bool has_begun;	 /* guest init has sent something */
	bool has_status;
	bool has_crash;
	uint64_t begin_ns;
	struct vm_time_log times;
	uint64_t allowance_ns; /* extra time because of a slow boot */
};

/* Adds a frame to the digest: its kind, its length and its data. */
static void add_to_digest(struct watch *w, const struct channel_frame *f)
{
	uint32_t head[] = { f->type, f->length };

	if (!w->has_frames)
		sha256_init(&w->digest);
	sha256_add(&w->digest, head, sizeof(head));
	sha256_add(&w->digest, f->data, f->length);
	w->has_frames = true;
}

static void add_guest_words(struct str *out, const struct channel_frame *f)
{
	_str_ struct str words = {};

	str_addn(&words, f->data, f->length);
	str_add(out, "guest: ");
	text_add_marked_rest(out, str_get(&words));
}

static int take_frame(void *ctx, const struct channel_frame *sent)
{
	struct channel_frame kept = *sent, *frame = &kept;
	struct watch *w = ctx;
	int32_t status;

	add_to_digest(w, sent);
	if (!frame_budget_take(&w->budget, frame))
		return 0;
	if (frame->type == CHANNEL_EXIT && frame->length == sizeof(status)) {
		memcpy(&status, frame->data, sizeof(status));
		w->result->status = status;
		w->has_status = true;
	} else if (frame->type == CHANNEL_LOST && frame->length == sizeof(uint64_t)) {
		memcpy(&w->result->lost_bytes, frame->data, sizeof(uint64_t));
	} else if (frame->type == CHANNEL_LOG) {
		add_guest_words(&w->result->diagnostics, frame);
	} else if (frame->type == CHANNEL_CRASH) {
		str_addn(&w->result->message, frame->data, frame->length);
		w->has_crash = true;
	}
	return w->session->on_frame ? w->session->on_frame(w->session->ctx, frame) : 0;
}

/* Keeps start and end of the console only: a guest may print for as long as it runs. */
static int take_console(struct vm *vm, struct watch *w)
{
	_str_ struct str console = {}, control = {};
	int rc = vm_read_console(vm, &console) ?: vm_read_control(vm, &control);

	if (rc < 0)
		return rc;
	bounded_text_add(&w->console, str_get(&console), console.len);
	bounded_text_add(&w->control, str_get(&control), control.len);
	if (w->session->forwards_console)
		rc = fd_write_all(STDERR_FILENO, str_get(&console), console.len);
	return rc < 0 ? err_sys(-rc, "write to standard error") : 0;
}

static void note_begin(struct vm *vm, struct watch *w)
{
	if (w->has_begun || (!w->has_frames && !w->control.total))
		return;
	w->has_begun = true;
	if (w->session->spec.accel == VM_ACCEL_KVM)
		w->allowance_ns = BOOT_ALLOWANCE * (clock_mono_ns() - w->begin_ns);
	log_debug("vm", "guest init speaks");
	if (w->session->spec.accel != VM_ACCEL_SIM && vm->end == VM_RUNNING)
		vm_time_begin(&w->times, vm->child.pid, &vm->qmp,
			      vm_topology_cpus(&vm->spec.topology), STATS_LIMIT_NS);
}

/* If QEMU has exited its channel cannot be read; the exit is reported instead. */
static int take_all(struct vm *vm, void *ctx)
{
	struct watch *w = ctx;
	int rc = channel_reader_drain(&vm->channel, take_frame, w);

	if (rc == -ESRCH) {
		vm->end = VM_QEMU_DIED;
		return 0;
	}
	rc = rc ?: take_console(vm, w);
	note_begin(vm, w);
	return rc;
}

/*
 * Asks for a dump of a stuck scheduler and a shutdown, so that the guest can report what it knows.
 */
static void tell_to_end(struct vm *vm)
{
	(void)channel_reader_request(&vm->channel, CHANNEL_REQUEST_DUMP);
	(void)channel_reader_request(&vm->channel, CHANNEL_REQUEST_SHUT_DOWN);
}

/* Time that QEMU waited for a CPU, and a slow boot, extend the limit; not if it is the user's. */
static bool is_over(const struct vm *vm, const struct watch *w, uint64_t now, uint64_t deadline_ns)
{
	if (w->session->has_wall_limit)
		return now > deadline_ns;
	return now > deadline_ns + w->allowance_ns &&
	       now > deadline_ns + w->allowance_ns + vm_starved_ns(vm->child.pid);
}

static const char *why_hopeless(const struct vm *vm)
{
	const struct vm_watcher *watcher = vm->watcher;

	return watcher && watcher->why_hopeless ? watcher->why_hopeless(watcher->ctx) : NULL;
}

/* Processes the guest's output before the watcher looks at the guest. */
static int let_watch(struct vm *vm, struct watch *w)
{
	const struct vm_watcher *watcher = vm->watcher;
	int rc;

	if (!watcher || !watcher->is_due(watcher->ctx))
		return 0;
	rc = take_all(vm, w);
	if (rc == 0 && vm->end != VM_QEMU_DIED)
		rc = watcher->look(watcher->ctx);
	return rc;
}

/* Runs until the guest ends or time is up; then reads the rest, for which QEMU stays paused. */
static int watch_guest(struct vm *vm, struct watch *w, uint64_t deadline_ns)
{
	bool is_told = w->session->has_wall_limit || w->session->limit_ns <= LEAST_LIMIT_NS;
	int rc = 0;

	while (rc == 0 && vm->end == VM_RUNNING) {
		const char *why = why_hopeless(vm);
		uint64_t now = clock_mono_ns();

		str_add(&w->result->message, why ? why : "");
		if (why || is_over(vm, w, now, deadline_ns)) {
			w->result->outcome = VM_OUTCOME_TIMED_OUT;
			break;
		}
		if (!is_told && now > deadline_ns + w->allowance_ns - SOFT_LIMIT_NS) {
			tell_to_end(vm);
			is_told = true;
		}
		rc = vm_poll(vm, POLL_NS);
		vm_time_look(&w->times, now);
		if (rc == 0 && vm->end != VM_QEMU_DIED)
			rc = take_all(vm, w);
		if (rc == 0 && vm->end == VM_RUNNING)
			rc = let_watch(vm, w);
		rc = rc ?: interrupt_check();
	}
	if (rc == 0 && vm->end == VM_QEMU_DIED)
		rc = vm_died(vm);
	return rc ?: take_all(vm, w);
}

/* Exit status on COM2, for a guest without a working channel: the last line counts. */
static bool status_from_control(const char *control, int *status)
{
	const char *found = NULL, *p = control;
	uint64_t value;

	while ((p = strstr(p, GUEST_LINE_EXIT)))
		found = p += strlen(GUEST_LINE_EXIT);
	if (!found || parse_digits(&found, &value) < 0 || value > 255)
		return false;
	*status = (int)value;
	return true;
}

static void judge(struct watch *w)
{
	struct vm_result *r = w->result;
	const char *panic;

	frame_budget_describe(&w->budget, &r->diagnostics);
	bounded_text_take(&w->console, &r->console);
	bounded_text_take(&w->control, &r->control);
	panic = strstr(str_get(&r->console), "Kernel panic");
	if (w->has_frames)
		sha256_hex(&w->digest, r->digest);
	if (r->outcome == VM_OUTCOME_TIMED_OUT)
		return;
	if (w->has_crash) {
		r->outcome = VM_OUTCOME_CRASHED;
	} else if (w->has_status ||
		   (!w->has_frames && status_from_control(str_get(&r->control), &r->status))) {
		r->outcome = VM_OUTCOME_EXIT;
	} else if (panic) {
		r->outcome = VM_OUTCOME_CRASHED;
		str_addn(&r->message, panic, strcspn(panic, "\r\n"));
	} else {
		r->outcome = VM_OUTCOME_SILENT;
	}
}

/*
 * Size of the channel for ring and input: a power of two, at least 64 MiB, so that most runs can
 * share a template.
 */
static uint64_t channel_bytes(uint64_t input_len)
{
	uint64_t needed = channel_region_size(
		&(struct channel_region){ .ring_bytes = VM_RING_BYTES, .input_len = input_len });

	return needed > SMALLEST_CHANNEL ? needed : SMALLEST_CHANNEL;
}

static void watch_finish(struct watch *w)
{
	bounded_text_finish(&w->console);
	bounded_text_finish(&w->control);
	vm_time_finish(&w->times);
}

struct run_files {
	struct str suffix, prelude;
	int initrd_fd;
	char initrd[64];
	struct vm_template template;
};

static void run_files_finish(struct run_files *f)
{
	str_finish(&f->suffix);
	str_finish(&f->prelude);
	cleanup_fd(&f->initrd_fd);
	vm_template_finish(&f->template);
}

static int prepare_cold(const struct vm_session *s, struct run_files *f, struct vm_spec *spec)
{
	f->initrd_fd = initramfs_open(s->base, &f->suffix);
	if (f->initrd_fd < 0)
		return f->initrd_fd;
	snprintf(f->initrd, sizeof(f->initrd), "/proc/self/fd/%d", f->initrd_fd);
	spec->initrd = f->initrd;
	return 0;
}

/*
 * QEMU cannot save a machine with an NVMe disk. Performance mode needs its own memory, if possible
 * in huge pages, not pages that are copied when they are written.
 */
static bool uses_template(const struct vm_session *s)
{
	if (s->spec.disk_path && s->spec.disk_is_nvme)
		return false;
	return !s->is_cold && !s->spec.is_performance;
}

void vm_prelude_make(struct vm_prelude *p, const struct initramfs_run *run, const char *settings,
		     size_t file_count)
{
	p->first = p->rest = *run;
	p->first.settings = settings;
	p->first.args = NULL;
	p->first.file_count = file_count;
	p->rest.has_includes = true;
	p->rest.files = run->files + file_count;
	p->rest.file_count = run->file_count - file_count;
}

static const struct vm_prelude *prelude_of(const struct vm_session *s)
{
	return uses_template(s) && s->spec.accel == VM_ACCEL_SIM ? s->prelude : NULL;
}

/*
 * Builds the archive of the run. The clock of a restored guest continues from when it was saved:
 * outside of sim it gets the current time, always with the same number of bytes.
 */
static int make_suffix(const struct vm_session *s, struct run_files *f)
{
	bool is_told = uses_template(s) && s->spec.accel != VM_ACCEL_SIM;
	const struct vm_prelude *prelude = prelude_of(s);
	struct initramfs_run run = prelude ? prelude->rest : *s->run;
	const char *settings = run.settings ? run.settings : "";
	_free_ char *timed =
		is_told ? str_fmt("%s%s=%019llu\n", settings, GUEST_WALL_NS, ULL(clock_wall_ns())) :
			  NULL;

	if (is_told && !timed)
		return err_no_memory();
	if (is_told)
		run.settings = timed;
	str_reset(&f->suffix);
	return initramfs_suffix_add(&run, &f->suffix);
}

/* Template of a booted guest or, with a scheduler program, of one in which that is loaded. */
static int get_template(const struct vm_session *s, const struct vm_template_request *boot,
			struct run_files *f)
{
	const struct vm_prelude *prelude = prelude_of(s);
	struct vm_template_request load = *boot;

	if (!prelude)
		return vm_template_get(boot, &f->template);
	load.parent = boot;
	load.input = &f->prelude;
	load.scheduler = prelude->scheduler;
	load.boot_limit_ns = s->limit_ns;
	return vm_template_get(&load, &f->template);
}

static int prepare_template(const struct vm_session *s, struct run_files *f, struct vm_spec *spec,
			    struct vm_start *start)
{
	_free_ char *append = str_fmt("%s%s%s=1", spec->append ? spec->append : "",
				      spec->append ? " " : "", GUEST_TEMPLATE);
	const struct vm_prelude *prelude = prelude_of(s);
	struct vm_spec boot = *spec;
	struct vm_template_request request = { .qemu = s->qemu,
					       .spec = &boot,
					       .base = s->base,
					       .ring_bytes = VM_RING_BYTES,
					       .boot_limit_ns = s->boot_limit_ns };
	int rc = 0;

	if (!append)
		return err_no_memory();
	str_reset(&f->prelude);
	if (prelude)
		rc = initramfs_suffix_add(&prelude->first, &f->prelude);
	if (rc < 0)
		return rc;
	start->channel.ring_bytes = VM_RING_BYTES;
	start->channel.input = f->suffix.s;
	start->channel.input_len = f->suffix.len;
	start->channel_bytes = MAX(channel_bytes(f->suffix.len), channel_bytes(f->prelude.len));
	start->has_saved_channel = prelude != NULL;
	request.channel_bytes = start->channel_bytes;
	boot.append = append;
	boot.plugin = NULL;
	/* The template has no seed: the run's seed and what depends on it are part of its input. */
	boot.sim = (struct vm_sim){ .shift = spec->sim.shift };
	rc = get_template(s, &request, f);
	start->template_dir = f->template.dir;
	/* The boot does not count. */
	if (rc == 0 && f->template.was_built)
		rc = make_suffix(s, f);
	start->channel.input = f->suffix.s;
	return rc;
}

/* Prints the kernel messages of the template first: they are those of the guest's boot. */
static int forward_boot(const struct run_files *f)
{
	_str_ struct str console = {};
	int rc = vm_template_console(&f->template, &console);

	if (rc < 0)
		return rc;
	rc = fd_write_all(STDERR_FILENO, str_get(&console), console.len);
	return rc < 0 ? err_sys(-rc, "write to standard error") : 0;
}

/* Missing statistics are no reason to fail the run. */
static void take_exit_stats(struct vm *vm, struct vm_result *out)
{
	int rc;

	if (vm->spec.accel != VM_ACCEL_KVM || vm->end == VM_QEMU_DIED)
		return;
	rc = vm_exit_stats_read(&vm->qmp, STATS_LIMIT_NS, &out->exits);
	if (rc < 0)
		log_debug("vm", "no exit statistics: %s", err_text(rc));
}

/* One start of the guest; *is_begun = whether it has sent anything. */
static int run_once(const struct vm_session *s, struct run_files *files, const struct vm_spec *spec,
		    const struct vm_start *start, struct vm_result *out, bool *is_begun)
{
	_cleanup_(watch_finish) struct watch w = { .session = s,
						   .result = out,
						   .begin_ns = clock_mono_ns(),
						   .console.half = CONSOLE_HALF,
						   .control.half = CONSOLE_HALF };
	char reason[QMP_WORD_SIZE];
	struct vm vm;
	int rc = vm_start(&vm, spec, files->initrd_fd, start);

	*is_begun = false;
	if (rc < 0)
		return rc;
	if (s->plan && spec->accel == VM_ACCEL_KVM)
		vm_placement_serve(s->plan);
	rc = watch_guest(&vm, &w, w.begin_ns + s->limit_ns);
	if (s->watcher)
		s->watcher->end(s->watcher->ctx);
	*is_begun = w.has_begun;
	out->duration_ns = clock_mono_ns() - w.begin_ns;
	if (rc == 0)
		take_exit_stats(&vm, out);
	if (rc == 0)
		vm_time_end(&w.times, clock_mono_ns(), &out->host_time);
	str_add(&out->diagnostics, str_get(&vm.channel.diagnostics));
	memcpy(reason, vm.shutdown_reason, sizeof(reason));
	vm_finish(&vm);
	if (rc < 0) {
		vm_result_finish(out);
		return rc;
	}
	judge(&w);
	if (out->outcome == VM_OUTCOME_SILENT)
		str_add(&out->message, vm_end_words(reason));
	return 0;
}

/* Discards a template that cannot be restored, even if its checksums are right. */
static int rebuild_template(const struct vm_session *s, struct run_files *files,
			    struct vm_spec *spec, struct vm_start *start, int why)
{
	int rc;

	log_note("%s: a template could not be restored and is built again: %s", log_label(),
		 err_text(why));
	rc = vm_template_discard(&files->template);
	vm_template_finish(&files->template);
	return rc < 0 ? rc : prepare_template(s, files, spec, start);
}

int vm_session_run(const struct vm_session *s, struct vm_result *out)
{
	_cleanup_(run_files_finish) struct run_files files = { .initrd_fd = -1,
							       .template.lock_fd = -1 };
	struct vm_start start = { .channel.has_live_reader = s->spec.accel != VM_ACCEL_SIM,
				  .plan = s->plan,
				  .watcher = s->watcher };
	struct vm_spec spec = s->spec;
	bool is_begun;
	int rc;

	*out = (struct vm_result){};
	if (s->plan)
		vm_placement_prepare(&spec, s->plan, &roots_live);
	rc = vm_machine_check(&spec) ?: make_suffix(s, &files);
	if (rc == 0)
		rc = uses_template(s) ? prepare_template(s, &files, &spec, &start) :
					prepare_cold(s, &files, &spec);
	if (rc == 0 && s->forwards_console && start.template_dir)
		rc = forward_boot(&files);
	if (rc < 0)
		return rc;
	if (s->plugin) {
		spec.plugin = s->plugin->option;
		spec.gdb_fd = s->plugin->gdb_fd;
		start.inherit = s->plugin->fds;
		start.inherit_count = s->plugin->fd_count;
	}
	rc = run_once(s, &files, &spec, &start, out, &is_begun);
	if (rc < 0 && rc != -EINTR && !is_begun && start.template_dir &&
	    !files.template.was_built) {
		rc = rebuild_template(s, &files, &spec, &start, rc);
		rc = rc ?: run_once(s, &files, &spec, &start, out, &is_begun);
	}
	if (rc == 0)
		out->template_key = take_ptr(&files.template.key);
	return rc;
}

/* Ends an abandoned shell after its deadline. */
static int look_at_console(struct vm *vm, void *ctx)
{
	const struct watch *w = ctx;

	if (clock_mono_ns() > w->deadline_ns)
		return err_set(ETIMEDOUT, "the shell was open for %llu h; the VM was ended",
			       ULL(w->session->limit_ns / (3600 * NSEC_PER_SEC)));
	return take_all(vm, ctx);
}

static int sit_at_console(struct vm *vm, struct watch *w)
{
	bool is_killed;
	int rc = terminal_raw() ?: terminal_attach(vm, look_at_console, w, &is_killed);

	terminal_restore();
	if (rc == 0 && is_killed)
		return 0;
	if (rc == 0 && vm->end == VM_QEMU_DIED)
		return vm_died(vm);
	rc = rc ?: take_all(vm, w);
	if (rc < 0)
		return rc;
	judge(w);
	if (w->result->outcome == VM_OUTCOME_CRASHED)
		return err_set(EIO, "the guest crashed: %s", str_get(&w->result->message));
	return w->has_status ? w->result->status : 0;
}

int vm_session_interactive(const struct vm_session *s)
{
	_cleanup_(run_files_finish) struct run_files files = { .initrd_fd = -1,
							       .template.lock_fd = -1 };
	_cleanup_(vm_result_finish) struct vm_result result = {};
	_cleanup_(watch_finish) struct watch w = { .session = s,
						   .result = &result,
						   .console.half = CONSOLE_HALF,
						   .control.half = CONSOLE_HALF,
						   .deadline_ns = clock_mono_ns() + s->limit_ns };
	struct vm_spec spec = s->spec;
	struct vm vm;
	int rc = vm_machine_check(&spec) ?: initramfs_suffix_add(s->run, &files.suffix);

	rc = rc ?: prepare_cold(s, &files, &spec);
	if (rc == 0)
		rc = vm_start(&vm, &spec, files.initrd_fd,
			      &(struct vm_start){ .channel.has_live_reader = true,
						  .plan = s->plan,
						  .has_control_socket = true,
						  .watcher = s->watcher });
	if (rc < 0)
		return rc;
	rc = sit_at_console(&vm, &w);
	vm_finish(&vm);
	return rc;
}

void vm_result_finish(struct vm_result *r)
{
	str_finish(&r->message);
	str_finish(&r->console);
	str_finish(&r->control);
	str_finish(&r->diagnostics);
	free(r->template_key);
	*r = (struct vm_result){};
}
