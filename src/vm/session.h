/* SPDX-License-Identifier: GPL-2.0-only */
/* Running a guest, and the result of the run. */
#ifndef KTSTR_VM_SESSION_H
#define KTSTR_VM_SESSION_H

#include "base/hash.h"
#include "vm/accel.h"
#include "vm/engine.h"
#include "vm/initramfs.h"

/* exit_stats.c: KVM statistics of a guest's vCPUs, queried from QEMU before it quits. */

enum vm_exit_stat {
	VM_EXITS,
	VM_HALT_EXITS,
	VM_HALT_POLLS_TRIED,
	VM_HALT_POLLS_OK,
	VM_HALT_WAIT_NS,
	VM_PREEMPTIONS,
	VM_SIGNAL_EXITS,
	VM_HYPERCALLS,
	VM_EXIT_STATS,
};

struct vm_exit_stats {
	size_t vcpus;		       /* that reported; 0 = none, as under tcg and sim */
	uint64_t sums[VM_EXIT_STATS];  /* over the vCPUs */
	size_t tellers[VM_EXIT_STATS]; /* number of vCPUs that reported it: kernels differ */
};

/* All zero if QEMU has no statistics; an error only if it does not answer properly. */
int vm_exit_stats_read(struct qmp *qmp, uint64_t timeout_ns, struct vm_exit_stats *stats);

/* The same from QEMU's reply. */
int vm_exit_stats_parse(struct str *reply, struct vm_exit_stats *stats);

/*
 * host_time.c: CPU time that the host gave to the vCPU threads: how long they ran, and how long
 * they were runnable without a CPU. A wait in the guest may be caused by the host; see
 * run/host_time.c.
 */

struct vm_thread_time {
	uint64_t run_ns, wait_ns;
};

/* Windows of 100 ms, 200 ms, ... 51.2 s. */
#define VM_TIME_WINDOWS 10
#define VM_TIME_SHORTEST_NS (100 * NSEC_PER_MSEC)

struct vm_host_time {
	unsigned int count; /* number of threads: one for all vCPUs under tcg; 0 = unknown */
	struct vm_thread_time threads[VM_MAX_CPUS];
	/* Maximum wait of one thread within each window. */
	uint64_t within_ns[VM_TIME_WINDOWS];
};

/* 1 + wait / run; 1 for a thread that neither ran nor waited. */
double vm_dilation(const struct vm_thread_time *t);

/* Index of the thread with the longest wait; -1 if unknown. */
int vm_host_time_worst(const struct vm_host_time *t);

/* The shortest window of at least ns, else the longest. */
uint64_t vm_time_window_ns(uint64_t ns);

/* Maximum wait of one thread within that window. */
uint64_t vm_host_time_within(const struct vm_host_time *t, uint64_t ns);

/* ---- recording while a guest runs ---- */

struct vm_time_sample {
	uint64_t at_ns;
	uint64_t *waits; /* of each thread */
};

struct vm_time_log {
	pid_t pid;
	unsigned int count;
	pid_t tids[VM_MAX_CPUS];
	struct vm_thread_time begin[VM_MAX_CPUS];
	uint64_t step_ns; /* interval between samples */
	VEC(struct vm_time_sample) samples;
};

/* Starts with the threads that QEMU reports. If it reports none, nothing is recorded. */
void vm_time_begin(struct vm_time_log *log, pid_t pid, struct qmp *qmp, size_t vcpus,
		   uint64_t timeout_ns);

/* The same with given threads; tids may contain duplicates. */
void vm_time_begin_threads(struct vm_time_log *log, pid_t pid, const pid_t *tids, size_t count);

/* Takes a sample if one is due; call it often. */
void vm_time_look(struct vm_time_log *log, uint64_t now_ns);

/* Computes totals and windows; the threads must still exist. */
void vm_time_end(struct vm_time_log *log, uint64_t now_ns, struct vm_host_time *out);

void vm_time_finish(struct vm_time_log *log);

/* Maximum wait of one thread within a window, from its samples. */
uint64_t vm_time_most(const struct vm_time_sample *samples, size_t count, unsigned int thread,
		      uint64_t window_ns);

/*
 * session.c: one run of a guest from start to end: boots or restores it, passes its frames on, and
 * determines how it ended. Used by the shell and by the test runner.
 */

