/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory files of a VM, and how the channel in them is reached. */
#ifndef KTSTR_VM_STORAGE_H
#define KTSTR_VM_STORAGE_H

#include "vm/engine.h"

void vm_storage_init(struct vm_storage *s);

/* RAM of a VM that boots: one memory file per node. */
int vm_storage_boot(struct vm_storage *s, struct vm_spec *spec);

/* RAM of a VM that is restored: the template's files, of which it writes a copy. */
int vm_storage_restore(struct vm_storage *s, struct vm_spec *spec, const char *template_dir);

/* The channel's region, written and ready. */
int vm_storage_channel(struct vm_storage *s, struct vm_spec *spec,
		       const struct channel_region *region, uint64_t bytes);

/* How to read the channel while QEMU (pid) runs. */
int vm_storage_channel_io(struct vm_storage *s, const struct vm_spec *spec, pid_t pid,
			  struct channel_io *io);

/* Appends the descriptors that QEMU has to inherit. */
size_t vm_storage_inherit(const struct vm_storage *s, int *fds, size_t count);

void vm_storage_finish(struct vm_storage *s);

#endif
