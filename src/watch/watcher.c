// SPDX-License-Identifier: GPL-2.0-only
/* When to read the guest, and where the samples go. */
#include "watch/parts.h"

#include <poll.h>
#include <sys/socket.h>

#include "channel/channel.h"

#define NEVER UINT64_MAX
#define WAITS_PERIOD 5 /* samples between checks of wait times */
#define ASK_LIMIT_NS (5 * NSEC_PER_SEC)
#define SCX_EXIT_ERROR 1024 /* this and all above: the kernel's SCX_EXIT_ERROR* */

static int read_layout(struct watcher *w, const struct vm_session *session, const char *vmlinux)
{
	_btf_file_ struct btf_file file = {};
	struct symbols symbols = {};
	int rc = btf_file_open(&file, vmlinux);

	rc = rc ?: symbols_get(session, &symbols);
	rc = rc ?: layout_fill(&w->layout, &symbols, &file.types);
	if (rc == 0 && w->blocks && w->blocks->counts_kernel)
		rc = bpf_blocks_set_kernel(w->blocks, &symbols);
	symbols_finish(&symbols);
	return rc;
}

/* An error is ignored: the guest runs without a notice. */
static void post_notice(struct watcher *w)
{
	struct notice n = { .memory = w->memory, .has_layout = true, .layout = w->layout };

	notice_name(&n, w->session, w->name, NULL);
	cleanup_fd(&w->notice);
	w->notice = notice_post(&n);
	if (w->notice < 0)
		log_debug("watch", "%s", err_text(w->notice));
	err_clear();
}

/* Finds the guest's memory, before it runs. */
static void begin(void *ctx, struct vm *vm)
{
	struct watcher *w = ctx;
	struct trace_stop stale;
	int rc = vm_memory_open(&w->memory, vm);

	w->guest = vm;
	/* Drop messages of a first attempt: a template that cannot be restored is tried twice. */
	while (w->ours >= 0 && (recv(w->ours, &stale, sizeof(stale), MSG_DONTWAIT) > 0 ||
				recv(w->plugin.fds[1], &stale, sizeof(stale), MSG_DONTWAIT) > 0))
		;
	if (w->blocks)
		bpf_blocks_reset(w->blocks);
	w->has_memory = rc == 0;
	w->has_space = w->has_exit = w->has_violation = false;
	str_reset(&w->early);
	w->first_ns = 0;
	w->still = (struct moment_still){};
	w->counts_end = false;
	w->hang = (struct hang){};
	if (rc < 0)
		watcher_give_up(w, rc);
	else
		post_notice(w);
	if (w->blocks && vm->spec.is_restored && watcher_find_kernel(w))
		bpf_blocks_begin(w->blocks, &w->space);
	w->has_tids = !w->is_exact && w->tids &&
		      vm_vcpu_threads(&vm->qmp, w->tids, w->now.cpu_count, ASK_LIMIT_NS) == 0;
	err_clear();
}

/* Returns whether the plugin has stopped the guest, which waits for an answer. */
static bool has_stopped(const struct watcher *w)
{
	struct pollfd p = { .fd = w->ours, .events = POLLIN };

	return w->ours >= 0 && poll(&p, 1, 0) > 0;
}

static uint64_t next_look(const struct watcher *w)
{
	return MIN(w->sample_ns, snapshots_next(&w->plan));
}

/*
 * Without the plugin nothing stops the guest when the kernel ejects a scheduler, so this polls for
 * it. Disabling takes the kernel some milliseconds, in which queues, tasks and maps still exist.
 * Not for a scheduler that exits by itself: freezing the guest could distort its measurements.
 */
static bool sees_exit(struct watcher *w)
{
	uint64_t instance;

	if (w->ours >= 0 || !w->has_space || w->is_over || w->has_exit)
		return false;
	instance = scx_instance(&w->space);
	return instance && scx_exit_kind(&w->space, instance) >= SCX_EXIT_ERROR;
}

