/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One running VM: a QEMU child that we started, its memory files, its consoles
 * and its control connection. The VM dies with this process, and as all its files
 * are memory files, nothing is left behind whatever happens.
 */
#ifndef KTSTR_VM_ENGINE_H
#define KTSTR_VM_ENGINE_H

#include "base/child.h"
#include "channel/reader.h"
#include "channel/region.h"
#include "vm/qmp.h"
#include "vm/spec.h"

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
	/* Once QEMU answers; a restored guest does not run yet. */
	void (*begin)(void *ctx, struct vm *vm);
	bool (*is_due)(void *ctx);
	void (*look)(void *ctx);
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
	const char *template_dir;      /* restore from here; NULL = boot */
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

#endif
