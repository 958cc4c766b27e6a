/* SPDX-License-Identifier: GPL-2.0-only */
/* QEMU's threads take turns in sim runs (preload/turns.c says why). */
#ifndef KTSTR_VM_TURNS_H
#define KTSTR_VM_TURNS_H

/* What QEMU prints when its threads did not come to their turns: the run may not repeat. */
#define VM_TURNS_MISSED "ktstr: QEMU's threads did not meet"

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
