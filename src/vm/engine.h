/* SPDX-License-Identifier: GPL-2.0-only */
/* A QEMU process and what is asked of it: for the files of this room only. */
#ifndef KTSTR_VM_ENGINE_H
#define KTSTR_VM_ENGINE_H

#include "base/json_tree.h"
#include "channel/channel.h"
#include "host/plan.h"
#include "vm/spec.h"

/*
 * qmp.c: QEMU's machine protocol over a socket that QEMU inherited. One thread uses a
 * connection. Every wait has a limit: a QEMU that hangs is an answer too.
 */

/* Of all that QEMU tells we want three words. */
#define QMP_WORD_SIZE 48
struct qmp_event {
	char name[QMP_WORD_SIZE];
	char status[QMP_WORD_SIZE]; /* data.status, of MIGRATION */
	char reason[QMP_WORD_SIZE]; /* data.reason, of SHUTDOWN */
};

struct qmp {
	int fd;
	struct str in; /* bytes read and not yet taken apart */
	struct qmp_event *events;
	size_t event_count, event_cap;
	size_t owed; /* commands sent whose replies have not been read */
};

/* Takes the socket over. Nothing is read or sent yet. */
void qmp_init(struct qmp *q, int fd);
void qmp_finish(struct qmp *q);

/* Sends a command; args is a JSON object as text, or NULL. The reply is read later. */
int qmp_send(struct qmp *q, const char *command, const char *args);

/* Gives QEMU a file under a name. */
int qmp_send_file(struct qmp *q, const char *name, int fd);

/*
 * Reads the reply to the oldest command that is owed one: 0, -EPROTO with QEMU's
 * words when it refused, -ETIMEDOUT, or -EPIPE when QEMU is gone. Events that come
 * in between are kept. reply (may be NULL) gets the whole line.
 */
int qmp_reply(struct qmp *q, uint64_t timeout_ns, struct str *reply);

/* qmp_send() and the reply to it; replies owed before are read first and must be fine. */
int qmp_execute(struct qmp *q, const char *command, const char *args, uint64_t timeout_ns,
		struct str *reply);

/* Reads what has arrived, without waiting. -EPIPE when QEMU is gone. */
int qmp_pump(struct qmp *q);

/* Takes the oldest event, if there is one. */
bool qmp_next_event(struct qmp *q, struct qmp_event *event);

/* Waits for an event of this name and drops what came before it. */
int qmp_wait_event(struct qmp *q, const char *name, uint64_t timeout_ns, struct qmp_event *event);

/*
 * What the command of a reply returned; NULL without a message when that is no answer. It lives as
 * long as the arena and the reply, which is changed.
 */
const struct json_node *qmp_answer(struct arena *arena, struct str *reply);

/*
 * engine.c: One running VM: a QEMU child that we started, its memory files, its consoles
 * and its control connection. The VM dies with this process, and as all its files
 * are memory files, nothing is left behind whatever happens.
 */

enum vm_end {
	VM_RUNNING,
	VM_ENDED,     /* the guest rebooted or switched itself off */
	VM_PAUSED,    /* the guest stopped itself at its ready point */
	VM_QEMU_DIED, /* QEMU ended without being told to */
};

struct vm;

/* Somebody who looks at the guest from outside while it runs. */
struct vm_watcher {
	int fd; /* wakes vm_poll(); -1 = none */
	/* Once QEMU answers; the guest does not run yet. */
	void (*begin)(void *ctx, struct vm *vm);
	bool (*is_due)(void *ctx);
	int (*look)(void *ctx); /* 0, or -EINTR: the guest is to be ended */
	/* Why there is no use in waiting for the guest any longer, or NULL; no function: nobody can tell. */
	const char *(*why_hopeless)(void *ctx);
	/* Before QEMU is told to quit. */
	void (*end)(void *ctx);
	void *ctx;
};

