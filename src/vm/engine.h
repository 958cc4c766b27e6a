/* SPDX-License-Identifier: GPL-2.0-only */
/* The QEMU process and its control: for the files of this directory only. */
#ifndef KTSTR_VM_ENGINE_H
#define KTSTR_VM_ENGINE_H

#include "base/json_tree.h"
#include "channel/channel.h"
#include "host/plan.h"
#include "vm/spec.h"

/*
 * qmp.c: QEMU's machine protocol (QMP) over an inherited socket. A connection is used by one
 * thread. Every wait has a timeout, so that a hanging QEMU is detected.
 */

/* The parts of an event that are used. */
#define QMP_WORD_SIZE 48
struct qmp_event {
	char name[QMP_WORD_SIZE];
	char status[QMP_WORD_SIZE]; /* data.status, of MIGRATION */
	char reason[QMP_WORD_SIZE]; /* data.reason, of SHUTDOWN */
};

struct qmp {
	int fd;
	struct str in; /* received, not yet parsed */
	struct qmp_event *events;
	size_t event_count, event_cap;
	size_t owed; /* number of commands whose replies have not been read */
};

/* Takes over the socket. Does not read or send anything yet. */
void qmp_init(struct qmp *q, int fd);
void qmp_finish(struct qmp *q);

/* Sends a command; args is a JSON object as text, or NULL. Does not wait for the reply. */
int qmp_send(struct qmp *q, const char *command, const char *args);

/* Passes a file descriptor to QEMU under this name. */
int qmp_send_file(struct qmp *q, const char *name, int fd);

/*
 * Reads the reply to the oldest command without one. Returns 0; -EPROTO with QEMU's error message;
 * -ETIMEDOUT; -EPIPE if QEMU has exited. Events that arrive meanwhile are kept. reply (may be NULL)
 * gets the whole line.
 */
int qmp_reply(struct qmp *q, uint64_t timeout_ns, struct str *reply);

/* qmp_send() and its reply; outstanding replies are read first and must be successful. */
int qmp_execute(struct qmp *q, const char *command, const char *args, uint64_t timeout_ns,
		struct str *reply);

/* Reads what has arrived, without waiting. -EPIPE if QEMU has exited. */
int qmp_pump(struct qmp *q);

/* Removes the oldest event from the queue; false if there is none. */
bool qmp_next_event(struct qmp *q, struct qmp_event *event);

/* Waits for an event of this name and drops earlier ones. */
int qmp_wait_event(struct qmp *q, const char *name, uint64_t timeout_ns, struct qmp_event *event);

/*
 * Parses the value of "return" in a reply, which is modified; NULL without a message if there is
 * none. Valid as long as the arena and the reply.
 */
const struct json_node *qmp_answer(struct arena *arena, struct str *reply);

/*
 * engine.c: a running VM: the QEMU child, its memory files, its consoles and its QMP connection.
 * The VM dies with this process. All its files are memory files, so nothing is left behind.
 */

enum vm_end {
	VM_RUNNING,
	VM_ENDED,     /* the guest rebooted or powered off */
	VM_PAUSED,    /* the guest paused at its ready point */
	VM_QEMU_DIED, /* QEMU exited unexpectedly */
};

struct vm;

/* Callbacks for observing the guest from outside while it runs. */
struct vm_watcher {
	int fd; /* its activity wakes vm_poll(); -1 = none */
	/* Called when QEMU answers; the guest does not run yet. */
	void (*begin)(void *ctx, struct vm *vm);
	bool (*is_due)(void *ctx);
	int (*look)(void *ctx); /* 0, or -EINTR: end the guest */
	/*
	 * Reason why waiting for the guest is pointless, or NULL; the callback itself may be NULL.
	 */
	const char *(*why_hopeless)(void *ctx);
	/* Called before QEMU is told to quit. */
	void (*end)(void *ctx);
	void *ctx;
};

