/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One run of a guest from start to verdict on how it ended: booted or restored,
 * its frames handed on as they come, its end explained. Shell and test runner
 * both go through here.
 */
#ifndef KTSTR_VM_SESSION_H
#define KTSTR_VM_SESSION_H

#include "base/sha256.h"
#include "vm/accel.h"
#include "vm/engine.h"
#include "vm/exit_stats.h"
#include "vm/host_time.h"
#include "vm/initramfs.h"

/*
 * A restored guest's ring is never drained while it runs, so it has to hold all
 * that is said; pages nobody writes cost nothing. Programs' output may fill half of it.
 */
#define VM_RING_BYTES (48ULL << 20)

/* A plugin of QEMU's code generator, for the run itself and not for its template. */
struct vm_plugin {
	const char *option;    /* of -plugin; files in it are /proc/self/fd/N */
	const char *arguments; /* of it those that follow the file */
	int fds[3];	       /* that QEMU inherits */
	size_t fd_count;
};

struct vm_session {
	const struct vm_qemu *qemu;
	struct vm_spec spec; /* kernel, topology, memory, accelerator, words */
	const struct initramfs_base *base;
	const struct initramfs_run *run;
	bool is_cold;			/* boot even where a template could be used */
	bool forwards_console;		/* COM1 goes to stderr as it comes */
	uint64_t limit_ns;		/* wall clock for the run, boot of a template not counted */
	uint64_t boot_limit_ns;		/* wall clock for reaching a template's ready point */
	bool has_wall_limit;		/* the user's own: no allowances, no words before it */
	const struct plan *plan;	/* the host CPUs that were reserved, or NULL */
	const struct vm_plugin *plugin; /* or NULL */
	const struct vm_watcher *watcher; /* or NULL */
	channel_frame_fn *on_frame;	  /* EXIT and CRASH are also kept in the result */
	void *ctx;
};

enum vm_outcome {
	VM_OUTCOME_EXIT, /* the guest reported a status */
	VM_OUTCOME_TIMED_OUT,
	VM_OUTCOME_CRASHED, /* guest init or the kernel gave up: see message */
	VM_OUTCOME_SILENT,  /* the guest ended and said nothing */
};

struct vm_result {
	enum vm_outcome outcome;
	int status;		      /* of VM_OUTCOME_EXIT */
	struct str message;	      /* of a crash, or how a silent guest ended */
	struct str console;	      /* COM1 */
	struct str control;	      /* COM2 */
	struct str diagnostics;	      /* of the channel and of guest init, one line each */
	uint64_t lost_bytes;	      /* of the program's output, for which there was no room */
	char *template_key;	      /* or NULL */
	uint64_t duration_ns;	      /* from the start of the run */
	char digest[SHA256_HEX_SIZE]; /* of all frames; "" = the guest said nothing */
	struct vm_exit_stats exits;
	struct vm_host_time host_time; /* not of sim, whose clock does not depend on it */
};

/* 0 with the outcome, or a negative errno when there was no run to speak of. */
int vm_session_run(const struct vm_session *s, struct vm_result *out);

/* A person at the guest's console. The exit status of the shell, or a negative errno. */
int vm_session_interactive(const struct vm_session *s);

void vm_result_finish(struct vm_result *r);

#endif
