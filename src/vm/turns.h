/* SPDX-License-Identifier: GPL-2.0-only */
/* QEMU's threads take turns in sim runs (preload/turns.c says why). */
#ifndef KTSTR_VM_TURNS_H
#define KTSTR_VM_TURNS_H

#include <stdint.h>

/* What QEMU prints when its threads did not come to their turns: the run may not repeat. */
#define VM_TURNS_MISSED "ktstr: QEMU's threads did not meet"

/*
 * For the plugin of the code generator, which finds it by this name: a function of its own that the
 * thread of the vCPUs calls, between two slices and without the big lock, with what the virtual clock
 * was at the main thread's turn.
 */
#define VM_TURNS_TELL "ktstr_turns_tell"
typedef void vm_turns_fn(uint64_t virtual_ns);

struct vm_turns {
	int fd;	       /* for QEMU to inherit */
	char *setting; /* LD_PRELOAD=... */
	char **envp;   /* for QEMU; NULL = our own environment */
};

#define VM_TURNS_NONE    \
	{                \
		.fd = -1 \
	}

int vm_turns_open(struct vm_turns *t);
void vm_turns_finish(struct vm_turns *t);

#endif