static bool is_due(void *ctx)
{
	struct watcher *w = ctx;

	return has_stopped(w) || stub_has_news(&w->stub) ||
	       (!w->is_exact && (clock_mono_ns() >= next_look(w) || sees_exit(w)));
}

/* Reads CPU time of vCPUs whose clock stands still: the host may have kept them from running. */
static void add_vcpu_times(struct watcher *w)
{
	const struct guest_sample *last =
		w->series.samples.count ? &w->series.samples.items[w->series.samples.count - 1] :
					  NULL;

	for (size_t i = 0; last && w->has_tids && i < w->now.cpu_count; i++) {
		struct cpu_sample *c = &w->now.cpus[i];
		uint64_t wait_ns;

		if (c->nr_running && c->clock_ns == last->cpus[i].clock_ns &&
		    !vm_thread_time(w->guest->child.pid, w->tids[i], &c->vcpu_ns, &wait_ns))
			c->vcpu_ns = 0;
	}
}

static void keep(struct watcher *w, uint64_t time_ns)
{
	int rc;

	w->now.time_ns = time_ns;
	rc = series_add(&w->series, &w->now);
	if (rc < 0)
		watcher_give_up(w, rc);
}

/* Counts calls since the first sample. Counts of a scheduler that has exited are kept. */
static void count_calls(struct watcher *w)
{
	unsigned int cpus = (unsigned int)w->now.cpu_count;
	int rc;

	if (!w->series.samples.count) {
		vcpus_finish(&w->vcpus);
		programs_finish(&w->programs);
		rc = programs_read(&w->programs, &w->space, cpus);
	} else {
		rc = program_follow_read(&w->calls, &w->space, cpus);
		if (rc == 0 && w->calls.now.items.count)
			rc = series_set_programs(&w->series, &w->programs, &w->calls.now);
	}
	if (rc < 0)
		watcher_give_up(w, rc);
}

/* Checks invariants now; only if a scheduler is attached, else its variables mean nothing. */
static void look_at_invariants(struct watcher *w)
{
	struct maps maps = {};

	if (!w->invariants.count || !w->now.has_scheduler)
		return;
	if (maps_read(&maps, &w->space, (unsigned int)w->now.cpu_count) == 0)
		invariants_look(&w->invariants, &maps, moment_clock(&w->now));
	maps_finish(&maps);
}

/*
 * An idle guest does not check its counter, so several sampling times may have passed. Its memory
 * has not changed since: each of them gets the same sample.
 */
static void take_samples(struct watcher *w, uint64_t now_ns)
{
	uint64_t at = w->sample_ns;

	if (w->is_over || now_ns < at || !watcher_find_kernel(w))
		return;
	sample_take(&w->now, &w->space);
	moment_still_clock(&w->still, &w->now, now_ns);
	w->series.unreadable = w->space.unreadable;
	if (w->show && w->now.has_scheduler && !w->has_shown) {
		w->has_shown = true;
		w->show(w->show_ctx, &w->space, NULL);
	}
	if (!w->series.samples.count && w->waits_for_scx && !w->now.has_scheduler)
		return;
	if (!w->series.samples.count)
		at = now_ns;
	count_calls(w);
	look_at_invariants(w);
	add_vcpu_times(w);
	for (; at <= now_ns; at += SERIES_PERIOD_NS)
		keep(w, at);
}

static void see_write(struct watcher *w, uint64_t number);

/* Stops the guest. A watchpoint may stop it at the same time. */
static bool freeze(struct watcher *w)
{
	w->frozen_ns = clock_mono_ns();
	if (!guest_freeze(w->guest, w->ours < 0))
		return false;
	if (w->stub.watch_count)
		stub_await_stop(&w->stub, ASK_LIMIT_NS);
	return true;
}

