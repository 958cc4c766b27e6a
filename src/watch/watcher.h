/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watches a guest while it runs: a sample of its run queues every 100 ms. In sim the code
 * generator's plugin stops the guest at those times of its own clock, so that every run of a
 * seed has the same samples and none of them is in the run; elsewhere the guest goes on. The
 * plugin also stops where the kernel throws a scheduler out, and where the guest asks for it
 * (KTSTR_SNAPSHOT): all queues and tasks of that moment are kept. In tcg it does only the latter,
 * for tests that want snapshots, and the guest is frozen meanwhile. Under kvm there is no plugin: such
 * a test sends a frame over the channel and waits, and the guest is stopped meanwhile.
 *
 * When a limit of the monitor is broken for long enough, or a task has waited for half of the time that
 * the kernel's watchdog gives it, everything is read once more than at the end: an early look at what
 * becomes a failure. A guest that can be told to is then also asked for sched_ext's own dump; one of
 * sim cannot, as its run would be another one than without a watcher.
 */
#ifndef KTSTR_WATCH_WATCHER_H
#define KTSTR_WATCH_WATCHER_H

#include "vm/session.h"
#include "watch/bpf_blocks.h"
#include "watch/hang.h"
#include "watch/invariants.h"
#include "watch/known_types.h"
#include "watch/moment.h"
#include "watch/series.h"
#include "watch/snapshots.h"
#include "watch/stub.h"
#include "watch/vcpu.h"

struct watcher {
	struct vm_watcher vm;
	struct vm_plugin plugin; /* of sim; else it has no option */
	struct str option;
	int ours;	    /* our end of the plugin's socket, or -1 */
	struct stub stub;   /* of kvm, where writes are watched */
	uint64_t frozen_ns; /* since when the guest stands still */
	bool is_exact;	    /* sim: the plugin stops the guest at times of its own */
	uint64_t sample_ns; /* when to look next; of the guest's counter in sim, else of ours */
	uint64_t first_ns;  /* of the guest's counter at the first stop; 0 = there was none */
	bool counts_end;    /* the time is counted from the body's end on */
	struct hang hang;
	struct str hopeless; /* why the guest is not waited for any longer; "" = it is */
	bool waits_for_scx;  /* nothing counts before a sched_ext scheduler is loaded */
	bool is_over;	     /* the body has ended */
	struct watch_layout layout;
	const struct vm_session *session;
	struct vm *guest; /* while it runs */
	struct vm_memory memory;
	struct space space;
	bool has_memory, has_space;
	bool has_exit; /* the kernel threw the scheduler out, and a dump was taken of it */
	struct guest_sample now;
	struct moment_still still;
	pid_t *tids;		  /* threads of the vCPUs; not in sim */
	bool has_tids;		  /* QEMU has told them */
	struct vcpus vcpus;	  /* at the end of a guest without a result */
	struct programs programs; /* at the first sample */
	struct program_follow calls;
	struct series series;
	struct str dump;  /* JSON of the scheduler's exit, or of a guest without a result */
	struct str early; /* the same of a moment before it that looked bad; "" = none did */
	const char *core; /* path of a core file of the same moments, or NULL: none is wanted */
	bool has_core;	  /* it was written */
	struct str core_problem;
	bool has_violation; /* a limit was broken for long enough, and the guest was told so */
	const struct ktstr_assert *limits; /* that are judged meanwhile, or NULL */
	unsigned int looks;		   /* samples since waits were looked at */
	uint64_t stop_ns; /* the guest's counter at the stop that is being served; 0 = none is */
	struct str snapshots;	   /* that the guest asked for: JSON */
	struct bpf_blocks *blocks; /* of BPF programs that are executed, or NULL */
	/*
	 * Somebody else who is shown the guest while it stands still, or NULL: m is the moment of
	 * the dump, and NULL when a scheduler is seen for the first time.
	 */
	void (*show)(void *ctx, struct space *space, const struct moment *m);
	void *show_ctx;
	bool has_shown;
	size_t snapshot_count; /* that were asked for */
	struct snapshots_plan plan;
	struct trace_watch watches[TRACE_MAX_WATCHES];
	bool has_begun;	     /* the body: what the wish names has been looked for */
	struct str problems; /* what of the wish could not be met: "attribute: why" lines */
	size_t write_count;  /* that were seen */
	struct invariants invariants;
	const char *vmlinux, *scheduler; /* files of the host, or NULL */
	struct known_types known;
	const char *name; /* of what runs, for those who look for it; or NULL */
	int notice;	  /* see notice.h; -1 = none */
};

/*
 * Prepares to watch the session's guest and enters itself there. A guest that cannot be watched
 * is run all the same: series.problem says why. blocks: to be filled in sim, or NULL. wish: NULL =
 * no periodic snapshots, and none in tcg.
 */
void watcher_open(struct watcher *w, struct vm_session *session, const char *vmlinux,
		  bool waits_for_scx, struct bpf_blocks *blocks, const struct snapshots_wish *wish);

/* What the guest says tells when its body is over, and under kvm what the body wants to be seen. */
void watcher_hear(struct watcher *w, const struct channel_frame *frame);

void watcher_close(struct watcher *w);

#endif
