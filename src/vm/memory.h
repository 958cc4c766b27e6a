/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory of a running guest, read from outside. A restored guest writes to a private
 * copy of its template, so the bytes are those in QEMU's own address space; booted guests
 * are read in the same way. The guest is not stopped, and notices nothing.
 */
#ifndef KTSTR_VM_MEMORY_H
#define KTSTR_VM_MEMORY_H

#include "vm/spec.h"

#define VM_MAX_EXTENTS 32

struct vm;

/* Physical addresses of the guest, and where QEMU (pid) has those bytes. */
struct vm_extent {
	uint64_t guest, bytes, host;
};

struct vm_memory {
	pid_t pid;
	struct vm_extent extents[VM_MAX_EXTENTS]; /* ascending, none over another */
	size_t count;
};

/*
 * Asks QEMU for the layout of the guest's memory and looks where the RAM files are
 * mapped. To be called before a restored guest runs: in sim nothing else may be asked.
 */
int vm_memory_open(struct vm_memory *m, struct vm *vm);

/*
 * -EFAULT, without a message, when not all of it is RAM; -ESRCH when QEMU is gone, -EPERM when it
 * may not be looked at.
 */
int vm_memory_read(const struct vm_memory *m, uint64_t address, void *data, size_t len);

/* The same the other way. QEMU does not see it: code that it has translated stays as it was. */
int vm_memory_write(const struct vm_memory *m, uint64_t address, const void *data, size_t len);

struct vm_read {
	uint64_t address;
	void *data;
	size_t len;
};

/* Many places in few system calls. The same errors, where any of them cannot be read. */
int vm_memory_read_all(const struct vm_memory *m, const struct vm_read *reads, size_t count);

/* The memory of a process at one of its own addresses. -EIO without a message: only a part of it. */
int vm_process_read(pid_t pid, uint64_t address, void *data, size_t len);
int vm_process_write(pid_t pid, uint64_t address, const void *data, size_t len);

/*
 * The extents in the answer to "info mtree -f"; hosts: where QEMU has the memory of each
 * node, 0 = nowhere. -EINVAL with a message when it names no RAM of ours.
 */
int vm_memory_parse(struct vm_memory *m, const char *mtree, const uint64_t hosts[VM_MAX_NODES]);

/* Where a file is mapped from its beginning, by the text of /proc/PID/maps; 0 = nowhere. */
uint64_t vm_memory_mapped_at(const char *maps, const char *name, ino_t inode);

#endif