/* Where the VM's memory is kept. */
struct vm_storage {
	int ram_fds[VM_MAX_NODES]; /* -1 = not used */
	char ram_paths[VM_MAX_NODES][64];
	int channel_fd;
	char channel_path[64];
	struct channel_mapping mapping; /* of booted VMs */
	uint64_t remote_address;	/* of restored VMs: the region in QEMU's own memory */
};

struct vm {
	struct vm_spec spec;
	struct child child;
	struct qmp qmp;
	int control_fd; /* our end of COM2, where it is a socket; else -1 */
	int console_file, control_file;
	size_t console_read, control_read; /* bytes already handed out */
	struct str errors;		   /* what QEMU said on stderr */
	int errors_fd;
	struct vm_storage storage;
	struct channel_reader channel;
	const struct vm_watcher *watcher; /* or NULL */
	enum vm_end end;
	char shutdown_reason[QMP_WORD_SIZE]; /* of VM_ENDED: "guest-reset"; "" = not told */
};

struct vm_start {
	const char *template_dir; /* restore from here; NULL = boot */
	const char *ram_dir;	  /* and keep its memory in files here; NULL = in a private copy */
	bool has_saved_channel;	  /* the template has one of its own, which is to be replaced */
	struct channel_region channel; /* what the guest finds there */
	uint64_t channel_bytes;	       /* size of the region; 0 = what it needs */
	const struct plan *plan;       /* where KVM's vCPUs run on the host; NULL = anywhere */
	bool has_control_socket;       /* COM2 is a terminal, not a log */
	const int *inherit;	       /* further descriptors for QEMU */
	size_t inherit_count;
	const struct vm_watcher *watcher; /* or NULL */
};

/*
 * Fills the files into a copy of spec and starts QEMU; the guest runs when this
 * returns. The initrd of spec->initrd may be /proc/self/fd/N of initrd_fd.
 */
int vm_start(struct vm *vm, const struct vm_spec *spec, int initrd_fd,
	     const struct vm_start *start);

/*
 * Looks at QEMU for at most timeout_ns and updates vm->end. Returns early when
 * something happened.
 */
int vm_poll(struct vm *vm, uint64_t timeout_ns);

/* How a guest ended, for people, from QEMU's word for it: "it was powered off". */
const char *vm_end_words(const char *reason);

/* What came in since the last call, appended. */
int vm_read_console(struct vm *vm, struct str *out);
int vm_read_control(struct vm *vm, struct str *out);

/* Ends QEMU: politely, then by force. Safe on a VM that never started. */
void vm_finish(struct vm *vm);

/* The sentence for a QEMU that ended on its own: its last words and status. */
int vm_died(struct vm *vm);

/* storage.c: The memory files of a VM, and how the channel in them is reached. */

void vm_storage_init(struct vm_storage *s);

/* RAM of a VM that boots: one memory file per node. */
int vm_storage_boot(struct vm_storage *s, struct vm_spec *spec);

/* RAM of a VM that is restored: the template's files, of which it writes a copy. */
int vm_storage_restore(struct vm_storage *s, struct vm_spec *spec, const char *template_dir);

/* The same, but it writes to copies of these files in dir, which then are a template's. */
int vm_storage_continue(struct vm_storage *s, struct vm_spec *spec, const char *template_dir,
			const char *dir);

/* Copies RAM of a VM that was booted and has stopped, into dir. */
int vm_storage_save(const struct vm_storage *s, const char *dir);

/*
 * The channel's region, written and ready. A template that was saved with one (saved_dir, else
 * NULL) has a file of zeros for it, of which QEMU has a private copy: it looks at each of its pages
 * while it restores, and those of the file are in memory since the last run. In the first moment
 * of the guest such a region is empty, see vm_storage_channel_renew().
 */
int vm_storage_channel(struct vm_storage *s, struct vm_spec *spec,
		       const struct channel_region *region, uint64_t bytes, const char *saved_dir);

/* Makes that file. */
int vm_storage_keep_channel(const char *dir, uint64_t bytes);