static void thaw(struct watcher *w)
{
	bool has_stood;

	if (w->stub.has_hit) {
		w->stub.has_hit = false;
		see_write(w, w->stub.hit);
	}
	if (w->is_over || w->write_count >= SNAPSHOTS_MAX)
		stub_unwatch(&w->stub);
	has_stood = w->stub.watch_count ? stub_go_on(&w->stub) : guest_thaw(w->guest, w->ours < 0);
	/* Otherwise the guest would stay stopped until its timeout. */
	if (!has_stood && !w->stub.watch_count && w->ours < 0 && !w->hopeless.len)
		str_add(&w->hopeless, "QEMU did not let the guest go on after it was read");
	w->stub.is_held = false;
	if (has_stood) {
		uint64_t stood_ns = clock_mono_ns() - w->frozen_ns;

		snapshots_delay(&w->plan, stood_ns);
		w->still.since_ns += stood_ns;
	}
}

/* Takes an early dump; guests in performance mode are not frozen for it. */
static void look_early(struct watcher *w, const char *trigger, const char *name)
{
	bool is_frozen = !w->is_exact && !w->session->spec.is_performance && freeze(w);

	vcpus_finish(&w->vcpus);
	/* A QEMU that was stopped as a process does not answer. */
	if (w->is_exact || (is_frozen && w->ours < 0))
		watcher_read_vcpus(w);
	watcher_take_early(w, trigger, name);
	if (is_frozen)
		thaw(w);
}

/* Uses the same samples as the judgement at the end of the run. */
static void check_limits(struct watcher *w)
{
	bool settles = w->plan.wish.duration_ns > MONITOR_SETTLING * SERIES_PERIOD_NS;
	struct monitor_detail what;

	if (!w->limits || w->has_violation || w->is_over ||
	    !monitor_is_sustained(&w->series, w->limits, settles, &what))
		return;
	w->has_violation = true;
	look_early(w, "a sustained violation:", what.text);
	(void)channel_reader_request(&w->guest->channel, CHANNEL_REQUEST_DUMP);
}

static void check_waits(struct watcher *w)
{
	if (w->early.len || w->dump.len || w->is_over || !w->now.has_scheduler || !w->has_space ||
	    w->looks++ % WAITS_PERIOD)
		return;
	if (scx_half_stalled(&w->space, scx_instance(&w->space), (unsigned int)w->now.cpu_count))
		look_early(w, "half of the watchdog's timeout", NULL);
}

static void take_snapshot(struct watcher *w, struct moment m)
{
	bool stands = w->is_exact || w->stub.is_held;
	bool is_frozen = !stands && freeze(w);

	if (is_frozen || stands)
		watcher_take_snapshot(w, m);
	if (is_frozen)
		thaw(w);
}

/* Takes the dump of a scheduler exit, even if the guest cannot be frozen. */
static void take_exit(struct watcher *w)
{
	bool is_frozen = freeze(w);

	w->has_exit = true;
	if (is_frozen)
		watcher_read_vcpus(w);
	watcher_take_dump(w, "scheduler exit");
	if (is_frozen)
		thaw(w);
}

/* In sim an idle guest gets the same snapshot for each time that has passed. */
static void take_periodic(struct watcher *w, uint64_t now_ns)
{
	while (!w->is_over && snapshots_next(&w->plan) <= now_ns) {
		char name[SNAPSHOTS_NAME];

		snapshots_take(&w->plan, name);
		take_snapshot(w, (struct moment){ .trigger = "period", .name = name });
	}
}

/* Between two samples; only for invariants. */
static void sample_now(struct watcher *w)
{
	if (!w->invariants.count || !watcher_find_kernel(w))
		return;
	sample_take(&w->now, &w->space);
	look_at_invariants(w);
}

static void serve(struct watcher *w, uint64_t request, uint64_t now_ns, uint64_t tag,
		  const char *name)
{
	if (request == TRACE_REQUEST_BEGIN) {
		bool is_frozen = !w->has_begun && w->stub.ours >= 0 && freeze(w);

		snapshots_begin(&w->plan, now_ns);
		watcher_meet_wishes(w, watcher_find_kernel(w));
		if (is_frozen)
			thaw(w);
	} else if (w->snapshot_count++ < SNAPSHOTS_MAX)
		take_snapshot(w, (struct moment){ .trigger = "request",
						  .tag = tag,
						  .name = *name ? name : NULL });
}

