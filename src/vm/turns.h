/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes QEMU's threads take turns in sim runs; preload/turns.c explains why. */
#ifndef KTSTR_VM_TURNS_H
#define KTSTR_VM_TURNS_H

#include <stdint.h>

/* Printed by QEMU if its threads missed their turns: the run may not be reproducible. */
#define VM_TURNS_MISSED "ktstr: QEMU's threads did not meet"

/*
 * Symbol that the TCG plugin looks up to register a callback. The vCPU thread calls it between two
 * slices, without the big lock, with the virtual clock at the main thread's turn.
 */
#define VM_TURNS_TELL "ktstr_turns_tell"
typedef void vm_turns_fn(uint64_t virtual_ns);

struct vm_turns {
	int fd;	       /* inherited by QEMU */
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