/* Memory files of the VM. */
struct vm_storage {
	int ram_fds[VM_MAX_NODES]; /* -1 = unused */
	char ram_paths[VM_MAX_NODES][64];
	int channel_fd;
	char channel_path[64];
	struct channel_mapping mapping; /* for booted VMs */
	uint64_t remote_address;	/* for restored VMs: address of the region in QEMU */
};

struct vm {
	struct vm_spec spec;
	struct child child;
	struct qmp qmp;
	int control_fd; /* our end of COM2 if it is a socket, else -1 */
	int console_file, control_file;
	size_t console_read, control_read; /* bytes already returned */
	struct str errors;		   /* stderr of QEMU */
	int errors_fd;
	struct vm_storage storage;
	struct channel_reader channel;
	const struct vm_watcher *watcher; /* or NULL */
	enum vm_end end;
	char shutdown_reason[QMP_WORD_SIZE]; /* for VM_ENDED: "guest-reset"; "" = unknown */
};

struct vm_start {
	const char *template_dir;      /* restore from here; NULL = boot */
	const char *ram_dir;	       /* keep the restored memory in files here; NULL = private */
	bool has_saved_channel;	       /* the template contains a channel, which is replaced */
	struct channel_region channel; /* initial contents of the channel */
	uint64_t channel_bytes;	       /* size of the region; 0 = as needed */
	const struct plan *plan;       /* placement of KVM vCPUs on the host; NULL = anywhere */
	bool has_control_socket;       /* COM2 is interactive, not a log file */
	const int *inherit;	       /* further file descriptors for QEMU */
	size_t inherit_count;
	const struct vm_watcher *watcher; /* or NULL */
};

/*
 * Completes a copy of spec with the file paths and starts QEMU; the guest runs on return.
 * spec->initrd may be /proc/self/fd/N of initrd_fd.
 */
int vm_start(struct vm *vm, const struct vm_spec *spec, int initrd_fd,
	     const struct vm_start *start);

/* Waits for events of QEMU for at most timeout_ns and updates vm->end. Returns early on events. */
int vm_poll(struct vm *vm, uint64_t timeout_ns);

/* Translates QEMU's shutdown reason for messages: "it was powered off". */
const char *vm_end_words(const char *reason);

/* Appends the output since the last call. */
int vm_read_console(struct vm *vm, struct str *out);
int vm_read_control(struct vm *vm, struct str *out);

/* Ends QEMU: with "quit", then with SIGKILL. Safe on a VM that was never started. */
void vm_finish(struct vm *vm);

/* Sets the error for a QEMU that exited unexpectedly: its last output and exit status. */
int vm_died(struct vm *vm);

/* storage.c: memory files of a VM, and access to the channel in them. */

void vm_storage_init(struct vm_storage *s);

/* RAM of a VM that boots: one memory file per node. */
int vm_storage_boot(struct vm_storage *s, struct vm_spec *spec);

/* RAM of a restored VM: the template's files, mapped copy-on-write. */
int vm_storage_restore(struct vm_storage *s, struct vm_spec *spec, const char *template_dir);

/* The same, but writes go to copies of these files in dir, which become a template. */
int vm_storage_continue(struct vm_storage *s, struct vm_spec *spec, const char *template_dir,
			const char *dir);

/* Copies the RAM of a stopped VM that was booted into dir. */
int vm_storage_save(const struct vm_storage *s, const char *dir);

/*
 * Prepares the channel's region. If the template was saved with a channel (saved_dir, else NULL), a
 * file of zeros in the template backs it, and QEMU maps it privately: QEMU touches each page while
 * it restores, and the file's pages are already in the page cache. Such a region is empty when the
 * guest starts, see vm_storage_channel_renew().
 */
int vm_storage_channel(struct vm_storage *s, struct vm_spec *spec,
		       const struct channel_region *region, uint64_t bytes, const char *saved_dir);

/* Creates this file of zeros. */
int vm_storage_keep_channel(const char *dir, uint64_t bytes);