static void hear_request(struct watcher *w, const struct trace_stop *stop)
{
	if (w->blocks && bpf_blocks_mark(w->blocks, stop->argument))
		sample_now(w);
	else
		serve(w, stop->request, w->is_exact ? stop->counter : clock_mono_ns(),
		      stop->argument, stop->name);
}

/* A test that requests a snapshot waits until this returns. */
static void hear_frame(struct watcher *w, const struct channel_frame *f)
{
	struct channel_snapshot request;

	if (w->ours >= 0 || w->is_over || f->length != sizeof(request))
		return;
	memcpy(&request, f->data, sizeof(request));
	request.name[sizeof(request.name) - 1] = '\0';
	serve(w, request.request, clock_mono_ns(), 0, request.name);
}

static void see_write(struct watcher *w, uint64_t number)
{
	if (!w->is_over && number < w->plan.wish.watch_count && w->write_count++ < SNAPSHOTS_MAX)
		take_snapshot(w, (struct moment){ .trigger = "write to",
						  .name = w->plan.wish.watches[number] });
}

static void answer(struct watcher *w)
{
	/* In sim sampling continues after the end of the body, because the guest may still hang. */
	struct trace_answer a = { .next = w->is_over ? w->is_exact ? w->sample_ns : NEVER :
						       next_look(w) };

	if (w->has_begun && !w->is_over && w->write_count < SNAPSHOTS_MAX)
		a.watch_count = w->plan.wish.watch_count;
	memcpy(a.watches, w->watches, sizeof(a.watches));
	send(w->ours, &a, sizeof(a), MSG_NOSIGNAL);
}

/*
 * Guest time limit of sim: if not even init runs any more the guest reports nothing, but its clock
 * advances. It is read when the limit is reached, at the same point in every run.
 */
static void check_limit(struct watcher *w, uint64_t now_ns)
{
	uint64_t limit = w->session->guest_limit_ns;

	if (!w->first_ns || (w->is_over && !w->counts_end)) {
		w->first_ns = now_ns;
		w->counts_end = w->is_over;
	}
	if (!limit || w->hopeless.len || now_ns - w->first_ns < limit)
		return;
	str_addf(&w->hopeless, "%s: its own clock went on for %llu s%s",
		 w->is_over ? "the guest does not end" : "nothing in the guest runs any more",
		 ULL(limit / NSEC_PER_SEC), w->is_over ? "" : " without a result");
	watcher_read_vcpus(w);
	watcher_take_dump(w, "the end of the time that the guest had");
}

/* The guest must be stopped. */
static void look_for_hang(struct watcher *w, uint64_t limit_ns)
{
	struct symbols symbols = {};

	watcher_read_vcpus(w);
	if (!hang_is_certain(&w->vcpus))
		return;
	if (symbols_get(w->session, &symbols) == 0)
		hang_describe(&w->vcpus, &symbols, &w->space, limit_ns, &w->hopeless);
	symbols_finish(&symbols);
	watcher_take_dump(w, "a guest that hangs with interrupts disabled");
}

/*
 * Checks for a hang. A hanging guest makes no requests, so QEMU's monitor can stop it even if there
 * is a plugin.
 */
static void check_hang(struct watcher *w, uint64_t now_ns, uint64_t used_ns)
{
	uint64_t limit_ns = hang_limit_ns(w->session->spec.accel), at, jiffies;
	bool by_monitor = !w->is_exact && w->ours >= 0;

	if (w->hopeless.len || !watcher_find_kernel(w))
		return;
	at = space_symbol(&w->space, SYM_JIFFIES);
	if (!at || !space_read_u64(&w->space, at, &jiffies) ||
	    !hang_suspect(&w->hang, jiffies, now_ns, used_ns, limit_ns))
		return;
	if (w->is_exact) {
		look_for_hang(w, limit_ns);
	} else if (by_monitor ? guest_freeze(w->guest, true) : freeze(w)) {
		look_for_hang(w, limit_ns);
		if (by_monitor)
			guest_thaw(w->guest, true);
		else
			thaw(w);
	}
}