/* How to read the channel while QEMU (pid) runs. */
int vm_storage_channel_io(struct vm_storage *s, const struct vm_spec *spec, pid_t pid,
			  struct channel_io *io);

/*
 * Writes the region once more, into the memory of QEMU: one that was saved with the state of the
 * guest is there after it was restored.
 */
int vm_storage_channel_renew(struct vm_storage *s, const struct channel_region *region, pid_t pid);

/* Appends the descriptors that QEMU has to inherit. */
size_t vm_storage_inherit(const struct vm_storage *s, int *fds, size_t count);

void vm_storage_finish(struct vm_storage *s);

/*
 * migration.c: Saving a guest's devices to a file and restoring them, over QEMU's control
 * connection.
 */

/* Into DIR/state; until it is done. -EPIPE when QEMU is gone. */
int migration_save(struct qmp *q, const struct vm_spec *spec, const char *dir, uint64_t timeout_ns);

/* From there: the commands, whose replies are owed, and then the end of it. */
int migration_send_restore(struct qmp *q, const struct vm_spec *spec, const char *dir);
int migration_await_restore(struct qmp *q, uint64_t timeout_ns);

/*
 * placement.c: Where a KVM guest runs on the host: its memory before the start, its vCPU threads
 * after it, by the ids that QEMU tells. Under tcg and sim one thread carries all
 * vCPUs and stays where this process may run.
 */

/*
 * For performance mode: huge pages where enough are free, memory bound to the plan's
 * nodes where the host has several, and warnings about what will disturb figures.
 */
void vm_placement_prepare(struct vm_spec *spec, const struct plan *plan, const struct roots *roots);

/* The thread of each vCPU, in the order of vCPUs; fewer than count is an error. */
int vm_vcpu_threads(struct qmp *qmp, pid_t *tids, size_t count, uint64_t timeout_ns);

/* The same from QEMU's reply. */
int vm_vcpu_threads_parse(struct str *reply, pid_t *tids, size_t count);

/*
 * Pins or masks the vCPUs' threads by the plan, with its priority; the other threads of that
 * QEMU go to the service CPU of performance mode.
 */
int vm_placement_apply(struct qmp *qmp, pid_t qemu, const struct plan *plan, size_t vcpus,
		       uint64_t timeout_ns);

/*
 * In performance mode the calling process watches the guest from a CPU that runs no
 * vCPU, above their priority, until it ends. QEMU is started before that.
 */
void vm_placement_serve(const struct plan *plan);

/* starved.c: How long the host kept a process waiting: what a limit on a guest must not count. */

/*
 * How long the thread of it that waited longest was ready to run and had no CPU.
 * 0 where the kernel does not tell.
 */
uint64_t vm_starved_ns(pid_t pid);

/* How long all its threads ran together; 0 where the kernel does not tell. */
uint64_t vm_used_ns(pid_t pid);

/* How long one thread of it ran, and waited for a CPU. False where the kernel does not tell. */
bool vm_thread_time(pid_t pid, pid_t tid, uint64_t *run_ns, uint64_t *wait_ns);

/*
 * frame_budget.c:
 * How much of what a guest sends the host keeps. The ring is emptied as the guest fills it, so
 * without a limit for each kind of frame a guest decides how much memory the host uses.
 */

#define FRAME_BUDGET_KINDS 16

struct frame_budget {
	uint64_t sent[FRAME_BUDGET_KINDS]; /* bytes, in the order of the table */
};

/* The frame without what its kind has no room for any more; false = nothing of it is left. */
bool frame_budget_take(struct frame_budget *b, struct channel_frame *frame);

/* Appends a line for each kind of which something was left out. */
void frame_budget_describe(const struct frame_budget *b, struct str *out);

/* Questions that only QEMU's monitor for people answers. */

/* Appends the answer to a line such as "info mtree -f". */
int vm_ask(struct vm *vm, const char *line, uint64_t limit_ns, struct str *out);

#endif