/* Sets up access to the channel while QEMU (pid) runs. */
int vm_storage_channel_io(struct vm_storage *s, const struct vm_spec *spec, pid_t pid,
			  struct channel_io *io);

/*
 * Writes the region again, into the memory of QEMU: restoring has overwritten it with the region
 * that was saved with the guest's state.
 */
int vm_storage_channel_renew(struct vm_storage *s, const struct channel_region *region, pid_t pid);

/* Appends the file descriptors that QEMU inherits. */
size_t vm_storage_inherit(const struct vm_storage *s, int *fds, size_t count);

void vm_storage_finish(struct vm_storage *s);

/* migration.c: saves a guest's device state to a file and restores it, over QMP. */

/* Saves to DIR/state and waits for completion. -EPIPE if QEMU has exited. */
int migration_save(struct qmp *q, const struct vm_spec *spec, const char *dir, uint64_t timeout_ns);

/*
 * Restores from DIR/state. migration_send_restore() sends the commands without reading replies;
 * migration_await_restore() waits for completion.
 */
int migration_send_restore(struct qmp *q, const struct vm_spec *spec, const char *dir);
int migration_await_restore(struct qmp *q, uint64_t timeout_ns);

/*
 * placement.c: placement of a KVM guest on the host: its memory before the start, its vCPU threads
 * after it, by the thread IDs that QEMU reports. Under tcg and sim one thread runs all vCPUs and is
 * not pinned.
 */

/*
 * For performance mode: uses huge pages if enough are free, binds memory to the plan's nodes if the
 * host has several, and warns about conditions that distort results.
 */
void vm_placement_prepare(struct vm_spec *spec, const struct plan *plan, const struct roots *roots);

/* Thread IDs of the vCPUs, in order; fewer than count is an error. */
int vm_vcpu_threads(struct qmp *qmp, pid_t *tids, size_t count, uint64_t timeout_ns);

/* The same from QEMU's reply. */
int vm_vcpu_threads_parse(struct str *reply, pid_t *tids, size_t count);

/*
 * Sets affinity and priority of the vCPU threads by the plan. In performance mode the other threads
 * of QEMU are moved to the service CPU.
 */
int vm_placement_apply(struct qmp *qmp, pid_t qemu, const struct plan *plan, size_t vcpus,
		       uint64_t timeout_ns);

/*
 * In performance mode: moves the calling process to a CPU without vCPUs, with a higher priority
 * than theirs, until it exits. QEMU must already be running.
 */
void vm_placement_serve(const struct plan *plan);

/* starved.c: how long the host kept a process waiting for a CPU; timeouts of a guest exclude it. */

/* Time in ns that the thread with the longest wait was runnable without a CPU. 0 if unknown. */
uint64_t vm_starved_ns(pid_t pid);

/* Sum of the run times of all threads in ns; 0 if unknown. */
uint64_t vm_used_ns(pid_t pid);

/* Run time and wait time of one thread. False if unknown. */
bool vm_thread_time(pid_t pid, pid_t tid, uint64_t *run_ns, uint64_t *wait_ns);

/*
 * frame_budget.c: limits how much of the guest's data the host keeps, by kind of frame. The ring is
 * emptied while the guest fills it, so without limits a guest could exhaust the host's memory.
 */

#define FRAME_BUDGET_KINDS 16

struct frame_budget {
	uint64_t sent[FRAME_BUDGET_KINDS]; /* bytes, indexed by row of the table */
};

/* Truncates the frame to what is left of its kind's budget; false = nothing is left. */
bool frame_budget_take(struct frame_budget *b, struct channel_frame *frame);

/* Appends a line for each kind of frame that was truncated. */
void frame_budget_describe(const struct frame_budget *b, struct str *out);

/* Queries of QEMU's human monitor. */

/* Appends the answer to a line such as "info mtree -f". */
int vm_ask(struct vm *vm, const char *line, uint64_t limit_ns, struct str *out);

#endif