static const char *why_hopeless(void *ctx)
{
	const struct watcher *w = ctx;

	return w->hopeless.len ? w->hopeless.s : NULL;
}

/*
 * Dump of a scheduler exit. Not after the body has ended: then every scheduler exits. Only the
 * first call counts: while a scheduler is slow to exit, ticks of all CPUs call the function again.
 */
static void take_call(struct watcher *w)
{
	if (w->is_over || w->dump.len)
		return;
	watcher_read_vcpus(w);
	watcher_take_dump(w, "scheduler exit");
}

static void look_at_stop(struct watcher *w)
{
	struct trace_stop stop;

	if (recv(w->ours, &stop, sizeof(stop), MSG_DONTWAIT) != sizeof(stop))
		return;
	stop.name[sizeof(stop.name) - 1] = '\0';
	w->stop_ns = stop.counter;
	if (stop.reason == TRACE_STOP_CALL) {
		take_call(w);
	} else if (stop.reason == TRACE_STOP_REQUEST) {
		if (!w->is_over)
			hear_request(w, &stop);
	} else if (stop.reason == TRACE_STOP_WATCH) {
		see_write(w, stop.argument);
	} else if (stop.reason == TRACE_STOP_PROGRAM) {
		bpf_blocks_stop(w->blocks, watcher_find_kernel(w) ? &w->space : NULL,
				stop.argument);
	} else {
		take_samples(w, stop.counter);
		take_periodic(w, stop.counter);
		check_limits(w);
		check_waits(w);
		w->sample_ns = (stop.counter / SERIES_PERIOD_NS + 1) * SERIES_PERIOD_NS;
		check_limit(w, stop.counter);
		check_hang(w, stop.counter, stop.counter);
	}
	w->stop_ns = 0;
	answer(w);
}

/* Handles a watchpoint; a guest that has stopped for another reason is not resumed here. */
static void look_at_hit(struct watcher *w)
{
	w->frozen_ns = clock_mono_ns();
	stub_await_stop(&w->stub, 0);
	if (w->stub.has_hit)
		thaw(w);
	w->stub.is_held = false;
}

static int look(void *ctx)
{
	struct watcher *w = ctx;
	uint64_t now_ns = clock_mono_ns(), begin_ns;

	if (has_stopped(w)) {
		look_at_stop(w);
		return 0;
	}
	if (stub_has_news(&w->stub)) {
		look_at_hit(w);
		return 0;
	}
	if (sees_exit(w))
		take_exit(w);
	take_periodic(w, now_ns);
	if (now_ns < w->sample_ns)
		return 0;
	w->sample_ns = now_ns;
	begin_ns = clock_mono_ns();
	take_samples(w, now_ns);
	w->series.overruns += clock_mono_ns() - begin_ns > SERIES_BUDGET_NS;
	check_limits(w);
	check_waits(w);
	check_hang(w, now_ns, vm_used_ns(w->guest->child.pid));
	w->sample_ns = now_ns + SERIES_PERIOD_NS;
	return 0;
}

/* For a guest that is about to be ended, so QEMU may be queried. */
static void read_last_vcpus(struct watcher *w)
{
	int rc = qmp_execute(&w->guest->qmp, "stop", NULL, ASK_LIMIT_NS, NULL);

	err_clear();
	if (rc == 0)
		watcher_read_vcpus(w);
}

/*
 * A guest that hangs or crashed reports nothing, but can be read. Answers a pending stop first:
 * otherwise QEMU could neither stop nor quit.
 */
static void end(void *ctx)
{
	struct watcher *w = ctx;
	struct trace_answer never = { .next = NEVER };

	if (w->ours >= 0)
		send(w->ours, &never, sizeof(never), MSG_NOSIGNAL | MSG_DONTWAIT);
	if (!w->is_over && !w->dump.len) {
		read_last_vcpus(w);
		watcher_take_dump(w, "the end of a guest that gave no result");
	}
	w->is_over = true;
	invariants_end(&w->invariants, w->series.problem);
	w->has_memory = w->has_space = false;
	cleanup_fd(&w->notice);
	w->notice = -1;
}