/*
 * In a restored sim guest the ring is not drained while it runs, so it has to hold all output;
 * unused pages cost nothing. Output of programs may fill half of it.
 */
#define VM_RING_BYTES (48ULL << 20)

/* A TCG plugin of QEMU, or its gdb stub: for the run itself, not for its template. */
struct vm_plugin {
	const char *option;    /* argument of -plugin, files as /proc/self/fd/N; or NULL */
	int gdb_fd;	       /* one of fds; 0 = no gdb stub */
	const char *arguments; /* the part of option after the file */
	int fds[4];	       /* inherited by QEMU */
	size_t fd_count;
};

struct vm_prelude {
	struct initramfs_run first, rest;
	const char *scheduler; /* name for messages */
};

/*
 * Splits the files of a run: the first file_count files and all include files are for the
 * scheduler, with its own settings (GUEST_PREPARE among them).
 */
void vm_prelude_make(struct vm_prelude *p, const struct initramfs_run *run, const char *settings,
		     size_t file_count);

struct vm_session {
	const struct vm_qemu *qemu;
	struct vm_spec spec; /* kernel, topology, memory, accelerator, words */
	const struct initramfs_base *base;
	const struct initramfs_run *run;
	/*
	 * Sim: `run` in two parts. The first is for a template in which the scheduler is already
	 * loaded, so that runs only need the rest. NULL = no scheduler program. Ignored by a cold
	 * run.
	 */
	const struct vm_prelude *prelude;
	bool is_cold;			/* boot even if a template could be used */
	bool forwards_console;		/* copy COM1 to stderr immediately */
	uint64_t limit_ns;		/* wall-clock limit of the run, without a template's boot */
	uint64_t guest_limit_ns;	/* sim: limit in guest time; 0 = none */
	uint64_t boot_limit_ns;		/* wall-clock limit for a template to get ready */
	bool has_wall_limit;		/* limit_ns is the user's: strict, no allowances */
	const struct plan *plan;	/* reserved host CPUs, or NULL */
	const struct vm_plugin *plugin; /* or NULL */
	const struct vm_watcher *watcher; /* or NULL */
	channel_frame_fn *on_frame;	  /* EXIT and CRASH are also stored in the result */
	void *ctx;
};

enum vm_outcome {
	VM_OUTCOME_EXIT, /* the guest reported a status */
	VM_OUTCOME_TIMED_OUT,
	VM_OUTCOME_CRASHED, /* guest init or kernel crashed: see message */
	VM_OUTCOME_SILENT,  /* the guest ended without a status */
};

struct vm_result {
	enum vm_outcome outcome;
	int status;		      /* of VM_OUTCOME_EXIT */
	struct str message;	      /* of a crash, or how a guest without a status ended */
	struct str console;	      /* COM1 */
	struct str control;	      /* COM2 */
	struct str diagnostics;	      /* of the channel and of guest init, one line each */
	uint64_t lost_bytes;	      /* program output that did not fit */
	char *template_key;	      /* or NULL */
	uint64_t duration_ns;	      /* from the start of the run */
	char digest[SHA256_HEX_SIZE]; /* over all frames; "" = none */
	struct vm_exit_stats exits;
	struct vm_host_time host_time; /* not for sim: its clock is independent of the host */
};

/* Returns 0 with the outcome, or a negative errno if the run could not be made. */
int vm_session_run(const struct vm_session *s, struct vm_result *out);

/* Interactive console. Returns the exit status of the shell, or a negative errno. */
int vm_session_interactive(const struct vm_session *s);

void vm_result_finish(struct vm_result *r);

/*
 * terminal.c: interactive console: sets the terminal to raw mode, sends keys to the guest and
 * prints its output. Ctrl-A X ends the VM, Ctrl-A Ctrl-A sends one Ctrl-A.
 */

/* 0, or -ENOTTY with a message if stdin is not a terminal. */
int terminal_check(void);

/* Sets raw mode. Undone by terminal_restore() and by every signal that can be caught. */
int terminal_raw(void);
void terminal_restore(void);

/*
 * Copies data until the guest ends, QEMU dies or the user ends the VM (*is_killed = true). `look`
 * is called many times per second to process other output of the guest.
 */
int terminal_attach(struct vm *vm, int (*look)(struct vm *vm, void *ctx), void *ctx,
		    bool *is_killed);

#endif
