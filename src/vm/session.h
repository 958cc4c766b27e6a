/* SPDX-License-Identifier: GPL-2.0-only */
/* Running a guest, and what is known of the run afterwards. */
#ifndef KTSTR_VM_SESSION_H
#define KTSTR_VM_SESSION_H

#include "base/hash.h"
#include "vm/accel.h"
#include "vm/engine.h"
#include "vm/initramfs.h"

/* exit_stats.c: What KVM counted for a guest's vCPUs, asked of QEMU before it goes. */

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
	size_t vcpus;		       /* that told; 0 = nobody did, as under tcg and sim */
	uint64_t sums[VM_EXIT_STATS];  /* over the vCPUs */
	size_t tellers[VM_EXIT_STATS]; /* how many of them told it: kernels differ */
};

/* Sums of nothing where QEMU has none; an error only where it does not answer sensibly. */
int vm_exit_stats_read(struct qmp *qmp, uint64_t timeout_ns, struct vm_exit_stats *stats);

/* The same from QEMU's reply. */
int vm_exit_stats_parse(struct str *reply, struct vm_exit_stats *stats);

/*
 * host_time.c:
 * What the host gave the vCPUs: how long their threads ran, and how long they were ready to run
 * and had no CPU. A wait in the guest may be one of the host; see run/host_time.c.
 */

struct vm_thread_time {
	uint64_t run_ns, wait_ns;
};

/* Windows of 100 ms, 200 ms, ... 51.2 s. */
#define VM_TIME_WINDOWS 10
#define VM_TIME_SHORTEST_NS (100 * NSEC_PER_MSEC)

struct vm_host_time {
	unsigned int count; /* of threads: one for all vCPUs under tcg; 0 = not known */
	struct vm_thread_time threads[VM_MAX_CPUS];
	/* The most that one of them waited within as much time. */
	uint64_t within_ns[VM_TIME_WINDOWS];
};

/* 1 + wait / run; 1 for one that never ran nor waited. */
double vm_dilation(const struct vm_thread_time *t);

/* The thread that waited most; -1 where nothing is known. */
int vm_host_time_worst(const struct vm_host_time *t);

/* The shortest window that holds ns, or the longest. */
uint64_t vm_time_window_ns(uint64_t ns);

/* The most that one waited within that window. */
uint64_t vm_host_time_within(const struct vm_host_time *t, uint64_t ns);

/* ---- while a guest runs ---- */

struct vm_time_sample {
	uint64_t at_ns;
	uint64_t *waits; /* of each thread */
};

struct vm_time_log {
	pid_t pid;
	unsigned int count;
	pid_t tids[VM_MAX_CPUS];
	struct vm_thread_time begin[VM_MAX_CPUS];
	uint64_t step_ns; /* between samples */
	VEC(struct vm_time_sample) samples;
};

/* Begins with the threads that QEMU names. Where it names none nothing will be known. */
void vm_time_begin(struct vm_time_log *log, pid_t pid, struct qmp *qmp, size_t vcpus,
		   uint64_t timeout_ns);

/* The same with threads that are known: tids may name one several times. */
void vm_time_begin_threads(struct vm_time_log *log, pid_t pid, const pid_t *tids, size_t count);

/* To be called often: takes a sample when it is time for one. */
void vm_time_look(struct vm_time_log *log, uint64_t now_ns);

/* The sums since the beginning, and the windows, while the threads are still there. */
void vm_time_end(struct vm_time_log *log, uint64_t now_ns, struct vm_host_time *out);

void vm_time_finish(struct vm_time_log *log);

/* From samples of one thread: the most within a window. */
uint64_t vm_time_most(const struct vm_time_sample *samples, size_t count, unsigned int thread,
		      uint64_t window_ns);

/*
 * session.c: One run of a guest from start to verdict on how it ended: booted or restored,
 * its frames handed on as they come, its end explained. Shell and test runner
 * both go through here.
 */

/*
 * A restored guest's ring is never drained while it runs, so it has to hold all
 * that is said; pages nobody writes cost nothing. Programs' output may fill half of it.
 */
#define VM_RING_BYTES (48ULL << 20)

/* A plugin of QEMU's code generator, or its gdb stub: for the run itself and not for its template. */
struct vm_plugin {
	const char *option;    /* of -plugin; files in it are /proc/self/fd/N; NULL = none */
	int gdb_fd;	       /* one of those below; 0 = there is no stub */
	const char *arguments; /* of it those that follow the file */
	int fds[4];	       /* that QEMU inherits */
	size_t fd_count;
};

struct vm_prelude {
	struct initramfs_run first, rest;
	const char *scheduler; /* its name, for people */
};

/*
 * Divides the files of a run: the first file_count of them and all that was included are for the
 * scheduler, with settings of its own, GUEST_PREPARE among them.
 */
void vm_prelude_make(struct vm_prelude *p, const struct initramfs_run *run, const char *settings,
		     size_t file_count);

struct vm_session {
	const struct vm_qemu *qemu;
	struct vm_spec spec; /* kernel, topology, memory, accelerator, words */
	const struct initramfs_base *base;
	const struct initramfs_run *run;
	/*
	 * Sim: the same in two parts, the first for a template that has the scheduler loaded, so
	 * that runs bring the rest along; NULL = there is no scheduler. A cold run has no use
	 * for it.
	 */
	const struct vm_prelude *prelude;
	bool is_cold;			/* boot even where a template could be used */
	bool forwards_console;		/* COM1 goes to stderr as it comes */
	uint64_t limit_ns;		/* wall clock for the run, boot of a template not counted */
	uint64_t guest_limit_ns;	/* of sim: the guest's own clock for the run; 0 = none */
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

/*
 * terminal.c: A person at a guest's console: our terminal in raw mode, every key sent on,
 * everything the guest prints shown. Ctrl-A X ends the VM, Ctrl-A Ctrl-A sends one
 * Ctrl-A.
 */

/* 0, or -ENOTTY with a sentence when stdin is not a terminal. */
int terminal_check(void);

/* Raw mode on. It is undone by terminal_restore() and by every signal that can be caught. */
int terminal_raw(void);
void terminal_restore(void);

/*
 * Carries bytes until the guest ends, QEMU dies or the user asks for the end
 * (*is_killed). look is called many times a second, for all else the guest says.
 */
int terminal_attach(struct vm *vm, int (*look)(struct vm *vm, void *ctx), void *ctx,
		    bool *is_killed);

#endif