static int prepare(struct watcher *w, const struct vm_session *session, const char *vmlinux)
{
	int rc = read_layout(w, session, vmlinux);

	if (rc == 0) {
		w->now.cpus = calloc(w->now.cpu_count, sizeof(*w->now.cpus));
		w->tids = calloc(w->now.cpu_count, sizeof(*w->tids));
	}
	if (rc == 0 && (!w->now.cpus || !w->tids))
		rc = err_no_memory();
	if (rc < 0)
		return rc;
	if (!vm_has_plugin(session->spec.arch, session->spec.accel))
		return w->plan.wish.watch_count ? watcher_open_stub(w) : 0;
	return w->is_exact || w->plan.wish.in_tcg ? watcher_open_plugin(w) : 0;
}

void watcher_open(struct watcher *w, struct vm_session *session, const char *vmlinux,
		  bool waits_for_scx, struct bpf_blocks *blocks, const struct snapshots_wish *wish)
{
	bool is_exact = session->spec.accel == VM_ACCEL_SIM &&
			vm_has_plugin(session->spec.arch, session->spec.accel);
	size_t cpus = vm_topology_cpus(&session->spec.topology);
	int rc;

	*w = (struct watcher){ .ours = -1,
			       .notice = -1,
			       .stub = STUB_NONE,
			       .session = session,
			       .vmlinux = vmlinux,
			       .plugin.fds = { -1, -1, -1 },
			       .waits_for_scx = waits_for_scx,
			       .blocks = blocks,
			       .is_exact = is_exact,
			       .plan.wish = wish ? *wish : (struct snapshots_wish){},
			       .now.cpu_count = cpus,
			       .series = { .cpu_count = cpus, .is_exact = is_exact } };
	rc = prepare(w, session, vmlinux);
	w->invariants.texts = w->plan.wish.invariants;
	w->invariants.count = MIN(w->plan.wish.invariant_count, (size_t)INVARIANT_MAX);
	if (rc < 0) {
		watcher_give_up(w, rc);
		invariants_end(&w->invariants, w->series.problem);
		return;
	}
	w->vm = (struct vm_watcher){ .fd = w->ours >= 0 ? w->ours : w->stub.ours,
				     .begin = begin,
				     .is_due = is_due,
				     .look = look,
				     .why_hopeless = why_hopeless,
				     .end = end,
				     .ctx = w };
	session->watcher = &w->vm;
	if (w->plugin.fd_count)
		session->plugin = &w->plugin;
}

void watcher_hear(struct watcher *w, const struct channel_frame *frame)
{
	if (frame->type == CHANNEL_TEST_RESULT || frame->type == CHANNEL_EXIT)
		w->is_over = true;
	else if (frame->type == CHANNEL_SNAPSHOT)
		hear_frame(w, frame);
}

void watcher_close(struct watcher *w)
{
	cleanup_fd(&w->ours);
	cleanup_fd(&w->notice);
	if (w->plugin.gdb_fd)
		w->plugin.fds[0] = -1;
	stub_close(&w->stub);
	cleanup_fd(&w->plugin.fds[0]);
	cleanup_fd(&w->plugin.fds[1]);
	str_finish(&w->option);
	str_finish(&w->dump);
	str_finish(&w->early);
	str_finish(&w->core_problem);
	str_finish(&w->snapshots);
	str_finish(&w->problems);
	str_finish(&w->hopeless);
	invariants_finish(&w->invariants);
	known_types_finish(&w->known);
	vcpus_finish(&w->vcpus);
	programs_finish(&w->programs);
	program_follow_finish(&w->calls);
	series_finish(&w->series);
	free(w->now.cpus);
	free(w->tids);
	*w = (struct watcher){
		.ours = -1, .notice = -1, .stub = STUB_NONE, .plugin.fds = { -1, -1, -1 }
	};
}
